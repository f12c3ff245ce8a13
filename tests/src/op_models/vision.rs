//! Ops of image and audio networks: arithmetic, convolutions, pools, moves, conversions.

use arenite_abi::schema::{
    BatchMatMulOptions, CastOptions, ConcatenationOptions, Conv2DOptions, DensifyOptions,
    DepthwiseConv2DOptions, DequantizeOptions, ExpandDimsOptions, FullyConnectedOptions, GatherOptions,
    GeluOptions, LeakyReluOptions, PackOptions, Pool2DOptions, QuantizeOptions, ReducerOptions,
    ReshapeOptions, ShapeOptions, SoftmaxOptions, SplitOptions, SqueezeOptions, TransposeConvOptions,
    TransposeOptions, UnpackOptions, padding,
};
use arenite_model::tensor_type::{FLOAT32, INT32};
use arenite_model::writer::{Level, Sparsity, bytes_of};

use super::{Kind, Models, OneOp, Sound, f32, i8, i32, pool, rescaled, sound};

/// Adds the models of these ops.
pub(super) fn add(models: &mut Models) {
    for kind in [Kind::Float, Kind::Quantized] {
        elementwise(kind, models);
        multiplying(kind, models);
        moving(kind, models);
        sized(kind, models);
    }
    converting(models);
}

fn elementwise(kind: Kind, models: &mut Models) {
    let t = |name: &str, shape: &[i32]| kind.tensor(name, shape);
    for op in ["ADD", "SUB", "MUL", "SQUARED_DIFFERENCE"] {
        let one = OneOp::new(op).feed(t("a", &[2, 3])).feed(t("b", &[3])).output(t("y", &[2, 3]));
        models.push(sound(op, one.defaults().model()));
    }
    for op in ["RELU", "RELU6", "RELU_N1_TO_1", "RELU_0_TO_1", "HARD_SWISH", "SQRT", "RSQRT", "NEG", "TANH"] {
        // RSQRT of quantized numbers takes none below zero, HARD_SWISH is for 8 bits alone.
        let one = OneOp::new(op).feed(rescaled(t("x", &[2, 3]), 1.0 / 128.0, lowest(op)));
        models.push(sound(op, one.output(rescaled(t("y", &[2, 3]), 1.0 / 128.0, lowest(op))).model()));
    }
    let logistic = OneOp::new("LOGISTIC").feed(t("x", &[2, 3]));
    models.push(sound("LOGISTIC", logistic.output(rescaled(t("y", &[2, 3]), 1.0 / 256.0, -128)).model()));
    let leaky = OneOp::new("LEAKY_RELU").feed(t("x", &[2, 3])).output(t("y", &[2, 3]));
    models.push(sound("LEAKY_RELU", leaky.options(|o| o.set(LeakyReluOptions::ALPHA, 0.25)).model()));
    let gelu = OneOp::new("GELU").feed(t("x", &[2, 3])).output(t("y", &[2, 3]));
    models.push(sound("GELU", gelu.options(|o| o.set(GeluOptions::APPROXIMATE, true)).model()));
    let softmax = OneOp::new("SOFTMAX").feed(t("x", &[2, 3]));
    let softmax = softmax.output(rescaled(t("y", &[2, 3]), 1.0 / 256.0, -128));
    models.push(sound("SOFTMAX", softmax.options(|o| o.set(SoftmaxOptions::BETA, 1.0)).model()));
}

fn lowest(op: &str) -> i64 {
    if op.ends_with("SQRT") { -128 } else { 0 }
}

