//! Reads the ELF header of a library, and checks that the file contains everything that the header announces.
//!
//! ```text
//!            32 bits          64 bits                     32 bits          64 bits
//! e_type     16..18           16..18      p_type           0..4             0..4
//! e_machine  18..20           18..20      p_offset         4..8             8..16
//! e_phoff    28..32           32..40      p_filesz        16..20           32..40
//! e_shoff    32..36           40..48      entry bytes     32               56
//! e_phentsize, e_phnum, (none), e_shentsize, e_shnum: 16 bits each, from 42 or 54; 44 is e_phnum, ...
//! ```

mod needed;

use super::LibraryFileError;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

const MAGIC: [u8; 4] = *b"\x7fELF";
const ET_DYN: u16 = 3;
const PT_LOAD: u64 = 1;
/// `e_phnum` of a file whose real count is elsewhere, because it has 65535 segments or more.
const PN_XNUM: u64 = 0xffff;

/// Positions and sizes that depend on the class of the file, which is always the class of this program.
struct Layout {
    class: u8,
    word: usize,
    header_bytes: usize,
    e_phoff: usize,
    e_shoff: usize,
    e_phentsize: usize,
    program_header_bytes: usize,
    p_offset: usize,
    p_vaddr: usize,
    p_filesz: usize,
    section_header_bytes: usize,
    sh_size: usize,
}

#[cfg(target_pointer_width = "64")]
const LAYOUT: Layout = Layout {
    class: 2,
    word: 8,
    header_bytes: 64,
    e_phoff: 32,
    e_shoff: 40,
    e_phentsize: 54,
    program_header_bytes: 56,
    p_offset: 8,
    p_vaddr: 16,
    p_filesz: 32,
    section_header_bytes: 64,
    sh_size: 32,
};

#[cfg(target_pointer_width = "32")]
const LAYOUT: Layout = Layout {
    class: 1,
    word: 4,
    header_bytes: 52,
    e_phoff: 28,
    e_shoff: 32,
    e_phentsize: 42,
    program_header_bytes: 32,
    p_offset: 4,
    p_vaddr: 8,
    p_filesz: 16,
    section_header_bytes: 40,
    sh_size: 20,
};

/// `EI_DATA`: 1 is little-endian, 2 is big-endian.
const DATA: u8 = if cfg!(target_endian = "little") { 1 } else { 2 };

/// `e_machine` of this program; `None` where we do not know the number.
const MACHINE: Option<u16> = if cfg!(target_arch = "x86_64") {
    Some(62)
} else if cfg!(target_arch = "aarch64") {
    Some(183)
} else if cfg!(target_arch = "x86") {
    Some(3)
} else if cfg!(target_arch = "arm") {
    Some(40)
} else if cfg!(any(target_arch = "riscv32", target_arch = "riscv64")) {
    Some(243)
} else if cfg!(target_arch = "powerpc64") {
    Some(21)
} else if cfg!(target_arch = "s390x") {
    Some(22)
} else if cfg!(target_arch = "loongarch64") {
    Some(258)
} else {
    None
};

type Result<T> = std::result::Result<T, LibraryFileError>;

/// Checks the header, and that the file contains every loadable segment and the section table. Returns the names of the
/// libraries that this one is linked to.
pub(super) fn check(path: &Path, file: &File, bytes: u64) -> Result<Vec<String>> {
    let library = Library { path, file, bytes };
    let header = library.header()?;
    library.check_machine(&header)?;
    let segments = library.segments(&header)?;
    library.check_sections(&header)?;
    needed::names(&library, &segments)
}

/// A segment, from its program header.
struct Segment {
    kind: u64,
    offset: u64,
    address: u64,
    /// Its size in the file.
    bytes: u64,
}

struct Library<'a> {
    path: &'a Path,
    file: &'a File,
    bytes: u64,
}

type Header = [u8; LAYOUT.header_bytes];

