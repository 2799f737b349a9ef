use super::*;

fn told(pragma: &str) -> StoreError {
    let connection = Connection::open_in_memory().unwrap();
    connection.execute_batch("CREATE TABLE t (x)").unwrap();
    connection.execute_batch(pragma).unwrap();
    let error = connection.execute_batch("INSERT INTO t VALUES (zeroblob(100000))").unwrap_err();
    Fault::Sqlite(error).told(Path::new("juror.db"))
}

#[test]
fn a_disk_without_room_for_the_shared_memory_is_a_full_one() {
    let code = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_IOERR_SHMSIZE);
    let told = Fault::Sqlite(rusqlite::Error::SqliteFailure(code, None)).told(Path::new("juror.db"));
    assert!(matches!(told, StoreError::DiskFull(_)), "{told}");
}

#[test]
fn errors_of_the_file_say_what_to_do() {
    let full = told("PRAGMA max_page_count = 3");
    assert!(
        matches!(full, StoreError::DiskFull(_)) && full.to_string().contains("free some space"),
        "{full}"
    );
    let read_only = told("PRAGMA query_only = 1");
    assert!(matches!(read_only, StoreError::ReadOnly(_)), "{read_only}");
    assert!(read_only.to_string().contains("permissions") && read_only.to_string().contains("--db"));
}
