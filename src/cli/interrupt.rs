//! Notices Ctrl-C and the requests to end, so that long work stops at a safe place.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::process::Signal;
use tokio::signal::unix::{SignalKind, signal};

/// Lets a write beyond the limit of a file's size (`ulimit -f`) fail, which is told, instead of ending the process. What
/// is caught once stays so, and programs that are started do not inherit it.
pub(super) fn outlive_limits() -> std::io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
    let _guard = runtime.enter();
    signal(SignalKind::from_raw(Signal::XFSZ.as_raw())).map(drop)
}

/// Becomes true when the person or the system asks the program to stop.
#[derive(Debug, Clone, Default)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Watches for SIGINT, SIGTERM and SIGHUP from now on. They no longer end the process by themselves.
    pub fn watch() -> std::io::Result<Self> {
        let interrupt = Self::default();
        let raised = Arc::clone(&interrupt.0);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
        let guard = runtime.enter();
        let mut interrupted = signal(SignalKind::interrupt())?;
        let mut terminated = signal(SignalKind::terminate())?;
        let mut hung_up = signal(SignalKind::hangup())?;
        // Nobody waits for it: that it is listened to lets a write past the limit of a file's size fail, and be told,
        // in place of ending the program.
        let too_large = signal(SignalKind::from_raw(rustix::process::Signal::XFSZ.as_raw()))?;
        drop(guard);
        std::thread::Builder::new().name("signals".into()).spawn(move || {
            runtime.block_on(async {
                tokio::select! {
                    _ = interrupted.recv() => {}
                    _ = terminated.recv() => {}
                    _ = hung_up.recv() => {}
                }
                raised.store(true, Ordering::SeqCst);
                drop(too_large);
            });
        })?;
        Ok(interrupt)
    }

    pub fn is_raised(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}
