//! `juror decide`: what a person decides, without the screen.

mod blind;
mod many;
mod requests;
mod said;

use serde::Serialize;

use super::output::one_line;
use super::spans::EvidenceArguments;
use super::{Context, Exit, Failure};
use crate::domain::blind::Sight;
use crate::domain::decision::{Basis, Disposition, HumanVerdict, ReasonCode, Standing};
use crate::domain::event::Event;
use crate::domain::evidence::ChosenSpan;
use crate::domain::ids::{AuditId, ClaimId, ClaimKey};
use crate::domain::time::Timestamp;
use crate::domain::verdict::{HallucinationType, Score, Severity};
use crate::domain::word::Known;
use crate::store::{Disposing, Durability, Store, StoreError};
use blind::Committed;
use requests::{answer, listed, no_claim, reasons, requests, score};
use said::sentence;

/// Confirm, override or annotate a verdict; skip, flag, escalate, defer, undo, redo; dispose of an answer
#[derive(clap::Args)]
#[command(
    override_usage = "juror decide ID#n --confirm [--reason CODE] [--note TEXT] [--by NAME]
       juror decide ID#n --override VERDICT [--severity S] [--type T] [--reason CODE]
                         [--span PLACE].. [--quote WORDS].. | [--no-evidence]
                         [--disagree] [--note TEXT]
       juror decide ID#n --score N [--severity S] [--type T] [--reason CODE]
       juror decide ID#n --same --confirm | --override VERDICT
       juror decide ID#n ID#n .. --confirm | --override VERDICT | --skip | ..
       juror decide ID#n --note TEXT | --skip | --flag [--reason CODE]
       juror decide ID#n --escalate NOTE [--to NAME] | --defer TIME | --resume
       juror decide ID#n --give-reason CODE
       juror decide ID#n --blind --override VERDICT, then --keep or --override VERDICT
       juror decide ID --dispose RELEASE|RETURN|BLOCK [--note TEXT] [--anyway]
                       [--reason CODE]
       juror decide ID ID .. --dispose RETURN|BLOCK [--note TEXT]
       juror decide [ID] --undo [--reason CODE]
       juror decide [ID] --redo",
    after_help = "\
Everything is recorded under --by NAME beside the operating system's user, and
can be undone: from your latest act back. With an ID, --undo takes back your
latest act on it, whatever you did since on other claims. --redo
does again what your last --undo took back, until you do something new. A
--reason beside --confirm or --override is the reason of the decision, as
--give-reason gives it later; beside any other act it stands in its event.

An override that names no --severity or no --type takes the judge's where the
verdict is the judge's, else what the table says: CRITICAL for a contradicted
claim about health, law or money or in a record of CRITICAL risk, and so on as
the README says. The keys 1–5 and the menu of the screen propose the same.

A claim with its source, from `juror score --queue`, gets a --score in place of
a verdict; CANNOT_JUDGE and NOT_A_CLAIM it can have too.

--escalate is --flag with a note of what the matter is, for --to NAME, a person
or a role, or for nobody in particular; --flag takes it off. --defer puts the
claim out of your own queue until TIME: 30m, 2h, 3d, 17:30, tomorrow 9:00, mon,
2026-12-24 10:00, times of the day in the computer's zone. It comes back by
itself, and stays open for others; --resume brings it back at once.

--same decides the claim in every open answer that has it with the same
question, evidence, verdict and risk; `juror queue --same ID` lists them first.
Several claims, by --same or by their IDs, are decided at once: what is possible
is recorded, the rest is told, and one --undo takes all of it back.

Evidence of your own stands in place of the judge's: --span names characters of
a passage, --quote words that stand in it exactly once, both as often as needed;
--no-evidence says that nothing in the record bears on the claim.

What somebody else has ruled otherwise takes --disagree: two verdicts that
differ put the claim in dispute. It is open again, and exported as disputed,
until the two agree, or somebody who has not ruled on it does, which settles it.

With --blind (or review.blind) an --override commits your verdict before you are
told the judge's, which is printed then; --keep keeps yours, another --override
changes it. Both are recorded. --confirm is refused until you have committed.

A --note beside --dispose is for whoever is to correct the answer: what is
wrong, or why it must not be used. It stands beside the disposition in every
export.

RELEASE and RETURN wait until the claims of the answer are decided. A BLOCK does
not: what is dangerous is stopped at once, and its open claims can be decided
later. Several IDs are blocked or returned at once, and one --undo takes all of
it back.

A RELEASE is refused while a person found a claim of the answer contradicted,
unsupported or only partly supported, or could not judge it, and while nobody
has decided on any claim of it; --anyway releases it all the same, over people's
rulings with a --note or a --reason. It also lets any disposition take the place
of one that another person gave, which is refused otherwise, and where it is not
the same one wants a --note or a --reason too. What was blocked or returned
comes back, corrected, as a record of its own under a new id: the old one stays
what was judged.

