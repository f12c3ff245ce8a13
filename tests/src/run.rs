//! Runs one case with a given setup.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use arenite::config::DelegateConfig;
use arenite::{Config, ElementType, Error, Interpreter, Model, NodeProvider, Quota, Registry, Tensor};
use arenite_abi::prelude::op;
use arenite_model::{Operator, SubGraph};

use crate::array::{Array, Data};
use crate::case::{Case, Set, SignatureRun, TensorText, Tolerance};
use crate::compare;

/// The plugins and settings that cases run with.
#[derive(Clone)]
pub struct Setup {
    /// The plugins.
    pub registry: Arc<Registry>,
    /// Planner, delegates, threads and quota; the fields below override or extend it.
    pub config: Config,
    /// Overrides the planner of `config`.
    pub planner: Option<String>,
    /// Delegates in addition to the ones in `config`. No other delegates are used: without any, the reference ops run.
    pub delegates: Vec<String>,
    /// Threads for ops and delegates; `None`: as in `config`.
    pub threads: Option<usize>,
    /// The time limit of a case.
    pub time: Duration,
    /// Whether cases also run in the micro interpreter, which must give the same bytes.
    pub micro: bool,
}

/// The default time limit of a case.
pub const TIME_LIMIT: Duration = Duration::from_secs(60);

impl Setup {
    /// The plugins of `registry`, one thread, and the runtime's defaults for everything else.
    pub fn new(registry: Registry) -> Setup {
        Setup {
            registry: Arc::new(registry),
            config: Config::default(),
            planner: None,
            delegates: Vec::new(),
            threads: Some(1),
            time: TIME_LIMIT,
            micro: false,
        }
    }

    /// The linked-in plugins, one thread, and the runtime's defaults for everything else.
    ///
    /// # Errors
    /// A plugin cannot be registered.
    pub fn linked_in() -> Result<Setup, Error> {
        Ok(Setup::new(Registry::with_static_plugins()?))
    }

    /// A new interpreter, which must end before `deadline`.
    ///
    /// # Errors
    /// The errors of the builder.
    pub fn interpreter(&self, model: &Model, deadline: Instant) -> Result<Interpreter, Error> {
        let time = Some(deadline.saturating_duration_since(Instant::now()));
        let quota = Quota { time, ..Quota::from_config(&self.config.quota) };
        let mut builder = Interpreter::builder(model)
            .registry(Arc::clone(&self.registry))
            .config(&self.config)
            .quota(quota);
        if let Some(planner) = &self.planner {
            builder = builder.planner(planner);
        }
        builder = self.delegates.iter().fold(builder, |b, name| b.delegate(DelegateConfig::new(name)));
        builder = builder.without_default_delegate();
        if let Some(threads) = self.threads {
            builder = builder.threads(threads);
        }
        builder.build()
    }

    /// If a model [rounds twice](ROUNDS_TWICE), quantized results of a delegate that computes with reals, and so rounds
    /// once, may be off by a step. So may floats that the model computes from quantized values.
    fn steps(&self, model: &Model) -> Steps {
        let configured = self.config.delegates.iter().map(|delegate| &delegate.name);
        if !configured.chain(&self.delegates).any(|name| OF_REALS.contains(&name.as_str())) {
            return Steps::default();
        }
        let view = model.view();
        let nodes = || view.subgraphs().iter().flat_map(|g| g.operators().iter().map(move |n| (g, n)));
        let code = |node: &Operator<'_>| Some(view.operator_code(node)?.builtin_code());
        let rounds_twice = |(_, node): (SubGraph<'_>, Operator<'_>)| {
            code(&node).is_some_and(|code| ROUNDS_TWICE.contains(&code))
        };
        let step = |(graph, node): (SubGraph<'_>, Operator<'_>)| {
            let is_read = code(&node)? == op::DEQUANTIZE;
            let from = graph.tensors().get(usize::try_from(node.inputs().iter().next()?).ok()?)?;
            let scale = from.quantization()?.scale().iter().next()?;
            (is_read && view.constant(&from).is_none()).then_some(f64::from(scale))
        };
        match nodes().any(rounds_twice) {
            true => Steps { bytes: 1.0, reals: nodes().filter_map(step).fold(0.0, f64::max) },
            false => Steps::default(),
        }
    }
}

