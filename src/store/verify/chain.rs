//! The chain of events, and what its events say was on the screen.

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::{Problems, VerifyReport, texts};
use crate::domain::decision::ReasonCode;
use crate::domain::event::{Act, Event, GENESIS, Seen, payload_sha256};
use crate::domain::evidence;
use crate::domain::ids::{AuditId, ClaimKey, RecordKey};
use crate::store::records::to_json;
use crate::store::{Fallible, erase, events, rows, seen};

pub(super) fn check(
    connection: &Connection,
    report: &mut VerifyReport,
    problems: &mut Problems,
) -> Fallible<()> {
    let mut statement = connection.prepare(&format!("SELECT {} FROM event ORDER BY seq", events::COLUMNS))?;
    let mut found = statement.query([])?;
    let mut last = (0_i64, GENESIS.to_owned());
    while let Some(row) = found.next()? {
        let seq: i64 = row.get(0)?;
        report.events += 1;
        problems.same("gap", &seq, &(last.0 + 1), || {
            format!("event {}: missing (after it comes event {seq})", last.0 + 1)
        });
        let (previous, hash) = (texts::shown(row, 17)?, texts::shown(row, 18)?);
        if previous != last.1 {
            problems.note("order", || format!("event {seq}: does not follow on the event before it"));
        }
        one(connection, row, report, problems)?;
        last = (seq, hash);
    }
    report.head = last.1;
    let loose: Option<i64> = connection
        .query_row(
            "SELECT p.seq FROM event_payload p LEFT JOIN event e ON e.seq = p.seq WHERE e.payload_sha256 IS NULL",
            [],
            |row| row.get(0),
        )
        .optional()?;
    if let Some(seq) = loose {
        problems.note("loose payload", || format!("event {seq}: has a text that it was not made with"));
    }
    Ok(())
}

/// The events about one record, each by itself.
pub(super) fn of_record(
    connection: &Connection,
    key: RecordKey,
    id: &AuditId,
    problems: &mut Problems,
) -> Fallible<()> {
    let mut statement = connection.prepare(&format!(
        "SELECT {} FROM event WHERE {} ORDER BY seq",
        events::COLUMNS,
        events::OF_RECORD
    ))?;
    let mut found = statement.query(params![key.0, id.as_str()])?;
    while let Some(row) = found.next()? {
        one(connection, row, &mut VerifyReport::default(), problems)?;
    }
    Ok(())
}

/// An event against its hash, its note, and what is stored of what it says was seen.
fn one(
    connection: &Connection,
    row: &Row<'_>,
    report: &mut VerifyReport,
    problems: &mut Problems,
) -> Fallible<()> {
    let seq: i64 = row.get(0)?;
    let (previous, hash) = (texts::shown(row, 17)?, texts::shown(row, 18)?);
    match events::event(row) {
        Ok(event) => {
            if event.hash(&previous) != hash || !is_canonical(row, &event)? {
                problems.note("hash", || format!("event {seq}: hash does not match its content"));
            }
            if let Some(batch) = event.batch {
                let begins = batch <= seq
                    && connection
                        .prepare_cached(
                            "SELECT 1 FROM event WHERE seq = ?1 AND batch = ?1 AND annotator = ?2",
                        )?
                        .exists(params![batch, event.annotator])?;
                if !begins {
                    problems.note("batch", || format!("event {seq}: event {batch} does not begin its batch"));
                }
            }
            erasure(connection, &event, problems)?;
            let read = payload(connection, &event, report, problems);
            problems.go_on(read, "unreadable note", || format!("event {seq}: its note"))?;
            let claim = row.get::<_, Option<i64>>(16)?.map(ClaimKey);
            let read = seen(connection, claim, &event, problems);
            problems.go_on(read, "unreadable subject", || {
                format!("event {seq}: what was seen of {}", event.subject)
            })?;
            let read = chosen(connection, claim, &event, problems);
            problems.go_on(read, "unreadable evidence", || {
                format!("event {seq}: the evidence that was chosen for {}", event.subject)
            })?;
        }
        // Named already.
        Err(rusqlite::Error::Utf8Error(..)) if !problems.is_of_record => {}
        Err(error) => {
            problems.note("unreadable event", || format!("event {seq}: cannot be read ({error})"));
        }
    }
    Ok(())
}

/// Whether the columns hold exactly what the event was written with: other spellings of the same
/// value would give the same hash.
fn is_canonical(row: &Row<'_>, event: &Event) -> Fallible<bool> {
    let text = |column: usize| row.get::<_, Option<String>>(column);
    Ok(text(1)? == Some(event.at.to_string())
        && text(6)?.as_deref() == Some(event.act.label())
        && text(8)? == Some(to_json(&event.old))
        && text(9)? == Some(to_json(&event.new))
        && text(10)?.as_deref() == event.reason.map(ReasonCode::label))
}

