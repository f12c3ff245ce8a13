//! RESIZE_BILINEAR: each pixel is the weighted mean of the four input pixels around its position.
//!
//! f32 and u8 use f32 weights, and u8 rounds half up; i8 and i16 use weights with 10 fraction bits, and round half away
//! from zero.
//!
//! Defined by: tflite/kernels/resize_bilinear.cc.
//!
//! ```text
//! low ──── fraction ────┐     rows: low and high, columns: low and high
//!  x            ·       x     value = Σ pixel × row weight × column weight
//! ```

use arenite_abi::prelude::*;
use arenite_abi::schema::ResizeBilinearOptions;
use arenite_abi::tensor::cells_of;

use crate::kit::quantized::Quantized;
use crate::kit::resize::{Alignment, Images, Resize, Sizes};

plain! {
    /// A prepared `RESIZE_BILINEAR` node.
    pub struct ResizeBilinear(Resize);
}

/// Two neighbors along an axis and the distance from the lower one, in units of `T`.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Interpolation<T> {
    low: usize,
    high: usize,
    distance: T,
}

impl Op for ResizeBilinear {
    const CODE: OpCode = OpCode::Builtin(op::RESIZE_BILINEAR);
    const VERSIONS: RangeInclusive<i32> = 1..=4;
    const OUTPUT_TYPE: OutputType = OutputType::Input(0);
    const SHARING: Sharing = Sharing::Behind;
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let options = node.options()?;
        let alignment = Alignment::new(
            options.get(ResizeBilinearOptions::ALIGN_CORNERS)?,
            options.get(ResizeBilinearOptions::HALF_PIXEL_CENTERS)?,
        );
        ensure!(
            alignment != Alignment::CornersAndHalfPixel,
            "align_corners and half_pixel_centers are both set; at most one may be"
        );
        let ty = node.input(0)?.ty;
        if !matches!(ty, F32 | U8 | I8 | I16) {
            return Err(Error::unsupported("RESIZE_BILINEAR", ty));
        }
        let resize = Resize::prepare(node, cx, alignment, 1)?;
        resize.allow_behind(node, cx, |sizes, at| match ty {
            F32 | U8 => between(sizes, at, alignment).low,
            _ => between_in_fixed_point(sizes, at, alignment).low,
        })?;
        Ok(ResizeBilinear(resize))
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        match cx.node().input(0)?.ty {
            F32 => self.by_reals(cx, |x: f32| x, |mean| mean),
            // The cast rounds down, since means are not negative.
            U8 => self.by_reals(cx, |x: u8| f32::from(x), |mean| (mean + 0.5) as u8),
            I8 => self.by_integers::<i8>(cx),
            I16 => self.by_integers::<i16>(cx),
            ty => Err(Error::unsupported("RESIZE_BILINEAR", ty)),
        }
    }
}

impl ResizeBilinear {
    fn by_reals<T: Element>(
        &self,
        cx: &EvalContext<'_>,
        real: impl Fn(T) -> f32,
        finish: impl Fn(f32) -> T,
    ) -> Result<()> {
        let alignment = self.0.alignment;
        self.interpolate(
            cx,
            |sizes, at| between(sizes, at, alignment),
            |[a, b, c, d], y: f32, x: f32| {
                let mean = real(a) * ((1.0 - y) * (1.0 - x))
                    + real(b) * ((1.0 - y) * x)
                    + real(c) * (y * (1.0 - x))
                    + real(d) * (y * x);
                finish(mean)
            },
        )
    }

    fn by_integers<T: Quantized>(&self, cx: &EvalContext<'_>) -> Result<()> {
        let alignment = self.0.alignment;
        self.interpolate(
            cx,
            |sizes, at| between_in_fixed_point(sizes, at, alignment),
            |pixels, y: i64, x: i64| {
                let [a, b, c, d] = pixels.map(|x: T| i64::from(x.into()));
                let sum = a * (ONE - y) * (ONE - x) + b * (ONE - y) * x + c * y * (ONE - x) + d * y * x;
                let half = if sum > 0 { ONE * ONE / 2 } else { -(ONE * ONE / 2) };
                T::saturate(((sum + half) / (ONE * ONE)) as i32)
            },
        )
    }

    /// `place` finds the neighbors along an axis. `mean` combines `[low row: low, high column, high row: low, high]`
    /// with the distances of row and column.
    fn interpolate<T: Element, D: Copy>(
        &self,
        cx: &EvalContext<'_>,
        place: impl Fn(Sizes, usize) -> Interpolation<D>,
        mean: impl Fn([T; 4], D, D) -> T,
    ) -> Result<()> {
        let input = cx.input_cells::<T>(0)?;
        let (output, images) =
            self.0.output(cx, || cx.output_cells::<T>(0), |y| Ok(cells_of(y.into_slice()?)))?;
        let Some(images) = images else { return Ok(()) };
        let Images { rows, columns, channels } = images;
        let outputs = output.chunks_exact(images.output());
        for (input, output) in input.chunks_exact(images.input()).zip(outputs) {
            for (y, line) in output.chunks_exact(columns.output * channels).enumerate() {
                let row = place(rows, y);
                for (x, pixel) in line.chunks_exact(channels).enumerate() {
                    let column = place(columns, x);
                    let at = |row, column| images.pixel(input, row, column);
                    let low = at(row.low, column.low).iter().zip(at(row.low, column.high).iter());
                    let high = at(row.high, column.low).iter().zip(at(row.high, column.high).iter());
                    for (out, ((a, b), (c, d))) in pixel.iter().zip(low.zip(high)) {
                        out.set(mean([a, b, c, d], row.distance, column.distance));
                    }
                }
            }
        }
        Ok(())
    }
}

