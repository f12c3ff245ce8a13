//! Memory that is available to this process: what the machine has left, and what control groups leave of it.
//!
//! ```text
//! /proc/meminfo                      MemAvailable
//! /proc/self/cgroup                  the process's groups: 0::/a/b (version 2), 5:memory:/a/b (version 1)
//! /proc/self/mountinfo               where their folders are
//! FOLDER/a/b, FOLDER/a, FOLDER       limit − usage + page cache that is not in use; the smallest one holds
//! ```

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Bytes available when this was first called; `None` where the system does not say.
pub(super) fn memory() -> Option<u64> {
    static FOUND: OnceLock<Option<u64>> = OnceLock::new();
    *FOUND.get_or_init(|| read(Path::new("/")))
}

/// As [`memory`], of a system whose files are below `root`.
fn read(root: &Path) -> Option<u64> {
    let machine = text(&root.join("proc/meminfo")).and_then(|info| {
        let kilobytes = field(&info, "MemAvailable:").or_else(|| field(&info, "MemTotal:"))?;
        kilobytes.checked_mul(1024)
    });
    machine.into_iter().chain(groups(root)).min()
}

/// Bytes that each group on the way to the topmost one has left, for those that have a limit.
fn groups(root: &Path) -> Vec<u64> {
    let own = text(&root.join("proc/self/cgroup")).unwrap_or_default();
    let mounts = text(&root.join("proc/self/mountinfo")).unwrap_or_default();
    own.lines()
        .filter_map(|line| {
            let mut parts = line.splitn(3, ':');
            let (number, controllers, path) = (parts.next()?, parts.next()?, parts.next()?);
            let version = match number {
                "0" if controllers.is_empty() => &VERSION_2,
                _ if controllers.split(',').any(|name| name == "memory") => &VERSION_1,
                _ => return None,
            };
            Some(version.left(root, &Mount::find(&mounts, version)?, path))
        })
        .flatten()
        .collect()
}

/// How a version of control groups names its files.
struct Version {
    file_system: &'static str,
    /// Option of the mount that has the group's memory.
    option: Option<&'static str>,
    limit: &'static str,
    usage: &'static str,
    /// In `memory.stat`: page cache that can be dropped.
    inactive: &'static str,
}

const VERSION_2: Version = Version {
    file_system: "cgroup2",
    option: None,
    limit: "memory.max",
    usage: "memory.current",
    inactive: "inactive_file",
};

const VERSION_1: Version = Version {
    file_system: "cgroup",
    option: Some("memory"),
    limit: "memory.limit_in_bytes",
    usage: "memory.usage_in_bytes",
    inactive: "total_inactive_file",
};

impl Version {
    /// What the groups from `path` up to the mount's folder have left.
    fn left(&self, root: &Path, mount: &Mount, path: &str) -> Vec<u64> {
        let top = root.join(&mount.folder);
        let below = path.strip_prefix(mount.root.trim_end_matches('/')).unwrap_or("");
        let names = below.split('/').filter(|name| !name.is_empty());
        // A path that leads out of the namespace's own group says nothing of the folders that are mounted.
        let names = if below.contains("..") { Vec::new() } else { names.collect::<Vec<_>>() };
        let folders =
            (0..=names.len()).map(|count| names[..count].iter().fold(top.clone(), |f, n| f.join(n)));
        folders.filter_map(|folder| self.left_in(&folder)).collect()
    }

    fn left_in(&self, folder: &Path) -> Option<u64> {
        let number = |file: &str| text(&folder.join(file))?.trim().parse::<u64>().ok();
        // "max" is no number. Version 1 has a number near 2⁶³ where there is no limit.
        let (limit, usage) = (number(self.limit)?, number(self.usage)?);
        let stat = text(&folder.join("memory.stat")).unwrap_or_default();
        let droppable = field(&stat, self.inactive).unwrap_or(0).min(usage);
        Some(limit.saturating_sub(usage - droppable))
    }
}

/// Where groups are mounted.
struct Mount {
    /// The group whose folder is mounted.
    root: String,
    /// Relative to the system's root.
    folder: PathBuf,
}

impl Mount {
    /// `36 35 98:0 ROOT FOLDER options… - TYPE source super,options`
    fn find(mounts: &str, version: &Version) -> Option<Mount> {
        mounts.lines().find_map(|line| {
            let (place, kind) = line.split_once(" - ")?;
            let mut place = place.split(' ').skip(3);
            let (root, folder) = (place.next()?, place.next()?);
            let mut kind = kind.split(' ');
            let (file_system, options) = (kind.next()?, kind.nth(1).unwrap_or(""));
            let matches = file_system == version.file_system
                && version.option.is_none_or(|wanted| options.split(',').any(|option| option == wanted));
            matches.then(|| Mount { root: root.to_owned(), folder: folder.trim_start_matches('/').into() })
        })
    }
}

