//! RESIZE_NEAREST_NEIGHBOR: each pixel is a copy of the nearest input pixel. All types of 8, 16 and 32 bits.
//! Defined by: tflite/kernels/resize_nearest_neighbor.cc; 8-bit types follow its integer kernel.

use arenite_abi::prelude::*;
use arenite_abi::schema::ResizeNearestNeighborOptions;
use arenite_abi::tensor::cells_of;

use crate::kit::requantize::round_f32;
use crate::kit::resize::{Alignment, Images, Resize, Sizes};

plain! {
    /// A prepared `RESIZE_NEAREST_NEIGHBOR` node.
    pub struct ResizeNearestNeighbor(Resize);
}

impl Op for ResizeNearestNeighbor {
    const CODE: OpCode = OpCode::Builtin(op::RESIZE_NEAREST_NEIGHBOR);
    const VERSIONS: RangeInclusive<i32> = 1..=4;
    const OUTPUT_TYPE: OutputType = OutputType::Input(0);
    const SHARING: Sharing = Sharing::Behind;
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let options = node.options()?;
        let alignment = Alignment::new(
            options.get(ResizeNearestNeighborOptions::ALIGN_CORNERS)?,
            options.get(ResizeNearestNeighborOptions::HALF_PIXEL_CENTERS)?,
        );
        let ty = node.input(0)?.ty;
        if !matches!(ty.bits(), 8 | 16 | 32) {
            return Err(Error::unsupported("RESIZE_NEAREST_NEIGHBOR", ty));
        }
        let this = ResizeNearestNeighbor(Resize::prepare(node, cx, alignment, 0)?);
        let bytes = ty.bits() as usize / 8;
        this.0.allow_behind(node, cx, |sizes, position| this.nearest(bytes, sizes, position))?;
        Ok(this)
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let bytes = cx.node().input(0)?.ty.bits() as usize / 8;
        let (to, images) = self.0.output(cx, || cx.output_byte_cells(0), |y| Ok(cells_of(y.into_bytes())))?;
        let Some(images) = images else { return Ok(()) };
        // From here on, a pixel is counted in bytes.
        let images = Images { channels: images.channels * bytes, ..images };
        let Images { rows, columns, channels } = images;
        let inputs = cx.input_byte_cells(0)?.chunks_exact(images.input());
        for (input, output) in inputs.zip(to.chunks_exact(images.output())) {
            for (y, row) in output.chunks_exact(columns.output * channels).enumerate() {
                let in_y = self.nearest(bytes, rows, y);
                for (x, pixel) in row.chunks_exact(channels).enumerate() {
                    images.pixel(input, in_y, self.nearest(bytes, columns, x)).copy_to(pixel);
                }
            }
        }
        Ok(())
    }
}

impl ResizeNearestNeighbor {
    /// The input position for an output position, for elements of `bytes` bytes.
    fn nearest(&self, bytes: usize, sizes: Sizes, position: usize) -> usize {
        match (bytes, self.0.alignment) {
            (1, Alignment::Corner) => nearest_in_fixed_point(sizes, position),
            (_, alignment) => nearest(sizes, position, alignment),
        }
    }
}

/// The input position for an output position, computed in f32.
fn nearest(sizes: Sizes, position: usize, alignment: Alignment) -> usize {
    let offset = if alignment.is_half_pixel() { 0.5 } else { 0.0 };
    let at = (position as f32 + offset) * sizes.scale(alignment);
    let at = if alignment.aligns_corners() { round_f32(at) } else { at };
    // Positions are never negative, so the cast rounds down.
    (at as usize).min(sizes.input - 1)
}

/// The same with a scale of 16 fraction bits, rounded up, for pixels aligned at their corners.
fn nearest_in_fixed_point(sizes: Sizes, position: usize) -> usize {
    let (input, output) = (sizes.input as u64, sizes.output as u64);
    let scale = (input << 16) / output + 1;
    ((position as u64 * scale) >> 16).min(input - 1) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    #[test]
    fn positions() {
        use Alignment::{Corner, Corners, CornersAndHalfPixel, HalfPixel};
        let cases: [(usize, usize, Alignment, &[usize]); 7] = [
            (2, 4, Corner, &[0, 0, 1, 1]),
            (3, 2, Corner, &[0, 1]),
            // Scale 2/3: 0, 0.67, 1.33, 2.
            (3, 4, Corners, &[0, 1, 1, 2]),
            // Scale 3/2: 0.75, 2.25.
            (3, 2, HalfPixel, &[0, 2]),
            (2, 4, HalfPixel, &[0, 0, 1, 1]),
            // Scale 1/3, half a pixel in, to the nearest: 0.17, 0.5, 0.83, 1.17.
            (2, 4, CornersAndHalfPixel, &[0, 1, 1, 1]),
            (5, 1, Corners, &[0]),
        ];
        for (input, output, alignment, want) in cases {
            let sizes = Sizes { input, output };
            let got: Vec<_> = (0..output).map(|p| nearest(sizes, p, alignment)).collect();
            assert_eq!(got, want, "{input} to {output}, {alignment:?}");
            if alignment == Corner {
                let got: Vec<_> = (0..output).map(|p| nearest_in_fixed_point(sizes, p)).collect();
                assert_eq!(got, want, "{input} to {output} in fixed point");
            }
        }
    }

    fn test(x: Tensor, size: [i32; 2], out: Spec) -> OpTest<ResizeNearestNeighbor> {
        OpTest::new().input(x).constant(Tensor::i32(&[2], &size)).output(out)
    }

    #[test]
    fn copies_pixels() {
        let x = Tensor::i8(&[1, 2, 1, 2], &[1, 2, 3, 4]);
        let out = test(x, [2, 2], Spec::of(I8)).run().unwrap();
        assert_eq!(out[0].as_i8(), [1, 2, 1, 2, 3, 4, 3, 4]);
        let x = Tensor::i16(&[2, 1, 2, 1], &[1, 2, 3, 4]);
        let out = test(x, [1, 1], Spec::of(I16))
            .options(|o| o.set(ResizeNearestNeighborOptions::HALF_PIXEL_CENTERS, true))
            .run()
            .unwrap();
        assert_eq!(out[0].as_i16(), [2, 4]);
        let x = Tensor::f32(&[1, 1, 2, 1], &[1.5, -2.5]);
        // The size is not constant, so the output is dynamic.
        let test = OpTest::<ResizeNearestNeighbor>::new().input(x).input(Tensor::i32(&[2], &[1, 4]));
        let out = test.output(Spec::f32()).run().unwrap();
        assert_eq!((out[0].shape(), out[0].as_f32()), (&[1, 1, 4, 1][..], vec![1.5, 1.5, -2.5, -2.5]));
    }
}
