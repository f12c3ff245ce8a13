use super::*;
use crate::kit::lstm::tests::{INPUT, OUTPUT, Weights, assert_near, numbers, variants};
use arenite_abi::schema::{LSTMOptions, activation, lstm_kernel};
use arenite_abi::testing::{OpTest, Spec, Tensor};

type Node = OpTest<Lstm>;

#[test]
fn full_kernel() {
    for variant in variants() {
        let weights = Weights::new(variant);
        let x = numbers(5, 2 * weights.inputs);
        let want: Vec<f64> = x.chunks(weights.inputs).flat_map(|row| weights.run(row)).collect();
        for (ty, tolerance) in [(F32, 1e-5), (I8, 0.03)] {
            let node: Node = weights.float_node(Tensor::f32(&[2, 3], &x), 2, ty).output(Spec::f32());
            let y = node
                .options(|o| {
                    o.set(LSTMOptions::FUSED_ACTIVATION_FUNCTION, activation::TANH)
                        .set(LSTMOptions::CELL_CLIP, variant.clip)
                })
                .run()
                .unwrap();
            assert_eq!(y[0].shape(), [2, weights.outputs as i32]);
            let y = y[0].as_f32().into_iter().map(f64::from);
            assert_near(y, &want, tolerance, &format!("{variant:?} {ty}"));
        }
        if variant.peephole && variant.projection {
            continue;
        }
        let bytes: Vec<i8> = x.iter().map(|x| (x / INPUT.0).round() as i8 + INPUT.1 as i8).collect();
        let x = Tensor::i8(&[2, 3], &bytes).quantized(INPUT.0, INPUT.1);
        let node: Node = weights.integer_node(x, 2).output(Spec::i8(OUTPUT.0, OUTPUT.1));
        let y = node
            .options(|o| {
                o.set(LSTMOptions::FUSED_ACTIVATION_FUNCTION, activation::TANH)
                    .set(LSTMOptions::CELL_CLIP, variant.clip)
            })
            .run()
            .unwrap();
        let y =
            y[0].as_i8().into_iter().map(|q| f64::from(OUTPUT.0) * f64::from(i32::from(q) - OUTPUT.1 as i32));
        assert_near(y, &want, 0.05, &format!("{variant:?} on i8"));
    }
}

/// One cell and one input: all four rows of the weights and their biases.
fn basic(x: Tensor, h: Tensor, c: Tensor, weights: Tensor, bias: Tensor) -> Node {
    let test = Node::new().input(x).variable(h).constant(weights).constant(bias).variable(c);
    test.options(|o| {
        o.set(LSTMOptions::FUSED_ACTIVATION_FUNCTION, activation::TANH)
            .set(LSTMOptions::KERNEL_TYPE, lstm_kernel::BASIC)
    })
}

#[test]
fn basic_kernel_on_f32() {
    let one = |x: f32| Tensor::f32(&[1, 1], &[x]);
    let weights = Tensor::f32(&[4, 2], &[1., 0., 0., 2., -1., 0., 0., 1.]);
    let test = basic(one(0.5), one(0.25), one(2.0), weights, Tensor::f32(&[4], &[0.0, 0.1, 0.0, -0.2]));
    let test = test.output(Spec::f32()).output(Spec::f32()).output(Spec::f32()).output(Spec::f32());
    let outcome = test.run_with_variables().unwrap();
    let a = [0.5f64, 0.6, -0.5, 0.05];
    let logistic = |x: f64| 1.0 / (1.0 + (-x).exp());
    let c = logistic(a[0]) * a[1].tanh() + logistic(a[2]) * 2.0;
    let h = logistic(a[3]) * c.tanh();
    let y = &outcome.outputs;
    assert_near([y[0].as_f32()[0], y[1].as_f32()[0]].map(f64::from), &[h, c], 1e-6, "output and cell");
    assert_eq!(y[2].as_f32(), [0.5, 0.25]);
    assert_near(y[3].as_f32().into_iter().map(f64::from), &a, 1e-6, "sums");
    assert_eq!(
        outcome.variables,
        [y[0].clone(), y[1].clone()].map(|y| y.named("")).map(|y| {
            let name = if y == outcome.outputs[0].clone().named("") { "in1" } else { "in4" };
            y.named(name)
        })
    );
}

#[test]
fn basic_kernel_on_u8() {
    let byte = |x: u8| Tensor::u8(&[1, 1], &[x]).quantized(1.0 / 128.0, 128);
    let weights = Tensor::u8(&[4, 2], &[164, 100, 100, 228, 36, 100, 100, 164]).quantized(1.0 / 64.0, 100);
    // The scale of the sums is 2^-13, half the scale of Q3.12.
    let bias = Tensor::i32(&[4], &[0, 820, 0, -1638]).quantized(1.0 / 8192.0, 0);
    // x = 0.5, h = 0.25, c = 2.
    let cell = Tensor::i16(&[1, 1], &[4096]).quantized(1.0 / 2048.0, 0);
    let test = basic(byte(192), byte(160), cell, weights, bias);
    let test = test.output(Spec::u8(1.0 / 128.0, 128)).output(Spec::i16(1.0 / 2048.0, 0));
    let test = test.output(Spec::u8(1.0 / 128.0, 128)).output(Spec::i16(1.0 / 4096.0, 0));
    let y = test.run().unwrap();
    assert_eq!(y[2].as_u8(), [192, 160]);
    // The sums are 64 × 64, 32 × 128 + 820, -64 × 64, 32 × 64 - 1638; they are halved.
    assert_eq!(y[3].as_i16(), [2048, 2458, -2048, 205]);
    // c = σ(.5) tanh(.6) + σ(-.5) × 2 = 1.0894, h = σ(.05) tanh(c) = 0.4084.
    assert!((f64::from(y[1].as_i16()[0]) / 2048.0 - 1.0894).abs() < 2e-3);
    assert_eq!(y[0].as_u8(), [128 + 52]);
}
