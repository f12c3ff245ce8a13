//! Fft: the Fourier transform of the innermost axis. Complex numbers.
//! Defined by: tensorflow/core/kernels/fft_ops.cc.

use crate::kit::kernel::Node;
use crate::kit::fft::{Fourier, Kind, Member};

/// The op.
pub type Fft = Node<Fourier<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexFFT";
    const AXES: usize = 1;
    const KIND: Kind = Kind::Complex;
    const BACKWARDS: bool = false;
}
