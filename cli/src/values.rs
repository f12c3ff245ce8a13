//! Elements of a tensor's bytes as numbers, in their stored and their real values.

use std::fmt::{self, Display};

use arenite::{ElementType, Tensor};
use serde::Serialize;

/// One element as it is stored.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Number {
    Bool(bool),
    Int(i64),
    Unsigned(u64),
    Float(f32),
    Double(f64),
    /// Real and imaginary part.
    Complex([f64; 2]),
}

impl Number {
    /// As a real number; of complex ones there is none.
    pub fn real(self) -> Option<f64> {
        match self {
            Number::Bool(value) => Some(f64::from(u8::from(value))),
            Number::Int(value) => Some(value as f64),
            Number::Unsigned(value) => Some(value as f64),
            Number::Float(value) => Some(f64::from(value)),
            Number::Double(value) => Some(value),
            Number::Complex(_) => None,
        }
    }
}

impl Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Number::Bool(value) => value.fmt(f),
            Number::Int(value) => value.fmt(f),
            Number::Unsigned(value) => value.fmt(f),
            // Very large and very small ones with an exponent.
            Number::Float(value) if plain(f64::from(*value)) => value.fmt(f),
            Number::Float(value) => write!(f, "{value:e}"),
            Number::Double(value) if plain(*value) => value.fmt(f),
            Number::Double(value) => write!(f, "{value:e}"),
            Number::Complex([re, im]) => write!(f, "{re}{im:+}i"),
        }
    }
}

fn plain(value: f64) -> bool {
    value == 0.0 || !value.is_finite() || (1e-4..1e7).contains(&value.abs())
}

/// Element `i` of packed `bytes`; `None` beyond the end, and for types without a number (strings, 8-bit floats).
pub fn element(ty: ElementType, bytes: &[u8], i: usize) -> Option<Number> {
    use ElementType::*;
    Some(match ty {
        Bool => Number::Bool(word::<1>(bytes, i)? != [0]),
        I8 => Number::Int(i8::from_le_bytes(word(bytes, i)?).into()),
        I16 => Number::Int(i16::from_le_bytes(word(bytes, i)?).into()),
        I32 => Number::Int(i32::from_le_bytes(word(bytes, i)?).into()),
        I64 => Number::Int(i64::from_le_bytes(word(bytes, i)?)),
        U8 => Number::Unsigned(u8::from_le_bytes(word(bytes, i)?).into()),
        U16 => Number::Unsigned(u16::from_le_bytes(word(bytes, i)?).into()),
        U32 => Number::Unsigned(u32::from_le_bytes(word(bytes, i)?).into()),
        U64 => Number::Unsigned(u64::from_le_bytes(word(bytes, i)?)),
        I4 => Number::Int(sign_extend(bits(bytes, i, 4)?, 4)),
        I2 => Number::Int(sign_extend(bits(bytes, i, 2)?, 2)),
        U4 => Number::Unsigned(bits(bytes, i, 4)?.into()),
        F16 => Number::Float(half::f16::from_le_bytes(word(bytes, i)?).to_f32()),
        BF16 => Number::Float(half::bf16::from_le_bytes(word(bytes, i)?).to_f32()),
        F32 => Number::Float(f32::from_le_bytes(word(bytes, i)?)),
        F64 => Number::Double(f64::from_le_bytes(word(bytes, i)?)),
        C64 => {
            let part = |k| Some(f64::from(f32::from_le_bytes(word(bytes, k)?)));
            Number::Complex([part(2 * i)?, part(2 * i + 1)?])
        }
        C128 => {
            let part = |k| Some(f64::from_le_bytes(word(bytes, k)?));
            Number::Complex([part(2 * i)?, part(2 * i + 1)?])
        }
        String | Resource | Variant | F8E4M3 | F8E5M2 => return None,
    })
}

fn word<const N: usize>(bytes: &[u8], i: usize) -> Option<[u8; N]> {
    let start = i.checked_mul(N)?;
    bytes.get(start..start.checked_add(N)?)?.try_into().ok()
}

