//! The delegate's options as values.

use std::path::PathBuf;

use crate::isa::Isa;
use crate::ops::build::Winograd;

/// The delegate's options, read.
#[derive(Clone)]
pub(crate) struct Settings {
    /// The features that kernels may use.
    pub isa: Isa,
    /// Whether convolutions may use Winograd's algorithm.
    pub winograd: Winograd,
    /// The folder of packed weights.
    pub cache: Option<PathBuf>,
}
