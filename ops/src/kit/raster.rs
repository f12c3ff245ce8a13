//! Outputs that overwrite their input from its start: how far before the input they must begin.
//!
//! The op processes images in order: rows, and the pixels of each row. Before it writes a pixel, it reads the input
//! starting at some row and column.
//!
//! ```text
//! distance = max over pixels of (end of the pixel in the output − first byte that is read for it)
//! ```
//!
//! Since the ends ascend, everything that is read for a later pixel is beyond everything that was written before. If
//! both the ends and the first bytes are sums of one term each per image, row and column, so is the maximum.

use arenite_abi::prelude::*;

/// The distances in bytes from one image, row and pixel to the next.
#[derive(Clone, Copy, Debug)]
pub struct Steps {
    image: usize,
    row: usize,
    pixel: usize,
}

impl Steps {
    /// The distances for images with this many rows, columns, and bytes per pixel.
    pub fn new(rows: usize, columns: usize, pixel: usize) -> Steps {
        let row = columns.saturating_mul(pixel);
        Steps { image: rows.saturating_mul(row), row, pixel }
    }
}

/// Lets output 0 overwrite input 0, which consists of `images` images. `rows` and `columns` give, for each row and
/// column of the output, the first row or column of the input that is read for it, or `None` if nothing is read.
///
/// # Errors
/// The host refuses the offer.
pub fn allow_behind(
    cx: &mut PrepareContext<'_>,
    images: usize,
    input: Steps,
    output: Steps,
    rows: impl IntoIterator<Item = Option<usize>>,
    columns: impl IntoIterator<Item = Option<usize>>,
) -> Result<()> {
    let whole = images.saturating_mul(output.image);
    // A distance of at least the output's size saves no memory.
    match distance(images, input, output, rows, columns) {
        Some(bytes) if bytes < whole => cx.allow_behind(0, 0, bytes),
        _ => Ok(()),
    }
}

fn distance(
    images: usize,
    input: Steps,
    output: Steps,
    rows: impl IntoIterator<Item = Option<usize>>,
    columns: impl IntoIterator<Item = Option<usize>>,
) -> Option<usize> {
    let image = images.checked_sub(1)? as i128 * (output.image as i128 - input.image as i128);
    let row = farthest(rows, 0, input.row, output.row)?;
    let column = farthest(columns, 1, input.pixel, output.pixel)?;
    usize::try_from((image.max(0) + row + column).max(0)).ok()
}

