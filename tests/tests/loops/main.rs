//! Loops that the CPU delegate runs as one step, in the form in which converters write recurrent layers. Each is
//! compared with the reference ops, on every instruction set and with several threads. And loops that it refuses, with
//! the reason.

mod models;

use arenite::config::DelegateConfig;
use arenite::{Interpreter, NodeProvider};

use models::{Cell, LSTM, Loop, Random, Write};

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
    runs(&Loop { write: Write::LastRow, ..LSTM });
    runs(&Loop { write: Write::LastRow, list: 1, ..LSTM });
    runs(&Loop { write: Write::LastRow, list: 3, rounds: 0, ..LSTM });
}

#[test]
fn lists_of_slices() {
    for op in ["RESHAPE", "EXPAND_DIMS"] {
        runs(&Loop { write: Write::Slices(op), ..LSTM });
        runs(&Loop { write: Write::Slices(op), cell: Cell::Gru, x: [5, 2, 6], list: 5, rounds: 5, ..LSTM });
    }
    runs(&Loop { write: Write::FirstRow, list: 1, ..LSTM });
    runs(&Loop { write: Write::FirstRow, list: 3, cell: Cell::Gru, ..LSTM });
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
