//! `juror show ID`: everything that is known of a record or a claim.

use super::{Context, Exit, Failure};
use crate::domain::blind::Sight;
use crate::domain::ids::{AuditId, ClaimId};
use crate::format::story::{StoryRow, lines};
use crate::store::{Store, StoreError, Story};
use crate::text::sanitize::visible;

/// Show all that happened to a record or a claim: audits, verdicts, decisions, notes, and whether its seals hold
#[derive(clap::Args)]
#[command(after_help = "\
In the order in which it came about: what came in, each audit with its judge,
model and prompt, each claim with its verdict and evidence, then everything that
people did, also what was taken back, with who, when and where. Offsets count
characters, end exclusive. The passages' texts are left out: `juror export
--what records` has them.

With AUDIT_ID#n the story is that of one claim, and of the same claim in other
audits. Exit code 1 when a seal does not hold.

Examples:
  juror show rx-1042
  juror show 'rx-1042#3' --json")]
pub(super) struct Arguments {
    #[arg(value_name = "ID", help = "AUDIT_ID, or AUDIT_ID#n for one claim")]
    id: String,
}

pub(super) fn run(arguments: &Arguments, context: &mut Context) -> anyhow::Result<Exit> {
    let store = context.read_store()?;
    let story = story(&store, &arguments.id)?;
    if context.config.blind.value {
        refuse_hidden(&store, &story, context)?;
    }
    if context.out.wants_json() {
        for damaged in story.events.iter().filter_map(|event| event.as_ref().err()) {
            context.out.error(&damaged.to_string());
        }
        context.out.json(&StoryRow::of(&story))?;
    } else {
        for line in lines(&story) {
            // A line feed in an id must not make a line of its own.
            context.out.text(&visible(&line))?;
        }
    }
    Ok(if story.broken.is_empty() { Exit::Fine } else { Exit::GateSaysNo })
}

/// Refuses while the story would tell what a blind review still hides from the person.
fn refuse_hidden(store: &Store, story: &Story, context: &Context) -> anyhow::Result<()> {
    let (who, overlap) = (&context.config.annotator.value, context.config.overlap.value);
    let current = story.audits.iter().filter(|audit| audit.is_current);
    for claim in current.flat_map(|audit| &audit.claims).filter_map(|claim| claim.as_ref().ok()) {
        let key = store.claim_key(&claim.id)?;
        if store.blind_detail(key, who, overlap, context.clock.now())?.sight != Sight::Open {
            return Err(Failure::bad_input(format!(
                "the story tells what the judge and others say of {}, which is hidden from {who} until they have decided \
                 it: decide it first, or take --open",
                claim.id
            ))
            .into());
        }
    }
    Ok(())
}

/// An answer's own id may end like a claim's.
fn story(store: &Store, id: &str) -> anyhow::Result<Story> {
    if let Ok(claim) = id.parse::<ClaimId>() {
        match store.claim_key(&claim) {
            Ok(key) => return Ok(store.story_of_claim(key)?),
            Err(StoreError::NoSuchClaim(_) | StoreError::NoSuchRecord(_)) => {}
            Err(error) => return Err(error.into()),
        }
    }
    match store.story(&AuditId::new(id)) {
        Err(StoreError::NoSuchRecord(_)) => Err(Failure::bad_input(format!(
            "no record and no claim `{id}` in this store: `juror queue` lists the claims"
        ))
        .into()),
        found => Ok(found?),
    }
}
