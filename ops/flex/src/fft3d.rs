//! Fft3D: the Fourier transform of the three innermost axes. Complex numbers.
//! Defined by: tensorflow/core/kernels/fft_ops.cc.

use crate::kit::kernel::Node;
use crate::kit::fft::{Fourier, Kind, Member};

/// The op.
pub type Fft3D = Node<Fourier<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexFFT3D";
    const AXES: usize = 3;
    const KIND: Kind = Kind::Complex;
    const BACKWARDS: bool = false;
}
