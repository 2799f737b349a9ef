//! The report of the audits of a store.

use serde_json::{Value, json};

use super::super::audit::counted;
use super::super::export::undecided_at_risk;
use super::super::{Context, PROGRAM};
use crate::domain::finding::AuditState;
use crate::domain::ids::ClaimId;
use crate::domain::verdict::NoVerdict;
use crate::report::audit::{Audited, Claim};
use crate::report::said::{Cited, Judge, Said};
use crate::report::{Fact, Report};
use crate::store::{ClaimExport, EvidenceExport, InUse, Store};

/// The report, and the routed claims of HIGH and CRITICAL records that nobody decided.
pub(super) fn report(
    store: &Store,
    with_cases: bool,
    context: &Context,
) -> anyhow::Result<(Report, Vec<ClaimId>)> {
    let mut audited = Audited::default();
    let mut undecided = Vec::new();
    let (mut damaged, mut claims, mut elsewhere) = (0_u64, 0_u64, 0_u64);
    store.for_each_claim(|read| {
        match read {
            // Chosen to be scored, or because they are wrong: no share of what comes in.
            Ok(claim) if !claim.is_audited => elsewhere += 1,
            Ok(claim) => {
                if claim.is_undecided_at_risk() {
                    undecided.push(claim.id.clone());
                }
                claims += 1;
                if let Some(given) = &claim.disposition {
                    audited.dispose(claim.id.audit_id().as_str(), given);
                }
                audited.add(&ruled(claim), with_cases);
            }
            // One that cannot be read is not accepted, whatever it was.
            Err(row) => {
                damaged += 1;
                undecided.extend(row.claim);
            }
        }
        anyhow::Ok(())
    })?;
    for (record, given) in store.overruled_dispositions()? {
        audited.overruled(record, given);
    }
    let mut report = audited.report(&store.path().display().to_string(), context.clock.now(), PROGRAM);
    let judges = store.judges_in_force()?;
    for one in &judges {
        let state = format!("{}: {}, {}", named(one), one.now.state, one.now.sentence);
        report.facts.push(Fact::new("calibration", state));
    }
    let (events, head) = store.head()?;
    report
        .facts
        .push(Fact::new("head", format!("{head} ({events} events); `juror verify --head` proves it")));
    report.data["head"] = json!({"sha256": head, "events": events});
    if elsewhere > 0 {
        report.sentences.push(format!(
            "{} not counted here: scored pairs, and what comparisons sent to people (`juror report comparison`).",
            if elsewhere == 1 { "1 claim is".to_owned() } else { format!("{elsewhere} claims are") }
        ));
    }
    // As `juror verify` counts them, so that nobody wonders which of the two is right.
    let gone = store.claims_kept()?.saturating_sub(claims + damaged + elsewhere);
    if gone > 0 {
        report.sentences.push(format!(
            "{} (people split, merged or withdrew {}, or the answer was audited again); `juror verify` counts {} too.",
            if gone == 1 { "1 claim stands no longer".into() } else { format!("{gone} claims stand no longer") },
            if gone == 1 { "it" } else { "them" },
            if gone == 1 { "it" } else { "them" },
        ));
    }
    report.data["stand_no_longer"] = json!(gone);
    let waiting = store.without_audit()?;
    if waiting.records > 0 {
        report.sentences.push(waiting.sentence());
    }
    report.data["without_audit"] = json!({"records": waiting.records, "at_risk": waiting.at_risk});
    report.data["judges"] = judges.iter().map(in_data).collect();
    let mut reasons = Vec::new();
    if !undecided.is_empty() {
        reasons.push(undecided_at_risk(undecided.len() as u64));
    }
    if damaged > 0 {
        reasons.push(format!("{} cannot be read: run `juror verify`", counted(damaged, "claim")));
    }
    if waiting.at_risk > 0 {
        let have = if waiting.at_risk == 1 { "record has" } else { "records have" };
        reasons.push(format!("{} HIGH or CRITICAL {have} no audit yet", waiting.at_risk));
    }
    if claims + damaged == 0 {
        reasons.push("nothing is audited".to_owned());
    }
    report.provisional = (!reasons.is_empty()).then(|| reasons.join(", and "));
    Ok((report, undecided))
}

/// A judge with what it was asked for, as people call it.
pub(super) fn named(one: &InUse) -> String {
    let of = &one.identity;
    let prompt: String = of.prompt_sha256.chars().take(4).collect();
    format!("{} ({}), {}, prompt {prompt}", of.judge, of.model, one.instrument)
}

fn in_data(one: &InUse) -> Value {
    let of = &one.identity;
    json!({
        "instrument": one.instrument,
        "judge": of.judge, "model": of.model, "prompt_version": of.prompt_version, "prompt_sha256": of.prompt_sha256,
        "settings": of.settings,
        "audits": one.audits,
        "calibration": {"state": one.now.state, "sentence": one.now.sentence, "id": one.now.id, "kappa": one.now.kappa},
    })
}

/// The claim as it is ruled at present.
fn ruled(claim: ClaimExport) -> Claim {
    let is_judged = claim.state == AuditState::Judged;
    let is_unasked = claim.is_unrouted();
    let ((verdict, severity), _) = claim.in_force();
    let audited_by =
        format!("{} ({}), prompt {}", claim.judge.judge, claim.judge.model, claim.judge.prompt_version);
    let cited = |cited: EvidenceExport| Cited {
        passage: cited.passage_id,
        span: cited.span,
        quote: cited.quote,
        role: cited.role,
        level: cited.level,
    };
    let judge = Judge {
        state: claim.state.label(),
        verdict: claim.verdict.filter(|_| is_judged),
        severity: claim.severity,
        confidence: claim.confidence,
        why: claim.rationale,
        evidence: claim.evidence.into_iter().map(cited).collect(),
    };
    Claim {
        record: claim.id.audit_id().as_str().to_owned(),
        id: claim.id.to_string(),
        text: claim.claim_text,
        verdict,
        severity,
        is_no_claims: claim.state == AuditState::NoVerdict(NoVerdict::NoClaims),
        is_unasked,
        said: Said {
            judge,
            decisions: claim.decisions,
            blind: claim.blind,
            earlier: claim.earlier.into_iter().next_back(),
            notes: claim.notes,
            flags: claim.flags,
        },
        audited_by,
    }
}
