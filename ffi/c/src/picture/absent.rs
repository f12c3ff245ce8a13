//! What stands for arenite-pictures where the feature `image` is off: the same names, and no picture.

use std::path::Path;

use arenite::Tensor;

/// There is none.
pub enum Picture {}

/// Mean and standard deviation of the pixels.
#[derive(Clone, Copy, Default)]
pub struct Normalization<'a> {
    pub mean: &'a [f32],
    pub std: &'a [f32],
}

type Result<T> = std::result::Result<T, &'static str>;

const ABSENT: &str =
    "this library was built without pictures; ffi/c/install.sh PREFIX --features image has them";

impl Picture {
    pub fn from_file(_: &Path) -> Result<Self> {
        Err(ABSENT)
    }

    pub fn from_bytes(_: &[u8]) -> Result<Self> {
        Err(ABSENT)
    }

    pub fn from_pixels(_: &[u8], _: u32, _: u32, _: usize) -> Result<Self> {
        Err(ABSENT)
    }

    pub fn fill(&self, _: &Tensor<'_>, _: Normalization<'_>) -> Result<Vec<u8>> {
        match *self {}
    }
}

impl Normalization<'_> {
    pub fn check(&self, _: &Tensor<'_>) -> Result<()> {
        debug_assert_eq!(self.mean.len(), self.std.len());
        Err(ABSENT)
    }
}
