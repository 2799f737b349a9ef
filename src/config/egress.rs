//! The ban on leaving the host, and what it concerns.

use super::{Config, ConfigError, Egress};

impl Config {
    /// The one place where the ban on leaving the host meets what would leave it: a hook, and a judge behind an address,
    /// even one of this host, since nobody can tell from here what stands behind that.
    pub(super) fn keeps_to_egress(&self) -> Result<(), ConfigError> {
        if self.egress.value == Egress::Any {
            return Ok(());
        }
        if !self.hook.value.is_empty() {
            return Err(ConfigError::HookForbidden { origin: self.hook.origin.clone() });
        }
        match self.model_judge() {
            None => Ok(()),
            Some(judge) => Err(ConfigError::JudgeForbidden {
                origin: self.judge.origin.clone(),
                judge: judge.name().to_owned(),
            }),
        }
    }

    /// The same for embeddings: only who asks for them is held up.
    pub(super) fn embeddings_keep_to_egress(&self) -> Result<(), ConfigError> {
        match (self.egress.value, &self.embeddings) {
            (Egress::None, Some(server)) => {
                Err(ConfigError::EmbeddingsForbidden { origin: server.origin().clone() })
            }
            _ => Ok(()),
        }
    }

    /// Whether a program that is named on the command line by `flag` may be run: like a hook, it may send out what
    /// it is given.
    ///
    /// # Errors
    /// When nothing may leave the host.
    pub fn may_run(&self, flag: &'static str) -> Result<(), ConfigError> {
        match self.egress.value {
            Egress::Any => Ok(()),
            Egress::None => Err(ConfigError::ProgramForbidden { origin: self.egress.origin.clone(), flag }),
        }
    }
}
