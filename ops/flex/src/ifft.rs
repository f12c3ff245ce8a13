//! Ifft: the inverse Fourier transform of the innermost axis. Complex numbers.
//! Defined by: tensorflow/core/kernels/fft_ops.cc.

use crate::kit::kernel::Node;
use crate::kit::fft::{Fourier, Kind, Member};

/// The op.
pub type Ifft = Node<Fourier<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexIFFT";
    const AXES: usize = 1;
    const KIND: Kind = Kind::Complex;
    const BACKWARDS: bool = true;
}
