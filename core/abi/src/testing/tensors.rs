//! The tensors of the node under test: the table that the op sees, and their memory.

use std::boxed::Box;
use std::vec::Vec;

use super::memory::GuardedMemory;
use super::{Node, Role, Tensor};
use crate::raw::*;

pub(super) struct Tensors<'n> {
    node: &'n Node,
    /// The table that the op sees, of `memory.len()` entries. Written only through this pointer, because the op may
    /// hold pointers into it.
    table: *mut ArTensorV1,
    memory: Vec<TensorMemory>,
    /// Data shown to the op must not move.
    _quantizations: Vec<Option<Box<ArQuantizationV1>>>,
    shapes: Vec<Box<[i32]>>,
}

enum TensorMemory {
    Nowhere,
    /// Separate memory, used from its start; it may be larger than the tensor.
    Own(GuardedMemory),
    /// Memory of another tensor.
    Within {
        owner: usize,
        offset: usize,
    },
}

impl<'n> Tensors<'n> {
    /// Only constants have memory at first.
    pub(super) fn new(node: &'n Node) -> Self {
        let quantizations: Vec<_> = node.tensors.iter().map(|t| quantization(&t.tensor)).collect();
        let table: Box<[ArTensorV1]> =
            quantizations.iter().enumerate().map(|(i, q)| description(node, i, q.as_deref())).collect();
        let mut tensors = Tensors {
            node,
            memory: table.iter().map(|_| TensorMemory::Nowhere).collect(),
            table: Box::into_raw(table).cast(),
            _quantizations: quantizations,
            shapes: Vec::new(),
        };
        for (i, tensor) in node.tensors.iter().enumerate().filter(|(_, t)| t.role == Role::Constant) {
            tensors.place(i, GuardedMemory::of(tensor.tensor.bytes()));
        }
        tensors
    }

    /// The table for the op.
    pub(super) fn as_ptr(&self) -> *const ArTensorV1 {
        self.table
    }

    pub(super) fn get(&self, i: usize) -> ArTensorV1 {
        assert!(i < self.memory.len(), "tensor {i} of {}", self.memory.len());
        // SAFETY: `i` is in range, checked above; the op does not write to the table.
        unsafe { *self.table.add(i) }
    }

    fn edit(&mut self, i: usize, f: impl FnOnce(&mut ArTensorV1)) {
        assert!(i < self.memory.len(), "tensor {i} of {}", self.memory.len());
        // SAFETY: `i` is in range, checked above; the op only holds pointers to the table, not references.
        f(unsafe { &mut *self.table.add(i) });
    }

    pub(super) fn set_flag(&mut self, i: usize, flag: u32) {
        self.edit(i, |entry| entry.flags |= flag);
    }

    pub(super) fn set_bytes(&mut self, i: usize, bytes: usize) {
        self.edit(i, |entry| entry.bytes = bytes as u64);
    }

    pub(super) fn shape(&self, i: usize) -> &[i32] {
        let entry = self.get(i);
        // SAFETY: `dims` points to a shape of the node or of `shapes`, with `rank` elements.
        unsafe { slice(entry.dims, entry.rank as usize) }
    }

    pub(super) fn set_shape(&mut self, i: usize, shape: &[i32]) {
        let shape: Box<[i32]> = shape.into();
        self.edit(i, |entry| (entry.dims, entry.rank) = (shape.as_ptr(), shape.len() as u32));
        self.shapes.push(shape);
    }

    /// Gives a tensor its own memory.
    pub(super) fn place(&mut self, i: usize, memory: GuardedMemory) {
        self.edit(i, |entry| (entry.data, entry.bytes) = (memory.data().cast(), memory.bytes as u64));
        self.memory[i] = TensorMemory::Own(memory);
    }

    /// Removes a tensor's memory.
    pub(super) fn unplace(&mut self, i: usize) {
        self.edit(i, |entry| entry.data = core::ptr::null_mut());
        self.memory[i] = TensorMemory::Nowhere;
    }

