//! Files of what people said: read whole, with every line that is none named by file and line.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use super::Context;
use crate::format::annotated::{Annotated, parse};
use crate::format::native::too_long;
use crate::format::source::{Heard, Input, expand};
use crate::text::sanitize::shortened;

/// Bad lines printed one by one; the rest are counted.
const ERRORS_PRINTED: u64 = 20;

/// The lines of some files.
#[derive(Debug, Default)]
pub(super) struct Lines {
    /// Each with its place: `golden.jsonl:17`.
    pub(super) read: Vec<(String, Annotated)>,
    /// Their bytes, for the hash of what was measured on.
    pub(super) raw: Vec<String>,
    /// Lines that are none.
    pub(super) bad: u64,
}

/// Reads `files`; what is wrong with a line is said on standard error.
pub(super) fn read(files: &[PathBuf], context: &mut Context) -> anyhow::Result<Lines> {
    let inputs = expand(files)?;
    for input in &inputs {
        input.probe()?;
    }
    let mut lines = Lines::default();
    for input in &inputs {
        one(input, &mut lines, context);
    }
    if lines.bad > ERRORS_PRINTED {
        context.out.error(&format!("{} more lines cannot be used", lines.bad - ERRORS_PRINTED));
    }
    Ok(lines)
}

fn one(input: &Input, lines: &mut Lines, context: &mut Context) {
    let mut problems = Vec::new();
    let ended = input.lines(&Arc::new(AtomicU64::new(0)), &mut |heard| {
        match heard {
            Heard::Line(_, Ok(line)) if line.trim_ascii().is_empty() => {}
            Heard::Line(number, Ok(line)) => match parse(line) {
                Ok(read) => {
                    lines.read.push((format!("{}:{number}", input.name()), read));
                    lines.raw.push(String::from_utf8_lossy(line).into_owned());
                }
                Err(reason) => problems.push(format!("{}:{number}: {}", input.name(), shortened(&reason))),
            },
            Heard::Line(number, Err(length)) => {
                problems.push(format!("{}:{number}: {}", input.name(), too_long(length)));
            }
            Heard::Pause => {}
        }
        ControlFlow::Continue(())
    });
    if let Err(error) = ended {
        let after = match error.after_line {
            0 => String::new(),
            line => format!("{line}: after this line"),
        };
        problems.push(format!("{}:{after} {}", input.name(), error.reason));
    }
    for problem in problems {
        lines.problem(&problem, context);
    }
}

impl Lines {
    /// Says what is wrong with a line.
    pub(super) fn problem(&mut self, problem: &str, context: &mut Context) {
        self.bad += 1;
        if self.bad <= ERRORS_PRINTED {
            context.out.error(problem);
        }
    }
}
