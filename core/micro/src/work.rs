//! The node in work: its tensors, expanded to the structs of the contract.
//!
//! Tensors of the node are numbered anew, each once, in the order in which its lists name them:
//!
//! ```text
//! ADD  inputs 7, 7, −1   outputs 9        inputs 0, 0, −1   outputs 1
//!                                    ═►   tensors  [ 7 | 9 ]
//! ```

use core::ptr::{null, null_mut};

use arenite_abi::raw::{
    ArBytes, ArHeader, ArNodeV1, ArQuantizationV1, ArStr, ArTable, ArTensorV1, TENSOR_CONSTANT,
};
use arenite_abi::tensor::element_count;
use arenite_model::{List, Operator, OperatorCode, RawTable, Tensor};

use crate::arena::{Arena, Temp};
use crate::error::{Error, Result};
use crate::graph::{Graph, element_type, in_file};

/// A tensor of the node: its entry, and what that points to.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Local {
    entry: ArTensorV1,
    quantization: ArQuantizationV1,
    /// Its index in the subgraph.
    tensor: usize,
}

/// The node in work. Ops read entries through pointers, also while the host is about to change others: so the host goes through
/// pointers as well, and never holds a reference to an entry.
pub(crate) struct Work<'t> {
    locals: Temp<'t, Local>,
    indices: Temp<'t, i32>,
    /// How many of the locals there are.
    count: usize,
    inputs: usize,
    outputs: usize,
}

impl<'t> Work<'t> {
    /// Expands the tensors of `operator`; without their data unless they are constant, if the node is to be prepared.
    pub fn new(
        graph: &Graph<'_>,
        operator: &Operator<'_>,
        arena: &'t Arena<'_>,
        prepares: bool,
    ) -> Result<Work<'t>> {
        let lists = [operator.inputs(), operator.outputs(), operator.intermediates()];
        let total = lists.iter().map(List::len).sum();
        let indices = arena.temporary(total, |_| -1i32)?;
        let none = Local { entry: ArTensorV1::NONE, quantization: NO_QUANTIZATION, tensor: usize::MAX };
        let locals = arena.temporary(total, |_| none)?;
        let mut work = Work { locals, indices, count: 0, inputs: lists[0].len(), outputs: lists[1].len() };
        for (at, t) in lists.iter().flat_map(List::iter).enumerate() {
            let Ok(t) = usize::try_from(t) else { continue };
            work.indices[at] = work.number(graph, t, prepares)? as i32;
        }
        Ok(work)
    }

    /// The number of tensor `t` of the subgraph.
    fn number(&mut self, graph: &Graph<'_>, t: usize, prepares: bool) -> Result<usize> {
        if let Some(known) = (0..self.count).find(|&l| self.tensor_of(l) == t) {
            return Ok(known);
        }
        let tensor = graph.tensor(t)?;
        let number = self.count;
        let local = self.at(number);
        // SAFETY: the entry is one of this list, and no op runs yet.
        unsafe {
            (*local).tensor = t;
            (*local).quantization = quantization(&tensor, t)?;
            let quantized = (*local).quantization.scale_count > 0;
            let quantization =
                if quantized { (&raw const (*local).quantization).cast_mut() } else { null_mut() };
            (*local).entry = entry(graph, &tensor, t, quantization);
            if prepares {
                (*local).entry = (*local).entry.described();
            }
        }
        self.count += 1;
        Ok(number)
    }

    fn at(&self, local: usize) -> *mut Local {
        debug_assert!(local < self.locals.count());
        self.locals.as_ptr().wrapping_add(local)
    }

    /// The index in the subgraph.
    pub fn tensor_of(&self, local: usize) -> usize {
        // SAFETY: entries are initialised, and written by nobody else while the host is at work.
        unsafe { (*self.at(local)).tensor }
    }

    /// A copy of an entry.
    pub fn get(&self, local: usize) -> ArTensorV1 {
        // SAFETY: as in `tensor_of`.
        unsafe { (*self.at(local)).entry }
    }

    /// Changes an entry.
    pub fn set(&mut self, local: usize, entry: ArTensorV1) {
        // SAFETY: as in `tensor_of`; ops make no references to entries.
        unsafe { (*self.at(local)).entry = entry };
    }

    /// Numbers of the node's outputs.
    pub fn outputs(&self) -> &[i32] {
        &self.indices[self.inputs..][..self.outputs]
    }

    pub fn input_count(&self) -> usize {
        self.inputs
    }

    /// The node as ops get it; it borrows this.
    pub fn node(&self, position: usize, code: &OperatorCode<'_>, operator: &Operator<'_>) -> ArNodeV1 {
        let (inputs, rest) = self.indices.split_at(self.inputs);
        let (outputs, intermediates) = rest.split_at(self.outputs);
        let custom = operator.custom_options();
        ArNodeV1 {
            header: ArHeader::of::<ArNodeV1>(),
            builtin_code: code.builtin_code(),
            version: code.version(),
            custom_name: ArStr::borrowed(code.custom_code().unwrap_or("")),
            index: position as u32,
            subgraph: 0,
            tensors: self.locals.as_ptr().cast_const().cast(),
            tensor_stride: size_of::<Local>(),
            tensor_count: self.count,
            inputs: inputs.as_ptr(),
            input_count: inputs.len(),
            outputs: outputs.as_ptr(),
            output_count: outputs.len(),
            intermediates: intermediates.as_ptr(),
            intermediate_count: intermediates.len(),
            options: table(operator.builtin_options()),
            options_2: table(operator.builtin_options_2()),
            custom_options: if custom.is_empty() { ArBytes::EMPTY } else { ArBytes::borrowed(custom) },
        }
    }
}

