//! Who holds a lease: a name that tells whether its process still lives.
//!
//! The name carries host, boot, namespace, number and start of the process, so that a number that was
//! given to another process since is not mistaken for the holder. A holder counts as dead only where
//! that is certain; of another host, boot or namespace nothing can be told, and its lease runs out.

use std::fs;

use rustix::io::Errno;
use rustix::process::{Pid, test_kill_process};

/// What is known of a holder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fate {
    /// Its process is gone.
    Dead,
    /// Its process runs.
    Alive { pid: u32 },
    /// It cannot be seen from here.
    Unknown { host: String },
}

/// A process, as it is told apart from all others of its host and boot.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Process {
    boot: String,
    namespace: String,
    pid: u32,
    /// In clock ticks after the boot.
    started: u64,
}

/// What the system says of a process number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Look {
    Gone,
    /// It ended, and its parent has not asked how.
    Ended,
    Runs {
        started: u64,
    },
    CannotTell,
}

/// A new name for an auditor of this process, or whatever else works with a store.
pub fn new_name() -> String {
    let host = rustix::system::uname().nodename().to_string_lossy().replace('/', "_");
    let place = this_process().map_or_else(
        || "-/-/-/-".to_owned(),
        |own| format!("{}/{}/{}/{}", own.boot, own.namespace, own.pid, own.started),
    );
    format!("auditor/{host}/{place}/{}", uuid::Uuid::new_v4().simple())
}

/// What is known of the auditor with this name.
pub fn fate(name: &str) -> Fate {
    fate_seen_from(name, this_process().as_ref(), look)
}

/// Whether this process is stopped until somebody lets it go on, as far as the system tells.
pub fn is_stopped(pid: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let state = stat.rsplit_once(')').and_then(|(_, after_name)| after_name.split_whitespace().next());
    matches!(state, Some("T" | "t"))
}

fn fate_seen_from(name: &str, here: Option<&Process>, look: impl Fn(u32) -> Look) -> Fate {
    let mut parts = name.split('/').skip(1);
    let host = parts.next().unwrap_or("unknown").to_owned();
    let (Some(here), Some(there)) = (here, process(parts)) else { return Fate::Unknown { host } };
    if (&there.boot, &there.namespace) != (&here.boot, &here.namespace) {
        return Fate::Unknown { host };
    }
    match look(there.pid) {
        Look::Gone | Look::Ended => Fate::Dead,
        Look::Runs { started } if started != there.started => Fate::Dead,
        Look::Runs { .. } => Fate::Alive { pid: there.pid },
        Look::CannotTell => Fate::Unknown { host },
    }
}

fn process<'a>(mut parts: impl Iterator<Item = &'a str>) -> Option<Process> {
    Some(Process {
        boot: parts.next()?.to_owned(),
        namespace: parts.next()?.to_owned(),
        pid: parts.next()?.parse().ok()?,
        started: parts.next()?.parse().ok()?,
    })
}

/// `None` where the system does not tell.
fn this_process() -> Option<Process> {
    let pid = std::process::id();
    let Look::Runs { started } = look(pid) else { return None };
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?.trim().to_owned();
    let namespace = fs::read_link("/proc/self/ns/pid").ok()?.to_string_lossy().replace('/', "_");
    Some(Process { boot, namespace, pid, started })
}

fn look(pid: u32) -> Look {
    // Asked of the kernel itself: `/proc` may hide the processes of others.
    let number = i32::try_from(pid).ok().and_then(Pid::from_raw);
    if number.is_none_or(|number| test_kill_process(number) == Err(Errno::SRCH)) {
        return Look::Gone;
    }
    fs::read_to_string(format!("/proc/{pid}/stat")).map_or(Look::CannotTell, |stat| read_stat(&stat))
}

/// Reads `/proc/PID/stat`. The program's name in it may hold anything, brackets and spaces included.
fn read_stat(stat: &str) -> Look {
    let Some((_, after_name)) = stat.rsplit_once(')') else { return Look::CannotTell };
    let fields: Vec<&str> = after_name.split_whitespace().collect();
    let number = |at: usize| fields.get(at).and_then(|field| field.parse::<u64>().ok());
    match (fields.first(), number(17), number(19)) {
        // The first thread may have ended before the others.
        (Some(&"Z" | &"X"), Some(0 | 1), _) => Look::Ended,
        (Some(_), Some(_), Some(started)) => Look::Runs { started },
        _ => Look::CannotTell,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn here() -> Process {
        Process { boot: "b-1".into(), namespace: "pid:[1]".into(), pid: 7, started: 70 }
    }

    fn seen(name: &str, look: Look) -> Fate {
        fate_seen_from(name, Some(&here()), |_| look)
    }

    #[test]
    fn only_what_is_certainly_gone_is_dead() {
        let name = "auditor/h/b-1/pid:[1]/9/90/x";
        assert_eq!(seen(name, Look::Gone), Fate::Dead);
        assert_eq!(seen(name, Look::Ended), Fate::Dead);
        assert_eq!(seen(name, Look::Runs { started: 91 }), Fate::Dead, "the number was given away");
        assert_eq!(seen(name, Look::Runs { started: 90 }), Fate::Alive { pid: 9 });
        let unknown = Fate::Unknown { host: "h".into() };
        assert_eq!(seen(name, Look::CannotTell), unknown);
        assert_eq!(fate_seen_from(name, None, |_| Look::Gone), unknown);
        for elsewhere in
            ["auditor/h/b-2/pid:[1]/9/90/x", "auditor/h/b-1/pid:[2]/9/90/x", "auditor/h/-/-/-/-/x"]
        {
            assert_eq!(seen(elsewhere, Look::Gone), unknown, "{elsewhere}");
        }
        assert_eq!(seen("somebody", Look::Gone), Fate::Unknown { host: "unknown".into() });
    }

    #[test]
    fn a_stat_line_is_read_behind_whatever_the_program_is_called() {
        let stat = "9 (a ) b) S 1 9 9 0 -1 0 0 0 0 0 0 0 0 0 20 0 12 0 4711 0 0";
        assert_eq!(read_stat(stat), Look::Runs { started: 4711 });
        assert_eq!(read_stat(&stat.replace(") S", ") Z")), Look::Runs { started: 4711 }, "other threads run");
        assert_eq!(read_stat(&stat.replace(") S", ") Z").replace(" 12 0", " 1 0")), Look::Ended);
        assert_eq!(read_stat("nonsense"), Look::CannotTell);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn this_process_lives_and_a_killed_child_does_not() {
        assert_eq!(fate(&new_name()), Fate::Alive { pid: std::process::id() });
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        let pid = child.id();
        let Look::Runs { started } = look(pid) else { panic!("it was just started") };
        let own = this_process().unwrap();
        let name = format!("auditor/h/{}/{}/{pid}/{started}/x", own.boot, own.namespace);
        assert_eq!(fate(&name), Fate::Alive { pid });
        child.kill().unwrap();
        // Killed, and not yet asked for by its parent.
        for _ in 0..500 {
            if fate(&name) == Fate::Dead {
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        assert_eq!(fate(&name), Fate::Dead);
        child.wait().unwrap();
        assert_eq!(fate(&name), Fate::Dead);
    }
}
