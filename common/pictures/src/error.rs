//! Why pictures are refused.

use std::fmt::{self, Display};

/// Why a picture cannot be read, or a tensor cannot hold it.
#[derive(Debug, PartialEq)]
pub enum PictureError {
    /// The bytes are not a picture that can be read.
    Picture(String),
    /// The tensor cannot hold a picture.
    Tensor(String),
    /// The caller must choose the tensor's height and width first.
    Open,
    /// The type does not determine how to convert a pixel; mean and std must be given.
    Unclear(String),
}

impl Display for PictureError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PictureError::Picture(reason) | PictureError::Tensor(reason) => f.write_str(reason),
            PictureError::Open => f.write_str("its height and width are not fixed; resize it first"),
            PictureError::Unclear(reason) => write!(f, "{reason}; give the expected range by mean and std"),
        }
    }
}

impl std::error::Error for PictureError {}
