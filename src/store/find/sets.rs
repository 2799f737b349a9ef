//! Claims that have something in common, as sets of their keys: words, notes, an audit id, a risk, people's acts.

use std::sync::Arc;

use rusqlite::{Connection, Params, params};

use super::super::{Fallible, overruled};
use super::conditions::range;
use crate::domain::decision::Disposition;
use crate::domain::filter::{Pattern, Test};
use crate::domain::ids::ClaimId;
use crate::domain::routing::severity_rank;
use crate::domain::time::Timestamp;

/// A set of claims, one bit a claim: a million of them take 125 KB.
pub(super) struct Set {
    bits: Vec<u64>,
    count: u64,
}

impl Set {
    const fn new() -> Self {
        Self { bits: Vec::new(), count: 0 }
    }

    fn insert(&mut self, key: i64) {
        let Ok(key) = usize::try_from(key) else { return };
        let (word, bit) = (key / 64, 1_u64 << (key % 64));
        if word >= self.bits.len() {
            self.bits.resize(word + 1, 0);
        }
        self.count += u64::from(self.bits[word] & bit == 0);
        self.bits[word] |= bit;
    }

    pub(super) fn contains(&self, key: i64) -> bool {
        let Ok(key) = usize::try_from(key) else { return false };
        self.bits.get(key / 64).is_some_and(|word| word & (1 << (key % 64)) != 0)
    }

    pub(super) const fn count(&self) -> u64 {
        self.count
    }

    /// In rising order.
    pub(super) fn keys(&self) -> Vec<i64> {
        let words = self.bits.iter().enumerate().filter(|(_, word)| **word != 0);
        words
            .flat_map(|(at, word)| {
                (0..64).filter(move |bit| word & (1 << bit) != 0).map(move |bit| (at * 64 + bit) as i64)
            })
            .collect()
    }

    fn add(&mut self, connection: &Connection, sql: &str, values: impl Params) -> Fallible<()> {
        let mut statement = connection.prepare_cached(sql)?;
        let mut found = statement.query(values)?;
        while let Some(row) = found.next()? {
            self.insert(row.get(0)?);
        }
        Ok(())
    }
}

/// Sets that were looked up, as long as the file does not change.
#[derive(Default)]
pub(in crate::store) struct Sets {
    version: i64,
    known: Vec<(Test, Arc<Set>)>,
}

/// More terms than a filter has are not kept.
const KEPT: usize = 64;

impl Sets {
    /// Forgets what was looked up before the last change of the file.
    pub(super) fn refresh(&mut self, connection: &Connection) -> Fallible<()> {
        let version = connection.prepare_cached("PRAGMA data_version")?.query_row([], |row| row.get(0))?;
        if std::mem::replace(&mut self.version, version) != version || self.known.len() > KEPT {
            self.known.clear();
        }
        Ok(())
    }

    /// The set that `test` asks for; `None` when it asks something of the rows.
    pub(super) fn of(
        &mut self,
        connection: &Connection,
        test: &Test,
        now: Timestamp,
    ) -> Fallible<Option<Arc<Set>>> {
        if let Test::Deferred(name) = test {
            // What is deferred comes back without a change of the file.
            let mut set = Set::new();
            for name in names(connection, "SELECT DISTINCT annotator FROM deferral", name)? {
                let values = params![name, now.millis()];
                set.add(
                    connection,
                    "SELECT claim_id FROM deferral WHERE annotator = ?1 AND until_ms > ?2",
                    values,
                )?;
            }
            return Ok(Some(Arc::new(set)));
        }
        if let Some((_, set)) = self.known.iter().find(|(known, _)| known == test) {
            return Ok(Some(Arc::clone(set)));
        }
        let Some(set) = look_up(connection, test)? else { return Ok(None) };
        let set = Arc::new(set);
        self.known.push((test.clone(), Arc::clone(&set)));
        Ok(Some(set))
    }
}

