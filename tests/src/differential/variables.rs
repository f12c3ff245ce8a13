//! Variables: tensors that keep their value between invocations.
//!
//! [`add`] turns some tensors of a random graph into variables; [`unrolled`] computes an equivalent graph without
//! variables:
//!
//! ```text
//! y = v + x;  v = abs(y);  z = -v        y = v0 + x;  v1 = abs(y);  z = -v1;  the next invocation's v0 is v1
//! ```
//! Each write gets a new tensor, and each read refers to the last write before it in file order. So the reference ops'
//! results for the unrolled graph are the expected results of the graph with variables, on the reference ops as well.

use arenite::ElementType;
use arenite_abi::schema::ReshapeOptions;
use arenite_model::writer::{Operator, SubGraph, Tensor};

use super::graph::{Form, Graph, Kind, Rule, State};
use super::ops::recurrent::states;
use super::random::Random;
use crate::options::{Attributes, WithOptions};

/// The states of recurrent layers stay variables: no other node knows them, and layers without a state do not exist.
///
/// Turns some tensors into variables, and lets nodes read and write them.
pub fn add(graph: &mut Graph, random: &mut Random) {
    let changes = [write, read, read, recur, recur, recur, write_again, copy, unwritten, fed, inner];
    random.pick(&[write, recur])(graph, random);
    for _ in 0..random.between(1, 6) {
        random.pick(&changes)(graph, random);
    }
}

/// Whether the graph has a variable or calls a subgraph that has one.
pub fn any(graph: &Graph) -> bool {
    graph.model.subgraphs.iter().flat_map(|graph| &graph.tensors).any(|tensor| tensor.is_variable)
}

fn tensor(graph: &Graph, index: i32) -> Option<&Tensor> {
    graph.model.subgraphs[0].tensors.get(usize::try_from(index).ok()?)
}

/// Whether the tensor is the state of a recurrent layer, which updates it in place.
fn is_state(graph: &Graph, index: i32) -> bool {
    let mut nodes = graph.model.subgraphs[0].operators.iter().zip(&graph.notes);
    let is_variable = tensor(graph, index).is_some_and(|tensor| tensor.is_variable);
    is_variable && nodes.any(|(node, (kind, _))| states(kind.op, &node.inputs).contains(&index))
}

/// Whether one tensor can replace the other.
fn alike(graph: &Graph, a: i32, b: i32) -> bool {
    if is_state(graph, a) || is_state(graph, b) {
        return false;
    }
    let (Some(a), Some(b)) = (tensor(graph, a), tensor(graph, b)) else { return false };
    let parameters = |tensor: &Tensor| {
        tensor.quantization.as_ref().map(|q| (q.scale.clone(), q.zero_point.clone(), q.quantized_dimension))
    };
    a.element_type == b.element_type
        && a.shape == b.shape
        && a.buffer == b.buffer
        && parameters(a) == parameters(b)
}

fn variables(graph: &Graph) -> Vec<i32> {
    let tensors = graph.model.subgraphs[0].tensors.iter().enumerate();
    let all = tensors.filter(|(_, tensor)| tensor.is_variable).map(|(i, _)| i as i32);
    all.filter(|&variable| !is_state(graph, variable)).collect()
}

fn some(list: &[i32], random: &mut Random) -> Option<i32> {
    (!list.is_empty()).then(|| random.pick(list))
}

/// Results of nodes that are not variables yet, each with its node and its position among the outputs.
fn results(graph: &Graph) -> Vec<(usize, usize, i32)> {
    let operators = graph.model.subgraphs[0].operators.iter().enumerate();
    let all = operators
        .flat_map(|(node, operator)| operator.outputs.iter().enumerate().map(move |(i, &t)| (node, i, t)));
    all.filter(|&(_, _, t)| tensor(graph, t).is_some_and(|tensor| !tensor.is_variable)).collect()
}

