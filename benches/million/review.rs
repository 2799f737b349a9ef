//! The real screen in a pseudo-terminal: first frame, keys, memory, and what it does when nobody does anything.

use std::io::{Read as _, Write as _};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

use super::table::Table;
use super::{generate, now, quantile};

const COLUMNS: u16 = 140;
const ROWS: u16 = 42;
const STARTS: usize = 10;
const KEYS: usize = 400;
const IDLE: Duration = Duration::from_secs(10);
const PATIENCE: Duration = Duration::from_secs(20);
/// The end of a synchronized update: a frame is finished.
const FRAME_END: &[u8] = b"\x1b[?2026l";

pub(crate) fn measure(table: &mut Table) {
    let db = generate::million();
    let top = "Adults may take 8 g";
    let (mut frames, mut rows) = (Vec::new(), Vec::new());
    for _ in 0..STARTS {
        let mut screen = Screen::start(&db);
        frames.push(screen.until(|screen| screen.frames > 0).as_secs_f64() * 1000.0);
        rows.push(screen.until(|screen| screen.shows(top)).as_secs_f64() * 1000.0);
        screen.quit();
    }
    table.at_most("exec to first frame, median", "ms", quantile(&mut frames, 0.5), 50.0);
    table.at_most("exec to first queue row, median", "ms", quantile(&mut rows, 0.5), 100.0);
    table.note("exec to first queue row, slowest", "ms", quantile(&mut rows, 1.0));

    let mut screen = Screen::start(&db);
    screen.until(|screen| screen.shows(top));
    screen.settle();
    table.at_most("key to frame, 1 MB passage with 2,000 spans, p99", "ms", big_passage(&mut screen), 16.0);
    let mut keys: Vec<f64> =
        (0..KEYS).map(|n| screen.press(if n % 50 == 49 { b"k" } else { b"j" })).collect();
    table.note("key to frame over the queue, median", "ms", quantile(&mut keys, 0.5));
    table.at_most("key to frame over the queue, p99", "ms", quantile(&mut keys, 0.99), 16.0);
    finding(table, &mut screen);
    table.note("resident memory now", "MB", screen.memory("VmRSS:"));
    table.at_most("resident memory, peak", "MB", screen.memory("VmHWM:"), 80.0);
    idle(table, &mut screen, &db);
    screen.quit();
}

/// A filter that lets a million claims through, one that takes long, and what can be done meanwhile.
fn finding(table: &mut Table, screen: &mut Screen) {
    for (what, query) in [
        ("a common word", "the"),
        ("a word left out, in the whole store", "-zymurgy is:any"),
        ("severity and verdict", "severity>=high verdict:contradicted"),
        ("a word that stands nowhere", "zymurgy"),
    ] {
        screen.press(b"\\");
        screen.press(query.as_bytes());
        let (asked, frames) = (now(), screen.frames);
        screen.type_in(b"\r");
        let since = |screen: &Screen| (screen.latest - asked).as_secs_f64() * 1000.0;
        // An answer, or the sign that it is on its way; a frame of the typing may still come first.
        screen.until(|screen| {
            let is_told = screen.shows("Filtered") || screen.shows("counting") || screen.shows("Nothing");
            screen.frames > frames && is_told
        });
        let shown = since(screen);
        table.at_most(format!("filter on the screen, {what}: says what it does"), "ms", shown, 150.0);
        // In an empty list a move only says that it is empty: no row is drawn that could be timed.
        let moves = if screen.shows("Nothing") { 0 } else { 60 };
        let mut keys: Vec<f64> = (0..moves)
            .map(|n| screen.press(if n % 10 == 9 { b"k" } else { b"j" }))
            .filter(|ms| ms.is_finite())
            .collect();
        if !keys.is_empty() {
            let slowest = quantile(&mut keys, 0.99);
            table.at_most(
                format!("filter on the screen, {what}: key to frame meanwhile, p99"),
                "ms",
                slowest,
                16.0,
            );
        }
        screen.until(|screen| !screen.shows("counting"));
        table.note(format!("filter on the screen, {what}: counted after"), "ms", since(screen));
        let (left, frames) = (now(), screen.frames);
        screen.type_in(b"\x1b");
        screen.until(|screen| screen.frames > frames && !screen.shows("Filtered"));
        table.at_most(
            format!("filter on the screen, {what}: left again"),
            "ms",
            (screen.latest - left).as_secs_f64() * 1000.0,
            150.0,
        );
    }
}

/// Goes from span to span in the big passage.
fn big_passage(screen: &mut Screen) -> f64 {
    let mut keys: Vec<f64> = (0..200).map(|_| screen.press(b"n")).collect();
    quantile(&mut keys, 0.99)
}

fn idle(table: &mut Table, screen: &mut Screen, db: &std::path::Path) {
    screen.settle();
    let watcher = rusqlite::Connection::open(db).expect("the store opens");
    let version =
        || -> i64 { watcher.query_row("PRAGMA data_version", [], |row| row.get(0)).expect("the version") };
    let (bytes, commits, ticks) = (screen.bytes, version(), screen.cpu_ticks());
    let began = now();
    while let Some(left) = IDLE.checked_sub(began.elapsed()) {
        screen.read(left);
    }
    let drawn = (screen.bytes - bytes) as f64;
    table.at_most("idle: bytes to the terminal in 10 s", "bytes", drawn, 0.0001);
    table.note(
        "idle: foreign commits seen in 10 s (a claim's lease may be renewed)",
        "",
        (version() - commits) as f64,
    );
    table.note("idle: processor time in 10 s", "ms", (screen.cpu_ticks() - ticks) as f64 * 10.0);
}