fn multiplying(kind: Kind, models: &mut Models) {
    let t = |name: &str, shape: &[i32]| kind.tensor(name, shape);
    let (b, b_data) = kind.bias(3);
    let conv = OneOp::new("CONV_2D").feed(t("x", &[1, 4, 4, 2]));
    let conv = conv.constant(t("w", &[3, 3, 3, 2]), kind.data(54)).constant(b.clone(), b_data.clone());
    let conv = conv.output(t("y", &[1, 4, 4, 3])).options(|o| {
        o.set(Conv2DOptions::PADDING, padding::SAME)
            .set(Conv2DOptions::STRIDE_W, 1)
            .set(Conv2DOptions::STRIDE_H, 1)
    });
    models.push(sound("CONV_2D", conv.model()));

    let (b4, b4_data) = kind.bias(4);
    let depthwise = OneOp::new("DEPTHWISE_CONV_2D").feed(t("x", &[1, 4, 4, 2]));
    let depthwise = depthwise.constant(t("w", &[1, 3, 3, 4]), kind.data(36)).constant(b4, b4_data);
    let depthwise = depthwise.output(t("y", &[1, 4, 4, 4]));
    let depthwise = depthwise.options(|o| {
        o.set(DepthwiseConv2DOptions::PADDING, padding::SAME)
            .set(DepthwiseConv2DOptions::STRIDE_W, 1)
            .set(DepthwiseConv2DOptions::STRIDE_H, 1)
            .set(DepthwiseConv2DOptions::DEPTH_MULTIPLIER, 2)
    });
    models.push(sound("DEPTHWISE_CONV_2D", depthwise.model()));

    let transpose = OneOp::new("TRANSPOSE_CONV").constant(i32("shape", &[4]), bytes_of(&[1, 4, 4, 3]));
    let transpose = transpose.constant(t("w", &[3, 3, 3, 2]), kind.data(54)).feed(t("x", &[1, 2, 2, 2]));
    let transpose = transpose.output(t("y", &[1, 4, 4, 3]));
    let transpose = transpose.options(|o| {
        o.set(TransposeConvOptions::PADDING, padding::SAME)
            .set(TransposeConvOptions::STRIDE_W, 2)
            .set(TransposeConvOptions::STRIDE_H, 2)
    });
    models.push(sound("TRANSPOSE_CONV", transpose.model()));

    let dense = OneOp::new("FULLY_CONNECTED").feed(t("x", &[2, 4]));
    let dense = dense.constant(t("w", &[3, 4]), kind.data(12)).constant(b, b_data);
    models.push(sound(
        "FULLY_CONNECTED",
        dense.output(t("y", &[2, 3])).options::<FullyConnectedOptions>(|o| o).model(),
    ));

    let matmul = OneOp::new("BATCH_MATMUL").feed(t("x", &[2, 2, 3])).feed(t("w", &[2, 3, 4]));
    models.push(sound(
        "BATCH_MATMUL",
        matmul.output(t("y", &[2, 2, 4])).options::<BatchMatMulOptions>(|o| o).model(),
    ));

    for op in ["AVERAGE_POOL_2D", "MAX_POOL_2D"] {
        let one = OneOp::new(op).feed(t("x", &[1, 4, 4, 2])).output(t("y", &[1, 2, 2, 2]));
        models.push(sound(op, one.options::<Pool2DOptions>(pool(2, 2)).model()));
    }
    let mean = OneOp::new("MEAN").feed(t("x", &[2, 3, 4])).constant(i32("axes", &[2]), bytes_of(&[0, 2]));
    models.push(sound(
        "MEAN",
        mean.output(t("y", &[3])).options(|o| o.set(ReducerOptions::KEEP_DIMS, false)).model(),
    ));
}

fn moving(kind: Kind, models: &mut Models) {
    let t = |name: &str, shape: &[i32]| kind.tensor(name, shape);
    let join = OneOp::new("CONCATENATION").feed(t("a", &[1, 2])).feed(t("b", &[1, 3]));
    models.push(sound(
        "CONCATENATION",
        join.output(t("y", &[1, 5])).options(|o| o.set(ConcatenationOptions::AXIS, 1)).model(),
    ));
    let pack = OneOp::new("PACK").feed(t("a", &[3])).feed(t("b", &[3])).output(t("y", &[2, 3]));
    models.push(sound(
        "PACK",
        pack.options(|o| o.set(PackOptions::VALUES_COUNT, 2).set(PackOptions::AXIS, 0)).model(),
    ));
    let unpack = OneOp::new("UNPACK").feed(t("x", &[2, 3])).output(t("a", &[3])).output(t("b", &[3]));
    models.push(sound(
        "UNPACK",
        unpack.options(|o| o.set(UnpackOptions::NUM, 2).set(UnpackOptions::AXIS, 0)).model(),
    ));
    let split = OneOp::new("SPLIT").constant(i32("axis", &[]), bytes_of(&[1])).feed(t("x", &[2, 4]));
    let split = split.output(t("a", &[2, 2])).output(t("b", &[2, 2]));
    models.push(sound("SPLIT", split.options(|o| o.set(SplitOptions::NUM_SPLITS, 2)).model()));
    let squeeze = OneOp::new("SQUEEZE").feed(t("x", &[1, 3])).output(t("y", &[3]));
    models.push(sound("SQUEEZE", squeeze.options(|o| o.set(SqueezeOptions::SQUEEZE_DIMS, &[0])).model()));
    let expand = OneOp::new("EXPAND_DIMS").feed(t("x", &[3])).constant(i32("axis", &[1]), bytes_of(&[0]));
    models.push(sound(
        "EXPAND_DIMS",
        expand.output(t("y", &[1, 3])).options::<ExpandDimsOptions>(|o| o).model(),
    ));
    let turn = OneOp::new("TRANSPOSE").feed(t("x", &[2, 3])).constant(i32("perm", &[2]), bytes_of(&[1, 0]));
    models.push(sound("TRANSPOSE", turn.output(t("y", &[3, 2])).options::<TransposeOptions>(|o| o).model()));
    let gather = OneOp::new("GATHER").feed(t("x", &[4, 3]));
    let gather = gather.constant(i32("indices", &[2]), bytes_of(&[3, 0])).output(t("y", &[2, 3]));
    models.push(sound("GATHER", gather.options(|o| o.set(GatherOptions::AXIS, 0)).model()));
    let gather = OneOp::new("GATHER").feed(t("x", &[4, 3])).feed(i32("indices", &[2]));
    models.push(sound(
        "GATHER",
        gather.output(t("y", &[2, 3])).options(|o| o.set(GatherOptions::AXIS, 0)).model(),
    ));
}

