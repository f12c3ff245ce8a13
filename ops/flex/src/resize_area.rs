//! ResizeArea: images of another size, of means over areas. Reals and integers to F32.
//! Defined by: tensorflow/core/kernels/image/resize_area_op.cc.

use crate::kit::kernel::Node;
use crate::kit::resize::{Kind, Member, Resize};

/// The op.
pub type ResizeArea = Node<Resize<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexResizeArea";
    const KIND: Kind = Kind::Area;
}

#[cfg(test)]
mod tests {
    use super::ResizeArea;
    use crate::kit::testing::cases::*;

    #[test]
    fn values() {
        let resized = |attributes: &[_], x: (&[i32], &[f64]), want: (&[i32], &[f64])| {
            for &ty in &[F16, BF16, F32, F64, I8, U8, I16, U16, I32, I64] {
                let inputs = [of(ty, x.0, x.1), list(&want.0[1..3])];
                gives::<ResizeArea>(attributes, &inputs, &[of(F32, want.0, want.1)]);
            }
        };
        let row = (&[1, 1, 4, 1][..], &[1.0, 2.0, 3.0, 4.0][..]);
        resized(&[], row, (&[1, 1, 2, 1], &[1.5, 3.5]));
        resized(&[], row, (&[1, 1, 1, 1], &[2.5]));
        // Each new one covers two thirds of an old one, the middle one thirds of both.
        resized(&[], (&[1, 1, 2, 1], &[1.0, 3.0]), (&[1, 1, 3, 1], &[1.0, 2.0, 3.0]));
        resized(&[], (&[1, 2, 2, 1], &[1.0, 2.0, 3.0, 4.0]), (&[1, 1, 1, 1], &[2.5]));
        // One becomes many.
        resized(&[("align_corners", Flag(true))], (&[1, 1, 1, 1], &[5.0]), (&[1, 2, 1, 1], &[5.0, 5.0]));
        // No image.
        resized(&[], (&[0, 1, 1, 1], &[]), (&[0, 2, 2, 1], &[]));
    }

    #[test]
    fn refusals() {
        let refused = |x: &[i32], size: &[i32], message: &str| {
            let x = of(F32, x, &vec![0.0; x.iter().product::<i32>() as usize]);
            refuses::<ResizeArea>(&[], &[x, list(size)], &[F32], message);
        };
        refused(&[1, 1, 1], &[1, 1], "images are [1, 1, 1]; four axes, and no empty images are needed");
        refused(&[1, 0, 1, 1], &[1, 1], "images are [1, 0, 1, 1]; four axes, and no empty images are needed");
        refused(&[1, 1, 1, 0], &[1, 1], "images are [1, 1, 1, 0]; four axes, and no empty images are needed");
        refused(&[1, 1, 1, 1], &[0, 1], "the size is [0, 1]; two positive numbers are needed");
        refused(&[1, 1, 1, 1], &[1], "the size is [1]; two positive numbers are needed");
    }
}
