//! The node that fixes the batch size, found by trying: inputs get another batch, and the shapes that follow show
//! where it gets lost.

use std::sync::Arc;

use arenite::config::DelegateConfig;
use arenite::{Config, Error, Interpreter, Model, NO_DELEGATE, Registry};
use serde::Serialize;

/// Whether dimension 0 of the inputs can be resized.
#[derive(Clone, Debug, Serialize)]
pub struct Batch {
    /// Dimension 0 of the inputs.
    pub size: i32,
    /// The size that was tried.
    pub tried: i32,
    /// Positions of the inputs that were resized: those with this dimension 0.
    pub inputs: Vec<usize>,
    /// Whether every output followed.
    pub resizable: bool,
    /// The operator that prevents it, if it is known.
    pub node: Option<usize>,
    /// The name of its op.
    pub op: Option<String>,
    /// Why it is not resizable.
    pub reason: Option<String>,
}

const RESHAPE: &str = "RESHAPE";

/// Whether nothing uses a buffer but the shapes of RESHAPE.
fn only_shapes(model: &Model, buffer: u32) -> bool {
    let view = model.view();
    let is_kept = |graph: arenite::model_file::SubGraph<'_>| {
        let uses = |tensor: i32| {
            let tensor = usize::try_from(tensor).ok().and_then(|tensor| graph.tensors().get(tensor));
            tensor.is_some_and(|tensor| tensor.buffer() == buffer)
        };
        let other = |operator: arenite::model_file::Operator<'_>| {
            let is_reshape = view.operator_code(&operator).is_some_and(|code| code.name() == RESHAPE);
            operator.inputs().iter().enumerate().any(|(i, tensor)| uses(tensor) && !(is_reshape && i == 1))
        };
        graph.operators().iter().any(other) || graph.outputs().iter().any(uses)
    };
    !view.subgraphs().iter().any(is_kept)
}

/// A subgraph with its shapes, and how its interpreters are built.
struct Subject<'a> {
    subgraph: usize,
    /// Tensors of the inputs, and their shapes in the file.
    inputs: Vec<(usize, Vec<i32>)>,
    /// The file as it is, ready to run.
    before: Interpreter,
    config: Config,
    registry: &'a Arc<Registry>,
}

impl<'a> Subject<'a> {
    fn new(model: &Model, subgraph: usize, config: &Config, registry: &'a Arc<Registry>) -> Option<Self> {
        let mut config = config.clone();
        // Shapes do not depend on delegates.
        config.delegates = vec![DelegateConfig::new(NO_DELEGATE)];
        let mut before = build(model, &config, registry)?;
        before.allocate_subgraph(subgraph).ok()?;
        let tensors = before.inputs_of(subgraph).ok()?.to_vec();
        let input = |&tensor: &i32| {
            let tensor = usize::try_from(tensor).ok()?;
            Some((tensor, before.tensor_of(subgraph, tensor).ok()?.shape.to_vec()))
        };
        let inputs = tensors.iter().map(input).collect::<Option<_>>()?;
        Some(Subject { subgraph, inputs, before, config, registry })
    }
}

fn build(model: &Model, config: &Config, registry: &Arc<Registry>) -> Option<Interpreter> {
    Interpreter::builder(model).config(config).registry(Arc::clone(registry)).build().ok()
}

impl Batch {
    /// Why the batch size cannot change.
    pub fn refusal(&self) -> String {
        let Batch { size, tried, node, op, reason, .. } = self;
        let reason = reason.as_deref().unwrap_or("its outputs do not follow");
        let place = match (node, op) {
            (Some(node), Some(op)) => format!("node {node} ({op}) fixes it: {reason}"),
            _ => reason.to_owned(),
        };
        format!("the batch size cannot change from {size} to {tried}: {place}")
    }

    /// Changes the batch size of a subgraph. A constant shape of RESHAPE that begins with the batch size changes, too.
    /// Returns the model, which differs from the file if constants changed, and the last attempt. Its `node` fixes the
    /// batch size for another reason.
    ///
    /// For a `wanted` of `None`, the model accepts any batch size.
    pub fn change(
        model: &Model,
        subgraph: usize,
        wanted: Option<i32>,
        config: &Config,
        registry: &Arc<Registry>,
    ) -> Option<(Model, Batch)> {
        let subject = Subject::new(model, subgraph, config, registry)?;
        let mut model = model.clone();
        let rounds = model.view().subgraph(subgraph)?.operators().len();
        // Each round but the last changes the shape of another node.
        for _ in 0..=rounds {
            let batch = subject.attempt(&model, wanted)?;
            match batch.reshaped(&model, subgraph, wanted) {
                Some(changed) => model = changed,
                None => return Some((model, batch)),
            }
        }
        None
    }

