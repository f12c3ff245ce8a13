//! A node as a kernel sees it. It exists as long as the interpreter.

use std::collections::HashMap;
use std::ffi::{c_int, c_void};
use std::ptr;

use arenite::abi::NodeView;

use super::callbacks::Callbacks;
use super::types::{TfLiteContext, TfLiteNode};
use crate::arrays::{TfLiteIntArrayFree, int_array};
use crate::builtin_data::{Parameters, Source, parameters};
use crate::types::CUSTOM;

/// Identifies a node of a subgraph. If a composite is used twice, its nodes occur twice, with different outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    index: usize,
    output: i32,
}

impl Key {
    pub(crate) fn new(index: usize, outputs: &[i32]) -> Self {
        Key { index, output: outputs.first().copied().unwrap_or(-1) }
    }

    pub(crate) fn of(view: &NodeView<'_>) -> Self {
        Key::new(view.index(), view.output_indices())
    }
}

/// The contents of a node in the model.
pub(crate) struct NodeContents<'a> {
    pub inputs: &'a [i32],
    pub outputs: &'a [i32],
    pub intermediates: &'a [i32],
    pub custom_options: &'a [u8],
    /// The parameters of a builtin op.
    pub parameters: Parameters,
}

impl<'a> NodeContents<'a> {
    pub(crate) fn of(view: &NodeView<'a>) -> Self {
        NodeContents {
            inputs: view.input_indices(),
            outputs: view.output_indices(),
            intermediates: view.intermediate_indices(),
            custom_options: view.custom_options(),
            parameters: if view.builtin_code() == CUSTOM {
                Parameters::None
            } else {
                parameters(view.builtin_code(), Source::View(*view)).unwrap_or(Parameters::Unknown)
            },
        }
    }
}

/// A block of kernel memory with the alignment that kernels expect of tensors.
#[repr(C, align(64))]
#[derive(Clone, Copy)]
struct Line([u8; 64]);

pub(crate) struct KernelMemory(Vec<Line>);

impl KernelMemory {
    pub(crate) fn zeroed(bytes: usize) -> Self {
        KernelMemory(vec![Line([0; 64]); bytes.div_ceil(64)])
    }

    pub(crate) fn as_mut_ptr(&mut self) -> *mut c_void {
        self.0.as_mut_ptr().cast()
    }
}

/// A node and the memory that its kernel uses.
pub(crate) struct Node {
    /// The struct that the kernel sees. Its address never changes.
    pub raw: Box<TfLiteNode>,
    callbacks: Callbacks,
    custom_options: Vec<u8>,
    /// `builtin_data` points to this struct.
    _parameters: Option<Box<[u64]>>,
    /// The sizes of the scratch buffers that `prepare` requested, and, in `scratch_at`, their addresses during
    /// `invoke`.
    pub scratch: Vec<usize>,
    pub scratch_at: Vec<*mut c_void>,
    /// Memory that exists as long as the node.
    pub persistent: Vec<KernelMemory>,
    /// Memory that is freed before the next `invoke`.
    pub for_call: Vec<KernelMemory>,
    /// For temporary tensors that keep their values, by tensor index: size in bytes and memory.
    pub kept: HashMap<usize, (usize, KernelMemory)>,
}

impl Node {
    pub(crate) fn new(parts: &NodeContents<'_>, callbacks: &Callbacks) -> Box<Self> {
        let custom_options = parts.custom_options.to_vec();
        let mut parameters = match &parts.parameters {
            Parameters::Struct(words) => Some(words.clone()),
            Parameters::None | Parameters::Unknown => None,
        };
        let raw = Box::new(TfLiteNode {
            inputs: int_array(parts.inputs),
            outputs: int_array(parts.outputs),
            intermediates: int_array(parts.intermediates),
            temporaries: int_array(&[]),
            user_data: ptr::null_mut(),
            builtin_data: parameters.as_mut().map_or(ptr::null_mut(), |words| words.as_mut_ptr().cast()),
            custom_initial_data: if custom_options.is_empty() {
                ptr::null()
            } else {
                custom_options.as_ptr().cast()
            },
            custom_initial_data_size: c_int::try_from(custom_options.len()).unwrap_or(0),
            delegate: ptr::null_mut(),
            might_have_side_effect: false,
        });
        Box::new(Node {
            raw,
            callbacks: callbacks.clone(),
            custom_options,
            _parameters: parameters,
            scratch: Vec::new(),
            scratch_at: Vec::new(),
            persistent: Vec::new(),
            for_call: Vec::new(),
            kept: HashMap::new(),
        })
    }

    /// Calls the op's `init`. Must be called once.
    ///
    /// # Safety
    /// `context` must be the context of the scene that has this node.
    pub(crate) unsafe fn init(&mut self, context: *mut TfLiteContext) {
        let (buffer, length) = if self.raw.builtin_data.is_null() {
            (self.raw.custom_initial_data, self.custom_options.len())
        } else {
            (self.raw.builtin_data.cast_const(), 0)
        };
        // SAFETY: the context is live, as `# Safety` requires; options and parameters exist as long as the node.
        self.raw.user_data = unsafe { self.callbacks.init(context, buffer.cast(), length) };
    }

    /// Whether `init` returned the value that means failure.
    pub(crate) fn init_failed(&self) -> bool {
        self.raw.user_data == ptr::without_provenance_mut(usize::MAX)
    }

    /// Calls the op's `free`. The node must not run afterwards.
    ///
    /// # Safety
    /// `context` must be the context of the scene that has this node.
    pub(crate) unsafe fn free(&mut self, context: *mut TfLiteContext) {
        if !self.raw.user_data.is_null() && !self.init_failed() {
            // SAFETY: the context is live, as `# Safety` requires; `user_data` is the result of `init`, and is cleared
            // below.
            unsafe { self.callbacks.free(context, self.raw.user_data) };
        }
        self.raw.user_data = ptr::null_mut();
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        let raw = &self.raw;
        for array in [raw.inputs, raw.outputs, raw.intermediates, raw.temporaries] {
            // SAFETY: the arrays come from `malloc`: `new` created them, or the kernel replaced them by its own arrays,
            // as the interface allows.
            unsafe { TfLiteIntArrayFree(array) };
        }
    }
}