Examples:
  juror decide 'rx-1042#3' --confirm
  juror decide 'rx-1042#3' --override UNSUPPORTED --severity HIGH
  juror decide 'rx-1042#3' --override CONTRADICTED --reason NUMBER_WRONG
  juror decide 'rx-1042#3' --override CONTRADICTED --span p2:14-31:contradicts
  juror decide 'rx-1042#3' --override CONTRADICTED --quote 'p2:contradicts:4 g'
  juror decide 'c1@s4~3f2a9b1c#1' --score 2
  juror decide 'rx-1042#3' --note 'see BNF 84, page 12'
  juror decide 'rx-1042#3' --escalate 'is 8 g ever right?' --to dr-lee
  juror decide 'rx-1042#3' --defer 2h
  juror decide 'rx-1042#3' --same --confirm
  juror decide 'rx-1042#3' 'rx-1043#1' --override UNSUPPORTED
  juror decide rx-1042 --dispose BLOCK
  juror decide rx-1042 rx-1043 rx-1050 --dispose BLOCK --note 'wrong dose'
  juror decide rx-1042 --dispose RETURN --note 'the dose is 4 g, see BNF 84'
  juror decide --undo --by ana"
)]
#[command(group = clap::ArgGroup::new("act").required(true).multiple(true).args([
    "confirm", "override", "score", "keep", "note", "skip", "flag", "escalate", "defer", "resume", "undo", "redo", "dispose", "give_reason",
]))]
// One act at a time; a note can stand beside a verdict or a disposition.
#[command(group = clap::ArgGroup::new("alone").args([
    "confirm", "override", "score", "keep", "skip", "flag", "escalate", "defer", "resume", "undo", "redo", "dispose", "give_reason",
]))]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(super) struct Arguments {
    #[arg(
        value_name = "ID",
        required_unless_present_any = ["undo", "redo"],
        help = "The claim or claims, AUDIT_ID#n as `juror queue` shows them; the AUDIT_ID with --dispose"
    )]
    ids: Vec<String>,
    /// With --confirm or --override: also the same claim in all other open answers
    #[arg(long)]
    same: bool,
    /// The judge is right
    #[arg(long)]
    confirm: bool,
    #[arg(long, value_name = "VERDICT", help = format!("The right verdict: {}", listed(HumanVerdict::ALL)))]
    r#override: Option<HumanVerdict>,
    /// The right score of a claim with its source, 1 to 5 (see `juror score`)
    #[arg(long, value_name = "N", value_parser = score)]
    score: Option<Score>,
    #[arg(long, value_name = "SEVERITY", help = format!("With --override or --score: {}", listed(Severity::ALL)))]
    severity: Option<Severity>,
    #[arg(
        long = "type",
        value_name = "TYPE",
        help = format!("With --override or --score: {}", listed(HallucinationType::ALL))
    )]
    hallucination_type: Option<HallucinationType>,
    #[command(flatten)]
    evidence: EvidenceArguments,
    /// The judge's verdict is hidden from you until you have committed yours (also review.blind)
    #[arg(long, conflicts_with = "open")]
    pub(super) blind: bool,
    /// Rule otherwise than somebody else has: the claim is then in dispute, or yours settles one
    #[arg(long)]
    disagree: bool,
    /// Keep the verdict that you committed blindly
    #[arg(long)]
    keep: bool,
    /// A note on the claim, also beside a verdict; with --dispose on the answer
    #[arg(long, value_name = "TEXT", conflicts_with_all = [
        "keep", "skip", "flag", "escalate", "defer", "resume", "undo", "redo", "give_reason",
    ])]
    note: Option<String>,
    /// Put the claim to the end of your queue; the same again brings it back
    #[arg(long)]
    skip: bool,
    /// Ask for adjudication; the same again takes it back
    #[arg(long)]
    flag: bool,
    /// Flag it with a note of what the matter is
    #[arg(long, value_name = "NOTE")]
    escalate: Option<String>,
    /// With --escalate: the person or role that it is for
    #[arg(long, value_name = "NAME", requires = "escalate")]
    to: Option<String>,
    /// Out of your queue until then: 30m, 2h, tomorrow 9:00, …
    #[arg(long, value_name = "TIME")]
    defer: Option<String>,
    /// What you deferred comes back at once
    #[arg(long)]
    resume: bool,
    /// Take back your latest act that stands
    #[arg(long)]
    undo: bool,
    /// Do again what your last undo took back
    #[arg(long, conflicts_with = "reason")]
    redo: bool,
    /// What is to happen to the answer: RELEASE, RETURN, BLOCK
    #[arg(long, value_name = "DISPOSITION")]
    dispose: Option<Disposition>,
    /// With --dispose: although people ruled against claims, nobody looked at any, or another person's disposition stands
    #[arg(long, requires = "dispose")]
    anyway: bool,
    /// Why: a code beside any act
    #[arg(long, value_name = "CODE", long_help = reasons())]
    reason: Option<ReasonCode>,
    /// Give a reason for your decision that stands
    #[arg(long, value_name = "CODE", conflicts_with = "reason")]
    give_reason: Option<ReasonCode>,
    #[arg(
        long,
        value_name = "NAME",
        help = "Who decides (also JUROR_ANNOTATOR; default: the operating system's user)"
    )]
    pub(super) by: Option<String>,
}

