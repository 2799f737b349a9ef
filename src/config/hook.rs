//! The program of `review.hook`, and whether it can be run, known before it is needed.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::{Config, HookOn};

/// The least time between two runs, unless somebody says otherwise.
pub(super) const PAUSE: Duration = Duration::from_mins(1);

/// Programs that run the script which their first argument names.
const INTERPRETERS: &[&str] =
    &["sh", "bash", "dash", "zsh", "ksh", "fish", "python", "python3", "perl", "ruby", "node", "php"];
/// How scripts are called.
const SCRIPTS: &[&str] = &["sh", "bash", "zsh", "fish", "py", "pl", "rb", "js", "php"];

/// Whom to call, and when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hook {
    /// Program and arguments.
    pub argv: Vec<String>,
    /// Whether HIGH claims alone are reason enough.
    pub high_too: bool,
    /// The least time between two calls.
    pub pause: Duration,
}

impl Config {
    /// Whom to call; `None` where nobody is.
    pub fn hook(&self) -> Option<Hook> {
        (!self.hook.value.is_empty()).then(|| Hook {
            argv: self.hook.value.clone(),
            high_too: self.hook_on.value == HookOn::High,
            pause: self.hook_pause.value,
        })
    }
}

/// Why the hook cannot be run, or not from everywhere, as far as a look at its files tells; `None` where there is no
/// hook, or nothing is wrong with it. Paths are relative to the folder that juror is started in.
pub fn hook_trouble(argv: &[String]) -> Option<String> {
    let (program, arguments) = argv.split_first()?;
    trouble_of_program(program)
        .or_else(|| scripts(program, arguments).into_iter().find_map(trouble_of_script))
}

fn trouble_of_program(program: &str) -> Option<String> {
    if program.starts_with('~') {
        return Some(home(program));
    }
    if program.contains('/') {
        return trouble_of(Path::new(program)).or_else(|| from_here_only(program));
    }
    // Without it the system looks there.
    let folders = std::env::var_os("PATH").unwrap_or_else(|| "/bin:/usr/bin".into());
    let found: Vec<PathBuf> = std::env::split_paths(&folders)
        .map(|folder| folder.join(program))
        .filter(|path| path.is_file())
        .collect();
    match found.first() {
        None => Some(format!("`{program}` is in no folder of PATH")),
        Some(first) if found.iter().all(|path| trouble_of(path).is_some()) => trouble_of(first),
        Some(_) => None,
    }
}

/// Arguments that name a script: what an interpreter is to run, and whatever looks like a path of one.
fn scripts<'a>(program: &str, arguments: &'a [String]) -> Vec<&'a str> {
    let name = Path::new(program).file_name().unwrap_or_default().to_string_lossy();
    let runs = INTERPRETERS.contains(&&*name);
    // Behind an option it may be anything, `-c` above all.
    let first = arguments.first().filter(|first| runs && !first.starts_with('-'));
    let is_path = |word: &str| {
        let begins = ["/", "./", "../", "~/"].iter().any(|begin| word.starts_with(begin));
        let ending = Path::new(word).extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        begins && !word.contains(char::is_whitespace) && SCRIPTS.contains(&ending)
    };
    let others = arguments.iter().skip(usize::from(first.is_some())).filter(|word| is_path(word));
    first.into_iter().chain(others).map(String::as_str).collect()
}

fn trouble_of_script(script: &str) -> Option<String> {
    if script.starts_with('~') {
        return Some(home(script));
    }
    match Path::new(script).metadata() {
        Ok(there) if there.is_file() => from_here_only(script),
        Ok(_) => Some(format!("the script `{script}` is not a file")),
        Err(_) if Path::new(script).is_relative() => Some(format!(
            "the script `{script}` is not in {}, where juror was started: write its whole path",
            here()
        )),
        Err(error) => Some(format!("the script `{script}`: {error}")),
    }
}

/// What is wrong with a path that is found, but not from another folder.
fn from_here_only(path: &str) -> Option<String> {
    Path::new(path).is_relative().then(|| {
        format!(
            "`{path}` is found in {} alone, and a juror that is started elsewhere calls nobody: write its whole path",
            here()
        )
    })
}

fn home(path: &str) -> String {
    format!("`{path}`: no shell reads it, so `~` is no folder: write the whole path")
}

fn here() -> String {
    std::env::current_dir().map_or_else(|_| "this folder".to_owned(), |folder| folder.display().to_string())
}

fn trouble_of(path: &Path) -> Option<String> {
    match path.metadata() {
        Err(error) => Some(format!("`{}`: {error}", path.display())),
        Ok(there) if !there.is_file() => Some(format!("`{}` is not a file", path.display())),
        Ok(there) if there.permissions().mode() & 0o111 == 0 => {
            Some(format!("`{0}` is not executable: chmod +x '{0}'", path.display()))
        }
        Ok(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trouble(program: &str) -> Option<String> {
        hook_trouble(&[program.to_owned()])
    }

    #[test]
    fn a_hook_that_cannot_run_is_known_beforehand() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("page");
        let name = file.display().to_string();
        assert!(trouble(&name).unwrap().contains("No such file"), "{:?}", trouble(&name));
        std::fs::write(&file, "#!/bin/sh\n").unwrap();
        assert!(trouble(&name).unwrap().contains("is not executable: chmod +x"), "{:?}", trouble(&name));
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
        assert_eq!(trouble(&name), None);
        assert!(trouble(&folder.path().display().to_string()).unwrap().contains("is not a file"));
        assert_eq!(trouble("sh"), None);
        assert!(trouble("no-such-pager").unwrap().contains("in no folder of PATH"));
        assert_eq!(hook_trouble(&[]), None);
    }

    #[test]
    fn a_script_that_is_not_there_is_known_beforehand() {
        let trouble =
            |argv: &[&str]| hook_trouble(&argv.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>());
        let gone = trouble(&["sh", "/nonexist.sh"]).unwrap();
        assert!(gone.contains("the script `/nonexist.sh`: No such file"), "{gone}");
        let relative = trouble(&["sh", "no-such-page.sh"]).unwrap();
        assert!(relative.contains("where juror was started: write its whole path"), "{relative}");
        // Tests are started beside Cargo.toml.
        let fragile = trouble(&["sh", "src/lib.rs"]).unwrap();
        assert!(fragile.contains("started elsewhere calls nobody"), "{fragile}");
        assert!(trouble(&["sh", "~/page.sh"]).unwrap().contains("no shell reads it"));
        assert!(trouble(&["env", "/no/page.py"]).unwrap().contains("`/no/page.py`"));
        for fine in [
            &["sh", "-c", "cat > /tmp/x.sh"][..],
            &["env", "https://x/hook.sh", "-i", "/no/icon.png"],
            &["sh", "-x"],
        ] {
            assert_eq!(trouble(fine), None, "{fine:?}");
        }
        let folder = tempfile::tempdir().unwrap();
        let script = folder.path().join("page.sh").display().to_string();
        std::fs::write(&script, "exit 0").unwrap();
        assert_eq!(trouble(&["sh", &script]), None);
    }
}
