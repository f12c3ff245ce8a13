//! Test nodes for the LSTM ops, and an independent computation of their results.

use arenite_abi::prelude::*;
use arenite_abi::testing::{OpTest, Tensor};

/// The optional parts of a layer.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Variant {
    pub(crate) coupled: bool,
    pub(crate) peephole: bool,
    pub(crate) projection: bool,
    pub(crate) norm: bool,
    pub(crate) diagonal: bool,
    pub(crate) clip: f32,
}

/// All sixteen variants without a diagonal, some of them with clipping.
pub(crate) fn variants() -> impl Iterator<Item = Variant> {
    (0..16).map(|bits| Variant {
        coupled: bits & 1 != 0,
        peephole: bits & 2 != 0,
        projection: bits & 4 != 0,
        norm: bits & 8 != 0,
        diagonal: false,
        clip: if bits % 3 == 0 { 0.25 } else { 0.0 },
    })
}

/// A tensor of a node in real numbers, or `None` if the node lacks it.
pub(crate) type Part = Option<(Vec<i32>, Vec<f32>)>;

/// A layer in real numbers.
#[derive(Clone)]
pub(crate) struct Weights {
    pub(crate) variant: Variant,
    pub(crate) inputs: usize,
    pub(crate) cells: usize,
    pub(crate) outputs: usize,
    /// Inputs 1 to 17 of a node.
    pub(crate) parts: Vec<Part>,
    /// Inputs 20 to 23.
    pub(crate) norms: Vec<Part>,
}

/// Numbers within (-1, 1), with a long period.
pub(crate) fn numbers(seed: usize, count: usize) -> Vec<f32> {
    (0..count).map(|i| ((i + 1) * (2 * seed + 7919) % 1999) as f32 / 1000.0 - 0.999).collect()
}

impl Weights {
    pub(crate) fn new(variant: Variant) -> Weights {
        let (inputs, cells) = (3, 4);
        let outputs = if variant.projection { 2 } else { cells };
        let mut seed = 0;
        let mut part = |present: bool, shape: &[usize]| {
            seed += 31;
            let shape_of_part = shape.iter().map(|&n| n as i32).collect();
            present.then(|| (shape_of_part, numbers(seed, shape.iter().product())))
        };
        let gates = [!variant.coupled, true, true, true];
        let mut parts: Vec<Part> = gates.map(|gate| part(gate, &[cells, inputs])).into();
        let recurrent: &[usize] = if variant.diagonal { &[cells] } else { &[cells, outputs] };
        parts.extend(gates.map(|gate| part(gate, recurrent)));
        parts.extend([gates[0], true, true].map(|gate| part(gate && variant.peephole, &[cells])));
        parts.extend(gates.map(|gate| part(gate, &[cells])));
        parts.push(part(variant.projection, &[outputs, cells]));
        parts.push(part(variant.projection, &[outputs]));
        let norms = gates.map(|gate| part(gate && variant.norm, &[cells])).into();
        Weights { variant, inputs, cells, outputs, parts, norms }
    }

    /// Computes the output and the cell for one more row.
    pub(crate) fn step(&self, x: &[f32], h: &mut Vec<f64>, c: &mut [f64]) {
        let mut gates = vec![vec![0.0; self.cells]; 4];
        for (g, gate) in gates.iter_mut().enumerate() {
            if g == 3 {
                continue;
            }
            self.gate(g, x, h, c, gate);
        }
        if self.variant.coupled {
            gates[0] = gates[1].iter().map(|f| 1.0 - f).collect();
        }
        for k in 0..self.cells {
            c[k] = gates[1][k] * c[k] + gates[0][k] * gates[2][k];
            if self.variant.clip > 0.0 {
                c[k] = c[k].clamp(-f64::from(self.variant.clip), f64::from(self.variant.clip));
            }
        }
        self.gate(3, x, h, c, &mut gates[3]);
        let hidden: Vec<f64> = (0..self.cells).map(|k| gates[3][k] * c[k].tanh()).collect();
        *h = match (&self.parts[15], &self.parts[16]) {
            (Some((_, w)), Some((_, b))) => (0..self.outputs)
                .map(|r| {
                    f64::from(b[r])
                        + (0..self.cells).map(|k| f64::from(w[r * self.cells + k]) * hidden[k]).sum::<f64>()
                })
                .collect(),
            _ => hidden,
        };
    }

