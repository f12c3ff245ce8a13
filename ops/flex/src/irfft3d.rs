//! Irfft3D: the inverse Fourier transform of the three innermost axes, from half a spectrum to reals.
//! Defined by: tensorflow/core/kernels/fft_ops.cc.

use crate::kit::kernel::Node;
use crate::kit::fft::{Fourier, Kind, Member};

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
