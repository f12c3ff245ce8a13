//! Bookkeeping of a subgraph, at the arena's tail: little more than data and shape of each tensor, and what `node` has of each node. All
//! else is read from the model when it is wanted.
//!
//! Everything is behind cells: while a node is at work, other nodes of the model may be, which it calls.

use core::cell::Cell;
use core::ptr::{null, null_mut};

use arenite_abi::ElementType;
use arenite_abi::raw::{TENSOR_CONSTANT, TENSOR_VARIABLE, slice};
use arenite_abi::tensor::element_count;
use arenite_model::{Model, Operator, SubGraph, Tensor};

use crate::error::{Error, Result};
use crate::lives::Life;
use crate::node::Prepared;

/// Where a tensor's scales are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scaled {
    /// It has none.
    No,
    /// In the file, where this machine can read them.
    InFile,
    /// In a list of the machine's: they are of blocks.
    OfBlocks,
}

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
    /// The schema's number of the element type.
    pub type_code: u8,
    pub scaled: Scaled,
}

impl Slot {
    pub const NONE: Slot =
        Slot { data: null_mut(), dims: null(), rank: 0, flags: 0, type_code: 0, scaled: Scaled::No };

    pub fn shape(&self) -> &[i32] {
        // SAFETY: the shape lies in the model, or at the arena's tail; neither is written any more.
        unsafe { slice(self.dims, usize::from(self.rank)) }
    }

    pub fn element_type(&self) -> ElementType {
        ElementType::from_raw(u32::from(self.type_code)).unwrap_or(ElementType::F32)
    }

    /// Bytes of the tensor in the shape that it has; `None` for text.
    pub fn bytes(&self) -> Option<usize> {
        size_of_elements(self.element_type(), element_count(self.shape()))
    }

    /// The same of a tensor with elements of whole bytes; `None` for others, and if there is no byte.
    #[inline(always)]
    pub fn whole_bytes(&self) -> Option<usize> {
        let mut bytes = usize::from(*WHOLE.get(usize::from(self.type_code))?);
        for d in 0..usize::from(self.rank) {
            // SAFETY: as in `shape`.
            bytes = bytes.checked_mul(unsafe { self.dims.add(d).read() }.max(0) as usize)?;
        }
        if bytes == 0 { None } else { Some(bytes) }
    }

    /// Whether its value lies in the model, or was computed while the model was made ready.
    pub fn is_constant(&self) -> bool {
        u32::from(self.flags) & TENSOR_CONSTANT != 0
    }

    pub fn is_variable(&self) -> bool {
        u32::from(self.flags) & TENSOR_VARIABLE != 0
    }
}

/// Bytes of an element, by its type; 0 where they are not whole.
const WHOLE: [u8; ElementType::ALL.len()] = {
    let mut bytes = [0; ElementType::ALL.len()];
    let mut i = 0;
    while i < bytes.len() {
        let bits = ElementType::ALL[i].bits();
        bytes[i] = if bits.is_multiple_of(8) { (bits / 8) as u8 } else { 0 };
        i += 1;
    }
    bytes
};

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
    /// Most bytes of temporaries while it is called; 0 while that is not known.
    pub temporaries: Cell<usize>,
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
            temporaries: Cell::new(0),
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

    /// Bytes of tensor `t`; of text, those that the file has.
    pub fn bytes(&self, model: Model<'a>, t: usize) -> usize {
        let stored = || Some(model.constant(&self.subgraph.tensors().get(t)?)?.len());
        self.slot(t).bytes().or_else(stored).unwrap_or(0)
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
