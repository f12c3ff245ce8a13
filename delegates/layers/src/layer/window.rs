//! Windows that slide over the rows and columns of an NHWC tensor.
//!
//! Defined by: tflite/kernels/padding.h.
//!
//! ```text
//! position p:  tap t reads input[p × stride − before + t × dilation] if that is inside
//! ```

use arenite_abi::prelude::*;
use arenite_abi::schema::{SlidingWindow, padding};

/// A window along one axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Axis {
    /// Elements of the input.
    pub input: usize,
    /// Taps.
    pub taps: usize,
    /// Positions.
    pub output: usize,
    /// The distance between positions.
    pub stride: usize,
    /// The distance between taps.
    pub dilation: usize,
    /// Padding before the input.
    pub before: usize,
}

impl Axis {
    /// A window of `taps` taps over `input` elements, with a padding of the schema.
    ///
    /// # Errors
    /// A number is not positive, or the padding is unknown.
    pub fn new(padding: i8, [input, taps]: [usize; 2], stride: i32, dilation: i32) -> Result<Axis> {
        ensure!(
            stride > 0 && dilation > 0 && taps > 0 && input > 0,
            "stride {stride}, dilation {dilation} and taps {taps} over {input} elements must be above zero"
        );
        let (stride, dilation) = (stride as usize, dilation as usize);
        let extent = (taps - 1) * dilation + 1;
        let (output, before) = match padding {
            padding::SAME => {
                let output = input.div_ceil(stride);
                (output, ((output - 1) * stride + extent).saturating_sub(input) / 2)
            }
            padding::VALID => ((input + stride).saturating_sub(extent) / stride, 0),
            _ => return Err(invalid!("padding {padding} is unknown")),
        };
        Ok(Axis { input, taps, output, stride, dilation, before })
    }
}

// Steps call these functions for each row, so they are inlined across crates.
impl Axis {
    /// One tap over one element.
    pub const ONE: Axis = Axis { input: 1, taps: 1, output: 1, stride: 1, dilation: 1, before: 0 };

    /// The input element of tap `t` at position `p`, if it is inside.
    #[inline]
    pub fn at(&self, p: usize, t: usize) -> Option<usize> {
        (p * self.stride + t * self.dilation).checked_sub(self.before).filter(|&i| i < self.input)
    }

    /// The taps at position `p` that are inside.
    #[inline]
    pub fn taps_inside(&self, p: usize) -> std::ops::Range<usize> {
        let before = self.before.saturating_sub(p * self.stride).div_ceil(self.dilation).min(self.taps);
        let room = (self.input + self.before).saturating_sub(p * self.stride);
        before..room.div_ceil(self.dilation).clamp(before, self.taps)
    }

    /// The positions at which tap `t` is inside.
    #[inline]
    pub fn positions_inside(&self, t: usize) -> std::ops::Range<usize> {
        let start = self.before.saturating_sub(t * self.dilation).div_ceil(self.stride).min(self.output);
        let end = (self.input + self.before).saturating_sub(t * self.dilation).div_ceil(self.stride);
        start..end.clamp(start, self.output)
    }

    /// The positions at which all taps are inside.
    #[inline]
    pub fn all_inside(&self) -> std::ops::Range<usize> {
        let start = self.before.div_ceil(self.stride).min(self.output);
        let room = (self.input + self.before).saturating_sub((self.taps - 1) * self.dilation);
        start..room.div_ceil(self.stride).clamp(start, self.output)
    }

    /// The input elements that at least one position reads.
    #[inline]
    pub fn reads(&self, positions: std::ops::Range<usize>) -> std::ops::Range<usize> {
        let end = (positions.end - 1) * self.stride + (self.taps - 1) * self.dilation + 1;
        let end = end.saturating_sub(self.before).min(self.input);
        (positions.start * self.stride).saturating_sub(self.before).min(end)..end
    }

    /// The taps of a transposed convolution that contribute to results of phase `r`: those at `r`, `r + stride`, and so
    /// on.
    #[inline]
    pub fn taps_of_phase(&self, r: usize) -> usize {
        self.taps.saturating_sub(r).div_ceil(self.stride)
    }

