//! Tasks of layers: one layer, one file here and one kernel text beside it.

mod batch_matmul;
mod conv_2d;
mod depthwise_conv_2d;
mod elementwise;
mod gather;
mod layer_norm;
pub mod lstm;
pub mod moves;
mod pool_2d;
mod reduce;
mod resize;
mod softmax;
pub mod tiled;
mod transpose_conv;
pub mod winograd;

use arenite_abi::prelude::*;
use arenite_layers::{Clamp, Common, EpilogueOp, Id, Layer as Either};

use crate::builder::{Argument, Builder, Place, grid, numbers};
use crate::device::{Definition, Kernel, Slots};
use crate::epilogue::epilogues;
use crate::kernel_name::KernelName;
use crate::layout::Layout;
use crate::net::{Layer, Node, Own};
use crate::work_groups::Kind;

/// The tasks of a node.
pub fn build<'a>(node: &Node<'a>, builder: &mut Builder<'_, 'a>) -> Result<()> {
    let layer: &Layer<'a> = &node.layer;
    let common = match layer {
        Either::Common(common) => common,
        Either::Own(Own::Lstm(layer)) => return lstm::build(layer, node, builder),
    };
    match common {
        Common::Rename => rename(node, builder),
        Common::BatchMatmul(layer) => batch_matmul::build(layer, node, builder),
        Common::Conv2d(layer) => conv_2d::build(layer, node, builder),
        Common::DepthwiseConv2d(layer) => depthwise_conv_2d::build(layer, node, builder),
        Common::Elementwise(layer) => elementwise::build(layer, node, builder),
        Common::Gather(layer) => gather::build(layer, node, builder),
        Common::LayerNorm(layer) => layer_norm::build(layer, node, builder),
        Common::Moves(layer) => moves::build(layer, node, builder),
        Common::Pool2d(layer) => pool_2d::build(layer, node, builder),
        Common::Reduce(layer) => reduce::build(layer, node, builder),
        Common::Resize(layer) => resize::build(layer, node, builder),
        Common::Softmax(layer) => softmax::build(layer, node, builder),
        Common::TransposeConv(layer) => transpose_conv::build(layer, node, builder),
    }
}

/// The output has the input's bytes, where its rows are cut so.
fn rename(node: &Node<'_>, builder: &mut Builder<'_, '_>) -> Result<()> {
    let layout = layout_of(builder, node.outputs[0]);
    let place = builder.view(node.inputs[0], layout)?;
    builder.rename(node.outputs[0], place);
    Ok(())
}

/// How a value lies if nothing else is wanted.
fn layout_of(builder: &Builder<'_, '_>, id: Id) -> Layout {
    Layout::of(&builder.net.values[id].shape)
}

/// A layer's kernel with its epilogue.
struct WithEpilogue<'e> {
    name: KernelName,
    definitions: Vec<Definition>,
    arguments: Vec<Argument>,
    grid: [usize; 3],
    kind: Kind,
    clamp: Clamp,
    functions: &'e [EpilogueOp],
}

/// Adds the task whose results go to `to`.
fn push(builder: &mut Builder<'_, '_>, task: WithEpilogue<'_>, to: Layout, output: Id) -> Result<Place> {
    let slots = builder.with.slots;
    push_within(slots, builder, task, to, output)
}

/// The same, of a kernel whose epilogue has room for so much.
fn push_within(
    slots: Slots,
    builder: &mut Builder<'_, '_>,
    task: WithEpilogue<'_>,
    to: Layout,
    output: Id,
) -> Result<Place> {
    let WithEpilogue { name, definitions, mut arguments, grid: sizes, kind, clamp, functions } = task;
    // Operands come first: a view of one may be a task of its own.
    let (first, rest) = epilogues(builder, clamp, functions, to, slots)?;
    let mut place = builder.record(to)?;
    arguments.insert(0, Argument::Buffer(place.buffer));
    builder.push(first.behind(plain(name, definitions), arguments, grid(sizes)?, kind));
    for epilogue in rest {
        let next = builder.record(to)?;
        let mut arguments = vec![Argument::Buffer(next.buffer), Argument::Buffer(place.buffer)];
        arguments.extend(numbers(&[to.rows, to.slices(), to.channels])?);
        let grid = grid([to.slices(), to.rows, 1])?;
        builder.push(epilogue.behind(plain(KernelName::Chain, Vec::new()), arguments, grid, Kind::Other));
        place = next;
    }
    builder.rename(output, place);
    Ok(place)
}

/// A kernel that writes its results as they are.
fn plain(name: KernelName, definitions: Vec<Definition>) -> Kernel {
    Kernel { name, definitions, epilogue: None }
}

/// The flags that are set.
fn flagged<const N: usize>(flags: [(&'static str, bool); N]) -> Vec<Definition> {
    flags.into_iter().filter(|(_, is_set)| *is_set).map(|(name, _)| Definition::Flag(name)).collect()
}
