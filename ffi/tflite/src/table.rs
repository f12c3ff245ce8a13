//! The tensors of a subgraph as the program sees them: one `TfLiteTensor` each, updated from the runtime's tensors.
//! Their addresses do not change while the interpreter exists.

use std::ffi::CString;
use std::ptr;

use arenite::{Interpreter, Result};

use crate::arrays;
use crate::common::{TfLiteTensorFree, TfLiteTensorRealloc};
use crate::describe::{set_shape, tensors_of};
use crate::types::*;

/// The `TfLiteTensor` structs of one subgraph. A program may read and write them between calls, so they are only
/// accessed through raw pointers, and no reference to one outlives a call.
///
/// The data of a tensor marked `kTfLiteDynamic` comes from `malloc` and belongs to this table: string inputs, and
/// outputs that have strings or a dynamic shape and are copied out. All other data belongs to the runtime.
pub(crate) struct Table {
    tensors: *mut TfLiteTensor,
    names: Vec<CString>,
}

// SAFETY: the table owns the structs and what they point to. TensorFlow Lite's interface forbids two threads to use the
// tensors of one interpreter at the same time.
unsafe impl Send for Table {}
// SAFETY: see `Send`.
unsafe impl Sync for Table {}

impl Drop for Table {
    fn drop(&mut self) {
        for i in 0..self.names.len() {
            // SAFETY: `new` leaked this number of structs; their members come from `malloc`.
            unsafe { TfLiteTensorFree(self.tensors.add(i)) };
        }
        // SAFETY: `new` leaked this boxed slice of `names.len()` structs.
        drop(unsafe { Box::from_raw(ptr::slice_from_raw_parts_mut(self.tensors, self.names.len())) });
    }
}

impl Table {
    /// Creates the structs of a subgraph of a built interpreter.
    ///
    /// # Errors
    /// The runtime's error if it cannot access a tensor.
    pub(crate) fn new(interpreter: &Interpreter, subgraph: usize, variables: &[i32]) -> Result<Self> {
        let (tensors, names) = tensors_of(interpreter, subgraph, variables)?;
        Ok(Table { tensors: Box::into_raw(tensors.into_boxed_slice()).cast(), names })
    }

    pub(crate) fn len(&self) -> usize {
        self.names.len()
    }

    /// The struct of tensor `index`; null if the index is out of range.
    pub(crate) fn at(&self, index: i32) -> *mut TfLiteTensor {
        match usize::try_from(index) {
            // SAFETY: the index is within the allocation, as the guard checks.
            Ok(index) if index < self.len() => unsafe { self.tensors.add(index) },
            _ => ptr::null_mut(),
        }
    }

    /// The struct of tensor `index`.
    ///
    /// # Panics
    /// If `index` is out of range.
    ///
    /// # Safety
    /// No other reference to the struct may be used while the returned one exists.
    #[expect(
        clippy::mut_from_ref,
        reason = "the struct is behind a raw pointer, and `# Safety` forbids aliases"
    )]
    pub(crate) unsafe fn get(&self, index: usize) -> &mut TfLiteTensor {
        assert!(index < self.len(), "tensor {index} of {}", self.len());
        // SAFETY: the index is within the allocation, as asserted; `# Safety` excludes other references.
        unsafe { &mut *self.tensors.add(index) }
    }

    /// Reads shape, size and address of a tensor from the runtime. `copied` says whether the table owns the data
    /// instead.
    pub(crate) fn refresh(
        &self,
        interpreter: &mut Interpreter,
        subgraph: usize,
        index: usize,
        copied: CopyDirection,
    ) {
        // SAFETY: the reference is not used after this function, which calls no code of the program.
        let entry = unsafe { self.get(index) };
        let Ok(tensor) = interpreter.tensor_of(subgraph, index) else { return };
        set_shape(entry, tensor.shape);
        match copied {
            CopyDirection::In => {}
            CopyDirection::Out => {
                entry.allocation_type = kTfLiteDynamic;
                // No data exists before an invocation has set the shape.
                if let Ok(bytes) = tensor.bytes()
                    && (!bytes.is_empty() || !entry.data.is_null())
                {
                    copy_out(entry, bytes);
                }
            }
            CopyDirection::No => {
                entry.bytes = tensor.byte_len();
                let is_constant = tensor.is_constant();
                entry.data = address(interpreter, subgraph, index);
                if entry.allocation_type != kTfLiteCustom {
                    entry.allocation_type = match (is_constant, entry.is_variable, entry.data.is_null()) {
                        (true, ..) => kTfLiteMmapRo,
                        (false, true, _) => kTfLiteArenaRwPersistent,
                        (false, false, false) => kTfLiteArenaRw,
                        (false, false, true) => kTfLiteMemNone,
                    };
                }
            }
        }
    }
}

/// Whether the table has its own copy of a tensor's data, and in which direction that is copied.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum CopyDirection {
    No,
    In,
    Out,
}

fn copy_out(entry: &mut TfLiteTensor, bytes: &[u8]) {
    // SAFETY: the tensor is dynamic, so its data is null or owned by this table. `TfLiteTensorRealloc` provides
    // `bytes.len()` bytes, in an allocation separate from the runtime's memory.
    unsafe {
        if TfLiteTensorRealloc(bytes.len(), entry) == kTfLiteOk {
            entry.data.cast::<u8>().copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
        }
    }
}

/// The address of a tensor's data; null without one.
fn address(interpreter: &mut Interpreter, subgraph: usize, index: usize) -> *mut std::ffi::c_void {
    if let Ok(Ok(bytes)) = interpreter.tensor_mut_of(subgraph, index).map(|tensor| tensor.into_bytes()) {
        return bytes.as_mut_ptr().cast();
    }
    let bytes = interpreter.tensor_of(subgraph, index).and_then(|tensor| tensor.bytes());
    bytes.map_or(ptr::null_mut(), |bytes| bytes.as_ptr().cast_mut().cast())
}

/// The bytes of a tensor; empty if it has no data.
///
/// # Safety
/// The tensor's `data` must be null or point to `bytes` initialized bytes that are not written during `'a`.
pub(crate) unsafe fn bytes<'a>(tensor: &TfLiteTensor) -> &'a [u8] {
    if tensor.data.is_null() || tensor.bytes > isize::MAX as usize {
        return &[];
    }
    // SAFETY: not null and not larger than an object can be, as checked; `# Safety` requires initialized bytes that are
    // not written.
    unsafe { std::slice::from_raw_parts(tensor.data.cast(), tensor.bytes) }
}

/// The shape of a tensor.
///
/// # Safety
/// `dims` must be null or point to a whole array that is neither modified nor freed during `'a`.
pub(crate) unsafe fn shape<'a>(tensor: &TfLiteTensor) -> &'a [i32] {
    // SAFETY: `dims` is null or an array that is not modified, as `# Safety` requires.
    unsafe { arrays::numbers(tensor.dims) }
}
