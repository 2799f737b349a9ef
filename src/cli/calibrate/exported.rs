//! A claims export as golden set: people's verdicts, and what the judge said of the same claims. Nothing is asked.

use std::collections::HashSet;

use super::super::annotated::Lines;
use super::super::{Context, Exit, Failure};
use super::ask::Answer;
use super::left_out::{LeftOut, Why, said};
use super::{Arguments, Golden, Measured, Question, Source, former, tell};
use crate::domain::event::sha256_hex;
use crate::domain::finding::JudgeIdentity;
use crate::format::annotated::Subject;

const PEOPLE: &str = "People and judge are those of the claims export: what people said before they were shown the \
                      judge, where anybody did, else the decisions that stand; where somebody settled a disagreement, what \
                      that person said.";

/// Whether the lines are rows of a claims export.
pub(super) fn is_one(lines: &Lines) -> bool {
    lines.read.iter().any(|(_, line)| matches!(line.subject, Subject::Judged(_)))
}

/// Measures the judge of the rows against the people of the rows.
pub(super) fn run(lines: Lines, arguments: &Arguments, context: &mut Context) -> anyhow::Result<Exit> {
    let (golden, answers, identity) = read(lines, arguments, context)?;
    if !golden.is_enough() {
        return Err(golden.too_few(None));
    }
    let former = former::asked(arguments, &golden, &identity, context)?;
    let measured = Measured::of(arguments, &golden, identity, &answers, former);
    tell(&measured, arguments, false, context)?;
    context.out.note(
        "juror: kept nowhere: an export does not say with which settings the judge was asked; `juror calibrate` without \
         a file measures the store itself and keeps that",
    );
    Ok(measured.exit(golden.bad, context))
}

fn read(
    mut lines: Lines,
    arguments: &Arguments,
    context: &mut Context,
) -> anyhow::Result<(Golden, Vec<Answer>, JudgeIdentity)> {
    let scale = arguments.instrument.scale();
    let mut left_out = LeftOut::default();
    let (mut questions, mut answers, mut heard) = (Vec::new(), Vec::new(), Vec::new());
    let (mut judges, mut seen) = (Vec::<JudgeIdentity>::new(), HashSet::new());
    for (place, line) in std::mem::take(&mut lines.read) {
        let Subject::Judged(judged) = line.subject else {
            lines.problem(&format!("{place}: no row of a claims export, as the others are"), context);
            continue;
        };
        if judged.instrument != arguments.instrument.label() {
            continue;
        }
        if let Some(twice) = line.units.iter().find(|unit| !seen.insert(unit.id.clone())) {
            lines.problem(&format!("{place}: {} stands there twice", twice.id), context);
            continue;
        }
        if !judges.contains(&judged.identity) {
            judges.push(judged.identity);
        }
        for unit in line.units {
            heard.push((line.record.clone(), said(&unit)));
            if !judged.was_asked {
                left_out.add(&unit, Why::NotAsked);
                continue;
            }
            let Some(consensus) = left_out.consensus(&unit, scale, false) else { continue };
            let verdict = judged.rating.map(|rating| (rating.category(), judged.confidence));
            answers.push(Answer { said: vec![verdict], ..Answer::default() });
            let (subject, record) = (Subject::Ratings, line.record.clone());
            questions.push(Question { subject, record, units: vec![(unit, Some(consensus))] });
        }
    }
    let golden = Golden {
        questions,
        said: heard,
        left_out,
        name: arguments.golden.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", "),
        sha256: sha256_hex(lines.raw.iter().flat_map(|line| [line.as_str(), "\n"])),
        retrieval: Vec::new(),
        source: Source::Store(PEOPLE),
        bad: lines.bad,
    };
    match judges.as_slice() {
        [one] => Ok((golden, answers, one.clone())),
        [] => {
            let label = arguments.instrument.label();
            Err(Failure::bad_input(format!("no row of the export is of --instrument {label}")).into())
        }
        several => {
            let names: Vec<String> = several
                .iter()
                .map(|judge| format!("{} ({}), prompt {}", judge.judge, judge.model, judge.prompt_version))
                .collect();
            let sentence =
                format!("the rows are of {} judges: {}; keep those of one", several.len(), names.join("; "));
            Err(Failure::bad_input(sentence).into())
        }
    }
}