fn look_up(connection: &Connection, test: &Test) -> Fallible<Option<Set>> {
    let mut set = Set::new();
    match test {
        Test::Words(words) => {
            let sought = Sought::of(words);
            let statements = if sought.is_literal {
                &[CLAIMS_LITERALLY, NOTES_LITERALLY, ON_ANSWERS_LITERALLY][..]
            } else {
                &[CLAIMS, ANSWERS, NOTES, ON_ANSWERS][..]
            };
            for sql in statements {
                set.add(connection, sql, [&sought.text])?;
            }
        }
        Test::Note(words) if words.is_any() => {
            set.add(connection, ANY_NOTE, [])?;
            set.add(connection, ANY_ON_ANSWERS, [])?;
        }
        Test::Note(words) => {
            let sought = Sought::of(words);
            let (notes, on_answers) =
                if sought.is_literal { (NOTES_LITERALLY, ON_ANSWERS_LITERALLY) } else { (NOTES, ON_ANSWERS) };
            set.add(connection, notes, [&sought.text])?;
            set.add(connection, on_answers, [&sought.text])?;
        }
        Test::Audit(id) if id.is_any() => return Ok(None),
        Test::Audit(id) if id.is_prefix => {
            let end = format!("{}\u{10FFFF}", id.text);
            set.add(connection, OF_RECORDS, params![id.text, end])?;
        }
        Test::Audit(id) => {
            set.add(connection, OF_RECORD, [&id.text])?;
            // As the ids of claims are shown everywhere.
            if let Ok(claim) = id.text.parse::<ClaimId>() {
                set.add(connection, OF_CLAIM, params![claim.audit_id().as_str(), claim.n()])?;
            }
        }
        Test::Risk(how, risk) => {
            let (low, high) = range(*how, severity_rank(Some(risk.as_severity())), 1, 4);
            set.add(connection, OF_RISK, [low, high])?;
        }
        Test::By(name) => {
            for name in names(connection, DECIDERS, name)? {
                set.add(connection, "SELECT claim_id FROM decision WHERE annotator = ?1", [&name])?;
                set.add(connection, DISPOSED_BY, [name])?;
            }
        }
        Test::Flag(name) => {
            for name in names(connection, "SELECT DISTINCT annotator FROM flag", name)? {
                set.add(connection, "SELECT claim_id FROM flag WHERE annotator = ?1", [name])?;
            }
        }
        Test::To(name) => {
            for name in
                names(connection, "SELECT DISTINCT addressee FROM flag WHERE addressee IS NOT NULL", name)?
            {
                set.add(connection, "SELECT claim_id FROM flag WHERE addressee = ?1", [name])?;
            }
        }
        Test::Draft(name) => {
            for name in names(connection, "SELECT DISTINCT annotator FROM draft", name)? {
                set.add(connection, "SELECT claim_id FROM draft WHERE annotator = ?1", [name])?;
            }
        }
        Test::Overruled(name) => {
            for name in names(connection, "SELECT DISTINCT annotator FROM event", name)? {
                for claim in overruled::claims(connection, &name)? {
                    set.insert(claim);
                }
            }
        }
        Test::Reason(None) => {
            set.add(connection, "SELECT claim_id FROM decision WHERE reason IS NOT NULL", [])?;
        }
        Test::Reason(Some(code)) => {
            set.add(connection, "SELECT claim_id FROM decision WHERE reason = ?1", [code.label()])?;
        }
        Test::Answer(disposition) => {
            set.add(connection, DISPOSED, [disposition.map(Disposition::label)])?;
        }
        Test::Disputed => set.add(connection, IN_DISPUTE, [])?,
        Test::Bot(name) => {
            // One of each that was ever named, and then the claims of these alone: names are few.
            for name in names(connection, BOTS, name)? {
                set.add(connection, OF_BOT, [name])?;
            }
        }
        _ => return Ok(None),
    }
    Ok(Some(set))
}

const DISPOSED: &str = "SELECT c.id FROM disposition d CROSS JOIN claim c ON c.run_id = d.run_id
  WHERE ?1 IS NULL OR d.disposition = ?1";
const DECIDERS: &str = "SELECT annotator FROM decided UNION SELECT annotator FROM disposition";
/// Who blocks a whole answer has said something of each of its claims.
const DISPOSED_BY: &str = "SELECT c.id FROM disposition d CROSS JOIN claim c ON c.run_id = d.run_id
  WHERE d.annotator = ?1";
const IN_DISPUTE: &str = "SELECT d.claim_id FROM decision d INDEXED BY decision_beside
  WHERE d.counts = 0 AND NOT EXISTS (SELECT 1 FROM decision x WHERE x.claim_id = d.claim_id AND x.counts = 1)";
/// Where records name what made their answer. A number is as good a name as a text.
const BOTS: &str = "SELECT DISTINCT CAST(m.value AS TEXT) FROM record r CROSS JOIN json_each(r.metadata) m
  WHERE m.key IN ('model', 'model_version', 'prompt_version') AND m.type IN ('text', 'integer', 'real')";
