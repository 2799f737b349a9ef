//! The program: hand the command line over, turn the result into an exit code.

use std::process::ExitCode;

fn main() -> ExitCode {
    juror::cli::main()
}
