//! `juror agreement`: how far people agree with each other, from the store or from files.

mod told;

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::annotated;
use super::report::Written;
use super::{Context, Exit, Failure, blind};
use crate::domain::annotation::{Rating, Scale};
use crate::domain::blind::Opinion;
use crate::domain::decision::HumanVerdict;
use crate::domain::ids::{Annotator, ClaimId};
use crate::domain::verdict::Score;
use crate::measure::bootstrap::Resampling;
use crate::store::StandingVerdict;
use told::{Asked, Measured};

/// Measure how far people agree, from the store or from files of annotations
#[derive(clap::Args)]
#[command(after_help = "\
Without FILE, from the store: what people said before they were shown the judge
(blind review), or, where nobody did, the decisions that stand. These are not
independent: whoever decides sees the judge's verdict. --from chooses. Verdicts
on claims and scores of claim–source pairs are measured apart: --pairs takes
these.

Files are JSON Lines. A line is one of:
  {\"unit\":\"c1\",\"annotator\":\"ana\",\"verdict\":\"CONTRADICTED\"}
  {\"unit\":\"c1\",\"annotator\":\"ana\",\"score\":4}
  a record, whose claims have \"annotations\":[{\"annotator\":\"ana\",\"verdict\":\"…\"}]
  a claim with \"annotations\", or with \"votes\":[\"UNSUPPORTED\",\"CONTRADICTED\"]
  a pair of `juror score` with \"annotations\":[{\"annotator\":\"ana\",\"score\":4}]
  a row of `juror export --what claims`

  raw       share of the pairs of ratings that agree
  alpha     Krippendorff's: 1 is full agreement, 0 what chance gives. It works
            with missing ratings, so it is the figure for all together. Ordinal:
            a near miss counts less than a far one
  kappa     Cohen's, for two annotators on the units that both rated; linear and
            quadratic weights count near misses less
  AC1       Gwet's: like alpha, but it stays near the raw agreement where nearly
            all ratings are the same, where alpha and kappa fall to 0

All figures have 95 % intervals and the number of units behind them. Claims of
one record hang together: where units share one, intervals are by record. Where
a line has ratings alone, a unit named rx-1#2 is of the record rx-1. What
cannot be computed says why: no unit that two rated, or no variation, when
every rating is the same. The verdicts are one fixed scale of six, also where
some were not used; the ordered figures are of the first four, and take what
cannot be judged, and what is no claim, for missing.

--min-alpha is held to nominal alpha for verdicts, to ordinal alpha for scores.

Exit codes: 0; 1 when alpha is below --min-alpha; 2 when a line cannot be used;
3 when no unit was rated by two, or --min-alpha is asked and alpha is undefined.

Examples:
  juror agreement
  juror agreement --min-alpha 0.67 --format markdown -o agreement.md
  juror agreement annotations.jsonl --units --json")]
pub(super) struct Arguments {
    /// Files or folders of annotations, or - for standard input (default: the store)
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Which verdicts of the store (default: blind where there are any, else decisions)
    #[arg(long, value_enum, conflicts_with = "files")]
    from: Option<From>,
    /// Measure scores of claim–source pairs of the store (default: verdicts on claims, where there are any)
    #[arg(long, conflicts_with = "files")]
    pairs: bool,
    /// List every unit with what each annotator said, not only those on which they differ
    #[arg(long)]
    units: bool,
    /// Exit 1 when alpha over all annotators is below this (of scores: ordinal alpha)
    #[arg(long, value_name = "ALPHA", allow_negative_numbers = true, value_parser = coefficient)]
    min_alpha: Option<f64>,
    #[command(flatten)]
    written: Written,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum From {
    /// What people said before they were shown the judge
    Blind,
    /// The decisions that stand
    Decisions,
}

/// A coefficient of agreement as it is typed.
pub(in crate::cli) fn coefficient(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if (-1.0..=1.0).contains(&value) => Ok(value),
        _ => Err("a number from -1 to 1, like 0.67".to_owned()),
    }
}

/// One unit with everybody's ratings.
struct Rated {
    text: String,
    /// The record that it is of: the claims of one hang together.
    record: String,
    by: BTreeMap<String, Rating>,
    /// Who judged it blind and had been shown the judge before: no figure counts that.
    dependent: Vec<String>,
    /// What came of it where people differ.
    outcome: Option<Outcome>,
}

/// What came of a unit on which people differ.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Outcome {
    /// The last words are the same.
    Agreed,
    /// This person settled it.
    Settled(String),
    Disputed,
}

/// What is measured.
struct Gathered {
    /// By their ids.
    units: BTreeMap<String, Rated>,
    /// What the ratings are, in a sentence.
    sentence: String,
    /// From the store: what became of blind verdicts.
    opinions: Vec<Opinion>,
    bad: u64,
}

pub(super) fn run(arguments: &Arguments, context: &mut Context) -> anyhow::Result<Exit> {
    arguments.written.check(context)?;
    let gathered = if arguments.files.is_empty() {
        from_store(arguments.from, arguments.pairs, context)?
    } else {
        from_files(&arguments.files, context)?
    };
    let scale = scale(&gathered)?;
    let asked = Asked { lists_units: arguments.units, min_alpha: arguments.min_alpha };
    let measured = Measured::of(&gathered, scale, Resampling::default());
    let report = measured.report(&gathered, &asked, context.clock.now());
    arguments.written.write(&report, context)?;
    let exit = measured.exit(&asked);
    Ok(if gathered.bad > 0 { Exit::BadInput } else { exit })
}

fn from_store(from: Option<From>, asks_pairs: bool, context: &mut Context) -> anyhow::Result<Gathered> {
    blind::refuse(context, "agreement in the store tells what others say of its claims")?;
    let store = context.read_store()?;
    let opinions = store.opinions()?;
    let is_blind = match from {
        Some(from) => from == From::Blind,
        None => opinions.iter().any(|opinion| opinion.first.independent),
    };
    let standing = store.standing_verdicts()?;
    // A score is no verdict: 1 and 2 both come to UNSUPPORTED, and who says the one disagrees with who says the other.
    let said: Vec<Said<'_>> = if is_blind {
        let pairs = store.pairs_judged_blind()?;
        opinions.iter().map(|opinion| Said::first(opinion, pairs.contains(&opinion.claim))).collect()
    } else {
        standing.iter().map(Said::last).collect()
    };
    let of_pairs = asks_pairs || !said.is_empty() && said.iter().all(|one| one.is_pair);
    let mut units: BTreeMap<String, Rated> = BTreeMap::new();
    for one in said.iter().filter(|one| one.is_pair == of_pairs) {
        let Some(rating) = one.rating else { continue };
        let record = || one.claim.audit_id().as_str().to_owned();
        let unit = units.entry(one.claim.to_string()).or_insert_with(|| Rated::new(String::new(), record()));
        if one.is_independent {
            unit.by.insert(one.annotator.to_string(), rating);
        } else {
            unit.dependent.push(one.annotator.to_string());
        }
    }
    outcomes(&mut units, &standing);
    let sentence = if is_blind {
        "Blind verdicts: what people said before they were shown the judge."
    } else {
        "Decisions that stand: people saw the judge's verdict first, so they are not independent, and agreement is \
         higher than it would be blind (`juror review --blind`)."
    };
    Ok(Gathered { units, sentence: sentence.to_owned(), opinions, bad: 0 })
}

