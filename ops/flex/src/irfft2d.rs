//! Irfft2D: the inverse Fourier transform of the two innermost axes, from half a spectrum to reals.
//! Defined by: tensorflow/core/kernels/fft_ops.cc.

use crate::kit::fft::{Fourier, Kind, Member};
use crate::kit::kernel::Node;

/// The op.
pub type Irfft2D = Node<Fourier<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexIRFFT2D";
    const AXES: usize = 2;
    const KIND: Kind = Kind::FromHalf;
    const BACKWARDS: bool = true;
}

#[cfg(test)]
mod tests {
    use super::Irfft2D;
    use crate::kit::testing::cases::*;

    #[test]
    fn values() {
        for (ty, to) in [(C64, F32), (C128, F64)] {
            let x = of(ty, &[2, 2], &[10.0, -2.0, -4.0, 0.0]);
            gives::<Irfft2D>(&[], &[x, list(&[2, 2])], &[of(to, &[2, 2], &[1.0, 2.0, 3.0, 4.0])]);
            let x = complex(
                ty,
                &[2, 2],
                &[(21.0, 0.0), (-3.0, 2.0 * 0.866_025_403_784_438_6), (-9.0, 0.0), (0.0, 0.0)],
            );
            let y = of(to, &[2, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
            gives::<Irfft2D>(&[], &[x, list(&[2, 3])], &[y]);
        }
    }

    #[test]
    fn refusals() {
        let message = "axis 1 of 'in0' has 2 elements, the transform needs 3";
        refuses::<Irfft2D>(&[], &[of(C64, &[2, 2], &[1.0; 4]), list(&[2, 4])], &[F32], message);
        let message = "'in0' is [2]; its rank must be at least 2";
        refuses::<Irfft2D>(&[], &[of(C64, &[2], &[1.0; 2]), list(&[1, 2])], &[F32], message);
    }
}
