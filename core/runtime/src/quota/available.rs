//! Memory available to this process: the minimum of the memory left on the machine and in each control group.
//!
//! ```text
//! /proc/meminfo                      MemAvailable, MemTotal
//! /proc/self/cgroup                  the process's groups: 0::/a/b (version 2), 5:memory:/a/b (version 1)
//! /proc/self/mountinfo               their folders, if they are not mounted at the usual place
//! FOLDER/a/b, FOLDER/a, FOLDER       limit − usage + page cache that can be dropped; the smallest one counts
//! ```
//!
//! Every program that loads a model does this once, so it should open few files: a limit above `MemTotal` has no
//! effect, so the usage of its group is not read. Only one version has the memory controller, so version 2 is not read
//! if a version 1 group exists.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Bytes available at the first call; `None` if the system does not report them.
pub(super) fn memory() -> Option<u64> {
    static FOUND: OnceLock<Option<u64>> = OnceLock::new();
    *FOUND.get_or_init(|| read(Path::new("/")))
}

/// Bytes available to this process, from system files below `root`.
fn read(root: &Path) -> Option<u64> {
    let info = text(&root.join("proc/meminfo")).unwrap_or_default();
    let bytes = |name| field(&info, name)?.checked_mul(1024);
    let total = bytes("MemTotal:");
    let machine = bytes("MemAvailable:").or(total);
    machine.into_iter().chain(groups(root, total.unwrap_or(u64::MAX))).min()
}

/// Bytes left in each control group from the process's own to the root, for groups with a limit up to `total`.
fn groups(root: &Path, total: u64) -> Vec<u64> {
    let own = text(&root.join("proc/self/cgroup")).unwrap_or_default();
    let group = |version: &'static Version| {
        let path = own.lines().find_map(|line| version.path(line))?;
        Some((version, path))
    };
    let Some((version, path)) = group(&VERSION_1).or_else(|| group(&VERSION_2)) else { return Vec::new() };
    let usual = Mount { root: "/".to_owned(), folder: version.folder.into() };
    let mount = if usual.has(root, version, path) {
        Some(usual)
    } else {
        Mount::find(&text(&root.join("proc/self/mountinfo")).unwrap_or_default(), version)
    };
    mount.map_or_else(Vec::new, |mount| version.left(root, &mount, path, total))
}

/// The file names of a version of control groups.
struct Version {
    file_system: &'static str,
    /// The usual folder of its groups, relative to the system's root.
    folder: &'static str,
    /// The mount option of the hierarchy with the memory controller.
    option: Option<&'static str>,
    limit: &'static str,
    usage: &'static str,
    /// The field of `memory.stat` with the page cache that can be dropped.
    inactive: &'static str,
}

const VERSION_2: Version = Version {
    file_system: "cgroup2",
    folder: "sys/fs/cgroup",
    option: None,
    limit: "memory.max",
    usage: "memory.current",
    inactive: "inactive_file",
};

const VERSION_1: Version = Version {
    file_system: "cgroup",
    folder: "sys/fs/cgroup/memory",
    option: Some("memory"),
    limit: "memory.limit_in_bytes",
    usage: "memory.usage_in_bytes",
    inactive: "total_inactive_file",
};

impl Version {
    /// The path of the process's group, from a line of `/proc/self/cgroup` that has this version's memory controller.
    fn path<'l>(&self, line: &'l str) -> Option<&'l str> {
        let mut parts = line.splitn(3, ':');
        let (number, controllers, path) = (parts.next()?, parts.next()?, parts.next()?);
        let matches = match self.option {
            Some(option) => controllers.split(',').any(|name| name == option),
            None => number == "0" && controllers.is_empty(),
        };
        matches.then_some(path)
    }

    /// Bytes left in the groups from `path` up to the mount's folder, for those with a limit up to `total`.
    fn left(&self, root: &Path, mount: &Mount, path: &str, total: u64) -> Vec<u64> {
        let top = root.join(&mount.folder);
        let below = path.strip_prefix(mount.root.trim_end_matches('/')).unwrap_or("");
        let names = below.split('/').filter(|name| !name.is_empty());
        // A path outside the namespace's own group does not name a folder of this mount.
        let names = if below.contains("..") { Vec::new() } else { names.collect::<Vec<_>>() };
        let folders =
            (0..=names.len()).map(|count| names[..count].iter().fold(top.clone(), |f, n| f.join(n)));
        folders.filter_map(|folder| self.left_in(&folder, total)).collect()
    }

    fn left_in(&self, folder: &Path, total: u64) -> Option<u64> {
        let number = |file: &str| text(&folder.join(file))?.trim().parse::<u64>().ok();
        // Without a limit, version 2 has "max" here, and version 1 has a number near 2⁶³.
        let limit = number(self.limit).filter(|&limit| limit <= total)?;
        let usage = number(self.usage)?;
        let stat = text(&folder.join("memory.stat")).unwrap_or_default();
        let droppable = field(&stat, self.inactive).unwrap_or(0).min(usage);
        Some(limit.saturating_sub(usage - droppable))
    }
}

/// A mounted hierarchy of groups.
struct Mount {
    /// The group whose folder is mounted.
    root: String,
    /// Relative to the system's root.
    folder: PathBuf,
}

impl Mount {
    /// Whether the process's own group is a folder of this mount that has a limit.
    fn has(&self, root: &Path, version: &Version, path: &str) -> bool {
        let own = path.trim_matches('/');
        !own.contains("..") && root.join(&self.folder).join(own).join(version.limit).exists()
    }

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

/// Reads a system file. Its length is unknown in advance; the initial buffer is large enough for most.
fn text(path: &Path) -> Option<String> {
    let mut bytes = Vec::with_capacity(1 << 14);
    File::open(path).ok()?.take(1 << 24).read_to_end(&mut bytes).ok()?;
    String::from_utf8(bytes).ok()
}

/// The number after `name`, in a text whose lines begin with a name and a number.
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

    /// A container may see only its own folder as the root, and its path as the host has it or as `/`.
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
    fn folders_in_their_usual_place_need_no_list_of_mounts() {
        let left = |own, folder: &str| {
            let (max, current) = (format!("{folder}/memory.max"), format!("{folder}/memory.current"));
            system(&[MEMINFO, ("proc/self/cgroup", own), (&max, "5000000\n"), (&current, "1000000\n")])
        };
        assert_eq!(left("0::/kube/pod\n", "sys/fs/cgroup/kube/pod"), Some(4_000_000));
        assert_eq!(left("0::/\n", "sys/fs/cgroup"), Some(4_000_000));
        assert_eq!(left("0::/../kube\n", "sys/fs/kube"), Some(16_000 << 10), "outside the folder of groups");
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