fn payload(
    connection: &Connection,
    event: &Event,
    report: &mut VerifyReport,
    problems: &mut Problems,
) -> Fallible<()> {
    let Some(expected) = &event.payload_sha256 else { return Ok(()) };
    let hash = connection
        .prepare_cached("SELECT salt, text FROM event_payload WHERE seq = ?1")?
        .query_row([event.seq], |row| {
            let (salt, text): (String, String) = (row.get(0)?, row.get(1)?);
            Ok(payload_sha256(&salt, &text))
        })
        .optional()?;
    match hash {
        None => {
            report.erased += 1;
            if erase::erasure_of(connection, event.seq)?.is_none_or(|by| by <= event.seq) {
                problems.note("erased payload", || {
                    format!("event {}: its note is gone, and no later event says who erased it", event.seq)
                });
            }
        }
        Some(hash) if hash.as_ref() != Some(expected) => {
            problems.note("payload", || format!("event {}: its note was changed", event.seq));
        }
        Some(_) => {}
    }
    Ok(())
}

/// Whether what an event says it erased was a note, and is gone.
fn erasure(connection: &Connection, event: &Event, problems: &mut Problems) -> Fallible<()> {
    if event.act != Act::Erase {
        return Ok(());
    }
    let had_a_note = connection
        .prepare_cached("SELECT 1 FROM event WHERE seq = ?1 AND seq < ?2 AND payload_sha256 IS NOT NULL")?
        .exists(params![event.erased(), event.seq])?;
    let has_it =
        connection.prepare_cached("SELECT 1 FROM event_payload WHERE seq = ?1")?.exists([event.erased()])?;
    if !had_a_note || has_it {
        let is = if has_it { "is still there" } else { "never was" };
        problems.note("erasure", || format!("event {}: the note that it says it erased {is}", event.seq));
    }
    Ok(())
}

/// Whether the evidence that a person chose stands in the record as the event says.
fn chosen(
    connection: &Connection,
    claim: Option<ClaimKey>,
    event: &Event,
    problems: &mut Problems,
) -> Fallible<()> {
    let chosen = matches!(event.act, Act::Override | Act::Blind).then(|| event.ruling()?.evidence).flatten();
    let (Some(chosen), Some(claim)) = (chosen.filter(|chosen| !chosen.is_empty()), claim) else {
        return Ok(());
    };
    // A claim or record that is missing is named as such already.
    let Ok(row) = rows::claim(connection, claim) else { return Ok(()) };
    let Some(record) = rows::record(connection, row.record)? else { return Ok(()) };
    if let Err(why) = evidence::check(&chosen, &record) {
        problems.note("chosen evidence", || format!("event {}: {}: {why}", event.seq, event.subject));
    }
    Ok(())
}

/// What is stored of what a person sees of a claim; not the judge's verdict where that was hidden, which it cannot
/// have been when the person decided.
fn stored(connection: &Connection, record: RecordKey, claim: ClaimKey, event: &Event) -> Fallible<Seen> {
    let stored = seen::of(connection, record, Some(claim))?;
    let is_hidden = match event.act {
        Act::Blind => true,
        Act::Confirm | Act::Override | Act::GiveReason => false,
        _ => event.seen.verdict_sha256.is_none(),
    };
    Ok(if is_hidden { Seen { verdict_sha256: None, ..stored } } else { stored })
}

/// Compares what the event says the person saw with what is stored.
fn seen(
    connection: &Connection,
    claim: Option<ClaimKey>,
    event: &Event,
    problems: &mut Problems,
) -> Fallible<()> {
    let stored: Option<Seen> = match claim {
        Some(claim) => match rows::claim(connection, claim) {
            Ok(row) if row.id.to_string() == event.subject => {
                Some(self::stored(connection, row.record, claim, event)?)
            }
            _ => None,
        },
        None => match rows::record_key(connection, &AuditId::new(event.subject.as_str())) {
            Ok(record) => Some(seen::of(connection, record, None)?),
            Err(_) => None,
        },
    };
    let Some(stored) = stored else {
        problems.note("subject", || {
            format!("event {}: {} is not what it was about, or is missing", event.seq, event.subject)
        });
        return Ok(());
    };
    let what = if stored.answer_sha256 != event.seen.answer_sha256 {
        "answer"
    } else if stored.passages_sha256 != event.seen.passages_sha256 {
        "evidence"
    } else if stored.verdict_sha256 != event.seen.verdict_sha256 {
        "verdict"
    } else {
        return Ok(());
    };
    problems.note("seen", || {
        format!(
            "event {}: {} saw another {what} of {} than the one stored",
            event.seq, event.annotator, event.subject
        )
    });
    Ok(())
}
