//! From layers to steps, one family one file, and the layers that only this delegate has.

mod attention;
mod batch_matmul;
pub(crate) mod build;
mod cascade;
mod conv_2d;
pub(crate) mod conv_3d;
mod depthwise_conv_2d;
mod elementwise;
pub(crate) mod embedding;
mod floor_div;
mod floor_mod;
mod gather;
mod halves;
pub(crate) mod hybrid;
pub(crate) mod join;
mod l2_norm;
mod layer_norm;
mod lower;
mod moves;
mod pool_2d;
mod pow;
pub(crate) mod quantized;
pub(crate) mod recurrent;
mod reduce;
pub(crate) mod reduce_prod;
mod rename;
mod resize;
pub(crate) mod rfft;
pub(crate) mod scan;
pub(crate) mod scatter_nd;
mod softmax;
mod transpose_conv;
pub(crate) mod typed;
mod typed_functions;
mod typed_loops;
pub(crate) mod values;
pub(crate) mod variable;

use arenite_abi::prelude::*;
use arenite_layers::Common;

use crate::net::{CpuLayer, Layer, Node};
use crate::step::Step;
use build::{Build, ByRows, LayerStep};
use values::{NetValues, NodeValues};

/// The implementation of a layer.
pub(crate) fn runs<'l>(layer: &'l Layer<'_>) -> &'l dyn LayerStep {
    match layer {
        Layer::Common(Common::Rename) => &rename::Rename,
        Layer::Common(Common::Conv2d(layer)) => layer,
        Layer::Common(Common::DepthwiseConv2d(layer)) => layer,
        Layer::Common(Common::TransposeConv(layer)) => layer,
        Layer::Common(Common::BatchMatmul(layer)) => layer,
        Layer::Common(Common::Elementwise(layer)) => layer,
        Layer::Common(Common::Moves(layer)) => layer,
        Layer::Common(Common::Pool2d(layer)) => layer,
        Layer::Common(Common::Reduce(layer)) => layer,
        Layer::Common(Common::LayerNorm(layer)) => layer,
        Layer::Common(Common::L2Norm(layer)) => layer,
        Layer::Common(Common::Softmax(layer)) => layer,
        Layer::Common(Common::Gather(layer)) => layer,
        Layer::Common(Common::Resize(layer)) => layer,
        Layer::Engine(CpuLayer::Quantized(layer)) => layer,
        Layer::Engine(CpuLayer::Hybrid(layer)) => layer,
        Layer::Engine(CpuLayer::Conv3d(layer)) => layer,
        Layer::Engine(CpuLayer::Typed(layer)) => layer,
        Layer::Engine(CpuLayer::Rfft(layer)) => layer,
        Layer::Engine(CpuLayer::Embedding(layer)) => layer,
        Layer::Engine(CpuLayer::Variable(layer)) => layer,
        Layer::Engine(CpuLayer::Recurrent(layer)) => layer,
        Layer::Engine(CpuLayer::Attention(layer)) => layer,
        Layer::Engine(CpuLayer::Cascade(layer)) => layer,
        Layer::Engine(CpuLayer::Join(layer)) => layer,
        Layer::Engine(CpuLayer::ReduceProd(layer)) => layer,
        Layer::Engine(CpuLayer::ScatterNd(layer)) => layer,
        Layer::Engine(CpuLayer::Scan(layer)) => &**layer,
    }
}

/// Builds the step of a node.
pub(crate) fn build_step(node: &Node<'_>, net: &NetValues<'_, '_>, build: &Build) -> Result<Box<dyn Step>> {
    build.store.allowance.charge(node.outputs.first().map_or("", |&id| net.values[id].name));
    runs(&node.layer).build(&NodeValues::of(node), net, build)
}

/// How a node's layer can be a part of a cascade.
pub(crate) fn by_rows<'l>(node: &'l Node<'_>) -> Option<&'l dyn ByRows> {
    runs(&node.layer).offers().rows
}
