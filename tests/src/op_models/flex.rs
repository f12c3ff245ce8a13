//! TensorFlow's ops: at least one of each family.

use arenite_abi::ElementType::{self, C64, F32, I32};
use arenite_flex::kit::write::Attribute::{self, Bool, Int, Ints, Text, Type};
use arenite_flex::kit::write::custom_options;
use arenite_model::writer::{Tensor, bytes_of};

use super::{Models, OneOp, Sound, f32, i32, sound};

/// Adds the models of these ops.
pub(super) fn add(models: &mut Models) {
    elementwise(models);
    images(models);
    matrices(models);
    moves(models);
    strings(models);
    lists(models);
}

/// A node of the op with the name `name`, which begins with Flex.
fn op(name: &'static str, attributes: &[(&str, Attribute<'_>)]) -> OneOp {
    OneOp::custom(name).custom_options(custom_options(&name[4..], attributes))
}

fn of(ty: ElementType, name: &str, shape: &[i32]) -> Tensor {
    Tensor::new(name, ty as i32, shape)
}

fn elementwise(models: &mut Models) {
    for name in ["FlexErf", "FlexDigamma", "FlexRelu", "FlexIsNan"] {
        let y = of(if name == "FlexIsNan" { ElementType::Bool } else { F32 }, "y", &[2, 3]);
        models.push(sound(name, op(name, &[("T", Type(F32))]).feed(f32("x", &[2, 3])).output(y).model()));
    }
    for name in ["FlexAddV2", "FlexFloorDiv", "FlexPow"] {
        let one = op(name, &[("T", Type(F32))]).feed(f32("a", &[2, 3])).feed(f32("b", &[3]));
        models.push(sound(name, one.output(f32("y", &[2, 3])).model()));
    }
    let shift = op("FlexLeftShift", &[]).feed(i32("a", &[2])).feed(i32("b", &[2])).output(i32("y", &[2]));
    models.push(sound("FlexLeftShift", shift.model()));
    let random = op("FlexRandomUniform", &[("seed", Int(1))]).constant(i32("shape", &[2]), bytes_of(&[2, 3]));
    models.push(sound("FlexRandomUniform", random.output(f32("y", &[2, 3])).model()));
}