/// The result of a case.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// Descriptions of the failures; empty if the case passed.
    pub failures: Vec<String>,
    /// The number of nodes of the main subgraph, summed over all sets.
    pub nodes: usize,
    /// The number of these nodes that a delegate ran.
    pub delegated: usize,
    /// Whether it passed only because results may be off by a step.
    pub by_a_step: bool,
    /// Why the micro interpreter does not run it, if requested.
    pub refused: Option<String>,
}

/// Runs all sets and signatures of a case. A panic counts as a failure.
pub fn case(case: &Case, setup: &Setup) -> Outcome {
    let mut outcome = Outcome::default();
    let mut ran = Outcome::default();
    match catch_unwind(AssertUnwindSafe(|| sets(case, setup, &mut ran))) {
        Ok(Ok(())) => {}
        Ok(Err(message)) => outcome.failures.push(message),
        Err(panic) => {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no text");
            outcome.failures.push(format!("the runtime panicked: {text}"));
        }
    }
    ran.failures.append(&mut outcome.failures);
    ran
}

fn sets(case: &Case, setup: &Setup, outcome: &mut Outcome) -> Result<(), String> {
    if setup.micro {
        return crate::micro::case(case, setup, outcome);
    }
    let deadline = Instant::now() + setup.time;
    let model = case.source.model(&case.text.model)?;
    for (n, set) in std::iter::once(&case.text.set).chain(&case.text.extra_sets).enumerate() {
        let prefix = if n == 0 { String::new() } else { format!("set{n}_") };
        let label = if n == 0 { String::new() } else { format!("set {n}: ") };
        let mut interpreter = setup.interpreter(&model, deadline).map_err(|e| format!("{label}{e}"))?;
        let steps = setup.steps(&model);
        let mut run = Run { case, prefix: &prefix, label: &label, steps, outcome: &mut *outcome };
        run.set(&mut interpreter, set).map_err(|e| format!("{label}{e}"))?;
        outcome.nodes += interpreter.served_by().len();
        outcome.delegated +=
            interpreter.served_by().iter().filter(|s| matches!(s, NodeProvider::Delegate { .. })).count();
    }
    for (n, run) in case.text.signature_runs.iter().enumerate() {
        let (prefix, label) = (format!("sig{n}_"), format!("signature '{}': ", run.signature));
        let interpreter = setup.interpreter(&model, deadline).map_err(|e| format!("{label}{e}"))?;
        let steps = setup.steps(&model);
        let mut step = Run { case, prefix: &prefix, label: &label, steps, outcome: &mut *outcome };
        step.signature(interpreter, run).map_err(|e| format!("{label}{e}"))?;
    }
    if Instant::now() > deadline {
        outcome.failures.push(format!("it took longer than {} s", setup.time.as_secs()));
    }
    Ok(())
}

/// One set or signature of a case.
struct Run<'a> {
    case: &'a Case,
    prefix: &'a str,
    label: &'a str,
    /// See [`Setup::steps`].
    steps: Steps,
    outcome: &'a mut Outcome,
}

/// The tolerance in addition to the case's own: for quantized values, and for the reals they represent.
#[derive(Clone, Copy, Default)]
struct Steps {
    bytes: f64,
    reals: f64,
}

/// Ops whose reference kernels multiply quantized values by a fixed-point factor that is itself rounded. All other
/// quantized ops are exact on devices: averages, moves, functions by tables, sums of two.
const ROUNDS_TWICE: [i32; 12] = [
    op::BATCH_MATMUL,
    op::CONV_2D,
    op::DEPTHWISE_CONV_2D,
    op::FULLY_CONNECTED,
    op::LEAKY_RELU,
    op::MEAN,
    op::MUL,
    op::PRELU,
    op::RELU,
    op::RELU_0_TO_1,
    op::RELU_N1_TO_1,
    op::TRANSPOSE_CONV,
];

/// Delegates that compute with the real values of quantized tensors.
const OF_REALS: [&str; 2] = ["opencl", "vulkan"];

