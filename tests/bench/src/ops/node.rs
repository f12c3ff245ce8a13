//! The table of nodes, `ops.txt`, and the model of each node.

use std::collections::BTreeMap;

use arenite_abi::ElementType;
use arenite_abi::schema::{FieldInfo, OPERATORS, Union};
use arenite_model::tensor_type;
use arenite_model::writer::{ModelBuilder, Operator, Options, SubGraph, Tensor, Value};

use crate::failure::{Failure, Result};

/// The nodes that come with the suite.
pub(crate) const BUILTIN: &str = include_str!("../../ops.txt");

pub(crate) const SIZES: [&str; 3] = ["small", "typical", "large"];

/// One op on one element type at one size.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub op: String,
    pub ty: String,
    pub size: usize,
    options: String,
    /// `flat =row > flat`.
    operands: String,
}

/// The nodes of a table, and its shapes of three sizes.
pub(crate) struct Nodes {
    pub nodes: Vec<Node>,
    shapes: BTreeMap<String, [Vec<i32>; 3]>,
}

impl Nodes {
    /// # Errors
    /// A line is not in the format that `ops.txt` describes.
    pub(crate) fn parse(text: &str) -> Result<Self> {
        let mut all = Nodes { nodes: Vec::new(), shapes: BTreeMap::new() };
        for line in text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty()) {
            let wrong = || Failure::with("the table of nodes", format_args!("cannot read '{line}'"));
            if let [ops, options, types, operands] = line.split(';').map(str::trim).collect::<Vec<_>>()[..] {
                for op in ops.split_whitespace() {
                    for ty in types.split_whitespace() {
                        let node = |size| Node {
                            op: op.to_owned(),
                            ty: ty.to_owned(),
                            size,
                            options: options.to_owned(),
                            operands: operands.to_owned(),
                        };
                        all.nodes.extend((0..SIZES.len()).map(node));
                    }
                }
                continue;
            }
            let (name, sizes) = line.split_once('=').ok_or_else(wrong)?;
            let sizes: Option<Vec<Vec<i32>>> = sizes.split('|').map(numbers).collect();
            let sizes = sizes.and_then(|sizes| sizes.try_into().ok()).ok_or_else(wrong)?;
            all.shapes.insert(name.trim().to_owned(), sizes);
        }
        Ok(all)
    }

    /// The bytes of the node's model, and the shapes of its inputs and outputs.
    ///
    /// # Errors
    /// The line of the node has an unknown name.
    pub(crate) fn model(&self, node: &Node) -> Result<(Vec<u8>, String)> {
        self.build(node).ok_or_else(|| {
            let line = format!("{} ; {} ; {}", node.op, node.options, node.operands);
            Failure::with(
                "the table of nodes",
                format_args!("'{line}' has an unknown op, option, type or shape"),
            )
        })
    }

    fn build(&self, node: &Node) -> Option<(Vec<u8>, String)> {
        let (mut model, mut graph) = (ModelBuilder::new(), SubGraph::new("main"));
        let code = model.builtin(&node.op, if node.op == "BROADCAST_TO" { 2 } else { 1 });
        let (inputs, outputs) = node.operands.split_once('>')?;
        let (mut shapes, mut lists) = (Vec::new(), [Vec::new(), Vec::new()]);
        for (list, operands) in lists.iter_mut().zip([inputs, outputs]) {
            for text in operands.split_whitespace() {
                let Some(constant) = text.strip_prefix('=') else {
                    let tensor = self.tensor(text, node)?;
                    shapes.push(joined(&tensor.shape));
                    let is_input = operands.len() == inputs.len() && std::ptr::eq(operands, inputs);
                    list.push(if is_input { graph.input(tensor) } else { graph.output(tensor) });
                    continue;
                };
                let (tensor, data) = self.constant(constant, node)?;
                let buffer = model.buffer(data);
                list.push(graph.tensor(tensor.buffer(buffer)));
            }
            shapes.push("→".to_owned());
        }
        shapes.pop();
        let [inputs, outputs] = lists;
        graph.operator(with_options(Operator::new(code, &inputs, &outputs), node)?);
        model.subgraph(graph);
        Some((model.finish(), shapes.join(" ")))
    }

    fn shape(&self, text: &str, size: usize) -> Option<Vec<i32>> {
        match self.shapes.get(text) {
            Some(sizes) => Some(sizes[size].clone()),
            None => numbers(text),
        }
    }

    /// `[TYPE:]SHAPE[@p]`.
    fn tensor(&self, text: &str, node: &Node) -> Option<Tensor> {
        let (text, quantization) = text.split_once('@').unwrap_or((text, ""));
        let (role, shape) = text.split_once(':').unwrap_or(("T", text));
        let ty = element_type(role, &node.ty)?;
        let tensor = Tensor::new("x", ty, &self.shape(shape, node.size)?);
        let is_quantized = ["I8", "U8", "I16"].contains(&node.ty.as_str());
        Some(match (ty, quantization, role) {
            (tensor_type::INT32 | tensor_type::INT64, _, "B") if is_quantized => {
                tensor.quantized(step(element_type("T", &node.ty)?) * step(element_type("W", &node.ty)?), 0)
            }
            (tensor_type::INT8, "p", _) => tensor.quantized(1.0 / 256.0, -128),
            (tensor_type::UINT8, "p", _) => tensor.quantized(1.0 / 256.0, 0),
            (tensor_type::INT8, ..) => tensor.quantized(step(ty), 0),
            (tensor_type::UINT8, ..) => tensor.quantized(step(ty), 128),
            (tensor_type::INT16, ..) => tensor.quantized(step(ty), 0),
            _ => tensor,
        })
    }

    /// `TYPE{1,2}`, `TYPE:{1}` or `[TYPE:]SHAPE`, with the bytes.
    fn constant(&self, text: &str, node: &Node) -> Option<(Tensor, Vec<u8>)> {
        let Some((ty, list)) = text.strip_suffix('}').and_then(|text| text.split_once('{')) else {
            let tensor = self.tensor(text, node)?;
            let count = tensor.shape.iter().product::<i32>();
            // A spread of values: neither zeros, which a runtime could skip, nor numbers that overflow a sum.
            let values: Vec<i32> = (0..count).map(|i| i.wrapping_mul(37) % 101 - 50).collect();
            let data = bytes(tensor.element_type, &values, 0.01)?;
            return Some((tensor, data));
        };
        let parts: Option<Vec<Vec<i32>>> = list.split(',').map(|part| self.shape(part, node.size)).collect();
        let values = parts?.concat();
        let shape = match () {
            () if ty.ends_with(':') => vec![],
            // Pairs per dimension, for PAD and the batch ops.
            () if ["PAD", "MIRROR_PAD"].contains(&node.op.as_str()) => vec![values.len() as i32 / 2, 2],
            () if node.op.contains("BATCH") && values.len() == 4 => vec![2, 2],
            () => vec![values.len() as i32],
        };
        let ty = element_type(ty.trim_end_matches(':'), &node.ty)?;
        let data = bytes(ty, &values, 1.0)?;
        Some((Tensor::new("c", ty, &shape), data))
    }
}

