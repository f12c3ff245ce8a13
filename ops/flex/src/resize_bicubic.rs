//! ResizeBicubic: images of another size, by cubics through pixels. Reals and integers to F32.
//! Defined by: tensorflow/core/kernels/image/resize_bicubic_op.cc.

use crate::kit::kernel::Node;
use crate::kit::resize::{Kind, Member, Resize};

/// The op.
pub type ResizeBicubic = Node<Resize<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexResizeBicubic";
    const KIND: Kind = Kind::Bicubic;
}

#[cfg(test)]
mod tests {
    use super::ResizeBicubic;
    use crate::kit::testing::cases::*;

    #[test]
    fn values() {
        let resized = |attributes: &[_], x: (&[i32], &[f64]), want: (&[i32], &[f64])| {
            for &ty in &[F16, BF16, F32, F64, I8, U8, I16, U16, I32, I64] {
                let inputs = [of(ty, x.0, x.1), list(&want.0[1..3])];
                gives::<ResizeBicubic>(attributes, &inputs, &[of(F32, want.0, want.1)]);
            }
        };
        let row = (&[1, 1, 2, 1][..], &[1.0, 3.0][..]);
        resized(&[], row, (&[1, 1, 2, 1], &[1.0, 3.0]));
        // Halfway the weights are −3/32, 19/32, 19/32, −3/32, of 1, 1, 3, 3 and then of 1, 3, 3, 3.
        resized(&[], row, (&[1, 1, 4, 1], &[1.0, 2.0, 3.0, 3.1875]));
        resized(&[("align_corners", Flag(true))], row, (&[1, 1, 3, 1], &[1.0, 2.0, 3.0]));
        // At −1/4 they are 111/128 of 1 and −9/128 of 3, at 1/4 111/128 of 1 and 29/128 of 3, over their sum.
        let (first, second) = (84.0 / 102.0, 198.0 / 140.0);
        let half = [("half_pixel_centers", Flag(true))];
        resized(&half, row, (&[1, 1, 4, 1], &[first, second, 4.0 - second, 4.0 - first]));
        // No image.
        resized(&[], (&[0, 1, 1, 1], &[]), (&[0, 2, 2, 1], &[]));
    }

    #[test]
    fn refusals() {
        let refused = |x: &[i32], size: &[i32], message: &str| {
            let x = of(F32, x, &vec![0.0; x.iter().product::<i32>() as usize]);
            refuses::<ResizeBicubic>(&[], &[x, list(size)], &[F32], message);
        };
        refused(&[1, 1, 1], &[1, 1], "images are [1, 1, 1]; four axes, and no empty images are needed");
        refused(&[1, 0, 1, 1], &[1, 1], "images are [1, 0, 1, 1]; four axes, and no empty images are needed");
        refused(&[1, 1, 1, 0], &[1, 1], "images are [1, 1, 1, 0]; four axes, and no empty images are needed");
        refused(&[1, 1, 1, 1], &[0, 1], "the size is [0, 1]; two positive numbers are needed");
        refused(&[1, 1, 1, 1], &[1], "the size is [1]; two positive numbers are needed");
        let both = [("align_corners", Flag(true)), ("half_pixel_centers", Flag(true))];
        let inputs = [of(F32, &[1, 1, 2, 1], &[0.0; 2]), list(&[1, 1])];
        let message = "align_corners and half_pixel_centers exclude one another";
        refuses::<ResizeBicubic>(&both, &inputs, &[F32], message);
    }
}
