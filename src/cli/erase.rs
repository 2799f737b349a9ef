//! `juror erase`: takes the words of a note out of the store, on record.

use serde::Serialize;

use super::output::one_line;
use super::{Context, Exit};
use crate::domain::time::Timestamp;
use crate::store::{Durability, Erased, StoreError};

/// Erase the words of a note, an escalation or a disposition; who did it and why stays on record
#[derive(clap::Args)]
#[command(after_help = "\
For words that must not be kept: a patient's name, a password. They leave the
file, the search index and the free space of the file; the event that they came
with stays, with their hash. An ERASE event names who erased them, when and why;
`juror verify` reports a note that is gone without one. It cannot be undone.

The reason stays for ever: say it without the words themselves. Backups and
exports that were made before still have them, and so has another event where
the same words were written again: its number is told.

EVENT is the `seq` that `juror show`, `juror export --what decisions` and every
`juror decide` name.

Examples:
  juror erase 31 --reason 'names a patient'
  juror show rx-1042")]
pub(super) struct Arguments {
    #[arg(value_name = "EVENT", help = "The number of the event whose note is erased")]
    event: i64,
    /// Why, in one line: it stands in the chain of events in place of the note
    #[arg(long, value_name = "TEXT")]
    reason: String,
    #[arg(
        long,
        value_name = "NAME",
        help = "Who erases (also JUROR_ANNOTATOR; default: the operating system's user)"
    )]
    pub(super) by: Option<String>,
}

#[derive(Serialize)]
struct Done<'a> {
    /// The event whose note is gone.
    erased: i64,
    /// The claim or the answer that it was on.
    subject: &'a str,
    /// Who had written it.
    author: &'a str,
    /// The event that records the erasure.
    recorded_as: i64,
    annotator: &'a str,
    at: Timestamp,
    reason: &'a str,
    /// Other events that hold the same words.
    copies: &'a [i64],
    /// Whether the words have left the -wal file too.
    folded: bool,
}

pub(super) fn run(arguments: &Arguments, context: &mut Context) -> anyhow::Result<Exit> {
    let db = &context.config.db.value;
    if !db.exists() {
        return Err(StoreError::Missing(db.clone()).into());
    }
    let mut store = context.open_store(Durability::Full)?;
    let Erased { event, author, copies, is_folded } =
        store.erase(arguments.event, &arguments.reason, &context.actor(), context.clock.now())?;
    let out = &mut context.out;
    if out.wants_json() {
        out.json(&Done {
            erased: arguments.event,
            subject: &event.subject,
            author: &author,
            recorded_as: event.seq,
            annotator: &event.annotator,
            at: event.at,
            reason: arguments.reason.trim(),
            copies: &copies,
            folded: is_folded,
        })?;
    } else {
        out.text(&one_line(&format!(
            "{}: the note of {author} in event {} is erased, which event {} records under {}",
            event.subject, arguments.event, event.seq, event.annotator
        )))?;
    }
    if !copies.is_empty() {
        let copies: Vec<String> = copies.iter().map(ToString::to_string).collect();
        out.error(&format!("the same words stand in event {}: erase them there too", copies.join(", ")));
    }
    if !is_folded {
        out.error(&format!(
            "another program reads {} just now: its -wal file holds the words until that one ends",
            store.path().display()
        ));
    }
    Ok(Exit::Fine)
}
