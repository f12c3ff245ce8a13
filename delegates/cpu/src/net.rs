//! The delegate's nets: common layers and its own side by side.

use arenite_abi::prelude::*;
use arenite_layers::{Limits, Parts, Source};

use crate::ops::{Hybrid, Quantized, Scan, Typed, hybrid, quantized, scan, typed};
use crate::steps;

/// A partition as a graph of layers.
pub type Net<'a> = arenite_layers::Net<'a, Own<'a>>;
/// A node of a net.
pub type Node<'a> = arenite_layers::Node<Layer<'a>>;
/// What a node computes.
pub type Layer<'a> = arenite_layers::Layer<'a, Own<'a>>;

/// The delegate's own layers.
pub enum Own<'a> {
    /// On quantized bytes.
    Quantized(Quantized<'a>),
    /// On `f32`, with weights of bytes.
    Hybrid(Hybrid<'a>),
    /// A function of elements of any type.
    Typed(Typed),
    /// Layers one behind the other, some rows of each at a time.
    Cascade(Vec<Node<'a>>),
    /// A loop that counts.
    Scan(Box<Scan<'a>>),
}

/// What the steps can do.
pub const LIMITS: Limits = Limits {
    epilogue: steps::epilogue::MAX_OPS,
    conv_taps: steps::pointers::MAX_TAPS,
    depthwise_taps: steps::slide::MAX_TAPS,
    pool_taps: steps::slide::MAX_TAPS,
    transpose_conv_taps: steps::phases::MAX_TAPS,
};

impl<'a> arenite_layers::Own<'a> for Own<'a> {
    fn lower(x: &Source<'_, 'a>) -> Option<Result<arenite_layers::Node<Self>>> {
        let quantized = || Some(quantized::lower(x)?.map(|node| node.with(Own::Quantized)));
        let hybrid = || Some(hybrid::lower(x)?.map(|node| node.with(Own::Hybrid)));
        let typed = || Some(typed::lower(x)?.map(|node| node.with(Own::Typed)));
        let scan = || Some(scan::lower(x)?.map(|node| node.with(|scan| Own::Scan(Box::new(scan)))));
        quantized().or_else(hybrid).or_else(typed).or_else(scan)
    }

    fn parts_mut(&mut self) -> Parts<'_, 'a> {
        match self {
            Own::Quantized(layer) => Parts { window: layer.window_mut(), ..Parts::NONE },
            Own::Hybrid(layer) => layer.parts_mut(),
            Own::Scan(layer) => Parts { values: Some(&mut layer.values), ..Parts::NONE },
            Own::Typed(_) | Own::Cascade(_) => Parts::NONE,
        }
    }
}
