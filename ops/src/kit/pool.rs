//! What the pools share: a window over each channel on its own.
//!
//! Defined by: tflite/kernels/pooling.cc.

use super::activation::{Activation, Limits};
use super::node::{quantized_range, range_activation, type_limits};
use super::pace::Pace;
use super::window::{WindowOptions, Windows};
use arenite_abi::prelude::*;
use arenite_abi::schema::Pool2DOptions;
use core::cell::Cell;

/// A prepared pool.
pub struct Pool {
    windows: Windows,
    /// Range of f32 outputs.
    pub float_limits: Limits<f32>,
    /// Range of quantized outputs; empty for f32.
    pub limits: Limits<i32>,
}

/// The elements under one window: for each of `taps` pixels its channels.
pub struct Patch<'a, T> {
    image: ReadCells<'a, T>,
    windows: &'a Windows,
    at: (usize, usize),
}

impl Pool {
    /// Checks the node, whose output has the input's type and channels, and sets its shape.
    pub fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Pool> {
        let (x, y) = node.unary()?;
        ensure!(
            x.ty == y.ty,
            "input '{}' is {}, output '{}' is {}; they must agree",
            x.name,
            x.ty,
            y.name,
            y.ty
        );
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

    /// Channels of a pixel.
    pub fn channels(&self) -> usize {
        self.windows.channels
    }

    /// Calls `reduce(patch, output pixel)` for each position.
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
    /// The pixels under the window that lie inside of the image.
    pub fn pixels(&self) -> impl Iterator<Item = ReadCells<'a, T>> {
        let (image, windows, (y, x)) = (self.image, self.windows, self.at);
        windows.rows.inside(y).flat_map(move |(_, row)| {
            windows.columns.inside(x).map(move |(_, column)| windows.pixel(image, row, column))
        })
    }

    /// How many pixels there are.
    pub fn count(&self) -> usize {
        self.windows.rows.inside(self.at.0).count() * self.windows.columns.inside(self.at.1).count()
    }
}
