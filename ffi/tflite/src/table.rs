//! The tensors of a subgraph as a program sees them: one `TfLiteTensor` each, at the same place as long as the interpreter lives, kept
//! up to date with the runtime's.

use std::ffi::CString;
use std::ptr;

use arenite::{Interpreter, Result};

use crate::arrays;
use crate::common::{TfLiteTensorFree, TfLiteTensorRealloc};
use crate::describe::{Described, set_shape};
use crate::types::*;

/// The structs. A program may read and write them between calls, so they are reached by pointer alone, and no reference to one outlives
/// a call.
///
/// Of a tensor that says `kTfLiteDynamic` the data comes from `malloc` and is this table's own: strings that go in, and results of
/// strings or of dynamic shape, which are copied out. Other data is the runtime's.
pub(crate) struct Table {
    tensors: *mut TfLiteTensor,
    names: Vec<CString>,
}

// SAFETY: the structs and what they point to belong to the table; whoever uses them from two threads at once breaks the interface's rule.
unsafe impl Send for Table {}
// SAFETY: as above.
unsafe impl Sync for Table {}

impl Drop for Table {
    fn drop(&mut self) {
        for i in 0..self.names.len() {
            // SAFETY: as many structs were leaked by `new`; their parts come from `malloc`.
            unsafe { TfLiteTensorFree(self.tensors.add(i)) };
        }
        // SAFETY: the boxed slice that `new` leaked.
        drop(unsafe { Box::from_raw(ptr::slice_from_raw_parts_mut(self.tensors, self.names.len())) });
    }
}

impl Table {
    /// The tensors of a subgraph that is built. `empty` is told for tensors whose memory is this table's.
    pub fn new(interpreter: &Interpreter, subgraph: usize, variables: &[i32]) -> Result<Self> {
        let count = interpreter.tensor_names(subgraph).len();
        let mut names = Vec::with_capacity(count);
        let mut tensors = Vec::with_capacity(count);
        for index in 0..count {
            let tensor = interpreter.tensor_of(subgraph, index)?;
            let described = Described {
                ty: tensor.ty,
                name: tensor.name,
                scales: tensor.scales,
                zero_points: tensor.zero_points,
                quantized_dimension: tensor.quantized_dimension,
                shape_signature: tensor.shape_signature,
                is_variable: variables.contains(&(index as i32)),
            };
            let (mut new, name) = described.tensor();
            set_shape(&mut new, tensor.shape);
            new.bytes = tensor.byte_len();
            tensors.push(new);
            names.push(name);
        }
        Ok(Table { tensors: Box::into_raw(tensors.into_boxed_slice()).cast(), names })
    }

    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// The struct of a tensor; null if there is none.
    pub fn at(&self, index: i32) -> *mut TfLiteTensor {
        match usize::try_from(index) {
            // SAFETY: within the allocation, as looked at.
            Ok(index) if index < self.len() => unsafe { self.tensors.add(index) },
            _ => ptr::null_mut(),
        }
    }

    /// # Safety
    /// The caller uses no other reference to the struct while this one lives.
    #[expect(clippy::mut_from_ref, reason = "the structs are reached by pointer, and the caller promises")]
    pub unsafe fn get(&self, index: usize) -> &mut TfLiteTensor {
        assert!(index < self.len(), "tensor {index} of {}", self.len());
        // SAFETY: within the allocation, as checked; not referred to elsewhere, by the caller's promise.
        unsafe { &mut *self.tensors.add(index) }
    }

    /// Takes shape, size and address of a tensor from the runtime. What `copied` names lies in memory of its own.
    pub fn refresh(&self, interpreter: &mut Interpreter, subgraph: usize, index: usize, copied: Copied) {
        // SAFETY: the reference ends with this function, which calls nobody else's code.
        let entry = unsafe { self.get(index) };
        let Ok(tensor) = interpreter.tensor_of(subgraph, index) else { return };
        set_shape(entry, tensor.shape);
        match copied {
            Copied::In => {}
            Copied::Out => {
                entry.allocation_type = kTfLiteDynamic;
                // Where no run has told the shape yet, there is no data.
                if let Ok(bytes) = tensor.bytes()
                    && (!bytes.is_empty() || !entry.data.is_null())
                {
                    copy_out(entry, bytes);
                }
            }
            Copied::No => {
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

/// Which way a tensor's data is copied between the runtime and the table, if it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Copied {
    No,
    In,
    Out,
}

fn copy_out(entry: &mut TfLiteTensor, bytes: &[u8]) {
    // SAFETY: the tensor is dynamic, so its data is null or this table's own; it gets room for `bytes`, which lie apart.
    unsafe {
        if TfLiteTensorRealloc(bytes.len(), entry) == kTfLiteOk {
            entry.data.cast::<u8>().copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
        }
    }
}

/// Where the data of a tensor lies; null where it has none.
fn address(interpreter: &mut Interpreter, subgraph: usize, index: usize) -> *mut std::ffi::c_void {
    if let Ok(Ok(bytes)) = interpreter.tensor_mut_of(subgraph, index).map(|tensor| tensor.into_bytes()) {
        return bytes.as_mut_ptr().cast();
    }
    let bytes = interpreter.tensor_of(subgraph, index).and_then(|tensor| tensor.bytes());
    bytes.map_or(ptr::null_mut(), |bytes| bytes.as_ptr().cast_mut().cast())
}

/// The bytes of a tensor.
///
/// # Safety
/// The tensor's data is null or as many bytes as it says, which nobody writes to for `'a`.
pub(crate) unsafe fn bytes<'a>(tensor: &TfLiteTensor) -> &'a [u8] {
    if tensor.data.is_null() || tensor.bytes > isize::MAX as usize {
        return &[];
    }
    // SAFETY: the caller's promise.
    unsafe { std::slice::from_raw_parts(tensor.data.cast(), tensor.bytes) }
}

/// The shape of a tensor.
///
/// # Safety
/// Nobody changes the tensor for `'a`.
pub(crate) unsafe fn shape<'a>(tensor: &TfLiteTensor) -> &'a [i32] {
    // SAFETY: the caller's promise.
    unsafe { arrays::numbers(tensor.dims) }
}
