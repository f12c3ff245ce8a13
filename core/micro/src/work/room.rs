//! Expands a node to the structs of the contract, from slots, node record and model.
//!
//! The tensors of the node get new numbers, in the order in which its lists first name them:
//!
//! ```text
//! ADD  inputs 7, 7, −1   outputs 9        inputs 0, 0, −1   outputs 1
//!                                    ═►   tensors  [ 7 | 9 ]
//! ```
//!
//! One block of temporary memory has all structs:
//!
//! ```text
//!  tensors │ quantizations (tensors with scales) │ persistent and scratch buffers │ numbers: inputs, outputs, intermediates
//! ```

use core::cell::Cell;
use core::marker::PhantomData;
use core::ptr::NonNull;

use arenite_abi::raw::{
    ArBytes, ArHeader, ArNodeV1, ArQuantizationV1, ArSpan, ArTable, ArTensorV1, TENSOR_CONSTANT,
};
use arenite_abi::tensor::element_count;
use arenite_model::RawTable;

use crate::arena::{Part, Temp};
use crate::error::Result;
use crate::model::entry::{Describer, NAMES, Names, Purpose};
use crate::model::graph::{Graph, ScaleSource, size_of_elements};
use crate::model::node::{Numbers, Piece, Spec, tensor};
use crate::model::site::Site;

/// How many structs of each kind a node needs.
#[derive(Clone, Copy)]
struct Counts {
    tensors: usize,
    /// How many tensors have scales.
    scaled: usize,
    pieces: usize,
    numbers: usize,
}

// Each list ends at an address that is aligned for the next one.
const _: () = assert!(
    size_of::<ArTensorV1>().is_multiple_of(align_of::<ArQuantizationV1>())
        && align_of::<ArTensorV1>() >= align_of::<ArSpan>()
        && (size_of::<ArTensorV1>() + size_of::<ArQuantizationV1>()).is_multiple_of(align_of::<ArSpan>())
        && size_of::<ArTensorV1>().is_multiple_of(align_of::<ArSpan>())
        && size_of::<ArSpan>().is_multiple_of(align_of::<i32>())
);

impl Counts {
    #[inline(always)]
    fn of(graph: &Graph<'_>, spec: &Spec<'_>, pieces: usize) -> Self {
        let [tensors, scaled] =
            spec.counted.map_or_else(|| Self::count(graph, spec), |few| few.map(usize::from));
        Counts { tensors, scaled, pieces, numbers: spec.lists.iter().map(|list| list.len()).sum() }
    }

    /// The number of tensors in all lists, and how many of them have scales.
    #[cold]
    fn count(graph: &Graph<'_>, spec: &Spec<'_>) -> [usize; 2] {
        let slots = graph.slots.get();
        let named = spec.lists.iter().copied().flatten().filter_map(|&number| slots.get(tensor(number)?));
        named.fold([0; 2], |[tensors, scaled], slot| {
            [tensors + 1, scaled + usize::from(slot.get().scaled != ScaleSource::None)]
        })
    }

    /// Start and end of the memory, placed after `start`; `None` on overflow.
    #[inline]
    fn place(&self, start: usize) -> Option<(usize, usize)> {
        if self.numbers > usize::MAX / 256 {
            return None;
        }
        let start = start.next_multiple_of(Room::ALIGNMENT);
        let structs = self.tensors * size_of::<ArTensorV1>() + self.scaled * size_of::<ArQuantizationV1>();
        let rest = self.pieces * size_of::<ArSpan>() + self.numbers * size_of::<i32>();
        Some((start, start + structs + rest))
    }

    fn parts(&self) -> [Part; 4] {
        [
            Part::of::<ArTensorV1>(self.tensors),
            Part::of::<ArQuantizationV1>(self.scaled),
            Part::of::<ArSpan>(self.pieces),
            Part::of::<i32>(self.numbers),
        ]
    }
}

/// Writes the tensors and numbers of a node, in order.
struct Writer<'w, 'a> {
    describer: Describer<'w, 'a>,
    tensor: NonNull<ArTensorV1>,
    tensor_count: i32,
    number: NonNull<i32>,
}

impl Writer<'_, '_> {
    /// Writes the tensors and numbers of all lists.
    ///
    /// # Safety
    /// The memory must have room for all lists of `spec`, as [`Counts`] computes it.
    #[inline(always)]
    unsafe fn write_all(&mut self, spec: &Spec<'_>) {
        let mut at = 0;
        for (list, names) in spec.lists.iter().zip(&NAMES) {
            let all = if spec.counted.is_some() { None } else { Some((&spec.lists, at)) };
            if !list.is_empty() {
                // SAFETY: there is room for all lists, as `# Safety` requires.
                unsafe { self.write(list, names, all) };
            }
            at += list.len();
        }
    }

