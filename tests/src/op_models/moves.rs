//! Ops that move elements, or put one value in many places.

use arenite_abi::schema::{
    BatchToSpaceNDOptions, DepthToSpaceOptions, DynamicUpdateSliceOptions, FillOptions, GatherNdOptions,
    MatrixDiagOptions, MatrixSetDiagOptions, MirrorPadOptions, OneHotOptions, PadV2Options,
    ReverseSequenceOptions, ReverseV2Options, ScatterNdOptions, SpaceToBatchNDOptions, SpaceToDepthOptions,
    SparseToDenseOptions, SplitVOptions, StablehloPadOptions, TileOptions, mirror_pad,
};
use arenite_model::tensor_type::INT64;
use arenite_model::writer::{ModelBuilder, Operator, SubGraph, Tensor, bytes_of};

use super::{Kind, Models, OneOp, Sound, f32, i32, sound};
use crate::options::WithOptions;

/// Adds the models of these ops.
pub(super) fn add(models: &mut Models) {
    for kind in [Kind::Float, Kind::Quantized] {
        rearranging(kind, models);
        padding(kind, models);
        blocks(kind, models);
        matrices(kind, models);
    }
    indexed(models);
    models.push(sound("STABLEHLO_PAD", stablehlo_pad()));
    let cast = OneOp::new("BITCAST").feed(f32("x", &[2, 3])).output(i32("y", &[2, 3]));
    models.push(sound("BITCAST", cast.model()));
}

/// An integer argument: name, shape, values.
type Argument<'a> = (&'a str, &'a [i32], &'a [i32]);

