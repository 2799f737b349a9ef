//! The local judge: short claims a second on one core, and how time grows with the evidence.

use juror::instrument::faithfulness;
use juror::judge::local::LocalJudge;
use juror::judge::{FaithfulnessSettings, Judge};

use super::generate::{Numbers, parse, record};
use super::on_core;
use super::table::Table;

const RECORDS: usize = 300;
const CLAIMS_EACH: usize = 10;

pub(crate) fn measure(table: &mut Table) {
    let judge = LocalJudge;
    let mut numbers = Numbers::new(11);
    let records: Vec<_> = (0..RECORDS).map(|n| record(&mut numbers, n, CLAIMS_EACH).record).collect();
    let mut claims = 0;
    let (millis, ()) = on_core(|| {
        for record in &records {
            claims += audit(&judge, record);
        }
    });
    table.at_least("short claims a second, one core", "/s", claims as f64 / millis * 1000.0, 2000.0);

    let mut per_kb = Vec::new();
    for kilobytes in [1, 10, 100, 1024] {
        let record = with_evidence(&mut numbers, kilobytes * 1024);
        // Often enough that the processor's clock can tell.
        let rounds = (10 * 1024 / kilobytes).clamp(10, 2000);
        let (all, ()) = on_core(|| {
            for _ in 0..rounds {
                audit(&judge, &record);
            }
        });
        let millis = all / rounds as f64;
        table.note(format!("one claim, {kilobytes} kB of evidence"), "ms", millis);
        per_kb.push(millis / kilobytes as f64);
    }
    // Linear means that a byte costs no more among many. From 10 kB on the fixed cost of a record no longer counts,
    // so that there the ratio would also show what grows faster.
    for (at, (name, least)) in
        [("10 kB beside 1 kB", 0), ("100 kB beside 10 kB", 1), ("1 MB beside 10 kB", 1)]
            .into_iter()
            .enumerate()
    {
        table.at_most(format!("time per kB at {name}"), "×", per_kb[at + 1] / per_kb[least], 1.5);
    }
    let record = many_claims(&mut numbers, 1024 * 1024);
    let (millis, claims) = on_core(|| audit(&judge, &record));
    table.note("a further claim on 1 MB of evidence read once", "ms", millis / claims as f64);
}

fn audit(judge: &dyn Judge, record: &juror::domain::record::Record) -> usize {
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    let settings = FaithfulnessSettings::default();
    let result = runtime.block_on(faithfulness::audit(judge, record, &settings)).expect("it judges");
    result.findings.len()
}

fn with_evidence(numbers: &mut Numbers, bytes: usize) -> juror::domain::record::Record {
    let mut content = String::with_capacity(bytes + 200);
    while content.len() < bytes {
        content.push_str(&numbers.sentence(12));
        content.push(' ');
    }
    let line = serde_json::json!({
        "audit_id": "evidence",
        "generated_answer": numbers.sentence(12),
        "evidence_passages": [{"passage_id": "p1", "content": content}],
    });
    parse(&line.to_string()).record
}

/// One answer of many claims over so many bytes of evidence.
fn many_claims(numbers: &mut Numbers, bytes: usize) -> juror::domain::record::Record {
    let mut record = with_evidence(numbers, bytes);
    record.answer = (0..200).map(|_| numbers.sentence(12) + " ").collect();
    record
}
