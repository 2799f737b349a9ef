//! States of the screen, built from plain values: no store, no clock, no terminal.

use std::sync::Arc;
use std::time::Duration;

use juror::config::{Advance, ThemeName};
use juror::domain::blind::Sight;
use juror::domain::decision::{Decided, DecisionKind, HumanVerdict, ReasonCode, Ruling, Standing};
use juror::domain::event::Seen;
use juror::domain::finding::{AuditState, JudgeIdentity, Judged, Outcome};
use juror::domain::ids::{Annotator, AuditId, ClaimId, ClaimKey, PassageId, RecordKey};
use juror::domain::pace::Band;
use juror::domain::queue::{ClaimDetail, Hold, Note, QueueCounts, QueueRow, Sibling};
use juror::domain::record::{Passage, Record, RiskLevel};
use juror::domain::routing::Why;
use juror::domain::span::Span;
use juror::domain::time::Timestamp;
use juror::domain::verdict::{
    Citation, HallucinationType, MatchLevel, Probability, Role, Score, Severity, Verdict,
};
use juror::tui::app::{App, Auditor, Detail, Queue, QueueState, Saved, Selected, Settings};
use juror::tui::keymap::Keymap;
use juror::tui::theme::Theme;
use ratatui::layout::Size;
use serde_json::{Map, Value, json};

pub(crate) fn at(minute: i64) -> Timestamp {
    Timestamp::from_millis(1_780_000_000_000 + minute * 60_000)
}

pub(crate) fn settings(theme: ThemeName) -> Settings {
    Settings {
        annotator: Annotator::new("ana"),
        by_login: false,
        zone: jiff::tz::TimeZone::UTC,
        advance: Advance::Always,
        blind: None,
        theme: Theme::choose(theme).unwrap(),
        min_visible: Duration::from_millis(250),
        demo: false,
        bell: false,
        notify: false,
        keymap: Keymap::shipped().unwrap(),
    }
}

/// Before anything is known.
pub(crate) fn first_frame(theme: ThemeName, width: u16, height: u16) -> App {
    let mut app = App::new(settings(theme), Size::new(width, height), at(0));
    app.geometry = juror::tui::screen::geometry(&app);
    app
}

pub(crate) fn row(n: i64, verdict: Verdict, severity: Option<Severity>, text: &str) -> QueueRow {
    QueueRow {
        key: ClaimKey(n),
        id: ClaimId::new(AuditId::new(format!("rx-{}", 1040 + n)), 1),
        claim_text: text.to_owned(),
        state: AuditState::Judged,
        verdict: Some(verdict),
        severity,
        confidence: Probability::new(0.9),
        arrived: at(n),
        skipped: false,
        flagged: false,
        escalated: false,
        deferred: None,
        decided: None,
        held_by: None,
        begun: false,
        blocked: false,
        sight: Sight::Open,
        disputed: false,
        rulings: Vec::new(),
        ruled_severity: None,
        damage: None,
    }
}

pub(crate) fn decided(kind: DecisionKind, verdict: HumanVerdict) -> Decided {
    Decided {
        kind,
        ruling: Ruling { severity: Some(Severity::High), ..Ruling::only(verdict) },
        reason: Some(ReasonCode::NumberWrong),
        seq: 7,
        at: at(2),
    }
}

fn rows() -> Vec<QueueRow> {
    use Severity::{Critical, High, Low, Medium};
    use Verdict::{Contradicted, FullySupported, PartiallySupported, Unsupported};
    let mut rows = vec![
        row(1, Contradicted, Some(Critical), CLAIM),
        row(2, Contradicted, Some(Critical), "Warfarin can be combined with ibuprofen without monitoring."),
        row(3, Unsupported, Some(High), "The trial enrolled 4,312 patients."),
        row(4, Unsupported, Some(High), "The study ran for 36 months."),
        row(5, PartiallySupported, Some(Medium), "All patients recovered within a week."),
        row(6, Contradicted, Some(Medium), "The interest rate was raised by 0.5 points in March."),
        row(7, PartiallySupported, Some(Low), "The device is approved in the European Union."),
        row(8, FullySupported, None, "The recommended starting dose is 5 mg."),
        row(9, FullySupported, None, "Store below 25 °C."),
    ];
    rows[2].flagged = true;
    rows[3].held_by = Some(Hold { holder: Annotator::new("ben"), until: at(9) });
    rows[4].decided = Some(decided(DecisionKind::Overridden, HumanVerdict::Unsupported));
    rows[5].decided = Some(decided(DecisionKind::Confirmed, HumanVerdict::Contradicted));
    for row in &mut rows {
        if let Some(decided) = &mut row.decided {
            decided.ruling.severity = Some(Medium);
            (row.rulings, row.ruled_severity) = (vec![decided.ruling.verdict], Some(Medium));
        }
    }
    rows[6].skipped = true;
    rows[8].state = AuditState::NoVerdict(juror::domain::verdict::NoVerdict::NotChecked);
    rows[8].verdict = None;
    rows
}

