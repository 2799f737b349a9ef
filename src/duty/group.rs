//! A process that others begin under, and all of them ended together.

use rustix::process::{Pid, Signal, kill_process_group};

/// A group of processes. Whoever is left in it is killed when this goes away; what left the group lives on, as a
/// daemon is meant to.
#[derive(Debug)]
pub struct Group(Option<Pid>);

impl Group {
    /// The one that the process of this number leads.
    pub fn led_by(id: Option<u32>) -> Self {
        Self(id.and_then(|id| Pid::from_raw(id.cast_signed())))
    }

    /// Lets them live on.
    pub fn let_go(mut self) {
        self.0 = None;
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if let Some(leader) = self.0.take() {
            // An error means that nobody is left in it.
            let _ = kill_process_group(leader, Signal::KILL);
        }
    }
}