/// A result becomes a variable.
fn write(graph: &mut Graph, random: &mut Random) {
    let results: Vec<i32> = results(graph).into_iter().map(|(_, _, t)| t).collect();
    if let Some(result) = some(&results, random) {
        graph.model.subgraphs[0].tensors[result as usize].is_variable = true;
    }
}

/// A node reads a variable in place of another tensor, before or after the node that writes it.
fn read(graph: &mut Graph, random: &mut Random) {
    let Some(variable) = some(&variables(graph), random) else { return };
    let in_place = random.chance(5);
    let mut places = Vec::new();
    for (node, operator) in graph.model.subgraphs[0].operators.iter().enumerate() {
        if in_place || !operator.outputs.contains(&variable) {
            let fits = operator.inputs.iter().enumerate();
            let fits = fits.filter(|&(_, &t)| t != variable && alike(graph, t, variable));
            places.extend(fits.map(|(i, _)| (node, i)));
        }
    }
    if !places.is_empty() {
        let (node, input) = random.pick(&places);
        graph.model.subgraphs[0].operators[node].inputs[input] = variable;
        graph.ask_for_all();
    }
}

/// Another node writes a variable in place of its result; the result's readers read the variable.
fn write_again(graph: &mut Graph, random: &mut Random) {
    let Some(variable) = some(&variables(graph), random) else { return };
    let main = &graph.model.subgraphs[0];
    let mut places = results(graph);
    places.retain(|&(node, _, t)| {
        let operator = &main.operators[node];
        alike(graph, t, variable)
            && !operator.outputs.contains(&variable)
            && (!operator.inputs.contains(&variable) || random.chance(5))
            && main
                .operators
                .iter()
                .all(|reader| !reader.inputs.contains(&t) || !reader.outputs.contains(&variable))
    });
    if places.is_empty() {
        return;
    }
    let (node, output, result) = random.pick(&places);
    let main = &mut graph.model.subgraphs[0];
    main.operators[node].outputs[output] = variable;
    let reads = main.operators.iter_mut().flat_map(|operator| &mut operator.inputs);
    reads.chain(&mut main.outputs).filter(|t| **t == result).for_each(|t| *t = variable);
}

/// A position for a node: in front of this one.
type Place = usize;

/// Inserts a node.
fn insert(graph: &mut Graph, at: Place, (kind, rule): (Kind, Rule), inputs: &[i32], output: i32) {
    let code = graph.model.builtin(kind.op, 1);
    let shape = graph.model.subgraphs[0].tensors[output as usize].shape.clone();
    let options = match kind.op {
        "RESHAPE" => Some(Attributes::of(|o| o.set(ReshapeOptions::NEW_SHAPE, &shape))),
        op => Attributes::defaults(op),
    };
    let node = Operator::new(code, inputs, &[output]);
    let node = options.into_iter().fold(node, Operator::with);
    graph.model.subgraphs[0].operators.insert(at, node);
    graph.notes.insert(at, (kind, rule));
}

/// A position at which tensor `t` has a value.
fn behind(graph: &Graph, random: &mut Random, t: i32) -> Place {
    let operators = &graph.model.subgraphs[0].operators;
    let first = operators.iter().position(|node| node.outputs.contains(&t)).map_or(0, |node| node + 1);
    first + random.below(operators.len() - first + 1)
}

/// Inputs and results that are not variables.
fn values(graph: &Graph) -> Vec<i32> {
    let main = &graph.model.subgraphs[0];
    let inputs = main.inputs.iter().copied().filter(|&t| !main.tensors[t as usize].is_variable);
    inputs.chain(results(graph).into_iter().map(|(_, _, t)| t)).collect()
}

/// A node that copies.
fn copies(ty: ElementType) -> (Kind, Rule) {
    (Kind { op: "RESHAPE", form: Form::Of(ty) }, Rule::Moves)
}

