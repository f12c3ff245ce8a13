//! Irfft3D: the inverse Fourier transform of the three innermost axes, from half a spectrum to reals.
//! Defined by: tensorflow/core/kernels/fft_ops.cc.

use crate::kit::fft::{Fourier, Kind, Member};
use crate::kit::kernel::Node;

/// The op.
pub type Irfft3D = Node<Fourier<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexIRFFT3D";
    const AXES: usize = 3;
    const KIND: Kind = Kind::FromHalf;
    const BACKWARDS: bool = true;
}

#[cfg(test)]
mod tests {
    use super::Irfft3D;
    use crate::kit::testing::cases::*;

    #[test]
    fn values() {
        for (ty, to) in [(C64, F32), (C128, F64)] {
            let (x, y) = (
                of(ty, &[2, 2, 2], &[36.0, -4.0, -8.0, 0.0, -16.0, 0.0, 0.0, 0.0]),
                of(to, &[2, 2, 2], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]),
            );
            gives::<Irfft3D>(&[], &[x, list(&[2, 2, 2])], &[y]);
            let x = complex(ty, &[1, 1, 2], &[(6.0, 0.0), (-1.5, 0.866_025_403_784_438_6)]);
            gives::<Irfft3D>(&[], &[x, list(&[1, 1, 3])], &[of(to, &[1, 1, 3], &[1.0, 2.0, 3.0])]);
        }
    }

    #[test]
    fn refusals() {
        let message = "axis 2 of 'in0' has 1 elements, the transform needs 2";
        refuses::<Irfft3D>(&[], &[of(C64, &[1, 1, 1], &[1.0]), list(&[1, 1, 2])], &[F32], message);
        let message = "'in0' is [1, 1]; its rank must be at least 3";
        refuses::<Irfft3D>(&[], &[of(C64, &[1, 1], &[1.0]), list(&[1, 1, 1])], &[F32], message);
    }
}