    /// Whether all taps at positions `first..=last` are inside.
    #[inline]
    pub fn is_inside(&self, first: usize, last: usize) -> bool {
        first * self.stride >= self.before
            && last * self.stride + (self.taps - 1) * self.dilation - self.before < self.input
    }
}

/// A window over rows and columns.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    /// Images.
    pub batches: usize,
    /// Along the height.
    pub rows: Axis,
    /// Along the width.
    pub columns: Axis,
    /// Channels of the input.
    pub channels: usize,
}

/// The padding of the schema, and strides and dilations along height and width.
struct Motion {
    padding: i8,
    strides: [i32; 2],
    dilations: [i32; 2],
}

impl Window {
    /// The window of `taps = [rows, columns]` over a tensor of `shape`, as a node's options describe it.
    ///
    /// # Errors
    /// The options are malformed or not supported, or the window does not fit the shape.
    pub fn read<T: SlidingWindow>(
        options: &Options<'_, T>,
        shape: &[usize],
        taps: [usize; 2],
    ) -> Result<Window> {
        let [rows, columns] = T::STRIDES;
        let motion = Motion {
            padding: options.get(T::PADDING)?,
            strides: [options.get(rows)?, options.get(columns)?],
            dilations: match T::DILATIONS {
                Some([rows, columns]) => [options.get(rows)?, options.get(columns)?],
                None => [1, 1],
            },
        };
        Window::new(motion, shape, taps)
    }

    fn new(motion: Motion, shape: &[usize], taps: [usize; 2]) -> Result<Window> {
        let &[batches, height, width, channels] = shape else {
            return Err(unsupported!("input has shape {shape:?}; the window needs 4 dimensions"));
        };
        let Motion { padding, strides, dilations } = motion;
        let axis = |input, i| Axis::new(padding, [input, taps[i]], strides[i], dilations[i]);
        Ok(Window { batches, rows: axis(height, 0)?, columns: axis(width, 1)?, channels })
    }

    /// The window of a product of matrices: one row of positions with one tap each.
    pub fn point(rows: usize, channels: usize) -> Window {
        Window {
            batches: 1,
            rows: Axis::ONE,
            columns: Axis { input: rows, output: rows, ..Axis::ONE },
            channels,
        }
    }

    /// The window over the same elements seen as images of one row, if they are one pixel wide.
    pub fn turned(&self) -> Option<Window> {
        let Window { rows, columns, .. } = *self;
        let is_column = [columns.input, columns.taps, columns.output] == [1; 3] && rows.input > 1;
        is_column.then_some(Window { rows: columns, columns: rows, ..*self })
    }

    /// Whether it is one row of [points](Self::point).
    #[inline]
    pub fn is_line(&self) -> bool {
        self.is_point() && self.batches * self.rows.output == 1
    }

    /// Repeats such a row.
    pub fn repeat(&mut self, times: usize) {
        self.columns.input *= times;
        self.columns.output *= times;
    }

    /// The positions of all images.
    #[inline]
    pub fn positions(&self) -> usize {
        self.batches * self.rows.output * self.columns.output
    }

    /// Checks that the window has at most `most` taps.
    ///
    /// # Errors
    /// The window has more taps.
    pub fn expect_taps(&self, most: usize) -> Result<()> {
        let [height, width] = [self.rows.taps, self.columns.taps];
        match height * width <= most {
            true => Ok(()),
            false => {
                Err(unsupported!("the window has {height} × {width} taps; at most {most} are supported"))
            }
        }
    }

    /// Checks that the output has the shape that results from the window.
    ///
    /// # Errors
    /// The shape differs.
    pub fn expect_output(&self, shape: &[usize], channels: usize) -> Result<()> {
        let expected = [self.batches, self.rows.output, self.columns.output, channels];
        ensure!(shape == expected, "the output has shape {shape:?}, the window gives {expected:?}");
        Ok(())
    }

    /// Whether each position reads exactly the pixel at the same position.
    #[inline]
    pub fn is_point(&self) -> bool {
        [self.rows, self.columns]
            .iter()
            .all(|axis| axis.taps == 1 && axis.stride == 1 && axis.before == 0 && axis.input == axis.output)
    }

    /// Elements of one image of the input.
    #[inline]
    pub fn image(&self) -> usize {
        self.rows.input * self.columns.input * self.channels
    }
}
