//! `juror queue --counts` and `juror queue --explain`: how much there is, how fast it goes, why a claim is where it
//! is.

use std::time::Duration;

use serde::Serialize;

use super::super::output::one_line;
use super::super::{Context, Exit};
use crate::clock;
use crate::domain::draft;
use crate::domain::filter::{Filter, JUDGE_NOT_BOT, Review, Test};
use crate::domain::ids::{Annotator, ClaimId};
use crate::domain::pace::{Band, Pace};
use crate::domain::priority::{Factor, factors};
use crate::domain::queue::{Answers, QueueCounts};
use crate::domain::time::Timestamp;
use crate::domain::until;
use crate::store::Store;
use crate::store::told::RejectedLine;
use crate::text::sanitize::visible;
use crate::tui::widget::progress::about;

#[derive(Serialize)]
struct Counts {
    /// Claims that need or needed a person, of the present audits.
    routed: u64,
    open: u64,
    open_critical: u64,
    open_high: u64,
    /// Undecided claims of answers that are blocked: they are not open.
    set_aside: u64,
    /// Open claims that the person deferred, and when the first comes back.
    deferred: u64,
    back_at: Option<Timestamp>,
    /// Claims on which the person began something and has not finished it.
    drafts: Vec<ClaimId>,
    /// Records.
    waiting: u64,
    auditing: u64,
    audited: u64,
    failed: u64,
    /// When the last record came in.
    last_import: Option<Timestamp>,
    /// Lines of followed files that stayed out, and the last of them.
    rejected: u64,
    last_rejected: Option<RejectedLine>,
    annotator: Annotator,
    /// Decisions of the person that stand.
    decided: u64,
    decided_today: u64,
    /// Answers to which the person gave a disposition that stands.
    answers: Answers,
    pace: Seconds,
    /// What is open at this pace; null before three decisions.
    seconds_left: Option<u64>,
}

/// The person's median for a decision, in seconds.
#[derive(Serialize)]
struct Seconds {
    critical: Option<f64>,
    high: Option<f64>,
    other: Option<f64>,
}

/// When something came in last, and what stayed out: a dead feed must not look like a quiet night.
pub(in crate::cli) fn arriving(
    last: Option<Timestamp>,
    rejected: u64,
    last_rejected: Option<&RejectedLine>,
    now: Timestamp,
) -> Vec<String> {
    let ago = |at: Timestamp| match now.since(at).as_secs() {
        0..60 => "less than a minute ago".to_owned(),
        seconds @ 60..7200 => format!("{} min ago", seconds / 60),
        seconds @ 7200..172_800 => format!("{} h ago", seconds / 3600),
        seconds => format!("{} days ago", seconds / 86_400),
    };
    let last = last.map(|at| format!("the last record came in {}, {at}", ago(at)));
    let out = last_rejected.map(|line| {
        let lines = if rejected == 1 { "1 line" } else { "lines" };
        let count = if rejected == 1 { String::new() } else { format!("{rejected} ") };
        format!(
            "{count}{lines} of followed files stayed out, the last {}: {}",
            ago(line.at()),
            line.place_and_reason()
        )
    });
    last.into_iter().chain(out).collect()
}

/// What was looked for in vain, and what may have been meant.
pub(super) fn nothing_with(shown: &str, filter: &Filter) -> String {
    let mut told = if filter.reviews() == [Review::Open] {
        format!("no open claim with `{shown}`: is:any looks at the decided, blocked and unrouted ones too")
    } else {
        format!("no claim with `{shown}`")
    };
    // Whoever asks for the bot must not read that it makes no wrong claims.
    if filter.terms().iter().any(|term| matches!(term.test, Test::Model(_) | Test::Prompt(_))) {
        told.push_str("; ");
        told.push_str(JUDGE_NOT_BOT);
    }
    told
}

