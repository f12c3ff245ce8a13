//! A graph under construction: a pool of tensors for which nodes are drawn.

use std::collections::BTreeMap;

use arenite::ElementType::{self, Bool, F16, F32, I8, I16, I32, I64, U8};
use arenite_model::writer::{ModelBuilder, Operator, SubGraph, Tensor, bytes_of};

use super::graph::{Feed, Graph, Kind, Quant, Rule};
use super::random::Random;
use crate::options::{Attributes, WithOptions};

/// A tensor that a node may read.
#[derive(Clone, Debug)]
pub struct Value {
    /// Its index.
    pub index: i32,
    /// Its elements.
    pub ty: ElementType,
    /// Its dimensions.
    pub shape: Vec<i32>,
    /// The quantization of 8-bit elements.
    pub quant: Option<Quant>,
}

impl Value {
    /// Its type, shape and quantization.
    pub fn len(&self) -> i32 {
        self.shape.iter().product()
    }

    /// The specification of the tensor, for a result like it.
    pub fn like(&self, shape: Vec<i32>) -> Spec {
        (self.ty, shape, self.quant)
    }
}

/// The type, shape and quantization of a tensor.
pub(super) type Spec = (ElementType, Vec<i32>, Option<Quant>);

/// The shapes that are drawn.
#[derive(Clone, Copy, Debug)]
pub struct Sizes {
    /// The largest number of elements of an input.
    elements: i32,
    /// The sizes of dimensions.
    sizes: &'static [i32],
    /// The largest number of multiplications of a node, and of convolutions that are large enough for Winograd.
    pub work: [i64; 2],
}

impl Sizes {
    /// Small shapes, for results.
    pub const SMALL: Sizes = Sizes {
        elements: 700,
        sizes: &[1, 1, 2, 2, 3, 3, 4, 5, 6, 7, 8, 9, 13, 16, 17, 24, 33, 65],
        work: [20_000, 100_000],
    };
    /// Shapes of real layers, for times: narrow ones too, and channels that no vector divides.
    pub const REAL: Sizes = Sizes {
        elements: 1 << 15,
        sizes: &[1, 1, 1, 2, 3, 4, 7, 8, 10, 16, 23, 30, 40, 49, 64, 96, 128, 257],
        work: [1 << 22, 1 << 22],
    };
}

/// A graph under construction.
pub struct Net {
    /// The source of random numbers.
    pub random: Random,
    /// Whether floats are multiples of small powers of two.
    pub grid: bool,
    /// The shapes of inputs.
    pub sizes: Sizes,
    graph: Graph,
    pool: Vec<Value>,
    read: Vec<i32>,
    next: Option<Value>,
}

impl Net {
    /// A graph without nodes.
    pub fn new(seed: u64, mut random: Random, sizes: Sizes) -> Net {
        let mut model = ModelBuilder::new();
        model.subgraph(SubGraph::new("main"));
        let graph = Graph {
            seed,
            model,
            notes: Vec::new(),
            feeds: BTreeMap::new(),
            resizes: BTreeMap::new(),
            spoilt: None,
            retyped: false,
            states: Vec::new(),
        };
        let grid = random.chance(50);
        Net { random, grid, sizes, graph, pool: Vec::new(), read: Vec::new(), next: None }
    }

    fn main(&mut self) -> &mut SubGraph {
        &mut self.graph.model.subgraphs[0]
    }

    /// The model, for adding constants and subgraphs.
    pub fn model(&mut self) -> &mut ModelBuilder {
        &mut self.graph.model
    }

    /// The number of nodes so far.
    pub fn len(&self) -> usize {
        self.graph.notes.len()
    }

    /// The finished graph. Its outputs are the unread results, and occasionally another tensor.
    pub fn finish(mut self) -> Graph {
        let results: Vec<i32> =
            self.main().operators.iter().flat_map(|node| &node.outputs).copied().collect();
        for result in results {
            if !self.read.contains(&result) || self.random.chance(10) {
                self.main().outputs.push(result);
            }
        }
        self.graph
    }

    /// A size for a dimension.
    pub fn size(&mut self) -> i32 {
        self.random.pick(self.sizes.sizes)
    }

    /// A shape of this rank with a few elements, occasionally without any.
    pub fn shape(&mut self, rank: usize) -> Vec<i32> {
        let mut shape: Vec<i32> = (0..rank).map(|_| self.size()).collect();
        while shape.iter().product::<i32>() > self.sizes.elements {
            let at = self.random.below(rank);
            shape[at] = (shape[at] / 2).max(1);
        }
        if rank > 0 && self.random.chance(2) {
            let at = self.random.below(rank);
            shape[at] = 0;
        }
        shape
    }

