//! One model on several backends, and the rules by which their answers are compared.
//!
//! | backends | rule | exceptions |
//! |---|---|---|
//! | all | no op or delegate panics | none |
//! | reference ops and CPU delegate | where the reference ops answer, the delegate gives as many outputs, of the same types and shapes | a limit of the quota stopped one of them |
//! | | where the reference ops refuse, the delegate refuses | the model has a result that no output needs: the delegate
//! drops it, together with the node that failed |
//! | | the same bytes if no tensor of the model is a float | floats have bounds, which the target `graphs` checks; ops that draw random numbers |
//! | reference ops and micro | where both answer, the same bytes, floats too: they run the same kernels | ops that draw random numbers |
//! | | where the reference ops refuse, micro refuses | a limit of the quota stopped the reference ops: micro does not
//! limit bytes and time |
//! | | micro may refuse models that the reference ops run | it says why: shapes that depend on data, text, a small
//! arena, … |

use std::collections::HashSet;

use arenite::config::DelegateConfig;
use arenite::{Error, Interpreter, Model, Status};
use arenite_abi::raw::BUILTIN_CUSTOM;
use arenite_abi::schema::op;
use arenite_micro::OpRegistration;
use arenite_model::tensor_type::{BOOL, FLOAT32, INT32, INT64, STRING};

use super::{quota, registry};
use crate::micro::{self, Aligned};

/// Type, shape and bytes of an output.
type Output = (arenite::ElementType, Vec<i32>, Vec<u8>);

