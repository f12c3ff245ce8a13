//! Lookup tables of quantized functions.
//!
//! Defined by: tflite/kernels/internal/common.h (`LUTPopulate`, `LUTLookup`,
//! `sigmoid_table_uint16`) and reference/integer_ops/{logistic,tanh}.h.

use super::activation::Limits;
use super::requantize::{Quant, round_f32, round_f64};

/// The number of entries of a table for i8 or u8.
pub const LUT8_SIZE: usize = 256;
/// The number of entries of a table for i16: one per 128 values, and the end of the last segment.
pub const LUT16_SIZE: usize = 513;

/// Fills the table of `f` for i8 tensors. Look up with [`lookup_i8`].
pub fn populate_i8(input: Quant, output: Quant, mut f: impl FnMut(f32) -> f32, lut: &mut [i8; LUT8_SIZE]) {
    for q in i8::MIN..=i8::MAX {
        lut[usize::from(q as u8)] = entry(i32::from(q), input, output, Limits::I8, &mut f) as i8;
    }
}

/// Fills the table of `f` for u8 tensors: `lut[q]`.
pub fn populate_u8(input: Quant, output: Quant, mut f: impl FnMut(f32) -> f32, lut: &mut [u8; LUT8_SIZE]) {
    for q in u8::MIN..=u8::MAX {
        lut[usize::from(q)] = entry(i32::from(q), input, output, Limits::U8, &mut f) as u8;
    }
}

/// The entry for `q` in a table for i8.
#[inline]
pub fn lookup_i8(q: i8, lut: &[i8; LUT8_SIZE]) -> i8 {
    lut[usize::from(q as u8)]
}

/// The value for `q` in a table for i16, interpolated between two entries.
#[inline]
pub fn lookup_i16(q: i16, lut: &[i16; LUT16_SIZE]) -> i16 {
    let index = (256 + (i32::from(q) >> 7)) as usize & 511;
    let offset = i32::from(q & 0x7f);
    let base = lut[index];
    let slope = i32::from(lut[index + 1].wrapping_sub(base));
    base.wrapping_add(((slope * offset + 64) >> 7) as i16)
}