    /// Scale and zero point for quantized types; `None` for other types.
    pub fn quant(&mut self, ty: ElementType) -> Option<Quant> {
        let lowest = match ty {
            I8 => -128,
            U8 => 0,
            _ => return None,
        };
        let any = lowest + self.random.below(256) as i64;
        let zero_point = self.random.pick(&[lowest, lowest + 128, any, any]);
        let scale = match self.random.chance(30) {
            true => 0.5f32.powi(self.random.between(2, 8)),
            false => 0.02 + 0.019 * self.random.real(),
        };
        Some(Quant { scale, zero_point })
    }

    fn tensor((ty, shape, quant): &Spec) -> Tensor {
        let tensor = Tensor::new("", *ty as i32, shape);
        match quant {
            Some(q) => tensor.quantized(q.scale, q.zero_point),
            None => tensor,
        }
    }

    fn add(&mut self, spec: Spec) -> Value {
        let index = self.main().tensor(Self::tensor(&spec));
        let (ty, shape, quant) = spec;
        Value { index, ty, shape, quant }
    }

    /// A new input.
    pub fn fed(&mut self, ty: ElementType, shape: &[i32], feed: Feed) -> Value {
        let quant = if self.random.chance(98) { self.quant(ty) } else { None };
        let value = self.add((ty, shape.to_vec(), quant));
        self.main().inputs.push(value.index);
        self.graph.feeds.insert(value.index, feed);
        self.pool.push(value.clone());
        value
    }

    /// An input of rows whose length is a multiple of 16, as kernels for weights of few bits require.
    pub fn rows_of_sixteens(&mut self) -> Value {
        let shape = vec![self.random.between(1, 20), 16 * self.random.between(1, 6)];
        self.given((F32, shape, None))
    }

    /// A new input with arbitrary numbers and this quantization.
    pub fn given(&mut self, spec: Spec) -> Value {
        let value = self.add(spec);
        self.main().inputs.push(value.index);
        self.graph.feeds.insert(value.index, Feed::Real(1.0));
        self.pool.push(value.clone());
        value
    }

    /// A new input with arbitrary numbers.
    pub fn fresh(&mut self, ty: ElementType, shape: &[i32]) -> Value {
        let plain = if self.grid { Feed::Grid } else { Feed::Real(self.random.pick(&[0.3, 1.0, 1.0, 8.0])) };
        let feed = match self.random.below(100) {
            0..4 if ty == F32 => Feed::Special,
            4..7 if ty == F32 => Feed::Extreme,
            _ => plain,
        };
        self.fed(ty, shape, feed)
    }

    /// A tensor of this type with a suitable shape: from the pool if there is one, or else a new input with the shape
    /// that `make` returns.
    pub fn fitting(
        &mut self,
        ty: ElementType,
        fits: impl Fn(&[i32]) -> bool,
        make: impl FnOnce(&mut Net) -> Vec<i32>,
    ) -> Value {
        if let Some(value) = self.next.take().filter(|value| value.ty == ty && fits(&value.shape)) {
            return value;
        }
        let fitting = |value: &&Value| value.ty == ty && fits(&value.shape);
        let found: Vec<&Value> = self.pool.iter().filter(fitting).collect();
        if !found.is_empty() && self.random.chance(85) {
            // Recent results are chosen more often, so that nodes form chains.
            let at = found.len() - 1 - self.random.below(found.len()).min(self.random.below(found.len()));
            return found[at].clone();
        }
        let shape = make(self);
        self.fresh(ty, &shape)
    }

    /// Makes a result an output, even if a node reads it.
    pub fn keep(&mut self, value: &Value) {
        self.read.retain(|&read| read != value.index);
    }

    /// Makes this tensor the next choice, if it is suitable.
    pub fn next(&mut self, value: Value) {
        self.next = Some(value);
    }

    /// Makes the last result the next choice, if it is suitable.
    pub fn repeat(&mut self) {
        self.next = self.pool.last().cloned();
    }

    /// Any tensor of this type.
    pub fn any(&mut self, ty: ElementType) -> Value {
        self.fitting(
            ty,
            |_| true,
            |net| {
                let rank = net.random.pick(&[0, 1, 2, 2, 3, 3, 4, 4, 4, 5]);
                net.shape(rank)
            },
        )
    }

    /// A tensor of at least this rank.
    pub fn of_rank(&mut self, ty: ElementType, least: usize) -> Value {
        self.fitting(
            ty,
            |shape| shape.len() >= least,
            |net| {
                let rank = least + net.random.below(5usize.saturating_sub(least).max(1));
                net.shape(rank)
            },
        )
    }

