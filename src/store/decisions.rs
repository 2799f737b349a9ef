//! What people decide: asked for, refused with a reason or recorded as an event, projected, on disk
//! before this returns.

use std::time::Duration;

use rusqlite::Transaction;
use serde_json::{Value, json};

use super::events::{self, Draft};
use super::projection;
use super::rows::{self, ClaimRow};
use super::{Fallible, Store, StoreError, blind, detail, inherited, queue, refused, scores, seen, shaping};
use crate::domain::decision::{
    Actor, Basis, DecisionKind, Disposition, Flag, HumanVerdict, MAX_ADDRESSEE, MAX_NOTE, Request, Ruling,
    Standing,
};
use crate::domain::event::{AGAINST, Act, Event};
use crate::domain::evidence::{self, ChosenSpan};
use crate::domain::finding::AuditState;
use crate::domain::ids::ClaimKey;
use crate::domain::time::Timestamp;
use crate::domain::word::{Opposed, Own, Word};

impl Store {
    /// Records what `actor` asks for as an event and updates the projection, in one FULL transaction.
    ///
    /// Refused, with a sentence for the person who asked:
    /// - confirming what has no grounded verdict, and giving a reason without a decision;
    /// - an empty note, and a second reason beside a given one;
    /// - acting on what is no longer what the person saw (`basis.seen`), or in the place of a ruling of their own that
    ///   they did not see (`basis.own`);
    /// - a severity or a type beside a verdict by which nothing is wrong;
    /// - evidence that does not stand in the record as it is named;
    /// - deciding or skipping on a run that is no longer current;
    /// - deciding while another annotator has the claim in hand ([`StoreError::Held`]);
    /// - ruling otherwise than others, unless it is just their rulings that the person knows (`basis.against`, else
    ///   [`StoreError::Opposed`]), and ruling anew after somebody else settled it;
    /// - deciding anew while the answer's release or block stands, but what was open when it was blocked;
    /// - a blind verdict of who has decided already or committed one, and where `overlap` of them stand;
    /// - deciding while the judge is hidden, but by a blind verdict;
    /// - setting a skip or a flag where it stands, and taking it off where none does;
    /// - skipping or deferring what is not open, and deferring to a time that is over or more than a year away.
    pub fn decide(
        &mut self,
        claim: ClaimKey,
        request: &Request,
        basis: Basis<'_>,
        actor: &Actor,
        now: Timestamp,
    ) -> Result<Event, StoreError> {
        self.write_full(|tx| {
            rows::named(tx, claim, decided(tx, claim, request, basis, Links::default(), actor, now))
        })
    }
}

/// What an event belongs to besides its subject.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Links {
    /// The undo that a redo answers.
    pub(super) answers: Option<i64>,
    /// The first event of those that are recorded at once.
    pub(super) batch: Option<i64>,
}

/// What came of a request for many claims, or of a disposition for many answers.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Batched {
    /// What was recorded, in the order in which it was asked for.
    pub events: Vec<Event>,
    /// The claim or answer of which it was not possible, and why.
    pub refused: Vec<(String, String)>,
    /// How many were skipped, flagged or disposed of so already.
    pub unchanged: u64,
}

