//! Loops that the CPU delegate runs as one step, in the form in which converters write recurrent layers. Each is
//! compared with the reference ops, on every instruction set and with several threads. And loops that it refuses, with
//! the reason.

use arenite::config::DelegateConfig;
use arenite::model_file::tensor_type::{BOOL, FLOAT32, INT8, INT32};
use arenite::model_file::writer::{ModelBuilder, Operator, SubGraph, Tensor, bytes_of};
use arenite::{Interpreter, Model, NodeProvider};
use arenite_abi::schema::{SplitOptions, WhileOptions};
use arenite_tests::options::{Attributes, WithOptions};

/// Numbers between -1 and 1, the same in each run.
struct Random(u64);

impl Random {
    fn list(&mut self, len: i32) -> Vec<f32> {
        let mut next = || {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 40) as f32 / (1 << 23) as f32 - 1.0
        };
        (0..len).map(|_| next()).collect()
    }
}

/// A loop `while (i < rounds) { states = body(x[i], states); list[at] = row; i += step }`.
#[derive(Clone)]
struct Loop {
    /// The sequence: steps, batch, features.
    x: [i32; 3],
    units: i32,
    /// The number of rows of the list.
    list: i32,
    first: i32,
    step: i32,
    rounds: i32,
    /// LESS, LESS_EQUAL, and so on.
    condition: &'static str,
    /// The list is written at the last row, not at row `i`.
    last_row: bool,
    /// Whether weights are quantized to 8 bits.
    hybrid: bool,
    cell: Cell,
}

#[derive(Clone, Copy, PartialEq)]
enum Cell {
    /// `h' = tanh(W x + R h + b)`.
    Simple,
    /// As Keras writes it: one product for four gates.
    Lstm,
    /// As Keras writes it, with reset after the product.
    Gru,
    /// The two states are swapped, without a product.
    Swap,
}

const LSTM: Loop = Loop {
    x: [7, 1, 5],
    units: 24,
    list: 7,
    first: 0,
    step: 1,
    rounds: 7,
    condition: "LESS",
    last_row: false,
    hybrid: false,
    cell: Cell::Lstm,
};

/// A subgraph under construction.
struct Graph<'m> {
    model: &'m mut ModelBuilder,
    graph: SubGraph,
    random: Random,
}

impl Graph<'_> {
    fn real(&mut self, shape: &[i32]) -> i32 {
        self.graph.tensor(Tensor::new("", FLOAT32, shape))
    }

    fn integers(&mut self, shape: &[i32], data: &[i32]) -> i32 {
        let buffer = self.model.buffer(bytes_of(data));
        self.graph.tensor(Tensor::new("", INT32, shape).buffer(buffer))
    }

    fn constant(&mut self, shape: &[i32]) -> i32 {
        let data = self.random.list(shape.iter().product());
        let buffer = self.model.buffer(bytes_of(&data));
        self.graph.tensor(Tensor::new("", FLOAT32, shape).buffer(buffer))
    }

    /// Weights, quantized to 8 bits if `self.bytes` is set.
    fn weights(&mut self, shape: &[i32], hybrid: bool) -> i32 {
        if !hybrid {
            return self.constant(shape);
        }
        let data = self.random.list(shape.iter().product());
        let bytes: Vec<u8> = data.iter().map(|x| (x * 127.0) as i8 as u8).collect();
        let buffer = self.model.buffer(bytes);
        self.graph.tensor(Tensor::new("", INT8, shape).quantized(0.008, 0).buffer(buffer))
    }

    fn node(&mut self, op: &str, inputs: &[i32], y: &[i32], options: Option<Attributes>) {
        let mut node = Operator::new(self.model.builtin(op, 1), inputs, y);
        if let Some(options) = options.or_else(|| Attributes::defaults(op)) {
            node = node.with(options);
        }
        self.graph.operator(node);
    }

    /// A node with one result of this shape.
    fn of(&mut self, op: &str, inputs: &[i32], shape: &[i32]) -> i32 {
        let y = self.real(shape);
        self.node(op, inputs, &[y], None);
        y
    }

    fn product(&mut self, x: i32, [rows, depth, columns]: [i32; 3], hybrid: bool) -> i32 {
        let w = self.weights(&[columns, depth], hybrid);
        self.of("FULLY_CONNECTED", &[x, w, -1], &[rows, columns])
    }

    fn split<const N: usize>(&mut self, x: i32, [rows, columns]: [i32; 2]) -> [i32; N] {
        let axis = self.integers(&[], &[1]);
        let parts = [(); N].map(|()| self.real(&[rows, columns / N as i32]));
        self.node(
            "SPLIT",
            &[axis, x],
            &parts,
            Some(Attributes::of(|o| o.set(SplitOptions::NUM_SPLITS, N as i32))),
        );
        parts
    }

    fn sum(&mut self, i: i32, step: i32) -> i32 {
        let step = self.integers(&[], &[step]);
        let y = self.graph.tensor(Tensor::new("", INT32, &[]));
        self.node("ADD", &[i, step], &[y], None);
        y
    }
}

