//! `juror claim`: claims that a person makes, without the screen.

use std::collections::BTreeSet;
use std::str::FromStr;

use serde::Serialize;

use super::output::one_line;
use super::{Context, Exit, Failure};
use crate::domain::decision::{Basis, ReasonCode};
use crate::domain::event::Event;
use crate::domain::ids::{AuditId, ClaimId};
use crate::domain::queue::ClaimDetail;
use crate::domain::record::Record;
use crate::domain::shaping::{NewClaim, Shape};
use crate::domain::span::{CharSpan, Span};
use crate::domain::word::Known;
use crate::store::{Durability, Store, StoreError};

/// Add a claim that the judge left out, split one in two, merge several into one
#[derive(clap::Args)]
#[command(after_help = "\
The judge's claims stay as they are. What you make gets the next free number of
its record and stands in the queue without a verdict: it can be judged, not
confirmed. What is split or merged is not open any more. `juror decide --undo`
takes all of it back at once, --redo makes it again.

What other people ruled on a claim that is split or merged does not count any
more: that takes --anyway, and the event names whose rulings they were.

Examples:
  juror claim add rx-1042 --quote 'It is safe in pregnancy.'
  juror claim add rx-1042 --span 40-64 --text 'Paracetamol is safe in pregnancy'
  juror claim split 'rx-1042#3' --before 'and rest'
  juror claim merge 'rx-1042#3' 'rx-1042#4'")]
pub(super) struct Arguments {
    #[command(subcommand)]
    what: What,
    /// Why: a code, recorded with each event
    #[arg(long, value_name = "CODE", global = true)]
    reason: Option<ReasonCode>,
    #[arg(
        long,
        value_name = "NAME",
        global = true,
        help = "Who makes it (also JUROR_ANNOTATOR; default: the operating system's user)"
    )]
    pub(super) by: Option<String>,
}

#[derive(clap::Subcommand)]
enum What {
    /// A claim that the answer makes and the judge left out
    Add(Add),
    /// Two claims in place of one
    Split(Split),
    /// One claim in place of several of the same answer
    Merge(Merge),
}

#[derive(clap::Args)]
#[command(group = clap::ArgGroup::new("place").required(true).args(["quote", "span"]))]
struct Add {
    /// The answer
    #[arg(value_name = "AUDIT_ID")]
    id: String,
    /// Words that stand in the answer exactly once
    #[arg(long, value_name = "WORDS")]
    quote: Option<String>,
    /// START-END: characters of the answer, end exclusive
    #[arg(long, value_name = "PLACE")]
    span: Option<Place>,
    /// What it claims, where that is to be said in other words
    #[arg(long, value_name = "TEXT")]
    text: Option<String>,
}

#[derive(clap::Args)]
#[command(group = clap::ArgGroup::new("cut").required(true).args(["before", "at"]))]
struct Split {
    /// The claim, `AUDIT_ID#n`
    #[arg(value_name = "ID")]
    id: ClaimId,
    /// Words of the claim with which the second one begins; they stand in it exactly once
    #[arg(long, value_name = "WORDS")]
    before: Option<String>,
    /// The character of the claim's text with which the second one begins, from 0
    #[arg(long, value_name = "N")]
    at: Option<usize>,
    /// Although other people ruled on it: their rulings do not count any more
    #[arg(long)]
    anyway: bool,
}

#[derive(clap::Args)]
struct Merge {
    /// The claims, `AUDIT_ID#n`, all of one answer
    #[arg(value_name = "ID", required = true, num_args = 2..)]
    ids: Vec<ClaimId>,
    /// What they claim together, where that is to be said in other words
    #[arg(long, value_name = "TEXT")]
    text: Option<String>,
    /// Although other people ruled on them: their rulings do not count any more
    #[arg(long)]
    anyway: bool,
}

/// Characters of the answer.
#[derive(Debug, Clone, Copy)]
struct Place(CharSpan);

impl FromStr for Place {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parsed =
            text.split_once('-').and_then(|(start, end)| Some((start.parse().ok()?, end.parse().ok()?)));
        match parsed {
            Some((start, end)) if start < end => Ok(Self(CharSpan { start, end })),
            _ => Err("expected START-END, two numbers of characters from 0, the end exclusive"),
        }
    }
}

/// What was made.
#[derive(Serialize)]
struct Done {
    /// The claims that are new.
    made: Vec<ClaimId>,
    /// The claims in whose place they stand.
    replaced: Vec<String>,
    /// What was recorded, in order.
    events: Vec<Event>,
}

