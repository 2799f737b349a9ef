//! Runs the program that is to hear of it.

use std::io::{ErrorKind, Write};
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::clock::Stopwatch;

const LOOK_EVERY: Duration = Duration::from_millis(20);

/// Runs `argv` with `json` on its standard input and waits for it, but not longer than `longest`: then it is ended.
///
/// # Errors
/// Says what went wrong.
pub fn call(argv: &[String], json: &str, longest: Duration) -> Result<(), String> {
    let Some((program, arguments)) = argv.split_first() else { return Ok(()) };
    let failed = |error: std::io::Error| match error.kind() {
        ErrorKind::NotFound => format!("`{program}` could not be run: no such program"),
        _ => format!("`{program}` could not be run: {error}"),
    };
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
            Some(status) => return Err(format!("`{program}` ended with {status}")),
            None if watch.elapsed() > longest => {
                // It may have ended by itself in this moment, which is as good.
                let _ = child.kill();
                let _ = child.wait();
                return Err(format!(
                    "`{program}` took longer than {} seconds and was ended",
                    longest.as_secs()
                ));
            }
            None => std::thread::sleep(LOOK_EVERY),
        }
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
        assert!(call(&argv("exit 3"), "{}", LONGEST).unwrap_err().contains("ended with exit status: 3"));
        let missing = call(&["/no/such/program".to_owned()], "{}", LONGEST).unwrap_err();
        assert!(missing.contains("could not be run: no such program"), "{missing}");
        assert!(call(&[], "{}", LONGEST).is_ok());
        let slow = call(&argv("exec sleep 30"), "{}", Duration::from_millis(50)).unwrap_err();
        assert!(slow.contains("took longer"), "{slow}");
    }
}
