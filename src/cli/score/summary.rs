//! What all pairs come to: scores by claim, source, answer, retrieval strategy and model.

use std::collections::BTreeMap;

use serde::Serialize;

use super::super::output::one_line;
use crate::domain::finding::JudgeIdentity;
use crate::domain::verdict::Score;
use crate::measure::estimate::Estimate;
use crate::measure::proportion::wilson;
use crate::measure::scores::{Group, Scores, Spread};
use crate::text::sanitize::visible;
use crate::text::width::{pad, truncate};

/// Groups printed of a kind; the rest are counted.
const GROUPS_PRINTED: usize = 10;
/// Weak claims printed; the rest are counted.
const WEAK_PRINTED: usize = 20;
/// Cells of a group's name.
const NAME: usize = 28;

/// Everything, as `--summary --json` prints it.
#[derive(Serialize)]
pub(super) struct Summary<'a> {
    all: Row<'a>,
    by_claim: Vec<Row<'a>>,
    by_source: Vec<Row<'a>>,
    by_answer: Vec<Row<'a>>,
    by_retrieval: Vec<Row<'a>>,
    by_model_version: Vec<Row<'a>>,
    weak_claims: Vec<Weak>,
    judge: &'a str,
    model: &'a str,
    prompt_version: &'a str,
    prompt_sha256: &'a str,
}

/// The scores of a group.
#[derive(Serialize)]
struct Row<'a> {
    /// `None` for all pairs.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    /// Pairs with a score that stands.
    n: u64,
    mean: Option<f64>,
    median: Option<f64>,
    /// How often 1, 2, 3, 4 and 5 were given.
    counts: [u64; 5],
    /// The share of each of them; empty without a score.
    shares: Vec<f64>,
    /// The share of 4 and 5.
    strong: Estimate,
    /// Pairs without a score that stands, by why.
    without: &'a BTreeMap<&'static str, u64>,
}

/// A claim on weak sources, in an answer that is strong otherwise.
#[derive(Serialize)]
struct Weak {
    answer_id: String,
    claim_id: String,
    best_score: Score,
    other_claims: u64,
    others_mean: f64,
}

impl<'a> Row<'a> {
    fn new(name: Option<&'a str>, spread: &'a Spread) -> Self {
        let n = spread.n();
        let share = |count: u64| count as f64 / n as f64;
        Self {
            name,
            n,
            mean: spread.mean(),
            median: spread.median(),
            counts: spread.counts,
            shares: if n == 0 { Vec::new() } else { spread.counts.map(share).to_vec() },
            strong: wilson(spread.strong(), n),
            without: &spread.without,
        }
    }
}

impl<'a> Summary<'a> {
    pub(super) fn new(scores: &'a Scores, identity: &'a JudgeIdentity) -> Self {
        let by =
            |group| scores.of(group).into_iter().map(|(name, spread)| Row::new(Some(name), spread)).collect();
        Self {
            all: Row::new(None, &scores.all),
            by_claim: by(Group::Claim),
            by_source: by(Group::Source),
            by_answer: by(Group::Answer),
            by_retrieval: by(Group::Retrieval),
            by_model_version: by(Group::Model),
            weak_claims: scores
                .weak_claims()
                .into_iter()
                .map(|weak| Weak {
                    answer_id: weak.answer,
                    claim_id: weak.claim,
                    best_score: weak.best,
                    other_claims: weak.others,
                    others_mean: weak.others_mean,
                })
                .collect(),
            judge: &identity.judge,
            model: &identity.model,
            prompt_version: &identity.prompt_version,
            prompt_sha256: &identity.prompt_sha256,
        }
    }
}

/// The same for people. Empty without a pair.
pub(super) fn lines(scores: &Scores) -> Vec<String> {
    if scores.all.n() + scores.all.unscored() == 0 {
        return Vec::new();
    }
    let mut lines = vec![head("all pairs"), line("", &scores.all)];
    for group in Group::ALL {
        let groups = scores.of(group);
        // Each claim with its one source stands above already.
        let says_more = match group {
            Group::Claim => groups.iter().any(|(_, spread)| spread.n() + spread.unscored() > 1),
            Group::Source => groups.len() > 1,
            Group::Answer | Group::Retrieval | Group::Model => !groups.is_empty(),
        };
        if !says_more {
            continue;
        }
        lines.push(String::new());
        lines.push(head(&format!("by {}", group.field())));
        lines.extend(groups.iter().take(GROUPS_PRINTED).map(|(name, spread)| line(name, spread)));
        if let Some(more @ 1..) = groups.len().checked_sub(GROUPS_PRINTED) {
            lines.push(format!("  {more} more, none of them lower: --summary --json lists all"));
        }
    }
    let weak = scores.weak_claims();
    if !weak.is_empty() {
        lines.push(String::new());
        lines.push("Weak claims in answers that are strong otherwise:".to_owned());
    }
    for claim in weak.iter().take(WEAK_PRINTED) {
        let others =
            if claim.others == 1 { "1 other claim" } else { &format!("{} other claims", claim.others) };
        lines.push(format!(
            "  {} of {}: best score {} {}, mean of {others} {:.2}",
            one_line(&visible(&claim.claim)),
            one_line(&visible(&claim.answer)),
            claim.best.get(),
            claim.best.level(),
            claim.others_mean
        ));
    }
    if let Some(more @ 1..) = weak.len().checked_sub(WEAK_PRINTED) {
        lines.push(format!("  {more} more: --summary --json lists all"));
    }
    lines
}

fn head(name: &str) -> String {
    format!("{}        n   mean  median     1     2     3     4     5   share of 4 and 5", pad(name, NAME))
}

fn line(name: &str, spread: &Spread) -> String {
    let name = pad(&truncate(&visible(name), NAME - 1), NAME);
    let n = spread.n();
    let without = match spread.without.iter().map(|(why, count)| format!("{count} {why}")).collect::<Vec<_>>()
    {
        none if none.is_empty() => String::new(),
        some => format!("  without a score: {}", some.join(", ")),
    };
    let (Some(mean), Some(median)) = (spread.mean(), spread.median()) else {
        return format!("{name} {n:>8}      –       –{without}");
    };
    let shares: Vec<String> =
        spread.counts.iter().map(|count| format!("{:>4} %", percent(*count, n))).collect();
    let strong = wilson(spread.strong(), n);
    let interval =
        strong.interval().map_or_else(String::new, |it| format!(" ({:.2}–{:.2})", it.low, it.high));
    let share = strong.value().map_or_else(String::new, |value| format!("{value:.2}"));
    format!("{name} {n:>8}  {mean:>5.2}  {median:>6.1}{}   {share}{interval}{without}", shares.concat())
}

/// Rounded to whole per cent, and never to none or all where it is not.
fn percent(part: u64, whole: u64) -> u64 {
    let rounded = (part * 100 + whole / 2) / whole;
    match rounded {
        0 if part > 0 => 1,
        100 if part < whole => 99,
        rounded => rounded,
    }
}
