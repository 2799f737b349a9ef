//! The real program in a terminal of its own, and somebody who types and reads.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use rustix::process::{Pid, Signal, kill_process};

/// How long anything may take on a busy machine before it counts as not happening.
const PATIENCE: Duration = Duration::from_secs(20);
const STEP: Duration = Duration::from_millis(10);

/// A frame begins, and is to be shown at once.
pub(crate) const FRAME: &str = "\x1b[?2026h";
pub(crate) const FRAME_END: &str = "\x1b[?2026l";

/// Takes over the terminal, and gives it back.
pub(crate) const TAKE: &str = "\x1b[?1049h";
pub(crate) const GIVE_BACK: &str = "\x1b[?1049l";

/// What lies between the program and the eyes.
#[derive(Clone, Copy)]
pub(crate) enum Link {
    /// Nothing.
    Local,
    /// A line that takes `delay` and lets so many bytes a second through.
    Slow { delay: Duration, bytes_per_second: usize },
}

impl Link {
    /// Brings what the program writes to the screen, on threads of its own.
    fn carry(self, mut output: Box<dyn Read + Send>, mut show: impl FnMut(&[u8]) + Send + 'static) {
        let Self::Slow { delay, bytes_per_second } = self else {
            std::thread::spawn(move || {
                let mut buffer = [0; 8192];
                while let Ok(count @ 1..) = output.read(&mut buffer) {
                    show(&buffer[..count]);
                }
            });
            return;
        };
        let (sent, arriving) = std::sync::mpsc::channel::<(std::time::Instant, Vec<u8>)>();
        std::thread::spawn(move || {
            // A line takes no more than it can carry, so that the program has to wait.
            const PACKETS_A_SECOND: usize = 50;
            let mut buffer = vec![0; bytes_per_second / PACKETS_A_SECOND];
            while let Ok(count @ 1..) = output.read(&mut buffer) {
                if sent.send((now() + delay, buffer[..count].to_vec())).is_err() {
                    return;
                }
                std::thread::sleep(Duration::from_secs_f64(count as f64 / bytes_per_second as f64));
            }
        });
        std::thread::spawn(move || {
            for (due, bytes) in arriving {
                std::thread::sleep(due.saturating_duration_since(now()));
                show(&bytes);
            }
        });
    }
}

/// The time now, for measuring.
#[expect(clippy::disallowed_methods, reason = "a line of a given speed has to be timed")]
pub(crate) fn now() -> std::time::Instant {
    std::time::Instant::now()
}

pub(crate) struct Pty {
    master: Box<dyn MasterPty + Send>,
    keyboard: Box<dyn Write + Send>,
    child: Box<dyn Child + Send + Sync>,
    seen: Arc<Mutex<Seen>>,
    /// The settings of the terminal before the program had it.
    before: String,
}

struct Seen {
    screen: vt100::Parser,
    bytes: Vec<u8>,
    /// How many of the bytes show.
    shown: usize,
}

impl Seen {
    /// A frame shows when it is there as a whole, as on a terminal that knows synchronized updates.
    fn take(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        let new = &self.bytes[self.shown..];
        let last = |mark: &str| new.windows(mark.len()).rposition(|window| window == mark.as_bytes());
        let end = match (last(FRAME), last(FRAME_END)) {
            (Some(begun), ended) if ended.is_none_or(|ended| ended < begun) => begun,
            _ => new.len(),
        };
        self.screen.process(&new[..end]);
        self.shown += end;
    }
}

impl Pty {
    /// Starts `program` in a terminal of 120 by 40.
    pub(crate) fn start(program: impl AsRef<Path>, arguments: &[&str], environment: &[(&str, &str)]) -> Self {
        Self::start_over(Link::Local, (120, 40), program, arguments, environment)
    }

