//! The phases: each is a value that the one before becomes, so that nothing is done at the wrong time.
//!
//! ```text
//! bytes, ops, arena ─► Loaded ─► PreparedModel ─► Interpreter ─► invoke, as often as wanted
//!                      verified   every node has    everything
//!                                 an op             has its place
//! ```

use arenite_abi::host_side::eval_struct;
use arenite_abi::raw::slice;
use arenite_abi::{ElementType, host};
use arenite_model::{List, Model, ModelError};

use crate::arena::{ALIGNMENT, Arena};
use crate::error::{Error, Result};
use crate::graph::{Graph, element_type};
use crate::host::EvalHost;
use crate::ops::{self, OpRegistration, Ops};
use crate::plan::{self, Planner};
use crate::sizes::Sizes;
use crate::work::Work;
use crate::{message, prepare};

/// What all phases have.
struct Parts<'a> {
    graph: Graph<'a>,
    ops: Ops<'a>,
    arena: Arena<'a>,
}

impl Drop for Parts<'_> {
    fn drop(&mut self) {
        prepare::unprepare(&mut self.graph);
    }
}

/// A verified model, and bookkeeping for it.
pub struct Loaded<'a>(Parts<'a>);

/// A model each of whose nodes has an op that is prepared.
pub struct PreparedModel<'a>(Parts<'a>);

/// A model that is ready to run.
///
/// What it computes lies in the arena: the values of its inputs are overwritten while it runs, those of its outputs last until the next
/// invocation.
pub struct Interpreter<'a>(Parts<'a>);

/// A tensor, as callers see it.
#[derive(Clone, Copy, Debug)]
pub struct TensorInfo<'t> {
    /// Its name in the model.
    pub name: &'t str,
    /// Element type.
    pub ty: ElementType,
    /// Dimensions, outermost first.
    pub shape: &'t [i32],
    /// The scale and the zero point of a tensor that has one of each.
    pub quantization: Option<(f32, i64)>,
}

impl<'a> Loaded<'a> {
    /// Verifies a model, whose bytes begin at a multiple of 16, and takes what is needed for each of its tensors and nodes from the arena.
    ///
    /// # Errors
    /// A malformed or misaligned model, two ops for the same nodes, an arena that is too small, a tensor that cannot be held here.
    pub fn new(model: &'a [u8], ops: &'a [OpRegistration], arena: &'a mut [u8]) -> Result<Self> {
        Self::with(model, Ops::List(ops), arena)
    }

    /// The same for ops that lie wherever they are.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn with(model: &'a [u8], ops: Ops<'a>, arena: &'a mut [u8]) -> Result<Self> {
        let address = model.as_ptr().addr();
        if !address.is_multiple_of(ALIGNMENT) {
            return Err(Error::Misaligned { address });
        }
        ops::check(ops)?;
        let arena = Arena::new(arena);
        let model = verified(model, &arena)?;
        let graph = Graph::new(model, &arena)?;
        Ok(Loaded(Parts { graph, ops, arena }))
    }

    /// Prepares every node, in order.
    ///
    /// # Errors
    /// A node that no op serves, or that its op refuses; an arena that is too small.
    pub fn prepare(mut self) -> Result<PreparedModel<'a>> {
        let Parts { graph, ops, arena } = &mut self.0;
        for node in 0..graph.nodes.len() {
            prepare::node(graph, *ops, arena, node)?;
        }
        Ok(PreparedModel(self.0))
    }
}

/// The model; to verify it takes memory for a number per tensor.
fn verified<'a>(bytes: &'a [u8], arena: &Arena<'_>) -> Result<Model<'a>> {
    match Model::new_in(bytes, &mut []) {
        Err(ModelError::ScratchTooSmall { needed, .. }) => {
            let mut scratch = arena.temporary(needed, |_| 0u32)?;
            Ok(Model::new_in(bytes, &mut scratch)?)
        }
        done => Ok(done?),
    }
}

impl<'a> PreparedModel<'a> {
    /// Gives every tensor and scratch buffer its place.
    ///
    /// # Errors
    /// An arena that is too small for the plan, or for the node that needs the most to run.
    pub fn plan(mut self, planner: Planner) -> Result<Interpreter<'a>> {
        let Parts { graph, arena, .. } = &mut self.0;
        plan::place(graph, arena, planner)?;
        for node in 0..graph.nodes.len() {
            // What a node takes while it runs: it will not fail then.
            drop(Work::new(graph, &graph.operator(node)?, arena, false)?);
        }
        Ok(Interpreter(self.0))
    }
}