/// Ops that inputs tell the shape of the output: as constants, and fed.
fn sized(kind: Kind, models: &mut Models) {
    let t = |name: &str, shape: &[i32]| kind.tensor(name, shape);
    let mut add = |op: &'static str, x: &[i32], arguments: &[(&str, &[i32], &[i32])], y: &[i32]| {
        for fed in [false, true] {
            let mut one = OneOp::new(op).feed(t("x", x));
            for (name, shape, values) in arguments {
                one = match fed {
                    true => one.feed(i32(name, shape)),
                    false => one.constant(i32(name, shape), bytes_of(values)),
                };
            }
            let values = arguments.iter().enumerate().map(|(i, (.., values))| (i + 1, bytes_of(values)));
            let inputs = if fed { values.collect() } else { Vec::new() };
            let one = one.output(t("y", y));
            let one = match op {
                "RESHAPE" => one.options(|o| o.set(ReshapeOptions::NEW_SHAPE, y)),
                _ => one.defaults(),
            };
            models.push(Sound { op, model: one.model(), inputs });
        }
    };
    add("RESHAPE", &[2, 3], &[("shape", &[2], &[3, 2])], &[3, 2]);
    add("PAD", &[2, 3], &[("paddings", &[2, 2], &[1, 1, 0, 2])], &[4, 5]);
    add("SLICE", &[2, 3], &[("begin", &[2], &[0, 1]), ("size", &[2], &[2, 2])], &[2, 2]);
    let limits: [(&str, &[i32], &[i32]); 3] =
        [("begin", &[2], &[0, 0]), ("end", &[2], &[2, 6]), ("strides", &[2], &[1, 2])];
    add("STRIDED_SLICE", &[2, 6], &limits, &[2, 3]);
    add("RESIZE_BILINEAR", &[1, 2, 2, 3], &[("size", &[2], &[4, 4])], &[1, 4, 4, 3]);
    add("RESIZE_NEAREST_NEIGHBOR", &[1, 2, 2, 3], &[("size", &[2], &[4, 4])], &[1, 4, 4, 3]);
}

fn converting(models: &mut Models) {
    let cast = OneOp::new("CAST").feed(f32("x", &[2, 3])).output(i32("y", &[2, 3]));
    models.push(sound(
        "CAST",
        cast.options(|o| {
            o.set(CastOptions::IN_DATA_TYPE, FLOAT32 as i8).set(CastOptions::OUT_DATA_TYPE, INT32 as i8)
        })
        .model(),
    ));
    let shape = OneOp::new("SHAPE").feed(f32("x", &[2, 3])).output(i32("y", &[2]));
    models.push(sound("SHAPE", shape.options(|o| o.set(ShapeOptions::OUT_TYPE, INT32 as i8)).model()));
    let quantize = OneOp::new("QUANTIZE").feed(f32("x", &[2, 3])).output(i8("y", &[2, 3]));
    models.push(sound("QUANTIZE", quantize.options::<QuantizeOptions>(|o| o).model()));
    let dequantize = OneOp::new("DEQUANTIZE").feed(i8("x", &[2, 3])).output(f32("y", &[2, 3]));
    models.push(sound("DEQUANTIZE", dequantize.options::<DequantizeOptions>(|o| o).model()));
    let stored = f32("x", &[2, 2]).sparse(Sparsity {
        traversal_order: vec![0, 1],
        block_map: vec![],
        levels: vec![Level::Dense(2), Level::Sparse { segments: vec![0, 1, 2], indices: vec![1, 0] }],
    });
    let densify = OneOp::new("DENSIFY").constant(stored, bytes_of(&[7.0f32, 8.0]));
    models.push(sound("DENSIFY", densify.output(f32("y", &[2, 2])).options::<DensifyOptions>(|o| o).model()));
}
