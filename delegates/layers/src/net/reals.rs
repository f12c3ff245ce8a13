//! Quantized tensors as floats, for engines that compute with floats only.
//!
//! ```text
//! real = scale · (q − zero_point)          lowerings see a value of type F32 with a grid
//! ```
//! Constants are converted on first use, so weights that are packed in their stored form are not converted.
//! `rewrite::grids` rounds results to their grid.

use std::cell::OnceCell;

use arenite_abi::prelude::*;

use super::grid::{Grid, per_tensor};

/// The quantized constants of a graph as floats.
pub struct Reals {
    by_tensor: Vec<OnceCell<Vec<f32>>>,
}

/// A quantized constant as floats.
#[derive(Clone, Copy, Debug)]
pub struct Real<'a> {
    floats: &'a OnceCell<Vec<f32>>,
    constant: TensorView<'a>,
}

impl Reals {
    /// Starts without converted constants.
    pub fn of(graph: GraphView<'_>) -> Reals {
        Reals { by_tensor: (0..graph.tensor_count()).map(|_| OnceCell::new()).collect() }
    }

    /// Constant `tensor` as floats, if it has a scale per tensor or per slice of a dimension.
    pub(crate) fn constant<'a>(&'a self, tensor: usize, constant: TensorView<'a>) -> Option<Real<'a>> {
        constant.quantization().filter(|q| q.block_size == 0)?;
        Some(Real { floats: self.by_tensor.get(tensor)?, constant })
    }
}

impl<'a> Real<'a> {
    /// The grid of a constant with per-tensor quantization.
    pub fn grid(&self) -> Option<Grid> {
        Some(Grid { ty: self.constant.ty, quant: per_tensor(&self.constant)? })
    }

    /// The floats.
    pub fn floats(&self) -> &'a [f32] {
        self.floats.get_or_init(|| floats(&self.constant))
    }
}

/// The real values of a constant with one scale, or one per slice of a dimension.
fn floats(constant: &TensorView<'_>) -> Vec<f32> {
    let Some(q) = constant.quantization() else { return Vec::new() };
    let sizes = constant.shape.get(q.dimension + 1..).unwrap_or_default();
    let inner = sizes.iter().map(|&size| size.max(0) as usize).product::<usize>().max(1);
    let real = |i: usize, number: i32| {
        let slice = i / inner;
        let zero_point = q.zero_points[slice % q.zero_points.len()];
        (f64::from(q.scales[slice % q.scales.len()]) * (i64::from(number) - zero_point) as f64) as f32
    };
    let bytes = constant.bytes();
    match constant.ty {
        I8 => bytes.iter().enumerate().map(|(i, &byte)| real(i, (byte as i8).into())).collect(),
        U8 => bytes.iter().enumerate().map(|(i, &byte)| real(i, byte.into())).collect(),
        _ => {
            let words = bytes.as_chunks::<4>().0.iter().enumerate();
            words.map(|(i, &word)| real(i, i32::from_le_bytes(word))).collect()
        }
    }
}
