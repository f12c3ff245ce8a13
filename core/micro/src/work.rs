//! The node in work: its tensors, expanded to the structs of the contract.
//!
//! Tensors of the node are numbered anew, each once, in the order in which its lists name them:
//!
//! ```text
//! ADD  inputs 7, 7, −1   outputs 9        inputs 0, 0, −1   outputs 1
//!                                    ═►   tensors  [ 7 | 9 ]
//! ```

use core::ptr::null;

use arenite_abi::raw::{
    ArBytes, ArHeader, ArNodeV1, ArQuantizationV1, ArStr, ArTable, ArTensorV1, TENSOR_CONSTANT,
};
use arenite_abi::tensor::element_count;
use arenite_model::{List, Operator, OperatorCode, RawTable, Tensor};

use crate::arena::Temp;
use crate::error::{Error, Result};
use crate::graph::{Slot, bytes_of, element_type, in_file, size_of_elements};
use crate::machine::{Site, blockwise};

/// A tensor of the node: its entry, and what that points to.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Local {
    entry: ArTensorV1,
    quantization: ArQuantizationV1,
    /// Its index in the subgraph.
    tensor: usize,
}

impl Local {
    /// Room for one.
    pub const NONE: Local =
        Local { entry: ArTensorV1::NONE, quantization: NO_QUANTIZATION, tensor: usize::MAX };

    /// Describes tensor `t`; without its data unless it is constant, if a node is to be prepared.
    ///
    /// # Safety
    /// The place is readable and writable, and nobody else's.
    pub unsafe fn write(place: *mut Local, site: Site<'_, '_>, t: usize, prepares: bool) -> Result<()> {
        let (tensor, slot) = (site.graph.tensor(t)?, site.graph.slot(t));
        let quantization = quantization(site, &tensor, t)?;
        // SAFETY: the caller's promise. The entry points to what lies beside it.
        unsafe {
            (*place).tensor = t;
            (*place).quantization = quantization;
            let quantization =
                if quantization.scale_count > 0 { &raw const (*place).quantization } else { null() };
            let entry = entry(site, &tensor, &slot, quantization);
            (*place).entry = if prepares { entry.described() } else { entry };
        }
        Ok(())
    }
}

/// The node in work. Ops read entries through pointers, also while the host is about to change others: so the host goes through
/// pointers as well, and never holds a reference to an entry.
pub(crate) struct Work<'t> {
    lists: Lists<'t>,
    /// Where the lists lie, unless they are kept.
    _temporaries: Option<(Temp<'t, Local>, Temp<'t, i32>)>,
}

/// Tensors of a node, and the numbers of its inputs, outputs and intermediates among them.
#[derive(Clone, Copy)]
struct Lists<'t> {
    locals: *mut Local,
    /// How many of the locals there are.
    count: usize,
    indices: &'t [i32],
    inputs: usize,
    outputs: usize,
}

/// A node that stays expanded, because the arena has room for it.
#[derive(Clone, Copy)]
pub(crate) struct Kept<'a> {
    lists: Lists<'a>,
    pub node: ArNodeV1,
}

impl<'a> Kept<'a> {
    /// Expands node `position` in memory that is to spare; `None` if there is no more.
    pub fn new(site: Site<'_, 'a>, position: usize) -> Result<Option<Self>> {
        let operator = site.graph.operator(position)?;
        let code = site.machine.model.operator_code(&operator);
        let (total, there) = counts(&lists(&operator));
        let (Some(code), Some(indices), Some(locals)) =
            (code, site.arena.spare(total, -1i32), site.arena.spare(there, Local::NONE))
        else {
            return Ok(None);
        };
        let lists = Lists::fill(site, &operator, false, locals.as_mut_ptr(), indices)?;
        let node = lists.node(site.graph.index, position, &code, &operator);
        Ok(Some(Kept { lists, node }))
    }

    /// The node, to be run.
    pub fn work(&self) -> Work<'a> {
        Work { lists: self.lists, _temporaries: None }
    }
}

fn lists<'a>(operator: &Operator<'a>) -> [List<'a, i32>; 3] {
    [operator.inputs(), operator.outputs(), operator.intermediates()]
}