fn between(sizes: Sizes, position: usize, alignment: Alignment) -> Interpolation<f32> {
    let scale = sizes.scale(alignment);
    let at = match alignment {
        Alignment::HalfPixel => (position as f32 + 0.5) * scale - 0.5,
        _ => position as f32 * scale,
    };
    // Casts saturate at 0, so both neighbors are the first pixel if the position is before its center.
    let low = (libm::floorf(at) as usize).min(sizes.input - 1);
    let high = (libm::ceilf(at) as usize).min(sizes.input - 1);
    Interpolation { low, high, distance: at - low as f32 }
}

/// The number one in fixed point.
const ONE: i64 = 1 << 10;

fn between_in_fixed_point(sizes: Sizes, position: usize, alignment: Alignment) -> Interpolation<i64> {
    let (mut input, mut output) = (sizes.input as i64, sizes.output as i64);
    if alignment.aligns_corners() && output > 1 {
        (input, output) = (input - 1, output - 1);
    }
    let scale = (ONE * input + output / 2) / output;
    let at = match alignment {
        Alignment::HalfPixel => position as i64 * scale + scale / 2 - ONE / 2,
        _ => position as i64 * scale,
    };
    let last = sizes.input - 1;
    let low = ((at / ONE).max(0) as usize).min(last);
    let high = (((at + ONE - 1) / ONE).max(0) as usize).min(last);
    Interpolation { low, high, distance: at - ONE * low as i64 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, OptionsBuilder, Spec, Tensor};

    fn test(x: Tensor, size: [i32; 2], out: Spec) -> OpTest<ResizeBilinear> {
        OpTest::new().input(x).constant(Tensor::i32(&[2], &size)).output(out)
    }

    fn half_pixel(o: OptionsBuilder<ResizeBilinearOptions>) -> OptionsBuilder<ResizeBilinearOptions> {
        o.set(ResizeBilinearOptions::HALF_PIXEL_CENTERS, true)
    }

    fn align_corners(o: OptionsBuilder<ResizeBilinearOptions>) -> OptionsBuilder<ResizeBilinearOptions> {
        o.set(ResizeBilinearOptions::ALIGN_CORNERS, true)
    }

    #[test]
    fn float() {
        let x = || Tensor::f32(&[1, 2, 2, 1], &[0.0, 8.0, 16.0, 24.0]);
        let out = test(x(), [2, 4], Spec::f32()).run().unwrap();
        assert_eq!(out[0].as_f32(), [0.0, 4.0, 8.0, 8.0, 16.0, 20.0, 24.0, 24.0]);
        let out = test(x(), [2, 4], Spec::f32()).options(half_pixel).run().unwrap();
        assert_eq!(out[0].as_f32(), [0.0, 2.0, 6.0, 8.0, 16.0, 18.0, 22.0, 24.0]);
        let out = test(x(), [3, 3], Spec::f32()).options(align_corners).run().unwrap();
        assert_eq!(out[0].as_f32(), [0.0, 4.0, 8.0, 8.0, 12.0, 16.0, 16.0, 20.0, 24.0]);
        // Channels and images are resized separately; a size that is known only in eval gives the same as a constant
        // one.
        let x = Tensor::f32(&[2, 1, 2, 2], &[0.0, 1.0, 2.0, 3.0, 10.0, 20.0, 30.0, 40.0]);
        let want = [1.0, 2.0, 20.0, 30.0];
        let dynamic = OpTest::<ResizeBilinear>::new().input(x.clone()).input(Tensor::i32(&[2], &[1, 1]));
        for test in [test(x, [1, 1], Spec::f32()), dynamic.output(Spec::f32())] {
            let out = test.options(half_pixel).run().unwrap();
            assert_eq!((out[0].shape(), out[0].as_f32()), (&[2, 1, 1, 2][..], want.to_vec()));
        }
    }

    #[test]
    fn integers_round() {
        // Halfway between 1 and 2, and between -1 and -2.
        let out = test(Tensor::u8(&[1, 1, 2, 1], &[1, 2]), [1, 4], Spec::of(U8)).run().unwrap();
        assert_eq!(out[0].as_u8(), [1, 2, 2, 2]);
        let out = test(Tensor::i8(&[1, 1, 2, 1], &[-1, -2]), [1, 4], Spec::of(I8)).run().unwrap();
        assert_eq!(out[0].as_i8(), [-1, -2, -2, -2]);
        let x = Tensor::i16(&[1, 1, 2, 1], &[-32768, 32767]);
        let out = test(x, [1, 3], Spec::of(I16)).options(align_corners).run().unwrap();
        // -0.5, away from zero.
        assert_eq!(out[0].as_i16(), [-32768, -1, 32767]);
    }

    #[test]
    fn positions_stay_inside() {
        for alignment in [Alignment::Corner, Alignment::Corners, Alignment::HalfPixel] {
            for (input, output) in
                [(1, 1), (1, 9), (7, 3), (4, 100_001), (100_001, 4), (3, i32::MAX as usize)]
            {
                let sizes = Sizes { input, output };
                for position in [0, output / 3, output - 1] {
                    let real = between(sizes, position, alignment);
                    let fixed = between_in_fixed_point(sizes, position, alignment);
                    assert!(real.low <= real.high && real.high < input, "{sizes:?} {real:?}");
                    assert!(fixed.low <= fixed.high && fixed.high < input, "{sizes:?} {fixed:?}");
                }
            }
        }
    }
}