pub(crate) struct Screen {
    child: Box<dyn Child + Send + Sync>,
    master: Box<dyn MasterPty + Send>,
    keyboard: Box<dyn std::io::Write + Send>,
    output: Receiver<(Instant, Vec<u8>)>,
    parser: vt100::Parser,
    started: Instant,
    /// When the last bytes came.
    latest: Instant,
    frames: usize,
    bytes: usize,
    /// The end of the last bytes, in case a mark is cut in two.
    tail: Vec<u8>,
}

impl Screen {
    pub(crate) fn start(db: &std::path::Path) -> Self {
        let size = PtySize { rows: ROWS, cols: COLUMNS, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).expect("a pseudo-terminal");
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_juror"));
        command.args(["--db", db.to_str().expect("a plain path"), "review"]);
        command.env("TERM", "xterm-256color");
        let mut reader = pair.master.try_clone_reader().expect("it can be read");
        let (sender, output) = channel();
        std::thread::spawn(move || {
            let mut buffer = vec![0; 64 * 1024];
            while let Ok(count @ 1..) = reader.read(&mut buffer) {
                if sender.send((now(), buffer[..count].to_vec())).is_err() {
                    break;
                }
            }
        });
        let keyboard = pair.master.take_writer().expect("it can be written");
        let started = now();
        let child = pair.slave.spawn_command(command).expect("juror starts");
        Self {
            child,
            master: pair.master,
            keyboard,
            output,
            parser: vt100::Parser::new(
                ROWS.try_into().expect("rows"),
                COLUMNS.try_into().expect("columns"),
                0,
            ),
            started,
            latest: started,
            frames: 0,
            bytes: 0,
            tail: Vec::new(),
        }
    }

    /// Takes in what came within `wait`; says whether anything did.
    pub(crate) fn read(&mut self, wait: Duration) -> bool {
        let Ok((at, bytes)) = self.output.recv_timeout(wait) else { return false };
        self.latest = at;
        self.bytes += bytes.len();
        self.parser.process(&bytes);
        let mut seen = std::mem::take(&mut self.tail);
        seen.extend_from_slice(&bytes);
        self.frames += seen.windows(FRAME_END.len()).filter(|window| *window == FRAME_END).count();
        self.tail = seen.split_off(seen.len().saturating_sub(FRAME_END.len() - 1));
        true
    }

    /// Time from the start until the bytes came that made `reached` true.
    pub(crate) fn until(&mut self, reached: impl Fn(&Self) -> bool) -> Duration {
        while !reached(self) {
            assert!(self.read(PATIENCE), "the screen stands still:\n{}", self.parser.screen().contents());
        }
        self.latest - self.started
    }

    pub(crate) fn text(&self) -> String {
        self.parser.screen().contents()
    }

    pub(crate) fn shows(&self, text: &str) -> bool {
        self.parser.screen().contents().contains(text)
    }

    /// Waits until nothing has come for a while.
    pub(crate) fn settle(&mut self) {
        while self.read(Duration::from_millis(1500)) {}
    }

    fn type_in(&mut self, keys: &[u8]) {
        self.keyboard.write_all(keys).and_then(|()| self.keyboard.flush()).expect("a key is pressed");
    }

    /// Milliseconds from a key to the end of the next frame.
    pub(crate) fn press(&mut self, key: &[u8]) -> f64 {
        while self.read(Duration::from_millis(5)) {}
        let frames = self.frames;
        let pressed = now();
        self.type_in(key);
        while self.frames == frames {
            if !self.read(Duration::from_millis(500)) {
                return f64::INFINITY;
            }
        }
        (self.latest - pressed).as_secs_f64() * 1000.0
    }

    /// A line of the process's status, in MB.
    fn memory(&self, name: &str) -> f64 {
        let pid = self.child.process_id().expect("it runs");
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix(name));
        let kilobytes = line.and_then(|rest| rest.split_whitespace().next()?.parse::<f64>().ok());
        kilobytes.map_or(f64::NAN, |kilobytes| kilobytes / 1024.0)
    }

    /// Processor time used so far, in hundredths of a second.
    fn cpu_ticks(&self) -> u64 {
        let pid = self.child.process_id().expect("it runs");
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let fields = stat.rsplit(')').next().unwrap_or_default();
        fields.split_whitespace().skip(11).take(2).filter_map(|field| field.parse::<u64>().ok()).sum()
    }

    pub(crate) fn quit(mut self) {
        let _ = self.keyboard.write_all(b"q").and_then(|()| self.keyboard.flush());
        let began = now();
        while began.elapsed() < Duration::from_secs(5) {
            if !matches!(self.child.try_wait(), Ok(None)) {
                return;
            }
            self.read(Duration::from_millis(20));
        }
        let _ = self.child.kill();
        drop(self.master);
    }
}
