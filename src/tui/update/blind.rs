//! Blind review on the screen: what is not possible while the judge is hidden, and the last word afterwards.
//!
//! What is hidden is not in the state of the screen at all; here are only the sentences that say so.

use crate::domain::blind::{Blind, Sight};
use crate::domain::decision::{HumanVerdict, Request, Ruling};
use crate::domain::event::Event;
use crate::domain::ids::ClaimKey;
use crate::domain::queue::{ClaimDetail, QueueRow};
use crate::domain::routing::ranked_severity;
use crate::domain::severity::Stakes;
use crate::domain::time::Timestamp;
use crate::domain::verdict::Score;
use crate::tui::app::{App, Selected};
use crate::tui::command::{Command, Place};
use crate::tui::effect::Effect;
use crate::tui::strokes::Committed;

use super::{decide, in_view, override_menu, queue, screens};

/// Why `command` is not possible in a blind review, or not yet.
pub(super) fn hindrance(app: &App, command: Command) -> Option<String> {
    let sight = app.detail().map(|detail| detail.sight);
    if command == Command::Keep && sight != Some(Sight::Revealed) {
        return Some("there is no blind verdict here to keep or change".to_owned());
    }
    app.settings.blind?;
    if let Some(why) = screens::hindrance_blind(app, command) {
        return Some(why);
    }
    let key = |command| app.settings.keymap.label(command, Place::Review);
    let verdicts = verdicts(app);
    match command {
        Command::Confirm if sight == Some(Sight::Hidden) => {
            Some(format!("blind: the judge is hidden until you have committed your own verdict, {verdicts}"))
        }
        Command::WhyHere | Command::Story | Command::Differences if sight == Some(Sight::Hidden) => {
            Some(format!("blind: this tells what the judge says; commit your verdict first, {verdicts}"))
        }
        Command::WhyHere | Command::Story if sight == Some(Sight::Revealed) => Some(format!(
            "blind: this tells what others say; keep or change your verdict first, {} or {verdicts}",
            key(Command::Keep)
        )),
        Command::Skip | Command::Defer if sight == Some(Sight::Revealed) => Some(format!(
            "you have seen the judge: keep or change your verdict now, {} or {verdicts}",
            key(Command::Keep)
        )),
        Command::Filter
        | Command::Search
        | Command::NextView
        | Command::PreviousView
        | Command::SaveView
        | Command::RemoveView
        | Command::SameClaim
        | Command::NewestCritical
        | Command::Exchanges => Some("not in a blind review: it would tell what is hidden".to_owned()),
        Command::AddClaim | Command::SplitClaim | Command::MergeClaims => {
            Some("not in a blind review: others have to judge the same claims".to_owned())
        }
        Command::Mark | Command::MarkRange | Command::ActOnMarked | Command::Repeat => {
            Some("not in a blind review: each claim is judged by itself".to_owned())
        }
        Command::Dispose | Command::BlockAnswer | Command::StayWithAnswer => Some(
            "not in a blind review: what becomes of the answer is for those who see all that is said of it"
                .to_owned(),
        ),
        _ => None,
    }
}

/// The claim under the cursor, where the verdict that was committed on it is neither kept nor changed, and what is said when
/// the person goes on without that.
pub(super) fn unkept(app: &App) -> Option<(ClaimKey, String)> {
    let detail = app.detail().filter(|detail| detail.sight == Sight::Revealed)?;
    let key = |command| app.settings.keymap.label(command, Place::Review);
    let (keep, top) = (key(Command::Keep), key(Command::FirstClaim));
    Some((detail.key, format!("{} is not kept yet: {top} goes to it, {keep} keeps it", detail.id)))
}

/// The keys that commit or change a verdict: `1 to 5, 0`.
fn verdicts(app: &App) -> String {
    let key = |command| app.settings.keymap.label(command, Place::Review);
    let (first, last) = (key(Command::VerdictFully), key(Command::VerdictCannotJudge));
    format!("{first} to {last}, {}", key(Command::VerdictNotAClaim))
}

/// Keeps the verdict that was committed.
pub(super) fn keep(app: &mut App, now: Timestamp) -> Vec<Effect> {
    if !decide::may_decide(app, Command::Keep, now) {
        return Vec::new();
    }
    match kept(app) {
        Some(request) => decide::ask(app, request),
        None => Vec::new(),
    }
}

/// Whether the key for `command` keeps the verdict that was committed on the claim under the cursor.
pub(super) fn keeps(app: &App, command: Command) -> bool {
    let Some(blind) = app.detail().and_then(|detail| detail.standing.blind.as_ref()) else { return false };
    command == Command::Keep
        || override_menu::verdict_of(command) == Some(blind.ruling.verdict) && blind.ruling.score.is_none()
        || blind.ruling.score.is_some() && super::score::score_of(command) == blind.ruling.score
}

/// What keeping the committed verdict asks for.
pub(super) fn kept(app: &App) -> Option<Request> {
    let claim = app.claim.as_ref()?;
    let detail = claim.detail()?;
    let blind = detail.standing.blind.as_ref().filter(|_| detail.standing.awaits_word())?;
    Some(Request::keep(&blind.ruling, &detail.outcome, claim.stakes))
}

/// What one key for `verdict` asks for, where the claim is judged blind; the same as before keeps it.
pub(super) fn request_for(app: &App, verdict: HumanVerdict) -> Option<Request> {
    let detail = app.detail()?;
    match (detail.sight, &detail.standing.blind) {
        (Sight::Hidden, _) => Some(Request::Override(Ruling::only(verdict))),
        (Sight::Revealed, Some(blind)) if blind.ruling.verdict == verdict => kept(app),
        // The words they chose stay their evidence.
        (Sight::Revealed, Some(Blind { ruling: Ruling { evidence: Some(evidence), .. }, .. })) => {
            let stakes = app.claim.as_ref()?.stakes;
            let evidence = Some(evidence.clone());
            Some(Request::Override(Ruling { evidence, ..Ruling::proposed(verdict, &detail.outcome, stakes) }))
        }
        _ => None,
    }
}

