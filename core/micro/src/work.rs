//! The node in work: its tensors, expanded to the structs of the contract from what is kept of them (`graph`) and what the model says.
//!
//! Tensors of the node are numbered anew, each once, in the order in which its lists name them:
//!
//! ```text
//! ADD  inputs 7, 7, −1   outputs 9        inputs 0, 0, −1   outputs 1
//!                                    ═►   tensors  [ 7 | 9 ]
//! ```
//!
//! All of it lies in one block of temporaries:
//!
//! ```text
//!  tensors │ quantizations, of those that have one │ persistent memory, scratch buffers │ numbers: inputs, outputs, intermediates
//! ```

use core::ptr::{NonNull, null};

use arenite_abi::raw::{
    ArBytes, ArHeader, ArNodeV1, ArQuantizationV1, ArSpan, ArStr, ArTable, ArTensorV1, TENSOR_CONSTANT, slice,
};
use arenite_abi::tensor::element_count;
use arenite_model::{List, Operator, OperatorCode, RawTable, Tables, Tensor};

use crate::arena::{Part, Temp};
use crate::error::Result;
use crate::graph::{Graph, Prepared, Scaled, in_file, size_of_elements};
use crate::machine::{Scales, Site};
use crate::ops::OpRegistration;

/// What a node is expanded for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// To be prepared, or looked at: data is shown if it is constant.
    Prepare,
    /// To run.
    Run,
}

/// Which op a node runs, as the contract tells it.
pub(crate) struct Code {
    pub builtin: i32,
    pub version: i32,
    pub custom: ArStr,
}

impl Code {
    pub fn in_file(code: &OperatorCode<'_>) -> Self {
        Code {
            builtin: code.builtin_code(),
            version: code.version(),
            custom: ArStr::borrowed(code.custom_code().unwrap_or("")),
        }
    }

    /// That of a node which this op serves: its number and its name are the op's.
    pub fn served(op: &OpRegistration, version: impl FnOnce() -> i32) -> Self {
        let version = if op.min_version == op.max_version { op.min_version } else { version() };
        Code { builtin: op.builtin_code, version, custom: op.custom_name }
    }
}

/// The tensors of a subgraph, and where the next quantization is written to.
pub(crate) struct Describer<'d, 'a> {
    site: Site<'d, 'a>,
    tensors: Tables<'a, Tensor<'a>>,
    purpose: Purpose,
    quantizations: *mut ArQuantizationV1,
}

impl<'d, 'a> Describer<'d, 'a> {
    /// # Safety
    /// There is room for the quantization of each tensor that is going to be described, and nobody else's.
    pub unsafe fn new(site: Site<'d, 'a>, purpose: Purpose, quantizations: *mut ArQuantizationV1) -> Self {
        Describer { site, tensors: site.graph.subgraph.tensors(), purpose, quantizations }
    }

    /// The entry of tensor `t`.
    pub fn entry(&mut self, t: usize) -> ArTensorV1 {
        let slot = self.site.graph.slot(t);
        let shows_names = cfg!(feature = "messages") || self.purpose == Purpose::Prepare;
        let is_scaled = slot.scaled != Scaled::No;
        let tensor = if shows_names || is_scaled { self.tensors.get(t) } else { None };
        let bytes = slot.bytes().unwrap_or_else(|| self.site.graph.bytes(self.site.machine.model, t));
        let mut entry = ArTensorV1 {
            element_type: slot.element_type() as u32,
            rank: u32::from(slot.rank),
            dims: slot.dims,
            data: slot.data.cast(),
            bytes: bytes as u64,
            flags: u32::from(slot.flags),
            ..ArTensorV1::NONE
        };
        if let Some(tensor) = tensor {
            if shows_names {
                let name = tensor.name_bytes();
                entry.name = ArStr { data: name.as_ptr(), length: name.len() };
            }
            if is_scaled {
                entry.quantization = self.quantize(t, &tensor, slot.scaled);
            }
        }
        if self.purpose == Purpose::Prepare { entry.described() } else { entry }
    }

