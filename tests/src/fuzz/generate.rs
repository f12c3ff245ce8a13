//! Builds models from bytes: valid models of single ops, combined, called from control flow, with variables,
//! signatures, metadata, sparse and packed constants, dynamic shapes and external buffers, some of them damaged.
//!
//! Each choice uses a byte or two, so a fuzzer's change of a byte changes one thing about the model.

use std::sync::OnceLock;

use arenite_abi::schema::{IfOptions, StableHLOCompositeOptions, WhileOptions};
use arenite_model::tensor_type::{BOOL, FLOAT32, INT4, INT8, STRING, UINT4, UINT8};
use arenite_model::writer::{
    Buffer, Level, ModelBuilder, Operator, Signature, Sparsity, SubGraph, Tensor, bytes_of,
};

use crate::differential::draw;
use crate::differential::random::Random;
use crate::mutants;
use crate::op_models::{self, Sound};
use crate::options::WithOptions;

/// The valid models of single ops.
pub fn sounds() -> &'static [Sound] {
    static SOUNDS: OnceLock<Vec<Sound>> = OnceLock::new();
    SOUNDS.get_or_init(op_models::all)
}

/// The model for these bytes.
pub fn model(bytes: &[u8]) -> ModelBuilder {
    let mut random = Random::of_bytes(bytes);
    let mut model = start(&mut random);
    for _ in 0..random.below(3) {
        join(&mut model, &start(&mut random), &mut random);
    }
    for _ in 0..random.below(6) {
        let change = random.pick(&CHANGES);
        change(&mut model, &mut random);
    }
    if random.chance(40) {
        let mut words = mutants::Random(random.bits());
        mutants::spoil_model(&mut model, &mut words);
    }
    model
}

/// A valid model of one op, or a random graph of several nodes.
fn start(random: &mut Random) -> ModelBuilder {
    match random.chance(25) {
        true => draw(random.below(1 << 16) as u64).model,
        false => sounds()[random.below(sounds().len())].model.clone(),
    }
}

type Change = fn(&mut ModelBuilder, &mut Random);

const CHANGES: [Change; 14] = [
    call, call, repeat, variable, variable, signature, metadata, sparse, packed, dynamic, external, ports,
    order, blockwise,
];

/// Appends the main graph of `other` to the main graph of `model`; tensors of the same type and shape feed its inputs.
fn join(model: &mut ModelBuilder, other: &ModelBuilder, random: &mut Random) {
    let [graph] = &other.subgraphs[..] else { return };
    let (first_buffer, first_tensor) = (model.buffers.len() as u32, model.subgraphs[0].tensors.len() as i32);
    model.buffers.extend(other.buffers.iter().cloned());
    let codes: Vec<u32> = other
        .operator_codes
        .iter()
        .map(|code| {
            let known = model.operator_codes.iter().position(|known| known == code);
            known.unwrap_or_else(|| {
                model.operator_codes.push(code.clone());
                model.operator_codes.len() - 1
            }) as u32
        })
        .collect();
    let main = &mut model.subgraphs[0];
    let mut place: Vec<i32> = (0..graph.tensors.len() as i32).map(|i| first_tensor + i).collect();
    for &input in &graph.inputs {
        let form = &graph.tensors[input as usize];
        let fits = |t: &Tensor| (t.element_type, &t.shape) == (form.element_type, &form.shape);
        let fitting: Vec<i32> = (0..first_tensor).filter(|&i| fits(&main.tensors[i as usize])).collect();
        match fitting.is_empty() || random.chance(25) {
            true => main.inputs.push(place[input as usize]),
            false => place[input as usize] = random.pick(&fitting),
        }
    }
    main.tensors.extend(graph.tensors.iter().cloned().map(|mut tensor| {
        tensor.buffer = if tensor.buffer == 0 { 0 } else { tensor.buffer + first_buffer };
        tensor
    }));
    let moved = |list: &[i32]| -> Vec<i32> {
        list.iter().map(|&i| place.get(i as usize).copied().unwrap_or(-1)).collect()
    };
    for node in &graph.operators {
        main.operators.push(Operator {
            opcode_index: codes.get(node.opcode_index as usize).copied().unwrap_or(0),
            inputs: moved(&node.inputs),
            outputs: moved(&node.outputs),
            intermediates: moved(&node.intermediates),
            ..node.clone()
        });
    }
    main.outputs.extend(moved(&graph.outputs));
}