/// A node that adds.
fn adds(ty: ElementType) -> Option<(Kind, Rule)> {
    let rule = match ty {
        ElementType::F32 => Rule::Sum,
        ElementType::I32 => Rule::Integers,
        _ => return None,
    };
    Some((Kind { op: "ADD", form: Form::Of(ty) }, rule))
}

/// A node adds a variable to a tensor or copies it, and another node before or after it writes the variable.
fn recur(graph: &mut Graph, random: &mut Random) {
    let Some(t) = some(&values(graph), random) else { return };
    let spec = graph.model.subgraphs[0].tensors[t as usize].clone();
    let Some(ty) = ElementType::from_raw(spec.element_type as u32) else { return };
    let known: Vec<i32> = variables(graph).into_iter().filter(|&v| alike(graph, v, t)).collect();
    let main = &mut graph.model.subgraphs[0];
    let variable = match some(&known, random).filter(|_| random.chance(50)) {
        Some(variable) => variable,
        None => main.tensor(spec.clone().variable()),
    };
    let y = main.tensor(spec);
    let at = behind(graph, random, t);
    match adds(ty) {
        Some(adds) => insert(graph, at, adds, &[variable, t], y),
        None => insert(graph, at, copies(ty), &[variable], y),
    }
    read_later(graph, random, at + 1, y);
    let written = if random.chance(70) { y } else { t };
    let at = behind(graph, random, written);
    insert(graph, at, copies(ty), &[written], variable);
}

/// Some node at `at` or later reads `t` in place of a similar tensor, or `t` becomes an output.
fn read_later(graph: &mut Graph, random: &mut Random, at: Place, t: i32) {
    let mut later = Vec::new();
    for (node, operator) in graph.model.subgraphs[0].operators.iter().enumerate().skip(at) {
        let inputs = operator.inputs.iter().enumerate();
        later.extend(inputs.filter(|&(_, &other)| alike(graph, other, t)).map(|(i, _)| (node, i)));
    }
    let main = &mut graph.model.subgraphs[0];
    match later.is_empty() || random.chance(30) {
        true => main.outputs.push(t),
        false => {
            let (node, input) = random.pick(&later);
            main.operators[node].inputs[input] = t;
            graph.ask_for_all();
        }
    }
}

/// A node copies a variable or a view of it, and later nodes read the copy.
fn copy(graph: &mut Graph, random: &mut Random) {
    let Some(variable) = some(&variables(graph), random) else { return };
    let copied = Tensor { is_variable: false, ..graph.model.subgraphs[0].tensors[variable as usize].clone() };
    let Some(ty) = ElementType::from_raw(copied.element_type as u32) else { return };
    let at = random.below(graph.model.subgraphs[0].operators.len() + 1);
    let result = graph.model.subgraphs[0].tensor(copied);
    insert(graph, at, copies(ty), &[variable], result);
    read_later(graph, random, at + 1, result);
}

/// An input becomes a mere variable: zeros, until a node writes it.
fn unwritten(graph: &mut Graph, random: &mut Random) {
    let inputs = graph.model.subgraphs[0].inputs.clone();
    if let Some(input) = some(&inputs, random).filter(|_| inputs.len() > 1) {
        let main = &mut graph.model.subgraphs[0];
        main.tensors[input as usize].is_variable = true;
        main.inputs.retain(|&other| other != input);
        graph.feeds.remove(&input);
    }
}

/// An input becomes a variable and remains an input.
fn fed(graph: &mut Graph, random: &mut Random) {
    let inputs = graph.model.subgraphs[0].inputs.clone();
    if let Some(input) = some(&inputs, random) {
        graph.model.subgraphs[0].tensors[input as usize].is_variable = true;
    }
}

