//! Ifft3D: the inverse Fourier transform of the three innermost axes. Complex numbers.
//! Defined by: tensorflow/core/kernels/fft_ops.cc.

use crate::kit::fft::{Fourier, Kind, Member};
use crate::kit::kernel::Node;

/// The op.
pub type Ifft3D = Node<Fourier<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexIFFT3D";
    const AXES: usize = 3;
    const KIND: Kind = Kind::Complex;
    const BACKWARDS: bool = true;
}

#[cfg(test)]
mod tests {
    use super::Ifft3D;
    use crate::kit::testing::cases::*;

    #[test]
    fn values() {
        each::<Ifft3D>(
            COMPLEX,
            &[],
            &[(&[2, 2, 2], &[36.0, -4.0, -8.0, 0.0, -16.0, 0.0, 0.0, 0.0])],
            (&[2, 2, 2], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]),
        );
        let (x, y) = (
            complex(
                C128,
                &[1, 1, 3],
                &[(6.0, 0.0), (-1.5, 0.866_025_403_784_438_6), (-1.5, -0.866_025_403_784_438_6)],
            ),
            complex(C128, &[1, 1, 3], &[(1.0, 0.0), (2.0, 0.0), (3.0, 0.0)]),
        );
        gives::<Ifft3D>(&[], &[x], &[y]);
        each::<Ifft3D>(&[C64], &[], &[(&[0, 2, 2], &[])], (&[0, 2, 2], &[]));
    }

    #[test]
    fn refusals() {
        let message = "'in0' is [1, 1]; its rank must be at least 3";
        refuses::<Ifft3D>(&[], &[of(C64, &[1, 1], &[1.0])], &[C64], message);
    }
}