impl Run<'_> {
    fn set(&mut self, interpreter: &mut Interpreter, set: &Set) -> Result<(), String> {
        let counts = (interpreter.input_count(), interpreter.output_count());
        if counts != (set.inputs.len(), set.outputs.len()) {
            return Err(format!(
                "the interpreter has {} inputs and {} outputs, but the case has {} and {}",
                counts.0,
                counts.1,
                set.inputs.len(),
                set.outputs.len()
            ));
        }
        let inputs = self.arrays("in", &set.inputs)?;
        let shape = |interpreter: &Interpreter, i| interpreter.input(i).map(|t| t.shape.to_vec());
        for (i, array) in inputs.iter().enumerate() {
            if shape(interpreter, i).map_err(text)? != array.shape {
                interpreter.resize_input(i, &array.shape).map_err(text)?;
            }
        }
        interpreter.allocate().map_err(text)?;
        for _ in 0..set.invokes {
            for (i, array) in inputs.iter().enumerate() {
                fill_input(interpreter, i, array)?;
            }
            interpreter.invoke().map_err(text)?;
        }
        for (i, (want, described)) in self.arrays("out", &set.outputs)?.iter().zip(&set.outputs).enumerate() {
            let got = interpreter.output(i).map_err(text)?;
            self.judge(&format!("output {i} '{}'", described.name), &got, want);
        }
        Ok(())
    }

    fn signature(&mut self, mut interpreter: Interpreter, run: &SignatureRun) -> Result<(), String> {
        let mut runner = interpreter.signature(&run.signature).map_err(text)?;
        let inputs = self.arrays("in", &run.inputs)?;
        for (array, TensorText { name, .. }) in inputs.iter().zip(&run.inputs) {
            let same = runner.input(name).map_err(text)?.shape == array.shape;
            if !same {
                runner.resize_input(name, &array.shape).map_err(text)?;
            }
        }
        runner.allocate().map_err(text)?;
        for (array, TensorText { name, .. }) in inputs.iter().zip(&run.inputs) {
            match &array.data {
                Data::Strings(strings) => runner.set_input_strings(name, &slices(strings)).map_err(text)?,
                Data::Bytes(bytes) => {
                    let ty = runner.input(name).map_err(text)?.ty;
                    let bytes = as_stored(ty, array.ty, bytes).map_err(|e| format!("input '{name}': {e}"))?;
                    runner.input_mut(name).map_err(text)?.copy_from_bytes(&bytes).map_err(text)?;
                }
            }
        }
        runner.invoke().map_err(text)?;
        for (want, TensorText { name, .. }) in self.arrays("out", &run.outputs)?.iter().zip(&run.outputs) {
            self.judge(&format!("output '{name}'"), &runner.output(name).map_err(text)?, want);
        }
        Ok(())
    }

    fn arrays(&self, kind: &str, texts: &[TensorText]) -> Result<Vec<Array>, String> {
        let read = |(i, text): (usize, &TensorText)| {
            Array::read(&self.case.source, text, &format!("{}{kind}_{i}.npy", self.prefix))
        };
        texts.iter().enumerate().map(read).collect()
    }

    fn judge(&mut self, what: &str, got: &Tensor<'_>, want: &Array) {
        let failure = match self.difference(got, want, self.steps) {
            Ok(None) => {
                let without = self.difference(got, want, Steps::default());
                self.outcome.by_a_step |= !matches!(without, Ok(None));
                return;
            }
            Ok(Some(difference)) => difference.to_string(),
            Err(message) => message,
        };
        self.outcome.failures.push(format!("{}{what}: {failure}", self.label));
    }

    fn tolerance(&self, ty: ElementType, steps: Steps) -> Tolerance {
        let Tolerance { float_abs, float_rel, int_steps } = self.case.text.tolerance;
        let bytes = if matches!(ty, ElementType::I8 | ElementType::U8) { steps.bytes } else { 0.0 };
        Tolerance { float_abs: float_abs + steps.reals, float_rel, int_steps: int_steps.max(bytes) }
    }

    fn difference(
        &self,
        got: &Tensor<'_>,
        want: &Array,
        steps: Steps,
    ) -> Result<Option<compare::Difference>, String> {
        if unpacked_type(got.ty) != want.ty {
            return Err(format!("the element type is {}, expected {}", got.ty, want.ty));
        }
        if got.shape != want.shape {
            return Err(format!("the shape is {:?}, expected {:?}", got.shape, want.shape));
        }
        match &want.data {
            _ if self.case.text.random => Ok(None),
            Data::Strings(strings) => {
                let found = got.strings().map_err(text)?;
                if found.len() != strings.len() {
                    return Err(format!("it has {} strings, expected {}", found.len(), strings.len()));
                }
                Ok(compare::strings(&want.shape, &found, strings))
            }
            Data::Bytes(bytes) => {
                let found = unpacked(got.ty, got.bytes().map_err(text)?, &want.shape);
                if found.len() != bytes.len() {
                    return Err(format!("it has {} bytes, expected {}", found.len(), bytes.len()));
                }
                compare::elements(want.ty, &want.shape, &found, bytes, self.tolerance(got.ty, steps))
            }
        }
    }
}

