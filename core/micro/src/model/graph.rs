//! Bookkeeping of a subgraph in the arena's tail: a slot per tensor (data, shape, flags) and a record per node
//! (`node`). Everything else is read from the model when it is needed.
//!
//! Everything is in cells, because a running node may call other subgraphs of the same model.

use core::cell::Cell;
use core::ptr::{null, null_mut};

use arenite_abi::ElementType;
use arenite_abi::raw::{TENSOR_CONSTANT, TENSOR_VARIABLE, slice};
use arenite_abi::tensor::element_count;
use arenite_model::{Model, Operator, SubGraph, Tensor, detail};

use super::life::Life;
use super::node::{NodeRecord, destroy};
use crate::error::{Error, Result};

/// Where the scales of a tensor are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ScaleSource {
    /// The tensor has no scales.
    None,
    /// In the file; this machine can read them in place.
    InFile,
    /// In [`Machine::scales`](super::machine::Machine::scales): they are blockwise, or this machine cannot read them in
    /// place.
    Copied,
}

/// A copy of one tensor's scales, in a linked list.
#[derive(Clone, Copy)]
pub(crate) struct Scales<'a> {
    pub subgraph: usize,
    pub tensor: usize,
    pub scales: &'a [f32],
    pub zero_points: &'a [i64],
    /// 0 unless blockwise.
    pub block_size: i32,
    pub next: Option<&'a Scales<'a>>,
}

/// The state of a tensor that the model does not contain.
#[derive(Clone, Copy)]
pub(crate) struct Slot {
    /// Null until the plan places it.
    pub data: *mut u8,
    /// The dimensions.
    pub dims: *const i32,
    pub rank: u8,
    /// `TENSOR_*` flags.
    pub flags: u8,
    /// The schema's number of the element type.
    pub type_code: u8,
    pub scaled: ScaleSource,
}

impl Slot {
    pub(crate) const NONE: Slot =
        Slot { data: null_mut(), dims: null(), rank: 0, flags: 0, type_code: 0, scaled: ScaleSource::None };

    pub(crate) fn shape(&self) -> &[i32] {
        // SAFETY: the `rank` dimensions are in the model or in the arena's tail, and neither changes after it was
        // written.
        unsafe { slice(self.dims, usize::from(self.rank)) }
    }

    pub(crate) fn element_type(&self) -> ElementType {
        ElementType::from_raw(u32::from(self.type_code)).unwrap_or(ElementType::F32)
    }

    /// Size in bytes at the current shape; `None` for strings.
    pub(crate) fn bytes(&self) -> Option<usize> {
        size_of_elements(self.element_type(), element_count(self.shape()))
    }

    /// Size in bytes if an element is a whole number of bytes; `None` for other types and for empty tensors.
    #[inline(always)]
    pub(crate) fn whole_bytes(&self) -> Option<usize> {
        let mut bytes = usize::from(*WHOLE.get(usize::from(self.type_code))?);
        for d in 0..usize::from(self.rank) {
            // SAFETY: `d < rank`; the dimensions are in the model or in the arena's tail and do not change.
            bytes = bytes.checked_mul(unsafe { self.dims.add(d).read() }.max(0) as usize)?;
        }
        if bytes == 0 { None } else { Some(bytes) }
    }

    /// Whether the value is in the model or was computed by `prepare`.
    pub(crate) fn is_constant(&self) -> bool {
        u32::from(self.flags) & TENSOR_CONSTANT != 0
    }

    pub(crate) fn is_variable(&self) -> bool {
        u32::from(self.flags) & TENSOR_VARIABLE != 0
    }
}

/// Bytes per element, by type; 0 if an element is not a whole number of bytes.
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

/// How far the preparation of a subgraph has come.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stage {
    /// No node has requested it yet.
    Unbuilt,
    /// Its tensors have slots.
    Built,
    /// Its nodes are being prepared, so it cannot be called.
    Busy,
    /// Its nodes are prepared.
    Ready,
}

/// A node that calls a subgraph, in a linked list ordered by calling node.
pub(crate) struct Call<'a> {
    pub node: u32,
    pub callee: u32,
    next: Cell<Option<&'a Call<'a>>>,
}

impl<'a> Call<'a> {
    pub(crate) fn new(node: usize, callee: usize) -> Self {
        Call { node: node as u32, callee: callee as u32, next: Cell::new(None) }
    }
}

