//! The libraries that a library is linked to: `DT_NEEDED` of its dynamic section.
//!
//! ```text
//!            32 bits          64 bits                     32 bits          64 bits
//! d_tag       0..4             0..8       p_vaddr          8..12           16..24
//! d_val       4..8             8..16      entry bytes      8               16
//! ```

use super::{LAYOUT, Library, PT_LOAD, Result, Segment, word};

const PT_DYNAMIC: u64 = 2;
const DT_NULL: u64 = 0;
const DT_NEEDED: u64 = 1;
const DT_STRTAB: u64 = 5;
/// Limits that exceed the size of any dynamic section that linkers write, and of any name in it.
const MOST_BYTES: u64 = 1 << 20;
const MOST_NAME: u64 = 4096;

/// The names of the libraries, in the file's order; empty if it has no dynamic section.
pub(super) fn names(library: &Library<'_>, segments: &[Segment]) -> Result<Vec<String>> {
    let Some(dynamic) = segments.iter().find(|segment| segment.kind == PT_DYNAMIC) else {
        return Ok(Vec::new());
    };
    library.within("the dynamic section", dynamic.offset, dynamic.bytes)?;
    if dynamic.bytes > MOST_BYTES {
        return Err(library.malformed("p_filesz of the dynamic section", dynamic.bytes, "at most 1048576"));
    }
    let mut section = vec![0; dynamic.bytes as usize];
    library.read(&mut section, dynamic.offset)?;
    let entries: Vec<(u64, u64)> = section
        .chunks_exact(2 * LAYOUT.word)
        .map(|entry| (word(entry, 0), word(entry, LAYOUT.word)))
        .take_while(|(tag, _)| *tag != DT_NULL)
        .collect();
    let mut needed = entries.iter().filter(|(tag, _)| *tag == DT_NEEDED).map(|(_, at)| *at).peekable();
    if needed.peek().is_none() {
        return Ok(Vec::new());
    }
    let address = entries.iter().find(|(tag, _)| *tag == DT_STRTAB).map_or(0, |(_, address)| *address);
    let Some(strings) = segments.iter().find_map(|segment| segment.offset_of(address)) else {
        return Err(library.malformed("DT_STRTAB", address, "an address inside a loadable segment"));
    };
    needed.map(|at| name(library, strings.saturating_add(at))).collect()
}

/// The zero-terminated text at this offset.
fn name(library: &Library<'_>, offset: u64) -> Result<String> {
    library.within("the name of a needed library", offset, 1)?;
    let mut bytes = vec![0; MOST_NAME.min(library.bytes - offset) as usize];
    library.read(&mut bytes, offset)?;
    match bytes.iter().position(|byte| *byte == 0) {
        Some(end) => Ok(String::from_utf8_lossy(bytes.get(..end).unwrap_or_default()).into_owned()),
        None => Err(library.malformed("the length of a needed library's name", MOST_NAME, "below 4096")),
    }
}

impl Segment {
    /// The file offset of the byte at this address, if this segment loads it.
    fn offset_of(&self, address: u64) -> Option<u64> {
        let within = address.checked_sub(self.address).filter(|within| *within < self.bytes)?;
        (self.kind == PT_LOAD).then(|| self.offset.saturating_add(within))
    }
}
