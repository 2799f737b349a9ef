//! `juror queue`: what waits for a person, most dangerous first.

mod table;
mod threads;
mod told;

use serde::Serialize;

use super::output::one_line;
use super::{Context, Exit, Failure, Output};
use crate::domain::blind::Sight;
use crate::domain::decision::HumanVerdict;
use crate::domain::filter::Filter;
use crate::domain::ids::{Annotator, AuditId, ClaimId, ClaimKey};
use crate::domain::queue::{Flagged, QueueCounts, QueueRow};
use crate::domain::routing::Why;
use crate::domain::time::Timestamp;
use crate::domain::verdict::{Probability, Severity, Verdict};
use crate::format::out::{DAMAGED, EvidenceRow, UNROUTED};
use crate::store::{ClaimExport, Damaged, PageAt, Store, StoreError};
pub(super) use table::table;
pub(super) use told::{arriving, same_is_cut, why_empty};

/// Rows read from the store at once.
const PAGE: usize = 100;
/// Rows found at once: a search may have to look at all it finds for each page.
const FOUND: usize = 2000;
/// Rows of the table unless --limit says otherwise.
const TABLE_ROWS: usize = 50;

/// List the claims that wait for a person, most dangerous first
#[derive(clap::Args)]
#[command(after_help = "\
Order: severity, then verdict, then low confidence, then oldest; what you
skipped comes last, and what you deferred comes back at its time: --filter
finds it meanwhile, as in --filter deferred:*.

--json prints one array of {id, audit_id, claim_text, verdict, severity,
confidence, state, review, why, evidence, …}. Offsets count characters, end
exclusive. `state` is JUDGED, UNGROUNDED (the judge's quote does not stand in
the evidence), the reason why there is no verdict, or DAMAGED: then `claim_text`
says what cannot be read in the store, and the rest is as much as could be.

--filter QUERY takes terms that must all hold; - before a term leaves out what
it finds, a name may end in *, and quotes keep blanks together:
  severity>=high risk:critical confidence<0.7 age<2h     compared
  verdict:contradicted state:ungrounded reason:*         labels of juror
  judged:contradicted model:NAME prompt:NAME judge:NAME  what the judge said
  bot:NAME bot:*      the metadata's model, model_version or prompt_version
  id:rx-1* id:'rx-1#2'                                   an answer, a claim
  by:NAME flag:NAME note:WORD note:*                     what people did
  answer:blocked answer:returned answer:released answer:*  whole answers
  flag:* to:NAME to:* deferred:NAME deferred:*           escalated, put off
  draft:NAME draft:*                                     begun, not finished
  overruled:NAME         another's word stands against NAME's, or in its place
  is:open is:blocked is:decided is:unrouted is:any       how far people are
  is:disputed                                            people disagree
  word \"a phrase\"                        in the claim, its answer or a note
Verdict and severity are what people decided; where nobody has, the judge's
verdict that stands in the evidence, and the severity by which the queue is
ordered; where people disagree, the judge's verdict and the worst severity that
is said; verdict: finds each that is said. judged: asks for the judge's verdict
whatever people say. A severity may be `none`. Age counts from the audit;
unknown risk counts as medium.
model: is the judge's model, bot: what made the answer. by: finds claims on
which a decision of NAME stands, and all claims of an answer that NAME blocked,
returned or released; not what was taken back since.
Undecided claims of a blocked answer are not open: is:blocked lists them.
Only open claims are listed unless the query has is:, by:, reason:, answer: or
overruled:, or asks for flags by flag: or to:, which stand on decided claims too
until taken off.

Examples:
  juror queue
  juror queue --json --limit 10
  juror queue --filter 'severity>=high age<2h -note:*'
  juror queue --search 'maximum dose'
  juror queue --view contradicted
  juror queue --counts
  juror queue --threads
  juror queue --blind --by ana
  juror queue --explain 'rx-1042#3'")]
