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

#[cfg(test)]
mod tests {
    use super::ExtractImagePatches;
    use crate::kit::testing::cases::*;

    #[test]
    fn values() {
        let (strides, rates) = (("strides", Ints(&[1, 1, 1, 1])), ("rates", Ints(&[1, 1, 1, 1])));
        let (two, same) = (("ksizes", Ints(&[1, 2, 2, 1])), ("padding", Text("SAME")));
        let types = &[U8, I8, I32, I64, F16, BF16, F32, F64, C64];
        let patches = |attributes: &[_], x: (&[i32], &[f64]), want: (&[i32], &[f64])| {
            each::<ExtractImagePatches>(types, attributes, &[x], want);
        };
        let x = (&[1, 2, 2, 1][..], &[1.0, 2.0, 3.0, 4.0][..]);
        patches(&[two, strides, rates], x, (&[1, 1, 1, 4], &[1.0, 2.0, 3.0, 4.0]));
        let all = [1.0, 2.0, 3.0, 4.0, 2.0, 0.0, 4.0, 0.0, 3.0, 4.0, 0.0, 0.0, 4.0, 0.0, 0.0, 0.0];
        patches(&[two, strides, rates, same], x, (&[1, 2, 2, 4], &all));
        let row = (&[1, 1, 3, 2][..], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0][..]);
        let wide = [("ksizes", Ints(&[1, 1, 2, 1])), ("strides", Ints(&[1, 1, 2, 1])), rates, same];
        patches(&wide, row, (&[1, 1, 2, 4], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 0.0, 0.0]));
        let apart = [("ksizes", Ints(&[1, 1, 2, 1])), strides, ("rates", Ints(&[1, 1, 2, 1]))];
        patches(&apart, row, (&[1, 1, 1, 4], &[1.0, 2.0, 5.0, 6.0]));
        patches(&[two, strides, rates], (&[0, 2, 2, 1], &[]), (&[0, 1, 1, 4], &[]));
    }

    #[test]
    fn refusals() {
        let (strides, rates) = (("strides", Ints(&[1, 1, 1, 1])), ("rates", Ints(&[1, 1, 1, 1])));
        let sizes = ("ksizes", Ints(&[1, 2, 2, 1]));
        let refused = |attributes: &[_], x: &[i32], message: &str| {
            let x = of(F32, x, &vec![0.0; x.iter().product::<i32>() as usize]);
            refuses::<ExtractImagePatches>(attributes, &[x], &[F32], message);
        };
        refused(&[sizes, strides, rates], &[2, 2, 1], "the input is [2, 2, 1]; it must have 4 axes");
        let zero = ("strides", Ints(&[1, 0, 1, 1]));
        refused(&[sizes, zero, rates], &[1, 2, 2, 1], "axis 1 has stride 0; it must be positive");
        let zero = ("rates", Ints(&[1, 1, 0, 1]));
        refused(&[sizes, strides, zero], &[1, 2, 2, 1], "axis 2 has dilation 0; it must be positive");
        let deep = ("ksizes", Ints(&[1, 1, 1, 2]));
        let message = "sizes of windows are [1, 1, 1, 2]; along batch and channels they must be 1";
        refused(&[deep, strides, rates], &[1, 2, 2, 1], message);
        let large = ("ksizes", Ints(&[1, 4, 1, 1]));
        let message = "axis 1 has 2 elements; a window of 4 does not fit";
        refused(&[large, strides, rates], &[1, 2, 2, 1], message);
    }
}
