//! Whether the program of `review.hook` can be run, known before it is needed.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Why the hook cannot be run, as far as a look at its file tells; `None` where there is no hook, or nothing is wrong
/// with it.
pub fn hook_trouble(argv: &[String]) -> Option<String> {
    let program = argv.first()?;
    if program.contains('/') {
        return trouble_of(Path::new(program));
    }
    let folders = std::env::var_os("PATH").unwrap_or_default();
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
}
