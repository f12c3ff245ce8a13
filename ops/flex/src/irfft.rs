//! Irfft: the inverse Fourier transform of the innermost axis, from half a spectrum to reals.
//! Defined by: tensorflow/core/kernels/fft_ops.cc.

use crate::kit::kernel::Node;
use crate::kit::fft::{Fourier, Kind, Member};

/// The op.
pub type Irfft = Node<Fourier<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexIRFFT";
    const AXES: usize = 1;
    const KIND: Kind = Kind::FromHalf;
    const BACKWARDS: bool = true;
}