impl<'a> Interpreter<'a> {
    /// All phases at once.
    ///
    /// # Errors
    /// Those of [`Loaded::new`], [`Loaded::prepare`] and [`PreparedModel::plan`].
    pub fn new(model: &'a [u8], ops: &'a [OpRegistration], arena: &'a mut [u8]) -> Result<Self> {
        Loaded::new(model, ops, arena)?.prepare()?.plan(Planner::Greedy)
    }

    /// Runs the model once.
    ///
    /// # Errors
    /// What an op says that fails.
    pub fn invoke(&mut self) -> Result<()> {
        host::offer_host(&message::HOST);
        (0..self.0.graph.nodes.len()).try_for_each(|node| self.run(node))
    }

    fn run(&mut self, node: usize) -> Result<()> {
        let Parts { graph, arena, .. } = &mut self.0;
        let prepared = &graph.nodes[node];
        let Some(op) = prepared.op else { return Ok(()) };
        let operator = graph.operator(node)?;
        let code = graph.model.operator_code(&operator).ok_or(Error::Index { index: node, count: 0 })?;
        let mut host = EvalHost { work: Work::new(graph, &operator, arena, false)? };
        let raw = host.work.node(node, &code, &operator);
        let eval = eval_struct(&mut host, 1, prepared.persistent, prepared.scratch());
        // SAFETY: the structs are valid for the call, `prepare` initialised the state, and the plan keeps apart what lives at once.
        let status = unsafe { (op.eval)(&eval, &raw, prepared.state) };
        message::check(status).map_err(|error| Error::Node { node, code: code.builtin_code(), error })
    }

    /// Gives variables and the states of ops their first values.
    pub fn reset(&mut self) {
        self.0.graph.reset_variables();
        self.0.graph.nodes.iter().for_each(prepare::reset);
    }

    /// Bytes of an input, to be written before each invocation.
    ///
    /// # Errors
    /// There is no such input.
    pub fn input(&mut self, index: usize) -> Result<&mut [u8]> {
        let t = self.tensor(self.0.graph.subgraph.inputs(), index)?;
        if self.0.graph.slots[t].is_constant() {
            return Err(Error::Tensor {
                tensor: t,
                reason: "it is an input whose value stands in the model",
            });
        }
        let (data, bytes) = (self.0.graph.slots[t].data, self.0.graph.bytes(t));
        // SAFETY: the tensor has so many bytes in the arena, which this borrows.
        Ok(unsafe { core::slice::from_raw_parts_mut(data, bytes) })
    }

    /// Bytes of an output, as the last invocation left them.
    ///
    /// # Errors
    /// There is no such output.
    pub fn output(&self, index: usize) -> Result<&[u8]> {
        let t = self.tensor(self.0.graph.subgraph.outputs(), index)?;
        // SAFETY: the tensor has so many bytes in the arena or in the model, which nobody writes while this is borrowed.
        Ok(unsafe { slice(self.0.graph.slots[t].data, self.0.graph.bytes(t)) })
    }

    /// What an input is.
    ///
    /// # Errors
    /// There is no such input.
    pub fn input_info(&self, index: usize) -> Result<TensorInfo<'_>> {
        self.info(self.tensor(self.0.graph.subgraph.inputs(), index)?)
    }

    /// What an output is.
    ///
    /// # Errors
    /// There is no such output.
    pub fn output_info(&self, index: usize) -> Result<TensorInfo<'_>> {
        self.info(self.tensor(self.0.graph.subgraph.outputs(), index)?)
    }

    /// Number of inputs.
    pub fn input_count(&self) -> usize {
        self.0.graph.subgraph.inputs().len()
    }

    /// Number of outputs.
    pub fn output_count(&self) -> usize {
        self.0.graph.subgraph.outputs().len()
    }

    /// What the model needs of an arena.
    pub fn sizes(&self) -> Sizes {
        self.0.arena.sizes()
    }

    fn tensor(&self, list: List<'_, i32>, index: usize) -> Result<usize> {
        let tensor = list.get(index).and_then(|t| usize::try_from(t).ok());
        tensor.ok_or(Error::Index { index, count: list.len() })
    }

    fn info(&self, t: usize) -> Result<TensorInfo<'_>> {
        let tensor = self.0.graph.tensor(t)?;
        let quantization = tensor.quantization().filter(|q| q.scale().len() == 1);
        Ok(TensorInfo {
            name: tensor.name().unwrap_or(""),
            ty: element_type(&tensor),
            shape: self.0.graph.slots[t].shape(),
            quantization: quantization.and_then(|q| Some((q.scale().get(0)?, q.zero_point().get(0)?))),
        })
    }
}