pub(crate) const CLAIM: &str = "Adults may take 8 g of paracetamol per day.";

pub(crate) const ANSWER: &str = "Paracetamol relieves mild to moderate pain and lowers fever. The usual dose \
for adults is 500 mg to 1 g every 4–6 hours. Adults may take 8 g of paracetamol per day. It is safe in pregnancy \
when taken as directed.";

const MONOGRAPH: &str = "Paracetamol is indicated for mild to moderate pain and for pyrexia. By mouth, adults and \
adolescents over 50 kg take 0.5–1 g every 4–6 hours. The maximum dose for adults is 4 g in any 24 hours, from all \
products together. Patients who weigh less than 50 kg, or who have risk factors for hepatotoxicity, should have a \
lower maximum, and clinical judgement is to be used. Overdose can cause severe liver damage, which may not be \
apparent for 4 to 6 days. As little as 10–15 g taken within 24 hours may cause hepatocellular necrosis. Patients in \
whom overdose is suspected should be transferred to hospital immediately.";

const LEAFLET: &str = "Do not take more than 4 g (eight 500 mg tablets) in 24 hours. Do not take with other \
products that contain paracetamol. Large amounts of data on pregnant women indicate neither malformative nor \
feto-neonatal toxicity; if clinically needed, paracetamol can be used during pregnancy, at the lowest effective dose \
for the shortest possible time and at the lowest possible frequency. Keep this medicine out of the sight and reach \
of children. Talk to your doctor or pharmacist before taking it if you have kidney or liver problems, or if you are \
underweight or malnourished. Drink plenty of fluids while you have a fever.";

pub(crate) fn passage(id: &str, content: &str, metadata: Value) -> Passage {
    let metadata = match metadata {
        Value::Object(map) => map,
        _ => Map::new(),
    };
    Passage { passage_id: PassageId::new(id), content: content.to_owned(), metadata }
}

pub(crate) fn cite(record: &Record, passage: &str, quote: &str, role: Role, level: MatchLevel) -> Citation {
    let id = PassageId::new(passage);
    let span = record.passage(&id).and_then(|passage| {
        let start = passage.content.find(quote)?;
        Span::new(&passage.content, start..start + quote.len())
    });
    Citation { passage_id: id, span, quote: quote.to_owned(), role, level }
}

pub(crate) fn find(text: &str, part: &str) -> Option<Span> {
    let start = text.find(part)?;
    Span::new(text, start..start + part.len())
}

pub(crate) fn sibling(
    n: i64,
    text: &str,
    verdict: Verdict,
    answer: &str,
    routed: bool,
    decided: bool,
) -> Sibling {
    Sibling {
        key: ClaimKey(n),
        id: ClaimId::new(AuditId::new("rx-1041"), n as u32),
        claim_text: text.to_owned(),
        answer_span: find(answer, text),
        state: AuditState::Judged,
        verdict: Some(verdict),
        severity: (verdict == Verdict::Contradicted).then_some(Severity::Critical),
        hidden: false,
        routed,
        decided,
        rulings: if decided { vec![verdict.into()] } else { Vec::new() },
        ruled_severity: None,
    }
}

