//! Runs the command that is to hear of it.

use std::io::Write;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::clock::Stopwatch;

/// A hook that takes longer is ended: whoever waits for the answer of `juror drift` must get it.
const LONGEST: Duration = Duration::from_secs(10);

/// Runs `argv` with `json` on its standard input, and waits for it. The error says what went wrong.
pub(super) fn run(argv: &[String], json: &str) -> Result<(), String> {
    let Some((program, arguments)) = argv.split_first() else { return Ok(()) };
    let failed = |error: std::io::Error| format!("{program} could not be run: {error}");
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map_err(failed)?;
    if let Some(mut stdin) = child.stdin.take() {
        let json = json.to_owned();
        // One that does not read must not keep this from waiting for its end. That it does not is its own affair.
        std::thread::spawn(move || stdin.write_all(json.as_bytes()));
    }
    let watch = Stopwatch::start();
    loop {
        match child.try_wait().map_err(failed)? {
            Some(status) if status.success() => return Ok(()),
            Some(status) => return Err(format!("{program} failed ({status})")),
            None if watch.elapsed() > LONGEST => {
                // It may have ended by itself in this moment, which is as good.
                let _ = child.kill();
                let _ = child.wait();
                return Err(format!(
                    "{program} took longer than {} seconds and was ended",
                    LONGEST.as_secs()
                ));
            }
            None => std::thread::sleep(Duration::from_millis(20)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn argv(script: &str) -> Vec<String> {
        ["sh", "-c", script].map(str::to_owned).to_vec()
    }

    #[test]
    fn it_gets_the_json_and_its_failure_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("heard");
        run(&argv(&format!("cat > {}", file.display())), "{\"a\":1}").unwrap();
        assert_eq!(std::fs::read_to_string(file).unwrap(), "{\"a\":1}");
        assert!(run(&argv("exit 3"), "{}").unwrap_err().contains("failed"));
        assert!(run(&["/no/such/program".to_owned()], "{}").unwrap_err().contains("could not be run"));
        assert!(run(&[], "{}").is_ok());
    }
}