    fn quantize(&mut self, t: usize, tensor: &Tensor<'_>, scaled: Scaled) -> *const ArQuantizationV1 {
        let place = self.quantizations;
        let dimension = tensor.quantized_dimension();
        let quantization = match self.site.machine.blocks(self.site.graph.index, t) {
            Some(scales) if scaled == Scaled::OfBlocks => blockwise(scales, dimension),
            _ => plain(tensor, dimension),
        };
        // SAFETY: the promise to `new`.
        unsafe {
            place.write(quantization);
            self.quantizations = place.add(1);
        }
        place
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

/// Scales and zero points where they lie in the file.
fn plain(tensor: &Tensor<'_>, quantized_dimension: i32) -> ArQuantizationV1 {
    let Some(quantization) = tensor.quantization() else { return NO_QUANTIZATION };
    // They can be read: the graph's entry was made so.
    let scales = in_file(quantization.scale().bytes()).unwrap_or(&[]);
    let zero_points = in_file(quantization.zero_point().bytes()).unwrap_or(&[]);
    ArQuantizationV1 {
        scales: scales.as_ptr(),
        scale_count: scales.len(),
        zero_points: zero_points.as_ptr(),
        zero_point_count: zero_points.len(),
        quantized_dimension,
        ..NO_QUANTIZATION
    }
}

fn blockwise(scales: &Scales<'_>, quantized_dimension: i32) -> ArQuantizationV1 {
    ArQuantizationV1 {
        scales: scales.scales.as_ptr(),
        scale_count: scales.scales.len(),
        zero_points: &ZERO,
        zero_point_count: 1,
        quantized_dimension,
        block_size: scales.block_size,
        ..NO_QUANTIZATION
    }
}

static ZERO: i64 = 0;

/// Inputs, outputs and intermediates of a node.
pub(crate) fn lists<'a>(operator: &Operator<'a>) -> [List<'a, i32>; 3] {
    [operator.inputs(), operator.outputs(), operator.intermediates()]
}

/// How many tensors lists name that are there, and how many of these have scales.
pub(crate) fn count_tensors(graph: &Graph<'_>, list: List<'_, i32>) -> (usize, usize) {
    let there = list.iter().filter_map(|t| usize::try_from(t).ok());
    there.fold((0, 0), |(tensors, scaled), t| {
        (tensors + 1, scaled + usize::from(graph.slot(t).scaled != Scaled::No))
    })
}

/// What the lists of a node take that has so many pieces of memory.
fn parts(graph: &Graph<'_>, lists: &[List<'_, i32>; 3], pieces: usize) -> [Part; 4] {
    let (mut tensors, mut scaled, mut numbers) = (0, 0, 0);
    for list in lists {
        let (named, of_them) = count_tensors(graph, *list);
        (tensors, scaled, numbers) = (tensors + named, scaled + of_them, numbers + list.len());
    }
    [
        Part::of::<ArTensorV1>(tensors),
        Part::of::<ArQuantizationV1>(scaled),
        Part::of::<ArSpan>(pieces),
        Part::of::<i32>(numbers),
    ]
}

/// The node in work. Ops read entries through pointers, also while the host is about to change others: so the host goes through
/// pointers as well, and never holds a reference to an entry.
pub(crate) struct Work<'t> {
    tensors: NonNull<ArTensorV1>,
    tensor_count: usize,
    spans: NonNull<ArSpan>,
    numbers: NonNull<i32>,
    /// How many numbers there are of inputs, outputs and intermediates.
    counts: [usize; 3],
    _memory: Temp<'t, u8>,
}

