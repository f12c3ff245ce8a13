//! RESIZE_NEAREST_NEIGHBOR: each pixel is a copy of the nearest one of the input. All types of 8, 16 and 32 bits.
//! Defined by: tflite/kernels/resize_nearest_neighbor.cc; 8-bit types as of its integer kernel.

use arenite_abi::prelude::*;

use crate::kit::requantize::round_f32;
use crate::kit::resize::{Alignment, Images, Resize, Sizes};

const OPTIONS: u32 = 74;
const ALIGN_CORNERS: usize = 0;
const HALF_PIXEL_CENTERS: usize = 1;

/// Prepared node.
pub struct ResizeNearestNeighbor(Resize);

impl Op for ResizeNearestNeighbor {
    const CODE: OpCode = OpCode::Builtin(97);
    const VERSIONS: RangeInclusive<i32> = 1..=4;

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let alignment = Alignment::read(&node.options(OPTIONS)?, ALIGN_CORNERS, HALF_PIXEL_CENTERS)?;
        let ty = node.input(0)?.ty;
        if !matches!(ty.bits(), 8 | 16 | 32) {
            return Err(Error::unsupported("RESIZE_NEAREST_NEIGHBOR", ty));
        }
        Resize::prepare(node, cx, alignment, 0).map(ResizeNearestNeighbor)
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let alignment = self.0.alignment;
        let real = move |sizes: Sizes, position: usize| nearest(sizes, position, alignment);
        match cx.input(0)?.ty.bits() {
            8 if alignment == Alignment::Corner => self.copy::<u8>(cx, nearest_in_fixed_point),
            8 => self.copy::<u8>(cx, real),
            16 => self.copy::<u16>(cx, real),
            _ => self.copy::<u32>(cx, real),
        }
    }
}

impl ResizeNearestNeighbor {
    fn copy<T: Copy + Word>(
        &self,
        cx: &EvalContext<'_>,
        nearest: impl Fn(Sizes, usize) -> usize,
    ) -> Result<()> {
        let input = T::words(&cx.input(0)?)?;
        let (output, Some(images)) = self.0.output(cx)? else { return Ok(()) };
        let Images { rows, columns, channels } = images;
        let outputs = T::words_mut(output)?.chunks_exact_mut(images.output());
        for (input, output) in input.chunks_exact(images.input()).zip(outputs) {
            for (y, row) in output.chunks_exact_mut(columns.output * channels).enumerate() {
                let in_y = nearest(rows, y);
                for (x, pixel) in row.chunks_exact_mut(channels).enumerate() {
                    pixel.copy_from_slice(images.pixel(input, in_y, nearest(columns, x)));
                }
            }
        }
        Ok(())
    }
}

/// Elements seen as words of their size.
trait Word: Sized {
    fn words<'a>(tensor: &TensorView<'a>) -> Result<&'a [Self]>;
    fn words_mut(tensor: TensorViewMut<'_>) -> Result<&mut [Self]>;
}

macro_rules! words {
    ($($ty:ty)*) => {$(
        impl Word for $ty {
            fn words<'a>(tensor: &TensorView<'a>) -> Result<&'a [Self]> {
                tensor.as_words()
            }

            fn words_mut(tensor: TensorViewMut<'_>) -> Result<&mut [Self]> {
                tensor.into_words()
            }
        }
    )*};
}
words!(u8 u16 u32);

/// The input position for an output position, computed in f32.
fn nearest(sizes: Sizes, position: usize, alignment: Alignment) -> usize {
    let offset = if alignment.is_half_pixel() { 0.5 } else { 0.0 };
    let at = (position as f32 + offset) * sizes.scale(alignment);
    let at = if alignment.aligns_corners() { round_f32(at) } else { at };
    // Positions are never negative: the cast rounds down.
    (at as usize).min(sizes.input - 1)
}

/// The same by a scale with 16 binary digits, rounded up, for pixels aligned at their corners.
fn nearest_in_fixed_point(sizes: Sizes, position: usize) -> usize {
    let (input, output) = (sizes.input as u64, sizes.output as u64);
    let scale = (input << 16) / output + 1;
    ((position as u64 * scale) >> 16).min(input - 1) as usize
}
