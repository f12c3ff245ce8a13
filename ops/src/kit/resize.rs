//! Code that RESIZE_BILINEAR and RESIZE_NEAREST_NEIGHBOR share: the shape of the output, and the mapping from its rows
//! and columns to the input's.
//!
//! Defined by: tflite/kernels/resize_bilinear.cc, tflite/kernels/resize_nearest_neighbor.cc.

use arenite_abi::prelude::*;
use arenite_abi::tensor::element_count;

use super::node;
use super::raster;

plain! {
    /// The position of pixel centers.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Alignment {
        /// Centers are at the top left corners: `input = output × input size / output size`.
        Corner,
        /// The first and the last pixels of input and output coincide.
        Corners,
        /// Centers are half a pixel from the corner.
        HalfPixel,
        /// Both options at once, which only the nearest neighbor op supports.
        CornersAndHalfPixel,
    }
}

plain! {
    /// A prepared resize of the rows and columns of an NHWC tensor.
    pub struct Resize {
        /// The mapping between rows and between columns.
        pub alignment: Alignment,
        /// The smallest size that is allowed.
        smallest: i32,
        /// Whether the size is known only in `eval`.
        size_is_dynamic: bool,
    }
}

/// The sizes of input and output along an axis, none of them zero.
#[derive(Clone, Copy, Debug)]
pub struct Sizes {
    /// The size of the input.
    pub input: usize,
    /// The size of the output.
    pub output: usize,
}

/// The input and the output during `eval`.
pub struct Images {
    /// The heights of both.
    pub rows: Sizes,
    /// The widths of both.
    pub columns: Sizes,
    /// The number of channels of both.
    pub channels: usize,
}

impl Alignment {
    /// The alignment for the options `align_corners` and `half_pixel_centers`.
    pub fn new(corners: bool, half_pixel: bool) -> Alignment {
        match (corners, half_pixel) {
            (false, false) => Alignment::Corner,
            (true, false) => Alignment::Corners,
            (false, true) => Alignment::HalfPixel,
            (true, true) => Alignment::CornersAndHalfPixel,
        }
    }

    /// Whether the outermost pixels coincide.
    pub fn aligns_corners(self) -> bool {
        matches!(self, Alignment::Corners | Alignment::CornersAndHalfPixel)
    }

    /// Whether centers are half a pixel from the corner.
    pub fn is_half_pixel(self) -> bool {
        matches!(self, Alignment::HalfPixel | Alignment::CornersAndHalfPixel)
    }
}

impl Resize {
    /// Checks the node, whose second input holds the new height and width, at least `smallest` each. Sets the output's
    /// shape if they are constant.
    ///
    /// # Errors
    /// An input has the wrong type or shape, or a size is too small.
    pub fn prepare(
        node: &NodeView<'_>,
        cx: &mut PrepareContext<'_>,
        alignment: Alignment,
        smallest: i32,
    ) -> Result<Resize> {
        let (x, size, y) = node.binary()?;
        node::same_type(&x, &y)?;
        ensure!(
            size.ty == I32 && size.shape == [2],
            "size {size} is {}{:?}; it must be INT32[2]",
            size.ty,
            size.shape
        );
        let size = size.constant::<i32>()?;
        let resize = Resize { alignment, smallest, size_is_dynamic: size.is_none() };
        match size {
            Some(size) => cx.set_output_shape(0, &resize.output_shape(&x, size)?)?,
            None => {
                resize.output_shape(&x, &[smallest; 2])?;
                cx.set_output_dynamic(0)?;
            }
        }
        Ok(resize)
    }

