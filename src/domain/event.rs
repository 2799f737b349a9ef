//! The append-only record of what people did, and the hash chain that makes a change to it show.
//!
//! Anyone can check the chain without this program: an event's `hash` is the SHA-256 (lower-case hex)
//! of the previous event's hash, a line feed, and [`Event::canonical`]. The first event follows on
//! 64 zeros.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::decision::{ReasonCode, Ruling};
use super::time::Timestamp;
use super::verdict::labels;

/// The hash before the first event.
pub const GENESIS: &str = "0000000000000000000000000000000000000000000000000000000000000000";

labels! {
    /// What was done.
    Act: "kind of event" {
        Confirm = "CONFIRM",
        Override = "OVERRIDE",
        /// The person's verdict, committed before they were shown the judge's. No decision yet: that is the
        /// `CONFIRM` or `OVERRIDE` by which they keep or change it.
        Blind = "BLIND",
        Annotate = "ANNOTATE",
        GiveReason = "GIVE_REASON",
        Skip = "SKIP",
        Unskip = "UNSKIP",
        Flag = "FLAG",
        Unflag = "UNFLAG",
        /// Out of the person's queue until a time.
        Defer = "DEFER",
        /// Back into it before that time.
        Resume = "RESUME",
        /// What is to happen to the answer; the subject is an audit id.
        Dispose = "DISPOSE",
        /// The claim was made by the person: it is new.
        AddClaim = "ADD_CLAIM",
        /// Others stand in place of the claim, into which it was split.
        Split = "SPLIT",
        /// Another one stands in place of the claim, into which it was merged.
        Merge = "MERGE",
        /// The words of a note were taken out of the file: `new` names the event that they came with ([`ERASED`]), and why.
        Erase = "ERASE",
        /// Takes back the event named by `undoes`. Nothing is deleted.
        Undo = "UNDO",
    }
}

/// SHA-256 of what was on the person's screen when they acted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seen {
    pub answer_sha256: String,
    /// Over the passages in order: see [`passages_sha256`].
    pub passages_sha256: String,
    /// Over the judge's verdict, rationale and citations; absent for an act on a whole answer, and where the judge
    /// was hidden.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict_sha256: Option<String>,
}

/// One act of one person. Field order is the canonical order and never changes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// 1, 2, 3, … without a gap.
    pub seq: i64,
    pub at: Timestamp,
    pub annotator: String,
    pub os_user: String,
    pub host: String,
    pub program: String,
    pub act: Act,
    /// A claim id (`AUDIT_ID#n`), or an audit id for a disposition.
    pub subject: String,
    /// What stood before, `null` when nothing did.
    pub old: Value,
    /// What stands now.
    pub new: Value,
    pub reason: Option<ReasonCode>,
    /// The event that this one takes back; of an act that was done again, the undo that it answers.
    pub undoes: Option<i64>,
    pub seen: Seen,
    /// [`payload_sha256`] of the payload, which is kept apart so that it can be erased.
    pub payload_sha256: Option<String>,
    /// The first event of those that were asked for at once, which are taken back at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub batch: Option<i64>,
}

impl Event {
    /// The text that is hashed: compact JSON with the fields in the order of this struct.
    pub fn canonical(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// The hash of this event after one with hash `previous`.
    pub fn hash(&self, previous: &str) -> String {
        sha256_hex([previous, "\n", &self.canonical()])
    }

    /// The ruling that a `CONFIRM`, an `OVERRIDE` or a `BLIND` made.
    pub fn ruling(&self) -> Option<Ruling> {
        serde_json::from_value(self.new.clone()).ok()
    }
}

/// The field of an erasure's value that names the event whose note it erased.
pub const ERASED: &str = "event";

/// The field of a blind verdict's value that names the same claim in another answer, of which the person had been shown
/// the judge's verdict.
pub const KNOWN_FROM: &str = "known_from";

/// The field of a ruling's value that names the people whose rulings it was knowingly made against; of a split or a merge,
/// those whose rulings on the claim do not count any more.
pub const AGAINST: &str = "against";

impl Event {
    /// The person's own decision in whose place a `CONFIRM` or an `OVERRIDE` stands.
    pub fn replaced(&self) -> Option<Ruling> {
        serde_json::from_value(self.old.clone()).ok()
    }

    /// The reason in whose place a `GIVE_REASON` stands.
    pub fn replaced_reason(&self) -> Option<ReasonCode> {
        let before = self.old.get("reason").filter(|_| self.act == Act::GiveReason)?;
        serde_json::from_value(before.clone()).ok()
    }

    /// Whose rulings it was knowingly made against.
    pub fn against(&self) -> Vec<&str> {
        let names = self.new.get(AGAINST).and_then(Value::as_array);
        names.into_iter().flatten().filter_map(Value::as_str).collect()
    }

    /// From which claim the person knew the judge's word on what they judged blind.
    pub fn known_from(&self) -> Option<&str> {
        self.new.get(KNOWN_FROM)?.as_str()
    }

