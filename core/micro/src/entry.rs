//! A tensor as the contract's structs tell of it, from what is kept of it (`graph`) and from the model.

use core::cell::Cell;
use core::fmt::{self, Write};
use core::ptr::{NonNull, null, null_mut};

use arenite_abi::Error;
use arenite_abi::raw::{ArHeader, ArQuantizationV1, ArStr, ArTensorV1, TENSOR_CONSTANT};
use arenite_model::{Tables, Tensor};

use crate::graph::{Scaled, Slot};
use crate::machine::{Scales, Site};

/// What a node is expanded for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// To be prepared, or looked at: data is shown if it is constant.
    Prepare,
    /// To run.
    Run,
}

/// What messages call the tensors of a node that runs: their places, inputs first, since to look up names in the file takes as long as all
/// else.
const PLACES: [&str; 12] = [
    "input 0",
    "input 1",
    "input 2",
    "input 3",
    "input 4",
    "input 5",
    "an input",
    "output 0",
    "output 1",
    "output 2",
    "an output",
    "an intermediate",
];

/// Names of the tensors of a list while a node runs, the last for all behind: a byte that stands for the place, since whoever looks at a
/// tensor checks that its name is text. [`spelled`] puts the words into messages.
pub(crate) type Names = [&'static str; if cfg!(feature = "messages") { 7 } else { 1 }];

/// Of inputs, outputs, intermediates.
#[cfg(feature = "messages")]
pub(crate) const NAMES: [Names; 3] = [
    ["\x10", "\x11", "\x12", "\x13", "\x14", "\x15", "\x16"],
    ["\x17", "\x18", "\x19", "\x1a", "\x1a", "\x1a", "\x1a"],
    ["\x1b"; 7],
];
#[cfg(not(feature = "messages"))]
pub(crate) const NAMES: [Names; 3] = [[""]; 3];

/// What stands for the first place.
const FIRST: u32 = 0x10;

/// What a node says that failed, with words for places.
#[cold]
pub(crate) fn spelled(error: Error) -> Error {
    if cfg!(not(feature = "messages")) {
        return error;
    }
    Error::new(error.status(), format_args!("{}", Spelled(error.message())))
}

struct Spelled<'t>(&'t str);

impl fmt::Display for Spelled<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.chars().try_for_each(|c| {
            match u32::from(c).checked_sub(FIRST).and_then(|place| PLACES.get(place as usize)) {
                None => f.write_char(c),
                Some(place) => f.write_str(place),
            }
        })
    }
}

/// The tensors of a subgraph, and where the next quantization is written to.
pub(crate) struct Describer<'d, 'a> {
    site: Site<'d, 'a>,
    slots: &'a [Cell<Slot>],
    tensors: Tables<'a, Tensor<'a>>,
    purpose: Purpose,
    quantizations: NonNull<ArQuantizationV1>,
}

impl<'d, 'a> Describer<'d, 'a> {
    /// # Safety
    /// There is room for the quantization of each tensor that is going to be described, and nobody else's.
    #[inline]
    pub unsafe fn new(
        site: Site<'d, 'a>,
        purpose: Purpose,
        quantizations: NonNull<ArQuantizationV1>,
    ) -> Self {
        // SAFETY: it is the model's, whose bytes are borrowed.
        let tensors = unsafe { site.graph.subgraph.verified_tensors() };
        Describer { site, slots: site.graph.slots.get(), tensors, purpose, quantizations }
    }

    /// What is kept of tensor `t`; `None` if there is no such tensor.
    #[inline(always)]
    pub fn slot(&self, t: usize) -> Option<&'a Cell<Slot>> {
        self.slots.get(t)
    }

    /// Writes the entry of tensor `t`, whose slot this is; while the node runs it has the name that stands for its place.
    ///
    /// # Safety
    /// The place is writable, and nobody else's.
    #[inline(always)]
    pub unsafe fn describe(
        &mut self,
        t: usize,
        slot: &Cell<Slot>,
        place_name: &'static str,
        place: NonNull<ArTensorV1>,
    ) {
        let slot = slot.get();
        // SAFETY: the caller's promise.
        unsafe {
            place.write(ArTensorV1 {
                element_type: u32::from(slot.type_code),
                rank: u32::from(slot.rank),
                dims: slot.dims,
                data: slot.data.cast(),
                flags: u32::from(slot.flags),
                name: ArStr { data: place_name.as_ptr(), length: place_name.len() },
                ..ArTensorV1::NONE
            });
            let entry = place.as_ptr();
            (*entry).bytes = slot.whole_bytes().unwrap_or_else(|| self.other_bytes(t)) as u64;
            match slot.scaled {
                Scaled::No => {}
                Scaled::InFile => (*entry).quantization = self.linear(t),
                Scaled::OfBlocks => (*entry).quantization = self.blockwise(t),
            }
            if self.purpose == Purpose::Prepare {
                self.prepare(t, &mut *entry);
            }
        }
    }

    #[cold]
    fn other_bytes(&self, t: usize) -> usize {
        self.site.graph.bytes(self.site.machine.model, t)
    }

    /// Makes an entry that of a node to be prepared.
    #[cold]
    fn prepare(&self, t: usize, entry: &mut ArTensorV1) {
        let name = self.tensors.get(t).map_or(&[][..], |tensor| tensor.name_bytes());
        entry.name = ArStr { data: name.as_ptr(), length: name.len() };
        if entry.flags & TENSOR_CONSTANT == 0 {
            entry.data = null_mut();
        }
    }

    /// Where the scales of tensor `t` are told, which the machine can read where they lie.
    #[inline(never)]
    fn linear(&mut self, t: usize) -> *const ArQuantizationV1 {
        // SAFETY: they are the model's, whose bytes are borrowed.
        let Some(linear) = (unsafe { self.tensors.linear_scales(t) }) else { return null() };
        let dimension = if linear.dimension == 0 { 0 } else { self.dimension(t) };
        self.add(ArQuantizationV1 {
            scales: linear.scales.as_ptr().cast(),
            scale_count: linear.scales.len(),
            zero_points: linear.zero_points.as_ptr().cast(),
            zero_point_count: linear.zero_points.len(),
            quantized_dimension: dimension,
            ..NO_QUANTIZATION
        })
    }

    /// Where the scales of tensor `t` are told, which are of blocks.
    #[cold]
    fn blockwise(&mut self, t: usize) -> *const ArQuantizationV1 {
        let scales = self.site.machine.blocks(self.site.graph.index, t);
        self.add(scales.map_or(NO_QUANTIZATION, |scales| blockwise(scales, self.dimension(t))))
    }

    #[cold]
    fn dimension(&self, t: usize) -> i32 {
        self.tensors.get(t).map_or(0, |tensor| tensor.quantized_dimension())
    }

    #[inline]
    fn add(&mut self, quantization: ArQuantizationV1) -> *const ArQuantizationV1 {
        let place = self.quantizations;
        // SAFETY: the promise to `new`.
        unsafe {
            place.write(quantization);
            self.quantizations = place.add(1);
        }
        place.as_ptr()
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
