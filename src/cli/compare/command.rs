//! Answers made by a command, one run a question.
//!
//! Nothing of the data stands in the command line: the question is JSON on its standard input. The command leads a
//! process group of its own, and whatever is left of that is killed when it ends, is late, or is not wanted any more.
//! What left the group lives on, as a daemon is meant to; nobody waits for it, though it may hold the output open.

use std::num::NonZeroUsize;
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::Command;
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;

use super::reading::Pairing;
use crate::duty::Group;
use crate::format::native::MAX_LINE;
use crate::text::sanitize::shortened;

/// Bytes of what a command says on standard error that are kept, to tell why it failed.
const MOST_SAID: usize = 4096;
/// How long its output is read on once its whole group has gone: all that it wrote itself is there by then.
const READ_ON: Duration = Duration::from_secs(1);

/// Makes answers.
#[derive(Debug)]
pub(super) struct Maker {
    /// Of the baseline and of the candidate; `None` where answers are given.
    commands: [Option<String>; 2],
    timeout: Duration,
    permits: Arc<Semaphore>,
}

const SIDES: [&str; 2] = ["baseline", "candidate"];

impl Maker {
    pub(super) fn new(commands: [Option<String>; 2], timeout: Duration, at_once: NonZeroUsize) -> Self {
        Self { commands, timeout, permits: Arc::new(Semaphore::new(at_once.get())) }
    }

    /// The answer of a side to `question`, or why there is none.
    pub(super) async fn make(&self, side: usize, question: &Pairing) -> Result<String, String> {
        let (Some(Some(command)), Some(name)) = (self.commands.get(side), SIDES.get(side)) else {
            return Err("there is no command to make it".to_owned());
        };
        let Ok(_permit) = self.permits.acquire().await else { return Err("the program ended".to_owned()) };
        let input = json!({
            "id": question.id,
            "question": question.question,
            "documents": question.documents,
            "side": name,
        });
        let said = run(command, &input, self.timeout).await;
        said.and_then(|said| answer(&said)).map_err(|reason| format!("--{name}-cmd {reason}"))
    }
}

/// What the command prints when it is given `input`.
async fn run(command: &str, input: &Value, timeout: Duration) -> Result<Vec<u8>, String> {
    let mut child = Command::new("sh")
        .args(["-c", command])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .kill_on_drop(true)
        .spawn()
        .map_err(|error| format!("cannot be started: {error}"))?;
    let group = Group::led_by(child.id());
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let mut text = input.to_string();
    text.push('\n');
    // Whoever does not read the question may answer all the same.
    let write = tokio::spawn(async move {
        if let Some(mut stdin) = stdin {
            let _ = stdin.write_all(text.as_bytes()).await;
        }
    });
    let (mut printed, mut said) = (Reader::of(stdout, MAX_LINE + 1), Reader::of(stderr, MOST_SAID));
    let ended = tokio::time::timeout(timeout, child.wait()).await;
    // What it left running would keep its pipes open.
    drop(group);
    write.abort();
    let both = async {
        let _ = tokio::join!(&mut printed.task, &mut said.task);
    };
    let _ = tokio::time::timeout(READ_ON, both).await;
    let status = match ended {
        Err(_) => {
            return Err(format!("did not answer in {} s and was killed (--cmd-timeout)", timeout.as_secs()));
        }
        Ok(Err(error)) => return Err(format!("was lost: {error}")),
        Ok(Ok(status)) => status,
    };
    if !status.success() {
        return Err(format!("{}{}", ending(status), last_words(&said.read())));
    }
    let printed = printed.read();
    if printed.len() > MAX_LINE {
        return Err(format!("printed more than the {MAX_LINE} bytes that are read"));
    }
    Ok(printed)
}

/// Reads what a command says, for as long as it is kept.
struct Reader {
    task: JoinHandle<()>,
    kept: Arc<Mutex<Vec<u8>>>,
}

impl Reader {
    /// Keeps at most so many bytes; the rest is read and forgotten, so that nobody waits for a reader.
    fn of(from: Option<impl AsyncRead + Unpin + Send + 'static>, bytes: usize) -> Self {
        let kept = Arc::new(Mutex::new(Vec::new()));
        let keeps = Arc::clone(&kept);
        let task = tokio::spawn(async move {
            let Some(mut from) = from else { return };
            let mut part = vec![0; 16 << 10];
            // A pipe that breaks says no more, like one that ends: what came is for whoever reads it to judge.
            while let Ok(read @ 1..) = from.read(&mut part).await {
                let mut kept = keeps.lock().unwrap_or_else(PoisonError::into_inner);
                let room = bytes.saturating_sub(kept.len()).min(read);
                kept.extend_from_slice(part.get(..room).unwrap_or_default());
            }
        });
        Self { task, kept }
    }

    /// What came so far.
    fn read(&self) -> Vec<u8> {
        std::mem::take(&mut *self.kept.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        self.task.abort();
    }
}

fn ending(status: ExitStatus) -> String {
    use std::os::unix::process::ExitStatusExt;
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("ended with exit code {code}"),
        (None, Some(signal)) => format!("was ended by signal {signal}"),
        (None, None) => "ended without an exit code".to_owned(),
    }
}

/// The last line that a command said, to tell why it failed.
fn last_words(said: &[u8]) -> String {
    let said = String::from_utf8_lossy(said);
    said.lines()
        .rev()
        .find(|line| !line.trim().is_empty())
        .map_or(String::new(), |line| format!(": {}", shortened(line.trim())))
}

/// The answer in what a command printed.
fn answer(printed: &[u8]) -> Result<String, String> {
    let wrong = |why: &str| format!("printed {why}: it must print {{\"answer\":\"…\"}}");
    let value: Value = match serde_json::from_slice(printed) {
        Ok(value) => value,
        Err(_) if printed.trim_ascii().is_empty() => return Err(wrong("nothing")),
        Err(error) => return Err(wrong(&format!("what is not JSON ({error})"))),
    };
    match value.get("answer") {
        Some(Value::String(answer)) if answer.contains('\0') => Err(wrong("an answer with U+0000")),
        Some(Value::String(answer)) if answer.chars().any(char::is_alphanumeric) => Ok(answer.clone()),
        Some(Value::String(_)) => Err(wrong("an answer without words")),
        Some(_) => Err(wrong("an `answer` that is no text")),
        None => Err(wrong("JSON without `answer`")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_words_are_an_answer() {
        assert_eq!(answer(b"{\"answer\":\"4 g.\"}\n").as_deref(), Ok("4 g."));
        for (printed, reason) in [
            (&b""[..], "printed nothing"),
            (b"4 g.", "not JSON"),
            (b"{\"answer\":\"\"}", "without words"),
            (b"{\"answer\":4}", "no text"),
            (b"{\"text\":\"4 g\"}", "without `answer`"),
            (b"{\"answer\":\"a\\u0000\"}", "U+0000"),
        ] {
            assert!(answer(printed).unwrap_err().contains(reason), "{reason}");
        }
    }
}