pub(crate) fn fill_input(interpreter: &mut Interpreter, i: usize, array: &Array) -> Result<(), String> {
    match &array.data {
        Data::Strings(strings) => interpreter.set_input_strings(i, &slices(strings)).map_err(text),
        Data::Bytes(bytes) => {
            let ty = interpreter.input(i).map_err(text)?.ty;
            let bytes = as_stored(ty, array.ty, bytes).map_err(|e| format!("input {i}: {e}"))?;
            interpreter.input_mut(i).map_err(text)?.copy_from_bytes(&bytes).map_err(text)
        }
    }
}

fn text(error: Error) -> String {
    error.to_string()
}

fn slices(strings: &[Vec<u8>]) -> Vec<&[u8]> {
    strings.iter().map(Vec::as_slice).collect()
}

/// The element type of the arrays for a tensor of type `ty`.
fn unpacked_type(ty: ElementType) -> ElementType {
    match ty {
        ElementType::I4 | ElementType::I2 => ElementType::I8,
        ElementType::U4 => ElementType::U8,
        ty => ty,
    }
}

/// The elements of an array in the form that a tensor of type `tensor` needs.
pub(crate) fn as_stored(tensor: ElementType, array: ElementType, bytes: &[u8]) -> Result<Vec<u8>, String> {
    if unpacked_type(tensor) != array {
        return Err(format!("the tensor is {tensor}, but the case has {array}"));
    }
    if tensor.bits() >= 8 {
        return Ok(bytes.to_vec());
    }
    let bits = tensor.bits() as usize;
    let mask = (1u8 << bits) - 1;
    let pack = |chunk: &[u8]| {
        chunk.iter().enumerate().fold(0u8, |packed, (i, &q)| packed | (q & mask) << (i * bits))
    };
    Ok(bytes.chunks(8 / bits).map(pack).collect())
}

/// The elements of a tensor, packed ones as one byte each.
fn unpacked(ty: ElementType, bytes: &[u8], shape: &[i32]) -> Vec<u8> {
    let bits = ty.bits() as usize;
    if bits == 0 || bits >= 8 {
        return bytes.to_vec();
    }
    let count: usize = shape.iter().map(|&d| d.max(0) as usize).product();
    let signed = unpacked_type(ty) == ElementType::I8;
    let element = |i: usize| {
        let (byte, shift) = (i * bits / 8, i * bits % 8);
        let high = bytes.get(byte).copied().unwrap_or(0) << (8 - bits - shift);
        if signed { ((high as i8) >> (8 - bits)) as u8 } else { high >> (8 - bits) }
    };
    (0..count).map(element).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_integers_round_trip() {
        let q: Vec<u8> = [-8i8, 7, -1, 0, 3].map(|q| q as u8).to_vec();
        let packed = as_stored(ElementType::I4, ElementType::I8, &q).unwrap();
        assert_eq!(packed, [0x78, 0x0f, 0x03]);
        assert_eq!(unpacked(ElementType::I4, &packed, &[5]), q);
        let q: Vec<u8> = [-2i8, 1, -1, 0, 1].map(|q| q as u8).to_vec();
        let packed = as_stored(ElementType::I2, ElementType::I8, &q).unwrap();
        assert_eq!(packed, [0b00_11_01_10, 0b01]);
        assert_eq!(unpacked(ElementType::I2, &packed, &[5]), q);
    }
}
