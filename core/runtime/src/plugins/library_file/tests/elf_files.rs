//! Small headers made by hand, for the class, byte order and machine of this program; and this program,
//! cut short.

use super::*;
use crate::plugins::library_file::elf;
use proptest::prelude::*;
use std::os::unix::fs::FileExt;

const WIDE: bool = cfg!(target_pointer_width = "64");
const HEADER: usize = if WIDE { 64 } else { 52 };
const SEGMENT: usize = if WIDE { 56 } else { 32 };
const SECTION: usize = if WIDE { 64 } else { 40 };
const E_PHENTSIZE: usize = if WIDE { 54 } else { 42 };

fn put_half(bytes: &mut [u8], at: usize, value: u16) {
    bytes[at..at + 2].copy_from_slice(&value.to_ne_bytes());
}

fn put_word(bytes: &mut [u8], at: usize, value: u64) {
    match WIDE {
        true => bytes[at..at + 8].copy_from_slice(&value.to_ne_bytes()),
        false => bytes[at..at + 4].copy_from_slice(&(value as u32).to_ne_bytes()),
    }
}

fn machine() -> u16 {
    let mut header = [0; 20];
    File::open(std::env::current_exe().unwrap()).unwrap().read_exact_at(&mut header, 0).unwrap();
    u16::from_ne_bytes([header[18], header[19]])
}

/// Header, one loadable segment that is the whole file, 100 bytes, two sections.
fn small() -> Vec<u8> {
    let e_shoff = HEADER + SEGMENT + 100;
    let mut file = vec![0; e_shoff + 2 * SECTION];
    file[..4].copy_from_slice(b"\x7fELF");
    file[4] = if WIDE { 2 } else { 1 };
    file[5] = if cfg!(target_endian = "little") { 1 } else { 2 };
    file[6] = 1;
    put_half(&mut file, 16, 3);
    put_half(&mut file, 18, machine());
    put_word(&mut file, if WIDE { 32 } else { 28 }, HEADER as u64);
    put_word(&mut file, if WIDE { 40 } else { 32 }, e_shoff as u64);
    for (i, value) in [SEGMENT, 1, SECTION, 2].into_iter().enumerate() {
        put_half(&mut file, E_PHENTSIZE + 2 * i, value as u16);
    }
    let bytes = file.len() as u64;
    file[HEADER..HEADER + 4].copy_from_slice(&1u32.to_ne_bytes());
    put_segment(&mut file, 0, bytes);
    file
}

fn put_segment(file: &mut [u8], offset: u64, bytes: u64) {
    put_word(file, HEADER + if WIDE { 8 } else { 4 }, offset);
    put_word(file, HEADER + if WIDE { 32 } else { 16 }, bytes);
}

fn check_bytes(bytes: &[u8]) -> Result<FileIdentity, LibraryFileError> {
    let folder = folder();
    let path = folder.path().join("lib.so");
    std::fs::write(&path, bytes).unwrap();
    check(&path)
}

fn refusal(edit: impl FnOnce(&mut Vec<u8>)) -> String {
    let mut file = small();
    edit(&mut file);
    let error = check_bytes(&file).expect_err("a refusal").to_string();
    error.split_once("lib.so: ").expect("the path").1.to_owned()
}

#[test]
fn the_small_library_passes() {
    check_bytes(&small()).unwrap();
    let mut without_sections = small();
    put_word(&mut without_sections, if WIDE { 40 } else { 32 }, 0);
    check_bytes(&without_sections).unwrap();
}

#[test]
fn every_cut_of_the_small_library_is_refused() {
    let file = small();
    for bytes in 0..file.len() {
        match check_bytes(&file[..bytes]) {
            Err(LibraryFileError::Truncated { needed, actual, .. }) => {
                assert!(actual == bytes as u64 && needed > actual, "{bytes}: needs {needed}, has {actual}");
            }
            other => panic!("{bytes} bytes: {other:?}"),
        }
    }
}

