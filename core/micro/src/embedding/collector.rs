//! `Collector`: adds tensors, constants and variables of a model that is ready to run to an [`Embedding`].

use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;
use core::mem::MaybeUninit;
use core::ptr::NonNull;

use arenite_abi::ElementType;
use arenite_abi::plain::PointerWidth;
use arenite_abi::raw::{ArQuantizationV1, ArTensorV1, TENSOR_CONSTANT, TENSOR_VARIABLE, slice};

use super::tables::{Constant, EmbeddableOp, Embedding, Place, Scales, Tensor, Variable};
use crate::arena::{ALIGNMENT, Arena};
use crate::model::entry::{Describer, Purpose};
use crate::model::machine::Machine;
use crate::model::site::Site;
use crate::ops::OpRegistration;

/// Collects the tables of one model.
pub(super) struct Collector<'c, 'a> {
    pub site: Site<'c, 'a>,
    pub ops: &'c [EmbeddableOp],
    pub made: Embedding,
    /// The number of each tensor in `made`, by subgraph, if it is used.
    numbers: Vec<Vec<Option<usize>>>,
    /// Addresses of the constants.
    known: Vec<(usize, usize)>,
}

impl<'c, 'a> Collector<'c, 'a> {
    pub(super) fn new(
        machine: &'c Machine<'a>,
        arena: &'c Arena<'a>,
        width: PointerWidth,
        ops: &'c [EmbeddableOp],
    ) -> Self {
        let site = Site::main(machine, arena);
        let made = Embedding {
            width,
            arena: arena.head(),
            variable_bytes: 0,
            tensors: Vec::new(),
            nodes: Vec::new(),
            main: 0,
            model: None,
            inputs: Vec::new(),
            outputs: Vec::new(),
            constants: Vec::new(),
            variables: Vec::new(),
        };
        let numbers = machine.graphs().map(|graph| vec![None; graph.slots.get().len()]).collect();
        Collector { site, ops, made, numbers, known: Vec::new() }
    }

    /// The struct of every tensor, as `eval` sees it.
    pub(super) fn describe(&self) -> TensorTable {
        let slots = self.site.graph.slots.get();
        let mut scales = vec![MaybeUninit::<ArQuantizationV1>::uninit(); slots.len()];
        let first = NonNull::from(&mut scales[..]).cast();
        // SAFETY: there is a struct for each tensor, and only the describer uses them.
        let mut describer = unsafe { Describer::new(self.site, Purpose::Run, first) };
        let each = |(t, slot)| {
            let mut tensor = ArTensorV1::NONE;
            // SAFETY: `tensor` is writable, and nothing else uses it.
            unsafe { describer.describe(t, slot, "", NonNull::from(&mut tensor)) };
            tensor
        };
        let tensors = slots.iter().enumerate().map(each).collect();
        TensorTable { tensors, _scales: scales }
    }

    /// The number of tensor `t` of the model, which is added if it is new.
    pub(super) fn tensor(&mut self, tensors: &TensorTable, t: usize) -> usize {
        if let Some(number) = self.numbers[self.site.graph.index][t] {
            return number;
        }
        let entry = tensors.tensors[t];
        let ty = ElementType::from_raw(entry.element_type).unwrap_or(ElementType::F32);
        let bytes = self.site.graph.bytes(self.site.machine.model, t);
        let place = match entry.flags {
            _ if entry.data.is_null() => Place::Nowhere,
            flags if flags & TENSOR_CONSTANT != 0 => self.constant(entry.data.cast(), bytes, ty),
            flags if flags & TENSOR_VARIABLE != 0 => self.variable(entry.data.cast(), bytes),
            _ => self.in_arena(entry.data.cast()),
        };
        let name = self.site.graph.tensor(t).ok().and_then(|tensor| Some(tensor.name()?.to_string()));
        // SAFETY: `describe` wrote the struct, whose dimensions are in the model or in the arena's tail.
        let shape = unsafe { slice(entry.dims, entry.rank as usize) }.to_vec();
        let scales = scales_of(&entry);
        let name = name.unwrap_or_default();
        self.made.tensors.push(Tensor { name, ty, shape, bytes, flags: entry.flags, place, scales });
        self.numbers[self.site.graph.index][t] = Some(self.made.tensors.len() - 1);
        self.made.tensors.len() - 1
    }

    /// Whether the bytes at this address are planned.
    pub(super) fn in_arena(&self, data: *const u8) -> Place {
        Place::Arena(data.addr() - self.site.arena.in_head(0).addr())
    }

    /// Read-only bytes at an address of this machine.
    pub(super) fn constant(&mut self, data: *const u8, bytes: usize, ty: ElementType) -> Place {
        if bytes == 0 {
            return Place::Nowhere;
        }
        if let Some(known) = self.known.iter().position(|&known| known == (data.addr(), bytes)) {
            return Place::Constant(known);
        }
        // SAFETY: the caller has this address from a constant or a table of this size, in the model or in the arena.
        let bytes = unsafe { slice(data, bytes) }.to_vec();
        self.known.push((data.addr(), bytes.len()));
        self.made.constants.push(Constant { ty, bytes });
        Place::Constant(self.made.constants.len() - 1)
    }

    /// Claims bytes of the block of variables, and returns their offset.
    pub(super) fn variable_room(&mut self, bytes: usize) -> usize {
        let at = self.made.variable_bytes.next_multiple_of(ALIGNMENT);
        self.made.variable_bytes = at + bytes;
        at
    }

    /// A part of the block of variables, with the value that the memory at this address has.
    pub(super) fn variable(&mut self, data: *const u8, bytes: usize) -> Place {
        let at = self.variable_room(bytes);
        // SAFETY: the caller has this address from a variable or a state of this size in the arena.
        let first = unsafe { slice(data, bytes) }.to_vec();
        self.made.variables.push(Variable { at, first });
        Place::Variable(at)
    }
}

/// The structs of all tensors.
pub(super) struct TensorTable {
    tensors: Vec<ArTensorV1>,
    /// What the structs point to.
    _scales: Vec<MaybeUninit<ArQuantizationV1>>,
}

fn scales_of(entry: &ArTensorV1) -> Option<Scales> {
    // SAFETY: the pointer is null or was written by the describer, whose memory `TensorTable` keeps.
    let q = unsafe { entry.quantization.as_ref() }?;
    // SAFETY: the arrays are in the model or in the arena's tail, with the counts stored next to them.
    let (scales, zero_points) =
        unsafe { (slice(q.scales, q.scale_count), slice(q.zero_points, q.zero_point_count)) };
    Some(Scales {
        scales: scales.to_vec(),
        zero_points: zero_points.to_vec(),
        dimension: q.quantized_dimension,
        block_size: q.block_size,
    })
}

/// The name of an op.
pub(super) fn op_name(op: &OpRegistration) -> String {
    let builtin = arenite_model::builtin_operator_name(op.builtin_code);
    match (op.name(), builtin) {
        ("", Some(name)) => name.to_string(),
        (name, _) => name.to_string(),
    }
}
