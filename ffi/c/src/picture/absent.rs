//! Replaces arenite-pictures without the feature `image`: the same names, and errors that explain how to enable it.

use std::path::Path;

use arenite::Tensor;

/// A picture, which cannot be created without the feature.
pub(super) enum Picture {}

/// Mean and standard deviation of the pixels.
#[derive(Clone, Copy, Default)]
pub(super) struct Normalization<'a> {
    pub mean: &'a [f32],
    pub std: &'a [f32],
}

type Result<T> = std::result::Result<T, &'static str>;

const ABSENT: &str = "this library was built without support for pictures: build it with ffi/c/install.sh PREFIX --features image";

impl Picture {
    pub(super) fn from_file(_: &Path) -> Result<Self> {
        Err(ABSENT)
    }

    pub(super) fn from_bytes(_: &[u8]) -> Result<Self> {
        Err(ABSENT)
    }

    pub(super) fn from_pixels(_: &[u8], _: u32, _: u32, _: usize) -> Result<Self> {
        Err(ABSENT)
    }

    pub(super) fn fill(&self, _: &Tensor<'_>, _: Normalization<'_>) -> Result<Vec<u8>> {
        match *self {}
    }
}

impl Normalization<'_> {
    pub(super) fn check(&self, _: &Tensor<'_>) -> Result<()> {
        debug_assert_eq!(self.mean.len(), self.std.len());
        Err(ABSENT)
    }
}