    fn gate(&self, g: usize, x: &[f32], h: &[f64], c: &[f64], to: &mut [f64]) {
        let (Some((_, w)), Some((shape, r)), Some((_, b))) =
            (&self.parts[g], &self.parts[4 + g], &self.parts[11 + g])
        else {
            return;
        };
        let peephole = [Some(8), Some(9), None, Some(10)][g].and_then(|i: usize| self.parts[i].as_ref());
        for k in 0..self.cells {
            let seen: f64 =
                (0..self.inputs).map(|i| f64::from(w[k * self.inputs + i]) * f64::from(x[i])).sum();
            let kept: f64 = match shape.len() {
                1 => f64::from(r[k]) * h[k],
                _ => (0..self.outputs).map(|i| f64::from(r[k * self.outputs + i]) * h[i]).sum(),
            };
            to[k] = seen + kept + peephole.map_or(0.0, |(_, p)| f64::from(p[k]) * c[k]);
        }
        match &self.norms[g] {
            None => to.iter_mut().zip(b).for_each(|(x, &b)| *x += f64::from(b)),
            Some((_, n)) => {
                let mean = to.iter().sum::<f64>() / to.len() as f64;
                let variance = to.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / to.len() as f64;
                let inverse = 1.0 / (variance + 1e-8).sqrt();
                for (x, (&n, &b)) in to.iter_mut().zip(n.iter().zip(b)) {
                    *x = (*x - mean) * inverse * f64::from(n) + f64::from(b);
                }
            }
        }
        to.iter_mut().for_each(|x| *x = if g == 2 { x.tanh() } else { 1.0 / (1.0 + (-*x).exp()) });
    }

    /// The outputs for the rows of one batch, starting from a state of zeros.
    pub(crate) fn run(&self, rows: &[f32]) -> Vec<f64> {
        let (mut h, mut c) = (vec![0.0; self.outputs], vec![0.0; self.cells]);
        rows.chunks(self.inputs)
            .flat_map(|x| {
                self.step(x, &mut h, &mut c);
                h.clone()
            })
            .collect()
    }

    /// Adds inputs 1 to 17 of the node, created by `tensor(position, shape, numbers)`.
    pub(crate) fn weights<T: Op>(
        &self,
        mut test: OpTest<T>,
        tensor: &impl Fn(usize, &[i32], &[f32]) -> Tensor,
    ) -> OpTest<T> {
        for (i, part) in self.parts.iter().enumerate() {
            test = match part {
                Some((shape, numbers)) => test.constant(tensor(i + 1, shape, numbers)),
                None => test.absent(),
            };
        }
        test
    }

    /// Adds inputs 20 to 23 of the node.
    pub(crate) fn norms<T: Op>(
        &self,
        mut test: OpTest<T>,
        tensor: &impl Fn(usize, &[i32], &[f32]) -> Tensor,
    ) -> OpTest<T> {
        for (i, part) in self.norms.iter().enumerate() {
            test = match part {
                Some((shape, numbers)) => test.constant(tensor(i + 20, shape, numbers)),
                None => test.absent(),
            };
        }
        test
    }