fn images(models: &mut Models) {
    let window: [(&str, Attribute<'_>); 3] =
        [("ksize", Ints(&[1, 2, 2, 1])), ("strides", Ints(&[1, 2, 2, 1])), ("padding", Text("SAME"))];
    let pool = op("FlexMaxPool", &window).feed(f32("x", &[1, 4, 4, 2])).output(f32("y", &[1, 2, 2, 2]));
    models.push(sound("FlexMaxPool", pool.model()));
    let grad = op("FlexAvgPoolGrad", &window).constant(i32("shape", &[4]), bytes_of(&[1, 4, 4, 2]));
    let grad = grad.feed(f32("dy", &[1, 2, 2, 2])).output(f32("dx", &[1, 4, 4, 2]));
    models.push(sound("FlexAvgPoolGrad", grad.model()));
    let conv = op("FlexConv2D", &[("strides", Ints(&[1, 1, 1, 1])), ("padding", Text("SAME"))]);
    let conv =
        conv.feed(f32("x", &[1, 3, 3, 2])).feed(f32("w", &[2, 2, 2, 3])).output(f32("y", &[1, 3, 3, 3]));
    models.push(sound("FlexConv2D", conv.model()));
    let resize = op("FlexResizeBicubic", &[("half_pixel_centers", Bool(true))]).feed(f32("x", &[1, 2, 2, 1]));
    let resize = resize.constant(i32("size", &[2]), bytes_of(&[3, 3])).output(f32("y", &[1, 3, 3, 1]));
    models.push(sound("FlexResizeBicubic", resize.model()));
    let crop = op("FlexCropAndResize", &[]).feed(f32("x", &[1, 3, 3, 1])).feed(f32("boxes", &[2, 4]));
    let crop = crop.feed(i32("of", &[2])).constant(i32("size", &[2]), bytes_of(&[2, 2]));
    models.push(sound("FlexCropAndResize", crop.output(f32("y", &[2, 2, 2, 1])).model()));
    let ctc = op("FlexCTCGreedyDecoder", &[]).feed(f32("x", &[3, 2, 4])).feed(i32("lengths", &[2]));
    let long = |name: &str, shape: &[i32]| of(ElementType::I64, name, shape);
    let ctc = ctc.output(long("indices", &[1, 2])).output(long("values", &[1])).output(long("shape", &[2]));
    models.push(sound("FlexCTCGreedyDecoder", ctc.output(f32("sums", &[2, 1])).model()));
}

fn matrices(models: &mut Models) {
    let invert = op("FlexMatrixDeterminant", &[]).feed(f32("x", &[2, 3, 3])).output(f32("y", &[2]));
    models.push(sound("FlexMatrixDeterminant", invert.model()));
    let product = op("FlexBatchMatMulV2", &[("adj_y", Bool(true))]).feed(f32("a", &[2, 2, 3]));
    let product = product.feed(f32("b", &[1, 4, 3])).output(f32("y", &[2, 2, 4]));
    models.push(sound("FlexBatchMatMulV2", product.model()));
    let einsum = op("FlexEinsum", &[("equation", Text("bij,jk->bik"))]).feed(f32("a", &[2, 2, 3]));
    models.push(sound("FlexEinsum", einsum.feed(f32("b", &[3, 4])).output(f32("y", &[2, 2, 4])).model()));
    let rfft = op("FlexRFFT2D", &[]).feed(f32("x", &[4, 6])).constant(i32("n", &[2]), bytes_of(&[4, 6]));
    models.push(sound("FlexRFFT2D", rfft.output(of(C64, "y", &[4, 4])).model()));
    let diag = op("FlexMatrixDiagV3", &[("align", Text("RIGHT_LEFT"))]).feed(f32("x", &[2, 3]));
    let diag = diag.constant(i32("k", &[]), bytes_of(&[1])).constant(i32("rows", &[]), bytes_of(&[-1]));
    let diag =
        diag.constant(i32("columns", &[]), bytes_of(&[-1])).constant(f32("value", &[]), bytes_of(&[0f32]));
    models.push(sound("FlexMatrixDiagV3", diag.output(f32("y", &[2, 4, 4])).model()));
}

fn moves(models: &mut Models) {
    let mut arguments = |name: &'static str, x: &[i32], list: &[(&[i32], &[i32])], y: &[i32]| {
        for fed in [false, true] {
            let mut one = op(name, &[]).feed(f32("x", x));
            for (shape, values) in list {
                one = match fed {
                    true => one.feed(i32("argument", shape)),
                    false => one.constant(i32("argument", shape), bytes_of(values)),
                };
            }
            let inputs = list.iter().enumerate().map(|(i, (_, values))| (i + 1, bytes_of(values)));
            let inputs = if fed { inputs.collect() } else { Vec::new() };
            models.push(Sound { op: name, model: one.output(f32("y", y)).model(), inputs });
        }
    };
    arguments("FlexReshape", &[2, 3], &[(&[2], &[3, -1])], &[3, 2]);
    arguments("FlexTranspose", &[2, 3], &[(&[2], &[1, 0])], &[3, 2]);
    arguments("FlexPad", &[2, 3], &[(&[2, 2], &[1, 1, 0, 2])], &[4, 5]);
    arguments("FlexTile", &[2, 3], &[(&[2], &[2, 1])], &[4, 3]);
    arguments("FlexSum", &[2, 3], &[(&[1], &[1])], &[2]);
    arguments("FlexCumsum", &[2, 3], &[(&[], &[1])], &[2, 3]);
    arguments("FlexRoll", &[2, 3], &[(&[1], &[1]), (&[1], &[-1])], &[2, 3]);
    arguments("FlexGatherV2", &[4, 3], &[(&[2], &[3, 0]), (&[], &[0])], &[2, 3]);
    arguments("FlexStridedSlice", &[2, 6], &[(&[2], &[0, 0]), (&[2], &[2, 6]), (&[2], &[1, 2])], &[2, 3]);
    arguments("FlexUnsortedSegmentSum", &[3, 2], &[(&[3], &[0, 1, 0]), (&[], &[2])], &[2, 2]);
    let scatter = op("FlexTensorScatterMax", &[]).feed(f32("x", &[4])).feed(i32("indices", &[2, 1]));
    models.push(sound(
        "FlexTensorScatterMax",
        scatter.feed(f32("updates", &[2])).output(f32("y", &[4])).model(),
    ));
    let unique = op("FlexUniqueWithCounts", &[]).feed(i32("x", &[4])).output(i32("y", &[1]));
    models.push(sound("FlexUniqueWithCounts", unique.output(i32("i", &[4])).output(i32("n", &[1])).model()));
    let parts = op("FlexBroadcastGradientArgs", &[]).constant(i32("a", &[2]), bytes_of(&[2, 1]));
    let parts =
        parts.constant(i32("b", &[1]), bytes_of(&[3])).output(i32("r0", &[1])).output(i32("r1", &[1]));
    models.push(sound("FlexBroadcastGradientArgs", parts.model()));
}

fn strings(models: &mut Models) {
    let text = |name: &str| of(ElementType::String, name, &[2]);
    let data = || arenite_model::writer::bytes_of_strings(&["ab c", ""]);
    let mut add = |name: &'static str, attributes: &[(&str, Attribute<'_>)], y: Tensor| {
        models.push(sound(name, op(name, attributes).constant(text("x"), data()).output(y).model()));
    };
    add("FlexStringStrip", &[], text("y"));
    add("FlexStaticRegexReplace", &[("pattern", Text("[a-z]+")), ("rewrite", Text("<\\0>"))], text("y"));
    add("FlexStringToHashBucketFast", &[("num_buckets", Int(10))], of(ElementType::I64, "y", &[2]));
    add(
        "FlexStringToHashBucketStrong",
        &[("num_buckets", Int(9)), ("key", Ints(&[1, 2]))],
        of(ElementType::I64, "y", &[2]),
    );
    let join = op("FlexReduceJoin", &[("separator", Text("+"))]).constant(text("x"), data());
    let join = join.constant(i32("axes", &[1]), bytes_of(&[0])).output(of(ElementType::String, "y", &[]));
    models.push(sound("FlexReduceJoin", join.model()));
}

fn lists(models: &mut Models) {
    let list = |name: &str| of(ElementType::Variant, name, &[]);
    let reserve = op("FlexTensorListReserve", &[("element_dtype", Type(I32))]);
    let reserve = reserve.constant(i32("shape", &[1]), bytes_of(&[2])).feed(i32("count", &[]));
    models.push(sound("FlexTensorListReserve", reserve.output(list("y")).model()));
    let from = op("FlexTensorListFromTensor", &[]).feed(f32("x", &[2, 3]));
    let from = from.constant(i32("shape", &[1]), bytes_of(&[3])).output(list("y"));
    models.push(sound("FlexTensorListFromTensor", from.model()));
}
