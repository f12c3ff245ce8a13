//! The size and channels of the pictures that a tensor holds.

use arenite::{ElementType, Tensor};
use arenite_common::shape;

use crate::error::PictureError;

/// A smaller side of `[1,H,W]` is something else than pixels, such as a batch of vectors.
const MIN_GREY_SIDE: i32 = 8;

/// The size and channels that a picture must be converted to.
pub(crate) struct Target {
    pub(crate) height: u32,
    pub(crate) width: u32,
    pub(crate) channels: usize,
}

impl Target {
    pub(crate) fn of(tensor: &Tensor<'_>, dims: &[i32]) -> Result<Target, PictureError> {
        use ElementType::*;
        if !matches!(tensor.ty, F32 | F64 | F16 | BF16 | I8 | U8 | I16 | U16 | I32 | U32 | I64 | U64) {
            return Err(PictureError::Tensor(format!("{} cannot hold pixels", tensor.ty)));
        }
        let (height, width, channels) = match *dims {
            [1, height, width, channels @ (1 | 3 | 4)] | [height, width, channels @ (1 | 3 | 4)] => {
                (height, width, channels)
            }
            [1, height, width] if height >= MIN_GREY_SIDE && width >= MIN_GREY_SIDE => (height, width, 1),
            _ => {
                let shape = shape(dims);
                return Err(PictureError::Tensor(format!(
                    "shape {shape} is not [1,H,W,C] with C of 1, 3 or 4, nor [1,H,W]"
                )));
            }
        };
        let open = tensor.shape_signature.len() == dims.len()
            && tensor.shape_signature.iter().rev().skip(1).take(2).any(|&d| d == -1);
        if open && height == 1 && width == 1 {
            return Err(PictureError::Open);
        }
        match (u32::try_from(height), u32::try_from(width)) {
            (Ok(height @ 1..), Ok(width @ 1..)) => Ok(Target { height, width, channels: channels as usize }),
            _ => Err(PictureError::Tensor(format!("shape {} cannot hold pixels", shape(dims)))),
        }
    }
}

/// The shape of one picture of a tensor.
pub(crate) fn row_shape(shape: &[i32]) -> Vec<i32> {
    let mut row = shape.to_vec();
    if let [batch, _, _, _] | [batch, _, 5.. | 2] = &mut row[..] {
        *batch = 1;
    }
    row
}