/// A node whose first inputs are fed and whose other ones are arguments: as constants, and fed.
fn with_arguments(
    models: &mut Models,
    op: &'static str,
    fed: &[Tensor],
    arguments: &[Argument<'_>],
    finish: impl Fn(OneOp) -> OneOp,
) {
    for constant in [true, false] {
        let mut one = fed.iter().fold(OneOp::new(op), |one, tensor| one.feed(tensor.clone()));
        for (name, shape, values) in arguments {
            one = match constant {
                true => one.constant(i32(name, shape), bytes_of(values)),
                false => one.feed(i32(name, shape)),
            };
        }
        let data = arguments.iter().enumerate().map(|(i, (.., values))| (fed.len() + i, bytes_of(values)));
        let inputs = if constant { Vec::new() } else { data.collect() };
        models.push(Sound { op, model: finish(one).model(), inputs });
    }
}

fn rearranging(kind: Kind, models: &mut Models) {
    let t = |name: &str, shape: &[i32]| kind.tensor(name, shape);
    let multiples: Argument<'_> = ("multiples", &[2], &[2, 3]);
    with_arguments(models, "TILE", &[t("x", &[2, 2])], &[multiples], |one| {
        one.output(t("y", &[4, 6])).options::<TileOptions>(|o| o)
    });
    let parts: [Argument<'_>; 2] = [("sizes", &[2], &[1, -1]), ("axis", &[], &[1])];
    with_arguments(models, "SPLIT_V", &[t("x", &[2, 3])], &parts, |one| {
        one.output(t("a", &[2, 1])).output(t("b", &[2, 2])).options(|o| o.set(SplitVOptions::NUM_SPLITS, 2))
    });
    with_arguments(models, "REVERSE_V2", &[t("x", &[2, 3])], &[("axes", &[1], &[1])], |one| {
        one.output(t("y", &[2, 3])).options::<ReverseV2Options>(|o| o)
    });
    let start: Argument<'_> = ("start", &[2], &[1, 0]);
    with_arguments(models, "DYNAMIC_UPDATE_SLICE", &[t("x", &[3, 2]), t("u", &[1, 2])], &[start], |one| {
        one.output(t("y", &[3, 2])).options::<DynamicUpdateSliceOptions>(|o| o)
    });
    if kind == Kind::Float {
        let lengths: Argument<'_> = ("lengths", &[2], &[2, 3]);
        with_arguments(models, "REVERSE_SEQUENCE", &[t("x", &[2, 3])], &[lengths], |one| {
            one.output(t("y", &[2, 3])).options(|o| {
                o.set(ReverseSequenceOptions::SEQ_DIM, 1).set(ReverseSequenceOptions::BATCH_DIM, 0)
            })
        });
    }
}

fn padding(kind: Kind, models: &mut Models) {
    let t = |name: &str, shape: &[i32]| kind.tensor(name, shape);
    let paddings: Argument<'_> = ("paddings", &[2, 2], &[1, 1, 0, 2]);
    with_arguments(models, "PADV2", &[t("x", &[2, 3])], &[paddings], |one| {
        one.constant(t("value", &[]), kind.data(1)).output(t("y", &[4, 5])).options::<PadV2Options>(|o| o)
    });
    with_arguments(models, "MIRROR_PAD", &[t("x", &[2, 3])], &[paddings], |one| {
        one.output(t("y", &[4, 5])).options(|o| o.set(MirrorPadOptions::MODE, mirror_pad::REFLECT))
    });
    with_arguments(models, "DILATE", &[t("x", &[2, 3])], &[("dilations", &[2], &[1, 2])], |one| {
        one.constant(t("value", &[]), kind.data(1)).output(t("y", &[2, 5]))
    });
}

fn blocks(kind: Kind, models: &mut Models) {
    let t = |name: &str, shape: &[i32]| kind.tensor(name, shape);
    let (small, large) = ([1, 2, 2, 4], [1, 4, 4, 1]);
    for (op, x, y) in [("SPACE_TO_DEPTH", large, small), ("DEPTH_TO_SPACE", small, large)] {
        let one = OneOp::new(op).feed(t("x", &x)).output(t("y", &y));
        let one = match op {
            "SPACE_TO_DEPTH" => one.options(|o| o.set(SpaceToDepthOptions::BLOCK_SIZE, 2)),
            _ => one.options(|o| o.set(DepthToSpaceOptions::BLOCK_SIZE, 2)),
        };
        models.push(sound(op, one.model()));
    }
    let block: Argument<'_> = ("block", &[2], &[2, 2]);
    let (paddings, crops): (Argument<'_>, Argument<'_>) =
        (("paddings", &[2, 2], &[1, 0, 0, 1]), ("crops", &[2, 2], &[1, 0, 0, 1]));
    with_arguments(models, "SPACE_TO_BATCH_ND", &[t("x", &[1, 3, 3, 2])], &[block, paddings], |one| {
        one.output(t("y", &[4, 2, 2, 2])).options::<SpaceToBatchNDOptions>(|o| o)
    });
    with_arguments(models, "BATCH_TO_SPACE_ND", &[t("x", &[4, 2, 2, 2])], &[block, crops], |one| {
        one.output(t("y", &[1, 3, 3, 2])).options::<BatchToSpaceNDOptions>(|o| o)
    });
}

fn matrices(kind: Kind, models: &mut Models) {
    let t = |name: &str, shape: &[i32]| kind.tensor(name, shape);
    let diag = OneOp::new("MATRIX_DIAG").feed(t("x", &[2, 3])).output(t("y", &[2, 3, 3]));
    models.push(sound("MATRIX_DIAG", diag.options::<MatrixDiagOptions>(|o| o).model()));
    let set = OneOp::new("MATRIX_SET_DIAG").feed(t("x", &[2, 2, 3])).feed(t("d", &[2, 2]));
    models.push(sound(
        "MATRIX_SET_DIAG",
        set.output(t("y", &[2, 2, 3])).options::<MatrixSetDiagOptions>(|o| o).model(),
    ));
}

fn indexed(models: &mut Models) {
    let rows: Argument<'_> = ("indices", &[2, 1], &[2, 0]);
    with_arguments(models, "GATHER_ND", &[f32("x", &[3, 2])], &[rows], |one| {
        one.output(f32("y", &[2, 2])).options::<GatherNdOptions>(|o| o)
    });
    for constant in [true, false] {
        let one = OneOp::new("SCATTER_ND").constant(i32("indices", &[2, 1]), bytes_of(&[2, 0]));
        let one = argument(one.feed(f32("updates", &[2, 2])), constant, ("shape", &[2], &[3, 2]));
        let one = one.output(f32("y", &[3, 2])).options::<ScatterNdOptions>(|o| o);
        push(models, "SCATTER_ND", one, constant, 1, bytes_of(&[3, 2]));

        let one = argument(
            OneOp::new("SPARSE_TO_DENSE").feed(i32("at", &[2, 2])),
            constant,
            ("shape", &[2], &[3, 2]),
        );
        let one = one.feed(f32("values", &[2])).constant(f32("default", &[]), bytes_of(&[1.0f32]));
        let one = one.output(f32("y", &[3, 2])).options::<SparseToDenseOptions>(|o| o);
        push(models, "SPARSE_TO_DENSE", one, constant, 1, bytes_of(&[3, 2]));

        let one = argument(OneOp::new("ONE_HOT").feed(i32("indices", &[2])), constant, ("depth", &[], &[3]));
        let one =
            one.constant(f32("on", &[]), bytes_of(&[1.0f32])).constant(f32("off", &[]), bytes_of(&[0.0f32]));
        let one = one.output(f32("y", &[2, 3])).options(|o| o.set(OneHotOptions::AXIS, -1));
        push(models, "ONE_HOT", one, constant, 1, bytes_of(&[3]));

        let one = argument(OneOp::new("FILL"), constant, ("shape", &[2], &[2, 3]));
        let one = one.feed(f32("value", &[])).output(f32("y", &[2, 3])).options::<FillOptions>(|o| o);
        push(models, "FILL", one, constant, 0, bytes_of(&[2, 3]));
    }
    let long = OneOp::new("FILL").constant(Tensor::new("shape", INT64, &[1]), bytes_of(&[2i64]));
    models.push(sound(
        "FILL",
        long.feed(i32("value", &[])).output(i32("y", &[2])).options::<FillOptions>(|o| o).model(),
    ));
}

fn argument(one: OneOp, constant: bool, (name, shape, values): Argument<'_>) -> OneOp {
    if constant { one.constant(i32(name, shape), bytes_of(values)) } else { one.feed(i32(name, shape)) }
}

/// A model whose graph input `position` has these data, unless it is constant.
fn push(models: &mut Models, op: &'static str, one: OneOp, constant: bool, position: usize, data: Vec<u8>) {
    let inputs = if constant { Vec::new() } else { vec![(position, data)] };
    models.push(Sound { op, model: one.model(), inputs });
}

/// Its options are of the second union.
fn stablehlo_pad() -> ModelBuilder {
    let mut model = ModelBuilder::new();
    let pad = model.builtin("STABLEHLO_PAD", 1);
    let mut graph = SubGraph::new("main");
    let (x, value) = (graph.input(f32("x", &[2, 3])), graph.input(f32("value", &[])));
    let y = graph.output(f32("y", &[3, 4]));
    let node = Operator::new(pad, &[x, value], &[y]);
    graph.operator(node.with_options(|o| {
        o.set(StablehloPadOptions::EDGE_PADDING_LOW, &[1, -1])
            .set(StablehloPadOptions::EDGE_PADDING_HIGH, &[0, 0])
            .set(StablehloPadOptions::INTERIOR_PADDING, &[0, 1])
    }));
    model.subgraph(graph);
    model
}
