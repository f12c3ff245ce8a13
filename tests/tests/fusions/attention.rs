//! Attention as one layer.

use arenite::Model;
use arenite::model_file::writer::Operator;
use arenite_abi::schema::SoftmaxOptions;
use arenite_tests::options::Attributes;

use super::{Net, REAL, Value, steps};

/// Attention with a mask, as converters of language models write it.
#[derive(Clone, Copy)]
struct Attention {
    rows: i32,
    heads: i32,
    /// Heads of keys and values, each of which several heads of queries read.
    groups: i32,
    positions: i32,
    depth: i32,
    /// Keys and values are `[groups, depth, positions]` instead of `[positions, groups, depth]`.
    by_channel: bool,
    /// Row `r` sees positions `first..=last + r`.
    seen: [i32; 2],
    hidden: f32,
}

impl Attention {
    fn model(self) -> Model {
        let Attention { rows, heads, groups, positions, depth, by_channel, .. } = self;
        let mut net = Net::new();
        let q = net.input(REAL, &[1, rows, heads, depth]);
        let cache = if by_channel { [1, groups, depth, positions] } else { [1, positions, groups, depth] };
        let [k, v] = [0; 2].map(|_| net.input(REAL, &cache));
        let half = net.real(&[], &[0.25]);
        let q = net.of_two("MUL", &q, &half);
        let q = net.transpose(&q, &[0, 2, 1, 3]);
        let q = net.reshape(&q, &[heads, rows, depth]);
        let k = self.spread(&mut net, &k);
        let k = net.of_two("MUL", &k, &half);
        let k = if by_channel { k } else { net.transpose(&k, &[0, 2, 1]) };
        let v = self.spread(&mut net, &v);
        let v = if by_channel { net.transpose(&v, &[0, 2, 1]) } else { v };
        let scores = net.node("BATCH_MATMUL", &[&q, &k], REAL, None);
        let mask = self.mask(&mut net);
        let scores = net.reshape(&scores, &[1, heads, rows, positions]);
        let masked = net.of_two("ADD", &scores, &mask);
        let softmax = Attributes::of(|o| o.set(SoftmaxOptions::BETA, 1.0));
        let weights = net.node("SOFTMAX", &[&masked], REAL, Some(softmax));
        let weights = net.reshape(&weights, &[heads, rows, positions]);
        let mixed = net.node("BATCH_MATMUL", &[&weights, &v], REAL, None);
        net.finish(&mixed)
    }

    /// Keys or values of all heads, one matrix per head.
    fn spread(self, net: &mut Net, cache: &Value) -> Value {
        let Attention { heads, groups, positions, depth, by_channel, .. } = self;
        let matrix = if by_channel { [depth, positions] } else { [positions, depth] };
        let cache = if by_channel { cache.clone() } else { net.transpose(cache, &[0, 2, 1, 3]) };
        let one = net.reshape(&cache, &[1, groups, 1, matrix[0], matrix[1]]);
        let all = if by_channel {
            let times = net.integers(&[1, 1, heads / groups, 1, 1]);
            net.node("TILE", &[&one, &times], REAL, None)
        } else {
            let shape = net.integers(&[1, groups, heads / groups, matrix[0], matrix[1]]);
            let output = net.graph.tensor(Net::tensor(REAL, &[]));
            let node =
                Operator::new(net.model.builtin("BROADCAST_TO", 2), &[one.index, shape.index], &[output]);
            net.graph.operator(node);
            Value { index: output, kind: REAL }
        };
        net.reshape(&all, &[heads, matrix[0], matrix[1]])
    }

    fn mask(self, net: &mut Net) -> Value {
        let [first, last] = self.seen;
        let sees = |row: i32, position: i32| (first..=last + row).contains(&position);
        let places = (0..self.rows).flat_map(|row| (0..self.positions).map(move |position| (row, position)));
        let mask: Vec<f32> =
            places.map(|(row, position)| if sees(row, position) { 0.0 } else { self.hidden }).collect();
        net.real(&[1, 1, self.rows, self.positions], &mask)
    }
}

#[test]
fn attention_reads_keys_and_values_in_place() {
    let one = Attention {
        rows: 1,
        heads: 6,
        groups: 2,
        positions: 150,
        depth: 24,
        by_channel: false,
        seen: [0, 40],
        hidden: f32::NEG_INFINITY,
    };
    let many = Attention { rows: 37, heads: 4, groups: 4, ..one };
    for form in [
        one,
        Attention { seen: [17, 149], ..one },
        Attention { by_channel: true, hidden: f32::MIN, ..one },
        Attention { heads: 5, groups: 1, depth: 70, hidden: -1e9, ..one },
        Attention { positions: 3, seen: [0, 0], heads: 2, ..one },
        many,
        Attention { by_channel: true, seen: [90, 100], ..many },
        Attention { rows: 5, groups: 2, seen: [100, 101], ..many },
        Attention { rows: 70, groups: 1, depth: 9, seen: [0, 79], ..many },
        // The first rows see nothing: softmax weighs all positions then.
        Attention { seen: [5, 2], hidden: -1e9, ..many },
        Attention { seen: [5, 2], ..many },
    ] {
        assert_eq!(steps(&form.model()), ["attention"]);
    }
}

/// Scores that something else reads, and masks that are not added, leave the products alone.
#[test]
fn other_products_around_a_softmax_stay() {
    let mut net = Net::new();
    let [q, k, v] = [0; 3].map(|_| net.input(REAL, &[3, 4, 5]));
    let k = net.transpose(&k, &[0, 2, 1]);
    let scores = net.node("BATCH_MATMUL", &[&q, &k], REAL, None);
    let mask = net.weights(&[4, 4]);
    let masked = net.of_two("ADD", &scores, &mask);
    let softmax = Attributes::of(|o| o.set(SoftmaxOptions::BETA, 1.0));
    let weights = net.node("SOFTMAX", &[&masked], REAL, Some(softmax));
    net.graph.outputs.push(scores.index);
    let y = net.node("BATCH_MATMUL", &[&weights, &v], REAL, None);
    let steps = steps(&net.finish(&y));
    assert_eq!(steps.iter().filter(|step| *step == "BATCH_MATMUL").count(), 2, "{steps:?}");
}
