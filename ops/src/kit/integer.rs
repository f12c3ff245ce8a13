//! Integers of quantized tensors, and their inner products.

use arenite_abi::prelude::*;

use super::activation::Limits;

/// An element of a quantized tensor.
pub trait Quantized: Element + Into<i32> {
    /// All values.
    const LIMITS: Limits<i32>;

    /// The nearest value of the type.
    fn saturate(x: i32) -> Self;
}

macro_rules! quantized {
    ($($ty:ty)*) => {$(
        impl Quantized for $ty {
            const LIMITS: Limits<i32> = Limits { min: <$ty>::MIN as i32, max: <$ty>::MAX as i32 };

            #[inline]
            fn saturate(x: i32) -> $ty {
                Self::LIMITS.clamp(x) as $ty
            }
        }
    )*};
}
quantized!(i8 u8 i16);

/// `Σ (x − x_zero) × (w − w_zero)`, wrapping.
#[inline]
pub fn dot<X: Quantized, W: Quantized>(x: &[X], x_zero: i32, w: &[W], w_zero: i32) -> i32 {
    x.iter().zip(w).fold(0i32, |sum, (&x, &w)| {
        let (x, w): (i32, i32) = (x.into(), w.into());
        sum.wrapping_add(x.wrapping_sub(x_zero).wrapping_mul(w.wrapping_sub(w_zero)))
    })
}

/// As [`dot`], in 64 bits.
#[inline]
pub fn dot_i64<X: Quantized, W: Quantized>(x: &[X], x_zero: i32, w: &[W], w_zero: i32) -> i64 {
    x.iter().zip(w).fold(0i64, |sum, (&x, &w)| {
        let (x, w): (i32, i32) = (x.into(), w.into());
        let (x, w) = (i64::from(x) - i64::from(x_zero), i64::from(w) - i64::from(w_zero));
        sum.wrapping_add(x.wrapping_mul(w))
    })
}

/// `Σ x × w`.
#[inline]
pub fn dot_f32(x: &[f32], w: &[f32]) -> f32 {
    x.iter().zip(w).fold(0.0, |sum, (x, w)| sum + x * w)
}

/// Signed elements of `bits` = 2 or 4 bits, from element `first` on; the lowest bits come first. Past the end: 0.
pub fn unpack(bytes: &[u8], bits: u32, first: usize, to: &mut [i8]) {
    let per_byte = if bits == 2 { 4 } else { 2 };
    for (i, q) in (first..).zip(to) {
        let byte = bytes.get(i / per_byte).copied().unwrap_or(0);
        let place = (i % per_byte) as u32 * bits;
        // The element moves to the top of the byte, so that the shift back extends its sign.
        *q = ((u32::from(byte) << (8 - bits - place)) as u8 as i8) >> (8 - bits);
    }
}

/// The bias of a quantized layer.
#[derive(Clone, Copy)]
pub enum Bias<'a> {
    /// No bias.
    Absent,
    /// One 32-bit number per channel.
    I32(&'a [i32]),
    /// One 64-bit number per channel.
    I64(&'a [i64]),
}

impl<'a> Bias<'a> {
    /// The bias of an optional input.
    pub fn of(bias: Option<TensorView<'a>>) -> Result<Bias<'a>> {
        match bias {
            None => Ok(Bias::Absent),
            Some(b) if b.ty == I64 => b.as_slice().map(Bias::I64),
            Some(b) => b.as_slice().map(Bias::I32),
        }
    }

    /// The number of a channel; 0 past the end.
    #[inline]
    pub fn at(&self, channel: usize) -> i64 {
        match self {
            Bias::Absent => 0,
            Bias::I32(b) => b.get(channel).map_or(0, |&b| b.into()),
            Bias::I64(b) => b.get(channel).copied().unwrap_or(0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products() {
        // (1 - 1)(-3 - 2) + (2 - 1)(4 - 2) + (255 - 1)(0 - 2)
        assert_eq!(dot::<u8, i8>(&[1, 2, 255], 1, &[-3, 4, 0], 2), -506);
        assert_eq!(dot_i64::<i16, i8>(&[i16::MIN, 1], 0, &[-128, 3], 0), 4_194_307);
        dot::<u8, u8>(&[255; 3], i32::MIN, &[255; 3], i32::MIN);
        dot_i64::<u8, u8>(&[255; 3], i32::MIN, &[255; 3], i32::MIN);
        assert_eq!(dot_f32(&[1.0, 2.0], &[0.5, -4.0]), -7.5);
    }

    #[test]
    fn packed_elements() {
        let mut four = [0; 5];
        unpack(&[0x8f, 0x71], 4, 0, &mut four);
        assert_eq!(four, [-1, -8, 1, 7, 0]);
        let mut odd = [0; 2];
        unpack(&[0x8f, 0x71], 4, 1, &mut odd);
        assert_eq!(odd, [-8, 1]);
        let mut two = [0; 5];
        unpack(&[0b10_11_01_00, 0b01], 2, 0, &mut two);
        assert_eq!(two, [0, 1, -1, -2, 1]);
    }
}
