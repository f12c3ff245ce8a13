//! What a delegate says of the model's constants, and may ask.

use core::ffi::c_void;
use core::marker::PhantomData;

use crate::host::check;
use crate::raw::{ArConstantsV1, INTERFACE_CONSTANTS};
use crate::{Result, invalid};

/// The model's constants. A host without this interface keeps all, and says nothing of them.
#[derive(Clone, Copy)]
pub struct Constants<'a> {
    interface: Option<&'static ArConstantsV1>,
    context: *mut c_void,
    of: PhantomData<&'a ()>,
}

impl Constants<'_> {
    /// # Safety
    /// `query` answers `context` with null, or with the struct of that id, which lives as long as the process. The context is that
    /// of a call in progress for the value's life.
    pub(crate) unsafe fn new(query: crate::model::Query, context: *mut c_void) -> Self {
        // SAFETY: the caller's promise.
        let interface = unsafe { query(context, INTERFACE_CONSTANTS).cast::<ArConstantsV1>().as_ref() };
        Constants { interface, context, of: PhantomData }
    }

    /// Says that the caller has a copy of its own of constant tensor `tensor` (an index in the graph) and will hardly read it
    /// again: the host may take its pages out of memory. It stays readable.
    pub fn release(&self, tensor: usize) -> Result<()> {
        let Some(constants) = self.interface else { return Ok(()) };
        let tensor = i32::try_from(tensor).map_err(|_| invalid!("there is no tensor {tensor}"))?;
        // SAFETY: a plain value; the interface takes this context.
        check(unsafe { (constants.release)(self.context, tensor) })
    }

    /// Four numbers that hint at which file the constants come from: device, inode, size, times of change, and the subgraph. `None` if
    /// the model is no file, or the host does not say.
    ///
    /// A file of another model can have the same numbers. What is kept between processes has to be found by the contents of the
    /// constants that it was made of.
    pub fn origin(&self) -> Result<Option<[u64; 4]>> {
        let Some(constants) = self.interface else { return Ok(None) };
        let mut numbers = [0; 4];
        // SAFETY: four numbers are writable; the interface takes this context.
        check(unsafe { (constants.origin)(self.context, numbers.as_mut_ptr()) })?;
        Ok(Some(numbers).filter(|numbers| *numbers != [0; 4]))
    }
}