    /// Lets the output overwrite the input, if its shape is known. `first` returns the first row of the input that is
    /// read for an output row; the same function serves for columns.
    ///
    /// # Errors
    /// The host refuses the declaration.
    pub fn allow_behind(
        &self,
        node: &NodeView<'_>,
        cx: &mut PrepareContext<'_>,
        first: impl Fn(Sizes, usize) -> usize,
    ) -> Result<()> {
        let (x, size) = (node.input(0)?, node.input(1)?.constant::<i32>()?);
        let Some(size) = size else { return Ok(()) };
        let shape = self.output_shape(&x, size)?;
        let Some(Images { rows, columns, channels }) = Images::between(&x, &shape)? else { return Ok(()) };
        let pixel = channels * (x.ty.bits() as usize / 8);
        let input = raster::Steps::new(rows.input, columns.input, pixel);
        let output = raster::Steps::new(rows.output, columns.output, pixel);
        let firsts = |sizes: Sizes| {
            let first = &first;
            (0..sizes.output).map(move |position| Some(first(sizes, position)))
        };
        raster::allow_behind(cx, shape[0] as usize, input, output, firsts(rows), firsts(columns))
    }

    /// Returns the output, taken from `whole` or from `resized`, with the sizes, or `None` if the output is empty.
    ///
    /// # Errors
    /// The new size is too small, the input is empty, or the output exceeds the host's limits.
    pub fn output<'a, Y>(
        &self,
        cx: &EvalContext<'a>,
        whole: impl FnOnce() -> Result<Y>,
        resized: impl FnOnce(TensorViewMut<'a>) -> Result<Y>,
    ) -> Result<(Y, Option<Images>)> {
        let x = cx.node().input(0)?;
        if self.size_is_dynamic {
            let shape = self.output_shape(&x, cx.input_slice(1)?)?;
            return Ok((resized(cx.resize_output(0, &shape)?)?, Images::between(&x, &shape)?));
        }
        Ok((whole()?, Images::between(&x, cx.node().output(0)?.shape)?))
    }

    fn output_shape(&self, x: &TensorView<'_>, size: &[i32]) -> Result<[i32; 4]> {
        let (&[batches, height, width, channels], &[new_height, new_width]) = (x.shape, size) else {
            return Err(invalid!("input {x} is {:?}; it must have 4 dimensions", x.shape));
        };
        ensure!(height > 0 && width > 0, "input {x} is {:?}; height and width must be above zero", x.shape);
        ensure!(
            new_height >= self.smallest && new_width >= self.smallest,
            "the new size is {new_height} × {new_width}; both must be at least {}",
            self.smallest
        );
        Ok([batches, new_height, new_width, channels])
    }
}

impl Images {
    /// `None` if the output is empty.
    fn between(x: &TensorView<'_>, output: &[i32]) -> Result<Option<Images>> {
        let (&[_, h, w, channels], &[_, new_h, new_w, _]) = (x.shape, output) else {
            return Err(invalid!("{x} is {:?}; it must have 4 dimensions", x.shape));
        };
        Ok((element_count(output) > 0).then_some(Images {
            rows: Sizes { input: h as usize, output: new_h as usize },
            columns: Sizes { input: w as usize, output: new_w as usize },
            channels: channels as usize,
        }))
    }

    /// The number of elements in an input image.
    pub fn input(&self) -> usize {
        self.rows.input * self.columns.input * self.channels
    }

    /// The number of elements in an output image.
    pub fn output(&self) -> usize {
        self.rows.output * self.columns.output * self.channels
    }

    /// The channels of the input at a row and a column.
    #[inline]
    pub fn pixel<'a, T: Copy>(&self, image: ReadCells<'a, T>, row: usize, column: usize) -> ReadCells<'a, T> {
        let start = (row * self.columns.input + column) * self.channels;
        image.range(start..start + self.channels)
    }
}

impl Sizes {
    /// The number of input pixels per output pixel.
    pub fn scale(self, alignment: Alignment) -> f32 {
        if alignment.aligns_corners() && self.output > 1 {
            (self.input - 1) as f32 / (self.output - 1) as f32
        } else {
            self.input as f32 / self.output as f32
        }
    }
}
