//! Where files live when nobody says otherwise: configuration, store, log.
//!
//! Must not create or open anything.

use std::path::PathBuf;

/// The default places of one user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Paths {
    /// The configuration file; it need not exist.
    pub config_file: PathBuf,
    /// The store.
    pub db: PathBuf,
    /// The folder of the log.
    pub state_dir: PathBuf,
}

impl Paths {
    /// The places that the operating system names for this user; `None` without a home directory.
    pub fn find() -> Option<Self> {
        let dirs = directories::ProjectDirs::from("", "", "juror")?;
        Some(Self {
            config_file: dirs.config_dir().join("config.toml"),
            db: dirs.data_dir().join("juror.db"),
            state_dir: dirs.state_dir().unwrap_or_else(|| dirs.data_local_dir()).to_path_buf(),
        })
    }
}