    /// Writes the tensors of one list, and their numbers. If a tensor may occur twice, `all` has all lists of the node
    /// and the count of numbers before this list.
    ///
    /// # Safety
    /// There must be room for the tensors, the quantizations and the numbers of this list.
    #[cfg_attr(feature = "std", inline(always))]
    #[cfg_attr(not(feature = "std"), inline(never))]
    unsafe fn write(&mut self, list: Numbers<'_>, names: &Names, all: Option<(&[Numbers<'_>; 3], usize)>) {
        for (i, &named) in list.iter().enumerate() {
            let local = match all.and_then(|(lists, at)| self.before(lists, at + i, named)) {
                Some(known) => known,
                // SAFETY: there is room for each tensor of the list, as `# Safety` requires.
                None => unsafe { self.tensor(named, names[i.min(names.len() - 1)]) },
            };
            // SAFETY: there is room for each number of the list, as `# Safety` requires.
            unsafe {
                self.number.write(local);
                self.number = self.number.add(1);
            }
        }
    }

    /// Writes the struct of the tensor `named` and returns its new number; −1 if the port is unconnected.
    ///
    /// # Safety
    /// There must be room for the tensor, and for a quantization if it has scales.
    #[inline(always)]
    unsafe fn tensor(&mut self, named: [u8; 4], name: &'static str) -> i32 {
        let Some(t) = tensor(named) else { return -1 };
        let Some(slot) = self.describer.slot(t) else { return -1 };
        // SAFETY: there is room for the tensor, as `# Safety` requires.
        unsafe {
            self.describer.describe(t, slot, name, self.tensor);
            self.tensor = self.tensor.add(1);
        }
        self.tensor_count += 1;
        self.tensor_count - 1
    }

    /// The number that `named` has already, if it occurs in the first `at` ports of the lists.
    #[cold]
    fn before(&self, lists: &[Numbers<'_>; 3], at: usize, named: [u8; 4]) -> Option<i32> {
        let known = lists.iter().copied().flatten().take(at).position(|&other| other == named)?;
        // SAFETY: `at` numbers were written before this one, and `known < at`.
        Some(unsafe { self.number.sub(at - known).read() })
    }
}

/// Memory for an expanded node.
pub(crate) struct Room<'t> {
    memory: Temp<'t, u8>,
    counts: Counts,
}

impl<'t> Room<'t> {
    #[cfg_attr(feature = "std", inline(always))]
    #[cfg_attr(not(feature = "std"), inline(never))]
    pub(super) fn new(site: Site<'t, '_>, spec: &Spec<'_>, pieces: usize) -> Result<Self> {
        let counts = Counts::of(site.graph, spec, pieces);
        let memory = site.arena.placed(|before| counts.place(before), || counts.parts())?;
        Ok(Room { memory, counts })
    }

    /// The number of tensors, and of those with scales; `None` if a tensor occurs twice or the numbers exceed a byte.
    pub(super) fn counted(&self, work: &ExpandedNode<'_>) -> Option<[u8; 2]> {
        let Counts { tensors, scaled, .. } = self.counts;
        if work.tensor_count != tensors {
            return None;
        }
        Some([u8::try_from(tensors).ok()?, u8::try_from(scaled).ok()?])
    }

    /// Alignment of the start.
    pub(super) const ALIGNMENT: usize = align_of::<ArTensorV1>();

    /// Size from an aligned start, rounded up to the alignment.
    pub(super) fn bytes(graph: &Graph<'_>, spec: &Spec<'_>, pieces: usize) -> usize {
        let end = Counts::of(graph, spec, pieces).place(0).map(|(_, end)| end);
        end.and_then(|end| end.checked_next_multiple_of(Self::ALIGNMENT)).unwrap_or(usize::MAX)
    }
}

/// An expanded node. Ops read the structs through pointers while the host changes some of them, so the host uses
/// pointers too and never holds a reference to a struct.
pub(crate) struct ExpandedNode<'t> {
    tensors: NonNull<ArTensorV1>,
    tensor_count: usize,
    spans: NonNull<ArSpan>,
    span_count: usize,
    numbers: NonNull<i32>,
    /// Total, and the numbers of inputs and outputs.
    number_count: usize,
    inputs: usize,
    outputs: usize,
    room: PhantomData<&'t Room<'t>>,
}

