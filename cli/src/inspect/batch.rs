//! The node that fixes the batch size, found by trying: inputs get twice the batch, and the shapes that follow show
//! where it gets lost.

use std::fmt::{self, Display, Formatter};
use std::sync::Arc;

use arenite::config::DelegateConfig;
use arenite::{Config, Error, Interpreter, Model, NO_DELEGATE, Registry};
use serde::Serialize;

use crate::text::{self, HEAD, Visible};

/// Whether dimension 0 of the inputs can be resized.
#[derive(Serialize)]
pub(super) struct Batch {
    /// Dimension 0 of the inputs, and the size that was tried.
    size: i32,
    tried: i32,
    /// Positions of the inputs that were resized: those with this dimension 0.
    inputs: Vec<usize>,
    /// Whether every output followed.
    resizable: bool,
    /// The operator that prevents it, if it is known.
    node: Option<usize>,
    op: Option<String>,
    /// Why it is not resizable.
    reason: Option<String>,
}

/// Doubles dimension 0 of the inputs of the main subgraph that share it with the first one. `None` if the first input
/// has no dimension 0, or if the unchanged model cannot be prepared.
pub(super) fn attempt(model: &Model, config: &Config, registry: &Arc<Registry>) -> Option<Batch> {
    let mut config = config.clone();
    // Shapes do not depend on delegates.
    config.delegates = vec![DelegateConfig::new(NO_DELEGATE)];
    let build = || {
        let registry = Arc::clone(registry);
        Interpreter::builder(model).config(&config).registry(registry).build().ok()
    };
    let mut before = build()?;
    before.allocate().ok()?;
    let shapes: Vec<Vec<i32>> = (0..before.input_count())
        .map(|i| Some(before.input(i).ok()?.shape.to_vec()))
        .collect::<Option<_>>()?;
    let size = *shapes.first()?.first().filter(|&&dim| dim > 0)?;
    let tried = size.checked_mul(2)?;
    let inputs: Vec<usize> = (0..shapes.len()).filter(|&i| shapes[i].first() == Some(&size)).collect();
    let mut after = build()?;
    let mut batch = Batch { size, tried, inputs, resizable: false, node: None, op: None, reason: None };
    match batch.resize(&mut after, &shapes) {
        Err(Error::Node { node, op, message, .. }) => {
            let operators = model.view().subgraph(0)?.operators().len();
            batch.node = (0..operators).find(|&operator| after.nodes_of(operator).contains(&node));
            (batch.op, batch.reason) = (Some(op), Some(message));
        }
        Err(error) => batch.reason = Some(error.to_string()),
        Ok(()) => batch.follow(model, &before, &after),
    }
    Some(batch)
}

impl Batch {
    fn resize(&self, interpreter: &mut Interpreter, shapes: &[Vec<i32>]) -> arenite::Result<()> {
        for &i in &self.inputs {
            let mut shape = shapes[i].clone();
            shape[0] = self.tried;
            interpreter.resize_input(i, &shape)?;
        }
        interpreter.allocate()
    }

    /// Finds the first node that reads a tensor with the new batch, and writes none.
    fn follow(&mut self, model: &Model, before: &Interpreter, after: &Interpreter) {
        let Some(graph) = model.view().subgraph(0) else { return };
        let grew = |tensor: i32| {
            let tensor = usize::try_from(tensor).ok()?;
            let (_, old) = before.tensor_form(0, tensor)?;
            let (_, new) = after.tensor_form(0, tensor)?;
            let (old, new) = (old?.first()?, new?.first()?);
            Some(*old == self.size && *new == self.tried)
        };
        let grew = |tensor: i32| grew(tensor).unwrap_or(false);
        self.resizable = graph.outputs().iter().all(grew);
        if self.resizable {
            return;
        }
        let loses = |operator: &arenite::model_file::Operator<'_>| {
            operator.inputs().iter().any(grew) && !operator.outputs().iter().any(grew)
        };
        let found = graph.operators().iter().position(|operator| loses(&operator));
        let operator = found.and_then(|node| graph.operators().get(node));
        self.node = found;
        self.op =
            operator.and_then(|operator| Some(model.view().operator_code(&operator)?.name().to_owned()));
        self.reason = Some("dimension 0 of its outputs does not follow its inputs'".to_owned());
    }
}

impl Display for Batch {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Batch { size, tried, resizable, node, op, reason, .. } = self;
        write!(f, "\n{HEAD}batch{HEAD:#}  {size}; ")?;
        if *resizable {
            return writeln!(f, "--resize can change it: tried with {tried}");
        }
        write!(f, "{tried} was tried and is not possible")?;
        if let (Some(node), Some(op)) = (node, op) {
            write!(f, ": node {node} {}", Visible(op))?;
        }
        match reason {
            Some(reason) => writeln!(f, ": {}", text::shorten(reason, 160)),
            None => writeln!(f),
        }
    }
}
