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
use core::ptr::NonNull;

use arenite_abi::raw::{
    ArBytes, ArHeader, ArNodeV1, ArQuantizationV1, ArSpan, ArTable, ArTensorV1, TENSOR_CONSTANT, slice,
};
use arenite_abi::tensor::element_count;
use arenite_model::{List, RawTable};

use crate::arena::{Part, Temp};
use crate::entry::{Describer, Purpose, place_name};
use crate::error::Result;
use crate::graph::{Graph, Scaled, size_of_elements};
use crate::machine::Site;
use crate::node::{Piece, Spec};

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
    fn of(graph: &Graph<'_>, lists: &[List<'_, i32>; 3], pieces: usize) -> Self {
        let slots = graph.slots.get();
        let mut counts = Counts { tensors: 0, scaled: 0, pieces, numbers: 0 };
        for list in lists {
            for i in 0..list.len() {
                let slot = list.get(i).and_then(|t| slots.get(usize::try_from(t).ok()?));
                counts.tensors += usize::from(slot.is_some());
                counts.scaled += usize::from(slot.is_some_and(|slot| slot.get().scaled != Scaled::No));
            }
            counts.numbers += list.len();
        }
        counts
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

/// Writes which of so many tensors the lists name, one list behind the other; for one that is named already, where that was.
fn list_tensors(lists: &[List<'_, i32>; 3], count: usize, numbers: &mut [i32]) {
    let mut at = 0;
    for list in lists {
        for i in 0..list.len() {
            let there = |&t: &i32| usize::try_from(t).is_ok_and(|t| t < count);
            let t = list.get(i).filter(there).unwrap_or(-1);
            let known = if t < 0 { None } else { numbers[..at].iter().position(|&other| other == t) };
            numbers[at] = known.map_or(t, |known| mirrored(known as i32));
            at += 1;
        }
    }
}

/// A place in a list, as what is neither a tensor nor −1; and the way back.
fn mirrored(place: i32) -> i32 {
    -2 - place
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
    _memory: Temp<'t, u8>,
}

impl<'t> Work<'t> {
    /// Expands the tensors of a node, and what is kept of its memory.
    #[inline(always)]
    pub fn new(
        site: Site<'t, '_>,
        spec: &Spec<'_>,
        purpose: Purpose,
        pieces: &[Cell<Piece>],
    ) -> Result<Work<'t>> {
        let counts = Counts::of(site.graph, &spec.lists, pieces.len());
        let memory = site.arena.temporaries(&counts.parts())?;
        // SAFETY: the memory is for so many of each, and new.
        Ok(unsafe { Work::fill(memory, counts, site, spec, purpose, pieces) })
    }

    /// # Safety
    /// The memory is for so many, and nobody else's; they were counted for this node.
    #[inline(never)]
    unsafe fn fill(
        memory: Temp<'t, u8>,
        counts: Counts,
        site: Site<'_, '_>,
        spec: &Spec<'_>,
        purpose: Purpose,
        pieces: &[Cell<Piece>],
    ) -> Work<'t> {
        let tensors = memory.start().cast::<ArTensorV1>();
        // SAFETY: the lists lie one behind the other, without gaps.
        let (quantizations, spans, numbers) = unsafe {
            let quantizations = tensors.add(counts.tensors).cast::<ArQuantizationV1>();
            let spans = quantizations.add(counts.scaled).cast::<ArSpan>();
            (quantizations, spans, spans.add(counts.pieces).cast::<i32>())
        };
        let [inputs, outputs, _] = &spec.lists;
        let mut work = Work {
            tensors,
            tensor_count: 0,
            spans,
            span_count: pieces.len(),
            numbers,
            number_count: counts.numbers,
            inputs: inputs.len(),
            outputs: outputs.len(),
            _memory: memory,
        };
        // SAFETY: those that are about to be described were counted.
        work.number(&spec.lists, &mut unsafe { Describer::new(site, purpose, quantizations) });
        for (i, piece) in pieces.iter().map(Cell::get).enumerate() {
            let span = ArSpan { data: piece.data.cast(), bytes: piece.bytes as u64 };
            // SAFETY: they were counted.
            unsafe { spans.add(i).write(span) };
        }
        work
    }

    /// Where it may begin.
    pub const ALIGNMENT: usize = align_of::<ArTensorV1>();

    /// Bytes that it takes from such a place; they end at one.
    pub fn bytes(graph: &Graph<'_>, spec: &Spec<'_>, pieces: usize) -> usize {
        let counts = Counts::of(graph, &spec.lists, pieces);
        let end = Part::place(0, &counts.parts()).map(|(_, end)| end);
        end.and_then(|end| end.checked_next_multiple_of(Self::ALIGNMENT)).unwrap_or(usize::MAX)
    }

    /// Writes the entries, and their numbers.
    fn number(&mut self, lists: &[List<'_, i32>; 3], describer: &mut Describer<'_, '_>) {
        let count = self.number_count;
        // SAFETY: they were counted; any bytes are a number, and nobody else has them.
        let numbers = unsafe {
            self.numbers.as_ptr().write_bytes(0xff, count);
            core::slice::from_raw_parts_mut(self.numbers.as_ptr(), count)
        };
        list_tensors(lists, describer.tensor_count(), numbers);
        for at in 0..count {
            numbers[at] = match usize::try_from(numbers[at]) {
                Ok(t) => {
                    let name = place_name(at, self.inputs, self.outputs);
                    // SAFETY: it was counted.
                    unsafe { describer.describe(t, name, self.tensors.add(self.tensor_count)) };
                    self.tensor_count += 1;
                    self.tensor_count as i32 - 1
                }
                Err(_) => {
                    let known = usize::try_from(mirrored(numbers[at])).ok();
                    known.and_then(|known| numbers.get(known).copied()).unwrap_or(-1)
                }
            };
        }
    }

    /// The node's persistent memory and scratch buffers.
    pub fn spans(&self) -> &[ArSpan] {
        // SAFETY: `fill` has written so many.
        unsafe { slice(self.spans.as_ptr(), self.span_count) }
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
        unsafe { slice(self.numbers.as_ptr(), self.number_count) }
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