#[test]
fn not_elf() {
    assert_eq!(
        refusal(|file| file[..4].copy_from_slice(b"TFL3")),
        "not an ELF library: begins with [54, 46, 4c, 33], expected [7f, 45, 4c, 46]"
    );
    assert!(matches!(check_bytes(b"hi"), Err(LibraryFileError::NotElf { .. })));
    assert!(matches!(check_bytes(&[0; 300]), Err(LibraryFileError::NotElf { .. })));
}

#[test]
fn another_machine() {
    let own = machine();
    let class = if WIDE { 2 } else { 1 };
    for (found, expected) in [
        (
            refusal(|file| put_half(file, 18, 0xBEEF)),
            format!("built for another machine: e_machine is 48879, this program has {own}"),
        ),
        (
            refusal(|file| file[4] = 3 - class),
            format!(
                "built for another machine: the word size (EI_CLASS) is {}, this program has {class}",
                3 - class
            ),
        ),
    ] {
        assert_eq!(found, expected);
    }
    assert!(refusal(|file| file[5] ^= 3).contains("the byte order (EI_DATA)"));
}

#[test]
fn damaged_headers() {
    assert_eq!(refusal(|file| put_half(file, 16, 1)), "not a shared library: e_type is 1, expected 3");
    for (field, edited, value) in [
        ("e_phentsize", E_PHENTSIZE, 8),
        ("e_phnum", E_PHENTSIZE + 2, 0),
        ("e_phnum", E_PHENTSIZE + 2, 0xffff),
    ] {
        let found = refusal(|file| put_half(file, edited, value));
        assert!(found.starts_with(&format!("damaged: {field} is {value}, expected ")), "{found}");
    }
    let found = refusal(|file| put_half(file, E_PHENTSIZE + 4, 1));
    assert!(found.starts_with("damaged: e_shentsize is 1, expected "), "{found}");
    assert_eq!(
        refusal(|file| file[HEADER..HEADER + 4].fill(0)),
        "damaged: the number of loadable segments is 0, expected at least 1"
    );
}

#[test]
fn what_lies_outside_the_file() {
    let bytes = small().len() as u64;
    assert_eq!(
        refusal(|file| put_segment(file, 1, bytes)),
        format!("cut short: segment 0 needs {} bytes, the file has {bytes} bytes", bytes + 1)
    );
    let most = if WIDE { u64::MAX } else { u64::from(u32::MAX) };
    let outside = |found: String, what: &str| {
        assert!(found.starts_with(&format!("cut short: {what} needs ")), "{found}");
    };
    outside(refusal(|file| put_segment(file, most, most)), "segment 0");
    outside(refusal(|file| put_half(file, E_PHENTSIZE + 2, 0xfffe)), "the table of segments");
    outside(refusal(|file| put_word(file, if WIDE { 32 } else { 28 }, most)), "the table of segments");
    outside(refusal(|file| put_word(file, if WIDE { 40 } else { 32 }, most)), "the table of sections");
    outside(refusal(|file| put_half(file, E_PHENTSIZE + 6, 3)), "the table of sections");
}

#[test]
fn the_section_count_may_be_in_section_0() {
    let table = HEADER + SEGMENT + 100;
    let extended = |count| {
        let mut file = small();
        put_half(&mut file, E_PHENTSIZE + 6, 0);
        put_word(&mut file, table + if WIDE { 32 } else { 20 }, count);
        check_bytes(&file)
    };
    extended(2).unwrap();
    assert!(matches!(extended(3), Err(LibraryFileError::Truncated { .. })));
    assert!(matches!(extended(u64::MAX), Err(LibraryFileError::Truncated { .. })));
}

