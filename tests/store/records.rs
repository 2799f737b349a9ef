//! Import, the inbox, and records read back.

use juror::domain::verdict::Verdict;
use juror::store::{Imported, InboxLine, NewRecord, StoreError};

use crate::fixture::{START, TTL, at, claim, contradicted, desk, line_of, record};

#[test]
fn r18_the_same_record_again_is_a_no_op_and_other_content_is_named() {
    let mut desk = desk();
    assert_eq!(desk.import(&record("rx-1")), Imported::New);
    assert_eq!(desk.import(&record("rx-1")), Imported::Unchanged);
    let mut spaced = line_of(&record("rx-1"));
    spaced.raw = format!(" {}\r", spaced.raw);
    assert_eq!(desk.store.import(&[spaced], START).unwrap(), [Imported::Unchanged]);
    let mut other = record("rx-1");
    other.answer.push('!');
    let conflict = Imported::Conflict { first_source: "batch.jsonl:1".into() };
    assert_eq!(desk.import(&other), conflict);
    let twice = [line_of(&record("rx-2")), line_of(&record("rx-2"))];
    assert_eq!(desk.store.import(&twice, START).unwrap(), [Imported::New, Imported::Unchanged]);
}

#[test]
fn lines_come_out_byte_for_byte_and_records_as_they_were() {
    let mut desk = desk();
    let mut odd = record("zero\0#1");
    odd.answer = "NUL \0 and \u{1b}[31m and \u{202e}bidi\r\nlines".into();
    let lines = [
        NewRecord { raw: "{\"a\" :\t1,\"unknown\":[1,2.50]}\r".into(), ..line_of(&record("rx-1")) },
        line_of(&odd),
    ];
    desk.store.import(&lines, START).unwrap();
    let mut raw = Vec::new();
    desk.store
        .for_each_record::<StoreError>(|line| {
            raw.push(line.unwrap().to_owned());
            Ok(())
        })
        .unwrap();
    assert_eq!(raw, [lines[0].raw.as_str(), lines[1].raw.as_str()]);
    // The newest is leased first.
    for line in lines.iter().rev() {
        let lease = desk.store.lease_next_record("auditor", START, TTL).unwrap().unwrap();
        assert_eq!(lease.record, line.record);
    }
}

#[test]
fn other_programs_insert_by_sql_and_bad_lines_stay_with_their_reason() {
    let mut desk = desk();
    desk.sql().execute_batch("INSERT INTO inbox (line) VALUES ('{1}'), ('{2}'), ('{3}')").unwrap();
    let line = |id, bytes: &[u8]| InboxLine { id, bytes: Ok(bytes.to_vec()) };
    assert_eq!(desk.store.inbox_take(2, 1000).unwrap(), [line(1, b"{1}"), line(2, b"{2}")]);
    desk.store.inbox_done(&[1]).unwrap();
    desk.store.inbox_reject(2, "no audit_id").unwrap();
    assert_eq!(desk.store.inbox_take(10, 1000).unwrap(), [line(3, b"{3}")]);
    let sql = "SELECT group_concat(line || coalesce(error, '-') || (received_at LIKE '20__-%Z')) FROM inbox";
    let left: String = desk.sql().query_row(sql, [], |row| row.get(0)).unwrap();
    assert_eq!(left, "{2}no audit_id1,{3}-1");
}

#[test]
fn the_inbox_can_be_read_whatever_stands_in_it() {
    let mut desk = desk();
    desk.sql()
        .execute_batch(
            "INSERT INTO inbox (line) VALUES (CAST(x'7bff00fe' AS TEXT)), (zeroblob(0) || ''), (7),
               (printf('%.*c', 5000, 'x')), ('{\"a\"'||char(0)||'}');
             INSERT INTO inbox (id, line) VALUES (-5, '{first}');",
        )
        .unwrap();
    let taken = desk.store.inbox_take(10, 1000).unwrap();
    let lines: Vec<Result<&[u8], usize>> =
        taken.iter().map(|line| line.bytes.as_deref().map_err(|length| *length)).collect();
    let expected: [Result<&[u8], usize>; 6] =
        [Ok(b"{first}"), Ok(b"{\xff\0\xfe"), Ok(b""), Ok(b"7"), Err(5000), Ok(b"{\"a\"\0}")];
    assert_eq!(lines, expected);
    assert_eq!(desk.store.inbox_take(10, 5000).unwrap().len(), 5, "a full hand is enough");
    for line in taken {
        desk.store.inbox_reject(line.id, "not a record").unwrap();
    }
    assert_eq!(desk.store.inbox_take(10, 1000).unwrap(), []);
}

#[test]
fn a_batch_that_takes_long_is_stored_in_parts_and_answered_whole() {
    let mut desk = desk();
    let lines: Vec<_> = (0..3000).map(|n| line_of(&record(&format!("rx-{n}")))).collect();
    let batch: Vec<NewRecord> = lines.iter().chain(&lines[..10]).cloned().collect();
    let mut watcher = desk.again();
    let (became, seen) = std::thread::scope(|scope| {
        let importing = scope.spawn(|| desk.store.import(&batch, START).unwrap());
        let mut seen = 0;
        while !importing.is_finished() {
            if watcher.record_key(&lines[0].record.audit_id).is_ok()
                && watcher.record_key(&lines[2999].record.audit_id).is_err()
            {
                seen += 1;
            }
            // Somebody else's writing gets in between.
            watcher.inbox_done(&[1]).unwrap();
        }
        (importing.join().unwrap(), seen)
    });
    assert!(seen > 0, "there was a moment with a first part only");
    assert_eq!(became.iter().filter(|became| **became == Imported::New).count(), 3000);
    assert!(became[3000..].iter().all(|became| *became == Imported::Unchanged));
    assert_eq!(desk.store.verify().unwrap().problems, Vec::<String>::new());
}