impl Library<'_> {
    /// Reads the header of an ELF file, which must have this program's class and byte order.
    fn header(&self) -> Result<Header> {
        let mut header = [0; LAYOUT.header_bytes];
        let have = usize::try_from(self.bytes).map_or(header.len(), |bytes| bytes.min(header.len()));
        self.read(header.get_mut(..have).unwrap_or_default(), 0)?;
        let [m0, m1, m2, m3, class, data, ..] = header;
        let magic = [m0, m1, m2, m3];
        if magic != MAGIC && !(have < MAGIC.len() && MAGIC.starts_with(magic.get(..have).unwrap_or_default()))
        {
            return Err(LibraryFileError::NotElf { path: self.path.to_owned(), magic });
        }
        self.within("the ELF header", 0, header.len() as u64)?;
        self.same("the word size (EI_CLASS)", LAYOUT.class.into(), class.into())?;
        self.same("the byte order (EI_DATA)", DATA.into(), data.into())?;
        Ok(header)
    }

    fn check_machine(&self, header: &Header) -> Result<()> {
        if let Some(machine) = MACHINE {
            self.same("e_machine", machine, half(header, 18))?;
        }
        match half(header, 16) {
            ET_DYN => Ok(()),
            found => Err(LibraryFileError::NotShared { path: self.path.to_owned(), found }),
        }
    }

    fn segments(&self, header: &Header) -> Result<Vec<Segment>> {
        let entry = LAYOUT.program_header_bytes;
        let (offset, count) = (word(header, LAYOUT.e_phoff), u64::from(half(header, LAYOUT.e_phentsize + 2)));
        self.entry_bytes("e_phentsize", half(header, LAYOUT.e_phentsize), entry)?;
        if count == 0 || count == PN_XNUM {
            return Err(self.malformed("e_phnum", count, "1 to 65534 segments"));
        }
        self.within("the table of segments", offset, count * entry as u64)?;
        let mut raw = [0; LAYOUT.program_header_bytes];
        let mut segments = Vec::new();
        for index in 0..count {
            self.read(&mut raw, offset + index * entry as u64)?;
            let segment = Segment {
                kind: quarter(&raw, 0),
                offset: word(&raw, LAYOUT.p_offset),
                address: word(&raw, LAYOUT.p_vaddr),
                bytes: word(&raw, LAYOUT.p_filesz),
            };
            if segment.kind == PT_LOAD {
                self.within(&format!("segment {index}"), segment.offset, segment.bytes)?;
            }
            segments.push(segment);
        }
        if segments.iter().all(|segment| segment.kind != PT_LOAD) {
            return Err(self.malformed("the number of loadable segments", 0, "at least 1"));
        }
        Ok(segments)
    }

    /// Most linkers write the section table at the end of the file; a file may also lack one.
    fn check_sections(&self, header: &Header) -> Result<()> {
        let entry = LAYOUT.section_header_bytes;
        let offset = word(header, LAYOUT.e_shoff);
        if offset == 0 {
            return Ok(());
        }
        self.entry_bytes("e_shentsize", half(header, LAYOUT.e_phentsize + 4), entry)?;
        let mut count = u64::from(half(header, LAYOUT.e_phentsize + 6));
        if count == 0 {
            // 65280 sections or more: the count is the size of section 0.
            self.within("the table of sections", offset, entry as u64)?;
            let mut section = [0; LAYOUT.section_header_bytes];
            self.read(&mut section, offset)?;
            count = word(&section, LAYOUT.sh_size);
        }
        self.within("the table of sections", offset, count.saturating_mul(entry as u64))
    }

    fn within(&self, what: &str, offset: u64, bytes: u64) -> Result<()> {
        let (needed, actual) = (offset.saturating_add(bytes), self.bytes);
        if needed <= actual {
            return Ok(());
        }
        Err(LibraryFileError::Truncated { path: self.path.to_owned(), what: what.to_owned(), needed, actual })
    }

    fn same(&self, field: &'static str, expected: u16, found: u16) -> Result<()> {
        if expected == found {
            return Ok(());
        }
        Err(LibraryFileError::WrongMachine { path: self.path.to_owned(), field, expected, found })
    }

    fn entry_bytes(&self, field: &'static str, found: u16, expected: usize) -> Result<()> {
        if usize::from(found) == expected {
            return Ok(());
        }
        Err(self.malformed(field, found.into(), "the size of an entry of this ELF class"))
    }

    fn malformed(&self, field: &'static str, found: u64, expected: &'static str) -> LibraryFileError {
        LibraryFileError::Malformed { path: self.path.to_owned(), field, found, expected }
    }

    fn read(&self, buffer: &mut [u8], offset: u64) -> Result<()> {
        self.file.read_exact_at(buffer, offset).map_err(|source| match source.kind() {
            io::ErrorKind::UnexpectedEof => LibraryFileError::Truncated {
                path: self.path.to_owned(),
                what: "a header, read after the file has shrunk,".to_owned(),
                needed: offset.saturating_add(buffer.len() as u64),
                actual: self.bytes,
            },
            _ => LibraryFileError::Unreadable { path: self.path.to_owned(), source },
        })
    }
}

/// Reads 16 bits at this position, which the caller has checked; 0 if it is out of range.
fn half(bytes: &[u8], at: usize) -> u16 {
    field(bytes, at).map_or(0, u16::from_ne_bytes)
}

fn quarter(bytes: &[u8], at: usize) -> u64 {
    field(bytes, at).map_or(0, u32::from_ne_bytes).into()
}

/// Reads 32 or 64 bits, depending on the class.
fn word(bytes: &[u8], at: usize) -> u64 {
    match LAYOUT.word {
        4 => quarter(bytes, at),
        _ => field(bytes, at).map_or(0, u64::from_ne_bytes),
    }
}

fn field<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..)?.first_chunk().copied()
}
