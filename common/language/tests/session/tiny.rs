//! A language model of a few nodes: a token's row goes into the caches, and the logits depend on all rows that the
//! position allows, each with its own weight.

use arenite_model::tensor_type::{BOOL, FLOAT32, INT8, INT32};
use arenite_model::writer::{ModelBuilder, Operator, SubGraph, Tensor, bytes_of};

pub(crate) const VOCABULARY: usize = 11;
pub(crate) const CAPACITY: usize = 12;

/// How a model differs from the plain one.
#[derive(Clone, Copy, Default)]
pub(crate) struct Form {
    /// Adds an input `mask` with this number of columns; it is added to the rows.
    pub mask: Option<i32>,
    /// The columns of the mask of `prefill_4`, if they differ.
    pub other_mask: Option<i32>,
    /// The type of the mask, if it is not FLOAT32.
    pub mask_type: Option<i32>,
    /// Rows that the mask has beyond one per token.
    pub more_rows: i32,
    /// Leaves the signature `decode` out.
    pub no_decode: bool,
    /// The name of the positions' input.
    pub positions: Option<&'static str>,
    /// Positions of the second prefill's caches.
    pub other_capacity: Option<i32>,
    /// Adds an input that no session knows.
    pub extra: bool,
    /// Prefills return logits, too.
    pub logits: bool,
    /// The file with the matrix, if it is not in the model's.
    pub group: Option<&'static str>,
    /// The matrix has elements of 8 bits and one scale.
    pub bytes: bool,
}

