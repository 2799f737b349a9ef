//! A disk without room, and a limit of what may be written: what is refused says which file, what to do, and what works.

use crate::world::{Run, World, finish, line};

const WORKS: &str = "`juror queue`, `juror show ID` and `juror export` read it as it is";

/// Runs `script` in a shell of its own that sees the program as `$JUROR` and the store as `$DB`.
fn shell(world: &World, wrapper: &[&str], script: &str) -> Run {
    let juror = world.command(&[]);
    let mut command = std::process::Command::new(wrapper[0]);
    command.args(&wrapper[1..]).arg("bash").arg("-c").arg(script).env_clear();
    for (name, value) in juror.get_envs() {
        command.env(name, value.unwrap_or_default());
    }
    command
        .env("JUROR", juror.get_program())
        .env("DB", world.db())
        .env("PATH", std::env::var("PATH").unwrap_or_default())
        .current_dir(world.path(""))
        .stdin(std::process::Stdio::null())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped());
    finish(command.spawn().unwrap())
}

/// Runs `script` on a tiny disk of its own, at `tiny` in the world's folder, that is full but for the store; `None` where
/// no such disk can be made.
fn on_a_full_disk(world: &World, script: &str) -> Option<Run> {
    std::fs::create_dir(world.path("tiny")).ok()?;
    let script = format!(
        "mount -t tmpfs -o size=1600k tmpfs tiny && cp \"$DB\" tiny/juror.db && chmod 600 tiny/juror.db || exit 99
         dd if=/dev/zero of=tiny/fill bs=4k 2>/dev/null
         export JUROR_DB=$PWD/tiny/juror.db
         {script}"
    );
    let run = shell(world, &["unshare", "-m"], &script);
    (run.code != Some(99) && run.code != Some(1) && run.code != Some(127)).then_some(run)
}

fn with_one() -> World {
    let world = World::new();
    world.audited(&[line("rx-1", "Take 8 g.")]);
    world
}

#[test]
fn on_a_full_disk_nothing_is_saved_and_what_is_there_can_be_read() {
    let world = with_one();
    let script = "
        for asked in 'decide rx-1#1 --confirm' 'review --plain' 'audit --again rx-1' 'erase 1 --reason x'; do
          \"$JUROR\" $asked; echo \"ended $?\" >&2
        done
        \"$JUROR\" queue && \"$JUROR\" export --what claims -q && \"$JUROR\" verify -q && \"$JUROR\" show rx-1
        exit 42";
    let Some(run) = on_a_full_disk(&world, script) else {
        eprintln!("skipped: no disk of one's own can be made here");
        return;
    };
    let run = run.ended(42);
    let refused: Vec<&str> = run.stderr.lines().filter(|line| line.contains("the disk is full")).collect();
    assert_eq!(refused.len(), 4, "{}", run.stderr);
    for line in refused {
        assert!(line.contains("tiny/juror.db: ") && line.contains("free some space"), "{line}");
        assert!(line.contains(WORKS), "{line}");
    }
    assert_eq!(run.stderr.matches("ended 4").count(), 4, "{}", run.stderr);
    assert!(
        run.out().contains("rx-1#1") && run.out().contains("verified: "),
        "{}\n{}",
        run.out(),
        run.stderr
    );
}

#[test]
fn a_new_store_on_a_full_disk_is_refused_by_name() {
    let world = with_one();
    let script =
        "printf '{}' > in.jsonl; \"$JUROR\" import in.jsonl --db tiny/new.db; echo \"ended $?\" >&2; exit 42";
    let Some(run) = on_a_full_disk(&world, script) else { return };
    let run = run.ended(42);
    assert!(run.stderr.contains("tiny/new.db: the disk is full: free some space"), "{}", run.stderr);
    assert!(run.stderr.contains("ended 4") && !run.stderr.contains(WORKS), "{}", run.stderr);
}

#[test]
fn a_limit_of_a_files_size_refuses_by_name_and_kills_nothing() {
    let world = with_one();
    // Blocks of 1,024 bytes: the store itself is larger, so that nothing can be written behind that.
    let script =
        "ulimit -f 64; \"$JUROR\" decide rx-1#1 --confirm; echo \"ended $?\" >&2; \"$JUROR\" queue; exit 42";
    let run = shell(&world, &["env"], script).ended(42);
    assert!(run.out().contains("rx-1#1"), "{}\n{}", run.out(), run.stderr);
    assert!(!run.stderr.contains("ended 153"), "the signal does not end it: {}", run.stderr);
    if !run.stderr.contains("ended 0") {
        assert!(run.stderr.contains("juror.db"), "{}", run.stderr);
    }
}