pub(super) struct Arguments {
    /// At most so many claims (default: 50 in the table, all with --json; 0: all)
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// Only claims that fit: see below
    #[arg(long, value_name = "QUERY", allow_hyphen_values = true)]
    filter: Option<Filter>,
    /// Only claims of this view: `juror view` lists them
    #[arg(long, value_name = "NAME")]
    view: Option<String>,
    /// Only this claim, then the open ones that are the same in other answers: words, question, evidence, verdict
    #[arg(long, value_name = "ID", conflicts_with_all = ["filter", "view", "search"])]
    same: Option<ClaimId>,
    /// Only claims with all these words, taken as they stand but for quotes around a phrase, in the claim, its
    /// answer or its notes; without --filter also decided and unrouted ones, after the open ones
    #[arg(long, value_name = "WORDS")]
    search: Option<String>,
    /// Without what the judge and other people say, in an order of your own (also review.blind)
    #[arg(long, conflicts_with_all = ["filter", "view", "search", "same", "open"])]
    pub(super) blind: bool,
    /// By answers: each with its open and decided claims, the one with the worst open claim first
    #[arg(long, conflicts_with_all = ["filter", "view", "search", "explain", "same", "blind", "counts"])]
    threads: bool,
    /// Only how much there is to do, how much you did, and how long the rest takes at your own pace
    #[arg(long, conflicts_with_all = ["limit", "filter", "view", "search", "explain", "same"])]
    counts: bool,
    /// Only why this claim stands where it stands
    #[arg(long, value_name = "ID", conflicts_with_all = ["limit", "filter", "view", "search", "same"])]
    explain: Option<ClaimId>,
    #[arg(
        long,
        value_name = "NAME",
        help = "Whose queue: what NAME skipped comes last (also JUROR_ANNOTATOR)"
    )]
    pub(super) by: Option<String>,
}

impl Arguments {
    /// Refuses what could tell something of what is hidden, where the settings ask for a blind review.
    fn refuse_blind(&self) -> Result<(), Failure> {
        let given = [
            (self.filter.is_some(), "--filter"),
            (self.view.is_some(), "--view"),
            (self.search.is_some(), "--search"),
            (self.same.is_some(), "--same"),
            (self.threads, "--threads"),
        ];
        if self.explain.is_some() {
            return Err(Failure::bad_input(
                "a blind queue is in an order of your own, which says nothing about a claim; why it is asked of people \
                 tells what the judge says: --open shows it",
            ));
        }
        match given.into_iter().find(|(is_given, _)| *is_given) {
            Some((_, option)) => Err(Failure::bad_input(format!(
                "{option} could tell what a blind review hides: leave it out, or take --open"
            ))),
            None => Ok(()),
        }
    }

    /// What is asked for, if anything. `view` is what the view of that name asks for.
    fn asked(&self, view: Option<Filter>) -> Option<Asked> {
        let given = match (view, &self.filter) {
            (Some(view), Some(filter)) => Some(view.and(filter.clone())),
            (view, filter) => view.or_else(|| filter.clone()),
        };
        let words = self.search.as_deref().map(|text| (text, Filter::of_words(text)));
        let shown = match (&given, &self.search) {
            (None, None) => return None,
            (None, Some(words)) => words.clone(),
            (Some(filter), None) => filter.to_string(),
            (Some(filter), Some(words)) => format!("{filter} {words}"),
        };
        let is_blank = words.as_ref().is_some_and(|(_, words)| words.is_empty());
        let filter = given.unwrap_or_else(|| match words {
            Some(_) => Filter::everywhere(),
            None => Filter::default(),
        });
        Some(Asked { filter: filter.and(words.map(|(_, words)| words).unwrap_or_default()), shown, is_blank })
    }
}

/// Which claims are looked for.
struct Asked {
    filter: Filter,
    /// As it was typed.
    shown: String,
    /// A search for nothing finds nothing.
    is_blank: bool,
}

/// A claim for programs.
#[derive(Serialize)]
struct Row {
    id: ClaimId,
    audit_id: AuditId,
    claim_text: String,
    verdict: Option<Verdict>,
    severity: Option<Severity>,
    /// What people ruled, where one decision counts.
    human_verdict: Option<HumanVerdict>,
    human_severity: Option<Severity>,
    confidence: Option<Probability>,
    state: &'static str,
    review: &'static str,
    skipped: bool,
    flagged: bool,
    /// People disagree, and nobody has settled it.
    disputed: bool,
    flags: Vec<Flagged>,
    deferred_until: Option<Timestamp>,
    /// Another annotator who has it in hand.
    held_by: Option<Annotator>,
    held_until: Option<Timestamp>,
    arrived: Timestamp,
    why: Vec<Why>,
    evidence: Vec<EvidenceRow>,
}

