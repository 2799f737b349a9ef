//! `juror review --plain`: the same review line by line, for screen readers, pipes and dumb terminals.
//!
//! One command a line; what is printed holds no escape sequence. A decision acts only on the claim that was printed
//! last, names the hashes of what was printed, and does not count when it was typed before anybody could have read that.
//! What a pipe brings waits until then.

mod asked;
mod blind;
mod otherwise;
mod told;
mod undo;

use std::collections::HashSet;
use std::io::{self, BufRead, IsTerminal, Read};

use super::{Context, Exit, Failure};
use crate::clock;
use crate::domain::blind::OVERLAP;
use crate::domain::decision::{Basis, Disposition, HumanVerdict, ReasonCode, Request, Ruling, Standing};
use crate::domain::event::Act;
use crate::domain::ids::{ClaimId, ClaimKey};
use crate::domain::queue::ClaimDetail;
use crate::domain::time::Timestamp;
use crate::domain::until;
use crate::domain::verdict::Score;
use crate::domain::word::Known;
use crate::instrument::faithfulness::stakes;
use crate::store::{Disposing, Durability, PageAt, Store, StoreError};
use crate::text::sanitize::visible;
use asked::{Asked, Command};
use otherwise::saved;

/// The longest line that is read, in bytes: longer than any note may be.
const LONGEST_LINE: u64 = 128 * 1024;
/// Rows of the queue read at once.
const PAGE: usize = 50;

/// Reviews until the input ends or the person quits.
pub(super) fn run(open: Option<&ClaimId>, context: &mut Context) -> anyhow::Result<Exit> {
    if context.out.wants_json() {
        let sentence = "--plain is for people: in scripts use `juror queue --json` and `juror decide`";
        return Err(Failure::bad_input(sentence).into());
    }
    let db = &context.config.db.value;
    if !db.exists() {
        return Err(StoreError::Missing(db.clone()).into());
    }
    let store = context.open_store(Durability::Full)?;
    let mut desk = Desk {
        store,
        blind: context.config.blind.value.then_some(context.config.overlap.value),
        is_person: io::stdin().is_terminal(),
        shown: None,
        passed: Vec::new(),
        last: None,
        known: HashSet::new(),
        offered: None,
        told: None,
        telling: None,
        quiet_since: context.clock.now(),
        was_refused: false,
        context,
    };
    let annotator = desk.context.config.annotator.value.clone();
    let (before, began) = (desk.counts()?.decided_by_me, desk.store.head()?.0);
    match open {
        Some(id) => {
            let key = desk.store.claim_key(id)?;
            desk.show(key)?;
        }
        None => desk.next()?,
    }
    let done = desk.attend(io::stdin().lock());
    // A claim that cannot be given back runs out by itself.
    let _ = desk.store.release_claims(None);
    done?;
    let counts = desk.counts()?;
    let drafts = desk.store.drafts_of(&annotator)?;
    let answers = desk.store.answers_disposed_since(&annotator, began)?;
    let exit = if desk.was_refused && !desk.is_person { Exit::BadInput } else { Exit::Fine };
    let told = super::review::parting(before, &counts, answers, &drafts, "v", context);
    context.out.note(&told);
    Ok(exit)
}

/// The claim that was printed last.
struct Shown {
    detail: Box<ClaimDetail>,
    at: Timestamp,
    /// Why it cannot be decided now.
    held: Option<String>,
}

struct Desk<'a> {
    store: Store,
    context: &'a mut Context,
    /// How many people may judge a claim blind, where this is a blind review.
    blind: Option<u8>,
    /// Whether a person types the lines.
    is_person: bool,
    shown: Option<Shown>,
    /// Claims that were passed over in this round of the queue.
    passed: Vec<ClaimKey>,
    /// The claim of the last decision, to which a reason is given.
    last: Option<(ClaimKey, ClaimId)>,
    /// The events of this session, recorded or taken back: of others, undo and redo first tell which they are.
    known: HashSet<i64>,
    offered: Option<undo::Offer>,
    /// What the line before was told of rulings that stand, and what this one is told.
    told: Option<otherwise::Told>,
    telling: Option<otherwise::Told>,
    /// When the last line was read.
    quiet_since: Timestamp,
    /// Whether a line could not be obeyed.
    was_refused: bool,
}

