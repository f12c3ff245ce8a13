//! Functions of quantized bytes.

use arenite_abi::schema::{AddOptions, ReducerOptions, activation};
use arenite_tests::options::Attributes;

use super::{Kind, Net, REAL, steps};

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