/// Moves the main graph into a subgraph that a composite or an IF calls.
fn call(model: &mut ModelBuilder, random: &mut Random) {
    if model.subgraphs.len() > 6 {
        return;
    }
    let inner = model.subgraphs[0].clone();
    if inner.inputs.is_empty() && inner.outputs.is_empty() {
        return;
    }
    let index = model.subgraphs.len() as i32;
    let mut main = SubGraph::new("caller");
    let port = |tensor: &Tensor| Tensor { buffer: 0, is_variable: false, sparsity: None, ..tensor.clone() };
    let of = |i: &i32| inner.tensors.get(*i as usize).cloned().unwrap_or_default();
    let mut inputs: Vec<i32> = inner.inputs.iter().map(|i| main.input(port(&of(i)))).collect();
    let outputs: Vec<i32> = inner.outputs.iter().map(|i| main.output(port(&of(i)))).collect();
    if random.chance(50) {
        let code = model.builtin("STABLEHLO_COMPOSITE", 1);
        main.operator(Operator::new(code, &inputs, &outputs).with_options(|o| {
            o.set(StableHLOCompositeOptions::NAME, "fuzz.composite")
                .set(StableHLOCompositeOptions::DECOMPOSITION_SUBGRAPH_INDEX, index)
        }));
    } else {
        let code = model.builtin("IF", 1);
        inputs.insert(0, main.input(Tensor::new("c", BOOL, &[])));
        let other = if random.chance(80) { index } else { random.below(index as usize + 2) as i32 };
        main.operator(Operator::new(code, &inputs, &outputs).with_options(|o| {
            o.set(IfOptions::THEN_SUBGRAPH_INDEX, index).set(IfOptions::ELSE_SUBGRAPH_INDEX, other)
        }));
    }
    model.subgraphs[0] = main;
    model.subgraphs.push(inner);
}

/// Makes the main graph the body of a loop of a few iterations, which a counter ends. Results that match an input in
/// type and shape become that input in the next iteration.
fn repeat(model: &mut ModelBuilder, random: &mut Random) {
    if model.subgraphs.len() > 6 {
        return;
    }
    let rounds = model.buffer(bytes_of(&[random.between(0, 3)]));
    let one = model.buffer(bytes_of(&[1i32]));
    let [add, less, repeat] = ["ADD", "LESS", "WHILE"].map(|op| model.builtin(op, 1));
    let count = || Tensor::new("i", arenite_model::tensor_type::INT32, &[]);
    let mut body = model.subgraphs[0].clone();
    let of = |graph: &SubGraph, i: i32| {
        let tensor = graph.tensors.get(i as usize).cloned().unwrap_or_default();
        Tensor { buffer: 0, is_variable: false, sparsity: None, ..tensor }
    };
    let forms: Vec<Tensor> = body.inputs.iter().map(|&i| of(&body, i)).collect();
    let mut results = Vec::new();
    for (k, form) in forms.iter().enumerate() {
        let same = |&&i: &&i32| {
            let tensor = of(&body, i);
            (tensor.element_type, tensor.shape) == (form.element_type, form.shape.clone())
        };
        results.push(body.outputs.iter().find(same).copied().unwrap_or(body.inputs[k]));
    }
    let (i, step, next) = (body.tensor(count()), body.tensor(count().buffer(one)), body.tensor(count()));
    body.operator(Operator::new(add, &[i, step], &[next]));
    body.inputs.insert(0, i);
    results.insert(0, next);
    body.outputs = results;

    let mut condition = SubGraph::new("condition");
    let i = condition.input(count());
    for form in &forms {
        condition.input(form.clone());
    }
    let limit = condition.tensor(count().buffer(rounds));
    let go_on = condition.output(Tensor::new("go on", BOOL, &[]));
    condition.operator(Operator::new(less, &[i, limit], &[go_on]));

    let first = model.subgraphs.len() as i32;
    let mut main = SubGraph::new("loop");
    let inputs: Vec<i32> =
        std::iter::once(count()).chain(forms.iter().cloned()).map(|form| main.input(form)).collect();
    let outputs: Vec<i32> = std::iter::once(count()).chain(forms).map(|form| main.output(form)).collect();
    main.operator(Operator::new(repeat, &inputs, &outputs).with_options(|o| {
        o.set(WhileOptions::COND_SUBGRAPH_INDEX, first).set(WhileOptions::BODY_SUBGRAPH_INDEX, first + 1)
    }));
    model.subgraphs[0] = main;
    model.subgraphs.extend([condition, body]);
}

