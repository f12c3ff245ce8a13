use super::*;
use tempfile::TempDir;

#[cfg(all(unix, not(target_vendor = "apple")))]
mod elf_files;

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
    assert_eq!(message(&path), "there is no such file");
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
    fn a_file_that_everyone_may_write() {
        let folder = folder();
        let path = library(folder.path());
        for (mode, refused) in [(0o644, false), (0o664, false), (0o646, true), (0o777, true)] {
            set_mode(&path, mode);
            match check(&path) {
                Err(LibraryFileError::WorldWritableFile { mode: found, .. }) if refused => {
                    assert_eq!(found, mode)
                }
                Ok(_) if !refused => (),
                other => panic!("{mode:o}: {other:?}"),
            }
        }
        assert!(message(&path).contains("every user may write this file (mode 0777)"));
    }

    #[test]
    fn a_folder_that_everyone_may_write() {
        let folder = folder();
        let path = library(folder.path());
        for (mode, refused) in [(0o775, false), (0o1777, false), (0o777, true), (0o703, true)] {
            set_mode(folder.path(), mode);
            match check(&path) {
                Err(LibraryFileError::WorldWritableFolder { mode: found, folder: named, .. }) if refused => {
                    assert_eq!((found, named.as_path()), (mode, folder.path()));
                }
                Ok(_) if !refused => (),
                other => panic!("{mode:o}: {other:?}"),
            }
        }
        assert!(message(&path).contains("(mode 0703)"));
    }

    #[test]
    fn both_folders_of_a_link_count() {
        let (real, links) = (folder(), folder());
        let path = library(real.path());
        let link = links.path().join("liblink.so");
        symlink(&path, &link).unwrap();
        assert_eq!(check(&link).unwrap(), check(&path).unwrap());
        set_mode(links.path(), 0o777);
        assert!(matches!(check(&link), Err(LibraryFileError::WorldWritableFolder { .. })));
        set_mode(links.path(), 0o755);
        set_mode(real.path(), 0o777);
        assert!(matches!(check(&link), Err(LibraryFileError::WorldWritableFolder { .. })));
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
