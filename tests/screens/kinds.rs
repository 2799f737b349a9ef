//! Claims of other kinds than a judge's of an answer: with their source, made by people, replaced, damaged.

use std::sync::Arc;

use juror::config::ThemeName;
use juror::domain::decision::{Decided, DecisionKind, Ruling, Standing};
use juror::domain::finding::{AuditState, Outcome};
use juror::domain::ids::{Annotator, AuditId, ClaimId, ClaimKey};
use juror::domain::queue::{ClaimDetail, Inherited, Sibling};
use juror::domain::routing::Why;
use juror::domain::span::Span;
use juror::domain::verdict::{HallucinationType, MatchLevel, NoVerdict, Role, Score, Severity, Verdict};
use juror::tui::app::{App, Detail, Saved, Selected};

use crate::fixture::*;
use crate::look::*;
use crate::shape::{opened, press};

/// A claim with its source, to which the judge gave 2.
pub(crate) fn pair() -> ClaimDetail {
    let mut detail = detail();
    let audit_id = AuditId::new("c-17@bnf-84~3f2a91c0");
    let mut record = (*detail.record).clone();
    record.audit_id = audit_id.clone();
    CLAIM.clone_into(&mut record.answer);
    record.question = None;
    record.passages.remove(0);
    let near = "The maximum dose for adults is 4 g in any 24 hours";
    let citation = cite(&record, "p2", near, Role::Closest, MatchLevel::Exact);
    detail.id = ClaimId::new(audit_id, 1);
    detail.given_id = Some("c-17".into());
    detail.answer_span = Span::new(CLAIM, 0..CLAIM.len());
    detail.is_pair = true;
    detail.siblings = vec![Sibling {
        id: detail.id.clone(),
        ..sibling(1, CLAIM, Verdict::Unsupported, CLAIM, true, false)
    }];
    detail.record = Arc::new(record);
    outcome(&mut detail, |judged| {
        judged.verdict = Verdict::Unsupported;
        judged.severity = Some(Severity::High);
        judged.hallucination_type = Some(HallucinationType::Fabrication);
        judged.support = Score::new(2);
        judged.citations = vec![citation];
        "the source speaks of 4 g in any 24 hours, of 8 g nowhere".clone_into(&mut judged.rationale);
    });
    detail.why = vec![
        Why::LowSupport { score: 2 },
        Why::HighRisk { risk_level: juror::domain::record::RiskLevel::Critical },
    ];
    detail
}

/// That claim in hand, and its row in the list.
fn pair_in_hand(theme: ThemeName, (w, h): (u16, u16), detail: ClaimDetail, keys: &str) -> App {
    let mut app = opened(theme, (w, h), detail, "");
    let row = &mut app.queue.rows[0];
    row.id = pair().id;
    (row.verdict, row.severity) = (Some(Verdict::Unsupported), Some(Severity::High));
    press(app, keys)
}

#[test]
fn a_claim_with_its_source_gets_a_score() {
    four("pair", |theme, w, h| pair_in_hand(theme, (w, h), pair(), ""));
    four("pair-menu", |theme, w, h| pair_in_hand(theme, (w, h), pair(), "o"));
    for (w, h) in [(80, 24), (140, 42)] {
        let shown = text(&draw(&pair_in_hand(ThemeName::Mono, (w, h), pair(), "o")));
        for part in ["1 ■ HIGH   2 ■ HIGH   3 · LOW", "5 ✓ 5/5 Directly", "0 – NOT A CLAIM"] {
            assert!(shown.contains(part), "{part} at {w}×{h}:\n{shown}");
        }
    }
    four("pair-menu-chosen", |theme, w, h| pair_in_hand(theme, (w, h), pair(), "o4>"));
    four("pair-spans", |theme, w, h| pair_in_hand(theme, (w, h), pair(), "e4"));
    let scored = |value: u8| Ruling {
        score: Score::new(value),
        severity: (value < 4).then_some(Severity::Medium),
        ..Ruling::only(Score::new(value).unwrap().verdict().into())
    };
    four("pair-decided", |theme, w, h| {
        let mut detail = pair();
        let decided =
            Decided { kind: DecisionKind::Overridden, ruling: scored(3), reason: None, seq: 7, at: at(2) };
        detail.decisions = vec![(Annotator::new("ana"), decided.clone())];
        detail.counts = Some(Annotator::new("ana"));
        detail.standing = Standing { decided: Some(decided), ..Standing::default() };
        with(pair_in_hand(theme, (w, h), detail, ""), |app| {
            app.saved = Some(Saved {
                subject: pair().id.to_string(),
                event: Some(7),
                what: "OVERRIDDEN 3/5".into(),
                ruling: Some((DecisionKind::Overridden, scored(3))),
                at: at(3),
            });
        })
    });
}