impl Loop {
    /// The values that the loop carries: `i`, the sequence, the list, and two states.
    fn ports(&self) -> Vec<Tensor> {
        let [steps, batch, features] = self.x;
        let state = Tensor::new("state", FLOAT32, &[batch, self.units]);
        vec![
            Tensor::new("i", INT32, &[]),
            Tensor::new("x", FLOAT32, &[steps, batch, features]),
            Tensor::new("list", FLOAT32, &[self.list, batch, self.units]),
            state.clone(),
            state,
        ]
    }

    fn model(&self) -> Model {
        let mut model = ModelBuilder::new();
        let code = model.builtin("WHILE", 1);
        let first = model.buffer(bytes_of(&[self.first]));
        let mut main = SubGraph::new("main");
        let ports = self.ports();
        let start = main.tensor(ports[0].clone().buffer(first));
        let mut inputs = vec![start];
        inputs.extend(ports[1..].iter().map(|port| main.input(port.clone())));
        let outputs: Vec<i32> = ports.iter().map(|port| main.output(port.clone())).collect();
        main.operator(Operator::new(code, &inputs, &outputs).with_options(|o| {
            o.set(WhileOptions::COND_SUBGRAPH_INDEX, 1).set(WhileOptions::BODY_SUBGRAPH_INDEX, 2)
        }));
        let condition = self.condition(&mut model);
        let body = self.body(&mut model);
        for graph in [main, condition, body] {
            model.subgraph(graph);
        }
        Model::from_bytes(model.finish()).expect("the model is sound")
    }

    fn condition(&self, model: &mut ModelBuilder) -> SubGraph {
        let mut g = Graph { model, graph: SubGraph::new("condition"), random: Random(1) };
        let i = self.ports().into_iter().map(|port| g.graph.input(port)).collect::<Vec<_>>()[0];
        let limit = g.integers(&[], &[self.rounds]);
        let truths = [(); 3].map(|()| g.graph.tensor(Tensor::new("", BOOL, &[])));
        let pair = if self.condition.starts_with("GREATER") { [limit, i] } else { [i, limit] };
        g.node(self.condition, &pair, &[truths[0]], None);
        g.node("LESS", &[i, limit], &[truths[1]], None);
        // One of the two comparisons decides, below the limit or at it.
        g.node("LOGICAL_AND", &[truths[0], truths[1]], &[truths[2]], None);
        let strict = matches!(self.condition, "LESS" | "GREATER");
        g.graph.outputs.push(if strict { truths[2] } else { truths[0] });
        g.graph
    }

    fn body(&self, model: &mut ModelBuilder) -> SubGraph {
        let mut g = Graph { model, graph: SubGraph::new("body"), random: Random(2) };
        let ports: Vec<i32> = self.ports().into_iter().map(|port| g.graph.input(port)).collect();
        let &[i, x, list, h, c] = &ports[..] else { unreachable!("there are five") };
        let ([_, batch, features], units) = (self.x, self.units);
        let row = g.of("GATHER", &[x, i], &[batch, features]);
        let [h2, c2] = self.cell(&mut g, row, [h, c]);
        let shape = g.integers(&[3], &[1, batch, units]);
        let row = g.of("RESHAPE", &[h2, shape], &[1, batch, units]);
        let at = match self.last_row {
            true => g.integers(&[1], &[self.list - 1]),
            false => {
                let (one, at) = (g.integers(&[1], &[1]), g.graph.tensor(Tensor::new("", INT32, &[1])));
                g.node("RESHAPE", &[i, one], &[at], None);
                at
            }
        };
        let (zeros, place) = (g.integers(&[2], &[0, 0]), g.graph.tensor(Tensor::new("", INT32, &[3])));
        g.node("CONCATENATION", &[at, zeros], &[place], None);
        let written = g.of("DYNAMIC_UPDATE_SLICE", &[list, row, place], &[self.list, batch, units]);
        let next = g.sum(i, self.step);
        g.graph.outputs.extend([next, x, written, h2, c2]);
        g.graph
    }

