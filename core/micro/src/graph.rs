//! Bookkeeping of a subgraph, at the arena's tail: little more than data and shape of each tensor, and the state of each node. All else
//! is read from the model when it is wanted.

use core::ffi::c_void;
use core::ptr::{null, null_mut};

use arenite_abi::ElementType;
use arenite_abi::host_side::MAX_RANK;
use arenite_abi::raw::{ArSpan, TENSOR_CONSTANT, TENSOR_VARIABLE, slice};
use arenite_abi::tensor::element_count;
use arenite_model::{Model, Operator, QuantizationDetails, SubGraph, Tensor};

use crate::arena::Arena;
use crate::error::{Error, Result};
use crate::ops::OpRegistration;
use crate::sizes::Category;

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
    /// Position of its first scratch buffer among all, and how many it has.
    pub scratch: *mut ArSpan,
    pub scratch_count: usize,
}

impl Prepared<'_> {
    const NOT_YET: Self = Prepared {
        op: None,
        state: null_mut(),
        persistent: &[],
        initial: null(),
        scratch: null_mut(),
        scratch_count: 0,
    };

    /// Its scratch buffers.
    pub fn scratch(&self) -> &[ArSpan] {
        // SAFETY: a list at the arena's tail, or none.
        unsafe { slice(self.scratch, self.scratch_count) }
    }
}

/// A subgraph.
pub(crate) struct Graph<'a> {
    pub model: Model<'a>,
    pub subgraph: SubGraph<'a>,
    pub slots: &'a mut [Slot],
    pub nodes: &'a mut [Prepared<'a>],
}

impl<'a> Graph<'a> {
    /// Bookkeeping of the main subgraph. Constants that lie misaligned are copied, variables have their first value.
    pub fn new(model: Model<'a>, arena: &Arena<'a>) -> Result<Self> {
        let subgraph = model.subgraph(0).ok_or(Error::Index { index: 0, count: 0 })?;
        let none = Slot { data: null_mut(), dims: null(), rank: 0, flags: 0 };
        let slots = arena.persistent(subgraph.tensors().len(), Category::Bookkeeping, |_| none)?;
        let nodes =
            arena.persistent(subgraph.operators().len(), Category::Bookkeeping, |_| Prepared::NOT_YET)?;
        let mut graph = Graph { model, subgraph, slots, nodes };
        for (t, tensor) in subgraph.tensors().iter().enumerate() {
            graph.slots[t] = graph.slot(arena, t, &tensor)?;
        }
        graph.reset_variables();
        Ok(graph)
    }

    fn slot(&self, arena: &Arena<'a>, t: usize, tensor: &Tensor<'a>) -> Result<Slot> {
        let refuse = |reason| Err(Error::Tensor { tensor: t, reason });
        let shape = tensor.shape();
        if shape.len() > MAX_RANK {
            return refuse("its rank is above 8");
        }
        if tensor.sparsity().is_some() {
            return refuse("its values are sparse");
        }
        let details = tensor.quantization().and_then(|quantization| quantization.details());
        if let Some(QuantizationDetails::Blockwise(_)) = details {
            return refuse("it is quantized by blocks");
        }
        let dims: *const i32 = match in_file::<i32>(shape.bytes()) {
            Some(dims) => dims.as_ptr(),
            None => {
                arena.persistent(shape.len(), Category::Bookkeeping, |d| shape.get(d).unwrap_or(0))?.as_ptr()
            }
        };
        let mut slot = Slot { data: null_mut(), dims, rank: shape.len() as u8, flags: 0 };
        let ty = element_type(tensor);
        if let Some(constant) = self.model.constant(tensor) {
            slot.flags = TENSOR_CONSTANT as u8;
            slot.data = place_constant(arena, constant, ty)?;
        } else if tensor.is_variable() {
            let bytes = tensor.byte_size().unwrap_or(0);
            slot.flags = TENSOR_VARIABLE as u8;
            slot.data = arena.persistent_bytes(bytes, crate::arena::ALIGNMENT, Category::Variables)?.as_ptr();
        }
        Ok(slot)
    }

    /// Gives every variable its first value: the zero point of i8 with one scale, else zero.
    pub fn reset_variables(&mut self) {
        for (slot, tensor) in self.slots.iter().zip(self.subgraph.tensors()) {
            if slot.is_variable() {
                let quantization = tensor.quantization().filter(|q| q.scale().len() == 1);
                let zero_point = quantization.and_then(|q| q.zero_point().get(0)).unwrap_or(0);
                let byte = if element_type(&tensor) == ElementType::I8 { zero_point as u8 } else { 0 };
                // SAFETY: the variable's own memory, of so many bytes; no op runs meanwhile.
                unsafe { slot.data.write_bytes(byte, tensor.byte_size().unwrap_or(0)) };
            }
        }
    }

    /// Bytes of a tensor.
    pub fn bytes(&self, t: usize) -> usize {
        let Some(tensor) = self.subgraph.tensors().get(t) else { return 0 };
        let slot = &self.slots[t];
        match element_type(&tensor).bytes_of(element_count(slot.shape())) {
            Some(bytes) => bytes,
            None => self.model.constant(&tensor).map_or(0, <[u8]>::len),
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

/// A constant where it lies in the file, or a copy if that is misaligned for its type.
fn place_constant(arena: &Arena<'_>, constant: &[u8], ty: ElementType) -> Result<*mut u8> {
    let alignment = (ty.bits() as usize / 8).clamp(1, 8);
    if constant.as_ptr().addr().is_multiple_of(alignment) {
        return Ok(constant.as_ptr().cast_mut());
    }
    let copy = arena.persistent_bytes(constant.len(), alignment, Category::Constants)?;
    // SAFETY: new memory of that size.
    unsafe { copy.as_ptr().copy_from_nonoverlapping(constant.as_ptr(), constant.len()) };
    Ok(copy.as_ptr())
}
