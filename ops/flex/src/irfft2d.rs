//! Irfft2D: the inverse Fourier transform of the two innermost axes, from half a spectrum to reals.
//! Defined by: tensorflow/core/kernels/fft_ops.cc.

use crate::kit::kernel::Node;
use crate::kit::fft::{Fourier, Kind, Member};

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
