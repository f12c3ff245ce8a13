//! Sliding windows over one to three spatial axes, in any layout.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;
use arenite_ops::kit::window::Axis;

use super::kernel::shape_of;
use super::node_def::NodeDef;

/// The positions of the batch, channel and spatial axes of a layout such as "NHWC".
#[derive(Clone, Debug)]
pub struct Layout {
    /// The batch axis.
    pub batch: usize,
    /// The channel axis.
    pub channels: usize,
    /// The spatial axes, outermost first.
    pub spatial: Vec<usize>,
}

impl Layout {
    /// The layout that the attribute `data_format` names, with `spatial` spatial axes.
    ///
    /// # Errors
    /// The layout is unknown.
    pub fn of(def: &NodeDef<'_>, spatial: usize) -> Result<Layout> {
        let known: [&str; 2] = match spatial {
            2 => ["NHWC", "NCHW"],
            _ => ["NDHWC", "NCDHW"],
        };
        let last = def.choice("data_format", &known)? == 0;
        let channels = if last { spatial + 1 } else { 1 };
        Ok(Layout {
            batch: 0,
            channels,
            spatial: (0..spatial).map(|i| i + if last { 1 } else { 2 }).collect(),
        })
    }

    /// The number of axes.
    pub fn rank(&self) -> usize {
        self.spatial.len() + 2
    }

    /// Builds a shape in this layout.
    ///
    /// # Errors
    /// The shape is too large.
    pub fn shape(
        &self,
        batch: usize,
        spatial: impl IntoIterator<Item = usize>,
        channels: usize,
    ) -> Result<Dims> {
        let mut sizes = vec![0; self.rank()];
        sizes[self.batch] = batch as i64;
        sizes[self.channels] = channels as i64;
        self.spatial.iter().zip(spatial).for_each(|(&axis, size)| sizes[axis] = size as i64);
        shape_of(sizes)
    }
}

/// The padding around the input.
#[derive(Clone, Debug, PartialEq)]
pub enum Padding {
    /// No padding: all windows are inside the input.
    Valid,
    /// As many windows as there are strides in the input.
    Same,
    /// Explicit padding before and after each axis of the tensor.
    Explicit(Vec<i64>),
}

impl Padding {
    /// Reads the attribute `padding`.
    ///
    /// # Errors
    /// The padding is unknown.
    pub fn of(def: &NodeDef<'_>) -> Result<Padding> {
        Ok(match def.choice("padding", &["VALID", "SAME", "EXPLICIT"])? {
            0 => Padding::Valid,
            1 => Padding::Same,
            _ => Padding::Explicit(def.ints("explicit_paddings")?),
        })
    }
}

/// The windows along axis `axis` of the tensor.
///
/// # Errors
/// A size is not positive, or the window does not fit.
fn axis_of(
    input: usize,
    filter: i64,
    stride: i64,
    dilation: i64,
    padding: &Padding,
    axis: usize,
) -> Result<Axis> {
    let positive = |what: &str, value: i64| {
        let fits = usize::try_from(value).ok().filter(|&v| v > 0 && v <= i32::MAX as usize);
        fits.ok_or_else(|| invalid!("axis {axis} has {what} {value}; it must be positive"))
    };
    let (filter, stride) = (positive("filter size", filter)?, positive("stride", stride)?);
    let dilation = positive("dilation", dilation)?;
    let extent = (filter - 1)
        .checked_mul(dilation)
        .and_then(|extent| extent.checked_add(1))
        .ok_or_else(|| invalid!("axis {axis}: {filter} taps with dilation {dilation} are too many"))?;
    let fitting = |input: usize| {
        let short = extent.saturating_sub(input + stride);
        ensure!(short < stride, "axis {axis} has {input} elements; a window of {extent} does not fit");
        Ok((input + stride).saturating_sub(extent) / stride)
    };
    let (before, output) = match padding {
        Padding::Valid => (0, fitting(input)?),
        Padding::Same => {
            let output = input.div_ceil(stride);
            let all = (output.saturating_sub(1) * stride + extent).saturating_sub(input);
            (if output == 0 { 0 } else { all / 2 }, output)
        }
        Padding::Explicit(list) => {
            let (before, after) = (padding_at(list, 2 * axis)?, padding_at(list, 2 * axis + 1)?);
            (before, fitting(input + before + after)?)
        }
    };
    Ok(Axis { input, filter, stride, dilation, before, output })
}

fn padding_at(list: &[i64], i: usize) -> Result<usize> {
    let value = list.get(i).copied().unwrap_or(-1);
    let fits = usize::try_from(value).ok().filter(|&v| v <= i32::MAX as usize);
    fits.ok_or_else(|| invalid!("explicit padding {i} is {value}; it must not be negative"))
}

