//! The real values of quantized tensors.

use arenite_abi::prelude::*;
use arenite_base::Quant;

/// The real values that a quantized tensor can hold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grid {
    /// The type of the bytes: INT8 or UINT8.
    pub ty: ElementType,
    /// Scale and zero point.
    pub quant: Quant,
}

impl Grid {
    /// The real value of a byte.
    pub fn real(&self, byte: u8) -> f32 {
        let number = if self.ty == U8 { i32::from(byte) } else { i32::from(byte as i8) };
        self.quant.scale * (number - self.quant.zero_point) as f32
    }

    /// The byte of the nearest representable value; of zero for NaN.
    pub fn byte(&self, real: f32) -> u8 {
        let [low, high] = self.range().map(|byte| byte - self.quant.zero_point);
        let number = (real / self.quant.scale).round_ties_even().clamp(low as f32, high as f32);
        (number as i32 + self.quant.zero_point) as u8
    }

    /// The smallest and the largest value of a byte.
    pub fn range(&self) -> [i32; 2] {
        match self.ty {
            U8 => [0, 255],
            _ => [-128, 127],
        }
    }
}

/// Scale and zero point of a tensor with per-tensor quantization.
pub(super) fn per_tensor(tensor: &TensorView<'_>) -> Option<Quant> {
    let q = tensor.quantization().filter(|q| q.scales.len() == 1)?;
    Some(Quant { scale: q.scales[0], zero_point: i32::try_from(*q.zero_points.first()?).ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_round_trip_through_reals() {
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