/// The scale of an element type, `1 / 128` for bytes.
fn step(ty: i32) -> f32 {
    if ty == tensor_type::INT16 { 1.0 / 32768.0 } else { 1.0 / 128.0 }
}

/// The type that a role or a name means in a row of element type `of`.
fn element_type(role: &str, of: &str) -> Option<i32> {
    use tensor_type::*;
    Some(match (role, of) {
        ("T", "T" | "W" | "B") => return None,
        ("T", of) => return element_type(of, of),
        ("W", "I16") => INT8,
        ("W", of) => return element_type(of, of),
        ("B", "F32") => FLOAT32,
        ("B", "I16") => INT64,
        ("B", _) => INT32,
        ("F32", _) => FLOAT32,
        ("F16", _) => FLOAT16,
        ("I8", _) => INT8,
        ("U8", _) => UINT8,
        ("I16", _) => INT16,
        ("I32", _) => INT32,
        ("I64", _) => INT64,
        ("BOOL", _) => BOOL,
        ("C64", _) => COMPLEX64,
        _ => return None,
    })
}

/// `values` as elements of a type; floats are multiplied by `scale`.
fn bytes(ty: i32, values: &[i32], scale: f32) -> Option<Vec<u8>> {
    use tensor_type::*;
    Some(match ty {
        FLOAT32 => values.iter().flat_map(|&v| (v as f32 * scale).to_le_bytes()).collect(),
        INT8 | UINT8 | BOOL => values.iter().map(|&v| v as u8).collect(),
        INT16 => values.iter().flat_map(|&v| (v as i16).to_le_bytes()).collect(),
        INT32 => values.iter().flat_map(|&v| v.to_le_bytes()).collect(),
        INT64 => values.iter().flat_map(|&v| i64::from(v).to_le_bytes()).collect(),
        _ => return None,
    })
}

