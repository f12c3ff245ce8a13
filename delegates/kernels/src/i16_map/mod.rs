//! Functions of quantized numbers of 16 bits. Sources and targets may be the same memory.
//!
//! ```text
//! lines    512, each for 128 numbers
//! curve    LOGISTIC and TANH for any scale: lines between 257 points of the positive half, mirrored
//! power    the same in fixed point, for scales that are powers of two
//! ```
//! Defined by: tflite/kernels/internal/common.h (`LUTPopulate`, `LUTLookup`, `sigmoid_table_uint16`) and
//! reference/integer_ops/{logistic,tanh}.h.

mod body;
mod function;
mod sigmoid;

use arenite_base::memory::{Source, Target, pair};

use crate::isa::Isa;
use crate::simd::*;
pub use function::{Function, LINES};
pub use sigmoid::Curve;

/// The family for one instruction set.
#[non_exhaustive]
pub struct I16Map {
    /// The name, such as `i16_map__avx512`.
    pub name: &'static str,
    /// The CPU features that it needs.
    pub isa: Isa,
    /// `y[i] = f(x[i])`: `(f, n, x, y)`.
    map: unsafe fn(&Function, usize, *const i16, *mut i16),
}

impl I16Map {
    /// Computes the function of each element.
    ///
    /// # Panics
    /// If the lengths differ.
    pub fn mapped(&self, f: &Function, x: Source<'_, i16>, y: &mut Target<'_, i16>) {
        let (n, x, y) = pair(x, y);
        // SAFETY: the machine can run it, as it got the member from a table; `pair` checked that both have `n`
        // elements.
        unsafe { (self.map)(f, n, x, y) }
    }
}

macro_rules! member {
    ($name:expr, $isa:expr, $t:ty) => {
        I16Map { name: $name, isa: $isa, map }
    };
}

family! {
    I16Map: "i16_map" {
        fn map(f: &Function, n: usize, x: *const i16, y: *mut i16);
    }
    vectors
}
member_of_table!(I16Map);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::family::available;

    fn functions() -> Vec<Function> {
        let mut all = vec![
            Function::Logistic,
            Function::Tanh { doubles: false },
            Function::Tanh { doubles: true },
            Function::of_reals(|x| x * x * 0.01, 8.0 / 32768.0, 1.0 / 32768.0),
            Function::of_reals(f32::ln, 0.001, 0.0005),
        ];
        for scale in [3e-9, 0.0003, 0.01, 1e7] {
            all.push(Function::Curve(Box::new(Curve::logistic(scale))));
            all.push(Function::Curve(Box::new(Curve::tanh(scale))));
        }
        all
    }

    #[test]
    fn every_member_maps_every_number() {
        for (i, f) in functions().iter().enumerate() {
            for n in [65536, 65529] {
                let x: Vec<i16> = (0..n).map(|i| i as u16 as i16).collect();
                let want: Vec<i16> = x.iter().map(|&x| f.of(x)).collect();
                for map in available(TABLE) {
                    let mut y = vec![7; n];
                    map.mapped(f, Source::of(&x), &mut Target::of(&mut y));
                    assert!(y == want, "{} of function {i}", map.name);
                }
            }
        }
    }

    /// TensorFlow Lite's table for the same arguments has these entries.
    #[test]
    fn lines_start_at_entries() {
        let f = Function::of_reals(|x| x * x * 0.01, 8.0 / 32768.0, 1.0 / 32768.0);
        assert_eq!([0, 100, 511].map(|i| f.of((128 * i - 32768) as i16)), [20972, 7788, 20807]);
    }

    #[test]
    fn curves_are_near_the_functions() {
        for scale in [1.0 / 4096.0, 1.0 / 2048.0, 0.0003f32] {
            let (logistic, tanh) = (Curve::logistic(scale), Curve::tanh(scale));
            for q in (i16::MIN..=i16::MAX).step_by(97) {
                let x = f64::from(q) * f64::from(scale);
                let want = 32768.0 / (1.0 + (-x).exp());
                assert!(
                    (f64::from(logistic.of(q)) - want).abs() <= 24.0,
                    "{q} at {scale}: {}",
                    logistic.of(q)
                );
                let want = 32768.0 * x.tanh();
                assert!((f64::from(tanh.of(q)) - want).abs() <= 24.0, "{q} at {scale}: {}", tanh.of(q));
            }
        }
    }
}
