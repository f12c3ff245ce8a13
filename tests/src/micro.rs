//! Runs cases in the micro interpreter: it gives the bytes of the large runtime's reference ops, or an error.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

use arenite::{ElementType, Status};
use arenite_micro::{Interpreter, OpRegistration, Planner, required_arena};
use arenite_model::writer::ModelBuilder;

use crate::array::{Array, Data};
use crate::case::{Case, Set, TensorText};
use crate::mutants::{self, Random};
use crate::op_models;
use crate::run::{self, Outcome, Setup};

/// Memory that is aligned to 16 bytes.
pub struct Aligned {
    memory: Vec<u8>,
    start: usize,
    bytes: usize,
}

impl Aligned {
    /// `len` bytes of this value.
    pub fn new(fill: u8, bytes: usize) -> Self {
        let memory = vec![fill; bytes + 16];
        let start = memory.as_ptr().align_offset(16).min(16);
        Aligned { memory, start, bytes }
    }

    /// A copy.
    pub fn of(contents: &[u8]) -> Self {
        let mut memory = Self::new(0, contents.len());
        memory.bytes_mut().copy_from_slice(contents);
        memory
    }

    /// The bytes.
    pub fn as_slice(&self) -> &[u8] {
        &self.memory[self.start..][..self.bytes]
    }

    /// The bytes.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.memory[self.start..][..self.bytes]
    }
}

/// All reference ops.
pub fn ops() -> Vec<OpRegistration> {
    (0..).map_while(|i| arenite_ops::PLUGIN.op(i)).map(|(op, _)| *op).collect()
}

/// Why a set is not compared.
enum Stop {
    /// The model is not supported, which does not count as a failure.
    Refused(String),
    Failed(String),
}

impl From<String> for Stop {
    fn from(message: String) -> Self {
        Stop::Failed(message)
    }
}

/// Runs all sets of a case. Signatures are run by the large runtime only.
pub(crate) fn case(case: &Case, setup: &Setup, outcome: &mut Outcome) -> Result<(), String> {
    let (model, ops) = (Aligned::of(&case.source.read(&case.text.model)?), ops());
    for (n, set) in std::iter::once(&case.text.set).chain(&case.text.extra_sets).enumerate() {
        let prefix = if n == 0 { String::new() } else { format!("set{n}_") };
        let beside = Beside { case, setup, ops: &ops, model: &model };
        match beside.compare(set, &prefix) {
            Ok(()) => {}
            Err(Stop::Refused(reason)) => outcome.refused = Some(reason),
            Err(Stop::Failed(message)) => outcome.failures.push(format!("{prefix}: {message}")),
        }
    }
    Ok(())
}

struct Beside<'a> {
    case: &'a Case,
    setup: &'a Setup,
    ops: &'a [OpRegistration],
    model: &'a Aligned,
}

impl Beside<'_> {
    fn compare(&self, set: &Set, prefix: &str) -> Result<(), Stop> {
        let read = |(i, text): (usize, &TensorText)| {
            Array::read(&self.case.source, text, &format!("{prefix}in_{i}.npy"))
        };
        let inputs = set.inputs.iter().enumerate().map(read).collect::<Result<Vec<_>, _>>()?;
        let answers = self.micro(&inputs, set.invokes, 0)?;
        // With more room, nodes stay decoded.
        if self.micro(&inputs, set.invokes, 1 << 16)? != answers && !self.case.text.random {
            return Err(Stop::Failed("the bytes differ in a larger arena".into()));
        }
        let wanted = self.large(&inputs, set.invokes)?;
        if answers.len() != wanted.len() {
            return Err(Stop::Failed(format!("{} outputs, not {}", answers.len(), wanted.len())));
        }
        for (i, (answer, want)) in answers.iter().zip(&wanted).enumerate() {
            let same = if self.case.text.random { answer.len() == want.len() } else { answer == want };
            if !same {
                let at = answer.iter().zip(want).position(|(a, w)| a != w);
                let sizes = (answer.len(), want.len());
                return Err(Stop::Failed(format!(
                    "output {i}: the bytes differ, first at {at:?} of {sizes:?}"
                )));
            }
        }
        Ok(())
    }

    fn micro(&self, inputs: &[Array], invokes: u32, room: usize) -> Result<Vec<Vec<u8>>, Stop> {
        invoke(self.model.as_slice(), self.ops, inputs, invokes, room).map(|ran| ran.outputs)
    }

    fn large(&self, inputs: &[Array], invokes: u32) -> Result<Vec<Vec<u8>>, Stop> {
        let text = |error: arenite::Error| Stop::Failed(format!("the large runtime: {error}"));
        let model = self.case.source.model(&self.case.text.model)?;
        let deadline = Instant::now() + self.setup.time;
        let mut interpreter = self.setup.interpreter(&model, deadline).map_err(text)?;
        interpreter.allocate().map_err(text)?;
        for _ in 0..invokes {
            for (i, array) in inputs.iter().enumerate() {
                run::fill_input(&mut interpreter, i, array)?;
            }
            interpreter.invoke().map_err(text)?;
        }
        let output = |i| Ok(interpreter.output(i).and_then(|output| output.bytes()).map_err(text)?.to_vec());
        (0..interpreter.output_count()).map(output).collect()
    }
}

/// The bytes that a model read and wrote.
pub struct Ran {
    /// The inputs, at the last invocation.
    pub inputs: Vec<Vec<u8>>,
    /// The outputs.
    pub outputs: Vec<Vec<u8>>,
}