    /// Starts `program` in a terminal of so many columns and rows at the other end of `link`.
    pub(crate) fn start_over(
        link: Link,
        (columns, rows): (u16, u16),
        program: impl AsRef<Path>,
        arguments: &[&str],
        environment: &[(&str, &str)],
    ) -> Self {
        let size = PtySize { rows, cols: columns, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).expect("a terminal");
        let mut command = CommandBuilder::new(program.as_ref());
        command.args(arguments);
        for name in ["NO_COLOR", "EDITOR", "VISUAL", "JUROR_CONFIG", "JUROR_DB", "SSH_CONNECTION", "SSH_TTY"]
        {
            command.env_remove(name);
        }
        command.env("TERM", "xterm-256color");
        command.env("RUST_BACKTRACE", "0");
        for (name, value) in environment {
            command.env(name, value);
        }
        let before = settings(&*pair.master);
        let child = pair.slave.spawn_command(command).expect("the program starts");
        drop(pair.slave);
        let output = pair.master.try_clone_reader().expect("a reader");
        let seen = Arc::new(Mutex::new(Seen { screen: parser(rows, columns), bytes: Vec::new(), shown: 0 }));
        let shared = Arc::clone(&seen);
        link.carry(output, move |bytes| {
            shared.lock().expect("not poisoned").take(bytes);
        });
        let keyboard = pair.master.take_writer().expect("a writer");
        Self { master: pair.master, keyboard, child, seen, before }
    }

    pub(crate) fn send(&mut self, keys: &str) {
        self.keyboard.write_all(keys.as_bytes()).expect("the terminal takes keys");
        self.keyboard.flush().expect("the terminal takes keys");
    }

    pub(crate) fn paste(&mut self, text: &str) {
        self.send(&format!("\x1b[200~{text}\x1b[201~"));
    }

    pub(crate) fn resize(&mut self, columns: u16, rows: u16) {
        self.seen.lock().expect("not poisoned").screen = parser(rows, columns);
        let size = PtySize { rows, cols: columns, pixel_width: 0, pixel_height: 0 };
        self.master.resize(size).expect("the terminal has that size");
    }

    pub(crate) fn screen(&self) -> String {
        self.seen.lock().expect("not poisoned").screen.screen().contents()
    }

    pub(crate) fn with_screen<T>(&self, see: impl FnOnce(&vt100::Screen) -> T) -> T {
        see(self.seen.lock().expect("not poisoned").screen.screen())
    }

    pub(crate) fn is_alternate(&self) -> bool {
        self.seen.lock().expect("not poisoned").screen.screen().alternate_screen()
    }

    pub(crate) fn hides_cursor(&self) -> bool {
        self.seen.lock().expect("not poisoned").screen.screen().hide_cursor()
    }

    pub(crate) fn takes_the_mouse(&self) -> bool {
        self.seen.lock().expect("not poisoned").screen.screen().mouse_protocol_mode()
            != vt100::MouseProtocolMode::None
    }

    pub(crate) fn takes_pastes(&self) -> bool {
        self.seen.lock().expect("not poisoned").screen.screen().bracketed_paste()
    }

    /// Everything that was ever written to the terminal.
    pub(crate) fn written(&self) -> String {
        String::from_utf8_lossy(&self.seen.lock().expect("not poisoned").bytes).into_owned()
    }

    /// The frames that were drawn since `from` bytes had come, each without the marks around it; the last one may
    /// not be finished.
    pub(crate) fn frames_since(&self, from: usize) -> Vec<String> {
        let written = self.written_since(from);
        written.split(FRAME).skip(1).map(|frame| frame.replace(FRAME_END, "")).collect()
    }

    /// How many bytes have come.
    pub(crate) fn count(&self) -> usize {
        self.seen.lock().expect("not poisoned").bytes.len()
    }

    pub(crate) fn written_since(&self, from: usize) -> String {
        String::from_utf8_lossy(&self.seen.lock().expect("not poisoned").bytes[from..]).into_owned()
    }

    /// Waits until nothing has come for `quiet`.
    pub(crate) fn settle(&self, quiet: Duration) {
        let mut last = self.count();
        loop {
            std::thread::sleep(quiet);
            let now = self.count();
            if now == last {
                return;
            }
            last = now;
        }
    }

    /// Waits until `text` is on the screen.
    #[track_caller]
    pub(crate) fn until(&self, text: &str) {
        self.wait(&format!("`{text}` to show"), || self.screen().contains(text));
    }

    /// Types a decision until it counts, as a person does who is told that it was too fast: on a busy machine
    /// a claim may come into view late. Waits until `text` tells that it was made.
    #[track_caller]
    pub(crate) fn decide(&mut self, key: &str, text: &str) {
        for _ in 0..5 {
            self.send(key);
            self.wait(&format!("`{text}` to show after `{key}`"), || {
                let screen = self.screen();
                screen.contains(text) || screen.contains("too fast")
            });
            if self.screen().contains(text) {
                return;
            }
            self.gone("too fast");
        }
        self.until(text);
    }