    /// The model with another constant shape for the RESHAPE that fixes the batch size, if one does.
    fn reshaped(&self, model: &Model, subgraph: usize, wanted: Option<i32>) -> Option<Model> {
        let view = model.view();
        let graph = view.subgraph(subgraph)?;
        let operator = graph.operators().get(self.node.filter(|_| !self.resizable)?)?;
        if view.operator_code(&operator)?.name() != RESHAPE {
            return None;
        }
        let shape = graph.tensors().get(usize::try_from(operator.inputs().get(1)?).ok()?)?;
        let constant = view.constant(&shape)?;
        let (dims, _) = constant.as_chunks::<4>();
        let dims: Vec<i32> = dims.iter().map(|&dim| i32::from_le_bytes(dim)).collect();
        if dims.first() != Some(&self.size) || !only_shapes(model, shape.buffer()) {
            return None;
        }
        // One dimension may be -1, which follows from the others.
        let dim = if dims.contains(&-1) { wanted? } else { -1 };
        let at = (constant.as_ptr() as usize).checked_sub(view.bytes().as_ptr() as usize)?;
        let mut bytes = view.bytes().to_vec();
        bytes.get_mut(at..at + 4)?.copy_from_slice(&dim.to_le_bytes());
        model.with_bytes(bytes).ok()
    }

    /// Gives dimension 0 of the inputs of a subgraph that share it with the first one the size `wanted`, or twice their
    /// size. `None` if the first input has no dimension 0, or if the unchanged model cannot be prepared.
    pub fn attempt(
        model: &Model,
        subgraph: usize,
        wanted: Option<i32>,
        config: &Config,
        registry: &Arc<Registry>,
    ) -> Option<Batch> {
        Subject::new(model, subgraph, config, registry)?.attempt(model, wanted)
    }

    fn resize(&self, interpreter: &mut Interpreter, subject: &Subject<'_>) -> arenite::Result<()> {
        for (tensor, shape) in self.inputs.iter().filter_map(|&i| subject.inputs.get(i)) {
            let mut shape = shape.clone();
            shape.iter_mut().take(1).for_each(|dim| *dim = self.tried);
            interpreter.resize_of(subject.subgraph, *tensor, &shape)?;
        }
        interpreter.allocate_subgraph(subject.subgraph)
    }

    /// Finds the first node that reads a tensor with the new batch, and writes none.
    fn follow(&mut self, model: &Model, subject: &Subject<'_>, after: &Interpreter) {
        let (view, subgraph, before) = (model.view(), subject.subgraph, &subject.before);
        let Some(graph) = view.subgraph(subgraph) else { return };
        let grew = |tensor: i32| {
            let tensor = usize::try_from(tensor).ok()?;
            let (_, old) = before.tensor_form(subgraph, tensor)?;
            let (_, new) = after.tensor_form(subgraph, tensor)?;
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
        self.op = operator.and_then(|operator| Some(view.operator_code(&operator)?.name().to_owned()));
        self.reason = Some("dimension 0 of its outputs does not follow its inputs'".to_owned());
    }
}

impl Subject<'_> {
    /// Tries another batch size with this model, which differs from the file in constants only.
    fn attempt(&self, model: &Model, wanted: Option<i32>) -> Option<Batch> {
        let size = *self.inputs.first()?.1.first().filter(|&&dim| dim > 0)?;
        let tried = wanted.map_or_else(|| size.checked_mul(2), Some)?;
        let follows = |(_, shape): &(usize, Vec<i32>)| shape.first() == Some(&size);
        let inputs = (0..self.inputs.len()).filter(|&i| self.inputs.get(i).is_some_and(follows)).collect();
        let mut batch = Batch { size, tried, inputs, resizable: false, node: None, op: None, reason: None };
        let mut after = build(model, &self.config, self.registry)?;
        match batch.resize(&mut after, self) {
            Err(Error::Node { node, op, message, .. }) => {
                let operators = 0..model.view().subgraph(self.subgraph)?.operators().len();
                let is_it = |&operator: &usize| after.nodes_in(self.subgraph, operator).contains(&node);
                batch.node = operators.into_iter().find(is_it);
                (batch.op, batch.reason) = (Some(op), Some(message));
            }
            Err(error) => batch.reason = Some(error.to_string()),
            Ok(()) => batch.follow(model, self, &after),
        }
        Some(batch)
    }
}
