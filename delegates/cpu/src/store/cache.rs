//! A file of packed weights, mapped by all processes that use it.
//!
//! ```text
//! header   magic, version, setting, contents[2], count, check of header and table      64-bit words, little-endian
//! table    count × { key, first byte, bytes, check of the block }
//! blocks   each at a multiple of 64 bytes
//! ```
//! A damaged file, or a file for other constants, another setting or another version, is ignored and written again.
//! Checks are XXH3.

use arenite_base::files::replace;

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::Arc;

use memmap2::MmapOptions;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::pieces::Lot;
use super::shared::Place;

const MAGIC: u64 = u64::from_le_bytes(*b"arenpack");
/// Counts up whenever blocks of the same key would hold something else.
const VERSION: u64 = 2;
const HEADER: usize = 7;
const ENTRY: usize = 4;

/// The origin of packed weights: the constants, and everything that decides how they are packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Origin {
    /// A hash of all bytes of the constants.
    pub contents: u128,
    /// A hash of instruction set, options and nodes.
    pub setting: u64,
}

/// An open cache file.
pub(crate) struct Cache {
    map: Arc<Lot>,
    /// Key, first byte, bytes, check; in the order of the file.
    entries: Vec<[u64; ENTRY]>,
    /// The entry that is most likely requested next.
    next: usize,
}

/// A hash of bytes.
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    xxh3_64(bytes)
}

impl Cache {
    /// Opens the file at `path`. `None` if it does not exist or has another origin.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub(crate) fn open(path: &Path, origin: &Origin) -> io::Result<Option<Cache>> {
        // Asked before opening: opening a named pipe would wait for a writer.
        let opened = std::fs::metadata(path).and_then(|kind| match kind.is_file() {
            true => File::open(path),
            false => Err(io::Error::new(io::ErrorKind::InvalidInput, "is not a regular file")),
        });
        let file = match opened {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        if !file.metadata()?.is_file() || file.metadata()?.len() < (HEADER * 8) as u64 {
            return Ok(None);
        }
        let map = MmapOptions::new().map_raw_read_only(&file)?;
        // SAFETY: the map is as long; the file is replaced by renaming, never changed in place.
        let bytes = unsafe { std::slice::from_raw_parts(map.as_ptr(), map.len()) };
        let Some(entries) = read_table(bytes, origin) else { return Ok(None) };
        Ok(Some(Cache { map: Arc::new(Lot::of_file(map)), entries, next: 0 }))
    }

    /// The block with this key and size: the map, and its first byte in it. A damaged block is not found.
    pub(super) fn find(&mut self, key: u64, bytes: usize) -> Option<Place> {
        let order = (self.next..self.entries.len()).chain(0..self.next);
        let found =
            order.into_iter().find(|&i| self.entries[i][0] == key && self.entries[i][2] == bytes as u64)?;
        self.next = found + 1;
        let [_, at, _, check] = self.entries[found];
        let at = at as usize;
        // SAFETY: inside the map, as `read_table` checked.
        let block = unsafe { std::slice::from_raw_parts(self.map.as_ptr().add(at), bytes) };
        (hash(block) == check).then(|| (Arc::clone(&self.map), at))
    }
}

/// The table, if the checks of header and table are correct, the origin is this one and all blocks are inside the file.
fn read_table(bytes: &[u8], origin: &Origin) -> Option<Vec<[u64; ENTRY]>> {
    let word =
        |i: usize| -> Option<u64> { Some(u64::from_le_bytes(bytes.get(i * 8..i * 8 + 8)?.try_into().ok()?)) };
    let expected = head(origin);
    for (i, &value) in expected.iter().enumerate() {
        if word(i)? != value {
            return None;
        }
    }
    let count = usize::try_from(word(HEADER - 2)?).ok()?;
    let table_end = count.checked_mul(ENTRY * 8)?.checked_add(HEADER * 8)?;
    let mut check = Xxh3::new();
    check.update(bytes.get(..(HEADER - 1) * 8)?);
    check.update(bytes.get(HEADER * 8..table_end)?);
    if check.digest() != word(HEADER - 1)? {
        return None;
    }
    let entries = (0..count).map(|i| {
        let at = HEADER + i * ENTRY;
        let entry = [word(at)?, word(at + 1)?, word(at + 2)?, word(at + 3)?];
        let end = entry[1].checked_add(entry[2])?;
        (entry[1] % 64 == 0 && end <= bytes.len() as u64).then_some(entry)
    });
    entries.collect()
}

/// The words of a header that an origin decides.
fn head(origin: &Origin) -> [u64; HEADER - 2] {
    [MAGIC, VERSION, origin.setting, origin.contents as u64, (origin.contents >> 64) as u64]
}

/// Replaces the file at `path` atomically: a reader sees either the old contents or the new.
pub(super) fn write(path: &Path, origin: &Origin, blocks: &[(u64, &[u8])]) -> io::Result<()> {
    let mut at = ((HEADER + ENTRY * blocks.len()) * 8).next_multiple_of(4096);
    let first = at;
    let mut table = Vec::new();
    for (key, block) in blocks {
        for word in [*key, at as u64, block.len() as u64, hash(block)] {
            table.extend(word.to_le_bytes());
        }
        at = (at + block.len()).next_multiple_of(64);
    }
    let mut header = Vec::new();
    for word in head(origin).into_iter().chain([blocks.len() as u64]) {
        header.extend(word.to_le_bytes());
    }
    let mut check = Xxh3::new();
    check.update(&header);
    check.update(&table);
    header.extend(check.digest().to_le_bytes());

    replace(path, |file| {
        file.write_all(&header)?;
        file.write_all(&table)?;
        let mut position = header.len() + table.len();
        let pad = |file: &mut BufWriter<File>, position: &mut usize, to: usize| {
            let zeros = vec![0; to - *position];
            *position = to;
            file.write_all(&zeros)
        };
        pad(file, &mut position, first)?;
        for (_, block) in blocks {
            file.write_all(block)?;
            position += block.len();
            let to = position.next_multiple_of(64);
            pad(file, &mut position, to)?;
        }
        Ok(())
    })
}
