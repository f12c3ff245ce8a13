//! Models of recurrent loops, as converters write them.

use arenite::Model;
use arenite::model_file::tensor_type::{BOOL, FLOAT32, INT8, INT32};
use arenite::model_file::writer::{ModelBuilder, Operator, SubGraph, Tensor, bytes_of};
use arenite_abi::schema::{SplitOptions, WhileOptions};
use arenite_tests::options::{Attributes, WithOptions};

/// Numbers between -1 and 1, the same in each run.
pub(crate) struct Random(pub u64);

impl Random {
    pub(crate) fn list(&mut self, len: i32) -> Vec<f32> {
        let mut next = || {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 40) as f32 / (1 << 23) as f32 - 1.0
        };
        (0..len).map(|_| next()).collect()
    }
}

/// A loop `while (i < rounds) { states = body(x[i], states); list[at] = row; i += step }`.
#[derive(Clone)]
pub(crate) struct Loop {
    /// The sequence: steps, batch, features.
    pub x: [i32; 3],
    pub units: i32,
    /// The number of rows of the list.
    pub list: i32,
    pub first: i32,
    pub step: i32,
    pub rounds: i32,
    /// LESS, LESS_EQUAL, and so on.
    pub condition: &'static str,
    pub write: Write,
    /// Whether weights are quantized to 8 bits.
    pub hybrid: bool,
    pub cell: Cell,
}

/// How a round writes a row of the list.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Write {
    /// DYNAMIC_UPDATE_SLICE, at row `i`.
    Update,
    /// The same, at the last row.
    LastRow,
    /// CONCATENATION of the rows before `i`, the new row and the rows behind it, as converters write it. This op makes
    /// a row of a state, and a list of a number.
    Slices(&'static str),
    /// The same, at row 0: what converters write for a list of the last row alone.
    FirstRow,
}

#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Cell {
    /// `h' = tanh(W x + R h + b)`.
    Simple,
    /// As Keras writes it: one product for four gates.
    Lstm,
    /// As Keras writes it, with reset after the product.
    Gru,
    /// The two states are swapped, without a product.
    Swap,
}

pub(crate) const LSTM: Loop = Loop {
    x: [7, 1, 5],
    units: 24,
    list: 7,
    first: 0,
    step: 1,
    rounds: 7,
    condition: "LESS",
    write: Write::Update,
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

    /// `x` with one more dimension in front, by RESHAPE or EXPAND_DIMS.
    fn expand(&mut self, (op, ty): (&str, i32), x: i32, shape: &[i32]) -> i32 {
        let second = match op {
            "RESHAPE" => self.integers(&[shape.len() as i32], shape),
            _ => self.integers(&[], &[0]),
        };
        let y = self.graph.tensor(Tensor::new("", ty, shape));
        self.node(op, &[x, second], &[y], None);
        y
    }

    /// A number and two constants.
    fn join(&mut self, [first]: [i32; 1], rest: [i32; 2]) -> i32 {
        let (rest, y) = (self.integers(&[2], &rest), self.graph.tensor(Tensor::new("", INT32, &[3])));
        self.node("CONCATENATION", &[first, rest], &[y], None);
        y
    }

    /// The rows of a list up to `size`, a new row that `op` makes of a state, and the rows from `begin` on.
    fn around(
        &mut self,
        list: i32,
        sizes: [i32; 3],
        (op, state): (&str, i32),
        [size, begin]: [i32; 2],
    ) -> i32 {
        let (zeros, rest) = (self.integers(&[3], &[0; 3]), self.integers(&[3], &[-1; 3]));
        let of_rows = |rows| [rows, sizes[1], sizes[2]];
        let parts = [(zeros, size), (begin, rest)].map(|(begin, size)| {
            let part = Tensor::new("", FLOAT32, &of_rows(1)).shape_signature(&of_rows(-1));
            let part = self.graph.tensor(part);
            self.node("SLICE", &[list, begin, size], &[part], None);
            part
        });
        let row = self.expand((op, FLOAT32), state, &of_rows(1));
        self.of("CONCATENATION", &[parts[0], row, parts[1]], &sizes)
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

    pub(crate) fn model(&self) -> Model {
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
        let [_, batch, features] = self.x;
        let row = g.of("GATHER", &[x, i], &[batch, features]);
        let [h2, c2] = self.cell(&mut g, row, [h, c]);
        let written = self.write(&mut g, list, h2, i);
        let next = g.sum(i, self.step);
        g.graph.outputs.extend([next, x, written, h2, c2]);
        g.graph
    }

    /// The list after a round.
    fn write(&self, g: &mut Graph<'_>, list: i32, state: i32, i: i32) -> i32 {
        let sizes = [self.list, self.x[1], self.units];
        match self.write {
            Write::Update | Write::LastRow => {
                let at = match self.write {
                    Write::LastRow => g.integers(&[1], &[self.list - 1]),
                    _ => g.expand(("RESHAPE", INT32), i, &[1]),
                };
                let place = g.join([at], [0, 0]);
                let row = g.expand(("RESHAPE", FLOAT32), state, &[1, sizes[1], sizes[2]]);
                g.of("DYNAMIC_UPDATE_SLICE", &[list, row, place], &sizes)
            }
            Write::Slices(op) => {
                let next = g.sum(i, 1);
                let [size, begin] = [i, next].map(|x| g.expand((op, INT32), x, &[1]));
                let (size, begin) = (g.join([size], [-1, -1]), g.join([begin], [0, 0]));
                g.around(list, sizes, (op, state), [size, begin])
            }
            Write::FirstRow => {
                let (size, begin) = (g.integers(&[3], &[0, -1, -1]), g.integers(&[3], &[1, 0, 0]));
                g.around(list, sizes, ("EXPAND_DIMS", state), [size, begin])
            }
        }
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