pub(super) fn run(arguments: &Arguments, context: &mut Context) -> anyhow::Result<Exit> {
    let store = context.read_store()?;
    if context.config.blind.value {
        arguments.refuse_blind()?;
    }
    if arguments.counts {
        return store.snapshot(|| told::counts(&store, context));
    }
    if let Some(id) = &arguments.explain {
        return store.snapshot(|| told::explain(&store, id, context));
    }
    if arguments.threads {
        return store.snapshot(|| threads::run(&store, arguments.limit, context));
    }
    let view =
        arguments.view.as_deref().map(|name| super::view::filter(&store, name, context)).transpose()?;
    // The rows, what belongs to each, and the counts are of one moment.
    store.snapshot(|| {
        let rows = Rows {
            store: &store,
            annotator: context.config.annotator.value.clone(),
            limit: match (arguments.limit, context.out.wants_json()) {
                (Some(0), _) | (None, true) => usize::MAX,
                (Some(limit), _) => limit,
                (None, false) => TABLE_ROWS,
            },
            asked: arguments.asked(view),
            same: arguments.same.as_ref().map(|id| store.claim_key(id)).transpose()?,
            blind: context.config.blind.value.then_some(context.config.overlap.value),
            now: context.clock.now(),
        };
        if context.out.wants_json() { json(&rows, &mut context.out) } else { people(&rows, &mut context.out) }
    })
}

fn people(rows: &Rows<'_>, out: &mut Output) -> anyhow::Result<Exit> {
    let counts = rows.counts()?;
    let mut shown = Vec::new();
    rows.each(|row| {
        shown.push(row);
        Ok(())
    })?;
    if shown.is_empty() {
        let why = match &rows.asked {
            Some(asked) => told::nothing_with(&asked.shown, &asked.filter),
            None => why_empty(&counts, rows.blind.is_some()),
        };
        out.text(&one_line(&why))?;
        return Ok(Exit::Fine);
    }
    let width = out.columns();
    for line in table(&shown, width) {
        out.text(&line)?;
    }
    for sentence in shown.iter().filter_map(|row| row.damage.as_deref()) {
        out.error(sentence);
    }
    let length = shown.len();
    if let Some(asked) = &rows.asked {
        let all = rows.store.found_count(&asked.filter, rows.now)?;
        if (length as u64) < all {
            out.note(&format!("the first {length} of {all} claims found: --limit 0 shows all"));
        }
    } else if let Some(key) = rows.same {
        let all = rows.store.same_claims(key, &rows.annotator, rows.now)?.len();
        if length < all {
            out.note(&format!("the first {length} of {all} claims that are the same: --limit 0 shows all"));
        }
        if all >= Store::MOST_SAME {
            out.note(&same_is_cut());
        }
    } else if (length as u64) < counts.open.saturating_sub(counts.deferred) {
        out.note(&format!(
            "{length} of {} open claims: --limit 0 shows all, `juror review` opens them",
            counts.open
        ));
    }
    Ok(Exit::Fine)
}

fn json(rows: &Rows<'_>, out: &mut Output) -> anyhow::Result<Exit> {
    let mut before = "[";
    rows.each(|row| {
        out.bytes(std::mem::replace(&mut before, ",\n ").as_bytes())?;
        let export = export(rows, &row)?;
        let (row, claim) = match export {
            Ok(claim) => (row, Some(claim)),
            Err(sentence) => {
                out.error(&sentence);
                (QueueRow { claim_text: sentence.clone(), damage: Some(sentence), ..row }, None)
            }
        };
        let (state, review) = (state_of(&row), review_of(&row, claim.as_ref()));
        let row = Row {
            audit_id: row.id.audit_id().clone(),
            id: row.id,
            claim_text: row.claim_text,
            verdict: row.verdict,
            severity: row.severity,
            human_verdict: row.rulings.first().copied().filter(|_| !row.disputed),
            human_severity: row.ruled_severity.filter(|_| !row.disputed),
            confidence: row.confidence,
            state,
            review,
            skipped: row.skipped,
            flagged: row.flagged,
            disputed: row.disputed,
            flags: claim.as_ref().map(|claim| claim.flags.clone()).unwrap_or_default(),
            deferred_until: row.deferred,
            held_until: row.held_by.as_ref().map(|hold| hold.until),
            held_by: row.held_by.map(|hold| hold.holder),
            arrived: row.arrived,
            why: claim.as_ref().map(|claim| claim.why.clone()).unwrap_or_default(),
            evidence: claim.into_iter().flat_map(|claim| claim.evidence).map(Into::into).collect(),
        };
        out.json_part(&row)?;
        Ok(out.still_read()?)
    })?;
    out.bytes(if before == "[" { b"[]\n" } else { b"]\n" })?;
    Ok(Exit::Fine)
}

