//! Filters that slide over the rows and columns of an NHWC tensor: CONV_2D, DEPTHWISE_CONV_2D and the pooling ops.
//!
//! Defined by: tflite/kernels/padding.h.
//!
//! ```text
//! position p:  origin = p × stride − before
//! tap t reads input[origin + t × dilation] if that is inside
//! ```

use super::node::padding;
use super::padding::Padding;
use super::raster;
use arenite_abi::prelude::*;
use arenite_abi::schema::SlidingWindow;
use core::cell::Cell;

/// The window of an op's options, `[rows, columns]` each.
#[derive(Clone, Copy, Debug)]
pub struct WindowOptions {
    /// How the border is treated.
    pub padding: Padding,
    /// The distance between positions.
    pub strides: [i32; 2],
    /// The distance between neighboring taps.
    pub dilations: [i32; 2],
}

plain! {
    /// A window along one axis.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct Axis {
        /// The number of elements of the input.
        pub input: usize,
        /// The number of taps of the filter.
        pub filter: usize,
        /// The number of positions of the window.
        pub output: usize,
        /// The distance between positions.
        pub stride: usize,
        /// The distance between taps.
        pub dilation: usize,
        /// The padding before the first element.
        pub before: usize,
    }
}

/// The row and the column of a pixel in the output.
#[derive(Clone, Copy)]
pub struct Position {
    /// The row.
    pub y: usize,
    /// The column.
    pub x: usize,
}

plain! {
    /// A window over the rows and columns of multi-channel images.
    #[derive(Clone, Copy, Debug)]
    pub struct Windows {
        /// The number of images.
        pub batches: usize,
        /// The window along the height.
        pub rows: Axis,
        /// The window along the width.
        pub columns: Axis,
        /// The number of channels of the input.
        pub channels: usize,
    }
}

impl WindowOptions {
    /// Reads the options.
    ///
    /// # Errors
    /// The padding is unknown.
    pub fn read<T: SlidingWindow>(options: &Options<'_, T>) -> Result<WindowOptions> {
        let pair = |[rows, columns]: [_; 2]| Ok::<_, Error>([options.get(rows)?, options.get(columns)?]);
        Ok(WindowOptions {
            padding: padding(options.get(T::PADDING)?)?,
            strides: pair(T::STRIDES)?,
            dilations: T::DILATIONS.map_or(Ok([1, 1]), pair)?,
        })
    }
}

impl Windows {
    /// The windows of a filter with `filter = [rows, columns]` taps over `input`.
    ///
    /// # Errors
    /// The input does not have rank 4 or its images are empty, the filter does not fit, or a stride, dilation or number
    /// of taps is not positive.
    pub fn new(input: &TensorView<'_>, filter: [i32; 2], options: &WindowOptions) -> Result<Windows> {
        let &[batches, height, width, channels] = input.shape else {
            return Err(invalid!("input {input} has shape {:?}; it must have 4 dimensions", input.shape));
        };
        ensure!(
            batches >= 0 && height > 0 && width > 0 && channels > 0,
            "input {input} is {:?}; height, width and channels must be above zero",
            input.shape
        );
        let WindowOptions { padding, strides, dilations } = *options;
        let axis = |what, input, i| Axis::new(what, input, filter[i], padding, strides[i], dilations[i]);
        let windows = Windows {
            batches: batches as usize,
            rows: axis("height", height, 0)?,
            columns: axis("width", width, 1)?,
            channels: channels as usize,
        };
        // A batch of size 0 may have images of any size.
        let image = windows.rows.input.checked_mul(windows.columns.input);
        ensure!(
            image.and_then(|pixels| pixels.checked_mul(windows.channels)).is_some(),
            "input {input} is {:?}; an image of it does not fit the address space",
            input.shape
        );
        Ok(windows)
    }

    /// The number of elements in an input image.
    pub fn image(&self) -> usize {
        self.rows.input * self.columns.input * self.channels
    }

    /// The number of positions in an output image.
    pub fn positions(&self) -> usize {
        self.rows.output.saturating_mul(self.columns.output)
    }