/// The operator with the node's options.
fn with_options(operator: Operator, node: &Node) -> Option<Operator> {
    let known = OPERATORS.iter().find(|known| known.name == node.op)?;
    let Some(table) = known.options else { return Some(operator) };
    let mut options = Options::default();
    for text in node.options.split_whitespace().filter(|text| !["-", "()"].contains(text)) {
        let (name, value) = text.split_once('=')?;
        match table.fields.iter().find(|field| field.name.eq_ignore_ascii_case(name)) {
            Some(field) => options.slots.push((field.slot, self::value(field, value)?)),
            // Ops of one line share their options, and some have fewer.
            None if node.op == "SUB" || node.op == "ADD" => {}
            None => return None,
        }
    }
    let tag = u8::try_from(table.tag).ok()?;
    Some(match table.union {
        Union::BuiltinOptions => operator.options(tag, |_| options),
        Union::BuiltinOptions2 => operator.options_2(tag, |_| options),
    })
}

fn value(field: &FieldInfo, text: &str) -> Option<Value> {
    Some(match field.ty {
        ElementType::Bool => Value::Bool(text.parse().ok()?),
        ElementType::I8 => Value::I8(text.parse().ok()?),
        ElementType::I32 => Value::I32(text.parse().ok()?),
        ElementType::F32 => Value::F32(text.parse().ok()?),
        _ => return None,
    })
}

fn numbers(text: &str) -> Option<Vec<i32>> {
    text.split(',').map(|number| number.trim().parse().ok()).collect()
}

fn joined(shape: &[i32]) -> String {
    shape.iter().map(i32::to_string).collect::<Vec<_>>().join("×")
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite::{Interpreter, Model};

    #[test]
    fn every_small_node_of_the_table_runs() {
        let nodes = Nodes::parse(BUILTIN).unwrap();
        assert!(nodes.nodes.len() > 500);
        for node in nodes.nodes.iter().filter(|node| node.size == 0) {
            let (bytes, shapes) = nodes.model(node).unwrap_or_else(|failure| panic!("{failure}"));
            let title = format!("{} {} {shapes}", node.op, node.ty);
            let model = Model::from_bytes(bytes).unwrap_or_else(|error| panic!("{title}: {error}"));
            let mut interpreter =
                Interpreter::builder(&model).build().unwrap_or_else(|error| panic!("{title}: {error}"));
            interpreter.allocate().unwrap_or_else(|error| panic!("{title}: {error}"));
            interpreter.invoke().unwrap_or_else(|error| panic!("{title}: {error}"));
        }
    }

    #[test]
    fn a_line_with_an_unknown_name_is_refused_with_the_line() {
        for line in ["RELUX ; - ; F32 ; 1,2 > 1,2", "RELU ; - ; F3 ; 1,2 > 1,2", "RELU ; - ; F32 ; x > 1,2"] {
            let nodes = Nodes::parse(line).unwrap();
            let failure = nodes.model(&nodes.nodes[0]).unwrap_err().to_string();
            assert!(failure.contains(line.split(" ; ").last().unwrap()), "{failure}");
        }
        assert!(Nodes::parse("x = 1 | 2").is_err());
    }
}