fn entry(
    graph: &Graph<'_>,
    tensor: &Tensor<'_>,
    t: usize,
    quantization: *const ArQuantizationV1,
) -> ArTensorV1 {
    let slot = &graph.slots[t];
    ArTensorV1 {
        element_type: element_type(tensor) as u32,
        rank: u32::from(slot.rank),
        dims: slot.dims,
        data: slot.data.cast(),
        bytes: graph.bytes(t) as u64,
        quantization,
        flags: u32::from(slot.flags),
        name: ArStr::borrowed(tensor.name().unwrap_or("")),
        ..ArTensorV1::NONE
    }
}

const NO_QUANTIZATION: ArQuantizationV1 = ArQuantizationV1 {
    header: ArHeader::of::<ArQuantizationV1>(),
    scales: null(),
    scale_count: 0,
    zero_points: null(),
    zero_point_count: 0,
    quantized_dimension: 0,
    block_size: 0,
};

/// Scales and zero points, where they lie in the file; no scales if the tensor has none.
fn quantization(tensor: &Tensor<'_>, t: usize) -> Result<ArQuantizationV1> {
    let Some(quantization) = tensor.quantization().filter(|q| !q.scale().is_empty()) else {
        return Ok(NO_QUANTIZATION);
    };
    let refuse = || Error::Tensor { tensor: t, reason: "this machine cannot read its scales in place" };
    let scales = in_file(quantization.scale().bytes()).ok_or_else(refuse)?;
    let zero_points = in_file(quantization.zero_point().bytes()).ok_or_else(refuse)?;
    Ok(ArQuantizationV1 {
        scales: scales.as_ptr(),
        scale_count: scales.len(),
        zero_points: zero_points.as_ptr(),
        zero_point_count: zero_points.len(),
        quantized_dimension: tensor.quantized_dimension(),
        ..NO_QUANTIZATION
    })
}

fn table(table: Option<RawTable<'_>>) -> ArTable {
    match table {
        None => ArTable::NONE,
        Some(table) => ArTable {
            buffer: ArBytes::borrowed(table.buffer),
            position: table.position as u64,
            tag: u32::from(table.tag),
        },
    }
}

/// An entry with another shape, which lies where `dims` are.
pub(crate) fn reshaped(mut entry: ArTensorV1, dims: &[i32], ty: arenite_abi::ElementType) -> ArTensorV1 {
    entry.dims = dims.as_ptr();
    entry.rank = dims.len() as u32;
    if let Some(bytes) = ty.bytes_of(element_count(dims)) {
        entry.bytes = bytes as u64;
    }
    entry
}

/// An entry whose value is known.
pub(crate) fn constant(mut entry: ArTensorV1, data: *mut u8) -> ArTensorV1 {
    entry.data = data.cast();
    entry.flags |= TENSOR_CONSTANT;
    entry
}
