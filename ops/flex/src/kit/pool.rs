//! Averages and maxima of windows, and their gradients.

use core::marker::PhantomData;

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;
use arenite_ops::kit::pace::Pace;

use super::kernel::{Call, Inputs, Kernel};
use super::node_def::NodeDef;
use super::number::{put_reals, reals};
use super::window::{Layout, Padding, Windows, spatial};

/// What becomes of a window.
#[derive(Clone, Copy, PartialEq)]
pub enum Kind {
    /// The mean of the inputs that it has.
    Average,
    /// The largest input.
    Maximum,
    /// Inputs: shape, gradient of the means.
    AverageGradient,
    /// Inputs: the input, the maxima, their gradient, which goes to the first largest input of each window.
    MaximumGradient,
}

/// An op of this family.
pub trait Member: Send + Sync + 'static {
    /// The custom op.
    const NAME: &'static str;
    /// Spatial axes.
    const AXES: usize;
    /// What it computes.
    const KIND: Kind;
}

/// The op.
pub struct Pool<M> {
    layout: Layout,
    sizes: Vec<i64>,
    strides: Vec<i64>,
    padding: Padding,
    of: PhantomData<fn() -> M>,
}

impl<M: Member> Pool<M> {
    fn windows(&self, input: &Dims) -> Result<Windows> {
        Windows::new(&self.layout, input, &self.sizes, &self.strides, &vec![1; M::AXES], &self.padding)
    }

    /// The shape that windows slide over.
    fn large(&self, x: &Inputs<'_, '_>) -> Result<Option<Dims>> {
        if M::KIND == Kind::AverageGradient { x.sizes(0) } else { x.dims(0).map(Some) }
    }
}

impl<M: Member> Kernel for Pool<M> {
    const NAME: &'static str = M::NAME;

    fn new(node: &NodeView<'_>, def: &NodeDef<'_>) -> Result<Self> {
        let inputs = match M::KIND {
            Kind::Average | Kind::Maximum => 1,
            Kind::AverageGradient => 2,
            Kind::MaximumGradient => 3,
        };
        node.expect(inputs..=inputs, 1..=1)?;
        let layout = Layout::of(def, M::AXES)?;
        Ok(Pool {
            sizes: spatial(&def.ints("ksize")?, &layout, "sizes of windows")?,
            strides: spatial(&def.ints("strides")?, &layout, "strides")?,
            padding: Padding::of(def)?,
            layout,
            of: PhantomData,
        })
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        let Some(large) = self.large(x)? else { return Ok(None) };
        let windows = self.windows(&large)?;
        let small = windows.output(windows.channels)?;
        match M::KIND {
            Kind::Average | Kind::Maximum => Ok(Some(small)),
            _ => {
                for i in 1..x.len() {
                    let given = x.dims(i)?;
                    ensure!(
                        given == small,
                        "input {i} is {:?}; windows over {:?} give {:?}",
                        given.as_slice(),
                        large.as_slice(),
                        small.as_slice()
                    );
                }
                Ok(Some(large))
            }
        }
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let large = self.large(&call.inputs())?.ok_or_else(|| invalid!("the input's shape is not known"))?;
        let windows = self.windows(&large)?;
        if large.flat_size() == 0 {
            return call.output(0).map(|_| ());
        }
        let mut pace = Pace::new(call.cx);
        let mut visit = |f: &mut dyn FnMut(usize, &[usize])| -> Result<()> {
            let mut taps = Vec::new();
            for image in 0..windows.batch {
                for at in windows.positions() {
                    pace.ahead(windows.window_size().saturating_mul(windows.channels))?;
                    for channel in 0..windows.channels {
                        taps.clear();
                        taps.extend(windows.taps(at).map(|(_, i)| windows.input_index(image, i, channel)));
                        f(windows.output_index(image, at, channel, windows.channels), &taps);
                    }
                }
            }
            Ok(())
        };
        let mean = |x: &[f64], taps: &[usize]| taps.iter().map(|&i| x[i]).sum::<f64>() / taps.len() as f64;
        let first_largest = |x: &[f64], taps: &[usize]| {
            taps.iter()
                .copied()
                .reduce(|a, b| if x[b] > x[a] || x[b].is_nan() && !x[a].is_nan() { b } else { a })
        };
        let small = windows.output(windows.channels)?.flat_size();
        let mut y =
            vec![
                0.0;
                if matches!(M::KIND, Kind::Average | Kind::Maximum) { small } else { large.flat_size() }
            ];
        let data = reals(&call.input(if M::KIND == Kind::AverageGradient { 1 } else { 0 })?)?;
        match M::KIND {
            Kind::Average => visit(&mut |o, taps| y[o] = mean(&data, taps))?,
            Kind::Maximum => visit(&mut |o, taps| {
                y[o] = first_largest(&data, taps).map_or(f64::NEG_INFINITY, |i| data[i])
            })?,
            Kind::AverageGradient => {
                visit(&mut |o, taps| taps.iter().for_each(|&i| y[i] += data[o] / taps.len() as f64))?;
            }
            Kind::MaximumGradient => {
                let gradient = reals(&call.input(2)?)?;
                visit(&mut |o, taps| {
                    if let Some(i) = first_largest(&data, taps) {
                        y[i] += gradient[o];
                    }
                })?;
            }
        }
        put_reals(call.output(0)?, y)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::testing::{one, refusal};
    use crate::kit::write::Attribute::{Ints, Text};
    use arenite_abi::testing::Tensor;
    use core::slice::from_ref;

    #[test]
    fn values() {
        let attributes =
            [("ksize", Ints(&[1, 2, 2, 1])), ("strides", Ints(&[1, 2, 2, 1])), ("padding", Text("SAME"))];
        let x = Tensor::f32(&[1, 3, 3, 1], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]);
        let y = one::<crate::max_pool::MaxPool>(&attributes, from_ref(&x), F32);
        assert_eq!((y.shape(), y.as_f32()), (&[1, 2, 2, 1][..], vec![5.0, 6.0, 8.0, 9.0]));
        let y = one::<crate::avg_pool::AvgPool>(&attributes, from_ref(&x), F32);
        assert_eq!(y.as_f32(), [3.0, 4.5, 7.5, 9.0]);
        let dy = Tensor::f32(&[1, 2, 2, 1], &[4.0, 2.0, 6.0, 1.0]);
        let dx = one::<crate::max_pool_grad::MaxPoolGrad>(&attributes, &[x, dy.clone(), dy.clone()], F32);
        assert_eq!(dx.as_f32(), [0.0, 0.0, 0.0, 0.0, 4.0, 2.0, 0.0, 6.0, 1.0]);
        let shape = Tensor::i32(&[4], &[1, 3, 3, 1]);
        let dx = one::<crate::avg_pool_grad::AvgPoolGrad>(&attributes, &[shape, dy], F32);
        assert_eq!(dx.as_f32(), [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 3.0, 3.0, 1.0]);
    }

    #[test]
    fn refusals() {
        let x = Tensor::f32(&[1, 1, 1, 1], &[0.0]);
        let strides = |strides: &'static [i64]| [("ksize", Ints(&[1, 1, 1, 1])), ("strides", Ints(strides))];
        assert_eq!(
            refusal::<crate::max_pool::MaxPool>(&strides(&[1, 0, 1, 1]), from_ref(&x), &[F32]),
            "axis 1 has stride 0; it must be positive"
        );
        assert_eq!(
            refusal::<crate::max_pool::MaxPool>(&strides(&[2, 1, 1, 1]), &[x], &[F32]),
            "strides are [2, 1, 1, 1]; along batch and channels they must be 1"
        );
    }
}
