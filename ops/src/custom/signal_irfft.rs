//! SignalIrfft: the inverse Fourier transform of each row of the last axis, which holds a half spectrum as alternating
//! real and imaginary parts. f32; i16 and i32 in fixed point.
//! Defined by: tflite-micro's signal/micro/kernels/irfft.cc, signal/src/irfft_{float,int16,int32}.cc.

use arenite_abi::prelude::*;

use crate::kit::fft::Direction;
use crate::kit::row_fft::{Member, RowFft};

/// A prepared `SignalIrfft` node.
pub type SignalIrfft = RowFft<Inverse>;

/// From spectra to samples.
pub struct Inverse;

impl Member for Inverse {
    const NAME: &'static str = "SignalIrfft";
    const DIRECTION: Direction = Direction::Inverse;

    fn check(x: &TensorView<'_>, row: usize, length: i32) -> Result<()> {
        ensure!(
            row as i64 >= i64::from(length) + 2,
            "option 'fft_length' is {length}, {x} has rows of {row} numbers; a spectrum has two more than the length"
        );
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::checksum;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn test(x: Tensor, length: i64) -> OpTest<SignalIrfft> {
        let y = Spec::of(x.ty());
        OpTest::new().flexbuffer(|o| o.int("fft_length", length)).input(x).output(y)
    }

    #[test]
    fn floats() {
        let x = Tensor::f32(&[2, 6], &[6., 0., -2., -2., 2., 0., 3., 0., -5., 0., 3., 0.]);
        let y = test(x, 4).run().unwrap();
        assert_eq!((y[0].shape(), y[0].as_f32()), (&[2, 4][..], vec![1., 2., 3., 0., -1., 0., 4., 0.]));
    }

    /// A constant and one cosine; in fixed point the result is the input divided by the length.
    #[test]
    fn all_lengths() {
        for length in [4, 6, 8, 10, 12, 16, 18, 20, 30, 32, 50, 60, 64, 90, 120, 250, 512] {
            let (mut x, period) = (vec![0.0f32; length + 2], core::f64::consts::TAU / length as f64);
            (x[0], x[2], x[3]) = (0.25, 0.5, -0.25);
            let want = |t: usize| 0.25 + (period * t as f64).cos() + 0.5 * (period * t as f64).sin();
            let shape = [length as i32 + 2];
            let floats = test(Tensor::f32(&shape, &x), length as i64).run().unwrap()[0].as_f32();
            let short: Vec<i16> = x.iter().map(|x| (x * 32767.0) as i16).collect();
            let shorts = test(Tensor::i16(&shape, &short), length as i64).run().unwrap()[0].as_i16();
            let long: Vec<i32> = x.iter().map(|x| (f64::from(*x) * 2147483647.0) as i32).collect();
            let longs = test(Tensor::i32(&shape, &long), length as i64).run().unwrap()[0].as_i32();
            for t in 0..length {
                let sample = want(t) / length as f64;
                assert!((f64::from(floats[t]) - sample).abs() < 1e-6, "{length} {t}: {}", floats[t]);
                assert!((f64::from(shorts[t]) - 32767.0 * sample).abs() < 8.0, "{length} {t}: {}", shorts[t]);
                assert!(
                    (f64::from(longs[t]) - 2147483647.0 * sample).abs() < 100.0,
                    "{length} {t}: {}",
                    longs[t]
                );
            }
        }
    }

    /// Checksums of the results of KISS FFT (v130, with TensorFlow Lite Micro's patch, g++ 12) for the same random
    /// numbers.
    #[test]
    fn bit_by_bit_as_kiss_fft() {
        let short = |r: u32| (r >> 16) as i16;
        let float = |r: u32| r as i32 as f32 / 1_073_741_824.0;
        let cases: [(i32, u64); 6] = [
            (8, 0x9486_08ac_33bf_5b05),
            (18, 0x303b_2832_2f24_42cb),
            (60, 0xf8fd_a956_3b07_fdb3),
            (64, 0xa9a6_da7a_3414_7891),
            (250, 0x7a56_b294_62f8_6ed5),
            (512, 0x7679_2aec_7421_b44d),
        ];
        for (length, want) in cases {
            let x: Vec<i16> = random(length).map(short).collect();
            let y = test(Tensor::i16(&[length + 2], &x), length.into()).run().unwrap()[0].as_i16();
            assert_eq!(checksum(y.into_iter().map(i64::from)), want, "i16, {length}");
        }
        let cases: [(i32, u64); 6] = [
            (8, 0x3c69_a740_2212_0f79),
            (18, 0x8091_9614_ec52_3fc2),
            (60, 0x9006_3cc9_5a59_27a3),
            (64, 0x8306_1eff_d57e_dfc5),
            (250, 0xeff8_e4f9_2a49_d0f3),
            (512, 0x6cfb_6df1_8412_98f5),
        ];
        for (length, want) in cases {
            let x: Vec<i32> = random(length).map(|r| r as i32).collect();
            let y = test(Tensor::i32(&[length + 2], &x), length.into()).run().unwrap()[0].as_i32();
            assert_eq!(checksum(y.into_iter().map(i64::from)), want, "i32, {length}");
        }
        // TensorFlow Lite Micro divides by the length; for powers of two this can be undone exactly.
        let cases: [(i32, u64); 3] =
            [(8, 0xaf47_0235_40a6_6313), (64, 0xe653_ddf2_c383_6904), (512, 0x7cc9_3753_e4ab_808a)];
        for (length, want) in cases {
            let x: Vec<f32> = random(length).map(float).collect();
            let y = test(Tensor::f32(&[length + 2], &x), length.into()).run().unwrap()[0].as_f32();
            assert_eq!(
                checksum(y.into_iter().map(|y| (y * length as f32).to_bits().into())),
                want,
                "f32, {length}"
            );
        }
    }

    /// Numbers from a linear congruential generator.
    fn random(length: i32) -> impl Iterator<Item = u32> {
        let next = |seed: &u32| Some(seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223));
        core::iter::successors(next(&(length as u32)), next).skip(length as usize).take(length as usize + 2)
    }
}