/// Adds a variable like an existing tensor, read by one node and written by another, anywhere in the graph.
fn variable(model: &mut ModelBuilder, random: &mut Random) {
    let [add, abs] = ["ADD", "ABS"].map(|op| model.builtin(op, 1));
    let main = &mut model.subgraphs[0];
    let floats: Vec<i32> = (0..main.tensors.len() as i32)
        .filter(|&i| {
            let tensor = &main.tensors[i as usize];
            tensor.element_type == FLOAT32 && tensor.sparsity.is_none()
        })
        .collect();
    if floats.is_empty() {
        return;
    }
    let x = random.pick(&floats);
    let form = Tensor { buffer: 0, sparsity: None, is_variable: false, ..main.tensors[x as usize].clone() };
    let v = main.tensor(form.clone().variable());
    let sum = main.tensor(form);
    let read = Operator::new(add, &[v, x], &[sum]);
    let write = Operator::new(abs, &[if random.chance(50) { sum } else { x }], &[v]);
    main.outputs.push(sum);
    for node in if random.chance(70) { [read, write] } else { [write, read] } {
        let at = match random.chance(60) {
            true => main.operators.len(),
            false => random.below(main.operators.len() + 1),
        };
        main.operators.insert(at, node);
    }
    if random.chance(20) {
        main.outputs.push(v);
    }
}

fn signature(model: &mut ModelBuilder, random: &mut Random) {
    let subgraph = random.below(model.subgraphs.len());
    let graph = &model.subgraphs[subgraph];
    let names = |list: &[i32], letter: &str| -> Vec<(String, u32)> {
        list.iter().enumerate().map(|(i, &tensor)| (format!("{letter}{i}"), tensor as u32)).collect()
    };
    let (mut inputs, outputs) = (names(&graph.inputs, "x"), names(&graph.outputs, "y"));
    if random.chance(15)
        && let Some((_, tensor)) = inputs.first_mut()
    {
        *tensor = random.below(1 << 9) as u32;
    }
    let key = ["serve", "", "a\u{1b}[2J", "serve"][random.below(4)];
    let subgraph = if random.chance(90) { subgraph as u32 } else { random.below(300) as u32 };
    model.signatures.push(Signature { key: Some(key.to_owned()), subgraph, inputs, outputs });
}

fn metadata(model: &mut ModelBuilder, random: &mut Random) {
    let tensors = model.subgraphs[0].tensors.len();
    let (name, data) = match random.below(4) {
        0 => ("min_runtime_version", b"1.5.0".to_vec()),
        1 => {
            // Version, subgraph, count, and an offset per tensor: -1 leaves it to the planner.
            let count = if random.chance(85) { tensors } else { random.below(300) };
            let offset = |random: &mut Random| match random.chance(50) {
                true => -1,
                false => random.below(64) as i32 * 16,
            };
            let offsets: Vec<i32> = (0..count).map(|_| offset(random)).collect();
            let head = [1, 0, count as i32];
            ("OfflineMemoryAllocation", bytes_of(&[&head[..], &offsets].concat()))
        }
        2 => ("reduced_precision_support", b"fp16accfp32".to_vec()),
        _ => ("TFLITE_METADATA", (0..random.below(40)).map(|_| random.bits() as u8).collect()),
    };
    model.metadata(name, data);
}

/// The tensor index of a constant, if there is one.
fn constant(model: &ModelBuilder, random: &mut Random, fits: impl Fn(&Tensor) -> bool) -> Option<usize> {
    let tensors = &model.subgraphs[0].tensors;
    let inline = |t: &Tensor| matches!(model.buffers.get(t.buffer as usize), Some(Buffer::Inline(data)) if !data.is_empty());
    let found: Vec<usize> =
        (0..tensors.len()).filter(|&i| inline(&tensors[i]) && fits(&tensors[i])).collect();
    (!found.is_empty()).then(|| random.pick(&found))
}

