//! Opening files of all kinds.

use std::os::unix::fs::PermissionsExt;

use juror::store::{Durability, Store, StoreError};

use crate::fixture::{contradicted, desk, record};

fn mode(path: &std::path::Path) -> u32 {
    std::fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn a_new_store_is_its_owners_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("deep/er/juror.db");
    let mut store = Store::open(&path, Durability::Full).unwrap();
    store
        .save_draft(
            &crate::drafts::note(juror::domain::ids::ClaimKey(1), &[]),
            &juror::domain::ids::Annotator::new("a"),
            None,
            crate::fixture::START,
        )
        .unwrap();
    assert_eq!(mode(path.parent().unwrap()), 0o700);
    for name in ["juror.db", "juror.db-wal", "juror.db-shm"] {
        assert_eq!(mode(&path.with_file_name(name)), 0o600, "{name}");
    }
}

#[test]
fn what_is_not_a_store_is_left_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let text = folder.path().join("notes.txt");
    std::fs::write(
        &text,
        "not a database at all, but long enough to have had a header of one hundred bytes. ".repeat(3),
    )
    .unwrap();
    let before = std::fs::read(&text).unwrap();
    let other = folder.path().join("other.db");
    rusqlite::Connection::open(&other).unwrap().execute_batch("CREATE TABLE t (x)").unwrap();
    for path in [&text, &other, &folder.path().to_path_buf(), &"/dev/null".into()] {
        for opened in [Store::open(path, Durability::Full), Store::open_read_only(path)] {
            let Err(error) = opened else { panic!("{} was opened", path.display()) };
            assert!(matches!(error, StoreError::NotAStore { .. }), "{error}");
        }
    }
    assert_eq!(std::fs::read(&text).unwrap(), before);
}

#[test]
fn a_newer_file_is_refused_in_a_sentence() {
    let desk = desk();
    desk.sql().pragma_update(None, "user_version", 99).unwrap();
    for opened in [Store::open(&desk.path, Durability::Full), Store::open_read_only(&desk.path)] {
        let Err(error) = opened else { panic!("opened") };
        assert!(matches!(error, StoreError::Newer { found: 99, .. }));
        assert!(error.to_string().ends_with("update juror"), "{error}");
    }
}

#[test]
fn an_empty_file_is_as_good_as_none() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("juror.db");
    std::fs::write(&path, "").unwrap();
    assert!(matches!(Store::open_read_only(&path), Err(StoreError::Missing(_))));
    Store::open(&path, Durability::Full).unwrap();
    Store::open_read_only(&path).unwrap();
}

#[test]
fn reading_only_neither_creates_nor_writes() {
    let mut desk = desk();
    desk.audited(&record("rx-1"), vec![contradicted("c")]);
    let mut reader = Store::open_read_only(&desk.path).unwrap();
    assert_eq!(reader.inbox_take(1, 1000).unwrap(), []);
    assert!(matches!(reader.inbox_done(&[1]), Err(StoreError::Refused(_))));
    let missing = desk.path.with_file_name("missing.db");
    assert!(matches!(Store::open_read_only(&missing), Err(StoreError::Missing(_))));
    assert!(!missing.exists());
}

#[test]
fn another_stores_commit_shows_and_ones_own_does_not() {
    let mut desk = desk();
    let other = desk.again();
    let (mine, theirs) = (desk.store.data_version().unwrap(), other.data_version().unwrap());
    desk.import(&record("rx-1"));
    assert_eq!(desk.store.data_version().unwrap(), mine);
    assert_ne!(other.data_version().unwrap(), theirs);
}

#[test]
fn many_processes_may_create_the_same_store_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("juror.db");
    std::thread::scope(|scope| {
        let openers: Vec<_> =
            (0..8).map(|_| scope.spawn(|| Store::open(&path, Durability::Full).map(|_| ()))).collect();
        for opener in openers {
            opener.join().unwrap().unwrap();
        }
    });
}

#[test]
fn a_closed_store_is_one_file() {
    let mut desk = desk();
    desk.audited(&record("rx-1"), vec![contradicted("c")]);
    let (path, wal) = (desk.path.clone(), desk.path.with_file_name("juror.db-wal"));
    assert!(wal.exists());
    drop(desk.store);
    assert!(path.exists() && !wal.exists(), "all of it can be copied with the one file");
}

