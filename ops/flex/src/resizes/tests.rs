//! Tests the results and the errors of the ops.

mod resize_area {
    use crate::kit::testing::cases::*;
    use crate::resizes::ResizeArea;

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
        // Each new pixel covers two thirds of an old one; the middle one covers a third of both.
        resized(&[], (&[1, 1, 2, 1], &[1.0, 3.0]), (&[1, 1, 3, 1], &[1.0, 2.0, 3.0]));
        resized(&[], (&[1, 2, 2, 1], &[1.0, 2.0, 3.0, 4.0]), (&[1, 1, 1, 1], &[2.5]));
        // One pixel is repeated.
        resized(&[("align_corners", Flag(true))], (&[1, 1, 1, 1], &[5.0]), (&[1, 2, 1, 1], &[5.0, 5.0]));
        // An empty batch.
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

mod resize_bicubic {
    use crate::kit::testing::cases::*;
    use crate::resizes::ResizeBicubic;

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
        // Halfway the weights are −3/32, 19/32, 19/32, −3/32, applied to 1, 1, 3, 3 and then to 1, 3, 3, 3.
        resized(&[], row, (&[1, 1, 4, 1], &[1.0, 2.0, 3.0, 3.1875]));
        resized(&[("align_corners", Flag(true))], row, (&[1, 1, 3, 1], &[1.0, 2.0, 3.0]));
        // At −1/4 the weights are 111/128 for 1 and −9/128 for 3; at 1/4 they are 111/128 for 1 and 29/128 for 3. Both
        // are divided by their sum.
        let (first, second) = (84.0 / 102.0, 198.0 / 140.0);
        let half = [("half_pixel_centers", Flag(true))];
        resized(&half, row, (&[1, 1, 4, 1], &[first, second, 4.0 - second, 4.0 - first]));
        // An empty batch.
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

mod resize_bilinear {
    use crate::kit::testing::cases::*;
    use crate::resizes::ResizeBilinear;

    #[test]
    fn values() {
        let resized = |attributes: &[_], x: (&[i32], &[f64]), want: (&[i32], &[f64])| {
            for &ty in &[F16, BF16, F32, F64, I8, U8, I16, U16, I32, I64] {
                let inputs = [of(ty, x.0, x.1), list(&want.0[1..3])];
                gives::<ResizeBilinear>(attributes, &inputs, &[of(F32, want.0, want.1)]);
            }
        };
        let image = (&[1, 2, 2, 1][..], &[1.0, 2.0, 3.0, 4.0][..]);
        // Samples at 0, 1/2, 1 and 3/2; the last one is clamped.
        resized(&[], image, (&[1, 2, 4, 1], &[1.0, 1.5, 2.0, 2.0, 3.0, 3.5, 4.0, 4.0]));
        resized(&[], image, (&[1, 1, 1, 1], &[1.0]));
        let corners = [("align_corners", Flag(true))];
        resized(&corners, image, (&[1, 3, 2, 1], &[1.0, 2.0, 2.0, 3.0, 3.0, 4.0]));
        // Samples at −1/4, 1/4, 3/4 and 5/4.
        let half = [("half_pixel_centers", Flag(true))];
        resized(&half, (&[1, 1, 2, 1], &[1.0, 3.0]), (&[1, 1, 4, 1], &[1.0, 1.5, 2.5, 3.0]));
        // An empty batch.
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

mod resize_nearest_neighbor {
    use crate::kit::testing::cases::*;
    use crate::resizes::ResizeNearestNeighbor;

    #[test]
    fn values() {
        let resized = |attributes: &[_], x: (&[i32], &[f64]), want: (&[i32], &[f64])| {
            for &ty in &[F16, BF16, F32, F64, I8, U8, I16, U16, I32, I64] {
                let inputs = [of(ty, x.0, x.1), list(&want.0[1..3])];
                gives::<ResizeNearestNeighbor>(attributes, &inputs, &[of(ty, want.0, want.1)]);
            }
        };
        let row = (&[1, 1, 2, 1][..], &[1.0, 3.0][..]);
        resized(&[], row, (&[1, 1, 3, 1], &[1.0, 1.0, 3.0]));
        resized(&[], row, (&[1, 2, 1, 1], &[1.0, 1.0]));
        // Samples at 0, 1/2 and 1.
        resized(&[("align_corners", Flag(true))], row, (&[1, 1, 3, 1], &[1.0, 3.0, 3.0]));
        // Samples at 1/3, 1 and 5/3.
        resized(&[("half_pixel_centers", Flag(true))], row, (&[1, 1, 3, 1], &[1.0, 3.0, 3.0]));
        let depth = (&[1, 2, 1, 2][..], &[1.0, 2.0, 3.0, 4.0][..]);
        resized(&[], depth, (&[1, 4, 1, 2], &[1.0, 2.0, 1.0, 2.0, 3.0, 4.0, 3.0, 4.0]));
        // An empty batch.
        resized(&[], (&[0, 1, 1, 1], &[]), (&[0, 2, 2, 1], &[]));
    }

    #[test]
    fn refusals() {
        let refused = |x: &[i32], size: &[i32], message: &str| {
            let x = of(F32, x, &vec![0.0; x.iter().product::<i32>() as usize]);
            refuses::<ResizeNearestNeighbor>(&[], &[x, list(size)], &[F32], message);
        };
        refused(&[1, 1, 1], &[1, 1], "images are [1, 1, 1]; four axes, and no empty images are needed");
        refused(&[1, 0, 1, 1], &[1, 1], "images are [1, 0, 1, 1]; four axes, and no empty images are needed");
        refused(&[1, 1, 1, 0], &[1, 1], "images are [1, 1, 1, 0]; four axes, and no empty images are needed");
        refused(&[1, 1, 1, 1], &[0, 1], "the size is [0, 1]; two positive numbers are needed");
        refused(&[1, 1, 1, 1], &[1], "the size is [1]; two positive numbers are needed");
        let both = [("align_corners", Flag(true)), ("half_pixel_centers", Flag(true))];
        let inputs = [of(F32, &[1, 1, 2, 1], &[0.0; 2]), list(&[1, 1])];
        let message = "align_corners and half_pixel_centers exclude one another";
        refuses::<ResizeNearestNeighbor>(&both, &inputs, &[F32], message);
    }
}