/// How many tensors the lists name, and how many of these are there: optional inputs may be absent.
fn counts(lists: &[List<'_, i32>; 3]) -> (usize, usize) {
    let all = || lists.iter().flat_map(List::iter);
    (all().count(), all().filter(|&t| t >= 0).count())
}

impl<'t> Lists<'t> {
    /// Describes the tensors of `operator`; there are as many locals as tensors that are there.
    fn fill(
        site: Site<'_, '_>,
        operator: &Operator<'_>,
        prepares: bool,
        locals: *mut Local,
        indices: &'t mut [i32],
    ) -> Result<Self> {
        let mut filled = Lists {
            locals,
            count: 0,
            indices: &[],
            inputs: operator.inputs().len(),
            outputs: operator.outputs().len(),
        };
        for (place, t) in indices.iter_mut().zip(lists(operator).iter().flat_map(List::iter)) {
            if let Ok(t) = usize::try_from(t) {
                *place = filled.number(site, t, prepares)? as i32;
            }
        }
        filled.indices = indices;
        Ok(filled)
    }

    /// The number of tensor `t` of the subgraph.
    fn number(&mut self, site: Site<'_, '_>, t: usize, prepares: bool) -> Result<usize> {
        if let Some(known) = (0..self.count).find(|&l| self.tensor_of(l) == t) {
            return Ok(known);
        }
        let number = self.count;
        // SAFETY: the place is one of this list, and no op runs yet.
        unsafe { Local::write(self.at(number), site, t, prepares)? };
        self.count += 1;
        Ok(number)
    }

    fn at(&self, local: usize) -> *mut Local {
        self.locals.wrapping_add(local)
    }

    fn tensor_of(&self, local: usize) -> usize {
        // SAFETY: entries are initialised, and written by nobody else while the host is at work.
        unsafe { (*self.at(local)).tensor }
    }

    /// The node as ops get it; it borrows the lists.
    fn node(
        &self,
        subgraph: usize,
        position: usize,
        code: &OperatorCode<'_>,
        operator: &Operator<'_>,
    ) -> ArNodeV1 {
        let (inputs, rest) = self.indices.split_at(self.inputs);
        let (outputs, intermediates) = rest.split_at(self.outputs);
        let tensors = (self.locals.cast_const(), self.count);
        node_struct((subgraph, position), tensors, [inputs, outputs, intermediates], code, operator)
    }
}

impl<'t> Work<'t> {
    /// Expands the tensors of `operator`; without their data unless they are constant, if the node is to be prepared.
    pub fn new(site: Site<'t, '_>, operator: &Operator<'_>, prepares: bool) -> Result<Work<'t>> {
        let (total, there) = counts(&lists(operator));
        let indices = site.arena.temporary(total, |_| -1i32)?;
        let locals = site.arena.temporary(there, |_| Local::NONE)?;
        // SAFETY: the list is this value's alone, and stays where it is until this is dropped.
        let list = unsafe { core::slice::from_raw_parts_mut(indices.as_ptr(), total) };
        let lists = Lists::fill(site, operator, prepares, locals.as_ptr(), list)?;
        Ok(Work { lists, _temporaries: Some((locals, indices)) })
    }

    /// Bytes that it takes from a place where a [`Local`] may be; they end at such a place.
    pub fn bytes(operator: &Operator<'_>) -> usize {
        let (total, there) = counts(&lists(operator));
        let indices = (total * size_of::<i32>()).next_multiple_of(align_of::<Local>());
        indices.saturating_add(there.saturating_mul(size_of::<Local>()))
    }

    /// The index in the subgraph.
    pub fn tensor_of(&self, local: usize) -> usize {
        self.lists.tensor_of(local)
    }

    /// A copy of an entry.
    pub fn get(&self, local: usize) -> ArTensorV1 {
        // SAFETY: as in `Lists::tensor_of`.
        unsafe { (*self.lists.at(local)).entry }
    }

    /// Changes an entry.
    pub fn set(&mut self, local: usize, entry: ArTensorV1) {
        // SAFETY: as in `Lists::tensor_of`; ops make no references to entries.
        unsafe { (*self.lists.at(local)).entry = entry };
    }

    /// Numbers of the node's outputs.
    pub fn outputs(&self) -> &[i32] {
        &self.lists.indices[self.lists.inputs..][..self.lists.outputs]
    }

    pub fn input_count(&self) -> usize {
        self.lists.inputs
    }

    /// The node as ops get it; it borrows this.
    pub fn node(
        &self,
        subgraph: usize,
        position: usize,
        code: &OperatorCode<'_>,
        operator: &Operator<'_>,
    ) -> ArNodeV1 {
        self.lists.node(subgraph, position, code, operator)
    }
}

/// A node of subgraph `place.0`, at position `place.1`; it borrows the tensors and the lists.
pub(crate) fn node_struct(
    place: (usize, usize),
    tensors: (*const Local, usize),
    [inputs, outputs, intermediates]: [&[i32]; 3],
    code: &OperatorCode<'_>,
    operator: &Operator<'_>,
) -> ArNodeV1 {
    let custom = operator.custom_options();
    ArNodeV1 {
        header: ArHeader::of::<ArNodeV1>(),
        builtin_code: code.builtin_code(),
        version: code.version(),
        custom_name: ArStr::borrowed(code.custom_code().unwrap_or("")),
        index: place.1 as u32,
        subgraph: place.0 as u32,
        tensors: tensors.0.cast(),
        tensor_stride: size_of::<Local>(),
        tensor_count: tensors.1,
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

fn entry(
    site: Site<'_, '_>,
    tensor: &Tensor<'_>,
    slot: &Slot,
    quantization: *const ArQuantizationV1,
) -> ArTensorV1 {
    ArTensorV1 {
        element_type: element_type(tensor) as u32,
        rank: u32::from(slot.rank),
        dims: slot.dims,
        data: slot.data.cast(),
        bytes: bytes_of(site.machine.model, tensor, slot) as u64,
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
fn quantization(site: Site<'_, '_>, tensor: &Tensor<'_>, t: usize) -> Result<ArQuantizationV1> {
    let Some(quantization) = tensor.quantization() else { return Ok(NO_QUANTIZATION) };
    let (subgraph, dimension) = (site.graph.index, tensor.quantized_dimension());
    if let Some(scales) = site.machine.blocks(subgraph, t) {
        return Ok(blockwise(scales, dimension, NO_QUANTIZATION));
    }
    if quantization.scale().is_empty() {
        return Ok(NO_QUANTIZATION);
    }
    let refuse =
        || Error::Tensor { subgraph, tensor: t, reason: "this machine cannot read its scales in place" };
    let scales = in_file(quantization.scale().bytes()).ok_or_else(refuse)?;
    let zero_points = in_file(quantization.zero_point().bytes()).ok_or_else(refuse)?;
    Ok(ArQuantizationV1 {
        scales: scales.as_ptr(),
        scale_count: scales.len(),
        zero_points: zero_points.as_ptr(),
        zero_point_count: zero_points.len(),
        quantized_dimension: dimension,
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
    if let Some(bytes) = size_of_elements(ty, element_count(dims)) {
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
