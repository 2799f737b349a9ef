//! What is known about a claim besides its texts, each as a line or a few words.

use crate::domain::blind::Sight;
use crate::domain::decision::{Decided, DecisionKind, HumanVerdict};
use crate::domain::draft::DraftKind;
use crate::domain::finding::{AuditState, Outcome};
use crate::domain::queue::{ClaimDetail, Sibling};
use crate::domain::routing::ranked_severity;
use crate::domain::time::Timestamp;
use crate::domain::verdict::{Citation, MatchLevel, NoVerdict, Role as EvidenceRole, Severity};
use crate::tui::app::App;
use crate::tui::command::{Command, Place};
use crate::tui::screen::queue::list::{one_line, short};
use crate::tui::theme::Role;
use crate::tui::widget::badge;
use crate::tui::widget::phrase::Phrase;

/// `14:05 UTC`: the program stamps in UTC and says so.
pub(in crate::tui::screen) fn time(at: Timestamp) -> String {
    at.to_string().get(11..16).map_or_else(String::new, |time| format!("{time} UTC"))
}

/// `2026-11-29 14:05Z`: short, and still UTC.
fn day_and_time(at: Timestamp) -> String {
    let text = at.to_string();
    match (text.get(..10), text.get(11..16)) {
        (Some(day), Some(time)) => format!("{day} {time}Z"),
        _ => text,
    }
}

/// The severity that the claim is ranked by.
pub(super) fn severity(detail: &ClaimDetail) -> Option<Severity> {
    let given = detail.outcome.judged().and_then(|judged| judged.severity);
    ranked_severity(detail.outcome.state(), given, detail.record.risk_level, &detail.why)
}

/// That people disagree, and who can settle it; or who has.
pub(super) fn dispute(app: &App, detail: &ClaimDetail) -> Option<Phrase> {
    if detail.sight != Sight::Open {
        return None;
    }
    let me = &app.settings.annotator;
    if detail.is_disputed() {
        let is_party = detail.decisions.iter().any(|(who, _)| who == me);
        let words = if is_party || detail.standing.blind.is_some() {
            "open until you agree, or a third person settles it"
        } else if detail.decisions.len() > 1 {
            "people disagree: your ruling settles it"
        } else {
            return None;
        };
        return Some(Phrase::new().say(Role::Warning, words));
    }
    let who = detail.counts.as_ref().filter(|_| detail.is_settled)?;
    let who = if who == me { "you".to_owned() } else { short(&one_line(who.as_str()), 20) };
    Some(Phrase::new().say(Role::Text, format!("people disagreed: {who} settled it")))
}

pub(super) fn held(app: &App, detail: &ClaimDetail) -> Option<Phrase> {
    let hold = detail.held_by.as_ref()?;
    Some(Phrase::new().say(Role::Warning, one_line(&hold.said(&app.settings.zone))))
}

/// What the person chose as evidence before they were shown the judge, whose own stands in the passages.
pub(super) fn own_spans(detail: &ClaimDetail) -> Option<Phrase> {
    let blind = detail.standing.blind.as_ref().filter(|_| detail.sight == Sight::Revealed)?;
    let (first, more) = blind.ruling.evidence.as_deref()?.split_first()?;
    let (sign, role) = match first.role {
        EvidenceRole::Contradicts => ("≠ ", Role::Contradicts),
        _ => ("= ", Role::Supports),
    };
    let more = if more.is_empty() { String::new() } else { format!(", and {} more", more.len()) };
    let place = format!(" in {}{more}", one_line(first.passage_id.as_str()));
    Some(
        Phrase::new()
            .say(Role::Text, "your evidence ")
            .say(role, sign)
            .say(Role::Text, short(&one_line(&first.quote), 48))
            .say(Role::Muted, place),
    )
}

