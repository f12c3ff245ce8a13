//! Convolutions with two or three spatial axes, and their gradients.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;
use arenite_ops::kit::pace::Pace;

use super::kernel::{Call, Inputs, Program, expect_type};
use super::node_def::NodeDef;
use super::values::Values;
use super::window::{Layout, Padding, Windows, spatial};

/// The direction of the computation.
#[derive(Clone, Copy, PartialEq)]
pub enum Kind {
    /// The convolution. Inputs: images, filter.
    Forward,
    /// The gradient of the images. Inputs: image shape, filter, gradient of the output.
    Images,
    /// The gradient of the filter. Inputs: images, filter shape, gradient of the output.
    Filter,
}

/// The parameters that distinguish the ops of this family.
pub struct Member {
    /// The direction of the computation.
    pub kind: Kind,
    /// The number of spatial axes.
    pub axes: usize,
    /// Whether each input channel has its own filters.
    pub depthwise: bool,
}

/// A prepared node of the family.
pub struct Conv {
    layout: Layout,
    strides: Vec<i64>,
    dilations: Vec<i64>,
    padding: Padding,
    of: &'static Member,
}

struct Plan {
    windows: Windows,
    images: Dims,
    filter: Dims,
    output: Dims,
    /// The number of input channels of a filter.
    depth: usize,
    channels: usize,
    /// The number of output channels per group of input channels.
    per_group: usize,
    depthwise: bool,
}

impl Conv {
    fn plan(&self, x: &Inputs<'_, '_>) -> Result<Option<Plan>> {
        let images = if self.of.kind == Kind::Images { x.sizes(0)? } else { Some(x.dims(0)?) };
        let filter = if self.of.kind == Kind::Filter { x.sizes(1)? } else { Some(x.dims(1)?) };
        let (Some(images), Some(filter)) = (images, filter) else { return Ok(None) };
        let sound = filter.rank() == self.of.axes + 2 && images.rank() == self.of.axes + 2;
        let own = filter.size(self.of.axes);
        let of_images = images.size(self.layout.channels);
        let channels = filter.size(self.of.axes + 1) * if self.of.depthwise { own } else { 1 };
        let groups = if self.of.depthwise { own } else { of_images / own.max(1) }.max(1);
        let divides = of_images.is_multiple_of(own)
            && (!self.of.depthwise || own == of_images)
            && channels.is_multiple_of(groups);
        ensure!(
            sound && divides,
            "images {:?} and filter {:?} do not match",
            images.as_slice(),
            filter.as_slice()
        );
        ensure!(
            self.of.kind != Kind::Forward || filter.flat_size() > 0,
            "the filter is {:?}; it must not be empty",
            filter.as_slice()
        );
        let sizes: Vec<i64> = filter.as_slice()[..self.of.axes].iter().map(|&d| d.into()).collect();
        let windows =
            Windows::new(&self.layout, &images, &sizes, &self.strides, &self.dilations, &self.padding)?;
        let output = windows.output(channels)?;
        if self.of.kind != Kind::Forward {
            let given = x.dims(2)?;
            ensure!(
                given == output,
                "the gradient is {:?}, the convolution gives {:?}; they must agree",
                given.as_slice(),
                output.as_slice()
            );
        }
        let depth = if self.of.depthwise { 1 } else { own };
        Ok(Some(Plan {
            windows,
            images,
            filter,
            output,
            depth,
            channels,
            per_group: channels / groups,
            depthwise: self.of.depthwise,
        }))
    }
}

impl Program for Conv {
    type Member = Member;

    fn new(node: &NodeView<'_>, def: &NodeDef<'_>, of: &'static Member) -> Result<Self> {
        let inputs = if of.kind == Kind::Forward { 2 } else { 3 };
        node.expect(inputs..=inputs, 1..=1)?;
        let layout = Layout::of(def, of.axes)?;
        let types: &[_] = if of.axes == 2 && !of.depthwise && of.kind != Kind::Filter {
            &[F16, BF16, F32, F64, I32]
        } else {
            &[F16, BF16, F32, F64]
        };
        let data = if of.kind == Kind::Images { 1 } else { 0 };
        expect_type(&node.input(data)?, types)?;
        let padding = Padding::of(def)?;
        let dilations = match def.ints("dilations")?.as_slice() {
            [] => vec![1; of.axes],
            list => spatial(list, &layout, "dilations")?,
        };
        Ok(Conv {
            strides: spatial(&def.ints("strides")?, &layout, "strides")?,
            dilations,
            padding,
            layout,
            of,
        })
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        Ok(self.plan(x)?.map(|plan| match self.of.kind {
            Kind::Forward => plan.output,
            Kind::Images => plan.images,
            Kind::Filter => plan.filter,
        }))
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let plan = self.plan(&call.inputs())?.ok_or_else(|| invalid!("the shapes are not known"))?;
        plan.run(call, self.of.kind)
    }
}

impl Plan {
    fn run(&self, call: &Call<'_, '_>, kind: Kind) -> Result<()> {
        let (a, b) = match kind {
            Kind::Forward => (0, 1),
            Kind::Images => (2, 1),
            Kind::Filter => (0, 2),
        };
        let (a, b) = (Values::of(&call.input(a)?)?, Values::of(&call.input(b)?)?);
        let size = match kind {
            Kind::Forward => self.output,
            Kind::Images => self.images,
            Kind::Filter => self.filter,
        };
        let mut y = a.zeros(size.flat_size());
        let windows = &self.windows;
        let work = windows.window_size().saturating_mul(self.depth).saturating_mul(self.channels);
        let mut pace = Pace::new(call.cx);
        for image in 0..windows.batch {
            for at in windows.positions() {
                pace.ahead(work)?;
                let mut places = windows.taps(at).flat_map(|(tap, input)| {
                    let tap = (0..3).fold(0, |index, i| index * windows.axes[i].filter + tap[i]);
                    (0..self.depth * self.channels).map(move |k| {
                        let (d, channel) = (k / self.channels, k % self.channels);
                        let group = channel / self.per_group;
                        let x = windows.input_index(image, input, group * self.depth + d);
                        let weight = if self.depthwise {
                            tap * self.channels + channel
                        } else {
                            tap * self.depth * self.channels + k
                        };
                        let out = windows.output_index(image, at, channel, self.channels);
                        match kind {
                            Kind::Forward => (out, x, weight),
                            Kind::Images => (x, out, weight),
                            Kind::Filter => (weight, x, out),
                        }
                    })
                });
                y.add_products(&a, &b, &mut places);
            }
        }
        y.put(call.output(0)?)
    }
}
