//! Compares the configured delegates with the reference ops on the same inputs.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arenite::config::DelegateConfig;
use arenite::{Config, Interpreter, Model, Moment, ObservedStep, Registry};
use serde::Serialize;

use crate::answer::Result;
use crate::difference::{Difference, difference};
use crate::inputs::{self, InputOptions};
use crate::session::Session;

/// The model, the delegates and the inputs to compare.
pub(super) struct Case<'a> {
    pub config: &'a Config,
    pub registry: &'a Arc<Registry>,
    pub model: &'a Model,
    pub signature: Option<&'a str>,
    pub inputs: &'a InputOptions,
}

/// Differences between the configured delegates and the reference ops.
#[derive(Serialize)]
pub(super) struct Differences {
    /// The index of the subgraph.
    pub subgraph: usize,
    /// One per output.
    pub outputs: Vec<TensorDifference>,
    /// Outputs of nodes and partitions, in execution order. Tensors inside a partition have no value to compare.
    pub tensors: Vec<TensorDifference>,
    /// Why tensors other than outputs were not compared.
    pub note: Option<String>,
}

/// A tensor with its difference, or with the reason why it cannot be compared.
#[derive(Serialize)]
pub(super) struct TensorDifference {
    pub tensor: Option<usize>,
    pub name: String,
    /// The delegate or op that wrote it.
    pub by: String,
    #[serde(flatten)]
    pub difference: Option<Difference>,
    pub error: Option<String>,
}

/// Runs the model once on the reference ops and once on `interpreter`, which is allocated. Both get the same inputs.
///
/// # Errors
/// The model cannot be prepared or run.
pub(super) fn compare(case: &Case<'_>, interpreter: &mut Interpreter) -> Result<Differences> {
    let (mut reference, note) = match case.reference(true) {
        Ok(reference) => (reference, None),
        Err(error) => (case.reference(false)?, Some(error.to_string())),
    };
    case.run(&mut reference)?;
    let subgraph = case.subgraph();
    // The observer owns one of the two handles until it is removed.
    let reference = Arc::new(Mutex::new(reference));
    let tensors: Arc<Mutex<Vec<TensorDifference>>> = Arc::default();
    if note.is_none() {
        let (reference, tensors) = (Arc::clone(&reference), Arc::clone(&tensors));
        interpreter.set_observer(move |observed| {
            if (observed.moment, observed.subgraph) == (Moment::After, subgraph) {
                observe(observed, &lock(&reference), &mut lock(&tensors));
            }
        });
    }
    let ran = case.run(interpreter);
    interpreter.remove_observer();
    ran?;
    let outputs = outputs(case, &mut lock(&reference), interpreter)?;
    let tensors = std::mem::take(&mut *lock(&tensors));
    Ok(Differences { subgraph, outputs, tensors, note })
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Case<'_> {
    fn subgraph(&self) -> usize {
        let view = self.model.view();
        let signature = self.signature.and_then(|key| view.signature(key));
        signature.map_or(0, |signature| signature.subgraph_index() as usize)
    }

    /// An interpreter that runs every node on the reference ops. With `preserve`, every tensor keeps its value.
    fn reference(&self, preserve: bool) -> Result<Interpreter> {
        let mut config = self.config.clone();
        config.delegates = vec![DelegateConfig::new("none")];
        config.lifetimes.preserve_all |= preserve;
        let registry = Arc::clone(self.registry);
        let mut interpreter = Interpreter::builder(self.model).config(&config).registry(registry).build()?;
        let mut session = Session::open(&mut interpreter, self.signature)?;
        inputs::resize(&mut session, &self.inputs.resize)?;
        session.allocate()?;
        Ok(interpreter)
    }

    /// Fills the inputs and runs the model once.
    fn run(&self, interpreter: &mut Interpreter) -> Result<()> {
        let mut session = Session::open(interpreter, self.signature)?;
        inputs::fill(&mut session, self.inputs, None, &|_| None)?;
        session.invoke()
    }
}

/// Compares the outputs of a node or partition that has just run.
fn observe(observed: &ObservedStep<'_>, reference: &Interpreter, found: &mut Vec<TensorDifference>) {
    let by = observed.delegate().map_or_else(|| observed.op().to_owned(), |name| format!("delegate {name}"));
    for index in observed.outputs().iter().filter_map(|&tensor| usize::try_from(tensor).ok()) {
        let pair =
            reference.tensor_of(observed.subgraph, index).and_then(|r| Ok((r, observed.tensor(index)?)));
        let name = reference.tensor_of(observed.subgraph, index).map_or("", |tensor| tensor.name).to_owned();
        let result = pair.map_err(|e| e.to_string()).and_then(|(r, value)| difference(&r, &value));
        found.push(TensorDifference::new(Some(index), name, by.clone(), result));
    }
}

fn outputs(
    case: &Case<'_>,
    reference: &mut Interpreter,
    interpreter: &mut Interpreter,
) -> Result<Vec<TensorDifference>> {
    let expected = Session::open(reference, case.signature)?;
    let got = Session::open(interpreter, case.signature)?;
    let compared = |(i, name): (usize, &String)| {
        let result = difference(&expected.output(i)?, &got.output(i)?);
        Ok(TensorDifference::new(None, name.clone(), String::new(), result))
    };
    got.outputs().iter().enumerate().map(compared).collect()
}

impl TensorDifference {
    fn new(tensor: Option<usize>, name: String, by: String, result: Result<Difference, String>) -> Self {
        let (difference, error) = match result {
            Ok(difference) => (Some(difference), None),
            Err(error) => (None, Some(error)),
        };
        TensorDifference { tensor, name, by, difference, error }
    }
}