impl<'t> ExpandedNode<'t> {
    /// Expands a node and its buffers.
    ///
    /// # Safety
    /// `room` must have been created for this `spec` and this number of buffers, and nothing else may use it.
    #[cfg_attr(feature = "std", inline(always))]
    #[cfg_attr(not(feature = "std"), inline(never))]
    pub(super) unsafe fn new(
        room: &'t Room<'_>,
        site: Site<'_, '_>,
        spec: &Spec<'_>,
        purpose: Purpose,
        pieces: &[Cell<Piece>],
    ) -> ExpandedNode<'t> {
        let Counts { tensors: most, scaled, numbers: number_count, .. } = room.counts;
        let tensors = room.memory.start().cast::<ArTensorV1>();
        // SAFETY: `Counts::place` made room for all lists, back to back.
        let (quantizations, spans, numbers) = unsafe {
            let quantizations = tensors.add(most).cast::<ArQuantizationV1>();
            let spans = quantizations.add(scaled).cast::<ArSpan>();
            (quantizations, spans, spans.add(pieces.len()).cast::<i32>())
        };
        for (i, piece) in pieces.iter().map(Cell::get).enumerate() {
            let span = ArSpan { data: piece.data.cast(), bytes: piece.bytes as u64 };
            // SAFETY: `room` has a span for each buffer, as `# Safety` requires.
            unsafe { spans.add(i).write(span) };
        }
        // SAFETY: `room` has a quantization for each tensor with scales, as `# Safety` requires.
        let describer = unsafe { Describer::new(site, purpose, quantizations) };
        let mut writer = Writer { describer, tensor: tensors, tensor_count: 0, number: numbers };
        // SAFETY: `room` was created for this `spec`, as `# Safety` requires.
        unsafe { writer.write_all(spec) };
        ExpandedNode {
            tensors,
            tensor_count: writer.tensor_count as usize,
            spans,
            span_count: pieces.len(),
            numbers,
            number_count,
            inputs: spec.lists[0].len(),
            outputs: spec.lists[1].len(),
            room: PhantomData,
        }
    }

    /// The node's persistent and scratch buffers.
    pub(super) fn spans(&self) -> &[ArSpan] {
        // SAFETY: `new` wrote `span_count` spans.
        unsafe { core::slice::from_raw_parts(self.spans.as_ptr(), self.span_count) }
    }

    /// Copies a tensor struct.
    pub(super) fn get(&self, local: usize) -> ArTensorV1 {
        if local >= self.tensor_count {
            return ArTensorV1::NONE;
        }
        // SAFETY: `new` wrote `tensor_count` structs; ops do not write them, and the host does so only in `set`.
        unsafe { self.tensors.add(local).read() }
    }

    /// Replaces a tensor struct.
    pub(super) fn set(&mut self, local: usize, entry: ArTensorV1) {
        if local < self.tensor_count {
            // SAFETY: `local` is in bounds, and neither ops nor the host hold references to the structs.
            unsafe { self.tensors.add(local).write(entry) };
        }
    }

    fn numbers(&self) -> &[i32] {
        // SAFETY: `new` wrote `number_count` numbers, which never change.
        unsafe { core::slice::from_raw_parts(self.numbers.as_ptr(), self.number_count) }
    }

    /// Numbers of the outputs.
    pub(super) fn outputs(&self) -> &[i32] {
        &self.numbers()[self.inputs..][..self.outputs]
    }

    pub(super) fn input_count(&self) -> usize {
        self.inputs
    }

    /// The node as ops see it. It borrows `self`.
    pub(super) fn node(&self, place: NodePlace, spec: &Spec<'_>) -> ArNodeV1 {
        let (inputs, rest) = self.numbers().split_at(self.inputs);
        let (outputs, intermediates) = rest.split_at(self.outputs);
        let tensors = (self.tensors.as_ptr().cast_const(), self.tensor_count);
        node_struct(place, tensors, [inputs, outputs, intermediates], spec)
    }
}

/// The position of a node in a subgraph.
#[derive(Clone, Copy)]
pub(crate) struct NodePlace {
    pub subgraph: usize,
    pub node: usize,
}

/// The struct of a node. It borrows the tensors and the lists.
pub(crate) fn node_struct(
    place: NodePlace,
    tensors: (*const ArTensorV1, usize),
    [inputs, outputs, intermediates]: [&[i32]; 3],
    spec: &Spec<'_>,
) -> ArNodeV1 {
    let custom = spec.custom_options;
    ArNodeV1 {
        header: ArHeader::of::<ArNodeV1>(),
        builtin_code: spec.builtin_code,
        version: spec.version,
        custom_name: spec.custom_name,
        index: place.node as u32,
        subgraph: place.subgraph as u32,
        tensors: tensors.0,
        tensor_stride: size_of::<ArTensorV1>(),
        tensor_count: tensors.1,
        inputs: inputs.as_ptr(),
        input_count: inputs.len(),
        outputs: outputs.as_ptr(),
        output_count: outputs.len(),
        intermediates: intermediates.as_ptr(),
        intermediate_count: intermediates.len(),
        options: table(spec.options[0]),
        options_2: table(spec.options[1]),
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

/// `entry` with the shape `dims`.
pub(crate) fn with_shape(mut entry: ArTensorV1, dims: &[i32], ty: arenite_abi::ElementType) -> ArTensorV1 {
    entry.dims = dims.as_ptr();
    entry.rank = dims.len() as u32;
    if let Some(bytes) = size_of_elements(ty, element_count(dims)) {
        entry.bytes = bytes as u64;
    }
    entry
}

/// `entry` as a constant.
pub(crate) fn as_constant(mut entry: ArTensorV1, data: *mut u8) -> ArTensorV1 {
    entry.data = data.cast();
    entry.flags |= TENSOR_CONSTANT;
    entry
}
