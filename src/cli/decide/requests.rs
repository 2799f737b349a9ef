//! What is asked for on the command line, as requests to the store.

use super::{Arguments, Context, Failure};
use crate::clock;
use crate::domain::blind::Sight;
use crate::domain::decision::{Disposition, MAX_NOTE, ReasonCode, Request, Ruling};
use crate::domain::ids::{AuditId, ClaimId, ClaimKey, RecordKey};
use crate::domain::queue::ClaimDetail;
use crate::domain::until;
use crate::domain::verdict::Score;
use crate::instrument::faithfulness::stakes;
use crate::store::{Store, StoreError};

/// A score as it is typed.
pub(super) fn score(text: &str) -> Result<Score, String> {
    text.parse().ok().and_then(Score::new).ok_or_else(|| "use a whole number from 1 to 5".to_owned())
}

/// Labels for a help text.
pub(super) fn listed<T: std::fmt::Display>(labels: &[T]) -> String {
    labels.iter().map(T::to_string).collect::<Vec<_>>().join(", ")
}

/// The codes of reasons, with what each says.
pub(super) fn reasons() -> String {
    let codes: Vec<String> =
        ReasonCode::ALL.iter().map(|code| format!("  {:<18} {}", code.label(), code.sentence())).collect();
    format!("Why: a code beside any act\n{}", codes.join("\n"))
}

/// Why there is no claim `id`, and what to do.
pub(super) fn no_claim(store: &Store, id: &ClaimId, error: StoreError) -> anyhow::Error {
    let audit_id = id.audit_id();
    let Ok(claims) = store.record_key(audit_id).and_then(|record| store.claims_of(record)) else {
        return error.into();
    };
    let sentence = match claims {
        None => {
            format!("no claim `{id}` yet: the record `{audit_id}` waits for its audit, run `juror audit`")
        }
        Some(0) => format!("no claim `{id}`: the audit found no claims in the record `{audit_id}`"),
        Some(last) => format!("no claim `{id}`: the claims of this record are `{audit_id}#1` to `#{last}`"),
    };
    Failure::bad_input(sentence).into()
}

/// The answer `id`, for a disposition, or why there is none and what was not done.
pub(super) fn answer(store: &Store, id: &str, disposition: Disposition) -> anyhow::Result<RecordKey> {
    let error = match store.record_key(&AuditId::new(id)) {
        Ok(key) => return Ok(key),
        Err(error @ StoreError::NoSuchRecord(_)) => error.to_string(),
        Err(error) => return Err(error.into()),
    };
    let of = id.parse::<ClaimId>().ok().map(|claim| claim.audit_id().clone());
    let why = match of.filter(|of| store.record_key(of).is_ok()) {
        Some(of) => format!("`{id}` is a claim, and --dispose is for the whole answer: write `{of}`"),
        None => error,
    };
    Err(Failure::bad_input(format!("{why}; nothing was {}", disposition.done())).into())
}

/// What is asked for, in order.
pub(super) fn requests(
    store: &Store,
    key: ClaimKey,
    sight: Sight,
    arguments: &Arguments,
    context: &Context,
) -> anyhow::Result<Vec<Request>> {
    // The same again takes a mark off one claim, never off one of many.
    let many = arguments.same || arguments.ids.len() > 1;
    let mut requests = Vec::new();
    if arguments.confirm {
        requests.push(Request::Confirm);
    }
    if arguments.keep {
        requests.push(keep(store, key, context)?);
    }
    if arguments.r#override.is_some() || arguments.score.is_some() {
        requests.push(ruling(&detail(store, key, context)?, sight, arguments, context)?);
    }
    if let Some(reason) = arguments.give_reason {
        requests.push(Request::GiveReason(reason));
    }
    if let Some(note) = &arguments.note {
        // Both are recorded, or neither is.
        if !requests.is_empty() && (note.trim().is_empty() || note.len() > MAX_NOTE) {
            let why = format!("--note: a note has words, and at most {MAX_NOTE} bytes; nothing was recorded");
            return Err(Failure::bad_input(why).into());
        }
        requests.push(Request::Annotate { note: note.clone() });
    }
    if arguments.skip {
        requests.push(Request::Skip(many || !detail(store, key, context)?.standing.skipped));
    }
    if arguments.flag {
        requests.push(Request::Flag(many || detail(store, key, context)?.standing.flag.is_none()));
    }
    if let Some(note) = &arguments.escalate {
        requests.push(Request::Escalate { note: note.clone(), to: arguments.to.clone() });
    }
    if let Some(time) = &arguments.defer {
        let until = until::read(time, context.clock.now(), &clock::zone())
            .map_err(|error| Failure::bad_input(format!("--defer: {error}")))?;
        requests.push(Request::Defer { until });
    }
    if arguments.resume {
        requests.push(Request::Resume);
    }
    Ok(requests)
}

/// What a verdict or a score asks for, with all that is said of it.
fn ruling(
    claim: &ClaimDetail,
    sight: Sight,
    arguments: &Arguments,
    context: &Context,
) -> anyhow::Result<Request> {
    let verdict = arguments.r#override.or(arguments.score.map(|score| score.verdict().into()));
    let Some(verdict) = verdict else { return Err(Failure::bad_input("which verdict?").into()) };
    let evidence = &arguments.evidence;
    let evidence = evidence.is_named().then(|| evidence.chosen(&claim.record)).transpose()?;
    let (score, severity, kind) = (arguments.score, arguments.severity, arguments.hallucination_type);
    if sight == Sight::Hidden {
        let ruling = Ruling { verdict, severity, hallucination_type: kind, score, evidence };
        return Ok(Request::Blind { ruling, overlap: context.config.overlap.value });
    }
    let stakes = stakes(claim);
    let says_more = severity.is_some() || kind.is_some() || evidence.is_some();
    match score {
        Some(score) if !says_more => return Ok(Request::score(score, &claim.outcome, stakes)),
        // A verdict alone is no confirmation of a pair: the store says what it wants.
        None if evidence.is_none() && !claim.is_pair => {
            return Ok(Request::rule(verdict, severity, kind, &claim.outcome, stakes));
        }
        _ => {}
    }
    let proposed = Ruling::proposed(verdict, &claim.outcome, stakes);
    Ok(Request::Override(Ruling {
        severity: severity.or(proposed.severity),
        hallucination_type: kind.or(proposed.hallucination_type),
        score,
        evidence,
        verdict,
    }))
}

fn detail(store: &Store, key: ClaimKey, context: &Context) -> Result<ClaimDetail, StoreError> {
    store.claim_detail(key, &context.config.annotator.value, context.clock.now())
}

/// The verdict that the person committed, now that they have been shown the judge's.
fn keep(store: &Store, key: ClaimKey, context: &Context) -> anyhow::Result<Request> {
    let claim = detail(store, key, context)?;
    match &claim.standing.blind {
        Some(blind) if claim.standing.awaits_word() => {
            let stakes = stakes(&claim);
            Ok(Request::keep(&blind.ruling, &claim.outcome, stakes))
        }
        Some(_) => {
            Err(Failure::bad_input(format!("you have kept or changed your verdict on {} already", claim.id))
                .into())
        }
        None => Err(Failure::bad_input(format!(
            "you have committed no blind verdict on {}: `juror decide '{}' --blind --override VERDICT` does",
            claim.id, claim.id
        ))
        .into()),
    }
}
