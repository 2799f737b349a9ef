//! The report of a comparison of 10,000 items, once all is judged, in every form.

use juror::domain::comparison::{ComparedClaim, Comparison, Status};
use juror::domain::finding::{AuditState, JudgeIdentity};
use juror::domain::time::Timestamp;
use juror::domain::verdict::{HallucinationType, Severity};
use juror::measure::versions::Versions;
use juror::report::comparison::{Compared, Item};
use juror::report::text::Paint;
use juror::report::{Report, html, junit, text};
use juror::store::{Durability, NewComparison, Store};
use juror::tui::screens::{self, Question, Reply, compare};

use super::table::Table;
use super::timed;

const ITEMS: usize = 10_000;
const CLAIMS_EACH: usize = 6;

pub(crate) fn measure(table: &mut Table) {
    let comparisons: Vec<(String, Comparison)> =
        (0..ITEMS).map(|n| (format!("q-{n}"), comparison(n))).collect();
    let items: Vec<Item<'_>> = comparisons
        .iter()
        .map(|(id, comparison)| Item { id, comparison, likeness: Some(0.9), meaning: None })
        .collect();
    let judge = JudgeIdentity {
        judge: "local".into(),
        model: "bench".into(),
        prompt_version: "1".into(),
        prompt_sha256: "ab".repeat(32),
        settings: serde_json::Value::Null,
    };
    let (millis, (page, written, report)) = timed(|| {
        let versions = Versions::of(comparisons.iter().map(|(_, comparison)| comparison));
        let compared = Compared {
            made_at: Timestamp::from_millis(0),
            program: "bench",
            judge: &judge,
            embeddings: None,
            baseline: "baseline",
            candidate: "candidate",
            data_sha256: "",
            items: &items,
            left_out: &[],
            besides: &[],
            versions: &versions,
        };
        let report = compared.report(None);
        let page = html::write(&report);
        let json = serde_json::to_vec(&report).map_or(0, |json| json.len());
        let written = json + text::write(&report, Paint::Plain).len() + junit::write(&report).len();
        (page, written, report)
    });
    assert!(written > 0, "the forms are written");
    table.at_most("report of 10,000 compared items, all forms", "ms", millis, 2000.0);
    table.at_most("its page of HTML", "MB", page.len() as f64 / 1e6, 2.0);
    if let Err(error) = screen(table, &judge, &report) {
        eprintln!("the Compare screen could not be measured: {error}");
    }
}

/// What the Compare screen reads when it is opened on that comparison.
fn screen(
    table: &mut Table,
    judge: &JudgeIdentity,
    report: &Report,
) -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let mut store = Store::open(&folder.path().join("store.db"), Durability::Normal)?;
    let json = serde_json::to_string(report)?;
    let new = NewComparison {
        judge,
        baseline: "baseline",
        candidate: "candidate",
        data_sha256: "",
        items: ITEMS as u64,
        compared: ITEMS as u64,
        baseline_rate: Some(0.0),
        candidate_rate: Some(0.25),
        rate_change: Some(0.25),
        claims_sha256: "",
        sent: &[],
        says: "no",
        told: "{\"gate\":null,\"facts\":[]}",
        report: &json,
    };
    store.keep_comparison(&new, Timestamp::from_millis(0))?;
    drop(store);
    let store = Store::open_read_only(&folder.path().join("store.db"))?;
    let question = || Question::Compare(compare::Question { chosen: None, known: None });
    let (millis, read) = timed(|| screens::read(&store, question()));
    let Reply::Compare(reply) = read? else { return Err("another screen was read".into()) };
    let told = reply.told.ok_or("nothing is kept")??;
    assert!(told.total > 1000 && !told.claims.is_empty(), "the claims are there");
    table.at_most("Compare screen of them, read from the store", "ms", millis, 200.0);
    table.note("its report in the store", "MB", json.len() as f64 / 1e6);
    Ok(())
}

/// Every fourth claim of the candidate is wrong.
fn comparison(n: usize) -> Comparison {
    let side = |is_candidate: bool| {
        (0..CLAIMS_EACH)
            .map(|at| claim(n, at, is_candidate && (n + at).is_multiple_of(4)))
            .collect::<Vec<_>>()
    };
    Comparison::of(side(false), side(true), None, Vec::new())
}

fn claim(n: usize, at: usize, is_wrong: bool) -> ComparedClaim {
    let patients = n + at * 7 + usize::from(is_wrong) * 4000;
    ComparedClaim {
        claim_id: format!("c{at}"),
        claim_text: format!(
            "Trial {at} of study {n} enrolled {patients} patients in four countries over two years."
        ),
        answer_span: None,
        status: Some(if is_wrong { Status::Contradicted } else { Status::Supported }),
        state: AuditState::Judged,
        hallucination_type: is_wrong.then_some(HallucinationType::Distortion),
        severity: is_wrong.then_some(Severity::High),
        confidence: None,
        citation: None,
        remark: if is_wrong { format!("Claim says {patients}, evidence says {n}.") } else { String::new() },
    }
}