/// The same for the score of a claim with its source.
pub(super) fn request_for_score(app: &App, score: Score) -> Option<Request> {
    let detail = app.detail()?;
    let verdict = score.verdict().into();
    match (detail.sight, &detail.standing.blind) {
        (Sight::Hidden, _) => Some(Request::Override(Ruling { score: Some(score), ..Ruling::only(verdict) })),
        (Sight::Revealed, Some(blind)) if blind.ruling.score == Some(score) => kept(app),
        (Sight::Revealed, Some(Blind { ruling: Ruling { evidence: Some(evidence), .. }, .. })) => {
            let stakes = app.claim.as_ref()?.stakes;
            let evidence = Some(evidence.clone());
            Some(Request::Override(Ruling { evidence, ..Ruling::scored(score, &detail.outcome, stakes) }))
        }
        _ => None,
    }
}

/// What the person said blind, as what a menu begins with after the reveal.
pub(super) fn said(detail: &ClaimDetail, stakes: Stakes) -> Option<Ruling> {
    let blind = detail.standing.blind.as_ref().filter(|_| detail.standing.awaits_word())?;
    let first = &blind.ruling;
    let proposed = match first.score {
        Some(score) => Ruling::scored(score, &detail.outcome, stakes),
        None => Ruling::proposed(first.verdict, &detail.outcome, stakes),
    };
    Some(Ruling {
        verdict: first.verdict,
        severity: first.severity.or(proposed.severity),
        hallucination_type: first.hallucination_type.or(proposed.hallucination_type),
        score: first.score,
        evidence: first.evidence.clone(),
    })
}

/// Says what a decision rests on where that may not be what the person had in mind.
pub(super) fn remark(detail: Option<&ClaimDetail>, event: &Event) -> Option<String> {
    let ruling = event.ruling()?;
    let chosen = ruling.evidence.as_deref().filter(|chosen| !chosen.is_empty())?;
    let first = &detail?.standing.blind.as_ref()?.ruling;
    let is_carried = (first.verdict, first.score) != (ruling.verdict, ruling.score)
        && first.evidence.as_deref() == Some(chosen);
    is_carried.then(|| match chosen.len() {
        1 => "changed; your span stays its evidence".to_owned(),
        count => format!("changed; your {count} spans stay its evidence"),
    })
}

/// What is asked of the store for `request`: a ruling on what is hidden commits it.
pub(super) fn committing(app: &App, claim: ClaimKey, request: Request) -> Request {
    let is_hidden = app.detail().is_some_and(|detail| detail.key == claim && detail.sight == Sight::Hidden);
    match (request, app.settings.blind) {
        (Request::Override(ruling), Some(overlap)) if is_hidden => Request::Blind { ruling, overlap },
        (request, _) => request,
    }
}

/// A verdict was committed: the judge is shown, and has to be looked at before the last word counts.
pub(super) fn committed(app: &mut App, claim: ClaimKey, event: &Event, now: Timestamp) -> Vec<Effect> {
    // A note or a line that was opened while this was being saved is not part of it.
    decide::close_ruled(app, claim);
    in_view::look_anew(app);
    let is_hidden = |claim: &Selected| claim.detail().is_some_and(|detail| detail.sight == Sight::Hidden);
    let here = app.claim.as_ref().filter(|here| here.key == claim && is_hidden(here));
    app.strokes.committed = Some(Committed { claim, at: now, stakes: here.map(|claim| claim.stakes) });
    let (keep, verdicts) = (app.settings.keymap.label(Command::Keep, Place::Review), verdicts(app));
    let verdict = event.ruling().map_or("", |ruling| ruling.verdict.label());
    let remark = remark(None, event).map_or(String::new(), |remark| format!(" · {remark}"));
    let known =
        event.known_from().map_or(String::new(), |id| format!(" · not independent: you know it from {id}"));
    let text = format!("committed {verdict}: {keep} keeps it, {verdicts} change it{remark}{known}");
    super::tell(app, text, now);
    queue::refresh(app)
}

/// A row as the detail has it.
pub(super) fn row_of(detail: &ClaimDetail) -> QueueRow {
    let judged = detail.outcome.judged();
    let given = judged.and_then(|judged| judged.severity);
    let ranked = ranked_severity(detail.outcome.state(), given, detail.record.risk_level, &detail.why);
    QueueRow {
        key: detail.key,
        id: detail.id.clone(),
        claim_text: detail.claim_text.clone(),
        state: detail.outcome.state(),
        verdict: judged.map(|judged| judged.verdict),
        severity: ranked.filter(|_| detail.sight != Sight::Hidden),
        confidence: judged.map(|judged| judged.confidence),
        arrived: detail.arrived,
        skipped: detail.standing.skipped,
        flagged: !detail.flags.is_empty(),
        escalated: detail.flags.iter().any(|flag| flag.escalated),
        deferred: detail.standing.deferred,
        decided: detail.standing.decided.clone(),
        held_by: detail.held_by.clone(),
        begun: detail.draft.is_some() || !detail.begun.is_empty(),
        blocked: detail.is_blocked(),
        sight: detail.sight,
        disputed: detail.is_disputed(),
        rulings: detail.rulings(),
        ruled_severity: detail.ruled_severity(),
        damage: None,
    }
}
