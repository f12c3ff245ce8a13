//! SignalRfft: the Fourier transform of each row of the last axis, padded with zeros to `fft_length`. The result has
//! `fft_length + 2` numbers, alternating real and imaginary parts. f32; i16 and i32 in fixed point, divided by
//! `fft_length`.
//! Defined by: tflite-micro's signal/micro/kernels/rfft.cc, signal/src/rfft_{float,int16,int32}.cc.

use arenite_abi::prelude::*;

use crate::kit::fft::Direction;
use crate::kit::row_fft::{Member, RowFft};

/// A prepared `SignalRfft` node.
pub type SignalRfft = RowFft<Forward>;

/// From samples to spectra.
pub struct Forward;

impl Member for Forward {
    const NAME: &'static str = "SignalRfft";
    const DIRECTION: Direction = Direction::Forward;

    fn check(x: &TensorView<'_>, row: usize, length: i32) -> Result<()> {
        ensure!(
            length <= 1 << 24 && row <= length.max(0) as usize,
            "option 'fft_length' is {length}; it must be at least {row}, the samples of {x}, and at most 2²⁴"
        );
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::checksum;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn test(x: Tensor, length: i64) -> OpTest<SignalRfft> {
        let y = Spec::of(x.ty());
        OpTest::new().flexbuffer(|o| o.int("fft_length", length)).input(x).output(y)
    }

    #[test]
    fn floats() {
        // Two rows of 3 samples, padded to 4: x0 + x1 + x2, x0 − x2 − i x1, x0 − x1 + x2.
        let x = Tensor::f32(&[2, 3], &[1., 2., 3., -1., 0., 4.]);
        let y = test(x, 4).run().unwrap();
        assert_eq!(y[0].shape(), [2, 6]);
        assert_eq!(y[0].as_f32(), [6., 0., -2., -2., 2., 0., 3., 0., -5., 0., 3., 0.]);
    }

    /// Lengths with every kind of factor are compared with the sum that defines the transform.
    #[test]
    fn all_lengths() {
        for length in [2, 4, 6, 8, 10, 12, 16, 18, 20, 30, 32, 50, 60, 64, 90, 120, 250, 512] {
            let x: Vec<f32> = (0..length).map(|i| (i * i % 17) as f32 - 8.0 + i as f32 / 64.0).collect();
            let y = test(Tensor::f32(&[length], &x), length.into()).run().unwrap()[0].as_f32();
            let short: Vec<i16> = x.iter().map(|x| (x * 1000.0) as i16).collect();
            let shorts = test(Tensor::i16(&[length], &short), length.into()).run().unwrap()[0].as_i16();
            let long: Vec<i32> = x.iter().map(|x| (x * 6e7) as i32).collect();
            let longs = test(Tensor::i32(&[length], &long), length.into()).run().unwrap()[0].as_i32();
            for k in 0..=length as usize / 2 {
                let step = core::f64::consts::TAU * k as f64 / f64::from(length);
                let sum = |f: fn(f64) -> f64| -> f64 {
                    x.iter().enumerate().map(|(t, &x)| f64::from(x) * f(step * t as f64)).sum()
                };
                for (i, want) in [(2 * k, sum(f64::cos)), (2 * k + 1, -sum(f64::sin))] {
                    assert!((f64::from(y[i]) - want).abs() < 1e-3, "{length} {k}: {} {want}", y[i]);
                    let mean = want / f64::from(length);
                    assert!(
                        (f64::from(shorts[i]) - 1000.0 * mean).abs() < 8.0,
                        "{length} {k}: {}",
                        shorts[i]
                    );
                    assert!((f64::from(longs[i]) - 6e7 * mean).abs() < 100.0, "{length} {k}: {}", longs[i]);
                }
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
            (8, 0x9b76_1db1_2a30_382b),
            (18, 0xadee_2061_7a46_3269),
            (60, 0x403c_210f_7ec8_de63),
            (64, 0x6f78_5500_f290_f654),
            (250, 0xdb24_004c_3cf4_8265),
            (512, 0x54be_e944_1517_2e7b),
        ];
        for (length, want) in cases {
            let x: Vec<i16> = random(length).map(short).collect();
            let y = test(Tensor::i16(&[length], &x), length.into()).run().unwrap()[0].as_i16();
            assert_eq!(checksum(y.into_iter().map(i64::from)), want, "i16, {length}");
        }
        let cases: [(i32, u64); 6] = [
            (8, 0x6763_58b5_fecf_7e51),
            (18, 0xc819_e6af_6f97_04fd),
            (60, 0x0987_beaa_64bf_74a7),
            (64, 0x6b7f_6417_8da6_514b),
            (250, 0x55fe_f710_5d41_a3ba),
            (512, 0xf860_f51c_ddfa_3bd7),
        ];
        for (length, want) in cases {
            let x: Vec<i32> = random(length).map(|r| r as i32).collect();
            let y = test(Tensor::i32(&[length], &x), length.into()).run().unwrap()[0].as_i32();
            assert_eq!(checksum(y.into_iter().map(i64::from)), want, "i32, {length}");
        }
        let cases: [(i32, u64); 6] = [
            (8, 0x86e5_70fa_eee6_b262),
            (18, 0xcdc1_e032_8d76_7032),
            (60, 0x684e_db6f_ff48_b2fe),
            (64, 0x3038_de82_760e_91dd),
            (250, 0x93b5_72bb_d707_e395),
            (512, 0x06c0_c43d_2d6c_ef6f),
        ];
        for (length, want) in cases {
            let x: Vec<f32> = random(length).map(float).collect();
            let y = test(Tensor::f32(&[length], &x), length.into()).run().unwrap()[0].as_f32();
            assert_eq!(checksum(y.into_iter().map(|y| y.to_bits().into())), want, "f32, {length}");
        }
    }

    /// Numbers from a linear congruential generator.
    fn random(length: i32) -> impl Iterator<Item = u32> {
        let next = |seed: &u32| Some(seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223));
        core::iter::successors(next(&(length as u32)), next).take(length as usize)
    }
}
