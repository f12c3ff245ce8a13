//! Functions of quantized bytes.

use arenite::Interpreter;
use arenite_abi::schema::{AddOptions, Conv2DOptions, ReducerOptions, SoftmaxOptions, activation, padding};
use arenite_tests::options::Attributes;

use super::profile::names;
use super::{Kind, Net, REAL, Value, run, steps};

#[test]
fn products_and_sums_with_constant_rows_become_linear_steps() {
    for columns in [32, 45, 160] {
        let mut net = Net::new();
        let x = net.input(Kind::I8(0.02, -3), &[2, 3, 7, columns]);
        let (by, plus) = (net.row(Kind::I8(0.011, 4), columns), net.row(Kind::I8(0.025, -9), columns));
        let y = net.node("MUL", &[&x, &by], Kind::I8(0.021, 7), None);
        let y = net.node(
            "ADD",
            &[&plus, &y],
            Kind::I8(0.013, -128),
            Some(Attributes::of(|o| o.set(AddOptions::FUSED_ACTIVATION_FUNCTION, activation::RELU))),
        );
        let less = net.row(Kind::I8(0.017, 20), columns);
        let y = net.node("SUB", &[&less, &y], Kind::I8(0.03, 30), None);
        assert_eq!(steps(&net.finish(&y)), ["byte lines"], "{columns}");
    }
}

#[test]
fn products_and_sums_with_constants_become_lookup_tables() {
    let mut net = Net::new();
    let x = net.input(Kind::I8(0.02, -3), &[2, 3, 7, 16]);
    let (by, plus) = (net.row(Kind::I8(0.011, 4), 1), net.row(Kind::I8(0.025, -9), 1));
    let y = net.node("MUL", &[&x, &by], Kind::I8(0.021, 7), None);
    let y = net.node(
        "ADD",
        &[&y, &plus],
        Kind::I8(0.013, -128),
        Some(Attributes::of(|o| o.set(AddOptions::FUSED_ACTIVATION_FUNCTION, activation::RELU6))),
    );
    assert_eq!(steps(&net.finish(&y)), ["lookup"]);
}

#[test]
fn signed_bytes_are_computed_as_they_are() {
    let kind = Kind::I8(0.02, -3);
    let mut net = Net::new();
    let (a, b) = (net.input(kind, &[3, 5, 17]), net.input(Kind::I8(0.03, 5), &[3, 5, 17]));
    let y = net.node("ADD", &[&a, &b], Kind::I8(0.04, 7), None);
    assert_eq!(steps(&net.finish(&y)), ["byte pairs"]);

    let mut net = Net::new();
    let x = net.input(kind, &[1, 4, 6, 19]);
    let axes = net.integers(&[1, 2]);
    let options = Attributes::of(|o| o.set(ReducerOptions::KEEP_DIMS, true));
    let mean = net.node("MEAN", &[&x, &axes], Kind::I8(0.01, 4), Some(options));
    let y = net.node("DEQUANTIZE", &[&mean], REAL, None);
    assert_eq!(steps(&net.finish(&y)), ["MEAN", "DEQUANTIZE"]);
}

/// A convolution writes signed bytes itself, unless another one reads them: that one needs unsigned bytes.
#[test]
fn a_flip_stays_where_a_convolution_also_reads_the_bytes() {
    let kind = Kind::I8(0.02, -3);
    let point = |net: &mut Net, x: &Value| {
        let (filter, bias) = (net.bytes(&[16, 1, 1, 16], 0), net.list(&[16], &[50; 16]));
        let options = Attributes::of(|o| {
            o.set(Conv2DOptions::PADDING, padding::VALID)
                .set(Conv2DOptions::STRIDE_W, 1)
                .set(Conv2DOptions::STRIDE_H, 1)
        });
        net.node("CONV_2D", &[x, &filter, &bias], kind, Some(options))
    };
    let mut net = Net::new();
    let x = net.input(kind, &[1, 5, 6, 16]);
    let y = point(&mut net, &x);
    assert_eq!(steps(&net.finish(&y)), ["flip signs", "CONV_2D"]);

    let mut net = Net::new();
    let x = net.input(kind, &[1, 5, 6, 16]);
    let y = point(&mut net, &x);
    let z = point(&mut net, &y);
    net.graph.outputs.push(z.index);
    assert_eq!(steps(&net.finish(&y)), ["flip signs", "CONV_2D", "CONV_2D", "flip signs"]);

    let mut net = Net::new();
    let x = net.input(kind, &[4, 70]);
    let options = Attributes::of(|o| o.set(SoftmaxOptions::BETA, 1.0));
    let y = net.node("SOFTMAX", &[&x], Kind::I8(1.0 / 256.0, -128), Some(options));
    assert_eq!(steps(&net.finish(&y)), ["flip signs", "SOFTMAX"]);
}

