use super::*;
use arenite_abi::schema::{SVDFOptions, activation};
use arenite_abi::testing::{OpTest, Spec, Tensor};

type Node = OpTest<Svdf>;

/// Two batches of two numbers, two filters of one unit, a memory of two numbers.
fn float(features: Tensor, time: Tensor, rank: i32, activation: i8) -> Node {
    let test = Node::new().input(Tensor::f32(&[2, 2], &[1., 2., 3., 4.])).constant(features).constant(time);
    let units = 2 / rank;
    let test = test.constant(Tensor::f32(&[units], &[100.0, 200.0][..units as usize]));
    // The old and the new number of each filter.
    let test = test.variable(Tensor::f32(&[2, 4], &[9., 10., 9., 20., 9., 30., 9., 40.]));
    test.output(Spec::f32())
        .options(|o| o.set(SVDFOptions::RANK, rank).set(SVDFOptions::FUSED_ACTIVATION_FUNCTION, activation))
}

fn features() -> Tensor {
    Tensor::f32(&[2, 2], &[1., 0., 1., -1.])
}

fn time() -> Tensor {
    Tensor::f32(&[2, 2], &[0.5, 1., 2., 3.])
}

#[test]
fn on_f32() {
    let outcome = float(features(), time(), 1, 0).run_with_variables().unwrap();
    assert_eq!(outcome.variables[0].as_f32(), [10., 1., 20., -1., 30., 3., 40., -1.]);
    assert_eq!(outcome.outputs[0].shape(), [2, 2]);
    // 5 + 1 + 100, 40 - 3 + 200; 15 + 3 + 100, 80 - 3 + 200.
    assert_eq!(outcome.outputs[0].as_f32(), [106., 237., 118., 277.]);
    // Both filters belong to one unit.
    assert_eq!(float(features(), time(), 2, 0).run().unwrap()[0].as_f32(), [143., 195.]);
    assert_eq!(float(features(), time(), 2, 3).run().unwrap()[0].as_f32(), [6., 6.]);
}

#[test]
fn with_weights_of_8_bits() {
    let byte = |x: &[i8]| Tensor::i8(&[2, 2], x).quantized(0.5, 0);
    for u8 in [false, true] {
        let weights = |x: Tensor| if u8 { Tensor::raw(U8, &[2, 2], x.bytes()).quantized(0.5, 0) } else { x };
        let (features, time) = (weights(byte(&[2, 0, 2, -2])), weights(byte(&[1, 2, 4, 6])));
        let y = float(features, time, 1, 0).run().unwrap()[0].as_f32();
        let near = y.iter().zip([106., 237., 118., 277.]).all(|(y, want): (_, f32)| (y - want).abs() < 0.05);
        assert!(near, "{y:?}");
    }
}

#[test]
fn on_i8() {
    let test = Node::new().input(Tensor::i8(&[1, 2], &[3, 5]).quantized(0.5, 1));
    let test = test.constant(Tensor::i8(&[2, 2], &[1, 2, 0, -100]).quantized(0.5, 0));
    let test = test.constant(Tensor::i16(&[2, 2], &[1, 2, 3, 4]).quantized(0.25, 0));
    let test = test.constant(Tensor::i32(&[1], &[50]));
    let test = test.variable(Tensor::i16(&[1, 4], &[7, 8, 7, -6]).quantized(0.125, 0));
    let test = test.output(Spec::i8(1.0, -10));
    let outcome = test
        .clone()
        .options(|o| {
            o.set(SVDFOptions::RANK, 2).set(SVDFOptions::FUSED_ACTIVATION_FUNCTION, activation::RELU)
        })
        .run_with_variables()
        .unwrap();
    // The sums 2 + 2 × 4 and -400, doubled.
    assert_eq!(outcome.variables[0].as_i16(), [8, 20, -6, -800]);
    // 8 + 40 - 18 - 3200 + 50 = -3120 is -97.5 in steps of 1/32; ties are rounded away from zero.
    assert_eq!(outcome.outputs[0].as_i8(), [-108]);
    assert_eq!(
        test.options(|o| o.set(SVDFOptions::RANK, 2)).run().unwrap_err().message(),
        "its activation is None; with input INT8 and output INT8 it must be Relu"
    );
}
