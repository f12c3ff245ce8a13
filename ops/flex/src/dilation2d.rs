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
