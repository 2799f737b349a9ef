//! The golden set that people made by deciding in the store, with what the judge said there: nothing is asked.

use std::collections::BTreeSet;

use super::super::{Context, Exit, Failure};
use super::ask::Answer;
use super::left_out::{LeftOut, Why, said};
use super::{Arguments, Golden, Instrument, Question, Source};
use crate::domain::annotation::Rating;
use crate::domain::event::sha256_hex;
use crate::domain::finding::JudgeIdentity;
use crate::domain::verdict::Probability;
use crate::format::annotated::{Subject, Unit};
use crate::store::{Rated, Store, Whose};

/// Which verdicts of the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum From {
    /// What people said before they were shown the judge
    Blind,
    /// The decisions that stand
    Decisions,
}

impl From {
    const fn whose(self) -> Whose {
        match self {
            Self::Blind => Whose::Blind,
            Self::Decisions => Whose::Decisions,
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Blind => "blind verdicts",
            Self::Decisions => "decisions",
        }
    }

    const fn sentence(self) -> &'static str {
        match self {
            Self::Blind => {
                "People are those of this store: what they said before they were shown the judge, on what was routed to \
                 them; where they disagreed and somebody settled it, what that person said. Claims that nobody was \
                 asked about are not among the items."
            }
            Self::Decisions => {
                "People are those of this store: the decisions that stand, on what was routed to them, and where somebody \
                 settled a disagreement, theirs. They saw the judge's verdict first, so the agreement is higher than it \
                 would be blind (`juror review --blind`)."
            }
        }
    }
}

/// What the store has of the judge that the settings name, as it was when it last audited.
pub(super) struct Stored {
    pub(super) golden: Golden,
    pub(super) answers: Vec<Answer>,
    pub(super) identity: JudgeIdentity,
    /// Where they would be enough, what to add to the command.
    pub(super) better: Option<&'static str>,
}

/// Reads it.
///
/// # Errors
/// When the judge has audited nothing here, or the store cannot be read.
pub(super) fn read(arguments: &Arguments, context: &mut Context) -> anyhow::Result<Stored> {
    let instrument = arguments.instrument;
    if instrument == Instrument::Comparison {
        let why = "the store has people's verdicts on claims and pairs, not on whole answers: name a file of items, or \
                   --instrument faithfulness or support";
        return Err(Failure::bad_input(why).into());
    }
    let name = context.config.judge.value.clone();
    let db = context.config.db.value.display().to_string();
    let store = context.read_store()?;
    let Some(identity) = store.last_judge(instrument.label(), &name)? else {
        return Err(never(&store, instrument, &name)?.into());
    };
    let rated = |from: From| store.rated(instrument.label(), &identity, from.whose());
    let (from, found) = match arguments.from {
        Some(from) => (from, rated(from)?),
        None => match rated(From::Blind)? {
            // Words that are not independent are no reason to go by those of people who saw even more.
            blind if blind.iter().all(|one| one.people.is_empty() && one.dependent.is_empty()) => {
                (From::Decisions, rated(From::Decisions)?)
            }
            blind => (From::Blind, blind),
        },
    };
    let golden = golden(found, from, arguments, &db);
    let better = if from == From::Blind && arguments.from.is_none() && !golden.0.is_enough() {
        let decided = self::golden(rated(From::Decisions)?, From::Decisions, arguments, &db).0;
        decided.is_enough().then_some("--from decisions")
    } else {
        None
    };
    let (golden, answers) = golden;
    Ok(Stored { golden, answers, identity, better })
}

fn never(store: &Store, instrument: Instrument, judge: &str) -> anyhow::Result<Failure> {
    let other = store.judge_in_use()?.filter(|other| other != judge);
    let hint = match (instrument, other) {
        (Instrument::Support, _) => " (`juror score` with a store)".to_owned(),
        (_, Some(other)) => format!("; the one in use is {other}: --judge {other}"),
        (_, None) => " (`juror audit`)".to_owned(),
    };
    let sentence =
        format!("the judge {judge} has judged nothing in this store by {}{hint}", instrument.label());
    Ok(Failure { exit: Exit::NotEnough, sentence })
}

fn golden(rated: Vec<Rated>, from: From, arguments: &Arguments, db: &str) -> (Golden, Vec<Answer>) {
    let scale = arguments.instrument.scale();
    let mut left_out = LeftOut::default();
    let (mut questions, mut answers, mut heard) = (Vec::new(), Vec::new(), Vec::new());
    let (mut retrieval, mut lines) = (BTreeSet::new(), Vec::new());
    for mut one in rated {
        one.people.sort_by(|(one, _), (other, _)| one.cmp(other));
        let annotations: Vec<(String, Rating)> =
            one.people.iter().map(|(annotator, rating)| (annotator.to_string(), *rating)).collect();
        let dependent = one.dependent.iter().map(ToString::to_string).collect();
        let settled = one.settled.map(|(adjudicator, rating)| (adjudicator.to_string(), rating));
        let unit =
            Unit { id: one.id.to_string(), text: one.text, annotations, dependent, settled, label: None };
        lines.push(line(&unit));
        let record = one.id.audit_id().to_string();
        heard.push((record.clone(), said(&unit)));
        if !one.was_asked {
            left_out.add(&unit, Why::NotAsked);
            continue;
        }
        let Some(consensus) = left_out.consensus(&unit, scale, false) else { continue };
        retrieval.extend(one.retrieval);
        let verdict = one.judge.map(|rating| (rating.category(), one.confidence.map(Probability::get)));
        answers.push(Answer { said: vec![verdict], ..Answer::default() });
        questions.push(Question { subject: Subject::Ratings, record, units: vec![(unit, Some(consensus))] });
    }
    let golden = Golden {
        questions,
        said: heard,
        left_out,
        name: format!("the {} of {db}", from.name()),
        sha256: sha256_hex(lines.iter().flat_map(|line| [line.as_str(), "\n"])),
        retrieval: retrieval.into_iter().collect(),
        source: Source::Store(from.sentence()),
        bad: 0,
    };
    (golden, answers)
}

/// What people said of a claim, for the hash of it all.
fn line(unit: &Unit) -> String {
    let words = |(annotator, rating): &(String, Rating)| (annotator.clone(), rating.label());
    let said: Vec<_> = unit.annotations.iter().map(words).collect();
    match &unit.settled {
        None => serde_json::json!([unit.id, unit.text, said]),
        Some(settled) => serde_json::json!([unit.id, unit.text, said, words(settled)]),
    }
    .to_string()
}
