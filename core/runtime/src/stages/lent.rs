//! Memory that others own and lend to single tensors: outside the plan and its ties, at the address that its owner chose.

use std::any::Any;
use std::ops::Range;
use std::ptr::NonNull;

use arenite_abi::raw::TENSOR_VARIABLE;

use super::executor::{Executor, Stage};
use crate::arena::{ALIGNMENT, Block};
use crate::error::{Error, Result};

/// What can be lent to a tensor: `Vec<u8>`, `Box<[u8]>`, [`AlignedBytes`], a type of one's own. It is asked for its bytes once.
pub trait LentMemory: AsMut<[u8]> + Any + Send {}

impl<T: AsMut<[u8]> + Any + Send> LentMemory for T {}

/// Zeroed memory that begins where tensors may: at a multiple of [`AlignedBytes::ALIGNMENT`].
#[derive(Debug)]
pub struct AlignedBytes(Block);

impl AlignedBytes {
    /// Memory that is lent begins at a multiple of this.
    pub const ALIGNMENT: usize = ALIGNMENT;

    /// So many zero bytes.
    ///
    /// # Errors
    /// The system has no memory.
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

/// Memory of one tensor.
pub(crate) struct Lent {
    data: NonNull<u8>,
    bytes: usize,
    /// `None` where a caller promised that the memory stays.
    owner: Option<Owner>,
}

// SAFETY: owners are `Send`; who gave a bare pointer promised as much.
unsafe impl Send for Lent {}

/// Held through a pointer, so that what it lent stays borrowed while this moves.
struct Owner(NonNull<dyn LentMemory>);

impl Owner {
    fn into_box(self) -> Box<dyn LentMemory> {
        let owner = std::mem::ManuallyDrop::new(self);
        // SAFETY: leaked by `Lent::owned`; `drop` does not come to it.
        unsafe { Box::from_raw(owner.0.as_ptr()) }
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        // SAFETY: leaked by `Lent::owned`; whoever had pointers into it is gone.
        drop(unsafe { Box::from_raw(self.0.as_ptr()) });
    }
}

impl Lent {
    /// The bytes of `memory`, which is kept.
    pub fn owned(memory: Box<dyn LentMemory>) -> Self {
        let mut owner = Owner(NonNull::from(Box::leak(memory)));
        // SAFETY: nobody else has the owner; it neither moves nor is used until this is taken apart.
        let bytes = unsafe { owner.0.as_mut() }.as_mut();
        let (data, bytes) = (NonNull::from(&mut *bytes).cast(), bytes.len());
        Lent { data, bytes, owner: Some(owner) }
    }

    /// Bytes that somebody keeps.
    ///
    /// # Safety
    /// They stay there, initialised, and nobody else uses them, until this is dropped.
    pub unsafe fn borrowed(data: NonNull<u8>, bytes: usize) -> Self {
        Lent { data, bytes, owner: None }
    }

    pub fn as_ptr(&self) -> *mut u8 {
        self.data.as_ptr()
    }

    pub fn len(&self) -> usize {
        self.bytes
    }

    pub fn addresses(&self) -> Range<usize> {
        let from = self.data.as_ptr().addr();
        from..from.saturating_add(self.bytes)
    }

    pub fn into_owner(self) -> Option<Box<dyn LentMemory>> {
        self.owner.map(Owner::into_box)
    }

    /// Whether tensor `name` of so many bytes can lie in it.
    pub fn check(&self, name: &str, needed: u64) -> Result<()> {
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

impl Executor {
    /// Puts tensor `t` into lent memory. Gives what was lent to it before.
    pub fn lend(&mut self, t: usize, lent: Lent) -> Result<Option<Lent>> {
        self.check_lendable(t, &lent)?;
        let before = self.memory.lend(t, lent);
        if before.is_none() {
            self.unplace(t);
        }
        Ok(before)
    }

    /// Tensor `t` lies in the interpreter's own memory again, from the next allocation on.
    pub fn take_back(&mut self, t: usize) -> Option<Lent> {
        let lent = self.memory.take_back(t)?;
        self.unplace(t);
        Some(lent)
    }

    fn check_lendable(&self, t: usize, lent: &Lent) -> Result<()> {
        let (info, raw) = (&self.graph.tensors[t], self.memory.table.get(t));
        let refuse =
            |message: &str| Err(Error::Tensor { name: info.name.to_string(), message: message.into() });
        if info.constant.is_some() {
            return refuse("it is constant, its memory is the model's");
        }
        if info.ty.bits() == 0 {
            return refuse("its shape does not tell its size, so no memory can be lent to it");
        }
        let is_input = self.graph.is_input(t);
        if !is_input && !self.graph.is_output(t) && !info.variable {
            return refuse("memory is lent to inputs, outputs and variables, and it is none of these");
        }
        let bytes = |shape: &[i32]| info.ty.bytes_of(arenite_abi::tensor::element_count(shape));
        let needed = match &self.stage {
            _ if is_input => bytes(self.coming_shape(t)).map_or(raw.bytes, |bytes| bytes as u64),
            _ if raw.flags & TENSOR_VARIABLE != 0 => raw.bytes,
            Stage::Ready(_) | Stage::Released(_) | Stage::Unplaced(_) if !self.memory.table.is_dynamic(t) => {
                raw.bytes
            }
            // Its shape is not known yet.
            _ => 0,
        };
        lent.check(&info.name, needed)
    }

    /// After tensor `t` left the plan, or came into it. What the next segment writes is planned later anyway.
    fn unplace(&mut self, t: usize) {
        let table = &self.memory.table;
        let is_late = self.runner().is_some_and(|runner| runner.pending().writes(&self.graph, t));
        let is_planned = !table.is_dynamic(t) && !table.is_constant(t) && !is_late;
        self.stage = match std::mem::take(&mut self.stage) {
            Stage::Ready(runner) | Stage::Released(runner) if is_planned => Stage::Unplaced(runner),
            // It could be ready again by a resize alone.
            Stage::Resized(_) => Stage::Graph,
            stage => stage,
        };
    }
}