    /// Waits until `text` is no longer on the screen.
    #[track_caller]
    pub(crate) fn gone(&self, text: &str) {
        self.wait(&format!("`{text}` to go"), || !self.screen().contains(text));
    }

    #[track_caller]
    pub(crate) fn wait(&self, what: &str, mut happened: impl FnMut() -> bool) {
        let mut left = PATIENCE;
        while !happened() {
            assert!(!left.is_zero(), "waited for {what} in vain; the screen:\n{}", self.screen());
            std::thread::sleep(STEP);
            left = left.saturating_sub(STEP);
        }
    }

    /// The process in the terminal.
    pub(crate) fn pid(&self) -> Pid {
        let id = self.child.process_id().expect("it runs");
        Pid::from_raw(i32::try_from(id).expect("a process id")).expect("a process id")
    }

    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(self.pid(), signal).expect("it can be signalled");
    }

    /// Waits for the end and gives the exit code.
    #[track_caller]
    pub(crate) fn end(&mut self) -> u32 {
        let mut left = PATIENCE;
        loop {
            if let Some(status) = self.child.try_wait().expect("it can be waited for") {
                // What it wrote last may still be on its way.
                std::thread::sleep(Duration::from_millis(50));
                return status.exit_code();
            }
            assert!(!left.is_zero(), "it does not end; the screen:\n{}", self.screen());
            std::thread::sleep(STEP);
            left = left.saturating_sub(STEP);
        }
    }

    /// Whether the terminal is as it was before the program had it.
    #[track_caller]
    pub(crate) fn assert_restored(&self) {
        assert!(!self.is_alternate(), "the shell's screen is back");
        assert!(!self.hides_cursor(), "the cursor is back");
        assert!(!self.takes_the_mouse(), "the mouse is the terminal's again");
        assert!(!self.takes_pastes(), "pastes are plain again");
        assert_eq!(settings(&*self.master), self.before, "the terminal's settings are back");
        let written = self.written();
        assert!(
            written.matches("\x1b[?2026h").count() <= written.matches("\x1b[?2026l").count(),
            "no frame is left open"
        );
    }

    /// The settings of the terminal now.
    pub(crate) fn settings(&self) -> String {
        settings(&*self.master)
    }

    pub(crate) fn settings_before(&self) -> &str {
        &self.before
    }
}

impl Drop for Pty {
    fn drop(&mut self) {
        // A test that failed must leave nothing running.
        let _ = self.child.kill();
    }
}

fn parser(rows: u16, columns: u16) -> vt100::Parser {
    let at_least_one = |cells: u16| std::num::NonZeroU16::new(cells.max(1)).expect("one or more");
    vt100::Parser::new(at_least_one(rows), at_least_one(columns), 0)
}

fn settings(master: &(dyn MasterPty + Send)) -> String {
    let termios = master.get_termios().expect("a terminal has settings");
    format!(
        "{:?} {:?} {:?} {:?}",
        termios.input_flags, termios.output_flags, termios.control_flags, termios.local_flags
    )
}

/// A folder with a store and the commands that work on it.
pub(crate) struct Bench {
    folder: tempfile::TempDir,
}

impl Bench {
    /// A store with `count` audited records whose answers contradict their evidence.
    pub(crate) fn with(count: usize) -> Self {
        let bench = Self::empty();
        if count > 0 {
            bench.import(0, count);
            bench.run(&["audit"]);
        }
        bench
    }

    /// The records of the demonstration, `times` over under ids of their own, and audited.
    pub(crate) fn with_the_demo(times: usize) -> Self {
        let bench = Self::empty();
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/demo");
        let mut lines = String::new();
        for time in 0..times {
            for file in ["farstail", "jnli", "summedits", "scifact", "written", "arriving"] {
                let text = std::fs::read_to_string(folder.join(format!("{file}.jsonl"))).expect("the demo");
                for line in text.lines() {
                    let mut record: serde_json::Value = serde_json::from_str(line).expect("a record");
                    if time > 0 {
                        let id = format!("{}-again-{time}", record["audit_id"].as_str().expect("an id"));
                        record["audit_id"] = id.into();
                    }
                    lines.push_str(&record.to_string());
                    lines.push('\n');
                }
            }
        }
        std::fs::write(bench.path("demo.jsonl"), lines).expect("the file is written");
        // By its name alone, which a story shows: a folder made for one run says nothing.
        bench.run(&["import", "demo.jsonl"]);
        bench.run(&["audit"]);
        bench
    }