const OF_BOT: &str = "SELECT c.id FROM record r CROSS JOIN claim c ON c.record_id = r.id
  WHERE ?1 IN (CAST(r.metadata ->> '$.model' AS TEXT), CAST(r.metadata ->> '$.model_version' AS TEXT),
               CAST(r.metadata ->> '$.prompt_version' AS TEXT))";

const CLAIMS: &str = "SELECT rowid FROM claim_search WHERE claim_search MATCH ?1";
const ANSWERS: &str = "SELECT c.id FROM answer_search a CROSS JOIN claim c ON c.record_id = a.rowid
  WHERE a.answer_search MATCH ?1";
const NOTES: &str = "SELECT e.claim_id FROM note_search s CROSS JOIN event e ON e.seq = s.rowid
  WHERE s.note_search MATCH ?1 AND e.claim_id IS NOT NULL";
/// Why a whole answer was released, returned or blocked, in words: of all its claims.
const ON_ANSWERS: &str = "SELECT c.id FROM note_search s CROSS JOIN event e ON e.seq = s.rowid
  CROSS JOIN record r ON r.audit_id = e.subject CROSS JOIN claim c ON c.record_id = r.id
  WHERE s.note_search MATCH ?1 AND e.claim_id IS NULL";
const CLAIMS_LITERALLY: &str = "SELECT id FROM claim WHERE instr(claim_text, ?1)";
const NOTES_LITERALLY: &str = "SELECT e.claim_id FROM event_payload p CROSS JOIN event e ON e.seq = p.seq
  WHERE instr(p.text, ?1) AND e.claim_id IS NOT NULL";
const ON_ANSWERS_LITERALLY: &str = "SELECT c.id FROM event_payload p CROSS JOIN event e ON e.seq = p.seq
  CROSS JOIN record r ON r.audit_id = e.subject CROSS JOIN claim c ON c.record_id = r.id
  WHERE instr(p.text, ?1) AND e.claim_id IS NULL";
const ANY_ON_ANSWERS: &str = "SELECT c.id FROM event_payload p CROSS JOIN event e ON e.seq = p.seq
  CROSS JOIN record r ON r.audit_id = e.subject CROSS JOIN claim c ON c.record_id = r.id
  WHERE e.claim_id IS NULL";
const ANY_NOTE: &str = "SELECT e.claim_id FROM event_payload p CROSS JOIN event e ON e.seq = p.seq
  WHERE e.claim_id IS NOT NULL";
const OF_RECORD: &str =
    "SELECT c.id FROM record r CROSS JOIN claim c ON c.record_id = r.id WHERE r.audit_id = ?1";
const OF_CLAIM: &str = "SELECT c.id FROM record r CROSS JOIN claim c ON c.record_id = r.id
  WHERE r.audit_id = ?1 AND c.n = ?2";
const OF_RECORDS: &str = "SELECT c.id FROM record r CROSS JOIN claim c ON c.record_id = r.id
  WHERE r.audit_id >= ?1 AND r.audit_id < ?2";

const OF_RISK: &str = "SELECT c.id FROM work w CROSS JOIN claim c ON c.record_id = w.record_id
  WHERE w.risk_rank BETWEEN ?1 AND ?2";

/// People whose name fits: there are not many.
fn names(connection: &Connection, sql: &str, fitting: &Pattern) -> Fallible<Vec<String>> {
    let mut statement = connection.prepare_cached(sql)?;
    let names = statement.query_map([], |row| row.get::<_, String>(0))?.collect::<Result<Vec<_>, _>>()?;
    Ok(names.into_iter().filter(|name| fitting.fits(name)).collect())
}

/// Words as the search index is asked for them.
struct Sought {
    text: String,
    /// They are looked for letter for letter: the index knows no words in them.
    is_literal: bool,
}

impl Sought {
    fn of(words: &Pattern) -> Self {
        let has_words = words.text.chars().any(char::is_alphanumeric);
        if !has_words || words.text.chars().any(is_unspaced) {
            return Self { text: words.text.clone(), is_literal: true };
        }
        // Nothing in it can be taken for search syntax.
        let star = if words.is_prefix { "*" } else { "" };
        Self { text: format!("\"{}\"{star}", words.text.replace(['"', '\0'], " ")), is_literal: false }
    }
}

/// Letters of scripts that are written without spaces between words.
fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{0E00}'..='\u{0EFF}' | '\u{1000}'..='\u{109F}' | '\u{1780}'..='\u{17FF}'
        | '\u{2E80}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFF}')
}