    /// The shape of an output with this number of channels.
    pub fn output_shape(&self, channels: i32) -> [i32; 4] {
        // Cannot truncate: the sizes come from i32 and never grow.
        [self.batches as i32, self.rows.output as i32, self.columns.output as i32, channels]
    }

    /// The number of elements in an output image with this number of channels.
    pub fn output_image(&self, channels: usize) -> usize {
        self.positions().saturating_mul(channels)
    }

    /// Calls `f(input image, (row, column) in the output, output pixel)` for each position of all images, until one
    /// call fails. A pixel has `channels` elements.
    ///
    /// At each position only the elements in its own window and in later windows are read: see
    /// [`allow_behind`](Self::allow_behind).
    ///
    /// # Errors
    /// The error of `f`.
    #[inline]
    pub fn for_each_pixel<X: Copy, Y>(
        &self,
        input: ReadCells<'_, X>,
        output: &[Cell<Y>],
        channels: usize,
        mut f: impl FnMut(ReadCells<'_, X>, Position, &[Cell<Y>]) -> Result<()>,
    ) -> Result<()> {
        if output.is_empty() {
            return Ok(());
        }
        let images = output.chunks_exact(self.output_image(channels));
        for (image, output) in input.chunks_exact(self.image()).zip(images) {
            for (y, row) in output.chunks_exact(self.columns.output * channels).enumerate() {
                for (x, pixel) in row.chunks_exact(channels).enumerate() {
                    f(image, Position { y, x }, pixel)?;
                }
            }
        }
        Ok(())
    }

    /// The channels of the input at a row and a column of an image.
    #[inline]
    pub fn pixel<'a, T: Copy>(&self, image: ReadCells<'a, T>, row: usize, column: usize) -> ReadCells<'a, T> {
        let start = (row * self.columns.input + column) * self.channels;
        image.range(start..start + self.channels)
    }

    /// Lets output 0, which has `channels` channels, overwrite input 0; elements of both have `bytes` bytes. Only for
    /// ops that read nothing outside the window of [`for_each_pixel`](Self::for_each_pixel).
    ///
    /// # Errors
    /// The host refuses the offer.
    pub fn allow_behind(&self, cx: &mut PrepareContext<'_>, bytes: usize, channels: usize) -> Result<()> {
        let (rows, columns) = (self.rows, self.columns);
        let input = raster::Steps::new(rows.input, columns.input, self.channels.saturating_mul(bytes));
        let output = raster::Steps::new(rows.output, columns.output, channels.saturating_mul(bytes));
        raster::allow_behind(cx, self.batches, input, output, rows.firsts(), columns.firsts())
    }
}

impl Axis {
    /// The window of a filter over the axis `what`.
    ///
    /// # Errors
    /// The stride, the dilation or the number of taps is not positive, or the filter does not fit.
    pub fn new(
        what: &str,
        input: i32,
        filter: i32,
        padding: Padding,
        stride: i32,
        dilation: i32,
    ) -> Result<Axis> {
        ensure!(stride > 0, "stride along the {what} is {stride}; it must be above zero");
        ensure!(dilation > 0, "dilation along the {what} is {dilation}; it must be above zero");
        ensure!(filter > 0, "the filter has {filter} taps along the {what}; it must be above zero");
        let window = padding.window(input, filter, stride, dilation).ok_or_else(|| {
            invalid!(
                "{filter} taps with dilation {dilation} do not fit the input's {what} {input}; use a larger input or a \
                 smaller filter"
            )
        })?;
        Ok(Axis {
            input: input as usize,
            filter: filter as usize,
            output: window.output as usize,
            stride: stride as usize,
            dilation: dilation as usize,
            before: window.before as usize,
        })
    }

    /// `(tap, input position)` for the taps that are inside the input, with the window at `position`.
    #[inline]
    pub fn inside(&self, position: usize) -> impl Iterator<Item = (usize, usize)> + Clone + use<> {
        let start = position * self.stride;
        let (before, dilation) = (self.before, self.dilation);
        let first = before.saturating_sub(start).div_ceil(dilation);
        let end = (self.input + before).saturating_sub(start).div_ceil(dilation).min(self.filter);
        (first..end).map(move |tap| (tap, start + tap * dilation - before))
    }