/// What was recorded, and what stands now.
#[derive(Serialize)]
struct Done {
    /// The claim or the answer concerned.
    subject: String,
    /// What was recorded, in order; an undo is not among them.
    events: Vec<Event>,
    /// The event that was taken back.
    undone: Option<Event>,
    /// How many more acts, asked for at once with it, were taken back or done again with it.
    others: u64,
    /// Why some of these still stand.
    kept: Vec<String>,
    /// The person's decision that stands, of the claim concerned.
    standing: Option<Stands>,
    skipped: bool,
    flagged: bool,
    deferred_until: Option<Timestamp>,
    /// A verdict that was committed blindly and waits to be kept or changed, with what the judge says.
    committed: Option<Committed>,
    /// What stands of the answer, where it was about a disposition.
    disposition: Option<Given>,
}

#[derive(Serialize)]
struct Given {
    disposition: Disposition,
    annotator: String,
    at: Timestamp,
}

#[derive(Serialize)]
struct Stands {
    review: &'static str,
    verdict: HumanVerdict,
    severity: Option<Severity>,
    hallucination_type: Option<HallucinationType>,
    /// Of a claim with its source.
    score: Option<Score>,
    reason: Option<ReasonCode>,
    /// The evidence that the person chose in place of the judge's.
    evidence: Option<Vec<ChosenSpan>>,
    seq: i64,
}

pub(super) fn run(arguments: &Arguments, context: &mut Context) -> anyhow::Result<Exit> {
    let has_detail = arguments.severity.is_some() || arguments.hallucination_type.is_some();
    let rules = arguments.r#override.is_some() || arguments.score.is_some();
    if has_detail && !rules {
        return Err(
            Failure::bad_input("--severity and --type say more of an --override VERDICT: add it").into()
        );
    }
    if arguments.evidence.is_named() && !rules {
        return Err(Failure::bad_input(
            "--span, --quote and --no-evidence say more of an --override VERDICT: add it",
        )
        .into());
    }
    if arguments.dispose.is_some() {
        crate::cli::blind::refuse(
            context,
            "what becomes of an answer is for those who see what is said of it",
        )?;
    }
    let db = &context.config.db.value;
    if !db.exists() {
        return Err(StoreError::Missing(db.clone()).into());
    }
    let mut store = context.open_store(Durability::Full)?;
    if arguments.same || arguments.ids.len() > 1 {
        return many::run(&mut store, arguments, context);
    }
    let done = match (arguments.ids.first(), arguments.dispose) {
        (id, _) if arguments.undo => undo(&mut store, id.map(String::as_str), arguments.reason, context)?,
        (id, _) if arguments.redo => redo(&mut store, id.map(String::as_str), context)?,
        // Clap asks for an id unless there is --undo or --redo.
        (None, _) => return Err(Failure::bad_input("which claim? Give its ID").into()),
        (Some(id), Some(disposition)) => dispose(&mut store, id, disposition, arguments, context)?,
        (Some(id), None) => decide(&mut store, id, arguments, context)?,
    };
    if context.out.wants_json() {
        context.out.json(&done)?;
    } else {
        context.out.text(&one_line(&sentence(&done, context.config.annotator.value.as_str())))?;
    }
    Ok(Exit::Fine)
}

fn decide(store: &mut Store, id: &str, arguments: &Arguments, context: &Context) -> anyhow::Result<Done> {
    let id: ClaimId = id.parse().map_err(|error| Failure::bad_input(format!("{error}")))?;
    let key = store.claim_key(&id).map_err(|error| no_claim(store, &id, error))?;
    let (actor, mut events) = (context.actor(), Vec::new());
    let hidden = blind::hidden(store, key, context)?;
    let sight = if hidden.is_some() { Sight::Hidden } else { Sight::Open };
    for request in requests(store, key, sight, arguments, context)? {
        // Nothing was shown, and of a hidden judge nothing could have been; the reason is part of the act.
        let reason = arguments.reason;
        let against = if arguments.disagree { Known::All } else { Known::default() };
        let basis = Basis { reason, seen: hidden.as_ref(), against, ..Basis::default() };
        events.push(store.decide(key, &request, basis, &actor, context.clock.now())?);
    }
    let standing = standing(store, key, context)?;
    let committed = blind::committed(store, key, &standing, context)?;
    Ok(Done { committed, ..done(id.to_string(), events, None, standing) })
}

