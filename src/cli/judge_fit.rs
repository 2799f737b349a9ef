//! `juror judge-fit`: makes the fitted constants of the local judge again.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use anyhow::Context as _;

use super::{Context, Exit};
use crate::format::labelled::{Labelled, LabelledClaim, parse};
use crate::format::source::{Heard, Input, expand};
use crate::judge::local::LocalJudge;
use crate::judge::local::fit::{Row, balanced_accuracy, fit};

/// Make the constants of the local judge again, from labelled claims
#[derive(clap::Args)]
#[command(after_help = "\
English claims only. Files with one answer only, supported or not, teach nothing
and are left out. The constants are part of the judge: they take effect when
juror is built again.

Example:
  juror judge-fit --fit train/ --choose dev/ --out assets/judge/weights.json")]
pub(super) struct Arguments {
    /// Labelled claims that the weights are fitted to
    #[arg(long, value_name = "FILE", required = true, num_args = 1..)]
    fit: Vec<PathBuf>,
    /// Other labelled claims, by which thresholds and confidence are chosen
    #[arg(long, value_name = "FILE", required = true, num_args = 1..)]
    choose: Vec<PathBuf>,
    /// Where the constants are written
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

pub(super) fn run(arguments: &Arguments, context: &mut Context) -> anyhow::Result<Exit> {
    let fitting = rows(&arguments.fit)?;
    let choosing = rows(&arguments.choose)?;
    let made = format!(
        "Made by `juror judge-fit`: weights fitted to {} labelled English claims, thresholds and confidence chosen on \
         {} others. Do not edit: see CONTRIBUTING.md.",
        fitting.len(),
        choosing.len()
    );
    let weights = fit(&fitting, &choosing, made);
    let mut text = serde_json::to_string_pretty(&weights)?;
    text.push('\n');
    std::fs::write(&arguments.out, text)
        .with_context(|| format!("{} cannot be written", arguments.out.display()))?;
    context.out.text(&format!(
        "mean balanced accuracy {:.4} where fitted, {:.4} where chosen\n",
        balanced_accuracy(&fitting, &weights),
        balanced_accuracy(&choosing, &weights)
    ))?;
    Ok(Exit::Fine)
}

/// What is counted for the English claims of the files that have both answers.
fn rows(files: &[PathBuf]) -> anyhow::Result<Vec<Row>> {
    let mut rows = Vec::new();
    for (number, input) in expand(files)?.iter().enumerate() {
        let claims = claims(input)?;
        let supported = claims
            .iter()
            .filter(|claim| claim.label == crate::domain::verdict::Verdict::FullySupported)
            .count();
        if supported == 0 || supported == claims.len() {
            continue;
        }
        let mut labels: Vec<_> = claims.iter().map(|claim| claim.label).collect();
        labels.sort_unstable();
        labels.dedup();
        let is_fine = labels.len() > 2 && claims.iter().all(|claim| claim.label_is_own);
        rows.extend(claims.iter().map(|claim| {
            let text = claim.record.given_claims.first().map_or("", |given| given.claim_text.as_str());
            let counted = LocalJudge::new().counted(text, &claim.record.passages);
            Row::new(number, claim.label, is_fine, counted)
        }));
    }
    Ok(rows)
}

fn claims(input: &Input) -> anyhow::Result<Vec<LabelledClaim>> {
    let mut claims = Vec::new();
    let mut wrong = None;
    let read = Arc::new(AtomicU64::new(0));
    input
        .lines(&read, &mut |heard| {
            let Heard::Line(number, line) = heard else { return ControlFlow::Continue(()) };
            match line.map_err(|_| "the line is too long".to_owned()).and_then(parse) {
                Ok(Labelled::Claim(claim)) => claims.push(claim),
                Ok(Labelled::Answer(_)) => {}
                Err(reason) => {
                    wrong = Some(format!("{}:{number}: {reason}", input.name()));
                    return ControlFlow::Break(());
                }
            }
            ControlFlow::Continue(())
        })
        .map_err(|error| anyhow::anyhow!("{}: {}", input.name(), error.reason))?;
    if let Some(wrong) = wrong {
        anyhow::bail!(wrong);
    }
    claims.retain(|claim| claim.lang.as_deref().is_none_or(|lang| lang == "en"));
    Ok(claims)
}
