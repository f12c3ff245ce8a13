use super::*;
use tempfile::TempDir;

#[cfg(all(unix, not(target_vendor = "apple")))]
mod elf_files;

/// Checks the file as one that the caller named.
fn check(path: &Path) -> Result<FileIdentity, LibraryFileError> {
    super::check(path, LibrarySource::Named).map(|checked| checked.identity)
}

fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

fn message(path: &Path) -> String {
    match check(path) {
        Ok(_) => panic!("accepted {}", path.display()),
        Err(error) => {
            let message = error.to_string();
            let prefix = format!("{}: ", path.display());
            message.strip_prefix(&prefix).unwrap_or_else(|| panic!("no path in {message}")).to_owned()
        }
    }
}

#[test]
fn a_missing_file() {
    let folder = folder();
    let path = folder.path().join("libnone.so");
    assert!(matches!(check(&path), Err(LibraryFileError::NotFound { .. })));
    assert_eq!(message(&path), "the file does not exist");
    assert!(check(Path::new("")).is_err());
    assert!(check(Path::new("a\0b")).is_err());
}

#[test]
fn not_a_regular_file() {
    let folder = folder();
    assert_eq!(message(folder.path()), "a plugin must be a regular file, this is a folder");
    #[cfg(unix)]
    {
        let expected = "a plugin must be a regular file, this is a device, a pipe or a socket";
        assert_eq!(message(Path::new("/dev/null")), expected);
        let socket = folder.path().join("socket");
        let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        assert_eq!(message(&socket), expected);
    }
}

#[cfg(unix)]
mod on_unix {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    fn set_mode(path: &Path, mode: u32) {
        std::fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
    }

    fn library(folder: &Path) -> PathBuf {
        let path = folder.join("libplugin.so");
        std::fs::copy(std::env::current_exe().unwrap(), &path).unwrap();
        set_mode(&path, 0o755);
        path
    }

    #[test]
    fn a_file_that_others_may_write() {
        let folder = folder();
        let path = library(folder.path());
        for (mode, refused) in [(0o644, false), (0o755, false), (0o664, true), (0o646, true), (0o777, true)] {
            set_mode(&path, mode);
            match check(&path) {
                Err(LibraryFileError::WritableFile { mode: found, .. }) if refused => assert_eq!(found, mode),
                Ok(_) if !refused => (),
                other => panic!("{mode:o}: {other:?}"),
            }
        }
        assert!(message(&path).contains("other users may write to this file (mode 0777)"));
    }

    #[test]
    fn a_folder_that_others_may_write() {
        let folder = folder();
        let path = library(folder.path());
        for (mode, refused) in [(0o755, false), (0o775, true), (0o777, true), (0o703, true)] {
            set_mode(folder.path(), mode);
            match check(&path) {
                Err(LibraryFileError::WritableFolder { mode: found, folder: named, .. }) if refused => {
                    assert_eq!((found, named.as_path()), (mode, folder.path()));
                }
                Ok(_) if !refused => (),
                other => panic!("{mode:o}: {other:?}"),
            }
        }
        assert!(message(&path).contains("(mode 0703)"));
    }

    #[test]
    fn a_sticky_folder_is_for_a_named_file_of_ones_own() {
        let folder = folder();
        let path = library(folder.path());
        set_mode(folder.path(), 0o1777);
        check(&path).unwrap();
        let searched = super::super::check(&path, LibrarySource::Searched);
        assert!(
            matches!(searched, Err(LibraryFileError::WritableFolder { mode: 0o1777, .. })),
            "{searched:?}"
        );
        // Above a private folder the sticky one is harmless, as /tmp is for all of these tests.
        let private = folder.path().join("private");
        std::fs::create_dir(&private).unwrap();
        set_mode(&private, 0o700);
        super::super::check(&library(&private), LibrarySource::Searched).unwrap();
    }

    #[test]
    fn every_folder_above_counts() {
        let folder = folder();
        let inner = folder.path().join("a/b");
        std::fs::create_dir_all(&inner).unwrap();
        let path = library(&inner);
        check(&path).unwrap();
        set_mode(folder.path(), 0o777);
        assert!(message(&path).contains("(mode 0777) and so put another plugin there"));
    }

    /// Needs root: only root can give files to another user.
    #[test]
    fn a_file_of_another_user() {
        let folder = folder();
        let path = library(folder.path());
        if std::os::unix::fs::chown(&path, Some(65_534), None).is_err() {
            println!("skipped: only root can give a file away");
            return;
        }
        assert!(
            message(&path).contains("is owned by user 65534; only what root or user 0"),
            "{}",
            message(&path)
        );
        std::os::unix::fs::chown(&path, Some(0), None).unwrap();
        std::os::unix::fs::chown(folder.path(), Some(65_534), None).unwrap();
        assert!(matches!(check(&path), Err(LibraryFileError::ForeignOwner { owner: 65_534, .. })));
    }

    #[test]
    fn both_folders_of_a_link_count() {
        let (real, links) = (folder(), folder());
        let path = library(real.path());
        let link = links.path().join("liblink.so");
        symlink(&path, &link).unwrap();
        assert_eq!(check(&link).unwrap(), check(&path).unwrap());
        set_mode(links.path(), 0o777);
        assert!(matches!(check(&link), Err(LibraryFileError::WritableFolder { .. })));
        set_mode(links.path(), 0o755);
        set_mode(real.path(), 0o777);
        assert!(matches!(check(&link), Err(LibraryFileError::WritableFolder { .. })));
    }

    #[test]
    fn identity_is_of_the_file() {
        let folder = folder();
        let path = library(folder.path());
        let (hard, copy) = (folder.path().join("hard.so"), folder.path().join("copy.so"));
        std::fs::hard_link(&path, &hard).unwrap();
        std::fs::copy(&path, &copy).unwrap();
        assert_eq!(check(&path).unwrap(), check(&hard).unwrap());
        assert_ne!(check(&path).unwrap(), check(&copy).unwrap());
    }
}