/// Element `i` of `width` bits, the first one in the lowest bits of a byte.
fn bits(bytes: &[u8], i: usize, width: usize) -> Option<u8> {
    let per_byte = 8 / width;
    let byte = bytes.get(i / per_byte)?;
    Some(byte >> (i % per_byte * width) & ((1 << width) - 1))
}

fn sign_extend(value: u8, width: u32) -> i64 {
    let shift = 8 - width;
    i64::from((value << shift) as i8 >> shift)
}

/// Number of elements of a shape.
pub fn element_count(shape: &[i32]) -> usize {
    shape.iter().map(|&d| usize::try_from(d).unwrap_or(0)).product()
}

/// How a tensor's integers stand for real numbers.
#[derive(Clone, Copy)]
pub struct Scale<'a> {
    tensor: &'a Tensor<'a>,
    /// Elements from one slice of the quantized dimension to the next.
    inner: usize,
}

impl<'a> Scale<'a> {
    /// `None` if the tensor is not quantized.
    pub fn of(tensor: &'a Tensor<'a>) -> Option<Self> {
        if tensor.scales.is_empty() {
            return None;
        }
        let after = tensor.shape.get(tensor.quantized_dimension + 1..).unwrap_or(&[]);
        Some(Scale { tensor, inner: element_count(after).max(1) })
    }

    /// `real = scale × (q − zero_point)` of element `i`.
    pub fn real(&self, i: usize, stored: f64) -> f64 {
        let (scales, zero_points) = (self.tensor.scales, self.tensor.zero_points);
        let channel = i / self.inner % scales.len().max(1);
        let scale = scales.get(channel).copied().unwrap_or(1.0);
        let zero_point = zero_points.get(channel).or(zero_points.first()).copied().unwrap_or(0);
        f64::from(scale) * (stored - zero_point as f64)
    }
}

/// The real values of a tensor's elements, dequantized if it is quantized; none for types that are no numbers.
pub fn reals(tensor: &Tensor<'_>, bytes: &[u8]) -> Vec<f64> {
    let scale = Scale::of(tensor);
    (0..element_count(tensor.shape))
        .map_while(|i| {
            let stored = element(tensor.ty, bytes, i)?.real()?;
            Some(scale.map_or(stored, |scale| scale.real(i, stored)))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_read_by_type() {
        assert_eq!(element(ElementType::I8, &[0, 0xff], 1), Some(Number::Int(-1)));
        assert_eq!(element(ElementType::I16, &[0, 0x80], 0), Some(Number::Int(-32768)));
        assert_eq!(element(ElementType::F32, &1.5f32.to_le_bytes(), 0), Some(Number::Float(1.5)));
        assert_eq!(element(ElementType::F16, &[0x00, 0x3e], 0), Some(Number::Float(1.5)));
        assert_eq!(element(ElementType::Bool, &[2], 0), Some(Number::Bool(true)));
        assert_eq!(element(ElementType::I32, &[1, 2, 3], 0), None);
        assert_eq!(element(ElementType::String, &[1, 2, 3], 0), None);
    }

    #[test]
    fn packed_elements_start_in_the_low_bits() {
        let of = |ty, i| element(ty, &[0b1101_1000], i);
        assert_eq!([0, 1].map(|i| of(ElementType::I4, i)), [-8, -3].map(|v| Some(Number::Int(v))));
        assert_eq!([0, 1].map(|i| of(ElementType::U4, i)), [8, 13].map(|v| Some(Number::Unsigned(v))));
        let twos = [0, 1, 2, 3].map(|i| of(ElementType::I2, i));
        assert_eq!(twos, [0, -2, 1, -1].map(|v| Some(Number::Int(v))));
    }

    #[test]
    fn numbers_are_shown_as_short_as_they_can_be() {
        let shown = [Number::Float(0.1), Number::Float(1e-9), Number::Int(-3), Number::Complex([1.0, -2.0])];
        assert_eq!(shown.map(|n| n.to_string()), ["0.1", "1e-9", "-3", "1-2i"]);
        assert_eq!(serde_json::to_string(&[Number::Float(0.1), Number::Int(-3)]).unwrap(), "[0.1,-3]");
    }
}
