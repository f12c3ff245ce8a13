//! Converts elements of a tensor's bytes to numbers, as stored values and as real values.

use std::fmt::{self, Display};

use serde_core::{Serialize, Serializer};

use crate::{ElementType, Error, Result, Tensor, TensorMut};

/// The stored value of one element.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// An element of BOOL.
    Bool(bool),
    /// An element of a signed integer type.
    Int(i64),
    /// An element of an unsigned integer type.
    Unsigned(u64),
    /// An element of a floating-point type of up to 32 bits.
    Float(f32),
    /// An element of FLOAT64.
    Double(f64),
    /// Real and imaginary part of a complex element.
    Complex([f64; 2]),
}

impl Number {
    /// The value as a real number; `None` for complex numbers.
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

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Number::Bool(value) => value.serialize(serializer),
            Number::Int(value) => value.serialize(serializer),
            Number::Unsigned(value) => value.serialize(serializer),
            Number::Float(value) => value.serialize(serializer),
            Number::Double(value) => value.serialize(serializer),
            Number::Complex(value) => value.serialize(serializer),
        }
    }
}

impl Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Number::Bool(value) => value.fmt(f),
            Number::Int(value) => value.fmt(f),
            Number::Unsigned(value) => value.fmt(f),
            // Very large and very small numbers are shown with an exponent.
            Number::Float(value) if is_plain(f64::from(*value)) => value.fmt(f),
            Number::Float(value) => write!(f, "{value:e}"),
            Number::Double(value) if is_plain(*value) => value.fmt(f),
            Number::Double(value) => write!(f, "{value:e}"),
            Number::Complex([re, im]) => write!(f, "{re}{im:+}i"),
        }
    }
}

fn is_plain(value: f64) -> bool {
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

/// The `width` bits of element `i`; the first element is in the lowest bits of a byte.
fn bits(bytes: &[u8], i: usize, width: usize) -> Option<u8> {
    let per_byte = 8 / width;
    let byte = bytes.get(i / per_byte)?;
    Some(byte >> (i % per_byte * width) & ((1 << width) - 1))
}

fn sign_extend(value: u8, width: u32) -> i64 {
    let shift = 8 - width;
    i64::from((value << shift) as i8 >> shift)
}

/// The number of elements of a shape.
pub fn element_count(shape: &[i32]) -> usize {
    shape.iter().map(|&d| usize::try_from(d).unwrap_or(0)).product()
}

/// The quantization parameters of a tensor.
#[derive(Clone, Copy)]
pub struct Scale<'a> {
    scales: &'a [f32],
    zero_points: &'a [i64],
    /// Number of elements between consecutive slices of the quantized dimension.
    inner: usize,
}

impl<'a> Scale<'a> {
    /// The tensor's parameters; `None` if it is not quantized.
    pub fn of(tensor: &Tensor<'a>) -> Option<Self> {
        let (scales, zero_points) = (tensor.scales, tensor.zero_points);
        if scales.is_empty() {
            return None;
        }
        let after = tensor.shape.get(tensor.quantized_dimension + 1..).unwrap_or(&[]);
        Some(Scale { scales, zero_points, inner: element_count(after).max(1) })
    }

    /// The real value of element `i`: `scale × (q − zero_point)`.
    pub fn real(&self, i: usize, stored: f64) -> f64 {
        let (scale, zero_point) = self.pair(i);
        f64::from(scale) * (stored - zero_point as f64)
    }

    /// The stored value of element `i`: `round(real / scale) + zero_point`, not yet clamped to the tensor's type.
    pub fn stored(&self, i: usize, real: f32) -> f32 {
        let (scale, zero_point) = self.pair(i);
        (real / scale).round() + zero_point as f32
    }

    /// Scale and zero point of element `i`.
    fn pair(&self, i: usize) -> (f32, i64) {
        let (scales, zero_points) = (self.scales, self.zero_points);
        // The quotient of two numbers takes longer than the rest of an element's conversion.
        let channel = if scales.len() < 2 { 0 } else { i / self.inner % scales.len() };
        let scale = scales.get(channel).copied().unwrap_or(1.0);
        (scale, zero_points.get(channel).or(zero_points.first()).copied().unwrap_or(0))
    }
}

