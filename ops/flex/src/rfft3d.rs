//! Rfft3D: the Fourier transform of the three innermost axes; reals to the half of the spectrum that tells all.
//! Defined by: tensorflow/core/kernels/fft_ops.cc.

use crate::kit::kernel::Node;
use crate::kit::fft::{Fourier, Kind, Member};

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
