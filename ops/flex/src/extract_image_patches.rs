//! ExtractImagePatches: the elements under each window, concatenated in the depth; zeros outside the image. Any type.
//! Defined by: tensorflow/core/kernels/extract_image_patches_op.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::elements::{pick, unravel};
use crate::kit::kernel::{Call, Inputs, Kernel, Node};
use crate::kit::node_def::NodeDef;
use crate::kit::window::{Layout, Padding, Windows, spatial};

/// The `FlexExtractImagePatches` op.
pub type ExtractImagePatches = Node<Definition>;

/// Attributes, shape function and kernel of `FlexExtractImagePatches`.
pub struct Definition {
    layout: Layout,
    sizes: Vec<i64>,
    strides: Vec<i64>,
    rates: Vec<i64>,
    padding: Padding,
}

impl Definition {
    fn windows(&self, x: &Inputs<'_, '_>) -> Result<Windows> {
        Windows::new(&self.layout, &x.dims(0)?, &self.sizes, &self.strides, &self.rates, &self.padding)
    }
}

impl Kernel for Definition {
    const NAME: &'static str = "FlexExtractImagePatches";

    fn new(node: &NodeView<'_>, def: &NodeDef<'_>) -> Result<Self> {
        node.unary()?;
        let layout = Layout { batch: 0, channels: 3, spatial: vec![1, 2] };
        Ok(Definition {
            sizes: spatial(&def.ints("ksizes")?, &layout, "sizes of windows")?,
            strides: spatial(&def.ints("strides")?, &layout, "strides")?,
            rates: spatial(&def.ints("rates")?, &layout, "rates")?,
            padding: Padding::of(def)?,
            layout,
        })
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        let windows = self.windows(x)?;
        let taps = windows.axes.iter().try_fold(windows.channels, |n, axis| n.checked_mul(axis.filter));
        let taps = taps.filter(|&taps| taps <= i32::MAX as usize);
        windows.output(taps.ok_or_else(|| invalid!("windows are too large"))?).map(Some)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let (windows, output) = (self.windows(&call.inputs())?, call.output_dims(0)?);
        let (depth, columns) = (windows.channels.max(1), windows.axes[2].filter);
        pick(call, 0, &[call.input(0)?], |k| {
            let at = unravel(k, &output);
            let (tap, channel) = (at[3] / depth, at[3] % depth);
            let row = windows.axes[1].under(at[1], tap / columns)?;
            let column = windows.axes[2].under(at[2], tap % columns)?;
            Some((0, windows.input_index(at[0], [0, row, column], channel)))
        })
    }
}
