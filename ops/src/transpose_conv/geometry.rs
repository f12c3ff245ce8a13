//! The sizes of a node, and the taps that meet each output element.

use arenite_abi::prelude::*;

use crate::kit::indexing::Dims;
use crate::kit::pace::Pace;
use crate::kit::padding::Padding;

plain! {
    /// The padding, the strides and the activation of the options.
    #[derive(Clone, Copy)]
    pub(super) struct Shape {
        pub(super) padding: Padding,
        pub(super) stride: [i32; 2],
    }
}

plain! {
    /// The sizes along height and width.
    #[derive(Clone, Copy)]
    pub(super) struct Geometry {
        pub(super) batches: usize,
        pub(super) input: [usize; 2],
        pub(super) filter: [usize; 2],
        pub(super) output: [usize; 2],
        pub(super) stride: [usize; 2],
        pub(super) before: [usize; 2],
        pub(super) depth: usize,
        pub(super) channels: usize,
    }
}

impl Shape {
    /// The padding before the first row and column.
    fn before(&self, x: &TensorView<'_>, filter: &TensorView<'_>, output: &[i32]) -> Result<[usize; 2]> {
        let mut before = [0; 2];
        for (axis, before) in before.iter_mut().enumerate() {
            let [size, kernel] = [output[axis + 1], filter.shape[axis + 1]];
            let window = self.padding.window(size, kernel, self.stride[axis], 1);
            *before = window
                .filter(|window| window.output == x.shape[axis + 1])
                .map(|window| window.before as usize)
                .ok_or_else(|| {
                    invalid!(
                        "an output of {output:?} cannot result from input {x} of {:?} with filter {:?}, {:?}",
                        x.shape,
                        filter.shape,
                        self.padding
                    )
                })?;
        }
        Ok(before)
    }
}

impl Geometry {
    pub(super) fn new(
        x: &TensorView<'_>,
        filter: &TensorView<'_>,
        options: &Shape,
        output: &[i32],
    ) -> Result<Geometry> {
        ensure!(
            output.len() == 4 && output[1] > 0 && output[2] > 0 && Dims::new(output).is_some(),
            "the output's shape is {output:?}; it needs 4 axes, height and width of at least 1, and no more elements than can be counted"
        );
        ensure!(
            output[0] == x.shape[0] && output[3] == filter.shape[0],
            "the output's shape is {output:?}, input {x} is {:?}, filter {filter} {:?}; batches and channels must agree",
            x.shape,
            filter.shape
        );
        let sizes = |shape: &[i32]| [shape[1] as usize, shape[2] as usize];
        let before = options.before(x, filter, output)?;
        Ok(Geometry {
            batches: x.shape[0] as usize,
            input: sizes(x.shape),
            filter: sizes(filter.shape),
            output: sizes(output),
            stride: options.stride.map(|stride| stride as usize),
            before,
            depth: x.shape[3] as usize,
            channels: filter.shape[0] as usize,
        })
    }

    /// Calls `f(output index, batch, channel, taps)` for each output element. Fails if the invocation is cancelled.
    pub(super) fn for_each(
        &self,
        cx: &EvalContext<'_>,
        mut f: impl FnMut(usize, usize, usize, Taps<'_>),
    ) -> Result<()> {
        let mut pace = Pace::new(cx);
        let mut out = 0;
        for batch in 0..self.batches {
            for oy in 0..self.output[0] {
                for ox in 0..self.output[1] {
                    let taps = self.meeting(0, oy).count().saturating_mul(self.meeting(1, ox).count());
                    for channel in 0..self.channels {
                        // Finding a tap and its pixel takes as long as about 8 multiply-adds.
                        pace.ahead(taps.saturating_mul(self.depth + 8))?;
                        f(out, batch, channel, Taps { geometry: self, at: [oy, ox], batch, channel });
                        out += 1;
                    }
                }
            }
        }
        Ok(())
    }

    /// The pairs `(filter, input)` of positions along an axis that contribute to output position `at`, so that
    /// `input × stride + filter = at + before`.
    pub(super) fn meeting(&self, axis: usize, at: usize) -> impl Iterator<Item = (usize, usize)> + Clone {
        let (target, stride) = (at + self.before[axis], self.stride[axis]);
        let input = self.input[axis];
        (target % stride..self.filter[axis])
            .step_by(stride)
            .take_while(move |&k| k <= target)
            .map(move |k| (k, (target - k) / stride))
            .filter(move |&(_, i)| i < input)
    }
}

/// The products that contribute to one output element.
#[derive(Clone, Copy)]
pub(super) struct Taps<'a> {
    geometry: &'a Geometry,
    at: [usize; 2],
    batch: usize,
    channel: usize,
}

impl Taps<'_> {
    /// Calls `f` with the channels of an input pixel and the filter channels that they are multiplied with.
    pub(super) fn for_each<X, W>(&self, x: &[X], w: &[W], mut f: impl FnMut(&[X], &[W])) {
        let g = self.geometry;
        let columns = g.meeting(1, self.at[1]);
        for (ky, iy) in g.meeting(0, self.at[0]) {
            for (kx, ix) in columns.clone() {
                let pixel = ((self.batch * g.input[0] + iy) * g.input[1] + ix) * g.depth;
                let tap = ((self.channel * g.filter[0] + ky) * g.filter[1] + kx) * g.depth;
                if let (Some(x), Some(w)) = (x.get(pixel..pixel + g.depth), w.get(tap..tap + g.depth)) {
                    f(x, w);
                }
            }
        }
    }
}
