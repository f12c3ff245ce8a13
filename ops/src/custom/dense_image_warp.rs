//! DenseImageWarp: moves each pixel by `flow` (down, right), interpolating between four pixels. f32.
//! Defined by: tflite/kernels/perception/dense_image_warp.cc.
//!
//! ```text
//! y[b, i, j] = x[b, i − flow[b, i, j, 0], j − flow[b, i, j, 1]]      positions are clamped to the image
//! ```

use arenite_abi::prelude::*;

use crate::kit::float;
use crate::kit::pace::Pace;

plain! {
    /// A prepared `DenseImageWarp` node: height, width, channels.
    pub struct DenseImageWarp([usize; 3]);
}

impl Op for DenseImageWarp {
    const CODE: OpCode = OpCode::Custom("DenseImageWarp");
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const TYPES: ElementTypes = ElementTypes::of(&[F32]);
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let (x, flow, _) = node.binary()?;
        let &[batches, height, width, channels] = x.shape else {
            return Err(invalid!("{x} is {:?}; images have four axes", x.shape));
        };
        ensure!(
            flow.shape == [batches, height, width, 2],
            "flow {flow} is {:?}; for images {:?} it must be [{batches}, {height}, {width}, 2]",
            flow.shape,
            x.shape
        );
        ensure!(height >= 2 && width >= 2, "{x} has {height} × {width} pixels; at least 2 × 2 are needed");
        cx.set_output_shape(0, x.shape)?;
        Ok(DenseImageWarp([height as usize, width as usize, channels as usize]))
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let (x, flow) = (cx.input_slice::<f32>(0)?, cx.input_slice::<f32>(1)?);
        let y = cx.output_slice::<f32>(0)?;
        let [height, width, channels] = self.0;
        if channels == 0 {
            return Ok(());
        }
        let mut pace = Pace::new(cx);
        for (p, (y, flow)) in y.chunks_exact_mut(channels).zip(flow.as_chunks::<2>().0).enumerate() {
            pace.ahead(4 * channels)?;
            let (image, row, column) = (p / (height * width), p / width % height, p % width);
            let (top, down) = between(row as f32 - flow[0], height);
            let (left, right) = between(column as f32 - flow[1], width);
            let first = ((image * height + top) * width + left) * channels;
            for (c, y) in y.iter_mut().enumerate() {
                let at = |down: usize, right: usize| x[first + (down * width + right) * channels + c];
                let above = right * (at(0, 1) - at(0, 0)) + at(0, 0);
                let below = right * (at(1, 1) - at(1, 0)) + at(1, 0);
                *y = down * (below - above) + above;
            }
        }
        Ok(())
    }
}

/// The last pixel at or before `position` that has a successor, and the distance from it, 0 to 1.
fn between(position: f32, size: usize) -> (usize, f32) {
    let floor = float::floor(position);
    // In the reference's machine code, a number that does not fit i32 becomes the least i32.
    let floor = if floor < -(i32::MIN as f32) { floor as i32 } else { i32::MIN };
    let first = floor.max(0).min(size as i32 - 2);
    let beyond = position - first as f32;
    // NaN counts as 0.
    let beyond = if beyond > 0.0 { beyond } else { 0.0 };
    (first as usize, if beyond > 1.0 { 1.0 } else { beyond })
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn warp(shape: &[i32], x: &[f32], flow: &[f32]) -> Vec<f32> {
        let flow_shape = [shape[0], shape[1], shape[2], 2];
        let test = OpTest::<DenseImageWarp>::new().input(Tensor::f32(shape, x));
        let y = test.input(Tensor::f32(&flow_shape, flow)).output(Spec::f32()).run().unwrap();
        assert_eq!(y[0].shape(), shape);
        y[0].as_f32()
    }

    #[test]
    fn pixels_move() {
        let x = [1., 2., 3., 4., 5., 6.];
        assert_eq!(warp(&[1, 2, 3, 1], &x, &[0.0; 12]), x);
        // Down by 1, from the right by 1, by half a pixel, out of the image, and NaN.
        let flow = [1., 0., 0., -1., 0., 0.5, 1.0, 0.0, -9., 9., f32::NAN, f32::NAN];
        assert_eq!(warp(&[1, 2, 3, 1], &x, &flow), [1., 3., 2.5, 1., 4., 1.]);
        // A quarter down and right, in the second of two images with two channels.
        let x: Vec<f32> = (0..16).map(|i| (i * i) as f32).collect();
        let mut flow = [0.0; 16];
        (flow[14], flow[15]) = (0.75, 0.75);
        let mut want = x.clone();
        for c in 0..2 {
            let at = |i: usize| x[8 + 2 * i + c];
            let (above, below) = (0.75 * at(0) + 0.25 * at(1), 0.75 * at(2) + 0.25 * at(3));
            want[14 + c] = 0.75 * above + 0.25 * below;
        }
        assert_eq!(warp(&[2, 2, 2, 2], &x, &flow), want);
    }

    #[test]
    fn far_away() {
        let x = [1., 2., 3., 4.];
        let flow = [-1e9, -1e9, 1e30, 1e30, f32::INFINITY, 0.0, 0.0, f32::NEG_INFINITY];
        assert_eq!(warp(&[1, 2, 2, 1], &x, &flow), [4., 1., 1., 4.]);
    }
}
