//! The only way to standard output and standard error.
//!
//! Text for people is made visible before it goes out, so that no control character of audited text
//! reaches a terminal; JSON escapes the same characters.

use std::io::{self, IsTerminal, Write};

use serde::Serialize;

use crate::text::sanitize::{is_hidden, shortened, visible};
use crate::text::width::{pad, width};

/// Standard output and standard error, with what is known of them.
#[expect(clippy::struct_excessive_bools, reason = "independent facts, not a state machine")]
pub struct Output {
    stdout: io::BufWriter<io::Stdout>,
    stdout_is_terminal: bool,
    stderr_is_terminal: bool,
    json: bool,
    quiet: bool,
    pipe_closed: bool,
    hung_up: bool,
    /// Cells of the progress line that stands on standard error now.
    progress_width: usize,
}

impl Output {
    pub(super) fn new() -> Self {
        Self {
            stdout: io::BufWriter::with_capacity(64 * 1024, io::stdout()),
            stdout_is_terminal: io::stdout().is_terminal(),
            stderr_is_terminal: io::stderr().is_terminal(),
            json: false,
            quiet: false,
            pipe_closed: false,
            hung_up: false,
            progress_width: 0,
        }
    }

    pub(super) fn set_modes(&mut self, json: bool, quiet: bool) {
        self.json = json;
        self.quiet = quiet;
    }

    /// Whether the answer is to be one JSON value.
    pub fn wants_json(&self) -> bool {
        self.json
    }

    /// Whether only results and errors are wanted.
    pub fn is_quiet(&self) -> bool {
        self.quiet
    }

    pub fn stdout_is_terminal(&self) -> bool {
        self.stdout_is_terminal
    }

    pub fn stderr_is_terminal(&self) -> bool {
        self.stderr_is_terminal
    }

    /// Whether the reader of standard output went away.
    pub fn pipe_closed(&self) -> bool {
        self.pipe_closed
    }

    /// Whether the terminal on standard output went away.
    pub(super) fn hung_up(&self) -> bool {
        self.hung_up
    }

    /// One or more lines for people. That nobody reads them is no error: the command goes on to its end.
    pub fn text(&mut self, text: &str) -> io::Result<()> {
        let shown = visible_lines(text) + "\n";
        self.bytes(shown.as_bytes())
    }

    /// One JSON value on a line of its own, with nothing in it that a terminal would obey. That nobody
    /// reads it is no error.
    pub fn json(&mut self, value: &impl Serialize) -> anyhow::Result<()> {
        let line = json_text(value)? + "\n";
        Ok(self.bytes(line.as_bytes())?)
    }

    /// What was found: as JSON where that is asked for, else in lines.
    pub(super) fn found<T: Serialize>(
        &mut self,
        found: &T,
        lines: impl FnOnce(&T) -> Vec<String>,
    ) -> anyhow::Result<()> {
        if self.wants_json() {
            return self.json(found);
        }
        for line in lines(found) {
            self.text(&line)?;
        }
        Ok(())
    }

    /// A JSON value without a line of its own: part of a longer one.
    pub(super) fn json_part(&mut self, value: &impl Serialize) -> anyhow::Result<()> {
        Ok(self.bytes(json_text(value)?.as_bytes())?)
    }

    /// An error when nobody reads any more what is written: for a list of which much may still come, and by which
    /// nothing is decided.
    pub(super) fn still_read(&self) -> io::Result<()> {
        if self.pipe_closed { Err(io::ErrorKind::BrokenPipe.into()) } else { Ok(()) }
    }

    /// A report: the exact bytes into files and pipes, made visible on a terminal. That nobody reads it is no error.
    pub(super) fn page(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.stdout_is_terminal {
            let shown = visible_lines(&String::from_utf8_lossy(bytes));
            return self.bytes(shown.as_bytes());
        }
        self.bytes(bytes)
    }

    /// Data: as a report, but an error when nobody reads it, because there may be much more to come.
    pub fn data(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.page(bytes)?;
        self.still_read()
    }

    /// The cells of a line of standard output, `None` where lines may have any length.
    pub fn columns(&self) -> Option<usize> {
        if !self.stdout_is_terminal {
            return None;
        }
        let size = rustix::termios::tcgetwinsize(io::stdout()).ok().map(|size| usize::from(size.ws_col));
        Some(size.filter(|columns| *columns > 0).unwrap_or(80))
    }