/// Writes element `i` of packed `bytes`; the value is rounded and clamped to the type. `None` beyond the end, and for
/// types that cannot hold real numbers.
pub fn set_element(ty: ElementType, bytes: &mut [u8], i: usize, value: f64) -> Option<()> {
    use ElementType::*;
    // The cast `as` saturates.
    let whole = value.round();
    match ty {
        F32 => put(bytes, i, (value as f32).to_le_bytes()),
        F64 => put(bytes, i, value.to_le_bytes()),
        F16 => put(bytes, i, half::f16::from_f32(value as f32).to_le_bytes()),
        BF16 => put(bytes, i, half::bf16::from_f32(value as f32).to_le_bytes()),
        I8 => put(bytes, i, (whole as i8).to_le_bytes()),
        U8 => put(bytes, i, (whole as u8).to_le_bytes()),
        I16 => put(bytes, i, (whole as i16).to_le_bytes()),
        U16 => put(bytes, i, (whole as u16).to_le_bytes()),
        I32 => put(bytes, i, (whole as i32).to_le_bytes()),
        U32 => put(bytes, i, (whole as u32).to_le_bytes()),
        I64 => put(bytes, i, (whole as i64).to_le_bytes()),
        U64 => put(bytes, i, (whole as u64).to_le_bytes()),
        Bool => put(bytes, i, [u8::from(value != 0.0)]),
        I4 => set_bits(bytes, i, 4, whole.clamp(-8.0, 7.0) as i8 as u8),
        I2 => set_bits(bytes, i, 2, whole.clamp(-2.0, 1.0) as i8 as u8),
        U4 => set_bits(bytes, i, 4, whole.clamp(0.0, 15.0) as u8),
        C64 | C128 | String | Resource | Variant | F8E4M3 | F8E5M2 => None,
    }
}

fn put<const N: usize>(bytes: &mut [u8], i: usize, value: [u8; N]) -> Option<()> {
    let start = i.checked_mul(N)?;
    bytes.get_mut(start..start.checked_add(N)?)?.copy_from_slice(&value);
    Some(())
}

fn set_bits(bytes: &mut [u8], i: usize, width: usize, value: u8) -> Option<()> {
    let per_byte = 8 / width;
    let byte = bytes.get_mut(i / per_byte)?;
    let (shift, mask) = (i % per_byte * width, (1u8 << width) - 1);
    *byte = *byte & !(mask << shift) | (value & mask) << shift;
    Some(())
}

/// Converts real numbers to the tensor's type, quantizing them if the tensor is quantized. `None` for a type that
/// cannot hold real numbers.
///
/// `reals` must have one number per element of the tensor.
pub fn quantized(tensor: &Tensor<'_>, reals: &[f32]) -> Option<Vec<u8>> {
    let mut bytes = vec![0; tensor.byte_len()];
    quantize_to(tensor.ty, Scale::of(tensor), reals, &mut bytes)?;
    Some(bytes)
}

/// As [`quantized`], into the bytes of a tensor of this type.
fn quantize_to(ty: ElementType, scale: Option<Scale<'_>>, reals: &[f32], bytes: &mut [u8]) -> Option<()> {
    for (i, &real) in reals.iter().enumerate() {
        let stored = scale.map_or(real, |scale| scale.stored(i, real));
        set_element(ty, bytes, i, f64::from(stored))?;
    }
    Some(())
}

/// The real values of a tensor's elements, dequantized if it is quantized; empty for types that are not numbers.
pub fn reals(tensor: &Tensor<'_>, bytes: &[u8]) -> Vec<f64> {
    let mut values = Vec::with_capacity(element_count(tensor.shape));
    each_real(tensor, bytes, |_, real| values.push(real));
    values
}

/// Visits the index and the real value of each element, in order. Returns how many elements have one.
fn each_real(tensor: &Tensor<'_>, bytes: &[u8], mut visit: impl FnMut(usize, f64)) -> usize {
    let count = element_count(tensor.shape);
    match (tensor.scales, Scale::of(tensor)) {
        (_, None) => each_stored(tensor.ty, bytes, count, visit),
        (&[scale], _) => {
            let zero_point = tensor.zero_points.first().copied().unwrap_or(0) as f64;
            let scale = f64::from(scale);
            each_stored(tensor.ty, bytes, count, |i, stored| visit(i, scale * (stored - zero_point)))
        }
        (_, Some(scale)) => each_stored(tensor.ty, bytes, count, |i, stored| visit(i, scale.real(i, stored))),
    }
}

/// As [`each_real`], for the stored values of the first `count` elements.
fn each_stored(ty: ElementType, bytes: &[u8], count: usize, mut visit: impl FnMut(usize, f64)) -> usize {
    use ElementType::*;
    /// One loop per type, without a choice for each element.
    fn of<const N: usize>(
        bytes: &[u8],
        count: usize,
        visit: &mut impl FnMut(usize, f64),
        real: impl Fn([u8; N]) -> f64,
    ) -> usize {
        let words = bytes.as_chunks().0;
        let count = count.min(words.len());
        words[..count].iter().enumerate().for_each(|(i, &word)| visit(i, real(word)));
        count
    }
    let visit = &mut visit;
    match ty {
        I8 => of(bytes, count, visit, |word| i8::from_le_bytes(word).into()),
        U8 => of(bytes, count, visit, |word| u8::from_le_bytes(word).into()),
        I16 => of(bytes, count, visit, |word| i16::from_le_bytes(word).into()),
        U16 => of(bytes, count, visit, |word| u16::from_le_bytes(word).into()),
        I32 => of(bytes, count, visit, |word| i32::from_le_bytes(word).into()),
        U32 => of(bytes, count, visit, |word| u32::from_le_bytes(word).into()),
        I64 => of(bytes, count, visit, |word| i64::from_le_bytes(word) as f64),
        U64 => of(bytes, count, visit, |word| u64::from_le_bytes(word) as f64),
        F32 => of(bytes, count, visit, |word| f32::from_le_bytes(word).into()),
        F64 => of(bytes, count, visit, f64::from_le_bytes),
        _ => {
            let reals = (0..count).map_while(|i| element(ty, bytes, i)?.real());
            reals.enumerate().map(|(i, real)| visit(i, real)).count()
        }
    }
}

