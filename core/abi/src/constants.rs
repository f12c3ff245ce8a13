//! A delegate's access to information about the model's constants.

use core::ffi::c_void;
use core::marker::PhantomData;

use crate::host::check;
use crate::raw::{ArConstantsV1, INTERFACE_CONSTANTS};
use crate::{Result, invalid};

/// The model's constants. A host without this interface ignores releases and reports no origin.
#[derive(Clone, Copy)]
pub struct Constants<'a> {
    interface: Option<&'static ArConstantsV1>,
    context: *mut c_void,
    of: PhantomData<&'a ()>,
}

impl Constants<'_> {
    /// Asks the host for its interface.
    ///
    /// # Safety
    /// For `context`, `query` must return null or the struct of the requested interface, valid as long as the process.
    /// `context` must belong to a call that is in progress as long as the value is used.
    pub(crate) unsafe fn new(query: crate::model::Query, context: *mut c_void) -> Self {
        // SAFETY: the caller guarantees that `query` returns null or an `ArConstantsV1` for this id.
        let interface = unsafe { query(context, INTERFACE_CONSTANTS).cast::<ArConstantsV1>().as_ref() };
        Constants { interface, context, of: PhantomData }
    }

    /// Tells the host that the caller has its own copy of constant tensor `tensor` (an index in the graph) and will
    /// hardly read it again. The host may then evict its pages from memory. The tensor stays readable.
    ///
    /// # Errors
    /// The tensor does not exist or is not constant.
    pub fn release(&self, tensor: usize) -> Result<()> {
        let Some(constants) = self.interface else { return Ok(()) };
        let tensor = i32::try_from(tensor).map_err(|_| invalid!("tensor {tensor} does not exist"))?;
        // SAFETY: the arguments are plain values, and the function belongs to the interface of this context.
        check(unsafe { (constants.release)(self.context, tensor) })
    }

    /// Four numbers that hint at the file of the constants: device, inode, size, times of change, combined with the
    /// subgraph. `None` if the model is not a file, or the host does not report it.
    ///
    /// Files with different contents can have the same numbers. Data that is cached between processes must therefore be
    /// found by the contents of the constants it was made from.
    ///
    /// # Errors
    /// The host's error.
    /// constants that it was made of.
    pub fn origin(&self) -> Result<Option<[u64; 4]>> {
        let Some(constants) = self.interface else { return Ok(None) };
        let mut numbers = [0; 4];
        // SAFETY: `numbers` has room for four numbers, and the function belongs to the interface of this context.
        check(unsafe { (constants.origin)(self.context, numbers.as_mut_ptr()) })?;
        Ok(Some(numbers).filter(|numbers| *numbers != [0; 4]))
    }
}
