//! How the store's work goes, as the Dashboard screen shows it, for whoever reads it elsewhere.

use serde_json::{Value, json};

use super::super::{Context, PROGRAM};
use crate::domain::tally::Tally;
use crate::domain::time::Timestamp;
use crate::domain::verdict::Severity;
use crate::report::{Fact, Kind, Part, Report, Shows, Table, Unit};
use crate::store::{Dashboard, JudgeStanding, Store};

pub(super) fn report(store: &Store, context: &Context) -> anyhow::Result<Report> {
    let now = context.clock.now();
    let read = store.dashboard(now)?;
    Ok(Report {
        kind: Kind::Dashboard,
        name: None,
        title: format!("The work on {}", store.path().display()),
        made_at: now,
        program: PROGRAM.to_owned(),
        provisional: None,
        sentences: sentences(&read),
        gate: None,
        facts: facts(&read),
        parts: vec![
            Part::new("Verdicts over time", Shows::Table(verdicts(&read))),
            Part::new("Severities over time", Shows::Table(severities(&read))),
            Part::new("The last day by the hour", Shows::Table(hours(&read)))
                .saying("By when records came in; the current audits of answers.".to_owned()),
            Part::new("What made these answers", Shows::Table(versions(&read))).saying(
                "By `model_version` or `model`, and `prompt_version`, of a record's metadata.".to_owned(),
            ),
            Part::new("Judges against people", Shows::Table(judges(&read))),
            Part::new("Backlog", Shows::Table(backlog(&read))),
            Part::new("People", Shows::Table(people(&read))),
        ],
        cases: Vec::new(),
        data: data(&read),
    })
}

fn sentences(read: &Dashboard) -> Vec<String> {
    let health = &read.health;
    let mut sentences = vec![
        format!("{} claims are open of {} in the queue.", read.backlog.all_open(), read.backlog.routed),
        format!(
            "Records: {} wait for their audit, {} are in hand, {} are done, {} failed.",
            health.waiting, health.in_hand, health.done, health.failed
        ),
    ];
    sentences.extend(
        health.last_failure.as_ref().map(|last| format!("The last failure: {}: {}", last.id, last.reason)),
    );
    sentences
}

fn facts(read: &Dashboard) -> Vec<Fact> {
    let health = &read.health;
    let last = health.last_stored.map(|at| Fact::new("last audit", at.to_string()));
    let pace = health.a_minute.map(|pace| Fact::new("records a minute", format!("{pace:.1}")));
    last.into_iter().chain(pace).collect()
}

fn verdicts(read: &Dashboard) -> Table {
    let mut names = vec!["from (UTC)"];
    // In full they are too wide for a line of 80 cells.
    names.extend(["FULLY", "PARTIALLY", "UNSUPPORTED", "CONTRADICTED", "no verdict"]);
    let mut table = Table::of_numbers(&names);
    for period in &read.periods {
        let tally = &period.tally;
        let counts = tally.by_verdict.iter().chain([&tally.no_verdict]).map(ToString::to_string);
        table.push(std::iter::once(period.first.to_string()).chain(counts));
    }
    table
}

fn hours(read: &Dashboard) -> Table {
    let mut table = Table::of_numbers(&["from (UTC)", "claims", "wrong", "of those with a verdict"]);
    for hour in &read.hours {
        table.push([
            hour_of(&hour.hour),
            hour.tally.claims.to_string(),
            hour.tally.wrong().to_string(),
            share(&hour.tally),
        ]);
    }
    table
}

fn versions(read: &Dashboard) -> Table {
    let mut table =
        Table::of_words(&["model", "prompt", "claims", "wrong", "of those with a verdict", "since (UTC)"]);
    for column in table.columns.iter_mut().skip(2).take(3) {
        column.is_number = true;
    }
    for one in &read.versions {
        let named = |name: &str| if name.is_empty() { "not said".to_owned() } else { name.to_owned() };
        table.push([
            named(&one.model),
            named(&one.prompt),
            one.tally.claims.to_string(),
            one.tally.wrong().to_string(),
            share(&one.tally),
            hour_of(&one.since),
        ]);
    }
    table
}

/// `2026-11-30 22:00`
fn hour_of(hour: &str) -> String {
    format!("{}:00", hour.replace('T', " "))
}

/// The share of wrong claims.
fn share(tally: &Tally) -> String {
    tally.wrong_share().map_or_else(|| "–".to_owned(), |share| Unit::Share.shown(share))
}

fn severities(read: &Dashboard) -> Table {
    let mut names = vec!["from (UTC)"];
    names.extend(Severity::ALL.iter().rev().map(|severity| severity.label()));
    let mut table = Table::of_numbers(&names);
    for period in &read.periods {
        let counts = period.tally.by_severity.iter().rev().map(ToString::to_string);
        table.push(std::iter::once(period.first.to_string()).chain(counts));
    }
    table
}