/// In a blind review: what is to be done, and what the person said before they were shown the judge.
pub(super) fn blind(app: &App, detail: &ClaimDetail) -> Option<Phrase> {
    let key = |command| app.settings.keymap.label(command, Place::Review);
    let keys = format!(
        "{}–{}, {}",
        key(Command::VerdictFully),
        key(Command::VerdictCannotJudge),
        key(Command::VerdictNotAClaim)
    );
    match (detail.sight, &detail.standing.blind) {
        (Sight::Hidden, _) => Some(
            Phrase::new()
                .say(Role::Key, keys)
                .say(Role::Text, " commits your verdict, then the judge is shown"),
        ),
        (Sight::Revealed, Some(blind)) => Some(
            Phrase::new()
                .say(Role::Text, "you said ")
                .join(badge::human(blind.ruling.verdict))
                .dot(Role::Key, key(Command::Keep))
                .say(Role::Text, " keeps it")
                .dot(Role::Key, keys)
                .say(Role::Text, " change it"),
        ),
        (Sight::Open, Some(blind)) => {
            Some(Phrase::new().say(Role::Muted, "you first said ").join(badge::human(blind.ruling.verdict)))
        }
        _ => None,
    }
}

/// What the keys of a blind verdict mean, for who does not know them by heart. Of a pair they are scores.
pub(super) fn blind_keys(app: &App, detail: &ClaimDetail) -> Vec<Phrase> {
    if detail.sight != Sight::Hidden || detail.is_pair {
        return Vec::new();
    }
    let of = |(command, verdict): &(Command, HumanVerdict)| {
        let key = app.settings.keymap.label(*command, Place::Review);
        // In small letters and without a sign: no verdict of anybody stands there.
        let word = badge::human_word(*verdict).to_lowercase();
        Phrase::new().say(Role::Key, key).say(Role::Text, format!(" {word}"))
    };
    let line = |some: &[_]| some.iter().map(of).reduce(|line, next| line.say(Role::Text, "  ").join(next));
    VERDICTS.chunks(3).filter_map(line).collect()
}

const VERDICTS: [(Command, HumanVerdict); 6] = [
    (Command::VerdictFully, HumanVerdict::FullySupported),
    (Command::VerdictPartially, HumanVerdict::PartiallySupported),
    (Command::VerdictUnsupported, HumanVerdict::Unsupported),
    (Command::VerdictContradicted, HumanVerdict::Contradicted),
    (Command::VerdictCannotJudge, HumanVerdict::CannotJudge),
    (Command::VerdictNotAClaim, HumanVerdict::NotAClaim),
];

/// That a blind verdict counts for nothing, also the one that is about to be given.
pub(super) fn dependent(detail: &ClaimDetail) -> Option<Phrase> {
    let text = match (detail.sight, &detail.standing.blind) {
        (Sight::Hidden, _) if detail.standing.saw_the_judge => {
            "you have seen the judge: not independent, a third person is asked"
        }
        (Sight::Revealed, Some(blind)) if !blind.fills => "not independent: a third person is asked",
        (Sight::Revealed, Some(blind)) if !blind.independent => {
            "not independent: you know the judge's word from another answer"
        }
        _ => return None,
    };
    Some(Phrase::new().say(Role::Warning, text))
}

/// Why the judge says so, or why it says nothing.
pub(in crate::tui::screen) fn why(detail: &ClaimDetail) -> String {
    if detail.sight == Sight::Hidden {
        return "hidden until you have committed a verdict".to_owned();
    }
    match &detail.outcome {
        Outcome::Judged(judged) | Outcome::Ungrounded(judged) => {
            if judged.rationale.trim().is_empty() {
                "the judge gives no reason".to_owned()
            } else {
                one_paragraph(&judged.rationale)
            }
        }
        Outcome::NotJudged { reason, .. } => one_paragraph(reason),
    }
}

