//! Average and maximum pooling, and their gradients.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;
use arenite_ops::kit::pace::Pace;

use super::kernel::{Call, Inputs, Program, expect_type};
use super::node_def::NodeDef;
use super::number::{lowest_integer, lowest_real};
use super::values::Values;
use super::window::{Layout, Padding, Windows, spatial};

/// The result for a window.
#[derive(Clone, Copy, PartialEq)]
pub enum Kind {
    /// The mean of the elements that are inside the input.
    Average,
    /// The largest element, at least the lowest finite number; NaN is ignored.
    Maximum,
    /// The gradient of the mean. Inputs: shape, gradient of the means.
    AverageGradient,
    /// The gradient of the maximum. Inputs: the input, the maxima, their gradient. With two spatial axes it goes to the
    /// first largest element of each window, with three to all of the largest ones.
    MaximumGradient,
}

/// The parameters that distinguish the ops of this family.
pub struct Member {
    /// The number of spatial axes.
    pub axes: usize,
    /// The result for a window.
    pub kind: Kind,
}

/// The real types, then the integer types that maxima over two axes also support.
const TYPES: &[ElementType] = &[F16, BF16, F32, F64, I8, U8, I16, U16, I32, I64];

/// A prepared node of the family.
pub struct Pool {
    layout: Layout,
    sizes: Vec<i64>,
    strides: Vec<i64>,
    padding: Padding,
    of: &'static Member,
}

impl Pool {
    fn windows(&self, input: &Dims) -> Result<Windows> {
        Windows::new(&self.layout, input, &self.sizes, &self.strides, &vec![1; self.of.axes], &self.padding)
    }

    /// The shape over which the windows slide.
    fn large(&self, x: &Inputs<'_, '_>) -> Result<Option<Dims>> {
        if self.of.kind == Kind::AverageGradient { x.sizes(0) } else { x.dims(0).map(Some) }
    }
}

impl Program for Pool {
    type Member = Member;

    fn new(node: &NodeView<'_>, def: &NodeDef<'_>, of: &'static Member) -> Result<Self> {
        let inputs = match of.kind {
            Kind::Average | Kind::Maximum => 1,
            Kind::AverageGradient => 2,
            Kind::MaximumGradient => 3,
        };
        node.expect(inputs..=inputs, 1..=1)?;
        let data = node.input(if of.kind == Kind::AverageGradient { 1 } else { 0 })?;
        let reals_only = of.axes == 3 || matches!(of.kind, Kind::Average | Kind::AverageGradient);
        expect_type(&data, &TYPES[..if reals_only { 4 } else { TYPES.len() }])?;
        for i in 1..if of.kind == Kind::MaximumGradient { 3 } else { 1 } {
            expect_type(&node.input(i)?, &[data.ty])?;
        }
        let layout = Layout::of(def, of.axes)?;
        Ok(Pool {
            sizes: spatial(&def.ints("ksize")?, &layout, "sizes of windows")?,
            strides: spatial(&def.ints("strides")?, &layout, "strides")?,
            padding: Padding::of(def)?,
            layout,
            of,
        })
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        let Some(large) = self.large(x)? else { return Ok(None) };
        let windows = self.windows(&large)?;
        let small = windows.output(windows.channels)?;
        match self.of.kind {
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
        let x = Values::of(&call.input(if self.of.kind == Kind::AverageGradient { 1 } else { 0 })?)?;
        let small = windows.output(windows.channels)?.flat_size();
        let is_gradient = !matches!(self.of.kind, Kind::Average | Kind::Maximum);
        let mut y = x.zeros(if is_gradient { large.flat_size() } else { small });
        match (&x, &mut y) {
            (Values::Real(x), Values::Real(y)) if self.of.kind == Kind::Average => {
                visit(&mut |o, taps| y[o] = taps.iter().map(|&i| x[i]).sum::<f64>() / taps.len() as f64)?;
            }
            (Values::Real(x), Values::Real(y)) if self.of.kind == Kind::AverageGradient => {
                visit(&mut |o, taps| taps.iter().for_each(|&i| y[i] += x[o] / taps.len() as f64))?;
            }
            (Values::Real(x), Values::Real(y)) if self.of.kind == Kind::Maximum => {
                let lowest = lowest_real(call.input(0)?.ty);
                let max = |a: f64, b: f64| if b > a { b } else { a };
                visit(&mut |o, taps| y[o] = taps.iter().map(|&i| x[i]).fold(lowest, max))?;
            }
            (Values::Int(x), Values::Int(y)) if self.of.kind == Kind::Maximum => {
                let lowest = lowest_integer(call.input(0)?.ty);
                visit(&mut |o, taps| y[o] = taps.iter().map(|&i| x[i]).max().unwrap_or(lowest))?;
            }
            (x, y) => match (x, Values::of(&call.input(2)?)?, y) {
                (Values::Real(x), Values::Real(dy), Values::Real(y)) => {
                    visit(&mut |o, taps| largest(x, taps, self.of.axes == 3).for_each(|i| y[i] += dy[o]))?;
                }
                (Values::Int(x), Values::Int(dy), Values::Int(y)) => visit(&mut |o, taps| {
                    largest(x, taps, self.of.axes == 3).for_each(|i| y[i] = y[i].wrapping_add(dy[o]))
                })?,
                _ => return Err(differ()),
            },
        }
        y.put(call.output(0)?)
    }
}

fn differ() -> Error {
    invalid!("the inputs differ in type")
}

/// The elements of a window that receive the gradient of its maximum: the first largest one with two axes, all of them
/// with three.
fn largest<'t, T: Copy + PartialOrd>(
    x: &'t [T],
    taps: &'t [usize],
    all: bool,
) -> impl Iterator<Item = usize> + use<'t, T> {
    let first = taps.iter().copied().reduce(|a, b| if x[b] > x[a] { b } else { a });
    taps.iter()
        .copied()
        .filter(move |&i| first == Some(i) || all && first.is_some_and(|first| x[i] == x[first]))
}
