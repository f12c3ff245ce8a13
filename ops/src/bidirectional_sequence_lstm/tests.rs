use super::*;
use crate::kit::lstm::tests::{Variant, Weights, assert_near, numbers};
use arenite_abi::schema::{BidirectionalSequenceLSTMOptions, activation};
use arenite_abi::testing::{OpTest, Spec, Tensor};

type Node = OpTest<BidirectionalSequenceLstm>;

const TIMES: usize = 3;

fn state(n: usize) -> Tensor {
    Tensor::f32(&[1, n as i32], &vec![0.0; n])
}

fn tensor(_: usize, shape: &[i32], numbers: &[f32]) -> Tensor {
    Tensor::f32(shape, numbers)
}

/// The weights of a different layer.
fn other(mut weights: Weights) -> Weights {
    weights.parts.iter_mut().flatten().for_each(|(_, numbers)| numbers.iter_mut().for_each(|x| *x *= -0.75));
    weights
}

/// Adds the inputs up to the second input of the node.
fn node(x: &[f32], forward: &Weights, backward: &Weights) -> Node {
    let test = Node::new().input(Tensor::f32(&[TIMES as i32, 1, 3], x));
    let test = backward.weights(forward.weights(test, &tensor), &tensor);
    [forward, backward]
        .into_iter()
        .fold(test, |test, layer| test.variable(state(layer.outputs)).variable(state(layer.cells)))
}

fn absent(test: Node, count: usize) -> Node {
    (0..count).fold(test, |test, _| test.absent())
}

fn reversed<T: Copy>(rows: &[T], width: usize) -> Vec<T> {
    rows.chunks(width).rev().flatten().copied().collect()
}

fn reals(y: &Tensor) -> Vec<f64> {
    y.as_f32().into_iter().map(f64::from).collect()
}

#[test]
fn each_direction_is_a_layer() {
    for variant in [
        Variant::default(),
        Variant { projection: true, clip: 0.25, ..Variant::default() },
        Variant { peephole: true, coupled: true, ..Variant::default() },
    ] {
        let (forward, backward) = (Weights::new(variant), other(Weights::new(variant)));
        let x = numbers(2, TIMES * 3);
        let want = [forward.run(&x), reversed(&backward.run(&reversed(&x, 3)), backward.outputs)];
        let test = absent(node(&x, &forward, &backward), 9);
        let apart = test.clone().output(Spec::f32()).output(Spec::f32());
        let apart = apart
            .options(|o| {
                o.set(BidirectionalSequenceLSTMOptions::FUSED_ACTIVATION_FUNCTION, activation::TANH)
                    .set(BidirectionalSequenceLSTMOptions::CELL_CLIP, variant.clip)
            })
            .run()
            .unwrap();
        for (y, want) in apart.iter().zip(&want) {
            assert_near(reals(y), want, 1e-5, &format!("{variant:?}"));
        }
        let merged = test.output(Spec::f32()).options(|o| {
            o.set(BidirectionalSequenceLSTMOptions::FUSED_ACTIVATION_FUNCTION, activation::TANH)
                .set(BidirectionalSequenceLSTMOptions::CELL_CLIP, variant.clip)
                .set(BidirectionalSequenceLSTMOptions::MERGE_OUTPUTS, true)
        });
        let merged = merged.run().unwrap();
        let n = forward.outputs;
        assert_eq!(merged[0].shape(), [TIMES as i32, 1, 2 * n as i32]);
        let side_by_side: Vec<f64> = (0..TIMES)
            .flat_map(|t| [&want[0], &want[1]].map(|y| y[t * n..(t + 1) * n].to_vec()).concat())
            .collect();
        assert_near(reals(&merged[0]), &side_by_side, 1e-5, "merged");
    }
}

#[test]
fn batches_of_merged_outputs_in_batch_major_order() {
    let weights = Weights::new(Variant::default());
    let x = numbers(4, 2 * TIMES * 3);
    let mut test = Node::new().input(Tensor::f32(&[2, TIMES as i32, 3], &x));
    test = weights.weights(weights.weights(test, &tensor), &tensor);
    for _ in 0..4 {
        test = test.variable(Tensor::f32(&[2, 4], &[0.0; 8]));
    }
    let y = absent(test, 9).output(Spec::f32()).options(|o| {
        o.set(BidirectionalSequenceLSTMOptions::FUSED_ACTIVATION_FUNCTION, activation::TANH)
            .set(BidirectionalSequenceLSTMOptions::MERGE_OUTPUTS, true)
            .set(BidirectionalSequenceLSTMOptions::TIME_MAJOR, false)
    });
    let y = reals(&y.run().unwrap()[0]);
    for (batch, rows) in x.chunks(TIMES * 3).enumerate() {
        let want = weights.run(rows);
        for t in 0..TIMES {
            let at = (batch * TIMES + t) * 8;
            assert_near(y[at..at + 4].iter().copied(), &want[t * 4..(t + 1) * 4], 1e-5, "forward half");
        }
    }
}

#[test]
fn second_inputs() {
    let weights = Weights::new(Variant::default());
    let (x, aux) = (numbers(6, TIMES * 3), numbers(8, TIMES * 3));
    let aux_tensor = Tensor::f32(&[TIMES as i32, 1, 3], &aux);
    let run = |test: Node| {
        test.output(Spec::f32())
            .output(Spec::f32())
            .options(|o| o.set(BidirectionalSequenceLSTMOptions::FUSED_ACTIVATION_FUNCTION, activation::TANH))
            .run()
            .unwrap()
    };
    let stacked = run(absent(node(&x, &weights, &weights).input(aux_tensor.clone()), 8));
    assert_near(reals(&stacked[0]), &weights.run(&x), 1e-5, "forward");
    let want = reversed(&weights.run(&reversed(&aux, 3)), 4);
    assert_near(reals(&stacked[1]), &want, 1e-5, "backward reads the second input");

    // If the weights for the second input equal those for the first, the layers see the sum of both inputs.
    let added = node(&x, &weights, &weights).input(aux_tensor);
    let gates: Vec<_> =
        weights.parts[..4].iter().flatten().chain(weights.parts[..4].iter().flatten()).collect();
    let added =
        gates.into_iter().fold(added, |test, (shape, numbers)| test.constant(Tensor::f32(shape, numbers)));
    let sum: Vec<f32> = x.iter().zip(&aux).map(|(a, b)| a + b).collect();
    assert_near(reals(&run(added)[0]), &weights.run(&sum), 1e-5, "sum");
}

#[test]
fn refusals() {
    let weights = Weights::new(Variant::default());
    let x = numbers(6, TIMES * 3);
    let message = |test: Node| test.run().unwrap_err().message().to_owned();
    let test = absent(node(&x, &weights, &weights), 9);
    let short = absent(node(&x, &weights, &weights), 8).output(Spec::f32()).output(Spec::f32());
    assert_eq!(message(short), "it has 47 inputs, this op takes 48 to 48");
    let batch_major = test
        .output(Spec::f32())
        .output(Spec::f32())
        .options(|o| o.set(BidirectionalSequenceLSTMOptions::TIME_MAJOR, false));
    assert_eq!(
        message(batch_major),
        "state 'in35' is FLOAT32[1, 4]; it must be FLOAT32 and hold 4 elements for each of 3 batches"
    );
}