/// Makes a constant sparse: every `step`-th element of its last dimension is stored, in compressed rows.
fn sparse(model: &mut ModelBuilder, random: &mut Random) {
    let fits = |t: &Tensor| !t.shape.is_empty() && t.shape.iter().all(|&d| (1..256).contains(&d));
    let Some(at) = constant(model, random, fits) else { return };
    let tensor = &mut model.subgraphs[0].tensors[at];
    let rank = tensor.shape.len();
    let rows: i32 = tensor.shape[..rank - 1].iter().product();
    let columns = tensor.shape[rank - 1];
    let step = random.between(1, 3);
    let row: Vec<i32> = (0..columns).step_by(step as usize).collect();
    let segments: Vec<i32> = (0..=rows).map(|i| i * row.len() as i32).collect();
    let indices: Vec<i32> = (0..rows).flat_map(|_| row.iter().copied()).collect();
    let kept = indices.len();
    let mut levels: Vec<Level> = tensor.shape[..rank - 1].iter().map(|&d| Level::Dense(d)).collect();
    levels.push(Level::Sparse { segments, indices });
    if random.chance(20)
        && let Some(Level::Sparse { segments, indices }) = levels.last_mut()
    {
        let list = if random.chance(50) { segments } else { indices };
        if !list.is_empty() {
            let i = random.below(list.len());
            list[i] = random.between(-2, 200);
        }
    }
    tensor.sparsity =
        Some(Sparsity { traversal_order: (0..rank as i32).collect(), block_map: Vec::new(), levels });
    let buffer = tensor.buffer as usize;
    if let Buffer::Inline(data) = &mut model.buffers[buffer] {
        let elements = (rows * columns).max(1) as usize;
        data.truncate(data.len() / elements * kept);
    }
}

/// Makes a constant packed, with two elements per byte.
fn packed(model: &mut ModelBuilder, random: &mut Random) {
    let fits = |t: &Tensor| matches!(t.element_type, INT8 | UINT8);
    let Some(at) = constant(model, random, fits) else { return };
    let tensor = &mut model.subgraphs[0].tensors[at];
    tensor.element_type = if tensor.element_type == INT8 { INT4 } else { UINT4 };
    if let Buffer::Inline(data) = &mut model.buffers[tensor.buffer as usize] {
        data.truncate(data.len().div_ceil(2));
    }
}

fn dynamic(model: &mut ModelBuilder, random: &mut Random) {
    let tensors = &mut model.subgraphs[0].tensors;
    let at = random.below(tensors.len());
    let tensor = &mut tensors[at];
    tensor.shape_signature = tensor.shape.clone();
    if !tensor.shape.is_empty() {
        let i = random.below(tensor.shape.len());
        tensor.shape_signature[i] = -1;
        if random.chance(50) {
            tensor.shape[i] = 1;
        }
    }
}

/// Moves constants to external buffers after the flatbuffer.
fn external(model: &mut ModelBuilder, random: &mut Random) {
    for buffer in &mut model.buffers {
        if let Buffer::Inline(data) = buffer
            && random.chance(60)
        {
            *buffer = Buffer::External(std::mem::take(data));
        }
    }
}

/// Makes any tensor an output or input: a duplicate, a constant, or an input as an output.
fn ports(model: &mut ModelBuilder, random: &mut Random) {
    let g = random.below(model.subgraphs.len());
    let graph = &mut model.subgraphs[g];
    let tensor = random.below(graph.tensors.len()) as i32;
    match random.below(4) {
        0 => drop(graph.outputs.pop()),
        1 => graph.inputs.push(tensor),
        _ => graph.outputs.push(tensor),
    }
}

/// Moves, repeats or removes a node.
fn order(model: &mut ModelBuilder, random: &mut Random) {
    let g = random.below(model.subgraphs.len());
    let nodes = &mut model.subgraphs[g].operators;
    if nodes.len() < 2 {
        return;
    }
    let (a, b) = (random.below(nodes.len()), random.below(nodes.len()));
    match random.below(3) {
        0 => nodes.swap(a, b),
        1 => nodes.push(nodes[a].clone()),
        _ => drop(nodes.remove(a)),
    }
}

fn blockwise(model: &mut ModelBuilder, random: &mut Random) {
    let tensors = &mut model.subgraphs[0].tensors;
    let [at, scales] = [random.below(tensors.len()), random.below(tensors.len())];
    if tensors[at].element_type == STRING {
        return;
    }
    let zero_points = if random.chance(50) { -1 } else { random.below(tensors.len()) as i32 };
    let size = random.pick(&[1, 2, 4, 16, 32, 0]);
    let dimension = random.below(4) as i32;
    tensors[at] = tensors[at].clone().blockwise(scales as i32, zero_points, size, dimension);
}