/// The claim with its evidence, or a sentence when it cannot be read.
fn export(rows: &Rows<'_>, row: &QueueRow) -> Result<Result<ClaimExport, String>, StoreError> {
    if let Some(sentence) = &row.damage {
        return Ok(Err(sentence.clone()));
    }
    match rows.store.claim_export(row.key) {
        Err(StoreError::Damaged { reason, .. }) => {
            Ok(Err(Damaged { what: format!("claim {}", row.id), claim: None, reason }.to_string()))
        }
        Ok(claim) => Ok(Ok(rows.without_hidden(claim, row))),
        Err(error) => Err(error),
    }
}

/// Which claims are asked for.
struct Rows<'a> {
    store: &'a Store,
    annotator: Annotator,
    /// At most so many.
    limit: usize,
    asked: Option<Asked>,
    /// Only what is the same as this claim.
    same: Option<ClaimKey>,
    /// How many people may judge a claim blind, where this is a blind review.
    blind: Option<u8>,
    now: Timestamp,
}

impl Rows<'_> {
    fn counts(&self) -> Result<QueueCounts, StoreError> {
        match self.blind {
            Some(overlap) => self.store.blind_counts(&self.annotator, overlap, self.now),
            None => self.store.queue_counts(&self.annotator, self.now),
        }
    }

    /// Without what the person may not see of it.
    fn without_hidden(&self, mut claim: ClaimExport, row: &QueueRow) -> ClaimExport {
        if row.sight != Sight::Open {
            claim.flags.retain(|flag| flag.annotator == self.annotator);
        }
        if row.sight == Sight::Hidden {
            claim.why.clear();
            claim.evidence.clear();
        }
        claim
    }

    /// The claims in order: what is looked for, or what is open.
    fn each(&self, mut each: impl FnMut(QueueRow) -> anyhow::Result<()>) -> anyhow::Result<()> {
        if self.asked.as_ref().is_some_and(|asked| asked.is_blank) {
            return Ok(());
        }
        if let Some(key) = self.same {
            let same = self.store.same_claims(key, &self.annotator, self.now)?;
            return same.into_iter().take(self.limit).try_for_each(each);
        }
        let mut at = PageAt::Top;
        let mut left = self.limit;
        while left > 0 {
            let page = match &self.asked {
                Some(asked) => {
                    self.store.found_page(&asked.filter, &self.annotator, at, left.min(FOUND), self.now)?
                }
                None => match self.blind {
                    Some(overlap) => {
                        self.store.blind_page(&self.annotator, overlap, at, left.min(PAGE), self.now)?
                    }
                    None => self.store.queue_page(&self.annotator, at, left.min(PAGE), self.now)?,
                },
            };
            let Some(last) = page.last().map(|row: &QueueRow| -> ClaimKey { row.key }) else { break };
            left -= page.len();
            page.into_iter().try_for_each(&mut each)?;
            at = PageAt::After(last);
        }
        Ok(())
    }
}

/// In place of what a person may not see yet.
const HIDDEN: &str = "HIDDEN";

fn state_of(row: &QueueRow) -> &'static str {
    match row.sight {
        _ if row.damage.is_some() => DAMAGED,
        Sight::Hidden => HIDDEN,
        Sight::Open | Sight::Revealed => row.state.label(),
    }
}

/// How far people are with it, as far as the person may know.
fn review_of(row: &QueueRow, claim: Option<&ClaimExport>) -> &'static str {
    match row.sight {
        Sight::Hidden => "OPEN",
        Sight::Revealed => "COMMITTED",
        Sight::Open if row.disputed => "DISPUTED",
        Sight::Open => {
            let counts = claim.and_then(|claim| claim.word().decision());
            let undecided = match claim {
                Some(claim) if claim.is_unrouted() => UNROUTED,
                _ if row.blocked => "BLOCKED",
                _ => "OPEN",
            };
            counts.map_or(undecided, |(_, decided)| decided.kind.label())
        }
    }
}
