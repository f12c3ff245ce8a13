//! MaxPoolWithArgmax: the largest element of each window, and its position in its image, `(row × columns + column) ×
//! channels + channel`; with `include_batch_in_index` its position in the batch. F16, BF16, F32, F64, integers.
//! Defined by: tensorflow/core/kernels/maxpooling_op.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;
use arenite_ops::kit::pace::Pace;

use crate::kit::elements::pick;
use crate::kit::kernel::{Call, Inputs, Kernel, Node, expect_type};
use crate::kit::node_def::NodeDef;
use crate::kit::number::put_integers;
use crate::kit::values::Values;
use crate::kit::window::{Layout, Padding, Windows, spatial};

/// The `FlexMaxPoolWithArgmax` op.
pub type MaxPoolWithArgmax = Node<Definition>;

/// Attributes, shape function and kernel of `FlexMaxPoolWithArgmax`.
pub struct Definition {
    layout: Layout,
    sizes: Vec<i64>,
    strides: Vec<i64>,
    padding: Padding,
    counts_batch: bool,
}

impl Kernel for Definition {
    const NAME: &'static str = "FlexMaxPoolWithArgmax";

    fn new(node: &NodeView<'_>, def: &NodeDef<'_>) -> Result<Self> {
        node.expect(1..=1, 2..=2)?;
        expect_type(&node.input(0)?, &[F16, BF16, F32, F64, I8, U8, I16, U16, I32, I64])?;
        let layout = Layout::of(def, 2)?;
        Ok(Definition {
            sizes: spatial(&def.ints("ksize")?, &layout, "sizes of windows")?,
            strides: spatial(&def.ints("strides")?, &layout, "strides")?,
            padding: Padding::of(def)?,
            counts_batch: def.bool("include_batch_in_index", false)?,
            layout,
        })
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        let windows = self.windows(&x.dims(0)?)?;
        windows.output(windows.channels).map(Some)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let (x, dims) = (call.input(0)?, call.dims(0)?);
        let best = match Values::of(&x)? {
            Values::Real(values) => self.best(call, &values)?,
            Values::Int(values) => self.best(call, &values)?,
            Values::Complex(_) => return Err(invalid!("complex numbers have no order")),
        };
        if call.wants(1) {
            let image = dims.flat_size() / dims.size(0).max(1);
            let counted = |i: &usize| (if self.counts_batch { *i } else { i % image.max(1) }) as i64;
            put_integers(call.output(1)?, best.iter().map(counted))?;
        }
        if call.wants(0) { pick(call, 0, &[x], |k| Some((0, best[k]))) } else { Ok(()) }
    }
}

impl Definition {
    fn windows(&self, input: &Dims) -> Result<Windows> {
        Windows::new(&self.layout, input, &self.sizes, &self.strides, &[1; 2], &self.padding)
    }

    /// The index in `x` of the first largest element of each window. The first element is kept if it is NaN.
    fn best<T: PartialOrd>(&self, call: &Call<'_, '_>, x: &[T]) -> Result<Vec<usize>> {
        let windows = self.windows(&call.dims(0)?)?;
        let mut best = vec![0; windows.output(windows.channels)?.flat_size()];
        let mut pace = Pace::new(call.cx);
        for image in 0..windows.batch {
            for at in windows.positions() {
                pace.ahead(windows.window_size().saturating_mul(windows.channels))?;
                for channel in 0..windows.channels {
                    let mut taps = windows.taps(at).map(|(_, i)| windows.input_index(image, i, channel));
                    let first = taps.next().ok_or_else(|| invalid!("a window is empty"))?;
                    best[windows.output_index(image, at, channel, windows.channels)] =
                        taps.fold(first, |best, i| if x[best] < x[i] { i } else { best });
                }
            }
        }
        Ok(best)
    }
}
