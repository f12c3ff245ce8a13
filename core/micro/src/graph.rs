//! Bookkeeping of a subgraph, at the arena's tail: little more than data and shape of each tensor, and the state of each node. All else
//! is read from the model when it is wanted.
//!
//! Everything is behind cells: while a node is at work, other nodes of the model may be, which it calls.

use core::cell::Cell;
use core::ffi::c_void;
use core::ptr::{null, null_mut};

use arenite_abi::ElementType;
use arenite_abi::raw::{ArSpan, TENSOR_CONSTANT, TENSOR_VARIABLE, slice};
use arenite_abi::tensor::element_count;
use arenite_model::{Model, Operator, SubGraph, Tensor};

use crate::error::{Error, Result};
use crate::lives::Life;
use crate::ops::OpRegistration;

/// What is known of a tensor beyond the model.
#[derive(Clone, Copy)]
pub(crate) struct Slot {
    /// Null until it is planned.
    pub data: *mut u8,
    /// The shape.
    pub dims: *const i32,
    pub rank: u8,
    /// `TENSOR_*`.
    pub flags: u8,
}

impl Slot {
    pub const NONE: Slot = Slot { data: null_mut(), dims: null(), rank: 0, flags: 0 };

    pub fn shape(&self) -> &[i32] {
        // SAFETY: the shape lies in the model, or at the arena's tail; neither is written any more.
        unsafe { slice(self.dims, usize::from(self.rank)) }
    }

    /// Whether its value lies in the model, or was computed while the model was made ready.
    pub fn is_constant(&self) -> bool {
        u32::from(self.flags) & TENSOR_CONSTANT != 0
    }

    pub fn is_variable(&self) -> bool {
        u32::from(self.flags) & TENSOR_VARIABLE != 0
    }
}

/// What is kept of a node.
#[derive(Clone, Copy)]
pub(crate) struct Prepared<'a> {
    /// What runs it; `None` before it is prepared, and if all that it computes is constant.
    pub op: Option<&'a OpRegistration>,
    pub state: *mut c_void,
    pub persistent: &'a [ArSpan],
    /// Of a stateful op: what `persistent` held at first, one after the other.
    pub initial: *const u8,
    /// Its scratch buffers, and how many they are.
    pub scratch: *mut ArSpan,
    pub scratch_count: usize,
}

impl<'a> Prepared<'a> {
    pub const NOT_YET: Self = Prepared {
        op: None,
        state: null_mut(),
        persistent: &[],
        initial: null(),
        scratch: null_mut(),
        scratch_count: 0,
    };

    /// Its scratch buffers.
    pub fn scratch(&self) -> &'a [ArSpan] {
        // SAFETY: a list at the arena's tail, or none; it is written once, by the plan, when nobody reads it.
        unsafe { slice(self.scratch, self.scratch_count) }
    }
}

/// How far a subgraph has come.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stage {
    /// Nobody asked for it.
    Unbuilt,
    /// Its tensors have entries.
    Built,
    /// Its nodes are being prepared: nobody may call it meanwhile.
    Busy,
    /// Its nodes are prepared.
    Ready,
}

/// A node that calls a subgraph: one of a list, in the order of the callers' nodes.
pub(crate) struct Call<'a> {
    pub node: u32,
    pub callee: u32,
    next: Cell<Option<&'a Call<'a>>>,
}

impl<'a> Call<'a> {
    pub fn new(node: usize, callee: usize) -> Self {
        Call { node: node as u32, callee: callee as u32, next: Cell::new(None) }
    }
}

/// A subgraph.
pub(crate) struct Graph<'a> {
    pub index: usize,
    pub subgraph: SubGraph<'a>,
    pub stage: Cell<Stage>,
    pub slots: Cell<&'a [Cell<Slot>]>,
    pub nodes: Cell<&'a [Cell<Prepared<'a>>]>,
    first_call: Cell<Option<&'a Call<'a>>>,
    last_call: Cell<Option<&'a Call<'a>>>,
    /// How deep its nodes call one another; 0 if none calls.
    pub height: Cell<u8>,
    /// Of the plan: when nodes that call it are at work, and the latest time at which it is called again.
    pub span: Cell<Life>,
    pub until: Cell<u32>,
    /// Most bytes of temporaries while it is called, once that is known.
    pub temporaries: Cell<Option<usize>>,
}

