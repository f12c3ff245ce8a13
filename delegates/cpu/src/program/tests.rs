//! Places of random nets are correct, and the verification finds each wrong place.

use arenite_base::{Binary, Clamp, Unary};
use arenite_layers::layer::Elementwise;
use arenite_layers::{Common, EpilogueOp, Id, Value};
use proptest::prelude::*;

use super::layout::Location;
use super::*;
use crate::isa::Isa;
use crate::net::{Layer, Node};
use crate::ops::build::{Build, Winograd};
use crate::store::Store;

/// A tensor of `rows` rows of 16 numbers.
fn value(rows: usize) -> Value<'static> {
    Value {
        name: "value",
        ty: F32,
        shape: vec![rows, 16],
        quant: None,
        constant: None,
        is_variable: false,
        tensor: None,
        grid: None,
        real: None,
        stored: None,
    }
}

/// A random node: three numbers choose its layer and its inputs.
fn node(values: &mut Vec<Value<'static>>, (kind, a, b): (u8, usize, usize)) -> Node<'static> {
    let (a, b) = (a % values.len(), b % values.len());
    let output = values.len();
    let alike = values[a].shape == values[b].shape;
    let (layer, inputs, rows) = match kind % 3 {
        0 => (Common::Rename, vec![a], values[a].shape[0]),
        1 if alike => {
            let layer = Elementwise::Two(Binary::Add, Clamp::FINITE, Vec::new());
            (Common::Elementwise(layer), vec![a, b], values[a].shape[0])
        }
        _ => {
            let functions = vec![EpilogueOp::Unary(Unary::Tanh)];
            (Common::Elementwise(Elementwise::Chain(functions)), vec![a], values[a].shape[0])
        }
    };
    values.push(value(rows));
    Node::new(Layer::Common(layer), inputs, vec![output])
}

fn net(inputs: &[usize], nodes: &[(u8, usize, usize)], outputs: &[usize]) -> Net<'static> {
    let mut values: Vec<Value<'static>> = inputs.iter().map(|&rows| value(rows)).collect();
    let nodes: Vec<Node<'static>> = nodes.iter().map(|&choice| node(&mut values, choice)).collect();
    let computed = |&o: &usize| inputs.len() + o % nodes.len();
    let mut outputs: Vec<Id> = outputs.iter().map(computed).collect();
    outputs.sort_unstable();
    outputs.dedup();
    Net { values, nodes, constants: Vec::new(), inputs: (0..inputs.len()).collect(), outputs }
}

/// The program of a net. Its records are placed without overlap, so all overlaps are those that the program itself
/// decided.
fn program(net: &Net<'_>) -> Program {
    let build = Build::new(Isa::machine(), Winograd::Off, Store::new(Default::default()), 1);
    let is_free = vec![true; net.outputs.len()];
    let mut program = Program::build(net, &is_free, &build, |_| Ok(())).unwrap();
    let mut end = 0;
    for (offset, record) in program.offsets.iter_mut().zip(&program.buffers.records) {
        (*offset, end) = (end, end + record.size);
    }
    program
}

proptest! {
    #[test]
    fn nothing_lies_over_what_is_still_read(
        inputs in prop::collection::vec(1usize..4, 1..4),
        nodes in prop::collection::vec((any::<u8>(), any::<usize>(), any::<usize>()), 1..20),
        outputs in prop::collection::vec(any::<usize>(), 1..4),
    ) {
        let net = net(&inputs, &nodes, &outputs);
        let program = program(&net);
        let verified = program.verify();
        prop_assert!(verified.is_ok(), "{}", verified.unwrap_err());
    }
}

/// x ─► a ─► b ─► y, and a + b besides.
fn ladder() -> Net<'static> {
    net(&[4], &[(2, 0, 0), (2, 1, 0), (1, 1, 2), (2, 3, 0)], &[3])
}

#[test]
fn a_result_over_a_value_that_is_still_read_is_found() {
    let net = ladder();
    let mut program = program(&net);
    program.verify().unwrap();
    program.places[2] = program.places[1];
    let error = program.verify().unwrap_err();
    assert!(error.message().starts_with("step 1, elementwise: value 2 at"), "{error}");
}

#[test]
fn intermediates_lie_in_the_output() {
    let program = program(&ladder());
    // The sum, which takes the place of a, is read when the output is written.
    assert_eq!((program.places[1], program.places[3]), (Location::Record(0, 0), Location::Record(0, 0)));
    assert_eq!((program.places[2], program.places[4]), (Location::Within(0, 0), Location::Output(0)));
    assert_eq!(program.buffers.records.len(), 1);
}