    /// A node on f32 without its output; the weights have 8 bits if `ty` has.
    pub(crate) fn float_node<T: Op>(&self, x: Tensor, batches: usize, ty: ElementType) -> OpTest<T> {
        let state = |n: usize| Tensor::f32(&[batches as i32, n as i32], &vec![0.0; batches * n]);
        let tensor = |i: usize, shape: &[i32], numbers: &[f32]| match i {
            // Matrices and peepholes, but not biases, norms and diagonals.
            1..=11 | 16 if ty != F32 && !(self.variant.diagonal && (5..=8).contains(&i)) => {
                let bytes: Vec<u8> = numbers.iter().map(|x| (x * 127.0).round() as i8 as u8).collect();
                Tensor::raw(ty, shape, &bytes).quantized(1.0 / 127.0, 0)
            }
            _ => Tensor::f32(shape, numbers),
        };
        let test = self.weights(OpTest::new().input(x), &tensor);
        let test = test.variable(state(self.outputs)).variable(state(self.cells));
        self.norms(test, &tensor)
    }

    /// A node on i8 with five intermediates, without its output.
    pub(crate) fn integer_node<T: Op>(&self, x: Tensor, batches: usize) -> OpTest<T> {
        let state = |n: usize| [batches as i32, n as i32, (batches * n) as i32];
        let [b, h, count] = state(self.outputs);
        let output = Tensor::i8(&[b, h], &vec![OUTPUT.1 as i8; count as usize]).quantized(OUTPUT.0, OUTPUT.1);
        let [b, c, count] = state(self.cells);
        let cell = Tensor::i16(&[b, c], &vec![0; count as usize]).quantized(CELL, 0);
        let test =
            self.weights(OpTest::new().input(x), &|i, shape, numbers| self.integer_tensor(i, shape, numbers));
        let test = self.norms(test.variable(output).variable(cell), &|i, shape, numbers| {
            self.integer_tensor(i, shape, numbers)
        });
        // Without a projection, the hidden values are the outputs.
        let hidden = if self.variant.projection { HIDDEN } else { OUTPUT };
        (0..4).fold(test, |test, _| test.intermediate(spec(SUM, 0))).intermediate(spec(hidden.0, hidden.1))
    }

    fn integer_tensor(&self, i: usize, shape: &[i32], numbers: &[f32]) -> Tensor {
        let whole = |scale: f32| numbers.iter().map(move |x| (x / scale).round());
        let i32s = |scale: f32| {
            Tensor::i32(shape, &whole(scale).map(|x| x as i32).collect::<Vec<_>>()).quantized(scale, 0)
        };
        match i {
            1..=8 | 16 => Tensor::i8(shape, &whole(1.0 / 127.0).map(|x| x as i8).collect::<Vec<_>>())
                .quantized(1.0 / 127.0, 0),
            9..=11 | 20..=23 => {
                Tensor::i16(shape, &whole(1.0 / 32767.0).map(|x| x as i16).collect::<Vec<_>>())
                    .quantized(1.0 / 32767.0, 0)
            }
            12..=15 if self.variant.norm => i32s(1.0 / 32767.0 / 1024.0),
            12..=15 => i32s(INPUT.0 / 127.0),
            _ => i32s(HIDDEN.0 / 127.0),
        }
    }
}

/// The scales and zero points of nodes on i8.
pub(crate) const INPUT: (f32, i64) = (1.0 / 100.0, 7);
pub(crate) const OUTPUT: (f32, i64) = (1.0 / 60.0, -3);
const HIDDEN: (f32, i64) = (1.0 / 120.0, 5);
const CELL: f32 = 1.0 / 2048.0;
const SUM: f32 = 1.0 / 4096.0;

fn spec(scale: f32, zero_point: i64) -> arenite_abi::testing::Spec {
    arenite_abi::testing::Spec::i16(scale, zero_point)
}

/// Fails unless all numbers are within `tolerance` of the expected ones.
pub(crate) fn assert_near(got: impl IntoIterator<Item = f64>, want: &[f64], tolerance: f64, what: &str) {
    let got: Vec<f64> = got.into_iter().collect();
    let near = got.len() == want.len() && got.iter().zip(want).all(|(a, b)| (a - b).abs() <= tolerance);
    assert!(near, "{what}: {got:?}, not {want:?}");
}
