//! Code that the pooling ops share: a window over each channel separately.
//!
//! Defined by: tflite/kernels/pooling.cc.

use super::activation::{Activation, Limits};
use super::node;
use super::node::{quantized_range, range_activation, type_limits};
use super::pace::Pace;
use super::window::{Position, WindowOptions, Windows};
use arenite_abi::prelude::*;
use arenite_abi::schema::Pool2DOptions;
use core::cell::Cell;

plain! {
    /// A prepared pool.
    pub struct Pool {
        windows: Windows,
        /// The range of f32 outputs.
        pub float_limits: Limits<f32>,
        /// The range of quantized outputs; empty for f32.
        pub limits: Limits<i32>,
    }
}

/// The elements in one window: the channels of each of `taps` pixels.
pub struct Patch<'a, T> {
    image: ReadCells<'a, T>,
    windows: &'a Windows,
    at: Position,
}

impl Pool {
    /// Checks the node, whose output has the input's type and channels, and sets the output's shape.
    ///
    /// # Errors
    /// The input does not have four axes, or the options or the quantization are invalid.
    pub fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Pool> {
        let (x, y) = node.unary()?;
        node::same_type(&x, &y)?;
        let options = node.options()?;
        let activation = range_activation(options.get(Pool2DOptions::FUSED_ACTIVATION_FUNCTION)?)?;
        let filter = [options.get(Pool2DOptions::FILTER_HEIGHT)?, options.get(Pool2DOptions::FILTER_WIDTH)?];
        let windows = Windows::new(&x, filter, &WindowOptions::read(&options)?)?;
        cx.set_output_shape(0, &windows.output_shape(windows.channels as i32))?;
        windows.allow_behind(cx, x.ty.bits() as usize / 8, windows.channels)?;
        let limits = match (x.ty, activation, type_limits(y.ty)) {
            (F32, ..) => Limits { min: 0, max: 0 },
            (_, Activation::None, Some(limits)) => limits,
            _ => quantized_range(activation, &y)?,
        };
        Ok(Pool { windows, float_limits: activation.f32_range(), limits })
    }

    /// The number of channels of a pixel.
    pub fn channels(&self) -> usize {
        self.windows.channels
    }

    /// Calls `reduce(patch, output pixel)` for each position.
    ///
    /// # Errors
    /// A tensor does not have the type `T`, or the invocation is cancelled.
    pub fn for_each<T: Element>(
        &self,
        cx: &EvalContext<'_>,
        mut reduce: impl FnMut(Patch<'_, T>, &[Cell<T>]),
    ) -> Result<()> {
        let (input, output) = (cx.input_cells::<T>(0)?, cx.output_cells::<T>(0)?);
        let mut pace = Pace::new(cx);
        let channels = self.windows.channels;
        self.windows.for_each_pixel(input, output, channels, |image, at, pixel| {
            let patch = Patch { image, windows: &self.windows, at };
            pace.ahead(patch.count().saturating_mul(channels))?;
            reduce(patch, pixel);
            Ok(())
        })
    }
}

impl<'a, T: Copy> Patch<'a, T> {
    /// Calls `f` with each pixel of the window that is inside the image.
    pub fn for_each_pixel(&self, mut f: impl FnMut(ReadCells<'a, T>)) {
        let (windows, Position { y, x }) = (self.windows, self.at);
        for (_, row) in windows.rows.inside(y) {
            for (_, column) in windows.columns.inside(x) {
                f(windows.pixel(self.image, row, column));
            }
        }
    }

    /// The number of these pixels.
    pub fn count(&self) -> usize {
        self.windows.rows.inside(self.at.y).count() * self.windows.columns.inside(self.at.x).count()
    }
}
