//! Everything the screen wants done outside memory.

use crate::domain::decision::{Disposition, Request};
use crate::domain::ids::{AuditId, ClaimId, ClaimKey, RecordKey};
use crate::domain::time::Timestamp;

/// Something to do. `update` returns it, the runner does it and posts a message back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// Read `rows` rows before and as many from `around` on, or the first ones.
    LoadQueue {
        run: u64,
        around: Option<ClaimKey>,
        rows: usize,
        since: Timestamp,
    },
    LoadDetail {
        run: u64,
        claim: ClaimKey,
    },
    /// Which claim has this id?
    Find(ClaimId),
    /// Which open CRITICAL claim arrived last?
    FindNewestCritical,
    Decide {
        claim: ClaimKey,
        id: ClaimId,
        request: Request,
    },
    Undo,
    Dispose {
        record: RecordKey,
        audit_id: AuditId,
        disposition: Disposition,
    },
    /// Take the claim in hand, or renew that.
    Hold(ClaimKey),
    /// Give back what is in hand, but for this claim.
    Release {
        except: Option<ClaimKey>,
    },
    SaveDraft {
        claim: ClaimKey,
        text: Option<String>,
    },
    /// Has another process changed the store?
    Look,
    PauseAuditor(bool),
    Bell,
    /// A terminal notification. Ids and counts only: it may be shown on a locked screen.
    Notify(String),
    /// Start the configured program with this JSON on its standard input.
    Hook {
        argv: Vec<String>,
        json: String,
    },
    /// Edit this text in `$EDITOR`.
    OpenEditor(String),
    Suspend,
    Quit,
}
