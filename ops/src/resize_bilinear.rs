//! RESIZE_BILINEAR: each pixel is the weighted mean of the four that surround its place in the input.
//!
//! f32 and u8 by f32 weights, u8 rounded half up; i8 and i16 by weights with 10 binary digits, rounded half away from
//! zero.
//!
//! Defined by: tflite/kernels/resize_bilinear.cc.
//!
//! ```text
//! low ──── fraction ────┐     rows: low and high, columns: low and high
//!  x            ·       x     value = Σ pixel × row weight × column weight
//! ```

use arenite_abi::prelude::*;

use crate::kit::integer::Quantized;
use crate::kit::resize::{Alignment, Images, Resize, Sizes};

const OPTIONS: u32 = 15;
const ALIGN_CORNERS: usize = 2;
const HALF_PIXEL_CENTERS: usize = 3;

/// Prepared node.
pub struct ResizeBilinear(Resize);

/// Two neighbours along an axis and the distance from the lower one, in units of `T`.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Between<T> {
    low: usize,
    high: usize,
    distance: T,
}

impl Op for ResizeBilinear {
    const CODE: OpCode = OpCode::Builtin(23);
    const VERSIONS: RangeInclusive<i32> = 1..=4;

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let alignment = Alignment::read(&node.options(OPTIONS)?, ALIGN_CORNERS, HALF_PIXEL_CENTERS)?;
        ensure!(
            alignment != Alignment::CornersAndHalfPixel,
            "align_corners and half_pixel_centers are both set; at most one may be"
        );
        let ty = node.input(0)?.ty;
        if !matches!(ty, F32 | U8 | I8 | I16) {
            return Err(Error::unsupported("RESIZE_BILINEAR", ty));
        }
        Resize::prepare(node, cx, alignment, 1).map(ResizeBilinear)
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        match cx.input(0)?.ty {
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
        self.interpolate(cx, |sizes, at| between(sizes, at, alignment), |[a, b, c, d], y: f32, x: f32| {
            let mean = real(a) * ((1.0 - y) * (1.0 - x))
                + real(b) * ((1.0 - y) * x)
                + real(c) * (y * (1.0 - x))
                + real(d) * (y * x);
            finish(mean)
        })
    }

    fn by_integers<T: Quantized>(&self, cx: &EvalContext<'_>) -> Result<()> {
        let alignment = self.0.alignment;
        self.interpolate(cx, |sizes, at| between_in_fixed_point(sizes, at, alignment), |pixels, y: i64, x: i64| {
            let [a, b, c, d] = pixels.map(|x: T| i64::from(x.into()));
            let sum = a * (ONE - y) * (ONE - x) + b * (ONE - y) * x + c * y * (ONE - x) + d * y * x;
            let half = if sum > 0 { ONE * ONE / 2 } else { -(ONE * ONE / 2) };
            T::saturate(((sum + half) / (ONE * ONE)) as i32)
        })
    }

    /// `place` finds the neighbours along an axis; `mean` is of `[low row: low, high column, high row: low, high]`, by
    /// the distances of row and column.
    fn interpolate<T: Element, D: Copy>(
        &self,
        cx: &EvalContext<'_>,
        place: impl Fn(Sizes, usize) -> Between<D>,
        mean: impl Fn([T; 4], D, D) -> T,
    ) -> Result<()> {
        let input = cx.input(0)?.as_slice::<T>()?;
        let (output, Some(images)) = self.0.output(cx)? else { return Ok(()) };
        let Images { rows, columns, channels } = images;
        let outputs = output.into_slice::<T>()?.chunks_exact_mut(images.output());
        for (input, output) in input.chunks_exact(images.input()).zip(outputs) {
            for (y, line) in output.chunks_exact_mut(columns.output * channels).enumerate() {
                let row = place(rows, y);
                for (x, pixel) in line.chunks_exact_mut(channels).enumerate() {
                    let column = place(columns, x);
                    let at = |row, column| images.pixel(input, row, column);
                    let low = at(row.low, column.low).iter().zip(at(row.low, column.high));
                    let high = at(row.high, column.low).iter().zip(at(row.high, column.high));
                    for (out, ((&a, &b), (&c, &d))) in pixel.iter_mut().zip(low.zip(high)) {
                        *out = mean([a, b, c, d], row.distance, column.distance);
                    }
                }
            }
        }
        Ok(())
    }
}

fn between(sizes: Sizes, position: usize, alignment: Alignment) -> Between<f32> {
    let scale = sizes.scale(alignment);
    let at = match alignment {
        Alignment::HalfPixel => (position as f32 + 0.5) * scale - 0.5,
        _ => position as f32 * scale,
    };
    // Casts saturate at 0, so that both neighbours are the first pixel in front of its centre.
    let low = (libm::floorf(at) as usize).min(sizes.input - 1);
    let high = (libm::ceilf(at) as usize).min(sizes.input - 1);
    Between { low, high, distance: at - low as f32 }
}

/// One in fixed point.
const ONE: i64 = 1 << 10;

fn between_in_fixed_point(sizes: Sizes, position: usize, alignment: Alignment) -> Between<i64> {
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
    Between { low, high, distance: at - ONE * low as i64 }
}