pub(super) fn counts(store: &Store, context: &mut Context) -> anyhow::Result<Exit> {
    let (annotator, now) = (context.config.annotator.value.clone(), context.clock.now());
    let counts = if context.config.blind.value {
        store.blind_counts(&annotator, context.config.overlap.value, now)?
    } else {
        store.queue_counts(&annotator, now)?
    };
    let (drafts, answers) = (store.drafts_of(&annotator)?, store.answers_disposed(&annotator)?);
    let last_import = store.last_import()?;
    let (rejected, last_rejected) = store.rejected_lines()?;
    let pace = Pace::of(store.recent_decisions(&annotator, Pace::WINDOW as u32)?);
    let median = |band| pace.median(band);
    let seconds = |band| median(band).map(|time: Duration| (time.as_secs_f64() * 10.0).round() / 10.0);
    let left = pace.left(&counts);
    if context.out.wants_json() {
        context.out.json(&Counts {
            routed: counts.routed,
            open: counts.open,
            open_critical: counts.open_critical,
            open_high: counts.open_high,
            set_aside: counts.set_aside,
            deferred: counts.deferred,
            back_at: counts.back_at,
            drafts,
            waiting: counts.waiting,
            auditing: counts.auditing,
            audited: counts.audited,
            failed: counts.failed,
            last_import,
            rejected,
            last_rejected,
            annotator,
            decided: counts.decided_by_me,
            decided_today: counts.decided_today,
            answers,
            pace: Seconds {
                critical: seconds(Band::Critical),
                high: seconds(Band::High),
                other: seconds(Band::Other),
            },
            seconds_left: left.map(|left| left.as_secs()),
        })?;
        return Ok(Exit::Fine);
    }
    let severe = if context.config.blind.value {
        " for you, blind".to_owned()
    } else {
        format!(": {} CRITICAL, {} HIGH", counts.open_critical, counts.open_high)
    };
    let aside = match counts.set_aside {
        0 => String::new(),
        some => format!("; {some} in blocked answers"),
    };
    context.out.text(&format!("{} open of {}{severe}{aside}", counts.open, counts.routed))?;
    if let Some(back_at) = counts.back_at {
        let until = until::shown(back_at, &clock::zone());
        context.out.text(&format!("{} of them deferred by you, the first until {until}", counts.deferred))?;
    }
    if !drafts.is_empty() {
        context.out.text(&one_line(&format!("{}: `juror review --id` opens one", draft::told(&drafts))))?;
    }
    context.out.text(&format!(
        "records: {} audited, {} waiting, {} being audited, {} failed",
        counts.audited, counts.waiting, counts.auditing, counts.failed
    ))?;
    for line in arriving(last_import, rejected, last_rejected.as_ref(), now) {
        context.out.text(&one_line(&line))?;
    }
    let decided = counts.decided_by_me;
    let who = one_line(annotator.as_str());
    let answers = answers.sentence().map_or(String::new(), |answers| format!("; {answers}"));
    context
        .out
        .text(&format!("{who}: {decided} decided, {} of them today (UTC){answers}", counts.decided_today))?;
    if let (Some(critical), Some(high), Some(other)) =
        (median(Band::Critical), median(Band::High), median(Band::Other))
    {
        let left = left.map_or(String::new(), |left| format!("; what is open takes {}", about(left)));
        context.out.text(&format!(
            "median for a decision: CRITICAL {}, HIGH {}, other {}{left}",
            brief(critical),
            brief(high),
            brief(other)
        ))?;
    }
    Ok(Exit::Fine)
}

fn brief(time: Duration) -> String {
    match time.as_secs() {
        0..10 => format!("{:.1} s", time.as_secs_f64()),
        seconds => format!("{seconds} s"),
    }
}

/// What to say where as many claims are the same as are looked for.
pub(in crate::cli) fn same_is_cut() -> String {
    format!("no more than {} are looked for: decide these, then look again for the rest", Store::MOST_SAME)
}

#[derive(Serialize)]
struct Explained {
    id: ClaimId,
    /// Open claims before it in the order that holds for everybody; null when it is not open.
    before: Option<u64>,
    /// What counts, the first before the others.
    factors: Vec<Factor>,
}

pub(super) fn explain(store: &Store, id: &ClaimId, context: &mut Context) -> anyhow::Result<Exit> {
    let key = store.claim_key(id)?;
    let now = context.clock.now();
    let detail = store.claim_detail(key, &context.config.annotator.value, now)?;
    let explained =
        Explained { id: detail.id.clone(), before: store.open_before(key)?, factors: factors(&detail, now) };
    if context.out.wants_json() {
        context.out.json(&explained)?;
        return Ok(Exit::Fine);
    }
    let before = match explained.before {
        None if detail.is_blocked() && detail.counts.is_none() => {
            "set aside with its answer, which is blocked".to_owned()
        }
        None => "not open".to_owned(),
        Some(0) => "the first of the queue".to_owned(),
        Some(before @ 10_000..) => format!("{before} and more open claims stand before it"),
        Some(1) => "1 open claim stands before it".to_owned(),
        Some(before) => format!("{before} open claims stand before it"),
    };
    context.out.text(&format!("{}: {before}", visible(&explained.id.to_string())))?;
    for factor in &explained.factors {
        context.out.text(&format!("  {:<10}  {}", factor.name, one_line(&factor.words)))?;
    }
    Ok(Exit::Fine)
}

/// An empty queue says why it is empty.
pub(in crate::cli) fn why_empty(counts: &QueueCounts, is_blind: bool) -> String {
    if let Some(back_at) = counts.back_at.filter(|_| counts.open > 0 && counts.deferred >= counts.open) {
        let until = until::shown(back_at, &clock::zone());
        return format!(
            "nothing is left but what you deferred: {}, the first until {until}; `juror review` shows it by D",
            counts.deferred
        );
    }
    if is_blind && counts.routed == 0 && counts.audited > 0 {
        return "nothing is left for you to judge blind: as many others as review.overlap asks for have judged each \
                claim that needs a person; `juror queue --open` lists what is open"
            .to_owned();
    }
    let audits = counts.waiting + counts.auditing;
    match (audits, counts.routed, counts.audited + counts.failed) {
        (0, 0, 0) => {
            "the queue is empty: nothing was imported yet. Start with `juror import FILE`".to_owned()
        }
        (1.., 0, _) => {
            format!(
                "the queue is empty: {audits} records wait for their audit. Run `juror audit`, or `juror review`"
            )
        }
        (0, 0, done) => format!("the queue is empty: none of {done} audited records needs a person"),
        (_, routed, _) => {
            let aside = match counts.set_aside {
                0 => String::new(),
                some => format!(", or in blocked answers ({some}: is:blocked lists them)"),
            };
            let waiting = match audits {
                0 => String::new(),
                some => format!("; {some} records wait for their audit"),
            };
            format!("the queue is empty: all {routed} routed claims are decided{aside}{waiting}")
        }
    }
}
