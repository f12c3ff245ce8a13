//! Functions of bytes by tables.

use arenite_abi::prelude::*;
use arenite_layers::Id;

use crate::kernels::u8_map::ByteMap;
use crate::memory::InPlace;
use crate::step::{Run, Step};

/// The result of each byte.
pub(crate) type Table = Box<[u8; 256]>;

/// Bytes that one thread does at a time.
const CHUNK: usize = 1 << 14;

/// A function of one tensor.
pub(crate) struct Lookup {
    /// The kernels.
    pub map: &'static ByteMap,
    /// The results of all bytes.
    pub table: Table,
    /// A group size, and another table for the bytes after the last whole group.
    pub last: Option<(usize, Table)>,
    /// Inputs below have no result, once they are combined with `flip` by exclusive or.
    pub smallest: u8,
    /// 0x80 for signed inputs.
    pub flip: u8,
    /// How many bytes.
    pub len: usize,
    /// Read.
    pub input: Id,
    /// Written.
    pub output: Id,
}

impl Step for Lookup {
    fn name(&self) -> &'static str {
        "lookup"
    }

    fn run(&self, cx: &Run<'_>) -> Result<()> {
        let x = cx.input::<u8>(self.input);
        let mut y = cx.output::<u8>(self.output);
        if self.smallest > 0 {
            let least = x.part(0, self.len).iter().map(|x| x ^ self.flip).min().unwrap_or(u8::MAX);
            ensure!(least >= self.smallest, "an input is below zero, where the function is not defined");
        }
        let whole = self.last.as_ref().map_or(self.len, |(group, _)| self.len / group * group);
        cx.parallel_parts(y.part(0, whole), CHUNK, 2, |chunks, mut y| {
            self.map.looked_up(x.part(chunks.start * CHUNK, y.len()), &self.table, &mut y);
        })?;
        if let Some((_, table)) = &self.last {
            let rest = self.len - whole;
            self.map.looked_up(x.part(whole, rest), table, &mut y.part(whole, rest));
        }
        Ok(())
    }

    fn in_place(&self, id: Id) -> InPlace {
        // SAFETY: a byte is looked up by the thread that writes it, after `run` has read all bytes for the smallest.
        unsafe { InPlace::only_if(id == self.input) }
    }
}
