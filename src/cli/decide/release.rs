//! Whether an answer may be released by what people ruled of its claims.

use crate::cli::{Context, Failure};
use crate::domain::ids::{AuditId, ClaimId};
use crate::domain::queue::Sibling;
use crate::store::Store;

/// Refuses when people found that the evidence does not carry claims of the answer, or not fully.
///
/// # Errors
/// The refusal, and what the store cannot do.
pub(super) fn refuse_without_support(
    store: &Store,
    audit_id: &AuditId,
    context: &Context,
) -> anyhow::Result<()> {
    let Some(last) = store.claims_of(store.record_key(audit_id)?)?.filter(|last| *last > 0) else {
        // It waits for its audit: the store says so.
        return Ok(());
    };
    // Numbers go on over all audits of an answer, so the last claim is one of the present audit.
    let key = store.claim_key(&ClaimId::new(audit_id.clone(), last))?;
    let answer = store.claim_detail(key, &context.config.annotator.value, context.clock.now())?;
    let mut against: Vec<&Sibling> = answer.siblings.iter().filter(|claim| claim.lacks_support()).collect();
    against.sort_by_key(|claim| !claim.is_refuted());
    let Some(first) = against.first() else { return Ok(()) };
    let ruled = first.rulings.iter().map(|ruling| ruling.label()).collect::<Vec<_>>().join(", ");
    let claims: Vec<String> = against.iter().map(|claim| claim.id.to_string()).collect();
    let stand = if against.len() == 1 { "stands" } else { "stand" };
    let against = if against.iter().all(|claim| claim.is_refuted()) {
        "against the evidence"
    } else {
        "without full support of the evidence"
    };
    Err(Failure::bad_input(format!(
        "{} {stand} {against} by people's ruling (the first: {ruled}): give {audit_id} RETURN or BLOCK, \
         or RELEASE with --anyway",
        claims.join(", ")
    ))
    .into())
}
