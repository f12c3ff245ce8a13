use super::*;
use crate::kit::lstm::tests::{INPUT, OUTPUT, Variant, Weights, assert_near, numbers, variants};
use arenite_abi::schema::{UnidirectionalSequenceLSTMOptions, activation};
use arenite_abi::testing::{OpTest, Spec, Tensor};

type Node = OpTest<UnidirectionalSequenceLstm>;

const TIMES: usize = 3;
const BATCHES: usize = 2;

fn reals(y: &Tensor) -> Vec<f64> {
    y.as_f32().into_iter().map(f64::from).collect()
}

/// The layer's output for consecutive batches.
fn want(weights: &Weights, x: &[f32]) -> Vec<f64> {
    x.chunks(TIMES * weights.inputs).flat_map(|rows| weights.run(rows)).collect()
}

/// The same numbers in time-major order.
fn transposed<T: Copy>(rows: &[T], width: usize) -> Vec<T> {
    let order = (0..TIMES).flat_map(|t| (0..BATCHES).map(move |b| b * TIMES + t));
    order.flat_map(|i| rows[i * width..(i + 1) * width].to_vec()).collect()
}

fn float(weights: &Weights, x: &[f32], ty: ElementType) -> Node {
    let x = Tensor::f32(&[BATCHES as i32, TIMES as i32, weights.inputs as i32], x);
    weights.float_node(x, BATCHES, ty).output(Spec::f32())
}

#[test]
fn every_variant_on_f32() {
    let diagonal = Variant { diagonal: true, peephole: true, ..Variant::default() };
    for variant in variants().chain([diagonal]) {
        let weights = Weights::new(variant);
        let x = numbers(5, TIMES * BATCHES * weights.inputs);
        let options = |time_major: bool| {
            move |o: arenite_abi::testing::OptionsBuilder<UnidirectionalSequenceLSTMOptions>| {
                o.set(UnidirectionalSequenceLSTMOptions::FUSED_ACTIVATION_FUNCTION, activation::TANH)
                    .set(UnidirectionalSequenceLSTMOptions::CELL_CLIP, variant.clip)
                    .set(UnidirectionalSequenceLSTMOptions::TIME_MAJOR, time_major)
            }
        };
        let outcome = float(&weights, &x, F32).options(options(false)).run_with_variables().unwrap();
        let want = want(&weights, &x);
        assert_near(reals(&outcome.outputs[0]), &want, 1e-5, &format!("{variant:?}"));
        // The state is the last output of each batch.
        let last = want
            .chunks(TIMES * weights.outputs)
            .flat_map(|rows| rows[rows.len() - weights.outputs..].to_vec());
        assert_near(reals(&outcome.variables[0]), &last.collect::<Vec<_>>(), 1e-5, "state");

        let turned = Tensor::f32(&[TIMES as i32, BATCHES as i32, 3], &transposed(&x, weights.inputs));
        let node: Node = weights.float_node(turned, BATCHES, F32).output(Spec::f32());
        let y = node.options(options(true)).run().unwrap();
        assert_near(reals(&y[0]), &transposed(&want, weights.outputs), 1e-5, "time-major");
    }
}

#[test]
fn every_variant_with_weights_of_8_bits() {
    let diagonal = Variant { diagonal: true, ..Variant::default() };
    for variant in variants().chain([diagonal]) {
        let weights = Weights::new(variant);
        let x = numbers(9, TIMES * BATCHES * weights.inputs);
        for (ty, asymmetric) in [(I8, false), (U8, false), (I8, true)] {
            let node = float(&weights, &x, ty);
            let node = node.options(|o| {
                o.set(UnidirectionalSequenceLSTMOptions::FUSED_ACTIVATION_FUNCTION, activation::TANH)
                    .set(UnidirectionalSequenceLSTMOptions::CELL_CLIP, variant.clip)
                    .set(UnidirectionalSequenceLSTMOptions::ASYMMETRIC_QUANTIZE_INPUTS, asymmetric)
            });
            let what = format!("{variant:?} {ty} {asymmetric}");
            assert_near(reals(&node.run().unwrap()[0]), &want(&weights, &x), 0.04, &what);
        }
    }
}

#[test]
fn every_variant_on_i8() {
    for variant in variants() {
        // Peepholes of projected layers read the wrong cells, as in TFLite.
        if variant.peephole && variant.projection {
            continue;
        }
        let weights = Weights::new(variant);
        let x = numbers(3, TIMES * BATCHES * weights.inputs);
        let bytes: Vec<i8> = x.iter().map(|x| (x / INPUT.0).round() as i8 + INPUT.1 as i8).collect();
        let shape = [BATCHES as i32, TIMES as i32, weights.inputs as i32];
        let node: Node =
            weights.integer_node(Tensor::i8(&shape, &bytes).quantized(INPUT.0, INPUT.1), BATCHES);
        let node = node.output(Spec::i8(OUTPUT.0, OUTPUT.1)).options(|o| {
            o.set(UnidirectionalSequenceLSTMOptions::FUSED_ACTIVATION_FUNCTION, activation::TANH)
                .set(UnidirectionalSequenceLSTMOptions::CELL_CLIP, variant.clip)
        });
        let y = node.run().unwrap();
        let got = y[0]
            .as_i8()
            .into_iter()
            .map(|q| f64::from(OUTPUT.0) * f64::from(i64::from(q) as i32 - OUTPUT.1 as i32));
        assert_near(got, &want(&weights, &x), 0.06, &format!("{variant:?}"));
    }
}

