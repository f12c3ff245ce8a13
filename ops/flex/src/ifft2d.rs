//! Ifft2D: the inverse Fourier transform of the two innermost axes. Complex numbers.
//! Defined by: tensorflow/core/kernels/fft_ops.cc.

use crate::kit::kernel::Node;
use crate::kit::fft::{Fourier, Kind, Member};

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