pub(super) fn run(arguments: &Arguments, context: &mut Context) -> anyhow::Result<Exit> {
    if context.config.blind.value {
        return Err(bad("not in a blind review: others have to judge the same claims").into());
    }
    let db = &context.config.db.value;
    if !db.exists() {
        return Err(StoreError::Missing(db.clone()).into());
    }
    let mut store = context.open_store(Durability::Full)?;
    let (shape, replaced, anyway) = match &arguments.what {
        What::Add(add) => (added(&store, add, context)?, &[][..], false),
        What::Split(split) => {
            (self::split(&store, split, context)?, std::slice::from_ref(&split.id), split.anyway)
        }
        What::Merge(merge) => (merged(&store, merge, context)?, &merge.ids[..], merge.anyway),
    };
    // Nothing was shown; one's own word is known.
    let own = own_rulings(&store, replaced, context)?;
    let against = if anyway { Known::All } else { Known::Events(&own) };
    let basis = Basis { reason: arguments.reason, against, ..Basis::default() };
    let replaced: Vec<String> = replaced.iter().map(ToString::to_string).collect();
    let shaped = store.shape(&shape, basis, &context.actor(), context.clock.now())?;
    let made: Vec<ClaimId> = shaped.made.into_iter().map(|(_, id)| id).collect();
    if context.out.wants_json() {
        context.out.json(&Done { made, replaced, events: shaped.events })?;
    } else {
        let names: Vec<String> = made.iter().map(ToString::to_string).collect();
        let place =
            if replaced.is_empty() { String::new() } else { format!(" in place of {}", replaced.join(", ")) };
        let wait = if names.len() == 1 { "waits" } else { "wait" };
        let set_aside: BTreeSet<&str> = shaped.events.iter().flat_map(Event::against).collect();
        let set_aside = if set_aside.is_empty() {
            String::new()
        } else {
            let names = set_aside.into_iter().collect::<Vec<_>>().join(", ");
            format!("; what {names} ruled there does not count any more")
        };
        let said = format!("made {}{place}: {wait} for a person's verdict{set_aside}", names.join(", "));
        context.out.text(&one_line(&said))?;
    }
    Ok(Exit::Fine)
}

/// The events of the person's own words on these claims.
fn own_rulings(store: &Store, ids: &[ClaimId], context: &Context) -> Result<Vec<i64>, StoreError> {
    let mut own = BTreeSet::new();
    for id in ids {
        let standing = detail(store, id, context)?.standing;
        let blind = standing.blind.map(|blind| blind.seq);
        own.extend(standing.decided.map(|decided| decided.seq).or(blind));
    }
    Ok(own.into_iter().collect())
}

fn detail(store: &Store, id: &ClaimId, context: &Context) -> Result<ClaimDetail, StoreError> {
    store.claim_detail(store.claim_key(id)?, &context.config.annotator.value, context.clock.now())
}

fn present(detail: &ClaimDetail) -> NewClaim {
    NewClaim::standing(&detail.claim_text, &detail.record.answer, detail.answer_span)
}

fn bad(error: impl std::fmt::Display) -> Failure {
    Failure::bad_input(error.to_string())
}

fn added(store: &Store, add: &Add, context: &Context) -> anyhow::Result<Shape> {
    let audit_id = AuditId::new(add.id.as_str());
    let key = store.record_key(&audit_id)?;
    let last = store.claims_of(key)?.filter(|last| *last > 0).ok_or_else(|| {
        bad(format!("the record `{audit_id}` waits for its audit: run `juror audit` first"))
    })?;
    let record = detail(store, &ClaimId::new(audit_id, last), context)?.record;
    let span = match (&add.quote, add.span) {
        (Some(words), _) => once(&record.answer, words, "the answer")?,
        (None, Some(Place(chars))) => {
            Span::from_chars(&record.answer, chars).ok_or_else(|| outside(&record, chars))?
        }
        // Clap asks for one of the two.
        (None, None) => return Err(bad("name the place: --quote or --span").into()),
    };
    let claim = NewClaim::of_answer(&record.answer, span).map_err(bad)?;
    let claim = match &add.text {
        Some(text) => claim.worded(text).map_err(bad)?,
        None => claim,
    };
    Ok(Shape::Add { record: key, claim })
}

fn outside(record: &Record, chars: CharSpan) -> Failure {
    bad(format!(
        "{}-{} is no place in the answer, which has {} characters",
        chars.start,
        chars.end,
        record.answer.chars().count()
    ))
}

/// Where `words` stand in `text`, when they do so exactly once.
fn once(text: &str, words: &str, name: &str) -> Result<Span, Failure> {
    let mut found = text.match_indices(words).map(|(at, _)| at);
    match (found.next(), found.next()) {
        (Some(at), None) if !words.is_empty() => {
            Span::new(text, at..at + words.len()).ok_or_else(|| bad("those words are no place in the text"))
        }
        (Some(_), Some(_)) => Err(bad(format!("“{words}” stands in {name} several times: name more words"))),
        _ => Err(bad(format!("“{words}” does not stand in {name}: copy the words exactly"))),
    }
}

fn split(store: &Store, split: &Split, context: &Context) -> anyhow::Result<Shape> {
    let claim = detail(store, &split.id, context)?;
    let text = &claim.claim_text;
    let at = match (&split.before, split.at) {
        (Some(words), _) => once(text, words, "the claim")?.start(),
        (None, at) => text.char_indices().nth(at.unwrap_or(0)).map_or(text.len(), |(at, _)| at),
    };
    let parts = present(&claim).cut(&claim.record.answer, at).map_err(bad)?;
    Ok(Shape::Split { claim: claim.key, parts })
}

fn merged(store: &Store, merge: &Merge, context: &Context) -> anyhow::Result<Shape> {
    let mut claims = Vec::new();
    for id in &merge.ids {
        claims.push(detail(store, id, context)?);
    }
    let Some(first) = claims.first() else { return Err(bad("name the claims").into()) };
    let parts: Vec<NewClaim> = claims.iter().map(present).collect();
    let into = NewClaim::merged(&first.record.answer, &parts).map_err(bad)?;
    let into = match &merge.text {
        Some(text) => into.worded(text).map_err(bad)?,
        None => into,
    };
    Ok(Shape::Merge { claims: claims.iter().map(|claim| claim.key).collect(), into })
}
