//! Fills a tensor struct of the contract from the tensor's slot and the model.

use core::cell::Cell;
use core::fmt::{self, Write};
use core::ptr::{NonNull, null, null_mut};

use arenite_abi::Error;
use arenite_abi::raw::{ArHeader, ArQuantizationV1, ArStr, ArTensorV1, TENSOR_CONSTANT};
use arenite_model::{Tables, Tensor};

use super::graph::Scales;
use super::graph::{ScaleSource, Slot};
use super::site::Site;

/// Why a node is expanded.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// For `prepare`, or for an op that inspects a subgraph: only constants have data.
    Prepare,
    /// For `eval`.
    Run,
}

/// During `eval`, messages name tensors by position, because finding a name in the file takes as long as everything
/// else together.
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

/// Names of the tensors in one list during `eval`: one byte per position; the last covers all further positions. A
/// single byte keeps the check that a name is UTF-8 cheap. [`spell_places`] replaces the bytes in messages by words.
pub(crate) type Names = [&'static str; if cfg!(feature = "messages") { 7 } else { 1 }];

/// For inputs, outputs and intermediates.
#[cfg(feature = "messages")]
pub(crate) const NAMES: [Names; 3] = [
    ["\x10", "\x11", "\x12", "\x13", "\x14", "\x15", "\x16"],
    ["\x17", "\x18", "\x19", "\x1a", "\x1a", "\x1a", "\x1a"],
    ["\x1b"; 7],
];
#[cfg(not(feature = "messages"))]
pub(crate) const NAMES: [Names; 3] = [[""]; 3];

/// The byte for `PLACES[0]`.
const FIRST: u32 = 0x10;

/// The error of a node, with positions in words.
#[cold]
pub(crate) fn spell_places(error: Error) -> Error {
    if cfg!(not(feature = "messages")) {
        return error;
    }
    Error::new(error.status(), format_args!("{}", ReadableMessage(error.message())))
}

struct ReadableMessage<'t>(&'t str);

impl fmt::Display for ReadableMessage<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.chars().try_for_each(|c| {
            match u32::from(c).checked_sub(FIRST).and_then(|place| PLACES.get(place as usize)) {
                None => f.write_char(c),
                Some(place) => f.write_str(place),
            }
        })
    }
}

/// Writes tensor structs, and the quantization structs that they point to.
pub(crate) struct Describer<'d, 'a> {
    site: Site<'d, 'a>,
    slots: &'a [Cell<Slot>],
    tensors: Tables<'a, Tensor<'a>>,
    purpose: Purpose,
    quantizations: NonNull<ArQuantizationV1>,
}

impl<'d, 'a> Describer<'d, 'a> {
    /// # Safety
    /// `quantizations` must point to writable memory for one struct per tensor with scales that will be described;
    /// nothing else may use it.
    #[inline]
    pub(crate) unsafe fn new(
        site: Site<'d, 'a>,
        purpose: Purpose,
        quantizations: NonNull<ArQuantizationV1>,
    ) -> Self {
        // SAFETY: the subgraph belongs to a verified model, whose bytes are borrowed for `'a`.
        let tensors = unsafe { site.graph.subgraph.verified_tensors() };
        Describer { site, slots: site.graph.slots.get(), tensors, purpose, quantizations }
    }

    /// The slot of tensor `t`; `None` if the tensor does not exist.
    #[inline(always)]
    pub(crate) fn slot(&self, t: usize) -> Option<&'a Cell<Slot>> {
        self.slots.get(t)
    }

    /// Writes the struct of tensor `t`, whose slot this is. For `eval` its name is `place_name`.
    ///
    /// # Safety
    /// `place` must be writable, and nothing else may use it.
    #[inline(always)]
    pub(crate) unsafe fn describe(
        &mut self,
        t: usize,
        slot: &Cell<Slot>,
        place_name: &'static str,
        place: NonNull<ArTensorV1>,
    ) {
        let slot = slot.get();
        // SAFETY: `place` is writable and unshared, as `# Safety` requires.
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
                ScaleSource::None => {}
                ScaleSource::InFile => (*entry).quantization = self.write_linear(t),
                ScaleSource::Copied => (*entry).quantization = self.write_copied(t),
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

    /// Adds the model's name, and removes data that is not constant yet.
    #[cold]
    fn prepare(&self, t: usize, entry: &mut ArTensorV1) {
        let name = self.tensors.get(t).map_or(&[][..], |tensor| tensor.name_bytes());
        entry.name = ArStr { data: name.as_ptr(), length: name.len() };
        if entry.flags & TENSOR_CONSTANT == 0 {
            entry.data = null_mut();
        }
    }

    /// Writes the quantization of tensor `t`, whose scales are in the file.
    #[cfg_attr(feature = "std", inline(always))]
    #[cfg_attr(not(feature = "std"), inline(never))]
    fn write_linear(&mut self, t: usize) -> *const ArQuantizationV1 {
        // SAFETY: the tensors belong to a verified model, whose bytes are borrowed for `'a`.
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

    /// Writes the quantization of a tensor whose scales were copied.
    #[cold]
    fn write_copied(&mut self, t: usize) -> *const ArQuantizationV1 {
        let scales = self.site.machine.copied_scales(self.site.graph.index, t);
        self.add(scales.map_or(NO_QUANTIZATION, |scales| copied(scales, self.dimension(t))))
    }

    #[cold]
    fn dimension(&self, t: usize) -> i32 {
        self.tensors.get(t).map_or(0, |tensor| tensor.quantized_dimension())
    }

    #[inline]
    fn add(&mut self, quantization: ArQuantizationV1) -> *const ArQuantizationV1 {
        let place = self.quantizations;
        // SAFETY: `new` requires memory for one struct per tensor with scales; `add` is called once for each.
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

fn copied(scales: &Scales<'_>, quantized_dimension: i32) -> ArQuantizationV1 {
    ArQuantizationV1 {
        scales: scales.scales.as_ptr(),
        scale_count: scales.scales.len(),
        zero_points: scales.zero_points.as_ptr(),
        zero_point_count: scales.zero_points.len(),
        quantized_dimension,
        block_size: scales.block_size,
        ..NO_QUANTIZATION
    }
}
