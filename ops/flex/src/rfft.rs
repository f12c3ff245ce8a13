//! Rfft: the Fourier transform of the innermost axis; reals to the half of the spectrum that tells all.
//! Defined by: tensorflow/core/kernels/fft_ops.cc.

use crate::kit::fft::{Fourier, Kind, Member};
use crate::kit::kernel::Node;

/// The op.
pub type Rfft = Node<Fourier<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexRFFT";
    const AXES: usize = 1;
    const KIND: Kind = Kind::ToHalf;
    const BACKWARDS: bool = false;
}

#[cfg(test)]
mod tests {
    use super::Rfft;
    use crate::kit::testing::cases::*;

    #[test]
    fn values() {
        for (ty, to) in [(F32, C64), (F64, C128)] {
            let x = of(ty, &[4], &[1.0, 2.0, 3.0, 4.0]);
            let y = complex(to, &[3], &[(10.0, 0.0), (-2.0, 2.0), (-2.0, 0.0)]);
            gives::<Rfft>(&[], &[x.clone(), list(&[4])], &[y]);
            // The first three.
            let y = complex(to, &[2], &[(6.0, 0.0), (-1.5, 0.866_025_403_784_438_6)]);
            gives::<Rfft>(&[], &[x, list(&[3])], &[y]);
        }
        let x = of(F32, &[2, 1], &[5.0, 7.0]);
        gives::<Rfft>(&[], &[x, list(&[1])], &[of(C64, &[2, 1], &[5.0, 7.0])]);
        gives::<Rfft>(&[], &[of(F32, &[0, 2], &[]), list(&[2])], &[of(C64, &[0, 2], &[])]);
    }

    #[test]
    fn refusals() {
        let refused = |length: Tensor, message: &str| {
            refuses::<Rfft>(&[], &[of(F32, &[4], &[1.0; 4]), length], &[C64], message);
        };
        refused(list(&[5]), "axis 0 of 'in0' has 4 elements, the transform needs 5");
        refused(list(&[-1]), "[-1] is no shape; sizes must not be negative, and at most 8 axes are served");
        refused(list(&[4, 4]), "fft_length is [4, 4] of rank 1; a list of 1 lengths is needed");
        refused(int(4), "fft_length is [4] of rank 0; a list of 1 lengths is needed");
        let message =
            "input 'in0' is COMPLEX64, output 'out0' is COMPLEX64; reals to complex numbers are needed";
        refuses::<Rfft>(&[], &[of(C64, &[4], &[1.0; 4]), list(&[4])], &[C64], message);
    }
}
