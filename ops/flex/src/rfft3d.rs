//! Rfft3D: the Fourier transform of the three innermost axes; reals to the half of the spectrum that tells
//! all.
//! Defined by: tensorflow/core/kernels/fft_ops.cc.

use crate::kit::fft::{Fourier, Kind, Member};
use crate::kit::kernel::Node;

/// The op.
pub type Rfft3D = Node<Fourier<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexRFFT3D";
    const AXES: usize = 3;
    const KIND: Kind = Kind::ToHalf;
    const BACKWARDS: bool = false;
}

#[cfg(test)]
mod tests {
    use super::Rfft3D;
    use crate::kit::testing::cases::*;

    #[test]
    fn values() {
        for (ty, to) in [(F32, C64), (F64, C128)] {
            let (x, y) = (
                of(ty, &[2, 2, 2], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]),
                of(to, &[2, 2, 2], &[36.0, -4.0, -8.0, 0.0, -16.0, 0.0, 0.0, 0.0]),
            );
            gives::<Rfft3D>(&[], &[x, list(&[2, 2, 2])], &[y]);
            let y = complex(to, &[1, 1, 2], &[(6.0, 0.0), (-1.5, 0.866_025_403_784_438_6)]);
            gives::<Rfft3D>(&[], &[of(ty, &[1, 1, 3], &[1.0, 2.0, 3.0]), list(&[1, 1, 3])], &[y]);
        }
    }

    #[test]
    fn refusals() {
        let message = "axis 2 of 'in0' has 1 elements, the transform needs 2";
        refuses::<Rfft3D>(&[], &[of(F32, &[1, 1, 1], &[1.0]), list(&[1, 1, 2])], &[C64], message);
        let message = "'in0' is [1, 1]; its rank must be at least 3";
        refuses::<Rfft3D>(&[], &[of(F32, &[1, 1], &[1.0]), list(&[1, 1, 1])], &[C64], message);
    }
}