#[test]
fn the_view_for_sql_has_exactly_its_columns() {
    let mut desk = desk();
    desk.audited(
        &record("rx-1"),
        vec![
            contradicted("first"),
            claim("second", Verdict::FullySupported, None, 0.95),
            crate::fixture::ungrounded("third"),
        ],
    );
    let connection = desk.sql();
    let mut statement = connection.prepare("SELECT * FROM audit_result ORDER BY claim_id").unwrap();
    assert_eq!(
        statement.column_names().collect::<Vec<_>>(),
        [
            "audit_id",
            "claim_id",
            "verdict",
            "evidence_citation",
            "rationale",
            "model_version",
            "prompt_version",
            "timestamp"
        ]
    );
    let rows: Vec<Vec<Option<String>>> = statement
        .query_map([], |row| (0..8).map(|column| row.get(column)).collect())
        .unwrap()
        .map(Result::unwrap)
        .collect();
    let text = |row: usize, column: usize| rows[row][column].as_deref();
    assert_eq!(text(0, 1), Some("rx-1#1"));
    assert_eq!(text(0, 2), Some("CONTRADICTED"));
    assert_eq!(
        text(0, 3),
        Some(
            r#"[{"passage_id":"p2","start":15,"end":30,"quote":"4 g in 24 hours","role":"contradicts","match":"EXACT"}]"#
        )
    );
    assert_eq!(text(0, 5), Some("local-1"));
    assert_eq!(text(0, 7), Some(START.to_string().as_str()));
    assert_eq!(text(2, 2), None, "an ungrounded label is no verdict");
    assert_eq!(text(2, 3), Some("[]"));
}

#[test]
fn offsets_count_characters_outside_and_bytes_inside() {
    let mut desk = desk();
    let key = desk.audited(&record("rx-1"), vec![contradicted("c")])[0];
    let export = desk.store.claim_export(key).unwrap();
    let answer = export.answer.unwrap();
    let words: String =
        record("x").answer.chars().skip(answer.start).take(answer.end - answer.start).collect();
    assert_eq!(words, "Adults may take 8 g of paracetamol per day.");
    let detail = desk.detail(key, "ana");
    assert_eq!(detail.answer_span.unwrap().of(&detail.record.answer), Some(words.as_str()));
    assert_eq!(answer.start, 2, "one emoji and a space");
}

#[test]
fn a_span_that_does_not_exist_is_refused_and_leaves_nothing_behind() {
    let mut desk = desk();
    desk.import(&record("rx-1"));
    let lease = desk.store.lease_next_record("auditor", START, TTL).unwrap().unwrap();
    let mut finding = contradicted("c");
    let long = "x".repeat(500);
    finding.answer_span = juror::domain::span::Span::new(&long, 400..450);
    let result = crate::fixture::run(vec![contradicted("fine"), finding]);
    let policy = juror::domain::routing::Policy::default();
    let error = desk.store.finish_run(&lease, "auditor", &result, &policy, START, START).unwrap_err();
    assert_eq!(error.to_string(), "rx-1: bytes 400–450 do not exist in the answer");
    assert_eq!(desk.open_ids("ana"), Vec::<String>::new());
    assert!(desk.store.renew_record(lease.key, "auditor", at(1), TTL).unwrap(), "the lease is still held");
}

#[test]
fn r06_r09_exported_words_are_those_at_the_offsets_whatever_the_passage_holds() {
    use juror::domain::finding::Outcome;
    use juror::domain::span::Span;
    use juror::domain::verdict::MatchLevel;
    let mut desk = desk();
    let mut odd = record("rx-1");
    odd.passages[1].content = "💊 NUL \0 before: at most “4 g” a day.".into();
    // The same id once more, and other words: the first is the one that is cited.
    let mut twin = odd.passages[1].clone();
    twin.content = "x".repeat(100);
    odd.passages.push(twin);
    let content = odd.passages[1].content.clone();
    let start = content.find("“4 g”").unwrap();
    let mut finding = contradicted("c");
    if let Outcome::Judged(judged) = &mut finding.outcome {
        judged.citations[0].quote = "\"4 g\"".into();
        judged.citations[0].level = MatchLevel::Normalized;
        judged.citations[0].span = Span::new(&content, start..start + "“4 g”".len());
    }
    let key = desk.audited(&odd, vec![finding.clone()])[0];
    let evidence = desk.store.claim_export(key).unwrap().evidence;
    assert_eq!(evidence.len(), 1);
    let span = evidence[0].span.unwrap();
    let words: String = content.chars().skip(span.start).take(span.end - span.start).collect();
    assert_eq!((evidence[0].quote.as_str(), words.as_str()), ("“4 g”", "“4 g”"));
    let sql = "SELECT json_extract(evidence_citation, '$[0].quote') FROM audit_result";
    assert_eq!(desk.sql().query_row(sql, [], |row| row.get::<_, String>(0)).unwrap(), "“4 g”");
    assert_eq!(desk.detail(key, "ana").outcome, finding.outcome, "the judge's own words are kept");
}
