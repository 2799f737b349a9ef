//! Whether a path is a place where SQLite's locks can be relied on.
//!
//! Must not know the store itself: facts about the file system in, a verdict out.

use std::path::Path;

/// File systems that are always served over a network, by the number `statfs` gives them on Linux.
const NETWORK: &[(u32, &str)] = &[
    (0x0000_6969, "NFS"),
    (0xFF53_4D42, "CIFS"),
    (0xFE53_4D42, "SMB2"),
    (0x0000_517B, "SMB"),
    (0x0102_1997, "9p"),
    (0x5346_414F, "AFS"),
    (0x7375_7245, "Coda"),
    (0x0000_564C, "NCP"),
    (0x00C3_6400, "Ceph"),
    (0x0BD0_0BD0, "Lustre"),
    (0x4750_4653, "GPFS"),
];

/// Any file system that runs as a program. Some are local; the mount table tells.
const FUSE: u32 = 0x6573_5546;

/// FUSE programs that serve files over a network.
const NETWORK_FUSE: &[&str] = &[
    "sshfs",
    "s3fs",
    "rclone",
    "glusterfs",
    "ceph-fuse",
    "davfs",
    "gcsfuse",
    "curlftpfs",
    "smbnetfs",
    "mfs",
    "juicefs",
    "goofys",
    "blobfuse2",
    "mount-s3",
];

/// Which file stands at `path`, whatever it is called elsewhere; `None` where none does.
pub(super) fn identity(path: &Path) -> Option<(u64, u64)> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        path.metadata().ok().map(|there| (there.dev(), there.ino()))
    }
    #[cfg(not(unix))]
    path.metadata().ok().map(|_| (0, 0))
}

/// The name of the network file system with this `statfs` number, `None` for a local one.
/// `mount_type` is the type in the mount table, needed for FUSE only.
pub(super) fn network_kind(magic: u32, mount_type: Option<&str>) -> Option<String> {
    if magic == FUSE {
        let program = mount_type?.strip_prefix("fuse.")?;
        return NETWORK_FUSE.contains(&program).then(|| program.to_owned());
    }
    NETWORK.iter().find(|(known, _)| *known == magic).map(|(_, name)| (*name).to_owned())
}

/// The type of the mount that `path` lies on, read from the text of `/proc/self/mountinfo`.
fn mount_type<'a>(mountinfo: &'a str, path: &Path) -> Option<&'a str> {
    mountinfo
        .lines()
        .filter_map(|line| {
            let (mount, kind) = line.split_once(" - ")?;
            let point = mount.split(' ').nth(4)?.replace("\\040", " ");
            path.starts_with(&point).then(|| (point.len(), kind.split(' ').next().unwrap_or(kind)))
        })
        .max_by_key(|(length, _)| *length)
        .map(|(_, kind)| kind)
}

/// The type of the file system that `path` lies on, as the mount table names it; `None` where it
/// cannot be told.
pub fn file_system(path: &Path) -> Option<String> {
    let table = std::fs::read_to_string("/proc/self/mountinfo").ok()?;
    mount_type(&table, &path.canonicalize().ok()?).map(str::to_owned)
}

/// The network file system that `directory` lies on; `None` for a local one, and where it cannot be told.
#[cfg(target_os = "linux")]
pub(super) fn network_of(directory: &Path) -> Option<String> {
    // The number is 32 bits wide; the field's width differs between machines.
    let magic = rustix::fs::statfs(directory).ok()?.f_type as u32;
    let table = if magic == FUSE { std::fs::read_to_string("/proc/self/mountinfo").ok() } else { None };
    let directory = directory.canonicalize().unwrap_or_else(|_| directory.to_owned());
    network_kind(magic, table.as_deref().and_then(|table| mount_type(table, &directory)))
}

#[cfg(not(target_os = "linux"))]
pub(super) fn network_of(_directory: &Path) -> Option<String> {
    None
}

/// Whether the store can be read only as it stands: nothing can be written beside it, as on a CD, and no
/// writer left anything there that belongs to it.
pub(super) fn is_frozen(path: &Path) -> bool {
    // SQLite keeps its log beside what a symbolic link stands for.
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let beside = |ending: &str| {
        let mut name = path.clone().into_os_string();
        name.push(ending);
        Path::new(&name).exists()
    };
    must_be_frozen(path.parent().is_none_or(can_be_written), beside("-wal"), beside("-shm"))
}

/// Whether everything stands in the file itself: nothing of it in a log beside it.
pub(super) fn is_folded(path: &Path) -> bool {
    let mut log = path.canonicalize().unwrap_or_else(|_| path.to_owned()).into_os_string();
    log.push("-wal");
    Path::new(&log)
        .metadata()
        .map_or_else(|error| error.kind() == std::io::ErrorKind::NotFound, |log| log.len() == 0)
}

fn must_be_frozen(folder_can_be_written: bool, has_log: bool, has_index: bool) -> bool {
    !folder_can_be_written && !has_log && !has_index
}

fn can_be_written(folder: &Path) -> bool {
    rustix::fs::access(folder, rustix::fs::Access::WRITE_OK).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn j66_network_file_systems_are_known_by_number() {
        for (magic, name) in [(0x6969, "NFS"), (0xFF53_4D42, "CIFS"), (0x0102_1997, "9p")] {
            assert_eq!(network_kind(magic, None).as_deref(), Some(name));
        }
        for local in [0xEF53, 0x0102_1994, 0x9123_683E, 0x5846_5342, 0x794C_7630] {
            assert_eq!(network_kind(local, None), None, "{local:x}");
        }
    }

    #[test]
    fn fuse_is_judged_by_its_program() {
        assert_eq!(network_kind(FUSE, Some("fuse.sshfs")).as_deref(), Some("sshfs"));
        assert_eq!(network_kind(FUSE, Some("fuse.fuse-overlayfs")), None);
        assert_eq!(network_kind(FUSE, Some("fuseblk")), None);
        assert_eq!(network_kind(FUSE, None), None);
    }

    #[test]
    fn a_store_is_frozen_only_where_nothing_is_left_beside_it() {
        assert!(must_be_frozen(false, false, false));
        for (folder, log, index) in
            [(true, false, false), (false, true, false), (false, false, true), (false, true, true)]
        {
            assert!(!must_be_frozen(folder, log, index), "{folder} {log} {index}");
        }
        let folder = tempfile::tempdir().unwrap();
        assert!(!is_frozen(&folder.path().join("juror.db")), "this folder can be written");
        // Nothing can be made in there, by root neither.
        #[cfg(target_os = "linux")]
        assert!(is_frozen(Path::new("/proc/self/status")) || can_be_written(Path::new("/proc/self")));
    }

    #[test]
    fn the_nearest_mount_counts() {
        let table = "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n\
                     30 22 0:40 / /mnt/far\\040away rw shared:1 - fuse.sshfs host: rw\n";
        assert_eq!(mount_type(table, Path::new("/mnt/far away/x")), Some("fuse.sshfs"));
        assert_eq!(mount_type(table, Path::new("/mnt/far")), Some("ext4"));
    }
}
