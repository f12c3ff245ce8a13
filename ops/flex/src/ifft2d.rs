//! Ifft2D: the inverse Fourier transform of the two innermost axes. Complex numbers.
//! Defined by: tensorflow/core/kernels/fft_ops.cc.

use crate::kit::fft::{Fourier, Kind, Member};
use crate::kit::kernel::Node;

/// The op.
pub type Ifft2D = Node<Fourier<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexIFFT2D";
    const AXES: usize = 2;
    const KIND: Kind = Kind::Complex;
    const BACKWARDS: bool = true;
}

#[cfg(test)]
mod tests {
    use super::Ifft2D;
    use crate::kit::testing::cases::*;

    #[test]
    fn values() {
        // [[10, −2], [−4, 0]] is made of [[1, 2], [3, 4]].
        each::<Ifft2D>(
            COMPLEX,
            &[],
            &[(&[2, 2], &[10.0, -2.0, -4.0, 0.0])],
            (&[2, 2], &[1.0, 2.0, 3.0, 4.0]),
        );
        let (x, y) = (
            complex(
                C64,
                &[1, 3],
                &[(6.0, 0.0), (-1.5, 0.866_025_403_784_438_6), (-1.5, -0.866_025_403_784_438_6)],
            ),
            complex(C64, &[1, 3], &[(1.0, 0.0), (2.0, 0.0), (3.0, 0.0)]),
        );
        gives::<Ifft2D>(&[], &[x], &[y]);
        each::<Ifft2D>(&[C64], &[], &[(&[2, 1, 1], &[5.0, 7.0])], (&[2, 1, 1], &[5.0, 7.0]));
        each::<Ifft2D>(&[C64], &[], &[(&[3, 0], &[])], (&[3, 0], &[]));
    }

    #[test]
    fn refusals() {
        let message = "'in0' is [3]; its rank must be at least 2";
        refuses::<Ifft2D>(&[], &[of(C64, &[3], &[1.0; 3])], &[C64], message);
    }
}