/// The claim of the pictures: 8 g where the evidence says 4 g.
pub(crate) fn detail() -> ClaimDetail {
    let mut record = Record {
        audit_id: AuditId::new("rx-1041"),
        answer: ANSWER.to_owned(),
        passages: vec![
            passage("p1", LEAFLET, json!({"source": "Patient leaflet", "date": "2022-06-30"})),
            passage("p2", MONOGRAPH, json!({"source": "BNF 84", "date": "2023-01-01"})),
        ],
        question: Some("How much paracetamol may an adult take in a day?".to_owned()),
        risk_level: Some(RiskLevel::Critical),
        given_claims: Vec::new(),
        metadata: Map::new(),
    };
    record.metadata.insert("model_version".into(), json!("m-7"));
    let citations = vec![
        cite(
            &record,
            "p2",
            "The maximum dose for adults is 4 g in any 24 hours",
            Role::Contradicts,
            MatchLevel::Exact,
        ),
        cite(&record, "p1", "Do not take more than 4 g", Role::Contradicts, MatchLevel::Normalized),
        cite(&record, "p2", "0.5–1 g every 4–6 hours", Role::Supports, MatchLevel::Exact),
    ];
    ClaimDetail {
        key: ClaimKey(1),
        id: ClaimId::new(AuditId::new("rx-1041"), 1),
        record_key: RecordKey(1),
        answer_span: find(ANSWER, CLAIM),
        claim_text: CLAIM.to_owned(),
        given_id: None,
        is_pair: false,
        inherited: None,
        outcome: Outcome::Judged(Judged {
            verdict: Verdict::Contradicted,
            confidence: Probability::clamped(0.94),
            severity: Some(Severity::Critical),
            hallucination_type: Some(HallucinationType::Distortion),
            citations,
            rationale: "claim says 8 g per day, evidence says 4 g in any 24 hours".to_owned(),
            support: Score::new(1),
        }),
        sight: Sight::Open,
        why: vec![
            Why::Contradicted,
            Why::LowSupport { score: 1 },
            Why::HighRisk { risk_level: RiskLevel::Critical },
        ],
        judge: JudgeIdentity {
            judge: "local".into(),
            model: "local-1".into(),
            prompt_version: "local-1.3f2a91c0".into(),
            prompt_sha256: "3f2a91c0".repeat(8),
            settings: Value::Null,
        },
        audited_at: at(0),
        exchanges: 0,
        arrived: at(0),
        siblings: vec![
            sibling(
                11,
                "Paracetamol relieves mild to moderate pain and lowers fever.",
                Verdict::FullySupported,
                ANSWER,
                false,
                false,
            ),
            sibling(
                12,
                "The usual dose for adults is 500 mg to 1 g every 4–6 hours.",
                Verdict::FullySupported,
                ANSWER,
                true,
                true,
            ),
            sibling(1, CLAIM, Verdict::Contradicted, ANSWER, true, false),
            sibling(
                14,
                "It is safe in pregnancy when taken as directed.",
                Verdict::PartiallySupported,
                ANSWER,
                true,
                false,
            ),
        ],
        no_claims: Vec::new(),
        standing: Standing::default(),
        decisions: Vec::new(),
        counts: None,
        is_settled: false,
        flags: Vec::new(),
        earlier: Vec::new(),
        gone: None,
        notes: Vec::new(),
        disposition: None,
        held_by: None,
        draft: None,
        begun: Vec::new(),
        seen: Seen { answer_sha256: String::new(), passages_sha256: String::new(), verdict_sha256: None },
        record: Arc::new(record),
    }
}

pub(crate) fn note(who: &str, text: &str) -> Note {
    Note { seq: 3, annotator: Annotator::new(who), at: at(1), text: Some(text.to_owned()) }
}

/// A claim in hand.
pub(crate) fn select(detail: ClaimDetail) -> Selected {
    let mut selected = Selected::new(detail.key);
    selected.take_evidence(&detail, &Annotator::new("ana"));
    selected.detail = Detail::Ready(Arc::new(detail));
    selected
}

/// The middle of a working day.
pub(crate) fn review(theme: ThemeName, width: u16, height: u16) -> App {
    let mut app = first_frame(theme, width, height);
    app.queue = Queue { state: QueueState::Ready, rows: rows(), ..app.queue };
    app.claim = Some(select(detail()));
    app.auditor = Auditor::Running;
    app.counts = QueueCounts {
        routed: 412,
        open: 375,
        open_critical: 2,
        open_high: 9,
        waiting: 118,
        auditing: 3,
        audited: 291,
        failed: 0,
        decided_by_me: 37,
        ..QueueCounts::default()
    };
    app.pace.taken = vec![(Band::Other, Duration::from_secs(18)); 5];
    app.saved = Some(Saved {
        subject: "rx-1039#2".into(),
        event: None,
        what: "CONFIRMED UNSUPPORTED".into(),
        ruling: None,
        at: at(3),
    });
    app.geometry = juror::tui::screen::geometry(&app);
    app
}