    /// Bytes exactly as they are. That nobody reads them is no error: what the command comes to stands all the same.
    pub fn bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        let result = self.stdout.write_all(bytes);
        match self.noticing(result) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            written => written,
        }
    }

    pub fn flush(&mut self) -> io::Result<()> {
        let result = self.stdout.flush();
        self.noticing(result)
    }

    /// A remark on standard error, left out with `--quiet`.
    pub fn note(&mut self, text: &str) {
        if !self.quiet {
            self.stderr_text(&one_line(text));
        }
    }

    /// An error, or what must be known with the answer, on standard error whatever the modes. One line
    /// whatever it quotes: a file name with a line feed must not look like another message.
    pub fn error(&mut self, sentence: &str) {
        self.stderr_text(&one_line(&format!("juror: {sentence}")));
    }

    /// An error of several lines, which must quote nothing but by [`one_line`].
    pub(super) fn error_lines(&mut self, text: &str) {
        self.stderr_text(&visible_lines(&format!("juror: {text}")));
    }

    /// Puts `line` in the place of the last progress line, where a person is looking.
    pub fn progress(&mut self, line: &str) {
        if self.shows_progress() {
            let _ = write!(io::stderr(), "\r{}", pad(line, self.progress_width));
            self.progress_width = width(line);
        }
    }

    /// Whether a progress line can stand on standard error and be replaced.
    pub fn shows_progress(&self) -> bool {
        self.stderr_is_terminal && !self.quiet && !self.json
    }

    /// Takes the progress line away.
    pub fn end_progress(&mut self) {
        if self.progress_width > 0 {
            let _ = write!(io::stderr(), "\r{}\r", " ".repeat(self.progress_width));
            self.progress_width = 0;
        }
    }

    /// Text that is safe to print.
    fn stderr_text(&mut self, text: &str) {
        self.end_progress();
        // The answer so far stands before what is said about it.
        let _ = self.flush();
        let _ = writeln!(io::stderr(), "{text}");
    }

    fn noticing(&mut self, result: io::Result<()>) -> io::Result<()> {
        if let Err(error) = &result {
            self.pipe_closed |= error.kind() == io::ErrorKind::BrokenPipe;
            self.hung_up |=
                self.stdout_is_terminal && error.raw_os_error() == Some(rustix::io::Errno::IO.raw_os_error());
        }
        result
    }
}

/// `text` as one line of bounded length with line feeds and everything else hidden made visible.
pub(super) fn one_line(text: &str) -> String {
    visible(&shortened(text)).into_owned()
}

/// `text` with everything but line feeds made visible.
pub(super) fn visible_lines(text: &str) -> String {
    text.split('\n').map(visible).collect::<Vec<_>>().join("\n")
}

/// `value` as compact JSON in which every character that cannot be seen is escaped.
pub(super) fn json_text(value: &impl Serialize) -> serde_json::Result<String> {
    let mut bytes = Vec::new();
    value.serialize(&mut serde_json::Serializer::with_formatter(&mut bytes, Escaping))?;
    String::from_utf8(bytes).map_err(serde::ser::Error::custom)
}

/// Compact JSON that escapes more than JSON asks for.
struct Escaping;

impl serde_json::ser::Formatter for Escaping {
    fn write_string_fragment<W: ?Sized + Write>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        let mut plain_from = 0;
        for (at, c) in fragment.char_indices().filter(|(_, c)| is_hidden(*c)) {
            writer.write_all(fragment.get(plain_from..at).unwrap_or_default().as_bytes())?;
            for unit in c.encode_utf16(&mut [0; 2]) {
                write!(writer, "\\u{unit:04x}")?;
            }
            plain_from = at + c.len_utf8();
        }
        writer.write_all(fragment.get(plain_from..).unwrap_or_default().as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_holds_nothing_that_a_terminal_obeys_and_reads_back_the_same() {
        let text = "a\u{1b}[31m\u{9b}31m\u{202e}x\u{2028}\u{7f}é💩\"\\";
        let json = json_text(&text).unwrap();
        assert_eq!(json, r#""a\u001b[31m\u009b31m\u202ex\u2028\u007fé💩\"\\""#);
        assert_eq!(serde_json::from_str::<String>(&json).unwrap(), text);
    }
}