#[test]
fn slopes_of_columns_become_lookup_tables() {
    for columns in [1, 45] {
        let mut net = Net::new();
        let x = net.input(Kind::I8(0.02, -3), &[2, 3, 7, 45]);
        let slopes = net.row(Kind::I8(0.011, 4), columns);
        let y = net.node("PRELU", &[&x, &slopes], Kind::I8(0.021, 7), None);
        assert_eq!(steps(&net.finish(&y)), ["lookup"], "{columns}");
    }
}

/// With several threads, a separate copy step would move an image from one thread's caches to another's.
#[test]
fn with_several_threads_a_layer_also_writes_the_copy_with_a_border() {
    let kind = Kind::I8(0.02, -3);
    let windows = |net: &mut Net, x: &Value| {
        let (filter, bias) = (net.bytes(&[16, 3, 5, 16], 0), net.list(&[16], &[50; 16]));
        let options = Attributes::of(|o| {
            o.set(Conv2DOptions::PADDING, padding::SAME)
                .set(Conv2DOptions::STRIDE_W, 1)
                .set(Conv2DOptions::STRIDE_H, 1)
        });
        net.node("CONV_2D", &[x, &filter, &bias], kind, Some(options))
    };
    let mut net = Net::new();
    let x = net.input(kind, &[2, 9, 21, 16]);
    let a = windows(&mut net, &x);
    let b = windows(&mut net, &a);
    let sum = net.node("ADD", &[&a, &b], Kind::I8(0.03, 5), None);
    let y = windows(&mut net, &sum);
    let model = net.finish(&y);
    let alone = ["flip signs", "pad", "CONV_2D", "pad", "CONV_2D", "byte pairs", "pad", "CONV_2D"];
    assert_eq!(steps(&model), alone);
    let mut interpreter = Interpreter::builder(&model).threads(3).build().unwrap();
    interpreter.start_profile();
    run(&mut interpreter);
    let names = names(&interpreter);
    assert_eq!(names, ["flip signs", "pad", "CONV_2D", "CONV_2D", "byte pairs", "CONV_2D"]);
}

/// Results are bytes that only the next layer reads, so they are written between its borders.
#[test]
fn a_convolution_may_write_between_the_borders_of_the_next_one() {
    let kind = Kind::I8(0.02, -3);
    for (width, stride) in [(21, 1), (40, 2)] {
        let mut net = Net::new();
        let x = net.input(kind, &[2, 9, width, 16]);
        let mut y = x;
        for filters in [[32, 3, 5, 16], [16, 3, 5, 32]] {
            let (filter, bias) =
                (net.bytes(&filters, 0), net.list(&filters[..1], &[50; 32][..filters[0] as usize]));
            let options = Attributes::of(|o| {
                o.set(Conv2DOptions::PADDING, padding::SAME)
                    .set(Conv2DOptions::STRIDE_W, stride)
                    .set(Conv2DOptions::STRIDE_H, 1)
            });
            y = net.node("CONV_2D", &[&y, &filter, &bias], kind, Some(options));
        }
        let mut steps = steps(&net.finish(&y));
        steps.retain(|step| step != "pad");
        assert_eq!(steps, ["flip signs", "CONV_2D", "CONV_2D"], "{width}");
    }
}