/// What a person said of a claim.
struct Said<'a> {
    claim: &'a ClaimId,
    annotator: &'a Annotator,
    /// `None` of a pair that cannot be judged: there is no score.
    rating: Option<Rating>,
    is_pair: bool,
    is_independent: bool,
}

impl<'a> Said<'a> {
    /// Before they were shown the judge.
    fn first(opinion: &'a Opinion, is_pair: bool) -> Self {
        let Opinion { claim, annotator, first, .. } = opinion;
        let rating = rating(is_pair, first.ruling.verdict, first.ruling.score);
        Self { claim, annotator, rating, is_pair, is_independent: first.independent }
    }

    /// As it stands.
    fn last(standing: &'a StandingVerdict) -> Self {
        let StandingVerdict { claim, annotator, verdict, score, is_pair, .. } = standing;
        let rating = rating(*is_pair, *verdict, *score);
        Self { claim, annotator, rating, is_pair: *is_pair, is_independent: true }
    }
}

fn rating(is_pair: bool, verdict: HumanVerdict, score: Option<Score>) -> Option<Rating> {
    if is_pair { score.map(Rating::Score) } else { Some(Rating::Verdict(verdict)) }
}

/// What came of the units by the decisions that stand: people may have said the same at last, or somebody settled it.
fn outcomes(units: &mut BTreeMap<String, Rated>, standing: &[StandingVerdict]) {
    for of_one in standing.chunk_by(|one, other| one.claim == other.claim) {
        let Some(first) = of_one.first() else { continue };
        let Some(unit) = units.get_mut(&first.claim.to_string()) else { continue };
        unit.outcome = Some(match of_one.iter().find(|one| one.counts) {
            None => Outcome::Disputed,
            Some(counts) if of_one.iter().any(|one| one.verdict != first.verdict) => {
                Outcome::Settled(counts.annotator.to_string())
            }
            Some(_) if of_one.iter().all(|one| one.score == first.score) => Outcome::Agreed,
            Some(_) => continue,
        });
    }
}

impl Rated {
    const fn new(text: String, record: String) -> Self {
        Self { text, record, by: BTreeMap::new(), dependent: Vec::new(), outcome: None }
    }
}

fn from_files(files: &[PathBuf], context: &mut Context) -> anyhow::Result<Gathered> {
    let mut lines = annotated::read(files, context)?;
    let mut units: BTreeMap<String, Rated> = BTreeMap::new();
    let mut problems = Vec::new();
    for (place, line) in &lines.read {
        for unit in &line.units {
            let rated = units
                .entry(unit.id.clone())
                .or_insert_with(|| Rated::new(unit.text.clone(), line.record.clone()));
            rated.dependent.extend(unit.dependent.iter().cloned());
            rated.outcome =
                unit.settled.as_ref().map(|(who, _)| Outcome::Settled(who.clone())).or(rated.outcome.take());
            for (annotator, rating) in &unit.annotations {
                match rated.by.insert(annotator.clone(), *rating) {
                    Some(before) if before != *rating => problems.push(format!(
                        "{place}: {annotator} says {} of {}, and {} elsewhere: one annotator has one say",
                        rating.label(),
                        unit.id,
                        before.label()
                    )),
                    _ => {}
                }
            }
        }
    }
    for problem in problems {
        lines.problem(&problem, context);
    }
    units.retain(|_, rated| !rated.by.is_empty() || !rated.dependent.is_empty());
    let names: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
    Ok(Gathered {
        units,
        sentence: format!("Annotations of {}.", names.join(", ")),
        opinions: Vec::new(),
        bad: lines.bad,
    })
}

/// The one scale that all ratings stand on.
fn scale(gathered: &Gathered) -> Result<Scale, Failure> {
    let mut scales = gathered.units.values().flat_map(|unit| unit.by.values()).map(|rating| rating.scale());
    let first = scales.next().unwrap_or(Scale::Verdicts);
    if scales.any(|other| other != first) {
        return Err(Failure::bad_input(
            "some ratings are verdicts and some are scores, which cannot be compared: measure them file by file",
        ));
    }
    Ok(first)
}