#[test]
fn what_juror_did_not_write_is_said_and_verify_is_pointed_to() {
    let mut desk = desk();
    let key = desk.audited(&record("rx-1"), vec![contradicted("c")])[0];
    desk.sql().execute_batch("UPDATE queue SET why = '[{\"code\":\"MADE_UP\"}]'").unwrap();
    let ana = juror::domain::ids::Annotator::new("ana");
    let error = desk.store.claim_detail(key, &ana, crate::fixture::START).unwrap_err();
    assert!(matches!(error, StoreError::Damaged { .. }));
    assert!(
        error.to_string().contains("MADE_UP") && error.to_string().ends_with("see `juror verify`"),
        "{error}"
    );
}

/// Whoever throws a draft away wants its words gone.
#[test]
fn what_is_deleted_leaves_no_words_in_the_file() {
    let words = "the-patient-in-bed-nine".repeat(20);
    let holds = |path: &std::path::Path| {
        let bytes = std::fs::read(path).unwrap();
        bytes.windows(words.len()).any(|window| window == words.as_bytes())
    };
    let mut desk = desk();
    let key = desk.audited(&record("rx-1"), vec![contradicted("c")])[0];
    let ana = juror::domain::ids::Annotator::new("ana");
    desk.store.save_draft(&crate::drafts::note(key, &[]), &ana, Some(&words), crate::fixture::START).unwrap();
    desk.sql().query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
    assert!(holds(&desk.path), "it was kept");
    desk.store.save_draft(&crate::drafts::note(key, &[&words]), &ana, None, crate::fixture::START).unwrap();
    desk.sql().query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
    assert!(!holds(&desk.path), "the words are still in the file");
}

/// When a process closes a file, the system takes away all its locks on it, those of its other stores
/// too. Without them another program takes itself for the last one and throws the log away.
#[cfg(target_os = "linux")]
#[test]
fn a_store_keeps_its_lock_when_its_process_opens_the_file_again() {
    use std::os::unix::fs::MetadataExt;
    let desk = desk();
    let (inode, me) = (std::fs::metadata(&desk.path).unwrap().ino(), std::process::id());
    let is_locked = || {
        let table = std::fs::read_to_string("/proc/locks").unwrap();
        table.lines().any(|line| {
            let fields: Vec<_> = line.split_whitespace().collect();
            matches!(fields.as_slice(), [_, "POSIX", _, "READ", process, file, ..]
                if *process == me.to_string() && file.ends_with(&format!(":{inode}")))
        })
    };
    assert!(is_locked(), "an open store in WAL mode holds a shared lock on the file");
    let again = desk.again();
    assert!(is_locked(), "with a second store open");
    drop(again);
    drop(Store::open_read_only(&desk.path).unwrap());
    assert!(is_locked(), "after others were closed");
}

#[test]
fn a_link_to_a_file_that_is_not_there_yet_makes_that_file() {
    let folder = tempfile::tempdir().unwrap();
    let (link, target) = (folder.path().join("link.db"), folder.path().join("real.db"));
    std::os::unix::fs::symlink("real.db", &link).unwrap();
    drop(Store::open(&link, Durability::Full).unwrap());
    assert_eq!(mode(&target), 0o600);
    assert!(link.is_symlink());
}

#[test]
fn a_folder_is_no_store() {
    let folder = tempfile::tempdir().unwrap();
    let Err(error) = Store::open(folder.path(), Durability::Full) else { panic!("opened") };
    assert!(error.to_string().contains("directory"), "{error}");
}

#[test]
fn nothing_is_saved_into_a_file_that_was_removed_or_replaced() {
    use juror::domain::decision::{Basis, Request};
    for replaced in [false, true] {
        let mut desk = desk();
        let keys = desk.audited(&record("rx-1"), vec![contradicted("Take 8 g.")]);
        std::fs::rename(&desk.path, desk.path.with_extension("moved")).unwrap();
        if replaced {
            std::fs::copy(desk.path.with_extension("moved"), &desk.path).unwrap();
        }
        let basis = Basis::default();
        let actor = crate::fixture::actor("ana");
        let decided = desk.store.decide(keys[0], &Request::Confirm, basis, &actor, crate::fixture::at(9));
        let imported = desk.store.import(&[crate::fixture::line_of(&record("rx-2"))], crate::fixture::at(9));
        for error in [decided.unwrap_err(), imported.unwrap_err()] {
            assert!(matches!(error, StoreError::Gone(_)), "{error}");
        }
        // Put back, it is the same file again.
        std::fs::rename(desk.path.with_extension("moved"), &desk.path).unwrap();
        desk.store.decide(keys[0], &Request::Confirm, basis, &actor, crate::fixture::at(9)).unwrap();
    }
}