fn one_paragraph(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The judge's quote where the passage does not say quite that.
pub(super) fn quote(citation: Option<&Citation>) -> Option<String> {
    let citation =
        citation.filter(|citation| matches!(citation.level, MatchLevel::Fuzzy | MatchLevel::NotFound))?;
    let said = short(&one_paragraph(&citation.quote), 600);
    Some(match citation.level {
        MatchLevel::NotFound => format!("not in {}: “{said}”", citation.passage_id),
        _ => format!("the judge wrote “{said}”"),
    })
}

pub(super) fn in_queue(detail: &ClaimDetail) -> String {
    if detail.sight == Sight::Hidden {
        return "in an order of your own, which says nothing about the claim".to_owned();
    }
    match detail.why.as_slice() {
        [] => "not routed: opened by its id".to_owned(),
        reasons => reasons.iter().map(|why| why.sentence()).collect::<Vec<_>>().join(" · "),
    }
}

/// What made the answer, as the record's metadata name it. A blind reviewer is not told.
pub(super) fn bot(detail: &ClaimDetail) -> Option<Phrase> {
    Some(Phrase::new().say(Role::Text, named_bot(detail)?))
}

fn named_bot(detail: &ClaimDetail) -> Option<String> {
    let bot = detail.record.bot();
    (!bot.is_empty() && detail.sight != Sight::Hidden).then(|| one_line(&bot.join(" · ")))
}

/// Who judged, in at most `width` cells: what does not fit whole is left out, the date first. `log` is the key to
/// the exchanges with a model, where there were any. `tells_bot`: what made the answer has no line of its own.
pub(super) fn judge(detail: &ClaimDetail, log: &str, width: u16, tells_bot: bool) -> Phrase {
    if detail.sight == Sight::Hidden {
        return Phrase::new().say(Role::Muted, "hidden");
    }
    if detail.outcome.state() == AuditState::NoVerdict(NoVerdict::Added) {
        return Phrase::new().say(Role::Muted, "none: a person made the claim");
    }
    let judge = &detail.judge;
    let mut line = Phrase::new().say(Role::Text, one_line(&judge.judge));
    match detail.exchanges {
        0 => {}
        1 => line = line.dot(Role::Text, "1 exchange").dot(Role::Key, log),
        count => line = line.dot(Role::Text, format!("{count} exchanges")).dot(Role::Key, log),
    }
    let mut parts = Vec::new();
    let version = one_line(&judge.prompt_version);
    // The local judge's version names its model and the hash of its rules already.
    if !judge.model.is_empty() && version.starts_with(&judge.model) {
        parts.push((Role::Text, short(&version, 24)));
    } else {
        if judge.model != judge.judge {
            parts.push((Role::Text, one_line(&judge.model)));
        }
        if !version.is_empty() {
            parts.push((Role::Muted, format!("prompt {}", short(&version, 20))));
        }
    }
    if let Some(hash) = judge.prompt_sha256.get(..8).filter(|hash| !version.contains(hash)) {
        match parts.last_mut() {
            Some((_, last)) => *last = format!("{last} {hash}"),
            None => parts.push((Role::Muted, hash.to_owned())),
        }
    }
    let judged = detail.outcome.judged();
    if let Some(score) = judged.and_then(|judged| judged.support) {
        parts.push((Role::Text, format!("support {}/5", score.get())));
    }
    if let Some(kind) = judged.and_then(|judged| judged.hallucination_type) {
        parts.push((Role::Text, kind.label().to_lowercase().replace('_', " ")));
    }
    if let Some(bot) = named_bot(detail).filter(|_| tells_bot) {
        parts.push((Role::Text, format!("bot {bot}")));
    }
    parts.push((Role::Muted, detail.audited_at.to_string().get(..10).unwrap_or_default().to_owned()));
    for (role, part) in parts {
        let longer = line.clone().dot(role, part);
        if longer.width() > width {
            break;
        }
        line = longer;
    }
    line
}

/// Standing decisions of everybody, the flag, and what was decided about the answer, in lines of `width` cells.
pub(super) fn decisions(detail: &ClaimDetail, width: u16) -> Vec<Phrase> {
    let mut lines: Vec<Phrase> = detail
        .decisions
        .iter()
        .flat_map(|(who, decided)| decision(decided, who.as_str(), is_kept(detail, decided), width))
        .collect();
    let mut marks = Phrase::new();
    for flag in &detail.flags {
        let who = short(&one_line(flag.annotator.as_str()), 20);
        if !flag.escalated {
            marks = marks.dot(Role::Warning, format!("flagged for adjudication by {who}"));
            continue;
        }
        let to = flag.to.as_ref().map_or(String::new(), |to| format!(" to {}", short(&one_line(to), 30)));
        let note = flag.note.as_deref().map_or_else(|| "(erased)".to_owned(), one_line);
        lines.push(
            Phrase::new()
                .say(Role::Warning, format!("E escalated{to}: "))
                .say(Role::Text, note)
                .dot(Role::Muted, format!("{who} {}", day_and_time(flag.at))),
        );
    }
    if let Some(until) = detail.standing.deferred {
        marks = marks.dot(Role::Muted, format!("deferred until {}", day_and_time(until)));
    }
    if detail.standing.skipped {
        marks = marks.dot(Role::Muted, "skipped");
    }
    if !marks.is_empty() {
        lines.push(marks);
    }
    if let Some(given) = &detail.disposition {
        let who = who_when(given.annotator.as_str(), given.at);
        lines.push(who.say(Role::Ok, given.disposition.done()).say(Role::Text, " the answer"));
    }
    lines
}

/// `line` with the severity after a dot; the sign of LOW is a dot already.
pub(in crate::tui::screen) fn with_severity(line: Phrase, severity: Option<Severity>) -> Phrase {
    let word = badge::severity_word(severity);
    match severity {
        None => line,
        Some(Severity::Low) => line.say(Role::Text, " ").join(word),
        Some(_) => line.say(Role::Muted, " · ").join(word),
    }
}

/// `ana 2026-11-29 14:05Z `: who did what follows, and when.
fn who_when(who: &str, at: Timestamp) -> Phrase {
    Phrase::new()
        .say(Role::Text, short(&one_line(who), 20))
        .say(Role::Muted, format!(" {} ", day_and_time(at)))
}

/// Whether it is the person's own and as they said before they were shown the judge.
fn is_kept(detail: &ClaimDetail, decided: &Decided) -> bool {
    let standing = &detail.standing;
    let is_own = standing.decided.as_ref().is_some_and(|own| own.seq == decided.seq);
    is_own && standing.blind.as_ref().is_some_and(|blind| blind.ruling.verdict == decided.ruling.verdict)
}

/// What stands comes first, then who decided, and when and why: each part whole, on a second line where the first has no
/// room for it.
fn decision(decided: &Decided, who: &str, is_kept: bool, width: u16) -> Vec<Phrase> {
    let verb = match decided.kind {
        _ if is_kept => "blind, kept",
        DecisionKind::Confirmed => "confirmed",
        DecisionKind::Overridden => "overridden",
    };
    let mut line = with_severity(badge::ruling(&decided.ruling), decided.ruling.severity);
    if let Some(kind) = decided.ruling.hallucination_type {
        line = line.dot(Role::Text, kind.label().to_lowercase().replace('_', " "));
    }
    let mut parts = vec![(Role::Text, format!("{verb} by {}", short(&one_line(who), 20)))];
    match decided.ruling.evidence.as_deref() {
        None => {}
        Some([]) => parts.push((Role::Text, "no evidence".to_owned())),
        Some([_]) => parts.push((Role::Text, "1 span".to_owned())),
        Some(chosen) => parts.push((Role::Text, format!("{} spans", chosen.len()))),
    }
    if let Some(reason) = decided.reason {
        parts.push((Role::Text, reason.sentence().to_owned()));
    }
    parts.push((Role::Muted, day_and_time(decided.at)));
    let mut lines = Vec::new();
    for (role, part) in parts {
        let longer = line.clone().dot(role, part.as_str());
        if longer.width() > width {
            lines.push(line);
            line = Phrase::new().say(Role::Text, "  ").say(role, part);
        } else {
            line = longer;
        }
    }
    lines.push(line);
    lines
}

/// `head` and `text`, in as many lines as that takes in `width` cells.
fn wrapped(head: Phrase, text: &str, width: u16) -> Vec<Phrase> {
    let mut lines = Vec::new();
    let mut line = head;
    let mut is_begun = false;
    for word in text.split_whitespace() {
        let longer =
            line.clone().say(Role::Text, if is_begun { format!(" {word}") } else { word.to_owned() });
        if is_begun && longer.width() > width {
            lines.push(line);
            line = Phrase::new().say(Role::Text, format!("  {word}"));
        } else {
            line = longer;
        }
        is_begun = true;
    }
    lines.push(line);
    lines
}

/// The draft, which `key` opens, and the latest notes, at most `most` lines of `width` cells.
pub(super) fn notes(detail: &ClaimDetail, key: &str, (width, most): (u16, usize)) -> Vec<Phrase> {
    let disposed = detail.disposition.iter().filter_map(|given| {
        let head = who_when(given.annotator.as_str(), given.at);
        let head = head.say(Role::Ok, given.disposition.done()).say(Role::Text, ": ");
        Some(wrapped(head, &one_line(given.note.as_deref()?), width))
    });
    let mut lines: Vec<Phrase> = disposed
        .chain(detail.notes.iter().rev().take(most).map(|note| {
            let text = note.text.as_deref().map_or_else(|| "(erased)".to_owned(), one_line);
            wrapped(who_when(note.annotator.as_str(), note.at), &text, width)
        }))
        .flatten()
        .collect();
    if let Some(draft) = &detail.draft {
        let line = Phrase::new()
            .say(Role::Warning, "draft, to finish: ")
            .say(Role::Key, key)
            .say(Role::Warning, " opens it ")
            .say(Role::Text, one_line(draft));
        lines.insert(0, line);
    }
    for (kind, text) in &detail.begun {
        let what = match kind {
            DraftKind::Evidence => "evidence begun, not recorded",
            DraftKind::Escalation => "escalation begun, not recorded",
            DraftKind::Deferral => "deferral begun, not recorded",
            DraftKind::Add => "new claim begun, not made",
            DraftKind::Split => "split begun, not made",
            DraftKind::Merge => "merge begun, not made",
            DraftKind::Disposition => "note for the disposition begun",
            DraftKind::Note => continue,
        };
        let mut line = Phrase::new().say(Role::Warning, what);
        // What the others are kept as is no text for people.
        if matches!(kind, DraftKind::Escalation | DraftKind::Deferral | DraftKind::Disposition) {
            line = line.say(Role::Warning, ": ").say(Role::Text, one_line(text));
        }
        lines.insert(0, line);
    }
    lines.truncate(most);
    lines
}

pub(super) fn earlier(detail: &ClaimDetail, most: usize) -> Vec<Phrase> {
    detail
        .earlier
        .iter()
        .take(most)
        .map(|earlier| {
            let lines = decision(&earlier.decided, earlier.annotator.as_str(), false, u16::MAX);
            let line = lines.into_iter().reduce(Phrase::join).unwrap_or_default();
            line.dot(Role::Muted, format!("on {}", one_line(&earlier.id.to_string())))
        })
        .collect()
}

/// Claims of the answer with where each stands: `most` of them from the one at index `top` on.
pub(super) fn siblings(detail: &ClaimDetail, top: usize, most: usize) -> Vec<Phrase> {
    detail
        .siblings
        .iter()
        .enumerate()
        .skip(top)
        .take(most)
        .map(|(index, sibling)| {
            let bar = if sibling.key == detail.key { "▌" } else { " " };
            Phrase::new().say(Role::Cursor, bar).join(self::sibling(detail, index, sibling))
        })
        .collect()
}

/// A claim of the answer: its number, where it stands, and its words.
pub(in crate::tui::screen) fn sibling(detail: &ClaimDetail, index: usize, sibling: &Sibling) -> Phrase {
    let here = sibling.key == detail.key;
    let (sign, role) = badge::sign_in_force((sibling.state, sibling.verdict), &sibling.rulings);
    let (by_person, by_role) = badge::set_by_person(!sibling.rulings.is_empty());
    let ranked = ranked_severity(sibling.state, sibling.severity, detail.record.risk_level, &[]);
    let ranked = ranked.filter(|_| !sibling.hidden);
    let graded = badge::graded(ranked, &sibling.rulings, sibling.ruled_severity);
    let state = match (sibling.decided, sibling.routed) {
        _ if sibling.hidden => ("hidden ", Role::Muted),
        (false, _) if !sibling.rulings.is_empty() => ("dispute", Role::Warning),
        (true, _) => ("decided", Role::Ok),
        (false, true) => ("open   ", Role::Text),
        (false, false) => ("       ", Role::Muted),
    };
    Phrase::new()
        .say(Role::Muted, format!("{:>2} ", index + 1))
        .join(graded)
        .say(role, sign)
        .say(by_role, by_person)
        .say(state.1, state.0)
        .say(Role::Text, "  ")
        .say(if here { Role::Focus } else { Role::Text }, one_line(&sibling.claim_text))
}
