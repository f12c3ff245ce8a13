//! Rfft: the Fourier transform of the innermost axis; reals to the half of the spectrum that tells all.
//! Defined by: tensorflow/core/kernels/fft_ops.cc.

use crate::kit::kernel::Node;
use crate::kit::fft::{Fourier, Kind, Member};

/// The op.
pub type Rfft = Node<Fourier<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexRFFT";
    const AXES: usize = 1;
    const KIND: Kind = Kind::ToHalf;
    const BACKWARDS: bool = false;
}
