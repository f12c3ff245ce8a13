//! Functions of bytes by tables.

use arenite_abi::prelude::*;
use arenite_layers::Id;

use crate::kernels::u8_map::ByteMap;
use crate::memory::Shared;
use crate::program::{Run, Step};

/// The result of each byte.
pub type Table = Box<[u8; 256]>;

/// Bytes that one thread does at a time.
const CHUNK: usize = 1 << 14;

/// A function of one tensor.
pub struct Lookup {
    /// The kernels.
    pub map: &'static ByteMap,
    /// What is looked up.
    pub table: Table,
    /// Another table for the bytes that are left over from whole groups of so many.
    pub last: Option<(usize, Table)>,
    /// Inputs below have no result.
    pub smallest: u8,
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
        let x = Shared::new(cx.place::<u8>(self.input));
        let y = Shared::new(cx.place::<u8>(self.output));
        if self.smallest > 0 {
            // SAFETY: the tensor has `len` bytes, and nobody writes it here.
            let x = unsafe { std::slice::from_raw_parts(x.get(), self.len) };
            let least = x.iter().copied().min().unwrap_or(u8::MAX);
            ensure!(least >= self.smallest, "an input is below zero, where the function is not defined");
        }
        let whole = self.last.as_ref().map_or(self.len, |(group, _)| self.len / group * group);
        cx.parallel_for(whole.div_ceil(CHUNK), 2, |range| {
            let at = range.start * CHUNK;
            let n = (range.len() * CHUNK).min(whole - at);
            // SAFETY: both tensors have that many bytes, and each range is one thread's.
            unsafe { (self.map.lookup)(n, x.get().add(at), &self.table, y.get().add(at)) };
        })?;
        if let Some((_, table)) = &self.last {
            // SAFETY: as above.
            unsafe { (self.map.lookup)(self.len - whole, x.get().add(whole), table, y.get().add(whole)) };
        }
        Ok(())
    }

    fn in_place(&self, id: Id) -> bool {
        id == self.input
    }
}
