//! Runs the program that is to hear of it.

use std::io::{ErrorKind, Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{ChildStderr, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::Group;
use crate::clock::Stopwatch;

const LOOK_EVERY: Duration = Duration::from_millis(20);
/// So many bytes of what the program says on standard error are kept, the last ones.
const MOST_SAID: usize = 4096;
/// Characters of its last line that are told.
const LONGEST_LINE: usize = 300;
/// How long that is read on once the program has ended.
const READ_ON: Duration = Duration::from_secs(1);

/// Runs `argv` with `json` on its standard input and waits for it, but not longer than `longest`: then it is ended, and
/// whatever it began.
///
/// # Errors
/// Says what went wrong.
pub fn call(argv: &[String], json: &str, longest: Duration) -> Result<(), String> {
    call_within(argv, json, |_| longest)
}

/// The same where it is asked again and again how long it may take, with how long it has taken.
pub(super) fn call_within(
    argv: &[String],
    json: &str,
    mut longest: impl FnMut(Duration) -> Duration,
) -> Result<(), String> {
    let Some((program, arguments)) = argv.split_first() else { return Ok(()) };
    let failed = |error: std::io::Error| match error.kind() {
        ErrorKind::NotFound => format!("`{program}` could not be run: no such program"),
        _ => format!("`{program}` could not be run: {error}"),
    };
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()
        .map_err(failed)?;
    let group = Group::led_by(Some(child.id()));
    let said = child.stderr.take().map(Said::hear);
    if let Some(mut stdin) = child.stdin.take() {
        let json = json.to_owned();
        // One that does not read must not keep this from waiting for its end. That it does not is its own affair.
        std::thread::spawn(move || stdin.write_all(json.as_bytes()));
    }
    let watch = Stopwatch::start();
    let why = loop {
        match child.try_wait().map_err(failed)? {
            Some(status) if status.success() => {
                // What it left behind may be what calls.
                group.let_go();
                return Ok(());
            }
            Some(status) => break ending(status),
            None => {
                let longest = longest(watch.elapsed());
                if watch.elapsed() > longest {
                    break format!("took longer than {} seconds and was ended", longest.as_secs());
                }
                std::thread::sleep(LOOK_EVERY);
            }
        }
    };
    drop(group);
    // Killed with its group, where it had not ended.
    let _ = child.wait();
    let last = said.map_or_else(String::new, Said::last_line);
    let last = if last.is_empty() { last } else { format!(", and said: {last}") };
    Err(format!("`{program}` {why}{last}"))
}

fn ending(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("ended with exit code {code}"),
        (None, Some(signal)) => format!("was ended by signal {signal}"),
        (None, None) => "ended without an exit code".to_owned(),
    }
}

/// What a program says on standard error. It is read to its end, so that nobody waits for a reader.
struct Said {
    kept: Arc<Mutex<Vec<u8>>>,
    ended: Receiver<()>,
}

impl Said {
    fn hear(mut from: ChildStderr) -> Self {
        let (end, ended) = channel();
        let kept = Arc::new(Mutex::new(Vec::new()));
        let keeps = Arc::clone(&kept);
        std::thread::spawn(move || {
            let mut part = [0; 4096];
            // A pipe that breaks says no more, like one that ends.
            while let Ok(read @ 1..) = from.read(&mut part) {
                let mut kept = keeps.lock().unwrap_or_else(PoisonError::into_inner);
                kept.extend_from_slice(part.get(..read).unwrap_or_default());
                let over = kept.len().saturating_sub(MOST_SAID);
                kept.drain(..over);
            }
            let _ = end.send(());
        });
        Self { kept, ended }
    }

    /// Its last line, with nothing in it that a terminal would obey.
    fn last_line(self) -> String {
        let _ = self.ended.recv_timeout(READ_ON);
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let said = String::from_utf8_lossy(&kept);
        let last = said.lines().rev().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
        let shown = last
            .chars()
            .take(LONGEST_LINE)
            .map(|c| if c.is_control() { c.escape_default().to_string() } else { c.to_string() });
        let more = if last.chars().nth(LONGEST_LINE).is_some() { "…" } else { "" };
        shown.collect::<String>() + more
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONGEST: Duration = Duration::from_secs(10);

    fn argv(script: &str) -> Vec<String> {
        ["sh", "-c", script].map(str::to_owned).to_vec()
    }

    #[test]
    fn it_gets_the_json_and_its_failure_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("heard");
        call(&argv(&format!("cat > {}", file.display())), "{\"a\":1}", LONGEST).unwrap();
        assert_eq!(std::fs::read_to_string(file).unwrap(), "{\"a\":1}");
        assert!(call(&argv("exit 3"), "{}", LONGEST).unwrap_err().contains("ended with exit code 3"));
        let missing = call(&["/no/such/program".to_owned()], "{}", LONGEST).unwrap_err();
        assert!(missing.contains("could not be run: no such program"), "{missing}");
        assert!(call(&[], "{}", LONGEST).is_ok());
        let slow = call(&argv("exec sleep 30"), "{}", Duration::from_millis(50)).unwrap_err();
        assert!(slow.contains("took longer"), "{slow}");
    }

    #[test]
    fn what_it_said_last_is_told_in_one_line_that_no_terminal_obeys() {
        let failed = |script: &str| call(&argv(script), "{}", LONGEST).unwrap_err();
        let said = failed("echo one >&2; printf '503 \\033[31mfrom pager\\n\\n' >&2; exit 7");
        assert_eq!(said, "`sh` ended with exit code 7, and said: 503 \\u{1b}[31mfrom pager");
        let long = failed("yes noise | head -n 90000 >&2; kill -9 $$");
        assert_eq!(long, "`sh` was ended by signal 9, and said: noise");
        let wide = failed("head -c 4000 /dev/zero | tr '\\0' x >&2; exit 1");
        assert!(wide.ends_with("xx…") && wide.chars().count() < 400, "{wide}");
    }

    #[test]
    fn what_it_began_is_ended_with_it_unless_it_went_well() {
        let folder = tempfile::tempdir().unwrap();
        let begun = |name: &str, then: &str| {
            let file = folder.path().join(name);
            let script = format!("sleep 300 & echo $! > {}; {then}", file.display());
            let result = call(&argv(&script), "{}", Duration::from_millis(700));
            let child = std::fs::read_to_string(file).unwrap().trim().parse().unwrap();
            (result, rustix::process::Pid::from_raw(child).unwrap())
        };
        let gone = |child| {
            // A killed one may wait for whoever takes it in to bury it.
            let stat = format!("/proc/{}/stat", rustix::process::Pid::as_raw(Some(child)));
            std::fs::read_to_string(stat).map_or(true, |stat| stat.contains(") Z "))
        };
        // The signal may be on its way yet.
        let goes = |child| {
            (0..200).any(|_| {
                gone(child) || {
                    std::thread::sleep(Duration::from_millis(25));
                    false
                }
            })
        };
        let (late, child) = begun("late", "wait");
        assert!(late.unwrap_err().contains("took longer than 0 seconds"));
        assert!(goes(child), "the one that hung");
        let (failed, child) = begun("failed", "exit 7");
        assert!(failed.is_err() && goes(child), "the one that failed");
        let (well, child) = begun("well", "exit 0");
        assert!(well.is_ok() && !gone(child), "a daemon");
        rustix::process::kill_process(child, rustix::process::Signal::KILL).unwrap();
    }
}
