//! Attention as one layer.

use arenite::model_file::tensor_type::BOOL;
use arenite::model_file::writer::{Operator, Tensor};
use arenite::{Interpreter, Model};
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
    form: Form,
}

/// How the mask hides scores.
#[derive(Clone, Copy, PartialEq)]
enum Form {
    /// It is added.
    Added,
    /// It is a condition that chooses scores where it is true.
    Shown,
    /// It is a condition that chooses scores where it is false.
    Hidden,
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
        let scores = net.reshape(&scores, &[1, heads, rows, positions]);
        let masked = self.masked(&mut net, &scores);
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

    fn masked(self, net: &mut Net, scores: &Value) -> Value {
        if self.form == Form::Added {
            let mask = self.mask(net);
            return net.of_two("ADD", scores, &mask);
        }
        let shows = self.form == Form::Shown;
        let bytes: Vec<u8> = self.sees().map(|sees| (sees == shows).into()).collect();
        let buffer = net.model.buffer(bytes);
        let tensor = Tensor::new("", BOOL, &[1, 1, self.rows, self.positions]).buffer(buffer);
        let condition = Value { index: net.graph.tensor(tensor), kind: REAL };
        let fill = net.real(&[], &[self.hidden]);
        let [a, b] = if shows { [scores, &fill] } else { [&fill, scores] };
        net.node("SELECT_V2", &[&condition, a, b], REAL, None)
    }

    /// By row and position: whether the row sees the position.
    fn sees(self) -> impl Iterator<Item = bool> {
        let [first, last] = self.seen;
        let row =
            move |row| (0..self.positions).map(move |position| (first..=last + row).contains(&position));
        (0..self.rows).flat_map(row)
    }

    fn mask(self, net: &mut Net) -> Value {
        let mask: Vec<f32> = self.sees().map(|sees| if sees { 0.0 } else { self.hidden }).collect();
        net.real(&[1, 1, self.rows, self.positions], &mask)
    }
}

const ONE: Attention = Attention {
    rows: 1,
    heads: 6,
    groups: 2,
    positions: 150,
    depth: 24,
    by_channel: false,
    seen: [0, 40],
    hidden: f32::NEG_INFINITY,
    form: Form::Added,
};

#[test]
fn attention_reads_keys_and_values_in_place() {
    let one = ONE;
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

#[test]
fn conditions_that_choose_scores_are_masks() {
    let one = Attention { seen: [17, 40], form: Form::Shown, ..ONE };
    let many = Attention { rows: 37, heads: 4, groups: 4, ..one };
    for form in [
        one,
        many,
        Attention { form: Form::Hidden, hidden: f32::MIN, ..one },
        Attention { form: Form::Hidden, by_channel: true, hidden: -1e9, ..many },
        // No position is skipped: the hidden scores are small but count.
        Attention { hidden: -3.0, ..many },
        // The first rows see nothing: softmax weighs all positions then.
        Attention { seen: [5, 2], hidden: -1e9, ..many },
    ] {
        assert_eq!(steps(&form.model()), ["attention"]);
    }
}

/// A NaN at positions that no row sees has no effect.
#[test]
fn positions_that_a_condition_hides_are_skipped() {
    for form in [Form::Added, Form::Shown, Form::Hidden] {
        let attention = Attention {
            rows: 5,
            heads: 2,
            groups: 1,
            positions: 40,
            depth: 8,
            by_channel: false,
            seen: [3, 10],
            hidden: f32::NEG_INFINITY,
            form,
        };
        let model = attention.model();
        let mut interpreter = Interpreter::builder(&model).threads(1).build().unwrap();
        interpreter.allocate().unwrap();
        let answer = |interpreter: &mut Interpreter, beyond: f32| {
            for input in 0..3 {
                let len = interpreter.input(input).unwrap().bytes().unwrap().len() / 4;
                let is_seen = |i: usize| input == 0 || (3..15).contains(&(i / 8));
                let value = |i: usize| if is_seen(i) { (i as f32 * 0.7).sin() } else { beyond };
                let values: Vec<f32> = (0..len).map(value).collect();
                interpreter.input_mut(input).unwrap().copy_from_slice(&values).unwrap();
            }
            interpreter.invoke().unwrap();
            interpreter.output(0).unwrap().as_slice::<f32>().unwrap().to_vec()
        };
        let want = answer(&mut interpreter, 0.0);
        assert!(want.iter().all(|x| x.is_finite()) && want.iter().any(|x| *x != 0.0));
        assert_eq!(answer(&mut interpreter, f32::NAN), want);
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