#[test]
fn projected_peepholes_are_counted_by_outputs() {
    // One batch: of four cells only the first two have a weight, because there are two outputs.
    let weights = Weights::new(Variant { peephole: true, projection: true, ..Variant::default() });
    let mut cut = weights.clone();
    for part in &mut cut.parts[8..11] {
        part.as_mut().unwrap().1[2..].fill(0.0);
    }
    let x = Tensor::i8(&[1, 3, 3], &[10, -20, 30, 40, 50, -60, 70, -80, 90]).quantized(INPUT.0, INPUT.1);
    let run = |weights: &Weights| {
        let node: Node = weights.integer_node(x.clone(), 1).output(Spec::i8(OUTPUT.0, OUTPUT.1));
        node.run().unwrap()[0].as_i8()
    };
    assert_eq!(run(&weights), run(&cut));
}

#[test]
fn without_activation_the_cell_gate_is_output() {
    let one = |x: f32| Tensor::f32(&[1, 1], &[x]);
    let bias = |x: f32| Tensor::f32(&[1], &[x]);
    // All gates see 0 except the cell gate, which sees 3; so the other gates are one half.
    let fed = |node: Node| {
        let node =
            node.constant(one(0.)).constant(one(0.)).constant(one(3.)).constant(one(0.)).constant(one(0.));
        let node = node.constant(one(0.)).constant(one(0.)).constant(one(0.)).absent().absent().absent();
        let node = [0.; 4].into_iter().fold(node, |node, b| node.constant(bias(b))).absent().absent();
        node.variable(one(0.)).variable(one(2.)).output(Spec::f32())
    };
    let x = || Tensor::f32(&[1, 1, 1], &[1.0]);
    // The input may be a variable, too.
    assert_eq!(fed(Node::new().variable(x())).run().unwrap()[0].as_f32(), [1.5]);
    let test = fed(Node::new().input(x()));
    let outcome = test.clone().run_with_variables().unwrap();
    assert_eq!(outcome.outputs[0].as_f32(), [1.5]);
    assert_eq!(outcome.variables[1].as_f32(), [2.5]);
    let clamped = test
        .clone()
        .options(|o| {
            o.set(UnidirectionalSequenceLSTMOptions::FUSED_ACTIVATION_FUNCTION, activation::RELU6)
                .set(UnidirectionalSequenceLSTMOptions::CELL_CLIP, 1.0)
        })
        .run_with_variables()
        .unwrap();
    assert_eq!((clamped.outputs[0].as_f32(), clamped.variables[1].as_f32()), (vec![0.5], vec![1.0]));
    let message = |test: Node| test.run().unwrap_err().message().to_owned();
    assert_eq!(
        message(test.clone().options(|o| o.set(UnidirectionalSequenceLSTMOptions::CELL_CLIP, -1.0))),
        "cell_clip is -1; it must not be negative"
    );
    assert_eq!(message(test.absent()), "it has 21 inputs, this op takes 20 or 24");
}

#[test]
fn refusals() {
    let message = |weights: &Weights| {
        float(weights, &numbers(1, TIMES * BATCHES * 3), F32).run().unwrap_err().message().to_owned()
    };
    let full = Weights::new(Variant { peephole: true, projection: true, norm: true, ..Variant::default() });
    let without = |i: usize| {
        let mut weights = full.clone();
        weights.parts[i] = None;
        message(&weights)
    };
    assert_eq!(without(0), "'in5' (input 5) is present without weights of the input gate");
    assert_eq!(without(1), "input 2 is absent, this op needs it");
    assert_eq!(without(4), "input 5 is absent, this op needs it");
    assert_eq!(without(9), "input 10 is absent, this op needs it");
    assert_eq!(without(10), "'in9' (input 9) is present without weights from the cell to the output gate");
    assert_eq!(without(13), "input 14 is absent, this op needs it");
    assert_eq!(without(15), "'in17' (input 17) is present without weights of the projection");
    let mut wide = full.clone();
    wide.parts[2] = Some((vec![4, 4], vec![0.0; 16]));
    assert_eq!(message(&wide), "'in3' is FLOAT32[4, 4]; it must be FLOAT32[4, 3]");
    let mut narrow = Weights::new(Variant::default());
    for part in &mut narrow.parts[4..8] {
        *part = Some((vec![4, 2], vec![0.0; 8]));
    }
    assert_eq!(message(&narrow), "it has 4 cells and 2 outputs; without a projection they must agree");
    let x = Tensor::f32(&[2, 3], &[0.0; 6]);
    let flat: Node = full.float_node(x, 2, F32).output(Spec::f32());
    assert_eq!(flat.run().unwrap_err().message(), "input 'in0' is [2, 3]; it must have 3 axes");
}