impl<'a> Graph<'a> {
    pub fn new(index: usize, subgraph: SubGraph<'a>) -> Self {
        Graph {
            index,
            subgraph,
            stage: Cell::new(Stage::Unbuilt),
            slots: Cell::new(&[]),
            nodes: Cell::new(&[]),
            first_call: Cell::new(None),
            last_call: Cell::new(None),
            height: Cell::new(0),
            span: Cell::new(Life::NONE),
            until: Cell::new(0),
            temporaries: Cell::new(None),
        }
    }

    pub fn is_ready(&self) -> bool {
        self.stage.get() == Stage::Ready
    }

    pub fn slot(&self, t: usize) -> Slot {
        self.slots.get().get(t).map_or(Slot::NONE, Cell::get)
    }

    pub fn set_slot(&self, t: usize, slot: Slot) {
        if let Some(place) = self.slots.get().get(t) {
            place.set(slot);
        }
    }

    /// Calls of its nodes, in their order.
    pub fn calls(&self) -> impl Iterator<Item = &'a Call<'a>> {
        core::iter::successors(self.first_call.get(), |call| call.next.get())
    }

    /// Subgraphs that node `node` calls.
    pub fn callees(&self, node: usize) -> impl Iterator<Item = usize> {
        let of_node = move |call: &&Call<'a>| call.node as usize == node;
        self.calls()
            .skip_while(move |call| (call.node as usize) < node)
            .take_while(of_node)
            .map(|call| call.callee as usize)
    }

    /// Adds a call; those of earlier nodes are there already.
    pub fn note_call(&self, call: &'a Call<'a>) {
        match self.last_call.replace(Some(call)) {
            Some(last) => last.next.set(Some(call)),
            None => self.first_call.set(Some(call)),
        }
    }

    pub fn operator(&self, node: usize) -> Result<Operator<'a>> {
        let operators = self.subgraph.operators();
        operators.get(node).ok_or(Error::Index { index: node, count: operators.len() })
    }

    pub fn tensor(&self, t: usize) -> Result<Tensor<'a>> {
        let tensors = self.subgraph.tensors();
        tensors.get(t).ok_or(Error::Index { index: t, count: tensors.len() })
    }

    /// Bytes of tensor `t`.
    pub fn bytes(&self, model: Model<'a>, t: usize) -> usize {
        self.subgraph.tensors().get(t).map_or(0, |tensor| bytes_of(model, &tensor, &self.slot(t)))
    }
}

/// Bytes of a tensor in the shape that it has.
pub(crate) fn bytes_of(model: Model<'_>, tensor: &Tensor<'_>, slot: &Slot) -> usize {
    let count = element_count(slot.shape());
    match size_of_elements(element_type(tensor), count) {
        Some(bytes) => bytes,
        None => model.constant(tensor).map_or(0, <[u8]>::len),
    }
}

/// Bytes of so many elements; a resource is its handle. `None` for text, and where they cannot be counted.
pub(crate) fn size_of_elements(ty: ElementType, count: usize) -> Option<usize> {
    match ty {
        ElementType::Resource => count.checked_mul(size_of::<i32>()),
        ty => ty.bytes_of(count),
    }
}

/// A number that the file has as this machine would.
///
/// # Safety
/// Any bytes are a value.
pub(crate) unsafe trait Number {}

// SAFETY: any bytes are a value.
unsafe impl Number for i32 {}
// SAFETY: any bytes are a value.
unsafe impl Number for i64 {}
// SAFETY: any bytes are a value.
unsafe impl Number for f32 {}

/// The numbers that a list of the file has, where they lie; `None` if this machine cannot read them there as they are.
pub(crate) fn in_file<T: Number>(bytes: &[u8]) -> Option<&[T]> {
    let data = bytes.as_ptr().cast::<T>();
    if cfg!(target_endian = "big") || !data.is_aligned() {
        return None;
    }
    // SAFETY: so many bytes of the file are there, aligned for the number.
    Some(unsafe { slice(data, bytes.len() / size_of::<T>()) })
}

/// The element type; the model was verified to have a known one.
pub(crate) fn element_type(tensor: &Tensor<'_>) -> ElementType {
    let ty = u32::try_from(tensor.element_type()).ok().and_then(ElementType::from_raw);
    ty.unwrap_or(ElementType::F32)
}