/// The maximum of `(position + ahead) × output − first × input`.
fn farthest(
    firsts: impl IntoIterator<Item = Option<usize>>,
    ahead: usize,
    input: usize,
    output: usize,
) -> Option<i128> {
    let reads = firsts.into_iter().enumerate().filter_map(|(position, first)| Some((position, first?)));
    reads.map(|(at, first)| (at + ahead) as i128 * output as i128 - first as i128 * input as i128).max()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::average_pool_2d::AveragePool2d;
    use crate::conv_2d::Conv2d;
    use crate::depthwise_conv_2d::DepthwiseConv2d;
    use crate::max_pool_2d::MaxPool2d;
    use arenite_abi::schema::{
        Conv2DOptions, DepthwiseConv2DOptions, Pool2DOptions, ResizeBilinearOptions,
        ResizeNearestNeighborOptions, SlidingWindow, padding,
    };
    use arenite_abi::testing::{OpTest, OptionsBuilder, Spec, Tensor};

    #[test]
    fn distances() {
        let first = |list: &'static [usize]| list.iter().map(|&first| Some(first));
        // Three rows of four pixels of 2 bytes, and a window of 3 × 3 with padding: the last pixel ends at 24, and
        // reads from row 1, column 2, which is byte 12.
        let same = Steps::new(3, 4, 2);
        assert_eq!(distance(1, same, same, first(&[0, 0, 1]), first(&[0, 0, 1, 2])), Some(12));
        assert_eq!(distance(9, same, same, first(&[0, 0, 1]), first(&[0, 0, 1, 2])), Some(12));
        // Twice as many channels: 48 − 12, and 24 bytes more for each image.
        let wide = Steps::new(3, 4, 4);
        assert_eq!(distance(1, same, wide, first(&[0, 0, 1]), first(&[0, 0, 1, 2])), Some(36));
        assert_eq!(distance(3, same, wide, first(&[0, 0, 1]), first(&[0, 0, 1, 2])), Some(84));
        // A stride of two in both directions: the first pixel ends 2 bytes after the start of its window.
        assert_eq!(
            distance(2, Steps::new(4, 4, 2), Steps::new(2, 2, 2), first(&[0, 2]), first(&[0, 2])),
            Some(2)
        );
        assert_eq!(distance(0, same, same, first(&[0]), first(&[0])), None);
        assert_eq!(distance(1, same, same, [None], first(&[0])), None);
    }

    fn window<T: SlidingWindow>(o: OptionsBuilder<T>, padding: i8, stride: i32) -> OptionsBuilder<T> {
        let [rows, columns] = T::STRIDES;
        o.set(T::PADDING, padding).set(rows, stride).set(columns, stride)
    }

    fn dilated<T: SlidingWindow>(o: OptionsBuilder<T>, dilation: i32) -> OptionsBuilder<T> {
        let [rows, columns] = T::DILATIONS.unwrap();
        o.set(rows, dilation).set(columns, dilation)
    }

    /// The test harness places each output as close to its input as allowed, so a distance that is too small changes
    /// the result.
    #[test]
    fn no_window_is_overwritten_before_it_is_read() {
        for geometry in 0..3 * 3 * 2 * 2 * 2 {
            let (filter, stride) = (1 + geometry % 3, 1 + geometry / 3 % 3);
            let (padding, dilation) = ((geometry / 9 % 2) as i8, 1 + geometry / 18 % 2);
            let (height, width) = if geometry / 36 == 0 { (5, 7) } else { (8, 5) };
            let x: Vec<f32> = (0..2 * height * width * 2).map(|i| ((i * 37) % 101) as f32).collect();
            let x = Tensor::f32(&[2, height, width, 2], &x);
            let pool = |o| {
                window(o, padding, stride)
                    .set(Pool2DOptions::FILTER_WIDTH, filter)
                    .set(Pool2DOptions::FILTER_HEIGHT, filter)
            };
            OpTest::<MaxPool2d>::new().input(x.clone()).output(Spec::f32()).options(pool).run().unwrap();
            OpTest::<AveragePool2d>::new().input(x.clone()).output(Spec::f32()).options(pool).run().unwrap();
            for filters in [1, 2, 4] {
                let count = filters * filter * filter * 2;
                let weights: Vec<f32> = (0..count).map(|i| (i % 5) as f32 - 2.0).collect();
                let w = Tensor::f32(&[filters, filter, filter, 2], &weights);
                let conv = OpTest::<Conv2d>::new().input(x.clone()).constant(w).output(Spec::f32());
                conv.options(|o| dilated::<Conv2DOptions>(window(o, padding, stride), dilation))
                    .run()
                    .unwrap();
                let w = Tensor::f32(&[1, filter, filter, 2 * filters], &weights);
                let conv = OpTest::<DepthwiseConv2d>::new().input(x.clone()).constant(w).output(Spec::f32());
                conv.options(|o| dilated::<DepthwiseConv2DOptions>(window(o, padding, stride), dilation))
                    .run()
                    .unwrap();
            }
        }
    }

    #[test]
    fn common_layers_overwrite_their_input() {
        let x = || Tensor::f32(&[1, 8, 8, 1], &[1.0; 64]);
        let w = Tensor::f32(&[1, 3, 3, 1], &[1.0; 9]);
        let conv = OpTest::<Conv2d>::new().input(x()).constant(w).output(Spec::f32());
        conv.options(|o| window::<Conv2DOptions>(o, padding::SAME, 1))
            .shares(&[Sharing::Behind])
            .run()
            .unwrap();
        let pool = OpTest::<MaxPool2d>::new().input(x()).output(Spec::f32());
        let pool = pool.options(|o| {
            window(o, padding::SAME, 2)
                .set(Pool2DOptions::FILTER_WIDTH, 2)
                .set(Pool2DOptions::FILTER_HEIGHT, 2)
        });
        pool.shares(&[Sharing::Behind]).run().unwrap();
    }

    #[test]
    fn resizes_and_paddings_overwrite_their_input() {
        use crate::{mirror_pad::MirrorPad, pad::Pad};
        use crate::{resize_bilinear::ResizeBilinear, resize_nearest_neighbor::ResizeNearestNeighbor};
        let x: Vec<f32> = (0..2 * 4 * 5 * 2).map(|i| i as f32).collect();
        let (x, q) = (
            Tensor::f32(&[2, 4, 5, 2], &x),
            Tensor::i8(&[1, 5, 4, 1], &core::array::from_fn::<i8, 20, _>(|i| i as i8)),
        );
        for size in [[4, 5], [8, 10], [2, 3], [3, 9], [9, 2]] {
            for (corners, half) in [(false, false), (true, false), (false, true)] {
                let size = Tensor::i32(&[2], &size);
                for (x, out) in [(&x, Spec::f32()), (&q, Spec::of(I8))] {
                    let test = OpTest::<ResizeBilinear>::new().input(x.clone()).constant(size.clone());
                    test.output(out.clone())
                        .options(|o| {
                            o.set(ResizeBilinearOptions::ALIGN_CORNERS, corners)
                                .set(ResizeBilinearOptions::HALF_PIXEL_CENTERS, half)
                        })
                        .run()
                        .unwrap();
                    let test = OpTest::<ResizeNearestNeighbor>::new().input(x.clone()).constant(size.clone());
                    test.output(out)
                        .options(|o| {
                            o.set(ResizeNearestNeighborOptions::ALIGN_CORNERS, corners)
                                .set(ResizeNearestNeighborOptions::HALF_PIXEL_CENTERS, half)
                        })
                        .run()
                        .unwrap();
                }
            }
        }
        for paddings in [[0, 0, 1, 2, 0, 0, 1, 0], [1, 0, 0, 1, 2, 2, 0, 0], [0, 0, 0, 0, 1, 1, 0, 0]] {
            let paddings = Tensor::i32(&[4, 2], &paddings);
            let pad = OpTest::<Pad>::new().input(x.clone()).constant(paddings.clone()).output(Spec::f32());
            pad.shares(&[Sharing::Behind]).run().unwrap();
            let mirror = OpTest::<MirrorPad>::new().input(x.clone()).constant(paddings).output(Spec::f32());
            mirror.shares(&[Sharing::Behind]).run().unwrap();
        }
        // With rows of one element, the nest is a single run with a stride.
        let column = Tensor::f32(&[3, 1], &[1.0, 2.0, 3.0]);
        let pad = OpTest::<Pad>::new().input(column).constant(Tensor::i32(&[2, 2], &[0, 0, 1, 1]));
        let padded = pad.output(Spec::f32()).shares(&[Sharing::Behind]).run().unwrap();
        assert_eq!(padded[0].as_f32(), [0.0, 1.0, 0.0, 0.0, 2.0, 0.0, 0.0, 3.0, 0.0]);
    }
}