fn text(path: &Path) -> Option<String> {
    std::fs::read_to_string(path).ok()
}

/// The number behind the line's first word, in a text of such lines.
fn field(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find(|line| line.split_whitespace().next() == Some(name))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A system with these files.
    fn system(files: &[(&str, &str)]) -> Option<u64> {
        let root = tempfile::tempdir().expect("a folder");
        for (path, text) in files {
            let path = root.path().join(path);
            std::fs::create_dir_all(path.parent().expect("it has one")).expect("a folder");
            std::fs::write(path, text).expect("a file");
        }
        read(root.path())
    }

    const MEMINFO: (&str, &str) =
        ("proc/meminfo", "MemTotal:       24000 kB\nMemFree:  100 kB\nMemAvailable:   16000 kB\n");
    const MOUNT_2: (&str, &str) =
        ("proc/self/mountinfo", "30 24 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw\n");

    #[test]
    fn without_groups_it_is_what_the_machine_has_left() {
        assert_eq!(system(&[MEMINFO]), Some(16_000 << 10));
        assert_eq!(system(&[("proc/meminfo", "MemTotal:  24000 kB\n")]), Some(24_000 << 10));
        assert_eq!(system(&[]), None);
    }

    #[test]
    fn the_smallest_group_of_version_2_holds() {
        let group = ("proc/self/cgroup", "0::/kube/pod\n");
        let pod = |max, current| {
            system(&[
                MEMINFO,
                MOUNT_2,
                group,
                ("sys/fs/cgroup/kube/pod/memory.max", max),
                ("sys/fs/cgroup/kube/pod/memory.current", current),
                ("sys/fs/cgroup/kube/memory.max", "9000000\n"),
                ("sys/fs/cgroup/kube/memory.current", "1000000\n"),
            ])
        };
        assert_eq!(pod("5000000\n", "2000000\n"), Some(3_000_000), "its own");
        assert_eq!(pod("max\n", "2000000\n"), Some(8_000_000), "that of the group around it");
        assert_eq!(pod("1000\n", "2000000\n"), Some(0), "over its limit");
    }

    #[test]
    fn page_cache_that_can_be_dropped_is_available() {
        let found = system(&[
            MEMINFO,
            MOUNT_2,
            ("proc/self/cgroup", "0::/\n"),
            ("sys/fs/cgroup/memory.max", "5000000\n"),
            ("sys/fs/cgroup/memory.current", "4900000\n"),
            ("sys/fs/cgroup/memory.stat", "anon 900000\ninactive_file 4000000\nactive_file 0\n"),
        ]);
        assert_eq!(found, Some(4_100_000));
    }

    /// In a container the group's own folder may be mounted, under the path that the host knows or in a namespace.
    #[test]
    fn a_container_sees_its_own_group_as_the_topmost() {
        let files = |root: &'static str, path: &'static str| {
            let mount = format!("30 24 0:26 {root} /sys/fs/cgroup ro - cgroup2 cgroup rw\n");
            system(&[
                MEMINFO,
                ("proc/self/mountinfo", &mount),
                ("proc/self/cgroup", path),
                ("sys/fs/cgroup/memory.max", "5000000\n"),
                ("sys/fs/cgroup/memory.current", "1000000\n"),
            ])
        };
        assert_eq!(files("/docker/abc", "0::/docker/abc\n"), Some(4_000_000));
        assert_eq!(files("/", "0::/\n"), Some(4_000_000));
        assert_eq!(files("/", "0::/../../other\n"), Some(4_000_000));
    }

    #[test]
    fn version_1_is_asked_likewise() {
        let of = |limit: &str| {
            system(&[
                MEMINFO,
                ("proc/self/cgroup", "4:cpu,cpuacct:/a\n5:memory:/a/b\n"),
                (
                    "proc/self/mountinfo",
                    "31 24 0:27 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n\
                     32 24 0:28 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n",
                ),
                ("sys/fs/cgroup/memory/a/b/memory.limit_in_bytes", limit),
                ("sys/fs/cgroup/memory/a/b/memory.usage_in_bytes", "400\n"),
                ("sys/fs/cgroup/memory/a/b/memory.stat", "inactive_file 1\ntotal_inactive_file 100\n"),
            ])
        };
        assert_eq!(of("1000\n"), Some(700));
        assert_eq!(of("9223372036854771712\n"), Some(16_000 << 10), "no limit");
    }
}