/// Records the event and what follows from it.
pub(super) fn decided(
    tx: &Transaction<'_>,
    claim: ClaimKey,
    request: &Request,
    basis: Basis<'_>,
    links: Links,
    actor: &Actor,
    now: Timestamp,
) -> Fallible<Event> {
    let row = rows::claim(tx, claim)?;
    let before = projection::standing(tx, claim, actor.annotator.as_str())?;
    allow(tx, &row, request, actor, now)?;
    let stored = seen::of(tx, row.record, Some(claim))?;
    seen::still_so(&stored, basis.seen, &row.id)?;
    let seen = blind::seen(stored, request, basis.seen, &row.id)?;
    let change = change(tx, &row, request, &before, actor, now)?;
    if links.answers.is_none() && basis.reason.is_none() && says_the_same(&before, &change) {
        let elsewhere = if is_own_known(&before, basis.own) { "" } else { ", from another window" };
        return refused(format!(
            "{} has this decision of yours already{elsewhere}: nothing was recorded",
            row.id
        ));
    }
    if let Some(why) = unseen_own(&row, &before, &change, basis.own) {
        return refused(why);
    }
    let opposed = opposed(tx, &row, &change, &before, actor)?;
    let mut new = change.new;
    if let Some(opposed) = opposed {
        if !basis.against.are(&opposed.events()) {
            return Err(StoreError::Opposed { claim: row.id, opposed }.into());
        }
        new[AGAINST] = opposed.others.iter().map(|(who, _)| Value::from(who.as_str())).collect();
    }
    let draft = Draft {
        act: change.act,
        subject: row.id.to_string(),
        claim: Some(claim),
        old: change.old,
        new,
        reason: match request {
            Request::GiveReason(_) if basis.reason.is_some() => {
                return refused("this gives a reason itself: name one only");
            }
            Request::GiveReason(reason) => Some(*reason),
            _ => basis.reason,
        },
        undoes: links.answers,
        batch: links.batch,
        seen,
        payload: match request {
            Request::Annotate { note } | Request::Escalate { note, .. } => Some(note),
            _ => None,
        },
    };
    let event = events::append(tx, draft, actor, now)?;
    projection::write_standing(tx, claim, actor.annotator.as_str())?;
    if matches!(event.act, Act::Confirm | Act::Override) {
        tx.prepare_cached("DELETE FROM lease WHERE claim_id = ?1 AND holder = ?2")?
            .execute(rusqlite::params![claim.0, actor.annotator.as_str()])?;
    }
    Ok(event)
}

/// Whose rulings that stand the change is against. Refused where somebody else settled what the person took part in.
/// Of who judges blind the others' are kept.
fn opposed(
    tx: &Transaction<'_>,
    claim: &ClaimRow,
    change: &Change,
    before: &Standing,
    actor: &Actor,
) -> Fallible<Option<Opposed>> {
    if !matches!(change.act, Act::Confirm | Act::Override) {
        return Ok(None);
    }
    let Ok(ruling) = serde_json::from_value::<Ruling>(change.new.clone()) else { return Ok(None) };
    let (decisions, committed) = (detail::decisions(tx, claim.key)?, blind::of_claim(tx, claim.key)?);
    if before.decided.is_some()
        && let Some(who) = Word::of(&decisions, &committed).adjudicator()
        && *who != actor.annotator
    {
        return refused(format!(
            "{who} settled what people disagreed on in {}: it can be ruled anew by {who}, or by somebody who has not \
             ruled on it",
            claim.id
        ));
    }
    let opposed = Opposed::to(&ruling, &actor.annotator, &decisions, &committed);
    Ok(opposed.filter(|_| before.blind.is_none()))
}

/// Why a ruling does not take the place of the person's own: it was made in another window, and was not before them.
fn unseen_own(row: &ClaimRow, before: &Standing, change: &Change, own: Own) -> Option<String> {
    let decided = before.decided.as_ref().filter(|_| matches!(change.act, Act::Confirm | Act::Override))?;
    (!is_own_known(before, own)).then(|| {
        let at = decided.at.to_string().chars().take(19).collect::<String>().replace('T', " ");
        format!(
            "you ruled {} on {} at {at} UTC in another window, which was not before you: look at it, then rule",
            decided.ruling.said(),
            row.id
        )
    })
}

/// Whether the person's decision that stands was before them, or nothing is said of that.
fn is_own_known(before: &Standing, own: Own) -> bool {
    match own {
        Own::Unsaid => true,
        Own::Nothing => before.decided.is_none(),
        Own::Event(seq) => before.decided.as_ref().is_none_or(|decided| seq == decided.seq),
    }
}

/// Whether the person's decision that stands says it already.
fn says_the_same(before: &Standing, change: &Change) -> bool {
    let kind = match change.act {
        Act::Confirm => DecisionKind::Confirmed,
        Act::Override => DecisionKind::Overridden,
        _ => return false,
    };
    before
        .decided
        .as_ref()
        .is_some_and(|decided| decided.kind == kind && value(&decided.ruling) == change.new)
}

/// Plain data of ours as a JSON value; it always has one.
pub(super) fn value(data: &impl serde::Serialize) -> Value {
    serde_json::to_value(data).unwrap_or_default()
}