fn dispose(
    store: &mut Store,
    id: &str,
    disposition: Disposition,
    arguments: &Arguments,
    context: &Context,
) -> anyhow::Result<Done> {
    let record = answer(store, id, disposition)?;
    let over = if arguments.anyway { store.opposed(record)? } else { Vec::new() };
    // One's own word is known; of another person's, whoever writes --anyway says that they know it.
    let me = &context.config.annotator.value;
    let stands = store.disposition(record)?;
    let replaces = stands.filter(|stands| arguments.anyway || stands.annotator == *me);
    let event = store.dispose(
        record,
        Disposing { disposition, over, note: arguments.note.clone(), replaces, unlooked: arguments.anyway },
        Basis { reason: arguments.reason, ..Basis::default() },
        &context.actor(),
        context.clock.now(),
    )?;
    let given = Given { disposition, annotator: event.annotator.clone(), at: event.at };
    Ok(Done { disposition: Some(given), ..done(id.to_owned(), vec![event], None, Standing::default()) })
}

/// Takes back the latest act: of all, or of those on the claim or answer `id`.
fn undo(
    store: &mut Store,
    id: Option<&str>,
    reason: Option<ReasonCode>,
    context: &Context,
) -> anyhow::Result<Done> {
    let (actor, now) = (context.actor(), context.clock.now());
    if let Some(id) = id {
        exists(store, id)?;
    }
    let undone = store.take_back(id, reason, &actor, now)?.ok_or_else(|| {
        Failure::bad_input(format!(
            "nothing to undo: no act of `{}` stands (another name: --by NAME)",
            actor.annotator
        ))
    })?;
    let standing = match undone.claim {
        Some(key) => standing(store, key, context)?,
        None => Standing::default(),
    };
    let disposition = undone.disposition.map(|(annotator, disposition, at)| Given {
        disposition,
        annotator: annotator.to_string(),
        at,
    });
    let done = done(undone.event.subject.clone(), Vec::new(), Some(undone.event), standing);
    Ok(Done { others: undone.others, kept: undone.kept, disposition, ..done })
}

/// Does again what the last undo took back; with `id`, only when that was on this claim or answer.
fn redo(store: &mut Store, id: Option<&str>, context: &Context) -> anyhow::Result<Done> {
    let (actor, now) = (context.actor(), context.clock.now());
    if let Some(id) = id {
        exists(store, id)?;
    }
    let redone = store.do_again(id, &actor, now)?.ok_or_else(|| {
        let who = &actor.annotator;
        Failure::bad_input(format!("nothing to redo: no undo of `{who}` (another name: --by NAME)"))
    })?;
    let standing = match redone.claim {
        Some(key) => standing(store, key, context)?,
        None => Standing::default(),
    };
    let given = redone.event.new.get("disposition").and_then(|given| given.as_str()?.parse().ok());
    let disposition = given.map(|disposition| Given {
        disposition,
        annotator: redone.event.annotator.clone(),
        at: redone.event.at,
    });
    let others = redone.others;
    let done = done(redone.event.subject.clone(), vec![redone.event], None, standing);
    Ok(Done { others, disposition, ..done })
}

/// Whether `id` is a claim's or an answer's.
fn exists(store: &Store, id: &str) -> Result<(), StoreError> {
    match id.parse::<ClaimId>() {
        Ok(claim) => store.claim_key(&claim).map(drop).or_else(|error| {
            // An answer's own id may end like a claim's.
            store.record_key(&AuditId::new(id)).map(drop).map_err(|_| error)
        }),
        Err(_) => store.record_key(&AuditId::new(id)).map(drop),
    }
}

fn standing(store: &Store, key: ClaimKey, context: &Context) -> Result<Standing, StoreError> {
    let annotator = &context.config.annotator.value;
    Ok(store.claim_detail(key, annotator, context.clock.now())?.standing)
}

fn done(subject: String, events: Vec<Event>, undone: Option<Event>, standing: Standing) -> Done {
    Done {
        subject,
        events,
        undone,
        others: 0,
        kept: Vec::new(),
        skipped: standing.skipped,
        flagged: standing.flag.is_some(),
        deferred_until: standing.deferred,
        standing: standing.decided.map(|decided| Stands {
            review: decided.kind.label(),
            verdict: decided.ruling.verdict,
            severity: decided.ruling.severity,
            hallucination_type: decided.ruling.hallucination_type,
            score: decided.ruling.score,
            reason: decided.reason,
            evidence: decided.ruling.evidence,
            seq: decided.seq,
        }),
        committed: None,
        disposition: None,
    }
}
