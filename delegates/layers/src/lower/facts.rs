//! The facts about an op; `table` has the rows.

use arenite_abi::prelude::*;

/// The facts about an op.
pub struct OpFacts {
    /// Its code, or its name if it is a custom op.
    pub code: OpCode,
    /// Its name.
    pub name: &'static str,
    /// The newest version whose meaning is known.
    pub newest: i32,
    /// The facts about its common layer; `None` if only engines have layers for it.
    pub layer: Option<LayerFacts>,
}

/// The facts about an op that is lowered to a common layer.
pub struct LayerFacts {
    /// The input that the layer packs if it is constant. A DEQUANTIZE that produces it does not run.
    pub packed: Option<usize>,
    /// The input with the data.
    pub data: usize,
    /// How an engine that computes with floats treats quantized tensors.
    pub quantized: Quantized,
    /// The cost of the op.
    pub work: Operations,
}

/// How an engine that computes with floats must treat quantized tensors to get the reference op's results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantized {
    /// As real values.
    AsReals,
    /// As stored bytes, which the op copies, compares or sums. All tensors must have the same quantization.
    AsStored,
    /// Not supported, for this reason.
    Refused(&'static str),
}

/// The number of operations of an op.
pub enum Operations {
    /// One per element of the output.
    Elements,
    /// Two per multiply-add of data and weights, which are input 1.
    Products(fn(&ProductShapes) -> u64),
}

/// Shapes of a product.
pub struct ProductShapes {
    /// The shape of input [`LayerFacts::data`].
    pub data: Vec<u64>,
    /// The shape of input 1: `[filters, rows, columns, channels]` for a convolution, `[1, rows, columns, channels]` for
    /// a depthwise one.
    pub weights: Vec<u64>,
    /// The elements of the output.
    pub results: u64,
}

/// The product of dimensions, saturated at `u64::MAX`.
fn volume(dims: &[u64]) -> u64 {
    dims.iter().fold(1, |all, &n| all.saturating_mul(n))
}

impl ProductShapes {
    /// Multiply-adds, where each result adds up as many products as these dimensions have elements.
    pub(super) fn each_result(&self, dims: Option<impl AsRef<[u64]>>) -> u64 {
        self.results.saturating_mul(dims.map_or(1, |dims| volume(dims.as_ref())))
    }

    /// Multiply-adds, if each element of the data is multiplied by one weight per element of these dimensions.
    pub(super) fn each_input(&self, dims: Option<impl AsRef<[u64]>>) -> u64 {
        volume(&self.data).saturating_mul(dims.map_or(1, |dims| volume(dims.as_ref())))
    }
}

impl OpFacts {
    /// An error if the node's version is newer than the newest known one.
    pub(super) fn expect_version(&self, node: &NodeView<'_>) -> Result<()> {
        let OpFacts { name, newest, .. } = self;
        if node.version() > *newest {
            let version = node.version();
            return Err(unsupported!("{name} has version {version}; versions up to {newest} are supported"));
        }
        Ok(())
    }
}