    /// The input position of a tap with the window at `position`; `None` in the padding.
    #[inline]
    pub fn under(&self, position: usize, tap: usize) -> Option<usize> {
        (position * self.stride + tap * self.dilation).checked_sub(self.before).filter(|&i| i < self.input)
    }

    /// The first input position in each window.
    fn firsts(self) -> impl Iterator<Item = Option<usize>> {
        (0..self.output).map(move |position| self.inside(position).next().map(|(_, first)| first))
    }

    /// Whether the whole window at `position` is inside the input.
    #[inline]
    pub fn is_inside(&self, position: usize) -> bool {
        let start = position * self.stride;
        let span = (self.filter - 1).saturating_mul(self.dilation);
        start >= self.before && span.saturating_add(start) < self.input + self.before
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(padding: Padding, input: i32, filter: i32, stride: i32, dilation: i32) -> Axis {
        Axis::new("height", input, filter, padding, stride, dilation).unwrap()
    }

    #[test]
    fn taps_inside() {
        use Padding::{Same, Valid};
        type Taps = &'static [(usize, usize)];
        let cases: [(Axis, usize, Taps); 7] = [
            // One element of padding before 5 elements.
            (axis(Same, 5, 3, 1, 1), 0, &[(1, 0), (2, 1)]),
            (axis(Same, 5, 3, 1, 1), 2, &[(0, 1), (1, 2), (2, 3)]),
            (axis(Same, 5, 3, 1, 1), 4, &[(0, 3), (1, 4)]),
            (axis(Valid, 5, 3, 2, 1), 1, &[(0, 2), (1, 3), (2, 4)]),
            // Dilation 2 spans 5 elements, two before: taps at -2, 0, 2.
            (axis(Same, 4, 3, 1, 2), 0, &[(1, 0), (2, 2)]),
            (axis(Same, 4, 3, 1, 2), 3, &[(0, 1), (1, 3)]),
            // A dilation larger than the input leaves the middle tap.
            (axis(Same, 2, 3, 1, 9), 1, &[(1, 1)]),
        ];
        for (axis, position, want) in cases {
            let got: Vec<_> = axis.inside(position).collect();
            assert_eq!(got, want, "{axis:?} at {position}");
            assert_eq!(axis.is_inside(position), want.len() == axis.filter, "{axis:?} at {position}");
        }
    }

    #[test]
    fn every_tap_agrees_with_the_definition() {
        for (input, filter, stride, dilation) in
            (0..3 * 3 * 3 * 3).map(|i| (1 + i % 3 * 3, 1 + i / 3 % 3, 1 + i / 9 % 3, 1 + i / 27))
        {
            let axis = axis(Padding::Same, input, filter, stride, dilation);
            for position in 0..axis.output {
                let origin = (position as i32) * stride - axis.before as i32;
                let want: Vec<_> = (0..filter)
                    .map(|tap| (tap as usize, origin + tap * dilation))
                    .filter(|&(_, at)| (0..input).contains(&at))
                    .map(|(tap, at)| (tap, at as usize))
                    .collect();
                assert_eq!(axis.inside(position).collect::<Vec<_>>(), want);
            }
        }
    }

    #[test]
    fn refusals() {
        let cases = [
            (5, 3, (0, 1), "stride along the width is 0"),
            (5, 3, (1, -1), "dilation along the width is -1"),
            (5, 0, (1, 1), "has 0 taps"),
            (5, 9, (1, 1), "9 taps with dilation 1 do not fit the input's width 5"),
            (5, i32::MAX, (1, i32::MAX), "do not fit"),
        ];
        for (input, filter, (stride, dilation), message) in cases {
            let error = Axis::new("width", input, filter, Padding::Valid, stride, dilation).unwrap_err();
            assert!(error.message().contains(message), "{error}");
        }
    }
}
