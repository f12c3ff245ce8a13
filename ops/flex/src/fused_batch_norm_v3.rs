//! FusedBatchNormV3: each channel normalized, scaled and shifted, by its own mean and variance with `is_training`, else by given ones. Reals. Inputs: x, scale, offset, mean, variance.
//! Defined by: tensorflow/core/kernels/fused_batch_norm_op.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::kernel::{Call, Inputs, Kernel, Node, shape_of};
use crate::kit::node_def::NodeDef;
use crate::kit::number::{put_reals, reals};
use crate::kit::window::Layout;

/// The op.
pub type FusedBatchNormV3 = Node<Definition>;

/// What it computes.
pub struct Definition {
    layout: Layout,
    training: bool,
    epsilon: f64,
    factor: f64,
}

impl Kernel for Definition {
    const NAME: &'static str = "FlexFusedBatchNormV3";

    fn new(node: &NodeView<'_>, def: &NodeDef<'_>) -> Result<Self> {
        node.expect(5..=5, 6..=6)?;
        let volume = matches!(def.text("data_format", "NHWC")?, "NDHWC" | "NCDHW");
        Ok(Definition {
            layout: Layout::of(def, if volume { 3 } else { 2 })?,
            training: def.bool("is_training", true)?,
            epsilon: def.float("epsilon", 0.0001)?.into(),
            factor: def.float("exponential_avg_factor", 1.0)?.into(),
        })
    }

    fn shape(&self, x: &Inputs<'_, '_>, output: usize) -> Result<Option<Dims>> {
        let dims = x.dims(0)?;
        ensure!(dims.rank() == self.layout.rank(), "the input is {:?}", dims.as_slice());
        let channels = dims.size(self.layout.channels) as i64;
        for i in 1..5 {
            let other = x.dims(i)?.flat_size() as i64;
            let optional = i > 2 && self.training && other == 0;
            ensure!(other == channels || optional, "input {i} has {other} elements for {channels} channels");
        }
        match output {
            0 => Ok(Some(dims)),
            5 => shape_of([0]).map(Some),
            _ => shape_of([channels]).map(Some),
        }
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let dims = call.dims(0)?;
        let (_, channels, inner) = dims.split_at(self.layout.channels);
        let mut x = reals(&call.input(0)?)?;
        let [scale, offset, mut mean, mut variance] =
            [reals(&call.input(1)?)?, reals(&call.input(2)?)?, reals(&call.input(3)?)?, reals(&call.input(4)?)?];
        let mut outputs = [mean.clone(), variance.clone(), mean.clone(), variance.clone()];
        if self.training {
            let count = (x.len() / channels.max(1)) as f64;
            let sums = |of: &dyn Fn(usize, f64) -> f64| {
                let mut sums = vec![0.0; channels];
                x.iter().enumerate().for_each(|(k, &x)| sums[k / inner % channels] += of(k / inner % channels, x));
                sums.into_iter().map(|sum| sum / count.max(1.0)).collect::<Vec<f64>>()
            };
            let own_mean = sums(&|_, x| x);
            let own_variance = sums(&|c, x| (x - own_mean[c]) * (x - own_mean[c]));
            let unbiased = if count > 1.0 { count / (count - 1.0) } else { 1.0 };
            let mix = |old: &[f64], c: usize, new: f64| match old.get(c) {
                Some(old) if self.factor != 1.0 => (1.0 - self.factor) * old + self.factor * new,
                _ => new,
            };
            outputs[0] = (0..channels).map(|c| mix(&mean, c, own_mean[c])).collect();
            outputs[1] = (0..channels).map(|c| mix(&variance, c, own_variance[c] * unbiased)).collect();
            outputs[2] = own_mean.clone();
            outputs[3] = own_variance.clone();
            (mean, variance) = (own_mean, own_variance);
        }
        for (k, x) in x.iter_mut().enumerate() {
            let c = k / inner % channels;
            *x = (*x - mean[c]) / libm::sqrt(variance[c] + self.epsilon) * scale[c] + offset[c];
        }
        put_reals(call.output(0)?, x)?;
        for (i, values) in outputs.into_iter().enumerate().filter(|(i, _)| call.wants(i + 1)) {
            put_reals(call.output(i + 1)?, values)?;
        }
        if call.cx.output_count() > 5 && call.wants(5) {
            call.output(5)?;
        }
        Ok(())
    }
}