fn judges(read: &Dashboard) -> Table {
    let mut table = Table::of_words(&["judge", "model", "prompt", "state", "kappa", "95 %", "items"]);
    for one in &read.judges {
        let JudgeStanding { judge, model, prompt_version, prompt_sha256, instrument, .. } = one;
        let prompt: String = prompt_sha256.chars().take(4).collect();
        let measured = one.measured.as_ref();
        let kappa = measured.and_then(|of| of.kappa).map(|kappa| format!("{kappa:.2}"));
        let interval = measured.and_then(|of| of.interval);
        let interval = interval.map(|(low, high)| format!("{low:.2} to {high:.2}"));
        table.push([
            format!("{judge}, {instrument}"),
            model.clone(),
            // The version of the prompt of a judge without one is its hash already.
            if prompt_version.contains(&prompt) {
                prompt_version.clone()
            } else {
                format!("{prompt_version} {prompt}")
            },
            one.state().to_string(),
            kappa.unwrap_or_default(),
            interval.unwrap_or_default(),
            measured.map(|of| of.items.to_string()).unwrap_or_default(),
        ]);
    }
    table
}

fn backlog(read: &Dashboard) -> Table {
    let mut names = vec!["day (UTC)"];
    names.extend(Severity::ALL.iter().rev().map(|severity| severity.label()));
    names.extend(["none", "decided"]);
    let mut table = Table::of_numbers(&names);
    for day in &read.backlog.days {
        let arrived = day.arrived.iter().rev().map(ToString::to_string);
        table.push(std::iter::once(day.day.to_string()).chain(arrived).chain([day.decided.to_string()]));
    }
    let open = read.backlog.open.iter().rev().map(ToString::to_string);
    table.push(std::iter::once("open now".to_owned()).chain(open));
    table
}

fn people(read: &Dashboard) -> Table {
    let mut table = Table::of_numbers(&["annotator", "today", "14 days", "ever"]);
    for one in &read.people {
        let of_late: u64 = one.days.iter().sum();
        let name = one.annotator.as_str().to_owned();
        table.push([name, one.today.to_string(), of_late.to_string(), one.ever.to_string()]);
    }
    table
}

fn data(read: &Dashboard) -> Value {
    let by_severity = |open: &[u64; 5]| {
        let [none, low, medium, high, critical] = open;
        json!({"CRITICAL": critical, "HIGH": high, "MEDIUM": medium, "LOW": low, "none": none})
    };
    let at = |at: Option<Timestamp>| at.map(|at| at.to_string());
    let health = &read.health;
    json!({
        "periods": read.periods.iter().map(|period| json!({
            "from": period.first.to_string(), "is_week": period.is_week, "said": period.tally,
        })).collect::<Vec<_>>(),
        "hours": read.hours.iter().map(|hour| json!({
            "from": format!("{}:00:00Z", hour.hour), "said": hour.tally,
        })).collect::<Vec<_>>(),
        "versions": read.versions.iter().map(|one| json!({
            "model": one.model, "prompt": one.prompt, "since": format!("{}:00:00Z", one.since), "said": one.tally,
        })).collect::<Vec<_>>(),
        "judges": read.judges.iter().map(|one| json!({
            "judge": one.judge, "model": one.model, "instrument": one.instrument,
            "prompt_version": one.prompt_version, "prompt_sha256": one.prompt_sha256, "claims": one.claims,
            "state": one.state(), "kappa": one.measured.as_ref().and_then(|of| of.kappa),
            "items": one.measured.as_ref().map(|of| of.items),
            "interval": one.measured.as_ref().and_then(|of| of.interval).map(|(low, high)| json!({"low": low, "high": high})),
        })).collect::<Vec<_>>(),
        "backlog": {
            "routed": read.backlog.routed, "open": by_severity(&read.backlog.open),
            "days": read.backlog.days.iter().map(|day| json!({
                "day": day.day.to_string(), "arrived": by_severity(&day.arrived), "decided": day.decided,
            })).collect::<Vec<_>>(),
        },
        "people": read.people.iter().map(|one| json!({
            "annotator": one.annotator.as_str(), "today": one.today, "days": one.days, "ever": one.ever,
        })).collect::<Vec<_>>(),
        "audits": {
            "waiting": health.waiting, "in_hand": health.in_hand, "auditors": health.auditors, "done": health.done,
            "failed": health.failed, "a_minute": health.a_minute, "last_stored": at(health.last_stored),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_wrong_claims_of_many_are_not_none() {
        let of = |by_verdict| share(&Tally { by_verdict, ..Tally::default() });
        assert_eq!(of([997, 0, 2, 1]), "0.3 %");
        assert_eq!(of([99_999, 0, 1, 0]), "< 0.1 %");
        assert_eq!(of([1, 0, 99_999, 0]), "> 99.9 %");
        assert_eq!([of([3, 1, 0, 0]), of([0, 0, 2, 2]), of([0; 4])], ["0.0 %", "100.0 %", "–"]);
    }
}
