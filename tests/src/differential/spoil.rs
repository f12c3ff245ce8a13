//! Makes one change to a valid graph that a broken or hostile file could have.

use arenite_model::writer::{Buffer, Value};

use super::graph::{Graph, Rule};
use super::random::Random;

/// Numbers that are invalid in every field, and some that may be valid.
const ODD: [i32; 12] = [-1, 0, 1, 2, 3, 5, 100, 127, 32_767, -7, i32::MAX, i32::MIN];

/// Makes the change.
pub(super) fn spoil(graph: &mut Graph, random: &mut Random) {
    let spoilers = [version, shape, shape, options, constant, quantization, operands, element_type];
    for _ in 0..4 {
        graph.spoilt = random.pick(&spoilers)(graph, random);
        if graph.spoilt.is_some() {
            break;
        }
    }
    graph.ask_for_all();
}

fn some_node(graph: &Graph, random: &mut Random) -> Option<usize> {
    let count = graph.model.subgraphs[0].operators.len();
    (count > 0).then(|| random.below(count))
}

/// A version that the op does not have, or another one that it has.
fn version(graph: &mut Graph, random: &mut Random) -> Option<String> {
    let node = some_node(graph, random)?;
    let at = graph.model.subgraphs[0].operators[node].opcode_index as usize;
    let mut code = graph.model.operator_codes[at].clone();
    code.version = random.pick(&[99, 99, 0, -1, 4, 7]);
    let text = format!("node {node} has version {}", code.version);
    graph.model.operator_codes.push(code);
    graph.model.subgraphs[0].operators[node].opcode_index = graph.model.operator_codes.len() as u32 - 1;
    Some(text)
}

/// The declared shape of a result or an input.
fn shape(graph: &mut Graph, random: &mut Random) -> Option<String> {
    if random.chance(25) {
        version(graph, random)?;
    }
    let tensors = &mut graph.model.subgraphs[0].tensors;
    let at = random.below(tensors.len());
    let shape = &mut tensors[at].shape;
    match random.below(5) {
        0 => shape.clear(),
        1 => shape.push(random.pick(&[1, 2, 1000])),
        2 if !shape.is_empty() => drop(shape.remove(0)),
        _ if shape.is_empty() => shape.push(3),
        _ => {
            let i = random.below(shape.len());
            shape[i] = random.pick(&[0, 1, 2, 3, shape[i] + 1, shape[i] * 2, -1, 1000, 100_000]);
        }
    }
    Some(format!("tensor {at} is declared with shape {shape:?}"))
}

/// A field of a node's options.
fn options(graph: &mut Graph, random: &mut Random) -> Option<String> {
    let node = some_node(graph, random)?;
    // Their option is the type of the results.
    graph.retyped |= matches!(graph.notes[node].0.op, "ARG_MAX" | "ARG_MIN" | "SHAPE");
    let operator = &mut graph.model.subgraphs[0].operators[node];
    let (_, options) = operator.options.as_mut().or(operator.options_2.as_mut())?;
    if options.slots.is_empty() {
        return None;
    }
    let at = random.below(options.slots.len());
    let (slot, value) = &mut options.slots[at];
    let odd = random.pick(&ODD);
    match value {
        Value::Bool(value) => *value = !*value,
        Value::I8(value) => *value = odd as i8,
        Value::I32(value) => *value = odd,
        Value::F32(value) => {
            *value = random.pick(&[0.0, -1.0, f32::NAN, f32::INFINITY, f32::MAX]);
            // The bound of LEAKY_RELU depends on its slope.
            if let Rule::Function { slope, .. } = &mut graph.notes[node].1
                && value.is_finite()
            {
                *slope = slope.max(value.abs().into());
            }
        }
        _ => return None,
    }
    Some(format!("node {node}: slot {slot} is {value:?}"))
}

/// An element of a constant, or its length.
fn constant(graph: &mut Graph, random: &mut Random) -> Option<String> {
    let count = graph.model.buffers.len();
    let at = if count > 1 { 1 + random.below(count - 1) } else { return None };
    let Buffer::Inline(data) = &mut graph.model.buffers[at] else { return None };
    if data.is_empty() || random.chance(20) {
        data.truncate(data.len() / 2);
        return Some(format!("buffer {at} has {} bytes", data.len()));
    }
    if data.len() < 4 {
        data.fill(0xff);
    } else {
        let word = random.below(data.len() / 4) * 4;
        data[word..word + 4].copy_from_slice(&random.pick(&ODD).to_le_bytes());
    }
    Some(format!("an element of buffer {at} was changed"))
}

/// The scale, the zero point, or whether there is a quantization.
fn quantization(graph: &mut Graph, random: &mut Random) -> Option<String> {
    let tensors = graph.model.subgraphs[0].tensors.iter_mut().enumerate();
    let mut quantized: Vec<_> = tensors.filter(|(_, tensor)| tensor.quantization.is_some()).collect();
    let count = quantized.len();
    let (index, tensor) = quantized.get_mut(random.below(count.max(1)))?;
    let q = tensor.quantization.as_mut()?;
    match random.below(5) {
        0 => tensor.quantization = None,
        1 => q.scale[0] = random.pick(&[0.0, -0.5, f32::NAN, f32::INFINITY, 1e-30, 1e30, f32::MIN_POSITIVE]),
        2 => q.zero_point[0] = random.pick(&[-129, 128, 256, 1 << 40, i64::MIN]),
        3 => q.quantized_dimension = random.pick(&[-1, 1, 2, 9]),
        _ => {
            q.scale.push(0.5);
            q.zero_point.push(0);
        }
    }
    Some(format!("tensor {index} has quantization {:?}", tensor.quantization))
}

/// Which tensors a node reads. The op may give its results the type of another operand.
fn operands(graph: &mut Graph, random: &mut Random) -> Option<String> {
    let node = some_node(graph, random)?;
    graph.retyped = true;
    let graph = &mut graph.model.subgraphs[0];
    let earlier: Vec<i32> =
        graph.inputs.iter().copied().chain(graph.operators[node].inputs.clone()).collect();
    let inputs = &mut graph.operators[node].inputs;
    let at = random.below(inputs.len().max(1));
    match random.below(4) {
        0 => *inputs.get_mut(at)? = -1,
        1 => *inputs.get_mut(at)? = random.pick(&earlier),
        2 => inputs.push(random.pick(&earlier)),
        _ => drop((at < inputs.len()).then(|| inputs.remove(at))?),
    }
    Some(format!("node {node} reads {inputs:?}"))
}

/// The declared type of a tensor, in a graph without variables, which keep theirs when an op sets another type.
fn element_type(graph: &mut Graph, random: &mut Random) -> Option<String> {
    if super::variables::any(graph) {
        return None;
    }
    graph.retyped = true;
    let tensors = &mut graph.model.subgraphs[0].tensors;
    let at = random.below(tensors.len());
    tensors[at].element_type = random.pick(&[0, 1, 2, 3, 4, 6, 7, 9, 10, 17]);
    Some(format!("tensor {at} is declared with type {}", tensors[at].element_type))
}
