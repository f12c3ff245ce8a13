//! Ops that look at one element, or at one of each input, at a time.

use arenite_abi::schema::{FakeQuantOptions, RankOptions};
use arenite_model::tensor_type::{
    BFLOAT16, BOOL, COMPLEX64, COMPLEX128, FLOAT16, FLOAT32, FLOAT64, INT8, INT16, INT32, INT64, UINT8,
    UINT16, UINT32,
};
use arenite_model::writer::{Tensor, bytes_of};

use super::{Models, OneOp, f32, i8, i32, rescaled, sound};

/// Adds the models of these ops.
pub(super) fn add(models: &mut Models) {
    unary(models);
    binary(models);
    for op in ["REAL", "IMAG", "COMPLEX_ABS"] {
        push(op, &[COMPLEX64], FLOAT32, models);
        push(op, &[COMPLEX128], FLOAT64, models);
    }
    let rank = OneOp::new("RANK").feed(f32("x", &[2, 3])).output(i32("y", &[]));
    models.push(sound("RANK", rank.options::<RankOptions>(|o| o).model()));
    let fake = OneOp::new("FAKE_QUANT").feed(f32("x", &[2, 3])).output(f32("y", &[2, 3]));
    models.push(sound(
        "FAKE_QUANT",
        fake.options(|o| {
            o.set(FakeQuantOptions::MIN, -1.0)
                .set(FakeQuantOptions::MAX, 1.0)
                .set(FakeQuantOptions::NUM_BITS, 8)
        })
        .model(),
    ));
}

fn unary(models: &mut Models) {
    for (op, types) in [
        ("ABS", &[FLOAT32, INT8, INT32][..]),
        ("EXP", &[FLOAT32, INT8]),
        ("LOG", &[FLOAT32, INT8]),
        ("ELU", &[FLOAT32, INT8]),
        ("SIN", &[FLOAT32, FLOAT16]),
        ("COS", &[FLOAT32, FLOAT16]),
        ("FLOOR", &[FLOAT32, BFLOAT16]),
        ("ROUND", &[FLOAT32, FLOAT16]),
        ("CEIL", &[FLOAT32]),
        ("SQUARE", &[FLOAT32]),
        ("SIGN", &[FLOAT64, INT32]),
        ("ZEROS_LIKE", &[FLOAT32, INT64]),
        ("LOGICAL_NOT", &[BOOL]),
    ] {
        types.iter().for_each(|&ty| push(op, &[ty], ty, models));
    }
    let words = |name: &str| Tensor::new(name, INT16, &[5]).quantized(1.0 / 4096.0, 0);
    for op in ["ABS", "EXP", "LOG"] {
        models.push(sound(op, OneOp::new(op).feed(words("x")).output(words("y")).model()));
    }
    let sign = OneOp::custom("Sign").feed(f32("x", &[2, 3])).output(f32("y", &[2, 3]));
    models.push(sound("Sign", sign.model()));
}

fn binary(models: &mut Models) {
    for (op, types) in [
        ("LOGICAL_AND", &[BOOL][..]),
        ("LOGICAL_OR", &[BOOL]),
        ("ATAN2", &[FLOAT32, FLOAT64, FLOAT16]),
        ("BITWISE_XOR", &[INT8, UINT16, INT32]),
        ("RIGHT_SHIFT", &[UINT8, INT16, UINT32]),
        ("POW", &[FLOAT32, INT32]),
    ] {
        types.iter().for_each(|&ty| push(op, &[ty, ty], ty, models));
    }
    for op in ["BITWISE_XOR", "RIGHT_SHIFT", "POW"] {
        let one = OneOp::new(op).feed(i32("a", &[2, 3])).constant(i32("b", &[]), bytes_of(&[3]));
        models.push(sound(op, one.output(i32("y", &[2, 3])).model()));
    }
    let angle = OneOp::custom("atan2").feed(f32("y", &[2, 3])).feed(f32("x", &[2, 3]));
    models.push(sound("atan2", angle.output(f32("z", &[2, 3])).model()));

    let prelu = OneOp::new("PRELU").feed(f32("x", &[2, 3]));
    let prelu = prelu.constant(f32("alpha", &[3]), bytes_of(&[0.5f32, -1.0, 2.0]));
    models.push(sound("PRELU", prelu.output(f32("y", &[2, 3])).model()));
    let prelu = OneOp::new("PRELU").feed(i8("x", &[2, 3])).constant(i8("alpha", &[1, 3]), [5, 200, 90]);
    models.push(sound("PRELU", prelu.output(rescaled(i8("y", &[2, 3]), 0.25, 3)).model()));
}

/// Adds a model with inputs of these types, all of one shape. 8-bit integers have a scale.
fn push(op: &'static str, inputs: &[i32], output: i32, models: &mut Models) {
    let tensor = |name: &str, ty: i32| match ty {
        INT8 => i8(name, &[2, 3]),
        ty => Tensor::new(name, ty, &[2, 3]),
    };
    let one =
        inputs.iter().zip(["a", "b"]).fold(OneOp::new(op), |one, (&ty, name)| one.feed(tensor(name, ty)));
    models.push(sound(op, one.output(tensor("y", output)).model()));
}