/// One subgraph.
pub(crate) struct Graph<'a> {
    pub index: usize,
    pub subgraph: SubGraph<'a>,
    pub stage: Cell<Stage>,
    pub slots: Cell<&'a [Cell<Slot>]>,
    pub nodes: Cell<&'a [Cell<NodeRecord<'a>>]>,
    first_call: Cell<Option<&'a Call<'a>>>,
    last_call: Cell<Option<&'a Call<'a>>>,
    /// Depth of the calls that its nodes make; 0 if they make none.
    pub height: Cell<u8>,
    /// For the plan: the time from its first to its last call, and the time up to which a caller may repeat them.
    pub span: Cell<Life>,
    pub until: Cell<u32>,
    /// Peak bytes of temporaries while it runs as a callee; 0 while unknown.
    pub temporaries: Cell<usize>,
}

impl<'a> Graph<'a> {
    pub(crate) fn new(index: usize, subgraph: SubGraph<'a>) -> Self {
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

    pub(crate) fn is_ready(&self) -> bool {
        self.stage.get() == Stage::Ready
    }

    pub(crate) fn slot(&self, t: usize) -> Slot {
        self.slots.get().get(t).map_or(Slot::NONE, Cell::get)
    }

    pub(crate) fn set_slot(&self, t: usize, slot: Slot) {
        if let Some(place) = self.slots.get().get(t) {
            place.set(slot);
        }
    }

    /// Calls by its nodes, in order.
    pub(crate) fn calls(&self) -> impl Iterator<Item = &'a Call<'a>> {
        let first = if cfg!(feature = "subgraphs") { self.first_call.get() } else { None };
        core::iter::successors(first, |call| call.next.get())
    }

    /// Subgraphs that `node` calls.
    pub(crate) fn callees(&self, node: usize) -> impl Iterator<Item = usize> {
        let of_node = move |call: &&Call<'a>| call.node as usize == node;
        self.calls()
            .skip_while(move |call| (call.node as usize) < node)
            .take_while(of_node)
            .map(|call| call.callee as usize)
    }

    /// Appends a call. Calls must be added in the order of their nodes.
    pub(crate) fn note_call(&self, call: &'a Call<'a>) {
        match self.last_call.replace(Some(call)) {
            Some(last) => last.next.set(Some(call)),
            None => self.first_call.set(Some(call)),
        }
    }

    pub(crate) fn operator(&self, node: usize) -> Result<Operator<'a>> {
        let operators = self.subgraph.operators();
        operators.get(node).ok_or(Error::Index { index: detail(node), count: detail(operators.len()) })
    }

    pub(crate) fn tensor(&self, t: usize) -> Result<Tensor<'a>> {
        let tensors = self.subgraph.tensors();
        tensors.get(t).ok_or(Error::Index { index: detail(t), count: detail(tensors.len()) })
    }

    /// Drops the states of all ops.
    pub(crate) fn drop_states(&self) {
        for place in self.nodes.get() {
            let mut prepared = place.get();
            if let Some(op) = prepared.take_op() {
                place.set(prepared);
                destroy(op, prepared.state);
            }
        }
    }

    /// Size of tensor `t` in bytes; for strings, the size of the value in the file.
    pub(crate) fn bytes(&self, model: Model<'a>, t: usize) -> usize {
        let stored = || Some(model.constant(&self.subgraph.tensors().get(t)?)?.len());
        self.slot(t).bytes().or_else(stored).unwrap_or(0)
    }
}

/// Size of `count` elements; a resource counts as its handle. `None` for strings and on overflow.
pub(crate) fn size_of_elements(ty: ElementType, count: usize) -> Option<usize> {
    match ty {
        ElementType::Resource => count.checked_mul(size_of::<i32>()),
        ty => ty.bytes_of(count),
    }
}

/// A number with the same representation in memory and in a file on a little-endian machine.
///
/// # Safety
/// Every bit pattern must be a valid value.
pub(crate) unsafe trait Number {}

// SAFETY: every bit pattern is a valid `i32`.
unsafe impl Number for i32 {}
// SAFETY: every bit pattern is a valid `i64`.
unsafe impl Number for i64 {}
// SAFETY: every bit pattern is a valid `f32`.
unsafe impl Number for f32 {}

/// A list of numbers in the file, read in place; `None` if the list is misaligned or this machine is big-endian.
pub(crate) fn in_file<T: Number>(bytes: &[u8]) -> Option<&[T]> {
    let data = bytes.as_ptr().cast::<T>();
    if cfg!(target_endian = "big") || !data.is_aligned() {
        return None;
    }
    // SAFETY: `bytes` covers this many numbers, and `data` is aligned.
    Some(unsafe { slice(data, bytes.len() / size_of::<T>()) })
}

/// The element type. Verification has rejected unknown ones.
pub(crate) fn element_type(tensor: &Tensor<'_>) -> ElementType {
    let ty = u32::try_from(tensor.element_type()).ok().and_then(ElementType::from_raw);
    ty.unwrap_or(ElementType::F32)
}
