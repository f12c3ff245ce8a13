//! Subgraphs, tensors, operators and signatures that are missing, or connected wrongly.

use arenite::Quota;
use arenite_model::writer::{Operator, bytes_of};
use arenite_tests::op_models::{self, Sound, f32};

use crate::{Cases, run, run_with, sound};

#[test]
fn d01_subgraphs_absent() {
    let mut cases = Cases::default();
    cases.spoilt(sound("ADD", 0), |m| m.subgraphs.clear(), "subgraphs: absent or empty");
}

#[test]
fn d04_input_absent() {
    let mut cases = Cases::default();
    cases.spoilt(
        sound("ADD", 0),
        |m| m.subgraphs[0].operators[0].inputs = vec![0, -1],
        "ADD (node 0, output 'output'): input 1 is absent, this op needs it",
    );
}

/// Every op, with every input absent, missing, or duplicated, and every output absent or missing.
#[test]
fn d04_any_input_or_output_absent() {
    let mut refused = 0;
    for Sound { op, model, .. } in op_models::all() {
        let node = &model.subgraphs[0].operators[0];
        let mut spoilt: Vec<Operator> = Vec::new();
        for i in 0..node.inputs.len() {
            let mut absent = node.clone();
            absent.inputs[i] = -1;
            let mut missing = node.clone();
            missing.inputs.remove(i);
            let mut doubled = node.clone();
            doubled.inputs.push(node.inputs[i]);
            spoilt.extend([absent, missing, doubled]);
        }
        spoilt.push(Operator { inputs: vec![], ..node.clone() });
        spoilt.push(Operator { outputs: vec![], ..node.clone() });
        for o in 0..node.outputs.len() {
            let mut absent = node.clone();
            absent.outputs[o] = -1;
            spoilt.push(absent);
        }
        for spoilt in spoilt {
            let mut model = model.clone();
            let gone = |t: &i32| node.outputs.contains(t) && !spoilt.outputs.contains(t);
            model.subgraphs[0].outputs.retain(|t| !gone(t));
            model.subgraphs[0].operators[0] = spoilt;
            if let Err(error) = run(model.finish()) {
                assert!(error.starts_with(&format!("{op} (node 0")), "{op}: {error}");
                refused += 1;
            }
        }
    }
    assert!(refused > 150, "only {refused} models were refused");
}

/// Control flow runs without some of its outputs. TensorFlow Lite runs IF so.
#[test]
fn a_node_without_some_outputs_runs() {
    let mut model = op_models::control::counting_loop(1);
    let [n, y] = model.subgraphs[0].operators[0].outputs[..] else { panic!("it has two outputs") };
    let x = bytes_of(&[1.0f32, -0.5]);
    for (outputs, value) in [([-1, y], bytes_of(&[8.0f32, -4.0])), ([n, -1], bytes_of(&[3]))] {
        model.subgraphs[0].operators[0].outputs = outputs.to_vec();
        model.subgraphs[0].outputs = outputs.into_iter().filter(|&t| t >= 0).collect();
        assert_eq!(run_with(model.finish(), Quota::default(), &[(1, &x)]), Ok(vec![value]));
    }
    model.subgraphs[0].operators[0].outputs = vec![-1, -1];
    model.subgraphs[0].outputs = vec![];
    assert_eq!(run_with(model.finish(), Quota::default(), &[(1, &x)]), Ok(vec![]));
}

#[test]
fn d04_output_absent() {
    let mut cases = Cases::default();
    cases.spoilt(
        sound("SPLIT", 0),
        |m| {
            let absent = std::mem::replace(&mut m.subgraphs[0].operators[0].outputs[1], -1);
            m.subgraphs[0].outputs.retain(|&t| t != absent);
        },
        "): output 1 is absent, this op needs it",
    );
}

#[test]
fn d05_subgraph_output_absent() {
    let mut cases = Cases::default();
    cases.spoilt(
        sound("ADD", 0),
        |m| m.subgraphs[0].outputs = vec![-1],
        "subgraphs[0].outputs[0]: tensor index -1, subgraph has 3 tensors",
    );
}

#[test]
fn d06_output_is_a_constant() {
    let mut cases = Cases::default();
    cases.spoilt(
        sound("CONV_2D", 0),
        |m| m.subgraphs[0].operators[0].outputs = vec![1],
        "subgraphs[0].operators[0].outputs[0]: tensor 1 is a constant",
    );
}

#[test]
fn d07_read_before_written() {
    let mut cases = Cases::default();
    cases.spoilt(
        sound("ADD", 0),
        |m| {
            let later = m.subgraphs[0].tensor(f32("later", &[2, 3]));
            m.subgraphs[0].operators[0].inputs[0] = later;
            let relu = m.builtin("RELU", 1);
            m.subgraphs[0].operator(Operator::new(relu, &[1], &[later]));
        },
        "subgraphs[0].operators[0].inputs[0]: tensor 3 is read before operators[1] writes it",
    );
}

#[test]
fn d15_read_before_assigned() {
    let error = run(op_models::control::variable(false).finish()).expect_err("the variable is not assigned");
    assert_eq!(
        error,
        "delegate cpu (node 1, output 'y'): READ_VARIABLE: the variable is read before it was assigned \
         (ASSIGN_VARIABLE), into 'y'"
    );
    assert_eq!(run(op_models::control::variable(true).finish()), Ok(vec![bytes_of(&[1.0f32, -3.0])]));
}

#[test]
fn d14_signature_of_no_subgraph() {
    let mut cases = Cases::default();
    cases.spoilt(
        sound("ADD", 0),
        |m| m.signature("serving_default", 99, &[("a", 0)], &[("y", 2)]),
        "signature_defs[0].subgraph_index: subgraph index 99, model has 1 subgraphs",
    );
}

#[test]
fn d24_two_producers() {
    let mut cases = Cases::default();
    cases.spoilt(
        sound("ADD", 0),
        |m| m.subgraphs[0].operators.extend_from_within(..),
        "subgraphs[0].operators[1].outputs[0]: tensor 2 is already written by operators[0]",
    );
    cases.spoilt(
        sound("ADD", 0),
        |m| m.subgraphs[0].operators[0].outputs = vec![0],
        "subgraphs[0].operators[0].outputs[0]: tensor 0 is an input of the subgraph",
    );
}

#[test]
fn metadata_of_no_buffer() {
    let mut cases = Cases::default();
    cases.spoilt(
        sound("ADD", 0),
        |m| m.metadata.push(("m".into(), 9999)),
        "metadata[0].buffer: buffer index 9999, model has 1 buffers",
    );
}

#[test]
fn operator_code_out_of_range() {
    let mut cases = Cases::default();
    cases.spoilt(
        sound("ADD", 0),
        |m| m.subgraphs[0].operators[0].opcode_index = 1 << 31,
        "subgraphs[0].operators[0].opcode_index: operator code index 2147483648, model has 1 operator codes",
    );
}