pub(super) fn allow(
    tx: &Transaction<'_>,
    claim: &ClaimRow,
    request: &Request,
    actor: &Actor,
    now: Timestamp,
) -> Fallible<()> {
    let decides = matches!(
        request,
        Request::Confirm | Request::Override { .. } | Request::GiveReason(_) | Request::Blind { .. }
    );
    if !claim.current && !matches!(request, Request::Annotate { .. }) {
        return refused(format!(
            "{} belongs to an earlier audit of {}: decide on the claim of the present one",
            claim.id,
            claim.id.audit_id()
        ));
    }
    if !matches!(request, Request::Annotate { .. })
        && let Some(why) = shaping::gone(tx, claim)?
    {
        return refused(why);
    }
    if decides {
        // Whose reason it is, that is of a decision made already: no work of anybody else's.
        if !matches!(request, Request::GiveReason(_))
            && !blind::is_shared(tx, claim.key, request, &actor.annotator)?
            && let Some(hold) = queue::hold(tx, claim.key, &actor.annotator, now)?
        {
            return Err(StoreError::Held { claim: claim.id.clone(), hold }.into());
        }
        if let Some(disposed) = projection::disposition(tx, claim.run)?
            && disposed.disposition == Disposition::Release
        {
            // A BLOCK rests on nothing, and a RETURN asks for changes.
            let (answer, who) = (claim.id.audit_id(), &disposed.annotator);
            return refused(if *who == actor.annotator {
                format!("{answer} has your RELEASE: undo that first, or give it RETURN, to change a decision")
            } else {
                format!("{answer} has the RELEASE of {who}: give it RETURN first to change a decision")
            });
        }
    }
    Ok(())
}

/// What a request comes to.
struct Change {
    act: Act,
    old: Value,
    new: Value,
}

fn change(
    tx: &Transaction<'_>,
    claim: &ClaimRow,
    request: &Request,
    before: &Standing,
    actor: &Actor,
    now: Timestamp,
) -> Fallible<Change> {
    let old = blind::stood(tx, claim.key, before)?;
    let old_ruling = || old.clone();
    let judged =
        (claim.state == AuditState::Judged).then(|| scores::judges_ruling(tx, claim)).transpose()?.flatten();
    Ok(match request {
        Request::Confirm => {
            let Some(ruling) = judged else {
                return refused(match claim.state {
                    AuditState::Ungrounded => format!(
                        "{}: the judge's quote does not stand in the evidence, so there is nothing to confirm: \
                         judge it yourself",
                        claim.id
                    ),
                    state => format!(
                        "{} has no verdict to confirm ({}): judge it yourself",
                        claim.id,
                        state.label()
                    ),
                });
            };
            Change { act: Act::Confirm, old: old_ruling(), new: value(&ruling) }
        }
        Request::Override(Ruling { verdict, severity, hallucination_type, .. })
            if !verdict.can_be_graded() && (severity.is_some() || hallucination_type.is_some()) =>
        {
            return refused(not_graded(*verdict));
        }
        Request::Override(ruling) => {
            let ruling = inherited::joined(tx, claim, ruling.clone())?;
            let (act, ruling) = scores::overridden(tx, claim, judged, &ruling)?;
            Change { act, old: old_ruling(), new: value(&ruling) }
        }
        Request::Blind { ruling, overlap } => {
            blind::refuse(tx, claim, ruling, *overlap, before, actor)?;
            let mut new = blind::committed(tx, claim, ruling, actor)?;
            new["overlap"] = Value::from(*overlap);
            Change { act: Act::Blind, old: Value::Null, new }
        }
        Request::Annotate { note } => {
            refuse_note(note)?;
            Change { act: Act::Annotate, old: Value::Null, new: Value::Null }
        }
        Request::GiveReason(reason) => {
            let Some(decided) = &before.decided else {
                return refused(format!("{}: decide first, then give the reason", claim.id));
            };
            Change {
                act: Act::GiveReason,
                old: json!({ "reason": decided.reason }),
                new: json!({ "reason": reason }),
            }
        }
        Request::Skip(wanted) => {
            if before.skipped == *wanted {
                return refused(so_already(claim, "skipped", *wanted));
            }
            if *wanted && !is_open(tx, claim.key, actor)? {
                return refused(format!("{} is not open: there is nothing to skip", claim.id));
            }
            Change {
                act: if *wanted { Act::Skip } else { Act::Unskip },
                old: json!({ "skipped": before.skipped }),
                new: json!({ "skipped": wanted }),
            }
        }
        Request::Flag(wanted) => {
            if before.flag.is_some() == *wanted {
                return refused(so_already(claim, "flagged", *wanted));
            }
            Change {
                act: if *wanted { Act::Flag } else { Act::Unflag },
                old: flag_value(before.flag.as_ref()),
                new: json!({ "flagged": wanted }),
            }
        }
        Request::Escalate { note, to } => {
            refuse_note(note)?;
            if let Some(to) = to
                && (to.trim().is_empty() || to.len() > MAX_ADDRESSEE || to.chars().any(char::is_control))
            {
                return refused(format!(
                    "the name of whom it is for is empty, longer than {MAX_ADDRESSEE} bytes, or not one line"
                ));
            }
            let mut new = json!({ "flagged": true });
            if let Some(to) = to {
                new["to"] = Value::from(to.as_str());
            }
            Change { act: Act::Flag, old: flag_value(before.flag.as_ref()), new }
        }
        Request::Defer { until } => {
            if !is_open(tx, claim.key, actor)? {
                return refused(format!("{} is not open: there is nothing to defer", claim.id));
            }
            if *until <= now {
                return refused(format!("{until} is over: name a time that is still to come"));
            }
            if until.since(now) > LONGEST_DEFERRAL {
                return refused(format!("{until} is more than a year away: decide on {} before", claim.id));
            }
            Change {
                act: Act::Defer,
                old: deferral_value(before.deferred),
                new: deferral_value(Some(*until)),
            }
        }
        Request::Resume => {
            if before.deferred.is_none_or(|until| until <= now) {
                return refused(format!("{} is not deferred", claim.id));
            }
            Change { act: Act::Resume, old: deferral_value(before.deferred), new: deferral_value(None) }
        }
    })
}