/// The model, with prefills of 2 and 4 tokens.
pub(crate) fn model(form: Form) -> Vec<u8> {
    let mut model = ModelBuilder::new();
    for (k, (key, count)) in [("prefill_2", 2), ("prefill_4", 4), ("decode", 1)].into_iter().enumerate() {
        if key == "decode" && form.no_decode {
            continue;
        }
        let capacity = match (key, form.other_capacity) {
            ("prefill_4", Some(other)) => other,
            _ => CAPACITY as i32,
        };
        let (graph, inputs, outputs) =
            graph(&mut model, form, count, capacity, key == "decode" || form.logits);
        model.subgraph(graph);
        let named = |list: &[(&'static str, i32)]| list.to_vec();
        model.signature(key, k as u32, &named(&inputs), &named(&outputs));
    }
    model.finish()
}

type Ports = Vec<(&'static str, i32)>;

fn graph(
    model: &mut ModelBuilder,
    form: Form,
    count: i32,
    capacity: i32,
    logits: bool,
) -> (SubGraph, Ports, Ports) {
    let v = VOCABULARY as i32;
    let mut graph = SubGraph::new("main");
    let tokens = graph.input(Tensor::new("t", INT32, &[1, count]));
    let positions = graph.input(Tensor::new("p", INT32, &[count]));
    let cache = graph.input(Tensor::new("k", FLOAT32, &[1, capacity, v]));
    let mut inputs =
        vec![("tokens", tokens), (form.positions.unwrap_or("input_pos"), positions), ("kv_cache_k_0", cache)];
    let columns = form.other_mask.filter(|_| count == 4).or(form.mask);
    let (ty, rows) = (form.mask_type.unwrap_or(FLOAT32), count + form.more_rows);
    let mask = columns.map(|columns| graph.input(Tensor::new("m", ty, &[1, 1, rows, columns])));
    inputs.extend(mask.map(|mask| ("mask", mask)));
    if form.extra {
        inputs.push(("lora_a", graph.input(Tensor::new("a", FLOAT32, &[4]))));
    }

    let table: Vec<f32> = (0..v * v).map(|i| ((i * 37 + 11) % 101) as f32 / 50.0 - 1.0).collect();
    let table = model.buffer(bytes_of(&table));
    let table = graph.tensor(Tensor::new("table", FLOAT32, &[v, v]).buffer(table));
    let rows = graph.tensor(Tensor::new("rows", FLOAT32, &[1, count, v]));
    let gather = model.builtin("GATHER", 1);
    // GatherOptions is table 23; slot 0 is the axis.
    graph.operator(Operator::new(gather, &[table, tokens], &[rows]).options(23, |o| o.i32(0, 0)));

    let constant = |model: &mut ModelBuilder, graph: &mut SubGraph, name: &str, values: &[i32]| {
        let buffer = model.buffer(bytes_of(values));
        graph.tensor(Tensor::new(name, INT32, &[values.len() as i32]).buffer(buffer))
    };
    let zero = constant(model, &mut graph, "zero", &[0]);
    let one = constant(model, &mut graph, "one", &[1]);
    let last = constant(model, &mut graph, "last", &[count - 1]);
    let part = |model: &mut ModelBuilder, graph: &mut SubGraph, name: &str, from: i32| {
        let at = graph.tensor(Tensor::new(name, INT32, &[1]));
        let slice = model.builtin("SLICE", 1);
        graph.operator(Operator::new(slice, &[positions, from, one], &[at]).options(32, |o| o));
        at
    };
    let first = part(model, &mut graph, "first", zero);
    let begin = graph.tensor(Tensor::new("begin", INT32, &[3]));
    let concatenation = model.builtin("CONCATENATION", 1);
    // ConcatenationOptions is table 10; slot 0 is the axis.
    graph.operator(Operator::new(concatenation, &[zero, first, zero], &[begin]).options(10, |o| o.i32(0, 0)));
    let written = graph.output(Tensor::new("k_out", FLOAT32, &[1, capacity, v]));
    let update = model.builtin("DYNAMIC_UPDATE_SLICE", 1);
    graph.operator(Operator::new(update, &[cache, rows, begin], &[written]));
    let mut outputs = vec![("kv_cache_k_0", written)];
    if logits {
        let now = part(model, &mut graph, "now", last);
        let y = attend(model, &mut graph, written, now, capacity, form);
        outputs.push(("logits", y));
    }
    (graph, inputs, outputs)
}

/// Logits: the rows up to position `now`, weighted by their position and summed, times a matrix.
fn attend(
    model: &mut ModelBuilder,
    graph: &mut SubGraph,
    rows: i32,
    now: i32,
    capacity: i32,
    form: Form,
) -> i32 {
    let v = VOCABULARY as i32;
    let places: Vec<i32> = (0..capacity).collect();
    let places = model.buffer(bytes_of(&places));
    let places = graph.tensor(Tensor::new("places", INT32, &[1, capacity, 1]).buffer(places));
    let weights: Vec<f32> = (0..capacity).map(|i| 1.0 + (i * i % 7) as f32 / 3.0).collect();
    let weights = model.buffer(bytes_of(&weights));
    let weights = graph.tensor(Tensor::new("weights", FLOAT32, &[1, capacity, 1]).buffer(weights));
    let sees = graph.tensor(Tensor::new("sees", BOOL, &[1, capacity, 1]));
    let op = model.builtin("LESS_EQUAL", 1);
    graph.operator(Operator::new(op, &[places, now], &[sees]));
    let seen = graph.tensor(Tensor::new("seen", FLOAT32, &[1, capacity, 1]));
    let op = model.builtin("CAST", 1);
    // CastOptions is table 37: the types.
    graph.operator(
        Operator::new(op, &[sees], &[seen]).options(37, |o| o.i8(0, BOOL as i8).i8(1, FLOAT32 as i8)),
    );
    let share = graph.tensor(Tensor::new("share", FLOAT32, &[1, capacity, 1]));
    let mul = model.builtin("MUL", 1);
    graph.operator(Operator::new(mul, &[seen, weights], &[share]).options(21, |o| o));
    let shared = graph.tensor(Tensor::new("shared", FLOAT32, &[1, capacity, v]));
    graph.operator(Operator::new(mul, &[rows, share], &[shared]).options(21, |o| o));
    let axis = model.buffer(bytes_of(&[1]));
    let axis = graph.tensor(Tensor::new("axis", INT32, &[1]).buffer(axis));
    let sum = graph.tensor(Tensor::new("sum", FLOAT32, &[1, 1, v]));
    let op = model.builtin("SUM", 1);
    // ReducerOptions is table 27; slot 0 keeps the axis.
    graph.operator(Operator::new(op, &[shared, axis], &[sum]).options(27, |o| o.bool(0, true)));
    let matrix = matrix_tensor(model, form);
    let matrix = graph.tensor(matrix);
    let logits = graph.output(Tensor::new("logits", FLOAT32, &[1, 1, v]));
    let op = model.builtin("FULLY_CONNECTED", 1);
    // FullyConnectedOptions is table 8; slot 2 keeps the number of axes.
    graph.operator(Operator::new(op, &[sum, matrix, -1], &[logits]).options(8, |o| o.bool(2, true)));
    logits
}

/// The tensor of the matrix.
fn matrix_tensor(model: &mut ModelBuilder, form: Form) -> Tensor {
    let shape = [VOCABULARY as i32; 2];
    if form.bytes {
        let bytes: Vec<u8> = (0..VOCABULARY * VOCABULARY).map(|i| (i * 53 + 29) as u8).collect();
        return Tensor::new("matrix", INT8, &shape).quantized(0.01, 0).buffer(model.buffer(bytes));
    }
    let (matrix, bytes) = (Tensor::new("matrix", FLOAT32, &shape), matrix());
    match form.group {
        Some(group) => matrix.part(model.part(group, 0, bytes.len() as u64)),
        None => matrix.buffer(model.buffer(bytes)),
    }
}

/// The bytes of the matrix of floats.
pub(crate) fn matrix() -> Vec<u8> {
    let count = VOCABULARY * VOCABULARY;
    bytes_of(&Vec::from_iter((0..count).map(|i| ((i * 53 + 29) % 89) as f32 / 44.0 - 1.0)))
}