    pub(crate) fn empty() -> Self {
        Self { folder: tempfile::tempdir().expect("a folder") }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Puts records `from` to `from + count` in; nothing audits them.
    pub(crate) fn import(&self, from: usize, count: usize) {
        let file = self.path(&format!("in-{from}.jsonl"));
        let lines: String = (from..from + count).map(record).collect();
        std::fs::write(&file, lines).expect("the file is written");
        self.run(&["import", file.to_str().expect("a plain path")]);
    }

    /// Runs a command that must succeed, and gives what it printed.
    #[track_caller]
    pub(crate) fn run(&self, arguments: &[&str]) -> String {
        let output = self.try_run(arguments);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{arguments:?}: {text}{}", String::from_utf8_lossy(&output.stderr));
        text
    }

    pub(crate) fn try_run(&self, arguments: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_juror"))
            .args(arguments)
            .current_dir(self.folder.path())
            .envs(self.environment())
            .env_remove("JUROR_CONFIG")
            .output()
            .expect("the program starts")
    }

    pub(crate) fn environment(&self) -> Vec<(&'static str, String)> {
        let folder = self.folder.path().display().to_string();
        vec![
            ("JUROR_DB", format!("{folder}/juror.db")),
            ("HOME", folder.clone()),
            ("XDG_CONFIG_HOME", format!("{folder}/config")),
            ("XDG_DATA_HOME", format!("{folder}/data")),
            ("XDG_STATE_HOME", format!("{folder}/state")),
            ("TMPDIR", folder),
        ]
    }

    /// Opens the review.
    pub(crate) fn review(&self, more: &[(&str, &str)]) -> Pty {
        self.start(env!("CARGO_BIN_EXE_juror"), &["review"], more)
    }

    /// Opens a shell that controls jobs, and waits for its prompt.
    pub(crate) fn shell(&self) -> Pty {
        let plain = ["--norc", "--noprofile", "--noediting", "-i"];
        let screen = self.start("/bin/bash", &plain, &[("PS1", "shell> ")]);
        screen.until("shell>");
        screen
    }

    /// Opens the review in a namespace of its own, under a shell whose session is led from outside, as in a
    /// container; `None` where the system does not let us.
    pub(crate) fn review_in_a_namespace(&self) -> Option<Pty> {
        let namespace = ["--user", "--map-root-user", "--pid", "--fork"];
        let allowed = Command::new("unshare").args(namespace).arg("true").output();
        if !allowed.is_ok_and(|output| output.status.success()) {
            return None;
        }
        // The command behind it keeps the shell from becoming the program.
        let script = concat!(env!("CARGO_BIN_EXE_juror"), " review; exit $?");
        Some(self.start("unshare", &[&namespace[..], &["sh", "-c", script]].concat(), &[]))
    }

    /// Opens the review on a screen of so many columns and rows at the other end of `link`.
    pub(crate) fn review_over(&self, link: Link, size: (u16, u16), more: &[(&str, &str)]) -> Pty {
        self.open(link, size, env!("CARGO_BIN_EXE_juror"), &["review"], more)
    }

    fn start(&self, program: &str, arguments: &[&str], more: &[(&str, &str)]) -> Pty {
        self.open(Link::Local, (120, 40), program, arguments, more)
    }

    /// Opens `program` on a screen of so many columns and rows.
    pub(crate) fn open(
        &self,
        link: Link,
        size: (u16, u16),
        program: &str,
        arguments: &[&str],
        more: &[(&str, &str)],
    ) -> Pty {
        let own = self.environment();
        let mut environment: Vec<(&str, &str)> =
            own.iter().map(|(name, value)| (*name, value.as_str())).collect();
        environment.extend_from_slice(more);
        Pty::start_over(link, size, program, arguments, &environment)
    }

    /// The standing decisions and notes as the program exports them.
    pub(crate) fn decisions(&self) -> Vec<serde_json::Value> {
        self.run(&["export", "--what", "decisions"])
            .lines()
            .map(|line| serde_json::from_str(line).expect("JSON Lines"))
            .collect()
    }
}

fn record(n: usize) -> String {
    let record = serde_json::json!({
        "audit_id": format!("rx-{n}"),
        "generated_answer": format!("Adults may take {} g of paracetamol per day.", 8 + n % 5),
        "evidence_passages": [{
            "passage_id": "p1",
            "content": "Adults may take 4 g of paracetamol per day.",
        }],
        "risk_level": "CRITICAL",
    });
    format!("{record}\n")
}
