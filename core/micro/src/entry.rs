//! A tensor as the contract's structs tell of it, from what is kept of it (`graph`) and from the model.

use core::ptr::{NonNull, null, null_mut};

use arenite_abi::raw::{ArHeader, ArQuantizationV1, ArStr, ArTensorV1};
use arenite_model::{QuantizationParameters, Tables, Tensor};

use crate::graph::{Scaled, in_file};
use crate::machine::{Scales, Site};

/// What a node is expanded for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// To be prepared, or looked at: data is shown if it is constant.
    Prepare,
    /// To run.
    Run,
}

fn text(name: &[u8]) -> ArStr {
    ArStr { data: name.as_ptr(), length: name.len() }
}

/// What messages call a tensor while a node runs: its place among the node's, since to look up its name in the file takes as long as
/// all else.
pub(crate) fn place_name(at: usize, inputs: usize, outputs: usize) -> &'static str {
    const INPUTS: [&str; 6] = ["input 0", "input 1", "input 2", "input 3", "input 4", "input 5"];
    const OUTPUTS: [&str; 3] = ["output 0", "output 1", "output 2"];
    if cfg!(not(feature = "messages")) {
        ""
    } else if at < inputs {
        INPUTS.get(at).copied().unwrap_or("an input")
    } else if at - inputs < outputs {
        OUTPUTS.get(at - inputs).copied().unwrap_or("an output")
    } else {
        "an intermediate"
    }
}

/// The tensors of a subgraph, and where the next quantization is written to.
pub(crate) struct Describer<'d, 'a> {
    site: Site<'d, 'a>,
    tensors: Tables<'a, Tensor<'a>>,
    purpose: Purpose,
    quantizations: NonNull<ArQuantizationV1>,
}

impl<'d, 'a> Describer<'d, 'a> {
    /// # Safety
    /// There is room for the quantization of each tensor that is going to be described, and nobody else's.
    pub unsafe fn new(
        site: Site<'d, 'a>,
        purpose: Purpose,
        quantizations: NonNull<ArQuantizationV1>,
    ) -> Self {
        Describer { site, tensors: site.graph.subgraph.tensors(), purpose, quantizations }
    }

    /// How many tensors there are.
    pub fn tensor_count(&self) -> usize {
        self.site.graph.slots.get().len()
    }

    /// Writes the entry of tensor `t`; while the node runs it has the name of its place among the node's.
    ///
    /// # Safety
    /// The place is writable, and nobody else's.
    pub unsafe fn describe(&mut self, t: usize, place_name: &'static str, place: NonNull<ArTensorV1>) {
        let slot = self.site.graph.slot(t);
        let prepares = self.purpose == Purpose::Prepare;
        let tensor = if prepares || slot.scaled != Scaled::No { self.tensors.get(t) } else { None };
        let bytes = slot.bytes().unwrap_or_else(|| self.site.graph.bytes(self.site.machine.model, t));
        let shows_data = !prepares || slot.is_constant();
        let entry = ArTensorV1 {
            element_type: u32::from(slot.type_code),
            rank: u32::from(slot.rank),
            dims: slot.dims,
            data: if shows_data { slot.data.cast() } else { null_mut() },
            bytes: bytes as u64,
            quantization: tensor.map_or(null(), |tensor| self.quantize(t, &tensor, slot.scaled)),
            flags: u32::from(slot.flags),
            name: text(
                tensor.filter(|_| prepares).map_or(place_name.as_bytes(), |tensor| tensor.name_bytes()),
            ),
            ..ArTensorV1::NONE
        };
        // SAFETY: the caller's promise.
        unsafe { place.write(entry) };
    }

    /// Where the scales of tensor `t` are told.
    fn quantize(&mut self, t: usize, tensor: &Tensor<'_>, scaled: Scaled) -> *const ArQuantizationV1 {
        let quantization = match (scaled, tensor.quantization()) {
            (Scaled::InFile, Some(quantization)) => plain(tensor, &quantization),
            (Scaled::OfBlocks, _) => self
                .site
                .machine
                .blocks(self.site.graph.index, t)
                .map_or(NO_QUANTIZATION, |scales| blockwise(scales, tensor.quantized_dimension())),
            _ => return null(),
        };
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

/// Scales and zero points where they lie in the file: the machine can read them there, or the tensor would have been refused.
fn plain(tensor: &Tensor<'_>, quantization: &QuantizationParameters<'_>) -> ArQuantizationV1 {
    let scales = in_file(quantization.scale().bytes()).unwrap_or(&[]);
    let zero_points = in_file(quantization.zero_point().bytes()).unwrap_or(&[]);
    ArQuantizationV1 {
        scales: scales.as_ptr(),
        scale_count: scales.len(),
        zero_points: zero_points.as_ptr(),
        zero_point_count: zero_points.len(),
        quantized_dimension: match quantization.quantized_dimension() {
            0 => 0,
            _ => tensor.quantized_dimension(),
        },
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
