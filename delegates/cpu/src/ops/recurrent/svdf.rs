//! SVDF of `f32` with constant weights.
//!
//! Defined by: tflite/kernels/{svdf.cc,internal/reference/svdf.h}.

use arenite_abi::prelude::*;
use arenite_abi::schema::{SVDFOptions, activation};
use arenite_base::Clamp;
use arenite_layers::lower::expect_elements;
use arenite_layers::{Node, Source, clamp_of};

use super::inputs::{elements, state};
use crate::kernels::f32_svdf;
use crate::ops::build::Build;
use crate::ops::values::{NetValues, NodeValues};
use crate::reach::dense::{Dense, MatrixSizes};
use crate::step::Step;
use crate::steps::svdf_f32::{SvdfF32, SvdfIds, SvdfSizes};

pub(super) const INPUT: usize = 0;
pub(super) const FEATURES: usize = 1;
pub(super) const TIME: usize = 2;
pub(super) const BIAS: usize = 3;
pub(super) const STATE: usize = 4;

/// An SVDF layer of `f32`.
pub(crate) struct Svdf<'a> {
    sizes: SvdfSizes,
    features: &'a [f32],
    time: &'a [f32],
    bias: &'a [f32],
    clamp: Clamp,
}

/// Lowers the node, whose input is FLOAT32.
pub(super) fn lower<'a>(x: &Source<'_, 'a>) -> Result<Node<Svdf<'a>>> {
    let sizes = sizes(x)?;
    let SvdfSizes { batches, depth, filters, memory, rank } = sizes;
    let bias = match x.optional_input(BIAS) {
        Some(_) => elements::<f32>(x, BIAS, filters / rank)?,
        None => &[],
    };
    let layer = Svdf {
        sizes,
        features: elements(x, FEATURES, filters * depth)?,
        time: elements(x, TIME, filters * memory)?,
        bias,
        clamp: clamp(x.node.options()?.get(SVDFOptions::FUSED_ACTIVATION_FUNCTION)?)?,
    };
    let state = state(x, STATE, (F32, batches * filters * memory))?;
    Ok(Node::new(layer, vec![x.input(INPUT)?.0], vec![x.output(0)?.0, state]))
}

/// The sizes of an SVDF layer of any types.
pub(super) fn sizes(x: &Source<'_, '_>) -> Result<SvdfSizes> {
    let ((_, from), (_, features), (_, time), (_, to)) =
        (x.input(INPUT)?, x.input(FEATURES)?, x.input(TIME)?, x.output(0)?);
    expect_elements(from)?;
    expect_elements(to)?;
    let (&[batches, depth], &[filters, _], &[_, memory]) =
        (&from.shape[..], &features.shape[..], &time.shape[..])
    else {
        return Err(unsupported!("{from} is {:?}; it must have two axes", from.shape));
    };
    let rank = usize::try_from(x.node.options()?.get(SVDFOptions::RANK)?).unwrap_or(0);
    ensure!(rank > 0 && filters % rank == 0 && memory > 0, "rank {rank} does not divide {filters} filters");
    ensure!(to.len() == batches * (filters / rank), "{to} has {} elements", to.len());
    Ok(SvdfSizes { batches, depth, filters, memory, rank })
}

/// Unlike in other layers, infinite results stay infinite.
fn clamp(fused: i8) -> Result<Clamp> {
    Ok(match fused {
        activation::NONE => Clamp::NONE,
        activation::RELU => Clamp { low: 0.0, high: f32::INFINITY },
        other => clamp_of(other)?,
    })
}

impl Svdf<'_> {
    /// Packs the weights.
    pub(crate) fn build(
        &self,
        node: &NodeValues<'_>,
        net: &NetValues<'_, '_>,
        build: &Build,
    ) -> Result<Box<dyn Step>> {
        let name = build.name(node, net)?;
        let SvdfSizes { depth, filters, .. } = self.sizes;
        let sizes = MatrixSizes { depth, columns: filters };
        let weight = |j: usize, i: usize| self.features[j * depth + i];
        let features =
            Dense::new(build.f32_gemm, &build.store, &format!("SVDF {name}"), sizes, &weight, &|_| 0.0)?;
        let time =
            build.store.block(&format!("SVDF time {name}"), self.time.len(), |time: &mut [f32]| {
                time.copy_from_slice(self.time);
            })?;
        Ok(Box::new(SvdfF32 {
            kernels: f32_svdf::Svdf::select(build.isa),
            map: build.f32_map,
            features,
            time,
            bias: self.bias.to_vec(),
            clamp: self.clamp,
            sizes: self.sizes,
            ids: SvdfIds { input: node.inputs[0], output: node.outputs[0], state: node.outputs[1] },
        }))
    }
}