    /// The event whose note an `ERASE` took out of the file.
    pub fn erased(&self) -> Option<i64> {
        self.new.get(ERASED)?.as_i64().filter(|_| self.act == Act::Erase)
    }

    /// Until when a `DEFER` puts the claim off.
    pub fn until(&self) -> Option<Timestamp> {
        self.new.get("until")?.as_str()?.parse().ok()
    }

    /// How many people might judge the claim when a `BLIND` was recorded.
    pub fn overlap(&self) -> Option<u8> {
        self.new.get("overlap")?.as_u64()?.try_into().ok()
    }
}

/// SHA-256 over `parts` one after the other, lower-case hex.
pub fn sha256_hex<'a>(parts: impl IntoIterator<Item = &'a str>) -> String {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update(part.as_bytes());
    }
    hasher.finalize().iter().fold(String::with_capacity(64), |mut hex, byte| {
        use std::fmt::Write;
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

/// The hash of a payload: of its salt, a line feed, and its text. `None` when the salt is not 32
/// lower-case hex digits: with any other salt, bytes could move between salt and text unseen.
pub fn payload_sha256(salt: &str, text: &str) -> Option<String> {
    let is_salt = salt.len() == 32 && salt.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    is_salt.then(|| sha256_hex([salt, "\n", text]))
}

/// One hash over all passages, in order: of the lines `passage_id TAB sha256(content)`.
pub fn passages_sha256<'a>(passages: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    let hashed: Vec<(&str, String)> =
        passages.into_iter().map(|(id, content)| (id, sha256_hex([content]))).collect();
    passages_sha256_of(hashed.iter().map(|(id, hash)| (*id, hash.as_str())))
}

/// The same from `(passage_id, sha256(content))` where the contents are hashed already.
pub fn passages_sha256_of<'a>(passages: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    let lines: String = passages.into_iter().flat_map(|(id, hash)| [id, "\t", hash, "\n"]).collect();
    sha256_hex([lines.as_str()])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::decision::{DecisionKind, HumanVerdict, Standing};
    use crate::domain::verdict::Severity;

    fn event(seq: i64, act: Act) -> Event {
        Event {
            seq,
            at: Timestamp::from_millis(seq * 1000),
            annotator: "ana".into(),
            os_user: "u".into(),
            host: "h".into(),
            program: "juror 0".into(),
            act,
            subject: "rx-1#1".into(),
            old: Value::Null,
            new: serde_json::json!({"verdict": "CONTRADICTED", "severity": "CRITICAL"}),
            reason: None,
            undoes: None,
            seen: Seen { answer_sha256: "a".into(), passages_sha256: "p".into(), verdict_sha256: None },
            payload_sha256: None,
            batch: None,
        }
    }

    #[test]
    fn canonical_form_is_fixed() {
        insta::assert_snapshot!(event(1, Act::Confirm).canonical(), @r#"{"seq":1,"at":"1970-01-01T00:00:01.000Z","annotator":"ana","os_user":"u","host":"h","program":"juror 0","act":"CONFIRM","subject":"rx-1#1","old":null,"new":{"verdict":"CONTRADICTED","severity":"CRITICAL"},"reason":null,"undoes":null,"seen":{"answer_sha256":"a","passages_sha256":"p"},"payload_sha256":null}"#);
    }

    #[test]
    fn any_changed_field_changes_the_hash() {
        let original = event(1, Act::Confirm);
        let mut other = original.clone();
        other.host.push('x');
        assert_ne!(original.hash(GENESIS), other.hash(GENESIS));
        assert_ne!(original.hash(GENESIS), original.hash(&other.hash(GENESIS)));
    }

    #[test]
    fn sha256_is_what_sha256sum_prints() {
        assert_eq!(
            sha256_hex(["ab", "c"]),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
    }

    #[test]
    fn an_undo_gives_back_what_stood_before() {
        let first = event(1, Act::Confirm);
        let mut second = event(2, Act::Override);
        second.new = serde_json::json!({"verdict": "UNSUPPORTED"});
        let both = Standing::project([&first, &second]);
        assert_eq!(both.decided.as_ref().map(|d| d.ruling.verdict), Some(HumanVerdict::Unsupported));
        let mut undo = event(3, Act::Undo);
        undo.undoes = Some(2);
        let back = Standing::project([&first, &second, &undo]);
        let decided = back.decided.expect("the confirmation stands again");
        assert_eq!(
            (decided.kind, decided.ruling.severity),
            (DecisionKind::Confirmed, Some(Severity::Critical))
        );
    }

    #[test]
    fn a_decision_ends_a_skip_and_a_reason_joins_the_decision() {
        let mut reason = event(3, Act::GiveReason);
        reason.reason = Some(ReasonCode::NumberWrong);
        let standing = Standing::project([&event(1, Act::Skip), &event(2, Act::Confirm), &reason]);
        assert!(!standing.skipped);
        assert_eq!(standing.decided.and_then(|d| d.reason), Some(ReasonCode::NumberWrong));
    }
}
