//! ResizeBilinear: images of another size, by lines between pixels. Reals and integers to F32.
//! Defined by: tensorflow/core/kernels/image/resize_bilinear_op.cc.

use crate::kit::kernel::Node;
use crate::kit::resize::{Kind, Member, Resize};

/// The op.
pub type ResizeBilinear = Node<Resize<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexResizeBilinear";
    const KIND: Kind = Kind::Bilinear;
}

#[cfg(test)]
mod tests {
    use super::ResizeBilinear;
    use crate::kit::testing::cases::*;

    #[test]
    fn values() {
        let resized = |attributes: &[_], x: (&[i32], &[f64]), want: (&[i32], &[f64])| {
            for &ty in &[F16, BF16, F32, F64, I8, U8, I16, U16, I32, I64] {
                let inputs = [of(ty, x.0, x.1), list(&want.0[1..3])];
                gives::<ResizeBilinear>(attributes, &inputs, &[of(F32, want.0, want.1)]);
            }
        };
        let image = (&[1, 2, 2, 1][..], &[1.0, 2.0, 3.0, 4.0][..]);
        // At 0, 1/2, 1 and 3/2, which is the last one.
        resized(&[], image, (&[1, 2, 4, 1], &[1.0, 1.5, 2.0, 2.0, 3.0, 3.5, 4.0, 4.0]));
        resized(&[], image, (&[1, 1, 1, 1], &[1.0]));
        let corners = [("align_corners", Flag(true))];
        resized(&corners, image, (&[1, 3, 2, 1], &[1.0, 2.0, 2.0, 3.0, 3.0, 4.0]));
        // At −1/4, 1/4, 3/4 and 5/4.
        let half = [("half_pixel_centers", Flag(true))];
        resized(&half, (&[1, 1, 2, 1], &[1.0, 3.0]), (&[1, 1, 4, 1], &[1.0, 1.5, 2.5, 3.0]));
        // No image.
        resized(&[], (&[0, 1, 1, 1], &[]), (&[0, 2, 2, 1], &[]));
    }

    #[test]
    fn refusals() {
        let refused = |x: &[i32], size: &[i32], message: &str| {
            let x = of(F32, x, &vec![0.0; x.iter().product::<i32>() as usize]);
            refuses::<ResizeBilinear>(&[], &[x, list(size)], &[F32], message);
        };
        refused(&[1, 1, 1], &[1, 1], "images are [1, 1, 1]; four axes, and no empty images are needed");
        refused(&[1, 0, 1, 1], &[1, 1], "images are [1, 0, 1, 1]; four axes, and no empty images are needed");
        refused(&[1, 1, 1, 0], &[1, 1], "images are [1, 1, 1, 0]; four axes, and no empty images are needed");
        refused(&[1, 1, 1, 1], &[0, 1], "the size is [0, 1]; two positive numbers are needed");
        refused(&[1, 1, 1, 1], &[1], "the size is [1]; two positive numbers are needed");
        let both = [("align_corners", Flag(true)), ("half_pixel_centers", Flag(true))];
        let inputs = [of(F32, &[1, 1, 2, 1], &[0.0; 2]), list(&[1, 1])];
        let message = "align_corners and half_pixel_centers exclude one another";
        refuses::<ResizeBilinear>(&both, &inputs, &[F32], message);
    }
}