impl Desk<'_> {
    fn now(&self) -> Timestamp {
        self.context.clock.now()
    }

    /// One line for people, whatever it quotes.
    fn say(&mut self, text: &str) -> io::Result<()> {
        self.context.out.text(&visible(text))
    }

    fn refuse(&mut self, text: &str) -> io::Result<()> {
        self.was_refused = true;
        self.say(text)
    }

    /// Reads and obeys line after line.
    fn attend(&mut self, mut input: impl BufRead) -> anyhow::Result<()> {
        loop {
            self.context.out.flush()?;
            let mut line = Vec::new();
            (&mut input).take(LONGEST_LINE).read_until(b'\n', &mut line)?;
            if line.is_empty() {
                return Ok(());
            }
            let Ok(text) = std::str::from_utf8(&line) else {
                self.refuse("that line is not UTF-8: nothing was done")?;
                continue;
            };
            let asked = asked::read(text.trim());
            let is_new = self.is_new_line(asked.as_ref().is_ok_and(Asked::records));
            match asked {
                Err(sentence) => self.refuse(&sentence)?,
                Ok(Asked { command: Command::Quit, .. }) => return Ok(()),
                Ok(asked) if asked.records() && !is_new => {
                    let least = self.context.config.min_visible.value.as_millis();
                    self.refuse(&format!(
                        "dropped: a line counts when it comes {least} ms or more after the one before and after the \
                         claim was printed; nothing was recorded"
                    ))?;
                }
                Ok(asked) => match self.obey(asked) {
                    Ok(()) => {}
                    // Somebody else's work, or a rule: said, and the review goes on.
                    Err(error) => match error.downcast::<StoreError>() {
                        Ok(
                            error @ (StoreError::Refused(_)
                            | StoreError::Held { .. }
                            | StoreError::NoSuchClaim(_)
                            | StoreError::NoSuchRecord(_)),
                        ) => {
                            self.refuse(&format!("not done: {error}"))?;
                        }
                        Ok(error) => return Err(error.into()),
                        Err(error) => return Err(error),
                    },
                },
            }
        }
    }

    /// Whether the line that was just read can be an answer to what was printed. A flood of lines that is typed is none;
    /// what a pipe brings was written by somebody who knows what comes, and waits until it could have been read.
    fn is_new_line(&mut self, records: bool) -> bool {
        let now = self.now();
        let least = self.context.config.min_visible.value;
        if !self.is_person {
            let shown = self.shown.as_ref().filter(|_| records).map(|shown| now.since(shown.at));
            if let Some(early) = shown.and_then(|since| least.checked_sub(since)) {
                std::thread::sleep(early);
            }
            return true;
        }
        let printed = self.shown.as_ref().map_or(self.quiet_since, |shown| shown.at);
        let since = printed.max(self.quiet_since);
        self.quiet_since = now;
        least.is_zero() || now.since(since) >= least
    }

    fn obey(&mut self, asked: Asked<'_>) -> anyhow::Result<()> {
        if !matches!(asked.command, Command::Undo | Command::Redo) {
            self.offered = None;
        }
        self.told = self.telling.take();
        if let Some(why) = self.hindrance(&asked.command) {
            return Ok(self.refuse(&why)?);
        }
        match asked.command {
            Command::Again => self.print(),
            Command::Confirm => self.decide(&Request::Confirm),
            Command::Keep => self.keep(),
            Command::Verdict(verdict) => self.rule(verdict, &asked),
            Command::Digit(digit) => self.digit(digit, &asked),
            Command::Note(text) => self.decide(&Request::Annotate { note: text.to_owned() }),
            Command::Reason(reason) => self.give_reason(reason),
            Command::Skip => self.decide(&Request::Skip(!self.standing().skipped)),
            Command::Flag => self.decide(&Request::Flag(self.standing().flag.is_none())),
            Command::Escalate(note) => self.decide(&Request::Escalate { note: note.to_owned(), to: None }),
            Command::Defer(time) => match until::read(time, self.now(), &clock::zone()) {
                Ok(until) => self.decide(&Request::Defer { until }),
                Err(why) => Ok(self.refuse(&format!("not deferred: {why}"))?),
            },
            Command::Undo => self.undo(),
            Command::Redo => self.redo(),
            Command::Dispose(disposition, why) => self.dispose(disposition, why),
            Command::Next => {
                if let Some(shown) = &self.shown {
                    self.passed.push(shown.detail.key);
                }
                self.next()
            }
            Command::Go(id) => {
                let key = self.store.claim_key(&id)?;
                self.show(key)
            }
            Command::Whole => self.whole(|detail| [told::answer(detail), told::evidence(detail)].concat()),
            Command::Help => {
                for line in asked::HELP {
                    self.say(line)?;
                }
                for reason in ReasonCode::ALL {
                    self.say(&format!("  r {}    {}: {}", reason.key(), reason, reason.sentence()))?;
                }
                Ok(())
            }
            Command::Quit => Ok(()),
        }
    }

    /// Prints a text of the claim as a whole.
    fn whole(&mut self, of: impl Fn(&ClaimDetail) -> Vec<String>) -> anyhow::Result<()> {
        let lines = self.shown.as_ref().map(|shown| of(&shown.detail));
        let lines = lines.unwrap_or_else(|| vec![NO_CLAIM.to_owned()]);
        Ok(lines.iter().try_for_each(|line| self.say(line))?)
    }

    /// Goes to the open claim that stands first of those that were not passed over.
    fn next(&mut self) -> anyhow::Result<()> {
        for round in 0..2 {
            let mut at = PageAt::Top;
            loop {
                let rows = self.page(at, PAGE)?;
                let Some(last) = rows.last() else { break };
                at = PageAt::After(last.key);
                let free = rows.iter().find(|row| {
                    row.held_by.is_none() && row.damage.is_none() && !self.passed.contains(&row.key)
                });
                if let Some(row) = free {
                    return self.show(row.key);
                }
            }
            if self.passed.is_empty() {
                break;
            }
            if round == 0 {
                self.passed.clear();
                self.say("That was the last open claim: from the top again.")?;
            }
        }
        self.shown = None;
        let counts = self.counts()?;
        let why = if counts.open > counts.deferred {
            format!("{} open claims, all in other hands or damaged: see `juror queue`", counts.open)
        } else {
            super::queue::why_empty(&counts, self.blind.is_some())
        };
        Ok(self.say(&why)?)
    }

    /// Reads the claim, takes it in hand, and prints it.
    fn show(&mut self, key: ClaimKey) -> anyhow::Result<()> {
        self.store.release_claims(Some(key))?;
        let held = self.hold(key)?;
        let detail = Box::new(self.detail(key)?);
        self.shown = Some(Shown { detail, at: self.now(), held });
        self.print()
    }

    /// Takes the claim in hand; why not, where somebody else has it.
    fn hold(&mut self, key: ClaimKey) -> anyhow::Result<Option<String>> {
        match self.take(key) {
            Ok(()) => Ok(None),
            Err(error @ StoreError::Held { .. }) => Ok(Some(error.to_string())),
            Err(error) => Err(error.into()),
        }
    }

    /// Prints the claim; from now on it can be decided.
    fn print(&mut self) -> anyhow::Result<()> {
        let Some(shown) = &self.shown else { return Ok(self.say(NO_CLAIM)?) };
        let mut lines = told::claim(&shown.detail);
        lines.extend(shown.held.iter().map(|held| format!("Cannot be decided: {held}.")));
        lines.push(told::progress(&self.counts()?, self.blind.is_some()));
        if self.is_person {
            lines.push("Your command, ? lists them:".to_owned());
        }
        self.say("")?;
        lines.iter().try_for_each(|line| self.say(line))?;
        self.context.out.flush()?;
        let now = self.now();
        if let Some(shown) = &mut self.shown {
            shown.at = now;
        }
        Ok(())
    }

    /// A digit sets a verdict, or the score of a claim with its source.
    fn digit(&mut self, digit: u8, asked: &Asked<'_>) -> anyhow::Result<()> {
        let shown = self.shown.as_ref().filter(|shown| shown.detail.is_pair);
        if let (Some(shown), Some(score)) = (shown, Score::new(digit)) {
            let detail = &shown.detail;
            let stakes = stakes(&**detail);
            let overlap = self.blind.unwrap_or(OVERLAP);
            let request = blind::ruled(detail, &blind::scored(score), stakes, overlap)
                .unwrap_or_else(|| Request::score(score, &detail.outcome, stakes));
            return self.decide(&request);
        }
        let verdict = HumanVerdict::ALL.get(usize::from(digit).saturating_sub(1)).copied();
        self.rule(verdict.unwrap_or(HumanVerdict::CannotJudge), asked)
    }

    fn rule(&mut self, verdict: HumanVerdict, asked: &Asked<'_>) -> anyhow::Result<()> {
        let Some(shown) = &self.shown else { return Ok(self.refuse(NO_CLAIM)?) };
        let detail = &shown.detail;
        let stakes = stakes(&**detail);
        let own = Ruling {
            severity: asked.severity,
            hallucination_type: asked.hallucination_type,
            ..Ruling::only(verdict)
        };
        let own = blind::ruled(detail, &own, stakes, self.blind.unwrap_or(OVERLAP));
        let request = if let Some(own) = own {
            own
        } else if detail.is_pair {
            // The store says why a verdict will not do.
            Request::Override(Ruling::proposed(verdict, &detail.outcome, stakes))
        } else {
            Request::rule(verdict, asked.severity, asked.hallucination_type, &detail.outcome, stakes)
        };
        self.decide(&request)
    }

    /// Keeps the verdict that was committed before the judge was shown.
    fn keep(&mut self) -> anyhow::Result<()> {
        let kept = self.shown.as_ref().and_then(|shown| {
            let detail = &shown.detail;
            blind::kept(detail, stakes(&**detail))
        });
        match kept {
            Some(request) => self.decide(&request),
            None => Ok(self.refuse(NO_CLAIM)?),
        }
    }

    /// Where the person stands on the claim that was printed, as it was then.
    fn standing(&self) -> Standing {
        self.shown.as_ref().map_or_else(Standing::default, |shown| shown.detail.standing.clone())
    }

    /// Records `request` about the claim that was printed, and goes on where that decides it.
    fn decide(&mut self, request: &Request) -> anyhow::Result<()> {
        let Some(shown) = &self.shown else { return Ok(self.refuse(NO_CLAIM)?) };
        let (key, id, seen) = (shown.detail.key, shown.detail.id.clone(), shown.detail.seen.clone());
        // The hold may have run out while the claim was read, and somebody else may have it now.
        if let Some(held) = self.hold(key)? {
            return Ok(self.refuse(&format!("not done: {held}"))?);
        }
        let detail = self.detail(key)?;
        if let Some(question) = self.confirms_over_own(&detail, request) {
            return Ok(self.say(&question)?);
        }
        let actor = self.context.actor();
        let told = self.others_told(key, request);
        let basis = Basis { seen: Some(&seen), against: Known::Events(&told), ..Basis::default() };
        let event = match self.store.decide(key, request, basis, &actor, self.now()) {
            Err(StoreError::Opposed { opposed, .. }) => {
                let question = self.opposed(key, request, &opposed);
                return Ok(self.say(&question)?);
            }
            recorded => recorded?,
        };
        self.known.insert(event.seq);
        self.say(&saved(&event))?;
        match event.act {
            Act::Confirm | Act::Override => {
                self.last = Some((key, id));
                self.disposable(key)?;
                self.next()
            }
            Act::Blind => {
                self.last = Some((key, id));
                // Now it is printed with the judge, and has to be read before the last word counts.
                self.show(key)?;
                let told = self.shown.as_ref().map(|shown| blind::committed(&shown.detail));
                Ok(told.map_or(Ok(()), |told| self.say(&told))?)
            }
            Act::Skip | Act::Defer => self.next(),
            _ => self.read_again(key),
        }
    }

    /// Says when the answer's claims are all decided now.
    fn disposable(&mut self, key: ClaimKey) -> anyhow::Result<()> {
        if self.blind.is_some() {
            return Ok(());
        }
        let detail = self.detail(key)?;
        let is_open = detail.siblings.iter().any(|claim| claim.routed && !claim.decided);
        if !is_open && detail.disposition.is_none() {
            let id = &detail.record.audit_id;
            self.say(&format!(
                "All claims of {id} are decided: `juror decide '{id}' --dispose RELEASE`, RETURN or BLOCK; or `g {}`, then \
                 `d RELEASE`",
                detail.id
            ))?;
        }
        Ok(())
    }

    /// What is known of the printed claim now; it need not be printed again for what the person did themselves.
    fn read_again(&mut self, key: ClaimKey) -> anyhow::Result<()> {
        let detail = self.detail(key)?;
        if let Some(shown) = &mut self.shown
            && shown.detail.seen == detail.seen
        {
            *shown.detail = detail;
        }
        Ok(())
    }

    fn give_reason(&mut self, reason: ReasonCode) -> anyhow::Result<()> {
        let Some((key, _)) = self.last.clone() else {
            return Ok(self.refuse("no decision of this session to give a reason for")?);
        };
        let actor = self.context.actor();
        let event =
            self.store.decide(key, &Request::GiveReason(reason), Basis::default(), &actor, self.now())?;
        self.known.insert(event.seq);
        Ok(self.say(&saved(&event))?)
    }

    fn dispose(&mut self, disposition: Disposition, why: &str) -> anyhow::Result<()> {
        let Some(shown) = &self.shown else { return Ok(self.refuse(NO_CLAIM)?) };
        let detail = &shown.detail;
        let (record, key, seen) = (detail.record_key, detail.key, detail.seen.clone());
        let actor = self.context.actor();
        let basis = Basis { seen: Some(&seen), ..Basis::default() };
        let note = (!why.is_empty()).then(|| why.to_owned());
        let asked = Disposing { note, replaces: detail.disposition.clone(), ..disposition.into() };
        let event = self.store.dispose(record, asked, basis, &actor, self.now())?;
        self.known.insert(event.seq);
        self.say(&saved(&event))?;
        self.read_again(key)
    }
}

const NO_CLAIM: &str = "there is no claim here: ] looks for one, q quits";
