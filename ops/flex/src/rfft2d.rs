//! Rfft2D: the Fourier transform of the two innermost axes; reals to the half of the spectrum that tells all.
//! Defined by: tensorflow/core/kernels/fft_ops.cc.

use crate::kit::fft::{Fourier, Kind, Member};
use crate::kit::kernel::Node;

/// The op.
pub type Rfft2D = Node<Fourier<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexRFFT2D";
    const AXES: usize = 2;
    const KIND: Kind = Kind::ToHalf;
    const BACKWARDS: bool = false;
}

#[cfg(test)]
mod tests {
    use super::Rfft2D;
    use crate::kit::testing::cases::*;

    #[test]
    fn values() {
        for (ty, to) in [(F32, C64), (F64, C128)] {
            let x = of(ty, &[2, 2], &[1.0, 2.0, 3.0, 4.0]);
            let y = of(to, &[2, 2], &[10.0, -2.0, -4.0, 0.0]);
            gives::<Rfft2D>(&[], &[x, list(&[2, 2])], &[y]);
            // The rows have the spectra [6, −1.5 + 0.87i, …] and [15, −1.5 + 0.87i, …].
            let x = of(ty, &[2, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
            let y = complex(
                to,
                &[2, 2],
                &[(21.0, 0.0), (-3.0, 2.0 * 0.866_025_403_784_438_6), (-9.0, 0.0), (0.0, 0.0)],
            );
            gives::<Rfft2D>(&[], &[x.clone(), list(&[2, 3])], &[y]);
            // The first row's first two.
            gives::<Rfft2D>(&[], &[x, list(&[1, 2])], &[of(to, &[1, 2], &[3.0, -1.0])]);
        }
    }

    #[test]
    fn refusals() {
        let message = "axis 0 of 'in0' has 2 elements, the transform needs 3";
        refuses::<Rfft2D>(&[], &[of(F32, &[2, 2], &[1.0; 4]), list(&[3, 2])], &[C64], message);
        let message = "'in0' is [2]; its rank must be at least 2";
        refuses::<Rfft2D>(&[], &[of(F32, &[2], &[1.0; 2]), list(&[1, 2])], &[C64], message);
        let message = "fft_length is [2] of rank 1; a list of 2 lengths is needed";
        refuses::<Rfft2D>(&[], &[of(F32, &[2, 2], &[1.0; 4]), list(&[2])], &[C64], message);
    }
}
