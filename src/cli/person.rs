//! Who is at the keyboard and on which host, as the operating system tells it.

/// The name of the user that runs this process: of the user database, else of the environment,
/// else the number.
pub(super) fn os_user() -> String {
    let uid = rustix::process::getuid().as_raw();
    let from_database = std::fs::read_to_string("/etc/passwd").ok().and_then(|text| name_of(&text, uid));
    from_database
        .or_else(|| std::env::var("LOGNAME").or_else(|_| std::env::var("USER")).ok())
        .filter(|name| crate::config::annotator(name).is_some())
        .unwrap_or_else(|| format!("uid{uid}"))
}

/// The host's name.
pub(super) fn host() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

fn name_of(passwd: &str, uid: u32) -> Option<String> {
    passwd.lines().find_map(|line| {
        let mut fields = line.split(':');
        let name = fields.next()?;
        (fields.nth(1)?.parse::<u32>().ok()? == uid).then(|| name.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_user_database_names_the_user() {
        let passwd = "root:x:0:0:root:/root:/bin/sh\nbroken\nana:x:1000:1000::/home/ana:/bin/sh\n";
        assert_eq!(name_of(passwd, 1000).as_deref(), Some("ana"));
        assert_eq!(name_of(passwd, 1), None);
    }
}
