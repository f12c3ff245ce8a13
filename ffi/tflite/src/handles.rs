//! Buffer handles: values of tensors that are in memory of a delegate of the program. A tensor whose value is only
//! there is *stale*: the delegate's `CopyFromBufferHandle` copies it to host memory before anything else reads it.

use std::collections::{BTreeMap, HashMap};
use std::ffi::{CStr, c_int};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use arenite::Model;

use crate::delegate::callbacks;
use crate::delegate::types::TfLiteDelegate;
use crate::kernel::node::Key;
use crate::kernel::types::TfLiteContext;
use crate::types::*;

/// The place of a tensor's value in memory of a delegate.
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct BufferHandle {
    pub delegate: *mut TfLiteDelegate,
    pub number: c_int,
    pub is_stale: bool,
}

impl BufferHandle {
    pub(crate) const NONE: BufferHandle =
        BufferHandle { delegate: std::ptr::null_mut(), number: kTfLiteNullBufferHandle, is_stale: false };

    pub(crate) fn of(tensor: &TfLiteTensor) -> Self {
        BufferHandle {
            delegate: tensor.delegate.cast(),
            number: tensor.buffer_handle,
            is_stale: tensor.data_is_stale,
        }
    }

    pub(crate) fn write(self, tensor: &mut TfLiteTensor) {
        tensor.delegate = self.delegate.cast();
        (tensor.buffer_handle, tensor.data_is_stale) = (self.number, self.is_stale);
    }
}

/// A subgraph and a tensor of it.
pub(crate) type TensorKey = (usize, usize);

/// The handles of an interpreter's tensors, and the nodes that its delegates run.
#[derive(Default)]
pub(crate) struct Handles {
    known: Mutex<BTreeMap<TensorKey, BufferHandle>>,
    /// The number of kernels that run a node, by the delegate's address, subgraph and node.
    runs: Mutex<HashMap<(usize, usize, Key), usize>>,
    /// Whether a tensor ever had a handle.
    is_used: AtomicBool,
    /// Whether the values of outputs may stay with a delegate.
    pub allows_stale_outputs: AtomicBool,
}

// SAFETY: the pointers belong to the program and are only passed back to its delegates, which permit use from any
// thread that uses the interpreter.
unsafe impl Send for Handles {}
// SAFETY: the maps are behind locks; see `Send` for the pointers in them.
unsafe impl Sync for Handles {}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Handles {
    /// Whether a tensor ever had a handle.
    pub(crate) fn is_used(&self) -> bool {
        self.is_used.load(Ordering::Relaxed)
    }

    pub(crate) fn get(&self, tensor: TensorKey) -> BufferHandle {
        lock(&self.known).get(&tensor).copied().unwrap_or(BufferHandle::NONE)
    }

    pub(crate) fn set(&self, tensor: TensorKey, handle: BufferHandle) {
        if handle == BufferHandle::NONE {
            if self.is_used() {
                lock(&self.known).remove(&tensor);
            }
            return;
        }
        self.is_used.store(true, Ordering::Relaxed);
        lock(&self.known).insert(tensor, handle);
    }

    /// Forgets the handles of all tensors, except those of the main subgraph that `keeps` names, and returns them.
    pub(crate) fn forget(&self, keeps: impl Fn(usize) -> bool) -> Vec<(TensorKey, BufferHandle)> {
        let mut known = lock(&self.known);
        let (kept, forgotten) = std::mem::take(&mut *known)
            .into_iter()
            .partition(|&((subgraph, t), _)| subgraph == 0 && keeps(t));
        *known = kept;
        forgotten.into_iter().collect()
    }

    /// Records that a kernel of a delegate runs these nodes, or no longer does.
    pub(crate) fn count(
        &self,
        delegate: *const TfLiteDelegate,
        subgraph: usize,
        nodes: &[Key],
        is_new: bool,
    ) {
        let mut runs = lock(&self.runs);
        for &node in nodes {
            let number = runs.entry((delegate.addr(), subgraph, node)).or_default();
            *number = if is_new { *number + 1 } else { number.saturating_sub(1) };
        }
    }

    /// Whether anything but this delegate reads the tensor: a node, or, if it is an output, the program.
    pub(crate) fn is_read_elsewhere(
        &self,
        model: &Model,
        (subgraph, tensor): TensorKey,
        delegate: *const TfLiteDelegate,
    ) -> bool {
        let view = model.view();
        let Some(graph) = view.subgraph(subgraph).filter(|graph| tensor < graph.tensors().len()) else {
            return true;
        };
        let index = tensor as i32;
        let is_kept = subgraph == 0 && self.allows_stale_outputs.load(Ordering::Relaxed);
        if graph.outputs().iter().any(|output| output == index) && !is_kept {
            return true;
        }
        let runs = lock(&self.runs);
        graph.operators().iter().enumerate().any(|(i, operator)| {
            let outputs: Vec<i32> = operator.outputs().iter().collect();
            let key = (delegate.addr(), subgraph, Key::new(i, &outputs));
            operator.inputs().iter().any(|input| input == index) && runs.get(&key).is_none_or(|&n| n == 0)
        })
    }
}

/// Copies a stale tensor's value to host memory.
///
/// # Errors
/// A message if the delegate has no function for that, or it fails.
///
/// # Safety
/// `context` must be the context of a live scene. The tensor's delegate must be null or live, and its data null or have
/// `bytes` bytes.
pub(crate) unsafe fn make_readable(
    context: *mut TfLiteContext,
    tensor: *mut TfLiteTensor,
) -> Result<(), String> {
    // SAFETY: the tensor is live, as `# Safety` requires; its name is null or null-terminated.
    let (handle, name) = unsafe {
        let name = if (*tensor).name.is_null() { c"" } else { CStr::from_ptr((*tensor).name) };
        (BufferHandle::of(&*tensor), name.to_string_lossy().into_owned())
    };
    if !handle.is_stale {
        return Ok(());
    }
    let fail = |why: &str| Err(format!("the value of tensor '{name}' is in memory of a delegate: {why}"));
    if handle.delegate.is_null() || handle.number == kTfLiteNullBufferHandle {
        return fail("the tensor has no delegate or no buffer handle; call TfLiteInterpreterSetBufferHandle");
    }
    // SAFETY: the delegate is live, as `# Safety` requires.
    match unsafe { callbacks::copy_from(context, handle.delegate, handle.number, tensor) } {
        None => fail("the delegate has no CopyFromBufferHandle"),
        Some(kTfLiteOk) => {
            // SAFETY: the tensor is live, as `# Safety` requires.
            unsafe { (*tensor).data_is_stale = false };
            Ok(())
        }
        Some(status) => fail(&format!("its CopyFromBufferHandle returned status {status}")),
    }
}