    fn cell(&self, g: &mut Graph<'_>, row: i32, [h, c]: [i32; 2]) -> [i32; 2] {
        let ([_, batch, features], n, hybrid) = (self.x, self.units, self.hybrid);
        let s = [batch, n];
        match self.cell {
            Cell::Swap => [c, h],
            Cell::Simple => {
                let a = g.product(row, [batch, features, n], hybrid);
                let b = g.product(h, [batch, n, n], hybrid);
                let (sum, bias) = (g.of("ADD", &[a, b], &s), g.constant(&[n]));
                let sum = g.of("ADD", &[sum, bias], &s);
                [g.of("TANH", &[sum], &s), h]
            }
            Cell::Lstm => {
                let a = g.product(row, [batch, features, 4 * n], hybrid);
                let b = g.product(h, [batch, n, 4 * n], hybrid);
                let (sum, bias) = (g.of("ADD", &[a, b], &[batch, 4 * n]), g.constant(&[4 * n]));
                let sum = g.of("ADD", &[sum, bias], &[batch, 4 * n]);
                let [i, f, z, o] = g.split::<4>(sum, [batch, 4 * n]);
                let [i, f, o] = [i, f, o].map(|x| g.of("LOGISTIC", &[x], &s));
                let z = g.of("TANH", &[z], &s);
                let (kept, new) = (g.of("MUL", &[f, c], &s), g.of("MUL", &[i, z], &s));
                let c2 = g.of("ADD", &[kept, new], &s);
                let t = g.of("TANH", &[c2], &s);
                [g.of("MUL", &[o, t], &s), c2]
            }
            Cell::Gru => {
                let a = g.product(row, [batch, features, 3 * n], hybrid);
                let bias = g.constant(&[3 * n]);
                let a = g.of("ADD", &[a, bias], &[batch, 3 * n]);
                let [xz, xr, xh] = g.split::<3>(a, [batch, 3 * n]);
                let b = g.product(h, [batch, n, 3 * n], hybrid);
                let bias = g.constant(&[3 * n]);
                let b = g.of("ADD", &[b, bias], &[batch, 3 * n]);
                let [hz, hr, hh] = g.split::<3>(b, [batch, 3 * n]);
                let z = g.of("ADD", &[xz, hz], &s);
                let z = g.of("LOGISTIC", &[z], &s);
                let r = g.of("ADD", &[xr, hr], &s);
                let r = g.of("LOGISTIC", &[r], &s);
                let new = g.of("MUL", &[r, hh], &s);
                let new = g.of("ADD", &[xh, new], &s);
                let new = g.of("TANH", &[new], &s);
                let one = g.constant(&[]);
                let rest = g.of("SUB", &[one, z], &s);
                let (kept, new) = (g.of("MUL", &[z, h], &s), g.of("MUL", &[rest, new], &s));
                [g.of("ADD", &[kept, new], &s), c]
            }
        }
    }
}

fn run(interpreter: &mut Interpreter) -> Vec<Vec<u8>> {
    interpreter.allocate().unwrap();
    let mut random = Random(3);
    for i in 0..interpreter.input_count() {
        let input = interpreter.input_mut(i).unwrap();
        let len = input.tensor().shape.iter().product();
        input.copy_from_slice(&random.list(len)).unwrap();
    }
    interpreter.invoke().unwrap();
    (0..interpreter.output_count())
        .map(|i| interpreter.output(i).unwrap().bytes().unwrap().to_vec())
        .collect()
}

fn floats(bytes: &[u8]) -> Vec<f32> {
    bytes.as_chunks::<4>().0.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect()
}

