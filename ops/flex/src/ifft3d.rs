//! Ifft3D: the inverse Fourier transform of the three innermost axes. Complex numbers.
//! Defined by: tensorflow/core/kernels/fft_ops.cc.

use crate::kit::kernel::Node;
use crate::kit::fft::{Fourier, Kind, Member};

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