/// Why a mark is not set, or not taken off.
fn so_already(claim: &ClaimRow, mark: &str, is_so: bool) -> String {
    let is = if is_so { "already" } else { "no longer" };
    format!("{} is {is} {mark} by you: nothing was recorded", claim.id)
}

/// Nobody remembers for longer why a claim was put off.
const LONGEST_DEFERRAL: Duration = Duration::from_hours(24 * 366);

pub(super) fn refuse_note(note: &str) -> Fallible<()> {
    if note.trim().is_empty() {
        return refused("the note is empty: write something, or leave it with Esc");
    }
    if note.len() > MAX_NOTE {
        return refused(format!(
            "the note has {} bytes, at most {MAX_NOTE} ({} KiB) are kept: put the text into a document and name it here",
            note.len(),
            MAX_NOTE / 1024
        ));
    }
    Ok(())
}

/// A flag, as events say what stood.
pub(super) fn flag_value(flag: Option<&Flag>) -> Value {
    match flag.and_then(|flag| flag.to.as_deref()) {
        Some(to) => json!({ "flagged": true, "to": to }),
        None => json!({ "flagged": flag.is_some() }),
    }
}

/// A deferral, as events say what stood.
pub(super) fn deferral_value(until: Option<Timestamp>) -> Value {
    json!({ "until": until })
}

/// Why no severity can stand beside the verdict.
pub(super) fn not_graded(verdict: HumanVerdict) -> String {
    format!("{verdict} says that nothing is known to be wrong: leave severity and type out")
}

/// Refuses evidence that does not stand in the record as the person names it.
pub(super) fn stands_in_record(
    tx: &Transaction<'_>,
    claim: &ClaimRow,
    chosen: &[ChosenSpan],
) -> Fallible<()> {
    let Some(record) = rows::record(tx, claim.record)? else {
        return refused(format!("the record of {} is not there any more", claim.id));
    };
    match evidence::check(chosen, &record) {
        Ok(()) => Ok(()),
        Err(why) => refused(format!("{}: {why}", claim.id)),
    }
}

/// Whether the claim waits for somebody, or for this person to say blindly what others have said.
fn is_open(tx: &Transaction<'_>, claim: ClaimKey, actor: &Actor) -> Fallible<bool> {
    Ok(tx
        .prepare_cached(
            "SELECT 1 FROM queue WHERE claim_id = ?1 AND current = 1 AND (open <> 0 OR
               (EXISTS (SELECT 1 FROM opinion o WHERE o.claim_id = ?1)
                AND NOT EXISTS (SELECT 1 FROM decision d WHERE d.claim_id = ?1 AND d.annotator = ?2)))",
        )?
        .exists(rusqlite::params![claim.0, actor.annotator.as_str()])?)
}