macro_rules! entry_i16 {
    ($(#[$doc:meta])* $name:ident, $real:ty, $round:ident) => {
        $(#[$doc])*
        ///
        /// Each entry but the last is moved by half the error that interpolation makes halfway to the next one.
        /// Scales and zero points are `(scale, zero_point)`. Look up with [`lookup_i16`].
        pub fn $name(
            (input_scale, input_zero_point): ($real, i32),
            (output_scale, output_zero_point): ($real, i32),
            mut f: impl FnMut($real) -> $real,
            i: usize,
        ) -> i16 {
            let at = |q: i16, zero: i32| i32::from(q).wrapping_sub(zero) as $real;
            let input_min = input_scale * at(i16::MIN, input_zero_point);
            let input_max = input_scale * at(i16::MAX, input_zero_point);
            let output_min = output_scale * at(i16::MIN, output_zero_point);
            let output_max = output_scale * at(i16::MAX, output_zero_point);
            let to_output = 65536.0 / (output_max - output_min);
            let limits = Limits { min: <$real>::from(i16::MIN), max: <$real>::from(i16::MAX) };
            if i == LUT16_SIZE - 1 {
                return limits.clamp($round(f(input_max) * to_output)) as i16;
            }
            let step = (input_max - input_min) / 512.0;
            let x = input_min + <$real>::from(i as u16) * step;
            let value = f(x);
            let middle = f(x + step / 2.0);
            let next = f(input_min + <$real>::from(i as u16 + 1) * step);
            let sample = $round(value * to_output);
            let interpolated = $round((next * to_output + sample) / 2.0);
            let error = interpolated - $round(middle * to_output);
            limits.clamp(sample - $round(error / 2.0)) as i16
        }
    };
}

entry_i16! {
    /// Entry `i` of the table of `f` for i16 tensors, computed in f32 (as for GELU, EXP, RSQRT).
    entry_i16, f32, round_f32
}
entry_i16! {
    /// Entry `i` of the table of `f` for i16 tensors, computed in f64 (as for SOFTMAX).
    entry_i16_f64, f64, round_f64
}

/// Fills the table of `f` for i16 tensors, computed in f32.
pub fn populate_i16(
    input: (f32, i32),
    output: (f32, i32),
    mut f: impl FnMut(f32) -> f32,
    lut: &mut [i16; LUT16_SIZE],
) {
    lut.iter_mut().enumerate().for_each(|(i, entry)| *entry = entry_i16(input, output, &mut f, i));
}

/// LOGISTIC of an i16 number. `multiplier` and `left_shift` come from TFLite's prepare step; a zero multiplier means `3
/// << left_shift` (power-of-two scales).
#[inline]
pub fn logistic_i16(q: i16, multiplier: i32, left_shift: u32) -> i16 {
    let x = scale_to_table(q, multiplier, left_shift);
    let magnitude = x.unsigned_abs();
    let index = (magnitude >> 9) as usize;
    let positive = match SIGMOID.get(index..index.saturating_add(2)) {
        Some(&[a, b]) => (u32::from(a) << 9) + (magnitude & 0x1ff) * u32::from(b - a),
        _ => 0x7fff << 10,
    };
    let result = if x >= 0 { positive + (1 << 9) } else { (1 << 25) - positive + (1 << 9) - 1 };
    (result >> 10) as i16
}

/// TANH of an i16 number, with the same `multiplier` and `left_shift` as for [`logistic_i16`].
#[inline]
pub fn tanh_i16(q: i16, multiplier: i32, left_shift: u32) -> i16 {
    let x = scale_to_table(q, multiplier, left_shift);
    let magnitude = x.unsigned_abs();
    let index = (magnitude >> 8) as usize;
    let positive = match SIGMOID.get(index..index.saturating_add(2)) {
        Some(&[a, b]) => (i32::from(a) << 8) + (magnitude & 0xff) as i32 * i32::from(b - a),
        _ => 0xffff << 8,
    };
    let half = 1 << 23;
    let result = if x >= 0 { positive - half + 128 } else { -positive + half + 128 - 1 };
    (result >> 8) as i16
}

fn scale_to_table(q: i16, multiplier: i32, left_shift: u32) -> i32 {
    let (multiplier, shift) = match multiplier {
        0 => (3i32.wrapping_shl(left_shift), 0),
        _ => (multiplier, left_shift.min(31)),
    };
    let round = if shift > 0 { 1i32 << (shift - 1) } else { 0 };
    i32::from(q).wrapping_mul(multiplier).wrapping_add(round) >> shift
}

fn entry(q: i32, input: Quant, output: Quant, limits: Limits<i32>, f: &mut impl FnMut(f32) -> f32) -> i32 {
    let inverse_scale = 1.0 / output.scale;
    let steps = round_f32(f(input.dequantize(q)) * inverse_scale);
    limits.clamp((steps + output.zero_point as f32) as i32)
}

/// Entry `i` is close to `logistic(i / 24)` in Q0.16. These are TFLite's numbers, which no rounding of the formula
/// reproduces exactly. They never decrease.
#[rustfmt::skip]
const SIGMOID: [u16; 256] = [
    32768, 33451, 34133, 34813, 35493, 36169, 36843, 37513, 38180, 38841, 39498, 40149, 40794, 41432, 42064, 42688,
    43304, 43912, 44511, 45102, 45683, 46255, 46817, 47369, 47911, 48443, 48964, 49475, 49975, 50464, 50942, 51409,
    51865, 52311, 52745, 53169, 53581, 53983, 54374, 54755, 55125, 55485, 55834, 56174, 56503, 56823, 57133, 57433,
    57724, 58007, 58280, 58544, 58800, 59048, 59288, 59519, 59743, 59959, 60168, 60370, 60565, 60753, 60935, 61110,
    61279, 61441, 61599, 61750, 61896, 62036, 62172, 62302, 62428, 62549, 62666, 62778, 62886, 62990, 63090, 63186,
    63279, 63368, 63454, 63536, 63615, 63691, 63765, 63835, 63903, 63968, 64030, 64090, 64148, 64204, 64257, 64308,
    64357, 64405, 64450, 64494, 64536, 64576, 64614, 64652, 64687, 64721, 64754, 64786, 64816, 64845, 64873, 64900,
    64926, 64950, 64974, 64997, 65019, 65039, 65060, 65079, 65097, 65115, 65132, 65149, 65164, 65179, 65194, 65208,
    65221, 65234, 65246, 65258, 65269, 65280, 65291, 65301, 65310, 65319, 65328, 65337, 65345, 65352, 65360, 65367,
    65374, 65381, 65387, 65393, 65399, 65404, 65410, 65415, 65420, 65425, 65429, 65433, 65438, 65442, 65445, 65449,
    65453, 65456, 65459, 65462, 65465, 65468, 65471, 65474, 65476, 65479, 65481, 65483, 65485, 65488, 65489, 65491,
    65493, 65495, 65497, 65498, 65500, 65501, 65503, 65504, 65505, 65507, 65508, 65509, 65510, 65511, 65512, 65513,
    65514, 65515, 65516, 65517, 65517, 65518, 65519, 65520, 65520, 65521, 65522, 65522, 65523, 65523, 65524, 65524,
    65525, 65525, 65526, 65526, 65526, 65527, 65527, 65528, 65528, 65528, 65529, 65529, 65529, 65529, 65530, 65530,
    65530, 65530, 65531, 65531, 65531, 65531, 65531, 65532, 65532, 65532, 65532, 65532, 65532, 65533, 65533, 65533,
    65533, 65533, 65533, 65533, 65533, 65534, 65534, 65534, 65534, 65534, 65534, 65534, 65534, 65534, 65534, 65535,
];

/// The checksums come from TFLite's own code for the same arguments.
#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::checksum;

    #[test]
    fn sigmoid_table() {
        assert!(SIGMOID.windows(2).all(|pair| pair[0] <= pair[1]));
        for (i, &entry) in SIGMOID.iter().enumerate() {
            let exact = 65536.0 / (1.0 + libm::exp(-(i as f64) / 24.0));
            assert!((f64::from(entry) - exact).abs() < 1.2, "{i}: {entry}, {exact}");
        }
        assert_eq!(SIGMOID.iter().map(|&entry| u32::from(entry)).sum::<u32>(), 15_670_629);
    }

    #[test]
    fn eight_bit() {
        let (input, output) =
            (Quant { scale: 0.05, zero_point: -3 }, Quant { scale: 0.004, zero_point: -128 });
        let mut lut = [0; LUT8_SIZE];
        populate_i8(input, output, |x| x * x * 0.03 - 0.1, &mut lut);
        assert_eq!((lut[0], lut[20], lut[200]), (-128, -128, -100));
        assert_eq!(checksum(lut.map(i64::from)), 0xf7bb_463f_424d_b920);
        assert_eq!(lookup_i8(-56, &lut), -100);

        let same = Quant { scale: 0.5, zero_point: 128 };
        let mut lut = [0; LUT8_SIZE];
        populate_u8(same, same, |x| -x, &mut lut);
        assert_eq!((lut[0], lut[1], lut[128], lut[255]), (255, 255, 128, 1));
        populate_u8(same, same, |_| f32::INFINITY, &mut lut);
        assert_eq!(lut[7], 255);
    }

    #[test]
    fn sixteen_bit() {
        let mut lut = [0; LUT16_SIZE];
        let (input, output) = ((1.0 / 32768.0 * 8.0, 0), (1.0 / 32768.0, 0));
        populate_i16(input, output, |x| x * x * 0.01, &mut lut);
        assert_eq!((lut[0], lut[100], lut[512]), (20972, 7788, 20971));
        assert_eq!(checksum(lut.map(i64::from)), 0x183f_6e65_124b_b974);
        let all = (i16::MIN..=i16::MAX).map(|q| i64::from(lookup_i16(q, &lut)));
        assert_eq!(checksum(all), 0x7f1e_d4e1_73b3_c59a);

        for (i, entry) in lut.iter_mut().enumerate() {
            *entry = entry_i16_f64((10.0 / 65535.0, 32767), (2.0 / 65535.0, 0), libm::exp, i);
        }
        assert_eq!((lut[0], lut[400], lut[512]), (2, 3677, 32767));
        assert_eq!(checksum(lut.map(i64::from)), 0xe7c4_b222_1683_8175);
    }

    #[test]
    fn sixteen_bit_logistic_and_tanh() {
        for (q, want_logistic, want_tanh) in [
            (0, 16384, 0),
            (1, 16386, 8),
            (-1, 16382, -8),
            (1000, 18374, 7845),
            (-1000, 14394, -7845),
            (i16::MAX, 32757, 32767),
            (i16::MIN, 11, -32767),
        ] {
            assert_eq!(logistic_i16(q, 0, 0), want_logistic, "{q}");
            assert_eq!(tanh_i16(q, 0, 0), want_tanh, "{q}");
        }
        for (multiplier, left_shift, want) in [
            (0, 0, 0xfe2f_97e6_e78e_11fb),
            (0, 1, 0xfbb2_a6cf_8703_c013),
            (12345, 12, 0xe0bb_a223_2e41_3a1d),
            (32767, 14, 0xbb4c_cfff_a55b_a588),
            (20000, 20, 0xc3bb_d0ee_a018_c517),
        ] {
            let got = checksum(
                (i16::MIN..=i16::MAX)
                    .flat_map(|q| [logistic_i16, tanh_i16].map(|f| i64::from(f(q, multiplier, left_shift)))),
            );
            assert_eq!(got, want, "{multiplier} {left_shift}");
        }
        for multiplier in [i32::MIN, i32::MAX, 0] {
            logistic_i16(i16::MIN, multiplier, u32::MAX);
            tanh_i16(i16::MIN, multiplier, 31);
        }
    }
}
