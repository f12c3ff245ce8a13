//! Maximum pooling of f32 that also returns the positions of the maxima.

use arenite_abi::prelude::*;

use super::pace::Pace;
use super::padding::{Padding, Window};

plain! {
    /// A prepared pool over height and width.
    #[derive(Clone, Copy)]
    pub struct ArgmaxPool {
        input: [usize; 4],
        windows: [Window; 2],
        filter: [i32; 2],
        stride: [i32; 2],
    }
}

/// The maximum of a window: its value, its position in the image, and its position in the window. Both positions are 0,
/// 0 if there is no maximum.
#[derive(Clone, Copy)]
pub struct Maximum {
    /// The value of the maximum.
    pub value: f32,
    /// The row and the column in the image.
    pub pixel: [i32; 2],
    /// The row and the column in the window.
    pub tap: [i32; 2],
}

impl ArgmaxPool {
    /// Checks the input and sets the shape of both outputs. Filter and stride are given as height, width.
    ///
    /// # Errors
    /// The input is not FLOAT32 of rank 4, or the windows do not fit it.
    pub fn prepare(
        node: &NodeView<'_>,
        cx: &mut PrepareContext<'_>,
        padding: Padding,
        filter: [i32; 2],
        stride: [i32; 2],
    ) -> Result<Self> {
        let x = node.input(0)?;
        ensure!(x.ty == F32, "input {x} is {}; it must be FLOAT32", x.ty);
        let &[batches, height, width, channels] = x.shape else {
            return Err(invalid!("{x} is {:?}; images have four axes", x.shape));
        };
        let window = |size: i32, axis: usize| {
            padding.window(size, filter[axis], stride[axis], 1).ok_or_else(|| {
                invalid!("windows of {filter:?} in steps of {stride:?} do not fit {x} {:?}", x.shape)
            })
        };
        let windows = [window(height, 0)?, window(width, 1)?];
        for output in 0..2 {
            cx.set_output_shape(output, &[batches, windows[0].output, windows[1].output, channels])?;
        }
        let input = [batches, height, width, channels].map(|size| size as usize);
        Ok(ArgmaxPool { input, windows, filter, stride })
    }

    /// Calls `put(i, channel, maximum)` for each output element `i`.
    ///
    /// # Errors
    /// A tensor does not have the prepared type, or the invocation is cancelled.
    pub fn for_each(&self, cx: &EvalContext<'_>, mut put: impl FnMut(usize, usize, Maximum)) -> Result<()> {
        let x = cx.input_slice::<f32>(0)?;
        let [batches, height, width, channels] = self.input;
        let [rows, columns] = self.windows.map(|window| window.output);
        if channels == 0 {
            return Ok(());
        }
        let (mut pace, mut i) = (Pace::new(cx), 0);
        for batch in 0..batches {
            for (row, column) in (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column))) {
                let (first_row, taps_down) = self.inside(0, row);
                let (first_column, taps_right) = self.inside(1, column);
                pace.ahead(taps_down.len().saturating_mul(taps_right.len()).saturating_mul(channels))?;
                for channel in 0..channels {
                    let mut best = Maximum { value: f32::MIN, pixel: [0; 2], tap: [0; 2] };
                    for tap in taps_down.clone().flat_map(|a| taps_right.clone().map(move |b| [a, b])) {
                        let pixel = [first_row + tap[0], first_column + tap[1]];
                        let p = (batch * height + pixel[0] as usize) * width + pixel[1] as usize;
                        let value = x[p * channels + channel];
                        if value > best.value {
                            best = Maximum { value, pixel, tap };
                        }
                    }
                    put(i, channel, best);
                    i += 1;
                }
            }
        }
        Ok(())
    }

    /// The start of the window at `position`, and the range of its taps that are inside the image.
    fn inside(&self, axis: usize, position: i32) -> (i32, core::ops::Range<i32>) {
        let first = position * self.stride[axis] - self.windows[axis].before;
        let size = self.input[axis + 1] as i32;
        (first, (-first).max(0)..self.filter[axis].min(size.saturating_sub(first)))
    }

    /// The height and the width of the filter.
    pub fn filter(&self) -> [i32; 2] {
        self.filter
    }

    /// The width of the image and its number of channels.
    pub fn width_and_channels(&self) -> (i32, i32) {
        (self.input[2] as i32, self.input[3] as i32)
    }
}

/// The padding for this number in TensorFlow Lite's C structs.
///
/// # Errors
/// The number is neither 1 nor 2.
pub fn padding_of_c_struct(number: i32) -> Result<Padding> {
    match number {
        1 => Ok(Padding::Same),
        2 => Ok(Padding::Valid),
        _ => Err(invalid!("padding {number} is unknown; 1 is SAME, 2 is VALID")),
    }
}
