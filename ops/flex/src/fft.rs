//! Fft: the Fourier transform of the innermost axis. Complex numbers.
//! Defined by: tensorflow/core/kernels/fft_ops.cc.

use crate::kit::fft::{Fourier, Kind, Member};
use crate::kit::kernel::Node;

/// The op.
pub type Fft = Node<Fourier<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexFFT";
    const AXES: usize = 1;
    const KIND: Kind = Kind::Complex;
    const BACKWARDS: bool = false;
}

#[cfg(test)]
mod tests {
    use super::Fft;
    use crate::kit::testing::cases::*;
    use core::slice::from_ref;

    #[test]
    fn values() {
        for &ty in COMPLEX {
            let (x, y) = (
                complex(ty, &[4], &[(1.0, 0.0), (2.0, 0.0), (3.0, 0.0), (4.0, 0.0)]),
                complex(ty, &[4], &[(10.0, 0.0), (-2.0, 2.0), (-2.0, 0.0), (-2.0, -2.0)]),
            );
            gives::<Fft>(&[], &[x], &[y]);
            // A length that is no power of two.
            let (x, y) = (
                complex(ty, &[3], &[(1.0, 0.0), (2.0, 0.0), (3.0, 0.0)]),
                complex(
                    ty,
                    &[3],
                    &[(6.0, 0.0), (-1.5, 0.866_025_403_784_438_6), (-1.5, -0.866_025_403_784_438_6)],
                ),
            );
            gives::<Fft>(&[], &[x], &[y]);
        }
        // Each row by itself; the transform of i is i.
        let x = complex(C64, &[2, 1], &[(5.0, 0.0), (0.0, 1.0)]);
        gives::<Fft>(&[], from_ref(&x), from_ref(&x));
        gives::<Fft>(&[], &[of(C64, &[2, 0], &[])], &[of(C64, &[2, 0], &[])]);
    }

    #[test]
    fn refusals() {
        let message = "'in0' is []; its rank must be at least 1";
        refuses::<Fft>(&[], &[of(C64, &[], &[1.0])], &[C64], message);
        let message =
            "input 'in0' is FLOAT32, output 'out0' is FLOAT32; one type of complex numbers is needed";
        refuses::<Fft>(&[], &[of(F32, &[1], &[1.0])], &[F32], message);
        refuses::<Fft>(&[], &[], &[C64], "it has 0 inputs, this op takes 1 to 1");
    }
}
