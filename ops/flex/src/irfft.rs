//! Irfft: the inverse Fourier transform of the innermost axis, from half a spectrum to reals.
//! Defined by: tensorflow/core/kernels/fft_ops.cc.

use crate::kit::fft::{Fourier, Kind, Member};
use crate::kit::kernel::Node;

/// The op.
pub type Irfft = Node<Fourier<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexIRFFT";
    const AXES: usize = 1;
    const KIND: Kind = Kind::FromHalf;
    const BACKWARDS: bool = true;
}

#[cfg(test)]
mod tests {
    use super::Irfft;
    use crate::kit::testing::cases::*;

    #[test]
    fn values() {
        for (ty, to) in [(C64, F32), (C128, F64)] {
            // The imaginary parts of the first and the last one do not count.
            let x = complex(ty, &[3], &[(10.0, 5.0), (-2.0, 2.0), (-2.0, 7.0)]);
            let y = of(to, &[4], &[1.0, 2.0, 3.0, 4.0]);
            gives::<Irfft>(&[], &[x, list(&[4])], &[y]);
            let x = complex(ty, &[2], &[(6.0, 0.0), (-1.5, 0.866_025_403_784_438_6)]);
            gives::<Irfft>(&[], &[x, list(&[3])], &[of(to, &[3], &[1.0, 2.0, 3.0])]);
        }
        let x =
            complex(C64, &[2, 3], &[(5.0, 0.0), (9.0, 9.0), (9.0, 9.0), (7.0, 0.0), (9.0, 9.0), (9.0, 9.0)]);
        gives::<Irfft>(&[], &[x, list(&[1])], &[of(F32, &[2, 1], &[5.0, 7.0])]);
        gives::<Irfft>(&[], &[of(C64, &[0, 2], &[]), list(&[2])], &[of(F32, &[0, 2], &[])]);
    }

    #[test]
    fn refusals() {
        let refused = |length: Tensor, message: &str| {
            refuses::<Irfft>(&[], &[of(C64, &[2], &[1.0; 2]), length], &[F32], message);
        };
        refused(list(&[4]), "axis 0 of 'in0' has 2 elements, the transform needs 3");
        refused(int(2), "fft_length is [2] of rank 0; a list of 1 lengths is needed");
        let message = "input 'in0' is FLOAT32, output 'out0' is FLOAT32; complex numbers to reals are needed";
        refuses::<Irfft>(&[], &[of(F32, &[4], &[1.0; 4]), list(&[4])], &[F32], message);
    }
}