/// Runs a case's main set.
///
/// # Errors
/// Why the interpreter does not run it.
pub fn run_case(case: &Case) -> Result<Ran, String> {
    let set = &case.text.set;
    let read = |(i, text): (usize, &TensorText)| Array::read(&case.source, text, &format!("in_{i}.npy"));
    let inputs = set.inputs.iter().enumerate().map(read).collect::<Result<Vec<_>, _>>()?;
    let model = Aligned::of(&case.source.read(&case.text.model)?);
    invoke(model.as_slice(), &ops(), &inputs, set.invokes, 0).map_err(|stop| match stop {
        Stop::Refused(reason) | Stop::Failed(reason) => reason,
    })
}

fn invoke(
    model: &[u8],
    ops: &[OpRegistration],
    inputs: &[Array],
    invokes: u32,
    room: usize,
) -> Result<Ran, Stop> {
    let refused = |error: arenite_micro::Error| Stop::Refused(error.to_string());
    let failed = |error: arenite_micro::Error| Stop::Failed(error.to_string());
    let sizes = required_arena(model, ops, Planner::Greedy).map_err(refused)?;
    let mut arena = Aligned::new(0xa5, sizes.arena + room);
    let mut interpreter = Interpreter::new(model, ops, arena.bytes_mut()).map_err(failed)?;
    let mut written = Vec::new();
    for _ in 0..invokes {
        written.clear();
        for (i, array) in inputs.iter().enumerate() {
            let info = interpreter.input_info(i).map_err(failed)?;
            let (ty, shape) = (info.ty, info.shape.to_vec());
            if shape != array.shape {
                let given = &array.shape;
                return Err(Stop::Refused(format!("input {i} would have shape {given:?}, not {shape:?}")));
            }
            let Some(bytes) = bytes_for(array, ty)? else { continue };
            interpreter.input(i).map_err(failed)?.copy_from_slice(&bytes);
            written.push(bytes);
        }
        interpreter.invoke().map_err(failed)?;
    }
    let output = |i| interpreter.output(i).map(<[u8]>::to_vec).map_err(failed);
    let outputs = (0..interpreter.output_count()).map(output).collect::<Result<_, _>>()?;
    Ok(Ran { inputs: written, outputs })
}

fn bytes_for(array: &Array, ty: ElementType) -> Result<Option<Vec<u8>>, String> {
    match &array.data {
        Data::Bytes(bytes) => run::as_stored(ty, array.ty, bytes).map(Some),
        Data::Strings(_) => Ok(None),
    }
}

/// Prepares a model and runs it once, with these bytes in its inputs and zeros in the others. Few calls of subgraphs
/// are permitted.
///
/// # Errors
/// The interpreter's error.
pub fn run_once(
    model: &[u8],
    ops: &[OpRegistration],
    arena: &mut [u8],
    inputs: &[(usize, &[u8])],
) -> arenite_micro::Result<Vec<Vec<u8>>> {
    let mut interpreter = Interpreter::new(model, ops, arena)?;
    interpreter.limit_calls(1000);
    for i in 0..interpreter.input_count() {
        let given = inputs.iter().find(|(input, _)| *input == i).map(|(_, bytes)| *bytes);
        if let Ok(input) = interpreter.input(i) {
            input.fill(0);
            input.iter_mut().zip(given.unwrap_or(&[])).for_each(|(byte, given)| *byte = *given);
        }
    }
    interpreter.invoke()?;
    (0..interpreter.output_count()).map(|i| interpreter.output(i).map(<[u8]>::to_vec)).collect()
}

/// The size of an arena in which every small model runs.
pub const FUZZ_ARENA: usize = 1 << 18;

/// The results for damaged models.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fuzzed {
    /// The number of models that ran.
    pub ran: usize,
    /// The number of models that failed with an error.
    pub refused: usize,
}

/// The registrations of a model's ops.
fn ops_of(model: &ModelBuilder, all: &[OpRegistration]) -> Vec<OpRegistration> {
    let used = |op: &&OpRegistration| model.operator_codes.iter().any(|code| code.code == op.builtin_code);
    all.iter().filter(used).copied().collect()
}

/// Runs `count` damaged models from loading to an invocation: small models of every op, alternately with damaged bytes
/// and with damaged contents.
///
/// # Panics
/// If a model panics; the message names it.
pub fn fuzz(count: usize, seed: u64, arena: &mut [u8]) -> Fuzzed {
    let (all, models) = (ops(), op_models::all());
    let own: Vec<Vec<OpRegistration>> = models.iter().map(|sound| ops_of(&sound.model, &all)).collect();
    let files: Vec<Vec<u8>> = models.iter().map(|sound| sound.model.finish()).collect();
    let mut random = Random(seed);
    let mut fuzzed = Fuzzed::default();
    for case in 0..count {
        let which = case / 2 % models.len();
        let spoilt = if case % 2 == 0 {
            let mut bytes = files[which].clone();
            mutants::spoil_bytes(&mut bytes, &mut random);
            bytes
        } else {
            let mut model = models[which].model.clone();
            mutants::spoil_model(&mut model, &mut random);
            model.finish()
        };
        let model = Aligned::of(&spoilt);
        // Searching all ops would take most of the time.
        let ops = if case % 64 < 2 { &all } else { &own[which] };
        let run = AssertUnwindSafe(|| run_once(model.as_slice(), ops, arena, &[]));
        let name = || format!("{}, model {case} from seed {seed}", models[which].op);
        match catch_unwind(run) {
            Ok(Ok(_)) => fuzzed.ran += 1,
            Ok(Err(error)) => {
                assert!(error.status() != Status::Panicked, "{}: {error}", name());
                assert!(!error.to_string().is_empty());
                fuzzed.refused += 1;
            }
            Err(_) => panic!("{} panicked", name()),
        }
    }
    fuzzed
}