    /// Moves a tensor into the memory of another tensor, which must have its own. An input keeps its contents.
    pub(super) fn lay(&mut self, i: usize, owner: usize, offset: usize) {
        let contents = self.contents(i);
        self.memory[i] = TensorMemory::Within { owner, offset };
        let TensorMemory::Own(memory) = &self.memory[owner] else {
            unreachable!("the owner has memory of its own")
        };
        assert!(offset + contents.len() <= memory.bytes, "a part exceeds its whole");
        // SAFETY: the part is inside the owner's memory, checked above.
        let data = unsafe { memory.data().add(offset) };
        if self.node.tensors[i].role == Role::Input {
            // SAFETY: the part is inside the owner's memory, checked above; `contents` is a copy.
            unsafe { data.copy_from_nonoverlapping(contents.as_ptr(), contents.len()) };
        }
        self.edit(i, |entry| entry.data = data.cast());
    }

    pub(super) fn is_placed(&self, i: usize) -> bool {
        !matches!(self.memory[i], TensorMemory::Nowhere)
    }

    pub(super) fn has_own_memory(&self, i: usize) -> bool {
        matches!(self.memory[i], TensorMemory::Own(_))
    }

    /// The tensor whose memory contains this one, and the offset in it.
    pub(super) fn is_within(&self, i: usize) -> Option<(usize, usize)> {
        match self.memory[i] {
            TensorMemory::Within { owner, offset } => Some((owner, offset)),
            _ => None,
        }
    }

    /// A copy of the tensor's bytes.
    pub(super) fn contents(&self, i: usize) -> Vec<u8> {
        let bytes = self.get(i).bytes as usize;
        let (owner, offset) = self.is_within(i).unwrap_or((i, 0));
        match &self.memory[owner] {
            TensorMemory::Own(memory) => memory.contents()[offset..offset + bytes].to_vec(),
            _ => Vec::new(),
        }
    }

    pub(super) fn check_guards(&self, during: &str) {
        for (place, tensor) in self.memory.iter().zip(&self.node.tensors) {
            if let TensorMemory::Own(memory) = place {
                memory.check_guards(tensor.tensor.name(), during);
            }
        }
    }
}

impl Drop for Tensors<'_> {
    fn drop(&mut self) {
        let table = core::ptr::slice_from_raw_parts_mut(self.table, self.memory.len());
        // SAFETY: the pointer came from `Box::into_raw` of a slice of that length.
        drop(unsafe { Box::from_raw(table) });
    }
}

/// The description of tensor `i` for `prepare`, without data.
fn description(node: &Node, i: usize, quantization: Option<&ArQuantizationV1>) -> ArTensorV1 {
    let (tensor, role) = (&node.tensors[i].tensor, node.tensors[i].role);
    ArTensorV1 {
        element_type: tensor.ty() as u32,
        rank: tensor.shape().len() as u32,
        dims: tensor.shape().as_ptr(),
        bytes: if role == Role::Output { 0 } else { tensor.bytes().len() as u64 },
        quantization: quantization.map_or(core::ptr::null(), core::ptr::from_ref),
        flags: match role {
            Role::Constant => TENSOR_CONSTANT,
            Role::Variable => TENSOR_VARIABLE,
            _ => 0,
        },
        name: ArStr::borrowed(tensor.name()),
        ..ArTensorV1::NONE
    }
}

fn quantization(tensor: &Tensor) -> Option<Box<ArQuantizationV1>> {
    let q = tensor.quantization()?;
    Some(Box::new(ArQuantizationV1 {
        header: ArHeader::of::<ArQuantizationV1>(),
        scales: q.scales.as_ptr(),
        scale_count: q.scales.len(),
        zero_points: q.zero_points.as_ptr(),
        zero_point_count: q.zero_points.len(),
        quantized_dimension: q.dimension,
        block_size: q.block_size,
    }))
}
