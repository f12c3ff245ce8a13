//! Ops that set the element type of their outputs, whatever the file says: the same ones as in TensorFlow Lite.
//!
//! `output_types.txt` has LiteRT's answers for each op, see `tests/litert/output_types.py`. Where LiteRT keeps a type
//! that does not fit, its kernels write memory of another size; here that is an error.

use std::collections::BTreeMap;

use arenite::config::DelegateConfig;
use arenite::{ElementType, Interpreter, InterpreterBuilder, Model};
use arenite_abi::OutputType;
use arenite_micro::Planner;
use arenite_model::writer::ModelBuilder;
use arenite_tests::micro::{self, Aligned};
use arenite_tests::op_models::{self, Sound};
use arenite_tests::reference_ops;

const ANSWERS: &str = include_str!("output_types.txt");

/// Ops for which LiteRT's answer is `sets`, but another type in the file is an error here: their outputs differ in
/// type, or come from subgraphs.
const EXCEPTIONS: [&str; 3] = ["IF", "NON_MAX_SUPPRESSION_V5", "STABLEHLO_COMPOSITE"];

/// Where the types of each reference op's outputs come from.
fn registered() -> BTreeMap<String, OutputType> {
    let name = |op: &arenite_micro::OpRegistration| match op.builtin_code {
        32 => op.name().to_owned(),
        code => arenite_model::builtin_operator_name(code).expect("a builtin op").to_owned(),
    };
    micro::ops().iter().map(|op| (name(op), OutputType::from_flags(op.flags))).collect()
}

#[test]
fn the_same_ops_as_in_litert_set_their_types() {
    let registered = registered();
    let (mut sets, mut wrong) = (0, Vec::new());
    for line in ANSWERS.lines() {
        let (op, answer) = line.split_once(' ').expect("an op and its answers");
        let sets_it = answer == "sets" && !EXCEPTIONS.contains(&op);
        sets += usize::from(sets_it);
        if (registered.get(op) != Some(&OutputType::File)) != sets_it {
            wrong.push(format!("{op}: LiteRT {answer}, registered as {:?}", registered.get(op)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(sets > 50, "{sets}");
}

/// Types and bytes of the outputs.
type Outputs = Vec<(ElementType, Vec<u8>)>;

fn run(builder: InterpreterBuilder, inputs: &[(usize, Vec<u8>)]) -> arenite::Result<Outputs> {
    let mut interpreter: Interpreter = builder.build()?;
    interpreter.allocate()?;
    for (i, bytes) in inputs {
        interpreter.input_mut(*i)?.copy_from_bytes(bytes)?;
    }
    interpreter.invoke()?;
    let output = |i| interpreter.output(i).and_then(|y| Ok((y.ty, y.bytes()?.to_vec())));
    (0..interpreter.output_count()).map(output).collect()
}

/// The outputs of the reference ops, the CPU delegate and, if it supports the model, the micro interpreter.
fn outputs(model: &ModelBuilder, inputs: &[(usize, Vec<u8>)]) -> arenite::Result<Vec<Outputs>> {
    let bytes = model.finish();
    let model = Model::from_bytes(bytes.clone())?;
    let mut cpu = DelegateConfig::new("cpu");
    cpu.min_nodes = 1;
    let large = [reference_ops(&model), Interpreter::builder(&model).threads(1).delegate(cpu)];
    let mut answers =
        large.map(|builder| run(builder, inputs)).into_iter().collect::<arenite::Result<Vec<_>>>()?;
    answers.extend(run_micro(&bytes, inputs));
    Ok(answers)
}

fn run_micro(bytes: &[u8], inputs: &[(usize, Vec<u8>)]) -> Option<Outputs> {
    let (ops, model) = (micro::ops(), Aligned::of(bytes));
    let sizes = arenite_micro::required_arena(model.as_slice(), &ops, Planner::Greedy).ok()?;
    let mut arena = Aligned::new(0, sizes.arena);
    let mut interpreter =
        arenite_micro::Interpreter::new(model.as_slice(), &ops, arena.bytes_mut()).expect("it has enough");
    for i in 0..interpreter.input_count() {
        let input = interpreter.input(i).expect("an input");
        match inputs.iter().find(|(at, _)| *at == i) {
            Some((_, bytes)) => input.copy_from_slice(bytes),
            None => input.fill(0),
        }
    }
    interpreter.invoke().expect("the large runtime runs it");
    let output = |i| {
        let ty = interpreter.output_info(i).expect("an output").ty;
        (ty, interpreter.output(i).expect("an output").to_vec())
    };
    Some((0..interpreter.output_count()).map(output).collect())
}

/// Every op that sets its type gives the same values if the file calls its output F32, I32 or I8.
#[test]
fn the_type_in_the_file_does_not_matter() {
    let registered = registered();
    let mut changed = 0;
    for Sound { op, model, inputs } in op_models::all() {
        if matches!(registered.get(op), None | Some(OutputType::File)) {
            continue;
        }
        let expected = outputs(&model, &inputs).unwrap_or_else(|error| panic!("{op}: {error}"));
        for ty in [ElementType::F32, ElementType::I32, ElementType::I8] {
            let mut model = model.clone();
            let graph = &mut model.subgraphs[0];
            for &t in &graph.operators[0].outputs {
                graph.tensors[t as usize].element_type = ty as i32;
            }
            let found = outputs(&model, &inputs).unwrap_or_else(|error| panic!("{op} as {ty}: {error}"));
            assert!(found == expected, "{op} as {ty}: {found:?}, not {expected:?}");
            changed += 1;
        }
    }
    assert!(changed > 150, "{changed}");
}

/// The next node reads the type that the op set.
#[test]
fn the_next_node_sees_the_type() {
    let sounds = op_models::all();
    let add = sounds.iter().find(|sound| {
        sound.op == "ADD" && sound.model.subgraphs[0].tensors[0].element_type == ElementType::I8 as i32
    });
    let mut model = add.expect("ADD of I8").model.clone();
    let relu = model.builtin("RELU", 2);
    let graph = &mut model.subgraphs[0];
    let y = graph.outputs[0];
    let mut z = graph.tensors[y as usize].clone();
    z.name = "z".into();
    graph.tensors[y as usize].element_type = ElementType::F32 as i32;
    let z = graph.tensor(z);
    graph.outputs = vec![z];
    graph.operator(arenite_model::writer::Operator::new(relu, &[y], &[z]));
    for answer in outputs(&model, &[]).expect("both nodes are of I8") {
        assert_eq!(answer[0].0, ElementType::I8);
        assert_eq!(answer[0].1.len(), 6);
    }
}

/// An op that takes the type from the file refuses one that does not fit.
#[test]
fn other_ops_refuse_another_type() {
    let sounds = op_models::all();
    let abs = sounds.iter().find(|sound| sound.op == "ABS").expect("ABS");
    let mut model = abs.model.clone();
    let t = model.subgraphs[0].operators[0].outputs[0] as usize;
    model.subgraphs[0].tensors[t].element_type = ElementType::I32 as i32;
    let error = outputs(&model, &[]).expect_err("ABS does not set its type").to_string();
    assert!(error.starts_with("ABS (node 0"), "{error}");
}
