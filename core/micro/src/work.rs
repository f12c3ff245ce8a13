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

use core::cell::Cell;
use core::marker::PhantomData;
use core::ptr::NonNull;

use arenite_abi::raw::{
    ArBytes, ArHeader, ArNodeV1, ArQuantizationV1, ArSpan, ArTable, ArTensorV1, TENSOR_CONSTANT,
};
use arenite_abi::tensor::element_count;
use arenite_model::RawTable;

use crate::arena::{Part, Temp};
use crate::entry::{Describer, NAMES, Names, Purpose};
use crate::error::Result;
use crate::graph::{Graph, Scaled, size_of_elements};
use crate::machine::Site;
use crate::node::{Numbers, Piece, Spec, tensor};

/// How much a node in work has of everything.
#[derive(Clone, Copy)]
struct Counts {
    tensors: usize,
    /// How many of these have scales.
    scaled: usize,
    pieces: usize,
    numbers: usize,
}

// One list ends where the next one may begin.
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

    /// How many tensors the lists name, and how many with scales.
    #[cold]
    fn count(graph: &Graph<'_>, spec: &Spec<'_>) -> [usize; 2] {
        let slots = graph.slots.get();
        let named = spec.lists.iter().copied().flatten().filter_map(|&number| slots.get(tensor(number)?));
        named.fold([0; 2], |[tensors, scaled], slot| {
            [tensors + 1, scaled + usize::from(slot.get().scaled != Scaled::No)]
        })
    }

    /// Where all of it begins and ends that lies behind `start`, a place in a block; `None` if that cannot be counted.
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

/// Where the next entry and the next number of a node in work are written.
struct Writer<'w, 'a> {
    describer: Describer<'w, 'a>,
    tensor: NonNull<ArTensorV1>,
    tensor_count: i32,
    number: NonNull<i32>,
}

impl Writer<'_, '_> {
    /// Writes all that a node names.
    ///
    /// # Safety
    /// As of [`write`](Self::write), of all lists.
    #[inline(always)]
    unsafe fn write_all(&mut self, spec: &Spec<'_>) {
        let mut at = 0;
        for (list, names) in spec.lists.iter().zip(&NAMES) {
            let all = if spec.counted.is_some() { None } else { Some((&spec.lists, at)) };
            if !list.is_empty() {
                // SAFETY: the caller's promise.
                unsafe { self.write(list, names, all) };
            }
            at += list.len();
        }
    }

    /// Writes the entries of the tensors that a list names, and their numbers. Where one may have been named before, `all` are the node's
    /// lists, and how many numbers stand in front of this one.
    ///
    /// # Safety
    /// There is room for so many, and for the quantizations of those that have one.
    #[inline(never)]
    unsafe fn write(&mut self, list: Numbers<'_>, names: &Names, all: Option<(&[Numbers<'_>; 3], usize)>) {
        for (i, &named) in list.iter().enumerate() {
            let local = match all.and_then(|(lists, at)| self.before(lists, at + i, named)) {
                Some(known) => known,
                // SAFETY: the caller's promise.
                None => unsafe { self.tensor(named, names[i.min(names.len() - 1)]) },
            };
            // SAFETY: the caller's promise.
            unsafe {
                self.number.write(local);
                self.number = self.number.add(1);
            }
        }
    }

    /// Writes the entry of the tensor that a number stands for, and gives its own; −1 if there is none.
    ///
    /// # Safety
    /// There is room for it.
    #[inline(always)]
    unsafe fn tensor(&mut self, named: [u8; 4], name: &'static str) -> i32 {
        let Some(t) = tensor(named) else { return -1 };
        let Some(slot) = self.describer.slot(t) else { return -1 };
        // SAFETY: the caller's promise.
        unsafe {
            self.describer.describe(t, slot, name, self.tensor);
            self.tensor = self.tensor.add(1);
        }
        self.tensor_count += 1;
        self.tensor_count - 1
    }

    /// The number of what stands among the lists' first `at` already.
    #[cold]
    fn before(&self, lists: &[Numbers<'_>; 3], at: usize, named: [u8; 4]) -> Option<i32> {
        let known = lists.iter().copied().flatten().take(at).position(|&other| other == named)?;
        // SAFETY: so many were written.
        Some(unsafe { self.number.sub(at - known).read() })
    }
}

/// Memory for a node in work. Where code is not short, this and [`Work`] are made where they are wanted.
pub(crate) struct Room<'t> {
    memory: Temp<'t, u8>,
    counts: Counts,
}