/// A claim that a person made: its words, its number, and how it came about.
fn made(words: &str, n: u32, reason: &str, inherited: Option<Inherited>) -> ClaimDetail {
    let mut detail = detail();
    let (id, answer_span) = (ClaimId::new(AuditId::new("rx-1041"), n), find(ANSWER, words));
    let state = NoVerdict::Added;
    let own = detail.siblings.iter_mut().find(|sibling| sibling.key == ClaimKey(1)).unwrap();
    (own.id, own.claim_text, own.answer_span) = (id.clone(), words.to_owned(), answer_span);
    (own.state, own.verdict, own.severity) = (AuditState::NoVerdict(state), None, None);
    (detail.id, detail.claim_text, detail.answer_span) = (id, words.to_owned(), answer_span);
    detail.outcome = Outcome::NotJudged { state, reason: reason.to_owned() };
    detail.inherited = inherited;
    detail.why = vec![
        Why::NoVerdict { state },
        Why::HighRisk { risk_level: juror::domain::record::RiskLevel::Critical },
    ];
    detail
}

fn made_in_hand(theme: ThemeName, (w, h): (u16, u16), detail: ClaimDetail, keys: &str) -> App {
    let (id, words) = (detail.id.clone(), detail.claim_text.clone());
    let mut app = opened(theme, (w, h), detail, "");
    let row = &mut app.queue.rows[0];
    (row.id, row.claim_text, row.state) = (id, words, AuditState::NoVerdict(NoVerdict::Added));
    (row.verdict, row.confidence) = (None, None);
    press(app, keys)
}

fn inherited(from: &[u32]) -> Inherited {
    let from = from.iter().map(|n| ClaimId::new(AuditId::new("rx-1041"), *n)).collect();
    Inherited { from, citations: detail().outcome.judged().unwrap().citations.clone() }
}

#[test]
fn a_claim_that_a_person_made_says_who_and_out_of_what() {
    let added = || made("relieves mild to moderate pain", 5, "added by ana: no judge has looked at it", None);
    four("made-added", |theme, w, h| made_in_hand(theme, (w, h), added(), ""));
    let split = || {
        let reason = "split from rx-1041#1 by ana: no judge has looked at it";
        made("Adults may take 8 g of paracetamol", 6, reason, Some(inherited(&[1])))
    };
    four("made-split", |theme, w, h| made_in_hand(theme, (w, h), split(), ""));
    four("made-split-menu", |theme, w, h| made_in_hand(theme, (w, h), split(), "o"));
    four("made-merged", |theme, w, h| {
        let reason = "merged from rx-1041#1, rx-1041#2 by ben: no judge has looked at it";
        let words = "The usual dose is 500 mg to 1 g, and adults may take 8 g of it per day.";
        made_in_hand(theme, (w, h), made(words, 7, reason, Some(inherited(&[1, 2]))), "")
    });
    four("made-decided", |theme, w, h| {
        let mut detail = split();
        let decided = decided(DecisionKind::Overridden, juror::domain::decision::HumanVerdict::Contradicted);
        detail.decisions = vec![(Annotator::new("ana"), decided.clone())];
        detail.counts = Some(Annotator::new("ana"));
        detail.standing = Standing { decided: Some(decided), ..Standing::default() };
        made_in_hand(theme, (w, h), detail, "")
    });
}

#[test]
fn a_claim_in_whose_place_others_stand_says_which() {
    let gone = |theme, w, h| {
        let mut detail = detail();
        detail.gone = Some("rx-1041#1 was split by ben: decide on rx-1041#5, rx-1041#6".into());
        detail.siblings.retain(|sibling| sibling.key != ClaimKey(1));
        with(hand(review(theme, w, h), detail), |app| {
            app.queue.rows.remove(0);
        })
    };
    four("claim-replaced", gone);
    let shown = text(&draw(&gone(ThemeName::Mono, 140, 42)));
    assert!(shown.contains("a annotate") && !shown.contains("c confirm"), "{shown}");
}

#[test]
fn a_damaged_row_says_so_in_the_list_and_in_its_place() {
    let why =
        "claim rx-1041#1 is damaged (a text that is not UTF-8): see `juror verify`, and put back a backup";
    let damage = |app: &mut App, at: usize| {
        let row = &mut app.queue.rows[at];
        (row.verdict, row.confidence, row.state) = (None, None, AuditState::NoVerdict(NoVerdict::Failed));
        row.damage = Some(why.replace("rx-1041#1", &row.id.to_string()));
        row.claim_text = "Adults may take � g".into();
    };
    four("damaged-row", |theme, w, h| with(review(theme, w, h), |app| damage(app, 1)));
    four("damaged-claim", |theme, w, h| {
        with(review(theme, w, h), |app| {
            damage(app, 0);
            let mut selected = Selected::new(ClaimKey(1));
            selected.detail = Detail::Error(why.to_owned());
            app.claim = Some(selected);
        })
    });
}