#[test]
fn this_program_whole_and_cut() {
    let folder = folder();
    let path = folder.path().join("libself.so");
    std::fs::copy(std::env::current_exe().unwrap(), &path).unwrap();
    check(&path).unwrap();
    let file = File::options().write(true).open(&path).unwrap();
    let whole = file.metadata().unwrap().len();
    for bytes in [whole - 1, whole / 2, whole / 10, 4096, 64, 63, 5, 0] {
        file.set_len(bytes).unwrap();
        match check(&path) {
            Err(LibraryFileError::Truncated { needed, actual, .. }) => {
                assert!(actual == bytes && needed > bytes && needed <= whole, "{needed} {actual}");
            }
            other => panic!("{bytes} of {whole} bytes: {other:?}"),
        }
    }
}

/// A library whose dynamic section has these entries and is followed by a name. An address is the file offset plus
/// 4096.
fn linked_to(name: &[u8], edit: impl FnOnce(&mut [(u64, u64); 3])) -> Result<Vec<String>, LibraryFileError> {
    let word = if WIDE { 8 } else { 4 };
    let dynamic = HEADER + 2 * SEGMENT;
    let names = dynamic + 6 * word;
    let mut entries = [(1, 0), (5, 4096 + names as u64), (0, 0)];
    edit(&mut entries);
    let mut file = small();
    file.truncate(HEADER + SEGMENT);
    file.resize(names, 0);
    file.extend_from_slice(name);
    let bytes = file.len() as u64;
    put_word(&mut file, if WIDE { 40 } else { 32 }, 0);
    put_half(&mut file, E_PHENTSIZE + 2, 2);
    put_segment(&mut file, 0, bytes);
    put_word(&mut file, HEADER + if WIDE { 16 } else { 8 }, 4096);
    let second = HEADER + SEGMENT;
    file[second..second + 4].copy_from_slice(&2u32.to_ne_bytes());
    put_segment(&mut file[SEGMENT..], dynamic as u64, 6 * word as u64);
    for (i, value) in entries.iter().flat_map(|(tag, value)| [*tag, *value]).enumerate() {
        put_word(&mut file, dynamic + i * word, value);
    }
    let folder = folder();
    let path = folder.path().join("lib.so");
    std::fs::write(&path, file).unwrap();
    super::super::check(&path, LibrarySource::Named).map(|checked| checked.needed)
}

#[test]
fn needed_libraries_are_named() {
    assert_eq!(linked_to(b"libasan.so.8\0", |_| ()).unwrap(), ["libasan.so.8"]);
    assert_eq!(linked_to(b"", |entries| entries[0] = (0, 0)).unwrap(), [""; 0]);
    let outside = |edit: fn(&mut [(u64, u64); 3])| linked_to(b"name\0", edit).unwrap_err().to_string();
    assert!(outside(|entries| entries[1].1 = 5).contains("damaged: DT_STRTAB is 5"));
    assert!(outside(|entries| entries[1].0 = 6).contains("damaged: DT_STRTAB is 0"));
    assert!(outside(|entries| entries[0].1 = 1 << 30).contains("cut short: the name of a needed library"));
    let endless = linked_to(&[b'x'; 5000], |_| ()).unwrap_err().to_string();
    assert!(endless.contains("the length of a needed library's name is 4096"), "{endless}");
    let own = super::super::check(&std::env::current_exe().unwrap(), LibrarySource::Named).unwrap().needed;
    assert!(own.iter().any(|name| name.starts_with("libc.")), "{own:?}");
}

proptest! {
    #[test]
    fn damage_never_panics(edits in prop::collection::vec((0..small().len(), any::<u8>()), 1..6)) {
        let mut file = small();
        for (at, value) in edits {
            file[at] = value;
        }
        let mut on_disk = tempfile::tempfile().unwrap();
        io::Write::write_all(&mut on_disk, &file).unwrap();
        let verdict = elf::check(Path::new("lib.so"), &on_disk, file.len() as u64);
        prop_assert!(verdict.is_ok() || !verdict.unwrap_err().to_string().is_empty());
    }
}
