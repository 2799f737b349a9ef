//! Import of 100,000 records beside the `sqlite3` shell inserting the same rows into the same schema.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::generate::{Numbers, line, remove};
use super::table::Table;
use super::{kept, quantile, timed};

const RECORDS: usize = 100_000;
const ROUNDS: usize = 3;

pub(crate) fn measure(table: &mut Table) {
    let batch = batch();
    let db = kept().join("import.db");
    let mut ours: Vec<f64> = (0..ROUNDS)
        .map(|_| {
            remove(&db);
            timed(|| import(&db, &batch)).0 / 1000.0
        })
        .collect();
    let ours = quantile(&mut ours, 0.5);
    table.note("import of 100,000 records", "s", ours);
    if Command::new("sqlite3").arg("--version").stdout(Stdio::null()).status().is_err() {
        println!("no sqlite3 shell here: the import is not compared");
        return;
    }
    let rows = rows(&db);
    let other = kept().join("shell.db");
    let mut shell: Vec<f64> = (0..ROUNDS)
        .map(|_| {
            remove(&other);
            timed(|| insert(&other, &rows)).0 / 1000.0
        })
        .collect();
    let shell = quantile(&mut shell, 0.5);
    table.note("the sqlite3 shell, same rows, schema and triggers", "s", shell);
    table.at_most("import beside the sqlite3 shell", "×", ours / shell, 2.0);
    remove(&other);
    remove(&db);
}

fn batch() -> PathBuf {
    let path = kept().join(format!("batch-{RECORDS}.jsonl"));
    if !path.exists() {
        let mut numbers = Numbers::new(7);
        let mut file = std::io::BufWriter::new(std::fs::File::create(&path).expect("a file"));
        for n in 0..RECORDS {
            writeln!(file, "{}", line(&mut numbers, n, 5)).expect("written");
        }
        file.flush().expect("written");
    }
    path
}

fn import(db: &Path, batch: &Path) {
    let status = Command::new(env!("CARGO_BIN_EXE_juror"))
        .arg("--db")
        .arg(db)
        .args(["import", "--quiet"])
        .arg(batch)
        .stdout(Stdio::null())
        .status()
        .expect("juror runs");
    assert!(status.success(), "the import went well");
}

/// The imported rows as SQL, in one transaction.
fn rows(db: &Path) -> PathBuf {
    let path = kept().join("rows.sql");
    let script = format!(
        ".output {}\n.print PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA foreign_keys=ON; PRAGMA recursive_triggers=ON; BEGIN;\n\
         .mode insert record\nSELECT * FROM record;\n.mode insert passage\nSELECT * FROM passage;\n.print COMMIT;\n",
        path.display()
    );
    shell(db, script.as_bytes());
    path
}

fn insert(db: &Path, rows: &Path) {
    // Shells before 3.42 do not know this setting, which only concerns erasing.
    let schema: String = include_str!("../../schema.sql")
        .lines()
        .filter(|line| !line.contains("'secure-delete'"))
        .flat_map(|line| [line, "\n"])
        .collect();
    let start = "INSERT OR IGNORE INTO counts (id) VALUES (1);";
    shell(db, format!("{schema}{start}\n.read {}\n", rows.display()).as_bytes());
    let sql = rusqlite::Connection::open(db).expect("the shell's store");
    let count: u32 = sql.query_row("SELECT count(*) FROM record", [], |row| row.get(0)).expect("a count");
    assert_eq!(count as usize, RECORDS, "the shell inserted every row");
}

fn shell(db: &Path, script: &[u8]) {
    let mut child = Command::new("sqlite3")
        .arg("-bail")
        .arg(db)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .expect("the sqlite3 shell runs");
    child.stdin.take().expect("a pipe").write_all(script).expect("it reads");
    assert!(child.wait().expect("it ends").success(), "the sqlite3 shell went well");
}
