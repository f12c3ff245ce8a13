//! Bytes as the floats that they stand for, for engines that compute with nothing else.
//!
//! ```text
//! real = scale · (q − zero_point)          values of such reals are F32 to lowerings, and have a grid
//! ```
//! Constants are converted when somebody asks for their floats, so that weights that are packed as they are stored are not. Results are
//! brought to their grid by `rewrite::grids`.

use std::cell::OnceCell;

use arenite_abi::prelude::*;

use crate::{Quant, Value};

/// Where the numbers of a tensor of bytes lie among the reals.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grid {
    /// The type of the bytes: INT8 or UINT8.
    pub ty: ElementType,
    /// What they stand for.
    pub quant: Quant,
}

impl Grid {
    /// What a byte stands for.
    pub fn real(&self, byte: u8) -> f32 {
        let number = if self.ty == U8 { i32::from(byte) } else { i32::from(byte as i8) };
        self.quant.scale * (number - self.quant.zero_point) as f32
    }

    /// The byte that stands for the real next to this one; for zero, if it is no number.
    pub fn byte(&self, real: f32) -> u8 {
        let [low, high] = self.range().map(|byte| byte - self.quant.zero_point);
        let number = (real / self.quant.scale).round_ties_even().clamp(low as f32, high as f32);
        (number as i32 + self.quant.zero_point) as u8
    }

    /// The smallest and the largest byte.
    pub fn range(&self) -> [i32; 2] {
        match self.ty {
            U8 => [0, 255],
            _ => [-128, 127],
        }
    }
}

/// Constants of a graph as floats.
pub struct Reals {
    by_tensor: Vec<OnceCell<Vec<f32>>>,
}

/// A constant as floats.
#[derive(Clone, Copy, Debug)]
pub struct Real<'a> {
    floats: &'a OnceCell<Vec<f32>>,
    constant: TensorView<'a>,
}

impl Reals {
    /// None yet.
    pub fn of(graph: GraphView<'_>) -> Reals {
        Reals { by_tensor: (0..graph.tensor_count()).map(|_| OnceCell::new()).collect() }
    }

    /// Makes floats of a value that is a tensor of bytes, and of a constant of sums of their products.
    pub(crate) fn show<'a>(&'a self, tensor: usize, value: &mut Value<'a>) {
        let is_bytes = matches!(value.ty, I8 | U8);
        let scaled = |constant: &TensorView<'_>| constant.quantization().is_some_and(|q| q.block_size == 0);
        if let Some(constant) = value.constant {
            let floats = self.by_tensor.get(tensor).filter(|_| is_bytes || value.ty == I32);
            if let Some(floats) = floats.filter(|_| scaled(&constant)) {
                value.real = Some(Real { floats, constant });
                (value.ty, value.quant) = (F32, None);
            }
        } else if let Some(quant) = value.quant.take_if(|_| is_bytes) {
            value.grid = Some(Grid { ty: value.ty, quant });
            value.ty = F32;
        }
    }
}

impl<'a> Real<'a> {
    /// The grid of all floats, if there is one.
    pub fn grid(&self) -> Option<Grid> {
        Some(Grid { ty: self.constant.ty, quant: Value::of(&self.constant).quant? })
    }

    /// The floats.
    pub fn floats(&self) -> &'a [f32] {
        self.floats.get_or_init(|| floats(&self.constant))
    }
}

/// What a constant with one scale, or one per slice of a dimension, stands for.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_back_from_their_reals() {
        for (ty, zero_point) in [(I8, -5), (U8, 128)] {
            let grid = Grid { ty, quant: Quant { scale: 0.1, zero_point } };
            assert!((0..=255).all(|byte| grid.byte(grid.real(byte)) == byte), "{ty}");
            let [low, high] = grid.range().map(|byte| byte as u8);
            let zero = zero_point as u8;
            let bytes = [-1e9, 1e9, 0.04, f32::NAN].map(|real| grid.byte(real));
            assert_eq!(bytes, [low, high, zero, zero], "{ty}");
        }
    }
}
