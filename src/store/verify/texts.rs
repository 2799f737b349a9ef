//! Whether every text is text: one changed byte can make it something else, which no other reading
//! gets past.

use rusqlite::Connection;
use rusqlite::types::ValueRef;

use super::Problems;
use crate::store::Fallible;

pub(super) use crate::store::rows::shown;

/// Each table with a query that tells the name of a row, and its columns.
const TABLES: &[(&str, &str)] = &[
    ("record text", "SELECT 'record ' || t.audit_id, t.* FROM record t"),
    (
        "passage text",
        "SELECT 'record ' || r.audit_id || ', passage ' || t.n, t.* FROM passage t LEFT JOIN record r ON r.id = t.record_id",
    ),
    ("judge text", "SELECT 'judge ' || t.judge || ' ' || t.model, t.* FROM judge t"),
    (
        "run text",
        "SELECT 'record ' || r.audit_id || ', audit ' || t.n, t.* FROM run t LEFT JOIN record r ON r.id = t.record_id",
    ),
    (
        "claim text",
        "SELECT 'claim ' || r.audit_id || '#' || t.n, t.* FROM claim t LEFT JOIN record r ON r.id = t.record_id",
    ),
    (
        "verdict text",
        "SELECT 'claim ' || r.audit_id || '#' || c.n || ', verdict', t.* FROM verdict t
         LEFT JOIN claim c ON c.id = t.claim_id LEFT JOIN record r ON r.id = c.record_id",
    ),
    (
        "citation text",
        "SELECT 'claim ' || r.audit_id || '#' || c.n || ', citation ' || t.n, t.* FROM citation t
         LEFT JOIN claim c ON c.id = t.claim_id LEFT JOIN record r ON r.id = c.record_id",
    ),
    (
        "no_claim text",
        "SELECT 'record ' || r.audit_id || ', sentence ' || t.n || ' without a claim', t.* FROM no_claim t
         LEFT JOIN run ON run.id = t.run_id LEFT JOIN record r ON r.id = run.record_id",
    ),
    ("calibration text", "SELECT 'calibration ' || t.id, t.* FROM calibration t"),
    ("exchange text", "SELECT 'exchange ' || t.id, t.* FROM exchange t"),
    (
        "run_exchange text",
        "SELECT 'record ' || r.audit_id || ', audit ' || run.n || ', exchange ' || t.n, t.* FROM run_exchange t
         LEFT JOIN run ON run.id = t.run_id LEFT JOIN record r ON r.id = run.record_id",
    ),
    (
        "queue text",
        "SELECT 'claim ' || r.audit_id || '#' || c.n || ', place in the queue', t.* FROM queue t
         LEFT JOIN claim c ON c.id = t.claim_id LEFT JOIN record r ON r.id = c.record_id",
    ),
    ("comparison text", "SELECT 'comparison cmp-' || t.id, t.* FROM comparison t"),
    ("event text", "SELECT 'event ' || t.seq, t.* FROM event t"),
    ("payload text", "SELECT 'event ' || t.seq || ', note', t.* FROM event_payload t"),
    ("decision text", "SELECT 'decision of event ' || t.seq, t.* FROM decision t"),
    ("decided text", "SELECT 'number of decisions', t.* FROM decided t"),
    ("decided text", "SELECT 'number of decisions of a day', t.* FROM decided_day t"),
    ("sums text", "SELECT 'what judges said on a day', t.* FROM judged_day t"),
    ("sums text", "SELECT 'what judges said in an hour', t.* FROM judged_hour t"),
    ("sums text", "SELECT 'what came into the queue on a day', t.* FROM arrived_day t"),
    ("pair text", "SELECT 'pair of claim row ' || t.claim_id, t.* FROM pair t"),
    ("sums text", "SELECT 'sum of scored pairs', t.* FROM pair_sum t"),
    ("deferral text", "SELECT 'deferral of claim row ' || t.claim_id, t.* FROM deferral t"),
    ("skip text", "SELECT 'skip of claim row ' || t.claim_id, t.* FROM skip t"),
    ("flag text", "SELECT 'flag of claim row ' || t.claim_id, t.* FROM flag t"),
    ("disposition text", "SELECT 'disposition of event ' || t.seq, t.* FROM disposition t"),
    ("meta text", "SELECT 'meta', t.* FROM meta t"),
    ("opinion text", "SELECT 'blind verdict of event ' || t.seq, t.* FROM opinion t"),
    ("made text", "SELECT 'claim made by event ' || t.seq, t.* FROM made t"),
    ("replaced text", "SELECT 'claim replaced by event ' || t.seq, t.* FROM replaced t"),
];

/// What proves nothing: who has what in hand, what is being typed, what other programs left, how somebody likes
/// their screen. Its texts are not looked at.
const WORKING: &[&str] = &["lease", "draft", "saved_view", "inbox", "hint"];

pub(super) fn check(connection: &Connection, problems: &mut Problems) -> Fallible<()> {
    for (kind, sql) in TABLES {
        let read = table(connection, kind, sql, problems);
        problems.part("the texts", read)?;
    }
    for name in others(connection)? {
        let read =
            table(connection, "other text", &format!("SELECT '{name}', t.* FROM \"{name}\" t"), problems);
        problems.part("the texts", read)?;
    }
    Ok(())
}

/// The tables of the file that have no words of their own in [`TABLES`]: none is left out.
fn others(connection: &Connection) -> Fallible<Vec<String>> {
    let mut statement = connection.prepare(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'
           AND name NOT LIKE '%_search%'",
    )?;
    let names = statement.query_map([], |row| shown(row, 0))?.collect::<rusqlite::Result<Vec<_>>>()?;
    let is_named = |name: &str| TABLES.iter().any(|(_, sql)| sql.contains(&format!(" FROM {name} t")));
    let is_plain = |name: &str| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    Ok(names
        .into_iter()
        .filter(|name| is_plain(name) && !WORKING.contains(&name.as_str()) && !is_named(name))
        .collect())
}

fn table(connection: &Connection, kind: &'static str, sql: &str, problems: &mut Problems) -> Fallible<()> {
    let mut statement = connection.prepare(sql)?;
    let columns: Vec<String> = statement.column_names().map(str::to_owned).collect();
    let mut found = statement.query([])?;
    while let Some(row) = found.next()? {
        for (n, column) in columns.iter().enumerate().skip(1) {
            if let ValueRef::Text(bytes) = row.get_ref(n)?
                && std::str::from_utf8(bytes).is_err()
            {
                let name = shown(row, 0)?;
                problems.note(kind, || format!("{name}: its {} is not UTF-8 text", column.replace('_', " ")));
            }
        }
    }
    Ok(())
}
