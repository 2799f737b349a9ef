use super::*;
use crate::domain::event::{Act, Seen};
use serde_json::{Value, json};

/// Events of every kind, with and without each field that one may lack.
fn events() -> impl Iterator<Item = (Event, Option<&'static str>)> {
    Act::ALL.iter().flat_map(|act| {
        (0..64).map(move |bits: u8| {
            let has = |bit: u8| bits & (1 << bit) != 0;
            let event = Event {
                seq: 7,
                at: Timestamp::from_millis(0),
                annotator: "ana".into(),
                os_user: "u".into(),
                host: "h".into(),
                program: "juror 0".into(),
                act: *act,
                subject: "rx-1#1".into(),
                old: if has(0) { json!({"a": [1, "x, y"]}) } else { Value::Null },
                new: json!({"verdict": "UNSUPPORTED"}),
                reason: has(1).then_some(ReasonCode::NumberWrong),
                undoes: has(2).then_some(3),
                seen: Seen {
                    answer_sha256: "s".into(),
                    passages_sha256: "p".into(),
                    verdict_sha256: has(3).then(|| "v".into()),
                },
                payload_sha256: has(4).then(|| "sha".into()),
                batch: has(5).then_some(5),
            };
            (event, has(4).then_some("a note,\nin \"two\" lines"))
        })
    })
}

fn read(bytes: &[u8]) -> (Vec<String>, Vec<Vec<String>>) {
    let mut reader = csv::Reader::from_reader(bytes);
    let cells = |record: &csv::StringRecord| record.iter().map(str::to_owned).collect::<Vec<_>>();
    let header = cells(reader.headers().unwrap());
    // The reader refuses a row that has not as many cells as the header.
    let rows = reader.records().map(|record| cells(&record.unwrap())).collect();
    (header, rows)
}

#[test]
fn every_event_of_every_kind_has_each_field_under_its_name() {
    let mut csv = CsvRows::of(EventRow::COLUMNS);
    let (mut bytes, mut wanted) = (Vec::new(), Vec::new());
    let all: Vec<_> = events().collect();
    // Neither order decides what the columns are.
    for (event, note) in all.iter().chain(all.iter().rev()) {
        let row = EventRow { event, prev_hash: "before", hash: "after", note: *note };
        bytes.extend(csv.row(&row).unwrap());
        wanted.push(serde_json::to_value(&row).unwrap());
    }
    let (header, rows) = read(&bytes);
    assert_eq!(header, EventRow::COLUMNS);
    assert_eq!(rows.len(), wanted.len());
    for (row, wanted) in rows.iter().zip(&wanted) {
        for (name, cell) in header.iter().zip(row) {
            let said = match &wanted[name] {
                Value::Null => String::new(),
                Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            assert_eq!(*cell, said, "{name} of {wanted}");
        }
    }
}

#[test]
fn the_columns_of_a_claim_are_its_fields_in_order() {
    let row = ClaimRow::damaged(ClaimId::new(AuditId::new("rx-1"), 1), "torn".to_owned());
    let Value::Object(fields) = serde_json::to_value(&row).unwrap() else { unreachable!() };
    assert_eq!(fields.keys().collect::<Vec<_>>(), ClaimRow::COLUMNS);
}
