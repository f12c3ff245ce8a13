//! The tasks of layers: one layer per file, next to the texts of its kernel.

mod batch_matmul;
mod conv_2d;
mod depthwise_conv_2d;
mod elementwise;
mod gather;
mod l2_norm;
mod layer_norm;
mod lstm;
mod moves;
mod pool_2d;
mod reduce;
mod resize;
mod softmax;
mod tiled;
mod transpose_conv;
pub(crate) mod winograd;

use arenite_abi::prelude::*;
use arenite_layers::{Common, Layer as AnyLayer};

use crate::net::{GpuLayer, Layer, Net, Node};
use crate::plan::builder::{BuildOptions, Builder, TaskList};
use crate::store::constants::Constants;

/// Builds a net of a model with these `inputs`.
pub(crate) fn build(
    net: &Net<'_>,
    inputs: &[i32],
    constants: &mut dyn Constants,
    options: BuildOptions,
) -> Result<TaskList> {
    let mut builder = Builder::new(net, inputs, constants, options)?;
    for node in &net.nodes {
        builder.begin(node);
        build_node(node, &mut builder)?;
    }
    builder.finish()
}

/// Adds the tasks of a node.
fn build_node<'a>(node: &Node<'a>, builder: &mut Builder<'_, 'a>) -> Result<()> {
    let layer: &Layer<'a> = &node.layer;
    let common = match layer {
        AnyLayer::Common(common) => common,
        AnyLayer::Engine(GpuLayer::Lstm(layer)) => return lstm::build(layer, node, builder),
    };
    match common {
        Common::Rename => rename(node, builder),
        Common::BatchMatmul(layer) => batch_matmul::build(layer, node, builder),
        Common::Conv2d(layer) => conv_2d::build(layer, node, builder),
        Common::DepthwiseConv2d(layer) => depthwise_conv_2d::build(layer, node, builder),
        Common::Elementwise(layer) => elementwise::build(layer, node, builder),
        Common::Gather(layer) => gather::build(layer, node, builder),
        Common::L2Norm(_) => l2_norm::build(node, builder),
        Common::LayerNorm(layer) => layer_norm::build(layer, node, builder),
        Common::Moves(layer) => moves::build(layer, node, builder),
        Common::Pool2d(layer) => pool_2d::build(layer, node, builder),
        Common::Reduce(layer) => reduce::build(layer, node, builder),
        Common::Resize(layer) => resize::build(layer, node, builder),
        Common::Softmax(layer) => softmax::build(layer, node, builder),
        Common::TransposeConv(layer) => transpose_conv::build(layer, node, builder),
    }
}

/// The output shares the input's place if their layouts permit.
fn rename(node: &Node<'_>, builder: &mut Builder<'_, '_>) -> Result<()> {
    let layout = builder.layout_of(node.outputs[0]);
    let place = builder.view(node.inputs[0], layout)?;
    builder.rename(node.outputs[0], place);
    Ok(())
}
