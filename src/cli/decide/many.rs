//! Deciding several claims at once: those that are named, or one claim in all answers that have it.

use serde::Serialize;

use super::requests::{answer, no_claim, requests};
use super::{Arguments, Context, Exit, Failure};
use crate::cli::output::one_line;
use crate::domain::blind::Sight;
use crate::domain::decision::{Disposition, Request};
use crate::domain::event::Event;
use crate::domain::ids::{ClaimId, ClaimKey};
use crate::store::{Batched, Disposing, Store};

/// What was recorded, and what was not.
#[derive(Serialize)]
struct Decided {
    /// How many claims it was about.
    #[serde(skip_serializing_if = "Option::is_none")]
    claims: Option<usize>,
    /// How many answers it was about.
    #[serde(skip_serializing_if = "Option::is_none")]
    answers: Option<usize>,
    /// What was recorded, in order; one undo takes all of it back.
    events: Vec<Event>,
    refused: Vec<Refused>,
    /// How many were skipped, flagged or disposed of so already.
    unchanged: u64,
    /// Words were given, which are not kept with what was so already.
    #[serde(skip)]
    has_note: bool,
}

#[derive(Serialize)]
struct Refused {
    id: String,
    why: String,
}

pub(super) fn run(store: &mut Store, arguments: &Arguments, context: &mut Context) -> anyhow::Result<Exit> {
    refuse_what_is_for_one(arguments, context)?;
    if let Some(disposition) = arguments.dispose {
        return dispose(store, disposition, arguments, context);
    }
    let keys = keys(store, arguments, context)?;
    let mut asked: Vec<(ClaimKey, Request)> = Vec::new();
    for key in &keys {
        let requests = requests(store, *key, Sight::Open, arguments, context)?;
        asked.extend(requests.into_iter().map(|request| (*key, request)));
    }
    let done = store.decide_many(&asked, arguments.reason, &context.actor(), context.clock.now())?;
    tell(Some(keys.len()), None, done, arguments, context)
}

/// The same disposition for several answers.
fn dispose(
    store: &mut Store,
    disposition: Disposition,
    arguments: &Arguments,
    context: &mut Context,
) -> anyhow::Result<Exit> {
    let mut answers = Vec::new();
    for id in &arguments.ids {
        let key = answer(store, id, disposition)?;
        if !answers.contains(&key) {
            answers.push(key);
        }
    }
    let asked = Disposing { note: arguments.note.clone(), ..disposition.into() };
    let (actor, now) = (context.actor(), context.clock.now());
    let done = store.dispose_many(&answers, &asked, arguments.reason, &actor, now)?;
    tell(None, Some(answers.len()), done, arguments, context)
}

fn tell(
    claims: Option<usize>,
    answers: Option<usize>,
    done: Batched,
    arguments: &Arguments,
    context: &mut Context,
) -> anyhow::Result<Exit> {
    let Batched { events, refused, unchanged } = done;
    let refused: Vec<Refused> = refused.into_iter().map(|(id, why)| Refused { id, why }).collect();
    let has_note = arguments.note.is_some();
    let decided = Decided { claims, answers, events, refused, unchanged, has_note };
    if context.out.wants_json() {
        context.out.json(&decided)?;
    } else {
        context.out.text(&one_line(&sentence(&decided)))?;
        if arguments.same && decided.claims >= Some(Store::MOST_SAME) {
            context.out.note(&super::super::queue::same_is_cut());
        }
        for Refused { id, why } in &decided.refused {
            context.out.error(&one_line(&format!("{id}: {why}")));
        }
    }
    Ok(if decided.refused.is_empty() { Exit::Fine } else { Exit::BadInput })
}

fn refuse_what_is_for_one(arguments: &Arguments, context: &Context) -> Result<(), Failure> {
    let why = if arguments.undo || arguments.redo {
        "--undo and --redo are about one ID; --undo takes back at once what was decided at once"
    } else if arguments.same && arguments.dispose.is_some() {
        "--same is for --confirm and --override VERDICT: name each answer that --dispose is for"
    } else if arguments.dispose == Some(Disposition::Release) || arguments.anyway {
        "RELEASE and --anyway are about one ID: what may go out, or another person's word, is looked at by itself"
    } else if context.config.blind.value || arguments.keep {
        "in a blind review each claim is judged by itself: name one"
    } else if arguments.same && arguments.ids.len() > 1 {
        "--same is about one ID: leave the others out"
    } else if arguments.same && !arguments.confirm && arguments.r#override.is_none() {
        "--same is for --confirm and --override VERDICT: add one of them"
    } else {
        return Ok(());
    };
    Err(Failure::bad_input(why))
}

/// The claims that are meant, each once. Nothing is decided when one of them is not there.
fn keys(store: &Store, arguments: &Arguments, context: &Context) -> anyhow::Result<Vec<ClaimKey>> {
    let mut keys = Vec::new();
    for id in &arguments.ids {
        let id: ClaimId = id.parse().map_err(|error| Failure::bad_input(format!("{error}")))?;
        let key = store.claim_key(&id).map_err(|error| no_claim(store, &id, error))?;
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    match keys.first() {
        Some(first) if arguments.same => {
            let who = &context.config.annotator.value;
            let rows = store.same_claims(*first, who, context.clock.now())?;
            Ok(rows.into_iter().map(|row| row.key).collect())
        }
        _ => Ok(keys),
    }
}

/// The same for people: how many of each act, and how to take all of it back.
fn sentence(decided: &Decided) -> String {
    let (count, what) = match (decided.claims, decided.answers) {
        (Some(claims), _) => (claims, "claim"),
        (None, answers) => (answers.unwrap_or_default(), "answer"),
    };
    let claims = if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") };
    let mut acts: Vec<(String, usize)> = Vec::new();
    for event in &decided.events {
        let said = event.new.get("verdict").or(event.new.get("disposition"));
        let verdict = said.and_then(|verdict| verdict.as_str());
        let act = verdict.map_or(event.act.to_string(), |verdict| format!("{} {verdict}", event.act));
        match acts.iter_mut().find(|(known, _)| *known == act) {
            Some((_, count)) => *count += 1,
            None => acts.push((act, 1)),
        }
    }
    let mut parts: Vec<String> = acts.into_iter().map(|(act, count)| format!("{count} {act}")).collect();
    if decided.unchanged > 0 {
        let lost = decided.has_note && decided.answers.is_some();
        let lost = if lost { " (the note is not kept there)" } else { "" };
        parts.push(format!("{} so already{lost}", decided.unchanged));
    }
    if !decided.refused.is_empty() {
        parts.push(format!("{} not possible", decided.refused.len()));
    }
    let events = match decided.events.as_slice() {
        [] => String::new(),
        [one] => format!("; event {}, `juror decide --undo` takes it back", one.seq),
        [first, .., last] => format!(
            "; events {} to {}, one `juror decide --undo` takes all of them back",
            first.seq, last.seq
        ),
    };
    format!("{claims}: {}{events}", parts.join(", "))
}