impl<'t> Work<'t> {
    /// Expands the tensors of `operator`, and what is kept of its memory.
    pub fn new(
        site: Site<'t, '_>,
        operator: &Operator<'_>,
        purpose: Purpose,
        prepared: &Prepared<'_>,
    ) -> Result<Work<'t>> {
        let lists = lists(operator);
        let parts = parts(site.graph, &lists, prepared.piece_count());
        let (memory, [tensors, quantizations, spans, numbers]) = site.arena.temporaries(parts)?;
        // SAFETY: `parts` has counted those of the tensors that are about to be described.
        let mut describer = unsafe { Describer::new(site, purpose, quantizations.cast().as_ptr()) };
        let mut work = Work {
            tensors: tensors.cast(),
            tensor_count: 0,
            spans: spans.cast(),
            numbers: numbers.cast(),
            counts: lists.map(|list| list.len()),
            _memory: memory,
        };
        work.number(&lists, &mut describer);
        work.list_pieces(prepared);
        Ok(work)
    }

    /// Bytes that it takes from a place where a tensor's entry may be; they end at such a place.
    pub fn bytes(graph: &Graph<'_>, operator: &Operator<'_>, prepared: &Prepared<'_>) -> usize {
        let parts = parts(graph, &lists(operator), prepared.piece_count());
        let end = Part::place(0, &parts).map(|(_, end)| end);
        end.and_then(|end| end.checked_next_multiple_of(align_of::<ArTensorV1>())).unwrap_or(usize::MAX)
    }

    /// Writes the entries, and their numbers.
    fn number(&mut self, lists: &[List<'_, i32>; 3], describer: &mut Describer<'_, '_>) {
        let all = || lists.iter().flat_map(List::iter);
        for (i, t) in all().enumerate() {
            let number = match usize::try_from(t) {
                Err(_) => -1,
                Ok(index) => match all().take(i).position(|other| other == t) {
                    // SAFETY: the number was written before.
                    Some(known) => unsafe { self.numbers.add(known).read() },
                    None => {
                        let number = self.tensor_count;
                        // SAFETY: `parts` has counted it.
                        unsafe { self.tensors.add(number).write(describer.entry(index)) };
                        self.tensor_count += 1;
                        number as i32
                    }
                },
            };
            // SAFETY: `parts` has counted it.
            unsafe { self.numbers.add(i).write(number) };
        }
    }

    fn list_pieces(&mut self, prepared: &Prepared<'_>) {
        let pieces = prepared.persistent().iter().chain(prepared.scratch());
        for (i, piece) in pieces.map(core::cell::Cell::get).enumerate() {
            let span = ArSpan { data: piece.data.cast(), bytes: piece.bytes as u64 };
            // SAFETY: `parts` has counted them.
            unsafe { self.spans.add(i).write(span) };
        }
    }

    /// The node's persistent memory, and its scratch buffers.
    pub fn spans(&self, prepared: &Prepared<'_>) -> (&[ArSpan], &[ArSpan]) {
        let count = prepared.piece_count();
        // SAFETY: `list_pieces` has written so many for the same node.
        let spans = unsafe { slice(self.spans.as_ptr(), count) };
        spans.split_at(prepared.persistent().len())
    }

    /// A copy of an entry.
    pub fn get(&self, local: usize) -> ArTensorV1 {
        if local >= self.tensor_count {
            return ArTensorV1::NONE;
        }
        // SAFETY: so many entries were written, by nobody else while the host is at work.
        unsafe { self.tensors.add(local).read() }
    }

    /// Changes an entry.
    pub fn set(&mut self, local: usize, entry: ArTensorV1) {
        if local < self.tensor_count {
            // SAFETY: as in `get`; ops make no references to entries.
            unsafe { self.tensors.add(local).write(entry) };
        }
    }

    fn numbers(&self) -> &[i32] {
        // SAFETY: so many were written, and stay as they are.
        unsafe { slice(self.numbers.as_ptr(), self.counts.iter().sum()) }
    }

    /// Numbers of the node's outputs.
    pub fn outputs(&self) -> &[i32] {
        &self.numbers()[self.counts[0]..][..self.counts[1]]
    }

    pub fn input_count(&self) -> usize {
        self.counts[0]
    }

    /// The node as ops get it; it borrows this.
    pub fn node(&self, place: (usize, usize), code: &Code, operator: &Operator<'_>) -> ArNodeV1 {
        let (inputs, rest) = self.numbers().split_at(self.counts[0]);
        let (outputs, intermediates) = rest.split_at(self.counts[1]);
        let tensors = (self.tensors.as_ptr().cast_const(), self.tensor_count);
        node_struct(place, tensors, [inputs, outputs, intermediates], code, operator)
    }
}

/// A node of subgraph `place.0`, at position `place.1`; it borrows the tensors and the lists.
pub(crate) fn node_struct(
    place: (usize, usize),
    tensors: (*const ArTensorV1, usize),
    [inputs, outputs, intermediates]: [&[i32]; 3],
    code: &Code,
    operator: &Operator<'_>,
) -> ArNodeV1 {
    let custom = operator.custom_options();
    ArNodeV1 {
        header: ArHeader::of::<ArNodeV1>(),
        builtin_code: code.builtin,
        version: code.version,
        custom_name: code.custom,
        index: place.1 as u32,
        subgraph: place.0 as u32,
        tensors: tensors.0,
        tensor_stride: size_of::<ArTensorV1>(),
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
