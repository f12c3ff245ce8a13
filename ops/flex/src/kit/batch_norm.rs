//! Batch normalization: each channel is normalized, scaled and shifted, with the batch's own mean and variance if
//! `is_training` is set, otherwise with the given mean and variance. Inputs: x, scale, offset, mean, variance. Outputs:
//! y, the running means and variances, the means and variances that were used (twice), and an empty tensor.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use super::kernel::{Call, Inputs, Program, expect_rank, expect_type, shape_of};
use super::node_def::NodeDef;
use super::number::{put_reals, reals};
use super::window::Layout;

/// The parameters that distinguish the ops of this family.
pub struct Member {
    /// Number of outputs.
    pub outputs: usize,
    /// Types of x and y; all other tensors are F32.
    pub types: &'static [ElementType],
}

/// A prepared node of the family.
pub struct BatchNorm {
    layout: Layout,
    training: bool,
    epsilon: f64,
    factor: f64,
    of: &'static Member,
}

impl Program for BatchNorm {
    type Member = Member;

    fn new(node: &NodeView<'_>, def: &NodeDef<'_>, of: &'static Member) -> Result<Self> {
        node.expect(5..=5, of.outputs..=of.outputs)?;
        expect_type(&node.input(0)?, of.types)?;
        let volume = matches!(def.text("data_format", "NHWC")?, "NDHWC" | "NCDHW");
        Ok(BatchNorm {
            layout: Layout::of(def, if volume { 3 } else { 2 })?,
            training: def.bool("is_training", true)?,
            epsilon: def.float("epsilon", 0.0001)?.into(),
            factor: def.float("exponential_avg_factor", 1.0)?.into(),
            of,
        })
    }

    fn shape(&self, x: &Inputs<'_, '_>, output: usize) -> Result<Option<Dims>> {
        let dims = x.dims(0)?;
        expect_rank(&x.get(0)?, self.layout.rank())?;
        let channels = dims.size(self.layout.channels) as i64;
        for i in 1..5 {
            expect_rank(&x.get(i)?, 1)?;
            let other = x.dims(i)?.flat_size() as i64;
            let unused = i > 2 && self.training && self.factor == 1.0;
            ensure!(
                other == channels || unused,
                "input {i} has {other} elements for {channels} channels; they must agree"
            );
        }
        match output {
            0 => Ok(Some(dims)),
            5 => shape_of([0]).map(Some),
            _ => shape_of([channels]).map(Some),
        }
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let (_, channels, inner) = call.dims(0)?.split_at(self.layout.channels);
        let of = |i: usize| call.input(i).and_then(|x| reals(&x));
        let (mut x, scale, offset) = (of(0)?, of(1)?, of(2)?);
        let channel = |k: usize| k / inner % channels;
        let outputs = if x.is_empty() {
            [f64::NAN, f64::NAN, 0.0, 0.0].map(|of| vec![of; channels])
        } else if self.training {
            self.trained([of(3)?, of(4)?], &x, channels, &channel)
        } else {
            let [mean, variance] = [of(3)?, of(4)?];
            [mean.clone(), variance.clone(), mean, variance]
        };
        let [_, _, mean, variance] = &outputs;
        for (k, x) in x.iter_mut().enumerate() {
            let c = channel(k);
            *x = (*x - mean[c]) / libm::sqrt(variance[c] + self.epsilon) * scale[c] + offset[c];
        }
        put_reals(call.output(0)?, x)?;
        for (i, values) in outputs.into_iter().enumerate().filter(|(i, _)| call.wants(i + 1)) {
            put_reals(call.output(i + 1)?, values)?;
        }
        if self.of.outputs > 5 && call.wants(5) {
            call.output(5)?;
        }
        Ok(())
    }
}

impl BatchNorm {
    /// Writes the running means and variances (variance without bias), then the batch's own.
    fn trained(
        &self,
        old: [Vec<f64>; 2],
        x: &[f64],
        channels: usize,
        channel: &dyn Fn(usize) -> usize,
    ) -> [Vec<f64>; 4] {
        let count = (x.len() / channels.max(1)) as f64;
        let means = |of: &dyn Fn(usize, f64) -> f64| {
            let mut sums = vec![0.0; channels];
            x.iter().enumerate().for_each(|(k, &x)| sums[channel(k)] += of(channel(k), x));
            sums.into_iter().map(|sum| sum / count).collect::<Vec<f64>>()
        };
        let mean = means(&|_, x| x);
        let variance = means(&|c, x| (x - mean[c]) * (x - mean[c]));
        let unbiased = if count > 1.0 { count / (count - 1.0) } else { 1.0 };
        let mix = |old: &[f64], new: &[f64], by: f64| {
            let mixed = |(c, &new): (usize, &f64)| match old.get(c) {
                Some(old) if self.factor != 1.0 => (1.0 - self.factor) * old + self.factor * new * by,
                _ => new * by,
            };
            new.iter().enumerate().map(mixed).collect()
        };
        [mix(&old[0], &mean, 1.0), mix(&old[1], &variance, unbiased), mean, variance]
    }
}