/// The delegate claims the loop; all results agree with the reference ops, and have the same bits with two threads.
#[track_caller]
fn runs(form: &Loop) {
    let model = form.model();
    let want = run(&mut arenite_tests::reference_ops(&model).build().unwrap());
    for isa in ["scalar", "avx2", "avxvnni", "avx512", "avx512vnni", "amx", "neon", "neondot", "neoni8mm"] {
        let build = |threads| {
            let mut delegate = DelegateConfig::new("cpu");
            delegate.options.push(("isa".to_owned(), isa.to_owned()));
            Interpreter::builder(&model).delegate(delegate).threads(threads).build().unwrap()
        };
        let mut interpreter = build(1);
        let got = run(&mut interpreter);
        let served = interpreter.served_by();
        let refusals = interpreter.refusals();
        assert!(matches!(served[0], NodeProvider::Delegate { .. }), "{isa}: {refusals:?}");
        assert_eq!(run(&mut interpreter), got, "{isa}: the bits differ in the second run");
        assert_eq!(run(&mut build(2)), got, "{isa}: the bits differ with two threads");
        assert_eq!(got[0], want[0], "{isa}: the counter");
        for (o, (got, want)) in got.iter().zip(&want).enumerate().skip(1) {
            let (got, want) = (floats(got), floats(want));
            assert_eq!(got.len(), want.len());
            let differ = got.iter().zip(&want).position(|(g, w)| (g - w).abs() > 1e-5);
            assert_eq!(differ.map(|i| (i, got[i], want[i])), None, "{isa}: output {o}");
        }
    }
}

/// The delegate refuses the loop for this reason; the reference ops run it, or fail as they do without the delegate.
#[track_caller]
fn left(form: &Loop, reason: &str) {
    let model = form.model();
    let mut interpreter = Interpreter::builder(&model).delegate(DelegateConfig::new("cpu")).build().unwrap();
    interpreter.allocate().unwrap();
    let refusals = &interpreter.refusals()[0];
    assert!(refusals.iter().any(|(_, why)| why.contains(reason)), "{refusals:?}");
}

#[test]
fn an_lstm() {
    runs(&LSTM);
    runs(&Loop { units: 33, ..LSTM });
    runs(&Loop { x: [4, 3, 6], list: 4, rounds: 4, ..LSTM });
}

#[test]
fn a_gru_and_a_simple_cell() {
    for cell in [Cell::Gru, Cell::Simple, Cell::Swap] {
        runs(&Loop { cell, ..LSTM });
        runs(&Loop { cell, x: [5, 2, 6], list: 5, rounds: 5, ..LSTM });
    }
}

#[test]
fn quantized_weights() {
    for cell in [Cell::Lstm, Cell::Gru] {
        runs(&Loop { hybrid: true, cell, ..LSTM });
        runs(&Loop { hybrid: true, cell, x: [4, 2, 5], list: 4, rounds: 4, ..LSTM });
    }
}

#[test]
fn any_number_of_iterations() {
    for rounds in [0, 1, 2, 3, 6] {
        runs(&Loop { rounds, ..LSTM });
    }
    runs(&Loop { rounds: -4, ..LSTM });
    runs(&Loop { first: 3, ..LSTM });
    runs(&Loop { first: 1, step: 2, ..LSTM });
    runs(&Loop { x: [40, 1, 5], first: 2, step: 3, list: 30, rounds: 20, ..LSTM });
}

#[test]
fn all_comparison_ops() {
    for condition in ["LESS", "GREATER"] {
        runs(&Loop { condition, ..LSTM });
    }
    for condition in ["LESS_EQUAL", "GREATER_EQUAL"] {
        runs(&Loop { condition, rounds: 6, ..LSTM });
        runs(&Loop { condition, rounds: 5, step: 3, ..LSTM });
    }
}

#[test]
fn all_iterations_write_the_last_row() {
    runs(&Loop { last_row: true, ..LSTM });
    runs(&Loop { last_row: true, list: 1, ..LSTM });
    runs(&Loop { last_row: true, list: 3, rounds: 0, ..LSTM });
}

#[test]
fn loops_without_proof_of_bounds_are_refused() {
    left(&Loop { step: 0, ..LSTM }, "how often it runs is not known");
    left(&Loop { step: -1, ..LSTM }, "how often it runs is not known");
    left(&Loop { rounds: i32::MAX, ..LSTM }, "how often it runs is not known");
    left(&Loop { condition: "LESS_EQUAL", ..LSTM }, "rows outside of 'x'");
    left(&Loop { first: -1, ..LSTM }, "rows outside of 'x'");
    left(&Loop { list: 5, ..LSTM }, "rows outside of 'list'");
}
