//! Memory that callers lend to single tensors. It is not part of the plan; its owner determines the address.

use std::any::Any;
use std::collections::BTreeMap;
use std::ops::Range;
use std::ptr::NonNull;

use arenite_abi::ElementType;

use crate::arena::{ALIGNMENT, Block};
use crate::config::TiedOutput;
use crate::error::{Error, Result};

/// Memory that can be lent to a tensor: `Vec<u8>`, `Box<[u8]>`, [`AlignedBytes`] or your own type. `as_mut` is called
/// once.
pub trait LentMemory: AsMut<[u8]> + Any + Send {}

impl<T: AsMut<[u8]> + Any + Send> LentMemory for T {}

/// Zeroed memory with the alignment that tensors need, [`AlignedBytes::ALIGNMENT`].
#[derive(Debug)]
pub struct AlignedBytes(Block);

impl AlignedBytes {
    /// Lent memory must start at a multiple of this.
    pub const ALIGNMENT: usize = ALIGNMENT;

    /// Allocates `bytes` zero bytes.
    ///
    /// # Errors
    /// The system is out of memory.
    pub fn zeroed(bytes: usize) -> Result<Self> {
        Block::zeroed(bytes).map(AlignedBytes)
    }
}

impl AsRef<[u8]> for AlignedBytes {
    fn as_ref(&self) -> &[u8] {
        // SAFETY: the block has that many initialised bytes, borrowed as this is.
        unsafe { std::slice::from_raw_parts(self.0.as_ptr(), self.0.len()) }
    }
}

impl AsMut<[u8]> for AlignedBytes {
    fn as_mut(&mut self) -> &mut [u8] {
        // SAFETY: as in `as_ref`.
        unsafe { std::slice::from_raw_parts_mut(self.0.as_ptr(), self.0.len()) }
    }
}

/// An output and the input that gets its value, as tensor indices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TiedPair {
    pub output: usize,
    pub input: usize,
}

/// The tied outputs of an interpreter, and their memory. It is dropped after the slots, whose tensors are in it.
#[derive(Default)]
pub(crate) struct Ties {
    /// By the name of the input.
    pub memory: BTreeMap<String, TiedBlock>,
    /// In the order in which they were tied.
    pub outputs: Vec<TiedOutput>,
}

/// The memory of the tensors that are tied under one name.
pub(crate) struct TiedBlock {
    pub block: Block,
    pub ty: ElementType,
    pub shape: Vec<i32>,
    /// The signature that tied it first.
    pub signature: String,
}

/// The memory lent to one tensor.
pub(crate) struct Loan {
    data: NonNull<u8>,
    bytes: usize,
    /// `None` if the caller keeps the memory.
    owner: Option<Owner>,
}

// SAFETY: owners are `Send`; `borrowed` requires that nothing else uses the bytes.
unsafe impl Send for Loan {}

/// Owned through a pointer, so that the bytes stay borrowed while this moves.
struct Owner(NonNull<dyn LentMemory>);

impl Owner {
    fn into_box(self) -> Box<dyn LentMemory> {
        let owner = std::mem::ManuallyDrop::new(self);
        // SAFETY: leaked by `Loan::owned`; `ManuallyDrop` keeps `drop` from freeing it again.
        unsafe { Box::from_raw(owner.0.as_ptr()) }
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        // SAFETY: leaked by `Loan::owned`; no tensor points to the memory after the loan has ended.
        drop(unsafe { Box::from_raw(self.0.as_ptr()) });
    }
}

impl Loan {
    /// Takes `memory` and lends its bytes.
    pub(crate) fn owned(memory: Box<dyn LentMemory>) -> Self {
        let mut owner = Owner(NonNull::from(Box::leak(memory)));
        // SAFETY: the owner was just leaked and this is its only pointer; it is not moved or used until the loan ends.
        let bytes = unsafe { owner.0.as_mut() }.as_mut();
        let (data, bytes) = (NonNull::from(&mut *bytes).cast(), bytes.len());
        Loan { data, bytes, owner: Some(owner) }
    }

    /// Lends bytes that the caller keeps.
    ///
    /// # Safety
    /// Until this is dropped, the bytes stay initialised at that address, and nothing else uses them.
    pub(crate) unsafe fn borrowed(data: NonNull<u8>, bytes: usize) -> Self {
        Loan { data, bytes, owner: None }
    }

    pub(crate) fn as_ptr(&self) -> *mut u8 {
        self.data.as_ptr()
    }

    pub(crate) fn len(&self) -> usize {
        self.bytes
    }

    pub(crate) fn addresses(&self) -> Range<usize> {
        let from = self.data.as_ptr().addr();
        from..from.saturating_add(self.bytes)
    }

    pub(crate) fn into_owner(self) -> Option<Box<dyn LentMemory>> {
        self.owner.map(Owner::into_box)
    }

    /// Checks that tensor `name` of `needed` bytes fits, and the alignment.
    pub(crate) fn check(&self, name: &str, needed: u64) -> Result<()> {
        let refuse = |message| Err(Error::Tensor { name: name.to_owned(), message });
        let address = self.data.as_ptr().addr();
        if !address.is_multiple_of(ALIGNMENT) && self.bytes > 0 {
            return refuse(format!(
                "the memory lent to it begins at address {address:#x}, which is no multiple of {ALIGNMENT}: lend \
                 AlignedBytes, or memory that is aligned like it"
            ));
        }
        if needed > self.bytes as u64 {
            return refuse(format!(
                "it needs {needed} bytes, the memory lent to it has {}: lend more, or take it back",
                self.bytes
            ));
        }
        Ok(())
    }
}
