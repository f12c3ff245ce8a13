//! Subgraphs that call one another endlessly or too deeply.

use std::time::Duration;

use arenite::Quota;
use arenite_model::tensor_type::BOOL;
use arenite_model::writer::{ModelBuilder, Tensor, Value, bytes_of};
use arenite_tests::op_models;

use crate::{Cases, option, run_with, sound};

#[test]
fn d11_a_subgraph_calls_itself() {
    let mut cases = Cases::default();
    let text = "calls itself, directly or through another subgraph; recursion is not supported";
    for (slot, target) in [(0, 0), (1, 0)] {
        cases.spoilt(
            sound("WHILE", 0),
            |m| option(m, slot, Value::I32(target)),
            format!("subgraph 0 {text}"),
        );
        cases.spoilt(sound("IF", 0), |m| option(m, slot, Value::I32(target)), format!("subgraph 0 {text}"));
    }
    cases.spoilt(sound("CALL_ONCE", 0), |m| option(m, 0, Value::I32(0)), "subgraph 0");
    // The branch of an IF calls itself.
    cases.spoilt(
        sound("IF", 0),
        |m| {
            let mut nested = m.subgraphs[0].clone();
            nested.inputs = vec![1];
            nested.operators[0].inputs = vec![2, 1];
            nested.tensors.insert(2, Tensor::new("yes", BOOL, &[]));
            nested.tensors[2].buffer = m.buffer(vec![1]);
            nested.operators[0].outputs = vec![3];
            nested.outputs = vec![3];
            m.subgraphs[1] = nested;
        },
        format!("subgraph 1 {text}"),
    );
}

#[test]
fn d12_a_composite_is_its_own_decomposition() {
    let mut cases = Cases::default();
    let spoil = |m: &mut ModelBuilder| {
        let options = m.subgraphs[0].operators[0].options_2.as_mut().expect("it has options");
        options.1.slots.retain(|(slot, _)| *slot != 1);
        options.1.slots.push((1, Value::I32(0)));
    };
    cases.spoilt(sound("STABLEHLO_COMPOSITE", 0), spoil, "subgraph 0 calls itself");
}

#[test]
fn d13_a_loop_without_end() {
    let endless = op_models::control::counting_loop(0).finish();
    let quota = Quota { calls: 1000, ..Quota::default() };
    let error = run_with(endless.clone(), quota, &[]).expect_err("it does not end");
    assert!(
        error.starts_with("WHILE (node 0, output 'n'): running subgraph ")
            && error
                .contains("in a loop that may not end, needs 1001 calls, the quota is 1000; raise `calls`"),
        "{error}"
    );
    let quota = Quota { time: Some(Duration::from_millis(50)), ..Quota::default() };
    let error = run_with(endless, quota, &[]).expect_err("it does not end");
    assert!(error.contains("time"), "{error}");
}

/// Subgraphs that call one another, more deeply than the quota permits.
#[test]
fn d13_deep_nesting() {
    let nested = |levels: usize| {
        let mut model = op_models::control::composite();
        let node = model.subgraphs[0].clone();
        model.subgraphs.truncate(1);
        for level in 1..levels {
            model.subgraph(node.clone());
            let options = model.subgraphs[level - 1].operators[0].options_2.as_mut().expect("it has options");
            options.1.slots.push((1, Value::I32(level as i32)));
            options.1.slots.remove(1);
        }
        let leaf = op_models::control::composite().subgraphs.remove(1);
        let options = model.subgraphs[levels - 1].operators[0].options_2.as_mut().expect("it has options");
        options.1.slots.push((1, Value::I32(levels as i32)));
        options.1.slots.remove(1);
        model.subgraph(leaf);
        model.finish()
    };
    let input = bytes_of(&[1.0f32, -3.0]);
    let run =
        |levels, depth| run_with(nested(levels), Quota { depth, ..Quota::default() }, &[(0, &input[..])]);
    let right = Ok(vec![bytes_of(&[2.0f32, -6.0])]);
    assert_eq!(run(16, Quota::default().depth), right);
    assert_eq!(run(200, 256), right);
    let error = run(17, Quota::default().depth).expect_err("deeper than the quota");
    assert!(error.contains("needs 17 levels, the quota is 16; raise `depth` in [quota]"), "{error}");
    let error = run(300, 1_000_000).expect_err("deeper than any quota");
    assert!(error.contains("needs 257 levels, the quota is 256"), "{error}");
}