    /// A tensor of images.
    pub fn images(&mut self, ty: ElementType) -> Value {
        self.fitting(ty, |shape| shape.len() == 4, |net| net.shape(4))
    }

    /// A constant.
    pub fn constant(&mut self, spec: Spec, data: Vec<u8>) -> Value {
        let buffer = self.graph.model.buffer(data);
        let value = self.add(spec);
        self.main().tensors[value.index as usize].buffer = buffer;
        value
    }

    /// A list that an op reads: usually constant, occasionally an input.
    pub fn list(&mut self, shape: &[i32], numbers: &[i32]) -> Value {
        if self.random.chance(3) {
            let numbers = numbers.iter().map(|&n| n.into()).collect();
            return self.fed(I32, shape, Feed::Numbers(numbers));
        }
        self.constant((I32, shape.to_vec(), None), bytes_of(numbers))
    }

    /// A list of one dimension.
    pub fn row(&mut self, numbers: &[i32]) -> Value {
        self.list(&[numbers.len() as i32], numbers)
    }

    /// Constant elements of a type, a few of each magnitude.
    pub fn filled(&mut self, ty: ElementType, shape: &[i32]) -> Value {
        let count = shape.iter().product::<i32>() as usize;
        let data = self.elements(ty, count);
        let quant = self.quant(ty);
        self.constant((ty, shape.to_vec(), quant), data)
    }

    /// `count` elements between -1 and 1, or integers.
    pub fn elements(&mut self, ty: ElementType, count: usize) -> Vec<u8> {
        let grid = self.grid;
        let mut own = self.random.fork();
        let random = own.as_mut().unwrap_or(&mut self.random);
        let mut real = || if grid { random.between(-8, 8) as f32 / 8.0 } else { random.real() };
        match ty {
            F32 => bytes_of(&(0..count).map(|_| real()).collect::<Vec<_>>()),
            F16 => {
                let halves = (0..count).map(|_| half::f16::from_f32(real()).to_bits());
                bytes_of(&halves.collect::<Vec<u16>>())
            }
            I16 => bytes_of(&(0..count).map(|_| random.between(-300, 300) as i16).collect::<Vec<_>>()),
            I32 => bytes_of(&(0..count).map(|_| random.between(-300, 300)).collect::<Vec<_>>()),
            I64 => {
                let wide =
                    (0..count).map(|_| i64::from(random.between(-300, 300)) << random.pick(&[0, 0, 33]));
                bytes_of(&wide.collect::<Vec<i64>>())
            }
            Bool => (0..count).map(|_| random.below(2) as u8).collect(),
            _ => (0..(count * ty.bits() as usize).div_ceil(8)).map(|_| random.bits() as u8).collect(),
        }
    }

    /// Adds a node with these results.
    pub fn node(
        &mut self,
        kind: Kind,
        inputs: &[i32],
        results: Vec<Spec>,
        options: Option<Attributes>,
        rule: Rule,
    ) -> Vec<Value> {
        // The first version of the op.
        let version = if kind.op == "BROADCAST_TO" { 2 } else { 1 };
        let code = self.graph.model.builtin(kind.op, version);
        let options = options.or_else(|| Attributes::defaults(kind.op));
        self.push(kind, inputs, results, rule, |outputs| {
            let node = Operator::new(code, inputs, outputs);
            if let Some(options) = options { node.with(options) } else { node }
        })
    }

    /// Adds a node of a custom op with these results; `options` are its bytes.
    pub fn custom(
        &mut self,
        kind: Kind,
        inputs: &[i32],
        results: Vec<Spec>,
        options: &[u8],
        rule: Rule,
    ) -> Vec<Value> {
        let code = self.graph.model.custom(kind.op, 1);
        self.push(kind, inputs, results, rule, |outputs| {
            Operator::new(code, inputs, outputs).custom_options(options)
        })
    }

    fn push(
        &mut self,
        kind: Kind,
        inputs: &[i32],
        results: Vec<Spec>,
        rule: Rule,
        operator: impl FnOnce(&[i32]) -> Operator,
    ) -> Vec<Value> {
        let results: Vec<Value> = results.into_iter().map(|spec| self.add(spec)).collect();
        let outputs: Vec<i32> = results.iter().map(|value| value.index).collect();
        self.main().operator(operator(&outputs));
        self.graph.notes.push((kind, rule));
        self.read.extend(inputs);
        self.pool.extend(results.iter().cloned());
        results
    }

    /// The quantized dimension and the scales of a constant.
    pub fn set_scales(&mut self, value: &Value, scales: &[f32], zero_point: i64, axis: i32) {
        let tensor = &mut self.main().tensors[value.index as usize];
        *tensor = tensor.clone().per_channel(scales, &vec![zero_point; scales.len()], axis);
    }
}
