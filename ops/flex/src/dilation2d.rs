//! Dilation2D: the maximum over a window of input plus filter tap, at least the lowest finite number. Reals and
//! integers. Inputs: `[batch, height, width, depth]`, `[rows, columns, depth]`.
//! Defined by: tensorflow/core/kernels/dilation_ops.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;
use arenite_ops::kit::pace::Pace;

use crate::by_type;
use crate::kit::kernel::{Call, Inputs, Kernel, Node};
use crate::kit::node_def::NodeDef;
use crate::kit::number::{Number, lowest_integer, lowest_real};
use crate::kit::window::{Layout, Padding, Windows, spatial};

/// The `FlexDilation2D` op.
pub type Dilation2D = Node<Definition>;

/// Attributes, shape function and kernel of `FlexDilation2D`.
pub struct Definition {
    layout: Layout,
    strides: Vec<i64>,
    rates: Vec<i64>,
    padding: Padding,
}

impl Definition {
    fn windows(&self, x: &Inputs<'_, '_>) -> Result<Windows> {
        let (image, filter) = (x.dims(0)?, x.dims(1)?);
        ensure!(
            filter.rank() == 3 && image.rank() == 4 && filter.size(2) == image.size(3),
            "the image is {:?}, the filter {:?}; four and three axes of one depth are needed",
            image.as_slice(),
            filter.as_slice()
        );
        let sizes = [filter.size(0) as i64, filter.size(1) as i64];
        Windows::new(&self.layout, &image, &sizes, &self.strides, &self.rates, &self.padding)
    }

    fn run<T: Number<Wide: PartialOrd>>(
        &self,
        call: &Call<'_, '_>,
        lowest: T::Wide,
        add: impl Fn(T::Wide, T::Wide) -> T::Wide,
    ) -> Result<()> {
        let windows = self.windows(&call.inputs())?;
        let (x, filter) = (call.slice::<T>(0)?, call.slice::<T>(1)?);
        let depth = windows.channels;
        let columns = windows.axes[2].filter;
        let y = call.output_slice::<T>(0)?;
        if y.is_empty() {
            return Ok(());
        }
        let mut pace = Pace::new(call.cx);
        for image in 0..windows.batch {
            for at in windows.positions() {
                pace.ahead(windows.window_size().saturating_mul(depth))?;
                for channel in 0..depth {
                    let mut best = lowest;
                    for ([_, row, column], i) in windows.taps(at) {
                        let weight = filter[(row * columns + column) * depth + channel].wide();
                        let sum = add(x[windows.input_index(image, i, channel)].wide(), weight);
                        best = if sum > best { sum } else { best };
                    }
                    y[windows.output_index(image, at, channel, depth)] = T::narrow(best);
                }
            }
        }
        Ok(())
    }
}

impl Kernel for Definition {
    const NAME: &'static str = "FlexDilation2D";

    fn new(node: &NodeView<'_>, def: &NodeDef<'_>) -> Result<Self> {
        node.binary()?;
        let layout = Layout { batch: 0, channels: 3, spatial: vec![1, 2] };
        Ok(Definition {
            strides: spatial(&def.ints("strides")?, &layout, "strides")?,
            rates: spatial(&def.ints("rates")?, &layout, "rates")?,
            padding: Padding::of(def)?,
            layout,
        })
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        let windows = self.windows(x)?;
        windows.output(windows.channels).map(Some)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        by_type!(call.input(0)?.ty,
            float: T => self.run::<T>(call, lowest_real(T::TYPE), |a, b| a + b),
            int: T => self.run::<T>(call, lowest_integer(T::TYPE), |a, b| {
                T::narrow(a.wrapping_add(b)).wide()
            }),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::Dilation2D;
    use crate::kit::testing::cases::*;

    #[test]
    fn values() {
        let (strides, rates) = (("strides", Ints(&[1, 1, 1, 1])), ("rates", Ints(&[1, 1, 1, 1])));
        let (one, same) = ([strides, rates], [strides, rates, ("padding", Text("SAME"))]);
        let types = &[F16, BF16, F32, F64, I8, U8, I16, I32, I64];
        let x = (&[1, 2, 2, 1][..], &[1.0, 2.0, 3.0, 4.0][..]);
        // The larger of an element and ten plus the element below it.
        let filter = (&[2, 1, 1][..], &[0.0, 10.0][..]);
        each::<Dilation2D>(types, &one, &[x, filter], (&[1, 1, 2, 1], &[13.0, 14.0]));
        each::<Dilation2D>(types, &same, &[x, filter], (&[1, 2, 2, 1], &[13.0, 14.0, 3.0, 4.0]));
        let wide = [("strides", Ints(&[1, 1, 2, 1])), rates];
        each::<Dilation2D>(types, &wide, &[x, filter], (&[1, 1, 1, 1], &[13.0]));
        let apart = [strides, ("rates", Ints(&[1, 1, 2, 1])), ("padding", Text("SAME"))];
        let row = [(&[1, 1, 3, 1][..], &[1.0, 2.0, 3.0][..]), (&[1, 2, 1], &[0.0, 10.0])];
        // Two taps with dilation 2, and one column of padding on either side.
        each::<Dilation2D>(types, &apart, &row, (&[1, 1, 3, 1], &[12.0, 13.0, 2.0]));
        // NaN is ignored.
        let x = of(F32, &[1, 1, 1, 1], &[f64::NAN]);
        let lowest = Tensor::f32(&[1, 1, 1, 1], &[f32::MIN]);
        gives::<Dilation2D>(&one, &[x, of(F32, &[1, 1, 1], &[0.0])], &[lowest]);
    }

    #[test]
    fn refusals() {
        let (strides, rates) = (("strides", Ints(&[1, 1, 1, 1])), ("rates", Ints(&[1, 1, 1, 1])));
        let refused = |attributes: &[_], x: &[i32], filter: &[i32], message: &str| {
            let zeros = |shape: &[i32]| of(F32, shape, &vec![0.0; shape.iter().product::<i32>() as usize]);
            refuses::<Dilation2D>(attributes, &[zeros(x), zeros(filter)], &[F32], message);
        };
        let message =
            "the image is [1, 1, 1, 2], the filter [1, 1, 1]; four and three axes of one depth are needed";
        refused(&[strides, rates], &[1, 1, 1, 2], &[1, 1, 1], message);
        let zero = ("strides", Ints(&[1, 0, 1, 1]));
        refused(&[zero, rates], &[1; 4], &[1; 3], "axis 1 has stride 0; it must be positive");
        refused(&[strides], &[1; 4], &[1; 3], "rates are []; 4 numbers are needed");
        let message = "axis 1 has filter size 0; it must be positive";
        refused(&[strides, rates], &[1; 4], &[0, 1, 1], message);
        let message = "axis 2 has 1 elements; a window of 3 does not fit";
        refused(&[strides, rates], &[1; 4], &[1, 3, 1], message);
    }
}