/// In the body of a loop, a node reads the layer's result of the previous call:
///
/// ```text
/// h = tanh(…);  list[i] = h        h = tanh(…);  y = reshape(v);  v = reshape(h);  list[i] = y
/// ```
fn inner(graph: &mut Graph, random: &mut Random) {
    let count = graph.model.subgraphs.len();
    let at = if count > 1 { 1 + random.below(count - 1) } else { return };
    let (tanh, reshape) = (graph.model.builtin("TANH", 1), graph.model.builtin("RESHAPE", 1));
    let body = &mut graph.model.subgraphs[at];
    let Some(node) = body.operators.iter().position(|node| node.opcode_index == tanh) else { return };
    let h = body.operators[node].outputs[0];
    let spec = body.tensors[h as usize].clone();
    let (v, y) = (body.tensor(spec.clone().variable()), body.tensor(spec.clone()));
    let later = body.operators[node + 1..].iter_mut().flat_map(|node| &mut node.inputs);
    later.filter(|t| **t == h).for_each(|t| *t = y);
    let options = || Attributes::of(|o| o.set(ReshapeOptions::NEW_SHAPE, &spec.shape));
    let copy = |from, to| Operator::new(reshape, &[from], &[to]).with(options());
    body.operators.splice(node + 1..node + 1, [copy(v, y), copy(h, v)]);
}

/// The byte with which a variable is initialized.
fn zero_byte(tensor: &Tensor) -> u8 {
    match &tensor.quantization {
        Some(q) if tensor.element_type == ElementType::I8 as i32 && q.scale.len() == 1 => {
            q.zero_point.first().map_or(0, |&zero| zero as u8)
        }
        _ => 0,
    }
}

/// An equivalent graph without variables. Values that an invocation reads from the previous one become a [`State`];
/// these values are also outputs, after the others.
pub fn unrolled(graph: &Graph) -> Graph {
    let mut plain = graph.clone();
    let variables = variables(graph);
    let main = &mut plain.model.subgraphs[0];
    let mut now: Vec<i32> = (0..main.tensors.len() as i32).collect();
    for &variable in &variables {
        main.tensors[variable as usize].is_variable = false;
    }
    let mut operators = std::mem::take(&mut main.operators);
    for operator in &mut operators {
        for input in operator.inputs.iter_mut().filter(|input| **input >= 0) {
            *input = now[*input as usize];
        }
        for output in operator.outputs.iter_mut().filter(|output| variables.contains(output)) {
            let written = main.tensors[*output as usize].clone();
            let variable = std::mem::replace(output, main.tensor(written));
            now[variable as usize] = *output;
        }
    }
    main.operators = operators;
    main.outputs.iter_mut().for_each(|output| *output = now[*output as usize]);
    let carried = |main: &SubGraph, variable: &i32| {
        let mut read = main.operators.iter().flat_map(|node| &node.inputs).chain(&main.outputs);
        read.any(|t| t == variable) && !main.inputs.contains(variable)
    };
    for before in variables.into_iter().filter(|variable| carried(main, variable)).collect::<Vec<_>>() {
        let (after, output) = (now[before as usize], main.outputs.len());
        main.inputs.push(before);
        main.outputs.push(after);
        plain.states.push(State { before, after, output, zero: zero_byte(&main.tensors[before as usize]) });
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::super::draw;
    use super::*;

    #[test]
    fn a_layers_states_stay_variables_and_its_data_does_not() {
        let is_layer = |graph: &Graph| matches!(graph.notes[..], [(Kind { op: "SVDF", .. }, _)]);
        let mut graph = (0..).map(draw).find(is_layer).expect("one is drawn");
        let node = &graph.model.subgraphs[0].operators[0];
        let (data, state) = (node.inputs[0], node.inputs[4]);
        graph.model.subgraphs[0].tensors[data as usize].is_variable = true;
        let plain = unrolled(&graph);
        let is_variable = |t: i32| plain.model.subgraphs[0].tensors[t as usize].is_variable;
        assert!(is_variable(state) && !is_variable(data), "{graph}{plain}");
    }
}