impl<'t> Room<'t> {
    #[cfg_attr(feature = "std", inline(always))]
    #[cfg_attr(not(feature = "std"), inline(never))]
    pub fn new(site: Site<'t, '_>, spec: &Spec<'_>, pieces: usize) -> Result<Self> {
        let counts = Counts::of(site.graph, spec, pieces);
        let memory = site.arena.placed(|before| counts.place(before), || counts.parts())?;
        Ok(Room { memory, counts })
    }

    /// How many tensors the node has, and how many with scales, if none is named twice and they are few.
    pub fn counted(&self, work: &Work<'_>) -> Option<[u8; 2]> {
        let Counts { tensors, scaled, .. } = self.counts;
        if work.tensor_count != tensors {
            return None;
        }
        Some([u8::try_from(tensors).ok()?, u8::try_from(scaled).ok()?])
    }

    /// Where it may begin.
    pub const ALIGNMENT: usize = align_of::<ArTensorV1>();

    /// Bytes that it takes from such a place; they end at one.
    pub fn bytes(graph: &Graph<'_>, spec: &Spec<'_>, pieces: usize) -> usize {
        let end = Counts::of(graph, spec, pieces).place(0).map(|(_, end)| end);
        end.and_then(|end| end.checked_next_multiple_of(Self::ALIGNMENT)).unwrap_or(usize::MAX)
    }
}

/// The node in work. Ops read entries through pointers, also while the host is about to change others: so the host goes through
/// pointers as well, and never holds a reference to an entry.
pub(crate) struct Work<'t> {
    tensors: NonNull<ArTensorV1>,
    tensor_count: usize,
    spans: NonNull<ArSpan>,
    span_count: usize,
    numbers: NonNull<i32>,
    /// How many numbers there are, of inputs, of outputs.
    number_count: usize,
    inputs: usize,
    outputs: usize,
    room: PhantomData<&'t Room<'t>>,
}

impl<'t> Work<'t> {
    /// Expands the tensors of a node, and what is kept of its memory.
    ///
    /// # Safety
    /// The room is for this node with so many pieces, and nobody else's.
    #[cfg_attr(feature = "std", inline(always))]
    #[cfg_attr(not(feature = "std"), inline(never))]
    pub unsafe fn new(
        room: &'t Room<'_>,
        site: Site<'_, '_>,
        spec: &Spec<'_>,
        purpose: Purpose,
        pieces: &[Cell<Piece>],
    ) -> Work<'t> {
        let Counts { tensors: most, scaled, numbers: number_count, .. } = room.counts;
        let tensors = room.memory.start().cast::<ArTensorV1>();
        // SAFETY: the memory is for so many of each, and the lists lie one behind the other, without gaps.
        let (quantizations, spans, numbers) = unsafe {
            let quantizations = tensors.add(most).cast::<ArQuantizationV1>();
            let spans = quantizations.add(scaled).cast::<ArSpan>();
            (quantizations, spans, spans.add(pieces.len()).cast::<i32>())
        };
        for (i, piece) in pieces.iter().map(Cell::get).enumerate() {
            let span = ArSpan { data: piece.data.cast(), bytes: piece.bytes as u64 };
            // SAFETY: they were counted.
            unsafe { spans.add(i).write(span) };
        }
        // SAFETY: those that are about to be described were counted.
        let describer = unsafe { Describer::new(site, purpose, quantizations) };
        let mut writer = Writer { describer, tensor: tensors, tensor_count: 0, number: numbers };
        // SAFETY: they were counted.
        unsafe { writer.write_all(spec) };
        Work {
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

    /// The node's persistent memory and scratch buffers.
    pub fn spans(&self) -> &[ArSpan] {
        // SAFETY: `new` has written so many.
        unsafe { core::slice::from_raw_parts(self.spans.as_ptr(), self.span_count) }
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
        unsafe { core::slice::from_raw_parts(self.numbers.as_ptr(), self.number_count) }
    }

    /// Numbers of the node's outputs.
    pub fn outputs(&self) -> &[i32] {
        &self.numbers()[self.inputs..][..self.outputs]
    }

    pub fn input_count(&self) -> usize {
        self.inputs
    }

    /// The node as ops get it; it borrows this.
    pub fn node(&self, place: (usize, usize), spec: &Spec<'_>) -> ArNodeV1 {
        let (inputs, rest) = self.numbers().split_at(self.inputs);
        let (outputs, intermediates) = rest.split_at(self.outputs);
        let tensors = (self.tensors.as_ptr().cast_const(), self.tensor_count);
        node_struct(place, tensors, [inputs, outputs, intermediates], spec)
    }
}

/// A node of subgraph `place.0`, at position `place.1`; it borrows the tensors and the lists.
pub(crate) fn node_struct(
    place: (usize, usize),
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