impl Tensor<'_> {
    /// The elements as real numbers: `scale × (q − zero_point)` if the tensor is quantized, else the elements converted
    /// to `f32`.
    ///
    /// # Errors
    /// The tensor has a type without real numbers (strings, complex numbers, resources); also the errors of
    /// [`bytes`](Self::bytes).
    pub fn dequantize(&self) -> Result<Vec<f32>> {
        let mut found = vec![0.0; element_count(self.shape)];
        self.dequantize_to(&mut found)?;
        Ok(found)
    }

    /// As [`dequantize`](Self::dequantize), into memory of the caller.
    ///
    /// # Errors
    /// `into` does not have one number per element; also the errors of [`dequantize`](Self::dequantize).
    pub fn dequantize_to(&self, into: &mut [f32]) -> Result<()> {
        let (bytes, count) = (self.bytes()?, element_count(self.shape));
        if count != into.len() {
            let given = into.len();
            return self.refuse(format!("it has {count} elements, but there is memory for {given}"));
        }
        if each_real(self, bytes, |i, real| into[i] = real as f32) != count {
            return self.refuse(format!("elements of {} have no real values", self.ty));
        }
        Ok(())
    }
}

impl TensorMut<'_> {
    /// Writes real numbers, one per element: `round(real / scale) + zero_point` if the tensor is quantized, else the
    /// numbers converted to its type. Both are clamped to the range of the type.
    ///
    /// # Errors
    /// The length differs, or the tensor has a type that cannot hold real numbers (strings, complex numbers,
    /// resources); also the errors of [`into_bytes`](Self::into_bytes).
    pub fn quantize(self, reals: &[f32]) -> Result<()> {
        self.tensor().bytes()?;
        let count = element_count(self.tensor().shape);
        if count != reals.len() {
            return self.tensor().refuse(format!("it has {count} elements, but {} were given", reals.len()));
        }
        let (ty, scale, name) = (self.tensor().ty, Scale::of(self.tensor()), self.tensor().name);
        let written = quantize_to(ty, scale, reals, self.into_bytes()?);
        written.ok_or_else(|| {
            let message = format!("{ty} cannot hold real numbers");
            Error::Tensor { name: name.to_owned(), message }
        })
    }
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
    fn written_values_are_read_back() {
        use ElementType::*;
        for (ty, values) in [
            (F32, vec![0.5, -3.0]),
            (F16, vec![0.5, -3.0, 7.0]),
            (I8, vec![-128.0, 127.0]),
            (U32, vec![0.0, 4e9]),
            (I4, vec![-8.0, 7.0, 3.0]),
            (I2, vec![-2.0, 1.0, 0.0, -1.0, 1.0]),
            (U4, vec![15.0, 0.0, 9.0]),
        ] {
            let mut bytes = vec![0xff; ty.bytes_of(values.len()).unwrap()];
            values.iter().enumerate().for_each(|(i, &v)| set_element(ty, &mut bytes, i, v).unwrap());
            let read = |i| element(ty, &bytes, i).and_then(Number::real);
            assert_eq!((0..values.len()).map(read).collect::<Option<Vec<f64>>>(), Some(values), "{ty}");
        }
        assert_eq!(set_element(C64, &mut [0; 8], 0, 1.0), None);
        assert_eq!(set_element(I32, &mut [0; 6], 1, 1.0), None);
    }

    #[test]
    fn values_are_rounded_and_clamped() {
        let mut bytes = [0; 5];
        [-129.0, -0.5, 0.5, 300.0, f64::NAN].into_iter().enumerate().for_each(|(i, value)| {
            set_element(ElementType::I8, &mut bytes, i, value).unwrap();
        });
        assert_eq!(bytes, [-128i8, -1, 1, 127, 0].map(|v| v as u8));
        let mut nibbles = [0];
        set_element(ElementType::I4, &mut nibbles, 0, 100.0).unwrap();
        set_element(ElementType::I4, &mut nibbles, 1, -100.0).unwrap();
        assert_eq!(nibbles, [0x87]);
    }

    #[test]
    fn numbers_are_shown_in_their_shortest_form() {
        let shown = [Number::Float(0.1), Number::Float(1e-9), Number::Int(-3), Number::Complex([1.0, -2.0])];
        assert_eq!(shown.map(|n| n.to_string()), ["0.1", "1e-9", "-3", "1-2i"]);
        assert_eq!(serde_json::to_string(&[Number::Float(0.1), Number::Int(-3)]).unwrap(), "[0.1,-3]");
    }
}