/// An axis with a single element and a single window.
const STILL: Axis = Axis { input: 1, filter: 1, stride: 1, dilation: 1, before: 0, output: 1 };

/// Windows over a whole tensor; two spatial axes are treated as three with one plane.
#[derive(Clone, Debug)]
pub struct Windows {
    /// The layout of the tensor.
    pub layout: Layout,
    /// The number of images.
    pub batch: usize,
    /// The number of input channels.
    pub channels: usize,
    /// The windows along three spatial axes.
    pub axes: [Axis; 3],
}

impl Windows {
    /// The windows that slide over `input`, with sizes, strides and dilations per spatial axis.
    ///
    /// # Errors
    /// `input` has another rank, a size is not positive, or a window does not fit.
    pub fn new(
        layout: &Layout,
        input: &Dims,
        filter: &[i64],
        strides: &[i64],
        dilations: &[i64],
        padding: &Padding,
    ) -> Result<Windows> {
        ensure!(
            input.rank() == layout.rank(),
            "the input is {:?}; it must have {} axes",
            input.as_slice(),
            layout.rank()
        );
        let mut axes = [STILL; 3];
        let skip = 3 - layout.spatial.len();
        for (i, &axis) in layout.spatial.iter().enumerate() {
            let of = |list: &[i64]| list.get(i).copied().unwrap_or(0);
            axes[skip + i] =
                axis_of(input.size(axis), of(filter), of(strides), of(dilations), padding, axis)?;
        }
        let (batch, channels) = (input.size(layout.batch), input.size(layout.channels));
        Ok(Windows { layout: layout.clone(), batch, channels, axes })
    }

    /// The output shape, with one value per window and channel.
    ///
    /// # Errors
    /// The shape is too large.
    pub fn output(&self, channels: usize) -> Result<Dims> {
        let skip = 3 - self.layout.spatial.len();
        self.layout.shape(self.batch, self.axes[skip..].iter().map(|a| a.output), channels)
    }

    /// The index of the input element at these coordinates.
    #[inline]
    pub fn input_index(&self, image: usize, at: [usize; 3], channel: usize) -> usize {
        self.index(image, at, channel, self.channels, self.axes.map(|a| a.input))
    }

    /// The index of an element of an output with `channels` channels.
    #[inline]
    pub fn output_index(&self, image: usize, at: [usize; 3], channel: usize, channels: usize) -> usize {
        self.index(image, at, channel, channels, self.axes.map(|a| a.output))
    }

    #[inline]
    fn index(
        &self,
        image: usize,
        at: [usize; 3],
        channel: usize,
        channels: usize,
        size: [usize; 3],
    ) -> usize {
        let pixel = |start: usize| (0..3).fold(start, |index, i| index * size[i] + at[i]);
        match self.layout.channels {
            1 => pixel(image * channels + channel),
            _ => pixel(image) * channels + channel,
        }
    }

    /// The positions of the windows within an image.
    pub fn positions(&self) -> impl Iterator<Item = [usize; 3]> + use<> {
        let [d, h, w] = self.axes.map(|a| a.output);
        (0..d).flat_map(move |z| (0..h).flat_map(move |y| (0..w).map(move |x| [z, y, x])))
    }

    /// The taps of a window that are inside the input, with their coordinates and the input's.
    pub fn taps(&self, at: [usize; 3]) -> impl Iterator<Item = ([usize; 3], [usize; 3])> + use<> {
        let [z, y, x] = [0, 1, 2].map(|i| self.axes[i].inside(at[i]));
        z.flat_map(move |(a, i)| {
            let x = x.clone();
            y.clone().flat_map(move |(b, j)| x.clone().map(move |(c, k)| ([a, b, c], [i, j, k])))
        })
    }

    /// The maximum number of taps of a window.
    pub fn window_size(&self) -> usize {
        self.axes.iter().fold(1usize, |n, a| n.saturating_mul(a.filter.min(a.input)))
    }
}

/// The spatial entries of a list with one number per axis of the tensor. The entries for batch and channels must be 1.
///
/// # Errors
/// The list has another length, or another entry for batch or channels.
pub fn spatial(list: &[i64], layout: &Layout, what: &str) -> Result<Vec<i64>> {
    ensure!(list.len() == layout.rank(), "{what} are {list:?}; {} numbers are needed", layout.rank());
    let still = list[layout.batch] == 1 && list[layout.channels] == 1;
    ensure!(still, "{what} are {list:?}; along batch and channels they must be 1");
    Ok(layout.spatial.iter().map(|&axis| list[axis]).collect())
}
