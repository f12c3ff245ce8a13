//! A node as a kernel sees it, for as long as the interpreter lives.

use std::collections::HashMap;
use std::ffi::{c_int, c_void};
use std::ptr;

use arenite::abi::NodeView;

use super::Callbacks;
use super::types::{TfLiteContext, TfLiteNode};
use crate::arrays::{TfLiteIntArrayFree, int_array};
use crate::builtin_data::{Parameters, Source, parameters};

/// Which node of a subgraph. A composite that stands in two places has its nodes twice, with other outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    index: usize,
    output: i32,
}

impl Key {
    pub fn new(index: usize, outputs: &[i32]) -> Self {
        Key { index, output: outputs.first().copied().unwrap_or(-1) }
    }

    pub fn of(view: &NodeView<'_>) -> Self {
        Key::new(view.index(), view.output_indices())
    }
}

/// What the model says of a node.
pub(crate) struct Parts<'a> {
    pub inputs: &'a [i32],
    pub outputs: &'a [i32],
    pub intermediates: &'a [i32],
    pub custom_options: &'a [u8],
    /// A builtin op's.
    pub parameters: Parameters,
}

impl<'a> Parts<'a> {
    pub fn of(view: &NodeView<'a>) -> Self {
        Parts {
            inputs: view.input_indices(),
            outputs: view.output_indices(),
            intermediates: view.intermediate_indices(),
            custom_options: view.custom_options(),
            parameters: if view.builtin_code() == crate::options::CUSTOM {
                Parameters::None
            } else {
                parameters(view.builtin_code(), Source::View(*view)).unwrap_or(Parameters::Unknown)
            },
        }
    }
}

/// Memory of a kernel's own, aligned as tensors are wont to be.
#[repr(C, align(64))]
#[derive(Clone, Copy)]
struct Line([u8; 64]);

pub(crate) struct Memory(Vec<Line>);

impl Memory {
    pub fn zeroed(bytes: usize) -> Self {
        Memory(vec![Line([0; 64]); bytes.div_ceil(64)])
    }

    pub fn as_mut_ptr(&mut self) -> *mut c_void {
        self.0.as_mut_ptr().cast()
    }
}

/// A node, and what its kernel holds.
pub(crate) struct Node {
    /// What the kernel sees. At the same place for as long as this is.
    pub raw: Box<TfLiteNode>,
    callbacks: Callbacks,
    custom_options: Vec<u8>,
    /// What `builtin_data` points to.
    _parameters: Option<Box<[u64]>>,
    /// Sizes of scratch buffers that `prepare` asked for, and where they lie during `invoke`.
    pub scratch: Vec<usize>,
    pub scratch_at: Vec<*mut c_void>,
    /// As long as the node.
    pub persistent: Vec<Memory>,
    /// As long as one call.
    pub for_call: Vec<Memory>,
    /// Of temporary tensors that keep their value, by tensor: bytes and memory.
    pub kept: HashMap<usize, (usize, Memory)>,
}

impl Node {
    pub fn new(parts: &Parts<'_>, callbacks: &Callbacks) -> Box<Self> {
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

    /// Calls `init`, once.
    ///
    /// # Safety
    /// The context is that of the scene that has this node.
    pub unsafe fn init(&mut self, context: *mut TfLiteContext) {
        let (buffer, length) = if self.raw.builtin_data.is_null() {
            (self.raw.custom_initial_data, self.custom_options.len())
        } else {
            (self.raw.builtin_data.cast_const(), 0)
        };
        // SAFETY: the caller's promise; the options live as long as the node.
        self.raw.user_data = unsafe { self.callbacks.init(context, buffer.cast(), length) };
    }

    /// Whether `init` said that it cannot serve the node.
    pub fn init_failed(&self) -> bool {
        self.raw.user_data == ptr::without_provenance_mut(usize::MAX)
    }

    /// Calls `free`, last.
    ///
    /// # Safety
    /// As [`init`](Self::init).
    pub unsafe fn free(&mut self, context: *mut TfLiteContext) {
        if !self.raw.user_data.is_null() && !self.init_failed() {
            // SAFETY: the caller's promise; the pointer is what `init` gave.
            unsafe { self.callbacks.free(context, self.raw.user_data) };
        }
        self.raw.user_data = ptr::null_mut();
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        let raw = &self.raw;
        for array in [raw.inputs, raw.outputs, raw.intermediates, raw.temporaries] {
            // SAFETY: arrays of this node's own, or that the kernel put in their place, of `malloc` as well.
            unsafe { TfLiteIntArrayFree(array) };
        }
    }
}