/// The result of running a model on one backend.
pub(super) enum Answer {
    /// The outputs of two invocations.
    Outputs([Vec<Output>; 2]),
    /// The call that failed, and its error.
    Refused(&'static str, String),
    /// A limit of the quota was reached.
    Limited,
}

/// Fills an input with small numbers, so that indices and shapes are often valid.
pub(super) fn fill(bytes: &mut [u8], element_type: i32, invocation: usize) {
    let number = |i: usize| (i * 37 + invocation * 11) % 251;
    match element_type {
        FLOAT32 => {
            for (i, word) in bytes.as_chunks_mut::<4>().0.iter_mut().enumerate() {
                *word = (number(i) as f32 / 16.0 - 4.0).to_le_bytes();
            }
        }
        INT32 | INT64 => {
            let size = if element_type == INT32 { 4 } else { 8 };
            bytes.fill(0);
            for (i, word) in bytes.chunks_exact_mut(size).enumerate() {
                word[0] = (number(i) % 3) as u8;
            }
        }
        BOOL => bytes.iter_mut().enumerate().for_each(|(i, byte)| *byte = (number(i) & 1) as u8),
        _ => bytes.iter_mut().enumerate().for_each(|(i, byte)| *byte = number(i) as u8),
    }
}

/// Runs a model twice, with this delegate or, without one, on reference ops.
pub(super) fn large(model: &Model, delegate: Option<&str>) -> Answer {
    let run = || -> Result<[Vec<Output>; 2], (&'static str, Error)> {
        let builder = Interpreter::builder(model).registry(registry()).threads(1).quota(quota());
        let builder = match delegate {
            None => builder.without_default_delegate(),
            Some(name) => builder.delegate(DelegateConfig::new(name)),
        };
        let mut interpreter = builder.build().map_err(|e| ("build", e))?;
        interpreter.allocate().map_err(|e| ("allocate", e))?;
        let mut answers = [Vec::new(), Vec::new()];
        for (k, answer) in answers.iter_mut().enumerate() {
            for i in 0..interpreter.input_count() {
                let Ok(input) = interpreter.input_mut(i) else { continue };
                let ty = input.tensor().ty as i32;
                if ty != STRING
                    && let Ok(bytes) = input.into_bytes()
                {
                    fill(bytes, ty, k);
                }
            }
            interpreter.invoke().map_err(|e| ("invoke", e))?;
            for i in 0..interpreter.output_count() {
                let output = interpreter.output(i).map_err(|e| ("output", e))?;
                let bytes = output.bytes().map_err(|e| ("output", e))?.to_vec();
                answer.push((output.ty, output.shape.to_vec(), bytes));
            }
        }
        Ok(answers)
    };
    match run() {
        Ok(outputs) => Answer::Outputs(outputs),
        Err((_, error @ Error::Node { status: Status::Panicked, .. }))
        | Err((_, error @ Error::Delegate { status: Status::Panicked, .. })) => {
            panic!("with {}: {error}", delegate.unwrap_or("reference ops"))
        }
        Err((_, Error::Quota { .. } | Error::OutOfMemory { .. } | Error::Cancelled)) => Answer::Limited,
        Err((stage, error)) => {
            let text = error.to_string();
            assert!(!text.is_empty(), "an error without text at {stage}");
            Answer::Refused(stage, text)
        }
    }
}

/// Runs a model twice in the micro interpreter.
///
/// # Errors
/// The interpreter refuses the model.
pub(super) fn small(
    bytes: &[u8],
    ops: &[OpRegistration],
    arena: &mut [u8],
) -> Result<[Vec<Vec<u8>>; 2], String> {
    let mut run = || -> arenite_micro::Result<[Vec<Vec<u8>>; 2]> {
        let mut interpreter = arenite_micro::Interpreter::new(bytes, ops, arena)?;
        interpreter.limit_calls(1000);
        let mut answers = [Vec::new(), Vec::new()];
        for (k, answer) in answers.iter_mut().enumerate() {
            for i in 0..interpreter.input_count() {
                let ty = interpreter.input_info(i)?.ty as i32;
                if let Ok(input) = interpreter.input(i) {
                    fill(input, ty, k);
                }
            }
            interpreter.invoke()?;
            for i in 0..interpreter.output_count() {
                answer.push(interpreter.output(i)?.to_vec());
            }
        }
        Ok(answers)
    };
    run().map_err(|error| {
        assert!(error.status() != Status::Panicked, "micro: {error}");
        error.to_string()
    })
}

/// The properties of a model that the rules depend on.
pub(super) struct Traits {
    /// Whether a tensor holds floats.
    pub floats: bool,
    /// Whether an op draws random numbers.
    random: bool,
    /// Whether a node has a result that neither a node nor an output reads.
    unread: bool,
    /// Codes of its ops.
    codes: HashSet<i32>,
}

const RANDOM: [i32; 3] = [op::RANDOM_UNIFORM, op::RANDOM_STANDARD_NORMAL, op::MULTINOMIAL];
const FLOATS: [i32; 8] = [0, 1, 8, 10, 11, 18, 21, 22];

impl Traits {
    /// The properties of a model.
    pub(super) fn of(model: &arenite_model::Model<'_>) -> Traits {
        let codes: HashSet<i32> = model.operator_codes().iter().map(|code| code.builtin_code()).collect();
        let mut traits = Traits {
            floats: false,
            // Flex has such ops, too.
            random: codes.iter().any(|code| RANDOM.contains(code) || *code == BUILTIN_CUSTOM),
            unread: false,
            codes,
        };
        for graph in model.subgraphs().iter() {
            traits.floats |= graph.tensors().iter().any(|tensor| FLOATS.contains(&tensor.element_type()));
            let mut read: HashSet<i32> = graph.outputs().iter().collect();
            graph.operators().iter().for_each(|node| read.extend(node.inputs().iter()));
            let results =
                |node: arenite_model::Operator<'_>| node.outputs().iter().any(|i| !read.contains(&i));
            traits.unread |= graph.operators().iter().any(results);
        }
        traits
    }
}

thread_local! {
    static OPS: Vec<OpRegistration> = micro::ops();
}

/// Runs a model on the reference ops, the CPU delegate and in the micro interpreter, and compares.
///
/// # Panics
/// If a rule above is broken; the message names it.
pub(super) fn compare(bytes: &[u8]) {
    let Ok(model) = Model::from_bytes(bytes.to_vec()) else { return };
    let traits = Traits::of(&model.view());
    let reference = large(&model, None);
    with_cpu(&traits, &reference, &large(&model, Some("cpu")));
    // Micro has no time limit, so this model could run for minutes.
    if !matches!(reference, Answer::Limited) {
        with_micro(&traits, &reference, bytes);
    }
}

fn with_cpu(traits: &Traits, reference: &Answer, cpu: &Answer) {
    match (reference, cpu) {
        (Answer::Limited, _) | (_, Answer::Limited) | (Answer::Refused(..), Answer::Refused(..)) => {}
        (Answer::Outputs(_), Answer::Refused(stage, text)) => {
            panic!("the CPU delegate refuses at {stage}, but the reference ops run: {text}")
        }
        (Answer::Refused(stage, text), Answer::Outputs(_)) => {
            assert!(traits.unread, "the CPU delegate runs, but the reference ops refuse at {stage}: {text}");
        }
        (Answer::Outputs(want), Answer::Outputs(got)) => {
            for (k, (want, got)) in want.iter().zip(got).enumerate() {
                assert_eq!(want.len(), got.len(), "outputs of invocation {k}");
                for (i, (want, got)) in want.iter().zip(got).enumerate() {
                    assert_eq!((want.0, &want.1), (got.0, &got.1), "form of output {i}, invocation {k}");
                    let exact = !traits.floats && !traits.random;
                    assert!(
                        !exact || want.2 == got.2,
                        "output {i}, invocation {k}: the CPU delegate gives {:?}, the reference ops {:?}",
                        &got.2[..got.2.len().min(32)],
                        &want.2[..want.2.len().min(32)]
                    );
                }
            }
        }
    }
}

fn with_micro(traits: &Traits, reference: &Answer, bytes: &[u8]) {
    let file = Aligned::of(bytes);
    let got = on_micro(traits, file.as_slice());
    match (reference, got) {
        (Answer::Limited, _) | (_, Err(_)) => {}
        (Answer::Refused(stage, text), Ok(_)) => {
            panic!("micro runs, but the reference ops refuse at {stage}: {text}")
        }
        (Answer::Outputs(want), Ok(got)) => {
            for (k, (want, got)) in want.iter().zip(&got).enumerate() {
                let want: Vec<&Vec<u8>> = want.iter().map(|(_, _, bytes)| bytes).collect();
                assert!(
                    traits.random || want == got.iter().collect::<Vec<_>>(),
                    "invocation {k}: micro gives {got:?}, the reference ops {want:?}"
                );
            }
        }
    }
}

fn on_micro(traits: &Traits, file: &[u8]) -> Result<[Vec<Vec<u8>>; 2], String> {
    thread_local! {
        static ARENA: std::cell::RefCell<Aligned> = std::cell::RefCell::new(Aligned::new(0, micro::FUZZ_ARENA));
    }
    OPS.with(|all| {
        // Searching all ops would take most of the time.
        let used: Vec<OpRegistration> =
            all.iter().filter(|op| traits.codes.contains(&op.builtin_code)).copied().collect();
        ARENA.with_borrow_mut(|arena| {
            arena.bytes_mut().fill(0xa5);
            small(file, &used, arena.bytes_mut())
        })
    })
}

/// Runs the micro interpreter alone.
pub(super) fn micro_alone(bytes: &[u8]) {
    let file = Aligned::of(bytes);
    let Ok(model) = arenite_model::Model::new(file.as_slice()) else {
        // Whatever the verifier refuses, the interpreter must refuse.
        let refused = OPS.with(|all| small(file.as_slice(), &all[..1], &mut [0; 64]).is_err());
        assert!(refused, "micro runs a file that the verifier refuses");
        return;
    };
    let _ = on_micro(&Traits::of(&model), file.as_slice());
}
