//! The models in tables of nodes: `ops/src/kit/nodes.txt`, which is also the table of what reference ops reject, and
//! `flex.txt` in the same form without the last columns.

use arenite_abi::OperandSchema;
use arenite_abi::schema::OPERATORS;
use arenite_abi::testing::nodes::{self, Node, Operand};
use arenite_abi::testing::{FlexBuilder, Tensor as Described};
use arenite_flex::kit::write;
use arenite_model::writer::Tensor;

use super::{OneOp, Sound};

const OPS: &str = include_str!("../../../ops/src/kit/nodes.txt");
const FLEX: &str = include_str!("flex.txt");

/// A model of each line whose outputs have shapes.
pub(super) fn models() -> Vec<Sound> {
    [OPS, FLEX]
        .into_iter()
        .flat_map(|table| nodes::nodes(table, &nodes::tensor))
        .map(|node| model(&node))
        .collect()
}

fn model(node: &Node) -> Sound {
    let (inputs, outputs) = names(node);
    let mut one = with_options(node);
    let (mut needed, mut fed) = (Vec::new(), 0);
    for (operand, name) in node.inputs.iter().zip(&inputs) {
        let tensor = |x: &Described| described(name, x);
        one = match operand {
            Operand::Absent => one.absent(),
            Operand::Intermediate(x) => one.intermediate(described(name, &x.clone().into_tensor())),
            Operand::Constant(x) => one.constant(tensor(x), x.bytes()),
            Operand::Variable(x) => one.variable(tensor(x)),
            Operand::Any(x) | Operand::Fed(x) => {
                if matches!(operand, Operand::Fed(_)) {
                    needed.push((fed, x.bytes().to_vec()));
                }
                fed += 1;
                one.feed(tensor(x))
            }
        };
    }
    let results = node.outputs.iter().zip(&outputs);
    let one = results.fold(one, |one, (y, name)| one.output(described(name, &y.clone().into_tensor())));
    Sound { op: node.op, model: one.model(), inputs: needed }
}

/// The tensor of a model file with this name.
fn described(name: &str, x: &Described) -> Tensor {
    let tensor = Tensor::new(name, x.ty() as i32, x.shape());
    x.quantization().map_or(tensor.clone(), |q| tensor.per_channel(&q.scales, &q.zero_points, q.dimension))
}

/// Names for the inputs and outputs: the schema's, or `input 0`.
fn names(node: &Node) -> (Vec<String>, Vec<String>) {
    let known = OPERATORS.iter().find(|known| known.name == node.op);
    let named = |operands: Vec<OperandSchema>, count: usize, word: &str| {
        let name = |i: usize| match operands.get(i) {
            Some(operand) if !operand.variadic => operand.name.to_owned(),
            _ => format!("{word} {i}"),
        };
        (0..count).map(name).collect()
    };
    let inputs = known.and_then(|known| Some(known.inputs()?.collect())).unwrap_or_default();
    let outputs = known.and_then(|known| Some(known.outputs()?.collect())).unwrap_or_default();
    (named(inputs, node.inputs.len(), "input"), named(outputs, node.outputs.len(), "output"))
}

/// The node's op with its options: fields of the schema's table, a flexbuffer, bytes, or TensorFlow's attributes.
fn with_options(node: &Node) -> OneOp {
    let words = node.options.split_whitespace().filter(|word| *word != "-");
    if node.op.starts_with("Flex") {
        let attributes = write::attributes(node.options).expect("attributes");
        return OneOp::custom(node.op).custom_options(write::custom_options(&node.op[4..], &attributes));
    }
    let (versions, words): (Vec<&str>, Vec<&str>) = words.partition(|word| word.starts_with("v="));
    let builtin = OPERATORS.iter().any(|known| known.name == node.op);
    let one = if builtin { OneOp::new(node.op) } else { OneOp::custom(node.op) };
    let version = |one: OneOp, text: &&str| one.version(text[2..].parse().expect("a version"));
    let one = versions.iter().fold(one, version);
    match words[..] {
        [] => one,
        _ if builtin => one.options_text(node.op, &words.join(" ")),
        [word] if word.starts_with("bytes=") => {
            let digits = &word["bytes=".len()..];
            let byte = |i| u8::from_str_radix(&digits[i..i + 2], 16).expect("a byte");
            one.custom_options((0..digits.len()).step_by(2).map(byte).collect::<Vec<u8>>())
        }
        _ => one.custom_options(words.into_iter().fold(FlexBuilder::default(), FlexBuilder::parse).finish()),
    }
}
