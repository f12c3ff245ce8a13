//! Ops on two or three tensors, element by element: extrema, quotients, comparisons, choices, sums, broadcasts.

use arenite_abi::schema::{AddNOptions, BroadcastToOptions, MaximumMinimumOptions};
use arenite_model::tensor_type::{BOOL, INT16, INT64, STRING};
use arenite_model::writer::{Tensor, bytes_of, bytes_of_strings};

use super::{Kind, Models, OneOp, Sound, f32, i32, sound};

/// Adds the models of these ops.
pub(super) fn add(models: &mut Models) {
    for kind in [Kind::Float, Kind::Quantized] {
        extrema(kind, models);
        quotients(kind, models);
        comparisons(kind, models);
        choices(kind, models);
        stablehlo(kind, models);
        broadcast_to(kind, models);
    }
    sums(models);
    identity_of_strings(models);
    shifts(models);
    broadcast_args(models);
}

fn extrema(kind: Kind, models: &mut Models) {
    for op in ["MAXIMUM", "MINIMUM"] {
        let one = OneOp::new(op).feed(kind.tensor("a", &[2, 3])).feed(kind.tensor("b", &[3]));
        models.push(sound(
            op,
            one.output(kind.tensor("y", &[2, 3])).options::<MaximumMinimumOptions>(|o| o).model(),
        ));
    }
}

/// Their divisors are fed, none of them zero.
fn quotients(kind: Kind, models: &mut Models) {
    for op in ["DIV", "FLOOR_DIV", "FLOOR_MOD"] {
        let one = OneOp::new(op).feed(kind.tensor("a", &[2, 3])).feed(kind.tensor("b", &[3]));
        let one = one.output(kind.tensor("y", &[2, 3])).defaults();
        let divisors = match kind {
            Kind::Float => bytes_of(&[1.5f32, -2.0, 0.25]),
            Kind::Quantized => bytes_of(&[1i8, -2, 100]),
        };
        models.push(Sound { op, model: one.model(), inputs: vec![(1, divisors)] });
    }
}

fn comparisons(kind: Kind, models: &mut Models) {
    for op in ["EQUAL", "NOT_EQUAL", "LESS", "LESS_EQUAL", "GREATER", "GREATER_EQUAL"] {
        let one = OneOp::new(op).feed(kind.tensor("a", &[2, 3])).feed(kind.tensor("b", &[2, 1]));
        models.push(sound(op, one.output(Tensor::new("y", BOOL, &[2, 3])).model()));
    }
}

fn choices(kind: Kind, models: &mut Models) {
    for (op, condition) in [("SELECT", &[2][..]), ("SELECT_V2", &[2, 1])] {
        let one = OneOp::new(op).feed(Tensor::new("condition", BOOL, condition));
        let one = one.feed(kind.tensor("a", &[2, 3])).feed(kind.tensor("b", &[2, 3]));
        models.push(sound(op, one.output(kind.tensor("y", &[2, 3])).model()));
    }
}

fn stablehlo(kind: Kind, models: &mut Models) {
    let mut ops = vec!["STABLEHLO_ADD", "STABLEHLO_MULTIPLY", "STABLEHLO_MAXIMUM", "STABLEHLO_MINIMUM"];
    if kind == Kind::Quantized {
        ops.push("STABLEHLO_AND");
    }
    for op in ops {
        let one = OneOp::new(op).feed(kind.tensor("a", &[2, 3])).feed(kind.tensor("b", &[2, 3]));
        models.push(sound(op, one.output(kind.tensor("y", &[2, 3])).model()));
    }
}

/// With the shape as a constant, and fed.
fn broadcast_to(kind: Kind, models: &mut Models) {
    let op = "BROADCAST_TO";
    for fed in [false, true] {
        let (shape, sizes) = (i32("shape", &[3]), bytes_of(&[2, 2, 3]));
        let one = OneOp::new(op).feed(kind.tensor("x", &[2, 1]));
        let (one, inputs) = match fed {
            true => (one.feed(shape), vec![(1, sizes)]),
            false => (one.constant(shape, sizes), Vec::new()),
        };
        let mut model = one.output(kind.tensor("y", &[2, 2, 3])).options::<BroadcastToOptions>(|o| o).model();
        model.operator_codes[0].version = 2;
        models.push(Sound { op, model, inputs });
    }
}

fn sums(models: &mut Models) {
    for tensor in [f32, i32] {
        let one = OneOp::new("ADD_N").feed(tensor("a", &[2, 3])).feed(tensor("b", &[2, 3]));
        let one = one.feed(tensor("c", &[2, 3])).output(tensor("y", &[2, 3]));
        models.push(sound("ADD_N", one.options::<AddNOptions>(|o| o).model()));
    }
}

fn identity_of_strings(models: &mut Models) {
    for op in ["EQUAL", "NOT_EQUAL"] {
        let strings = |name: &str, shape: &[i32]| Tensor::new(name, STRING, shape);
        let one = OneOp::new(op).constant(strings("a", &[2, 1]), bytes_of_strings(&["ab", ""]));
        let one = one.constant(strings("b", &[3]), bytes_of_strings(&["", "ab", "c"]));
        models.push(sound(op, one.output(Tensor::new("y", BOOL, &[2, 3])).model()));
    }
}

fn shifts(models: &mut Models) {
    let op = "STABLEHLO_SHIFT_LEFT";
    let words = |name: &str| Tensor::new(name, INT16, &[2, 3]);
    let one = OneOp::new(op).feed(words("a")).feed(words("b")).output(words("y"));
    models.push(sound(op, one.model()));
}

fn broadcast_args(models: &mut Models) {
    let list = |name: &str, count: i32| Tensor::new(name, INT64, &[count]);
    let one = OneOp::new("BROADCAST_ARGS").constant(list("a", 1), bytes_of(&[3i64]));
    let one = one.constant(list("b", 2), bytes_of(&[2i64, 1])).output(list("y", 2));
    models.push(sound("BROADCAST_ARGS", one.model()));
    let one = OneOp::new("BROADCAST_ARGS").feed(list("a", 2)).feed(list("b", 2)).output(list("y", 2));
    models.push(sound("BROADCAST_ARGS", one.model()));
}
