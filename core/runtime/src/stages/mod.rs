//! The stages between a graph and its results. Each is a value that owns what it made, and each arrow is the function in the file
//! of that name:
//!
//! ```text
//! Graph ─► Inferred ─────► Delegated ─────► Prepared ─────► Placed ─────► Runner
//!        (shapes,         (steps,          (steps ready    (offsets,     (segments: Vec<Segment
//!         constants)       partitions,      to run, what    addresses)     {Prepared, Placed}>)
//!                          refusals)        they share)
//! ```
//!
//! A called subgraph stops at `Inferred` until somebody runs it. What is shared and changes is [`memory`].
//!
//! The execution plan falls into *segments*. A segment ends behind a step whose output shapes only its run can tell; what
//! follows goes through the stages when those shapes are known, and again only when they change.
//!
//! ```text
//!   ├──── segment 0 ────┤├── segment 1 ──┤├─ segment 2 ─┤
//!   CONV  RELU  RESHAPE*  ADD  SLICE*      SOFTMAX          * dynamic output
//! ```

pub(crate) mod calls;
pub(crate) mod constants;
pub(crate) mod delegated;
pub(crate) mod delegates;
pub(crate) mod executor;
pub(crate) mod failure;
mod fallback;
pub(crate) mod inferred;
mod kept;
pub(crate) mod lent;
pub(crate) mod memory;
pub mod partition;
pub(crate) mod partition_device;
pub(crate) mod partition_kernel;
pub(crate) mod pending;
pub(crate) mod placed;
pub(crate) mod prepared;
pub(crate) mod preview;
pub(crate) mod report;
pub(crate) mod runner;
pub(crate) mod step;
pub(crate) mod table;
pub(crate) mod values;

use std::collections::BTreeSet;
use std::sync::Arc;

use arenite_abi::Status;
use arenite_abi::raw::{OP_STATEFUL, TENSOR_VARIABLE};

use crate::arena::{ALIGNMENT, Block};
use crate::error::{Error, Result, UnresolvedOp};
use crate::graph::Graph;
use crate::plugins::registry::OpRegistration;
use crate::profile::ProfileRow;
use crate::run::Run;
use memory::Memory;
use step::{Failure, Kernel, Phase, Step};

/// What every stage works with.
pub(crate) struct Site<'a> {
    pub graph: &'a Graph,
    pub memory: &'a mut Memory,
    pub run: &'a Run<'a>,
    pub phase: Phase,
}

impl Site<'_> {
    /// Calls `f`, in which nodes are prepared to find shapes alone.
    pub fn inferring<R>(&mut self, f: impl FnOnce(&mut Self) -> R) -> R {
        let before = std::mem::replace(&mut self.phase, Phase::Infer);
        let done = f(self);
        self.phase = before;
        done
    }

    /// A step for a node of the graph.
    pub fn node_step(&self, node: usize) -> Step {
        let table = &self.memory.table;
        Step::new(self.graph.nodes[node].to_raw(table.as_ptr(), table.len()), Some(node))
    }

    /// Prepares a node with the first candidate that serves it.
    pub fn prepare_node(&mut self, step: &mut Step, node: usize) -> Result<()> {
        let graph = self.graph;
        let mut refusal = None;
        for candidate in &graph.nodes[node].candidates {
            self.memory.reset_outputs(graph, step.outputs());
            match step.prepare_op(&candidate.op, self) {
                Ok(()) => return Ok(()),
                Err(failure) => {
                    let last = failure.status != Status::Unsupported;
                    // The first refusal is that of the preferred plugin.
                    refusal.get_or_insert(failure);
                    if last {
                        break;
                    }
                }
            }
        }
        // A refused op may have given an output a shape.
        self.memory.reset_outputs(graph, step.outputs());
        match refusal {
            Some(failure) => Err(self.failed(step, failure)),
            None => Err(Error::unresolved(unresolved(graph, std::iter::once(node)))),
        }
    }

    /// Runs a step.
    pub fn eval(&mut self, step: &mut Step, profile: Option<&mut ProfileRow>) -> Result<()> {
        let _span =
            tracing::trace_span!("node", op = op_of(self.graph, step), index = step.raw.index).entered();
        if step.dynamic {
            self.memory.forget_dynamic(step.outputs());
        }
        if self.run.is_over() {
            return Err(self.run.stopped());
        }
        if let Err(failure) = step.eval(self, profile) {
            return Err(self.failed(step, failure));
        }
        if step.dynamic {
            self.check_dynamic_outputs(step)?;
        }
        Ok(())
    }

    fn check_dynamic_outputs(&self, step: &Step) -> Result<()> {
        let table = &self.memory.table;
        for t in Graph::present(step.outputs()) {
            if table.is_dynamic(t) && table.get(t).data.is_null() {
                let message =
                    format!("it gave no shape to its dynamic output '{}'", &*self.graph.tensors[t].name);
                return Err(self.failed(step, Failure { status: Status::Internal, message }));
            }
        }
        Ok(())
    }

    /// Runs a prepared step now if all that it reads is constant and its result is no larger than `limit`.
    pub fn fold(&mut self, step: &mut Step, limit: u64) -> Result<()> {
        let Kernel::Op { op, .. } = &step.kernel else { return Ok(()) };
        let op = Arc::clone(op);
        if !self.is_foldable(step, limit) {
            return Ok(());
        }
        let mut results = Vec::new();
        let mut scratch = Vec::new();
        // Its results become constants, which have memory of their own.
        let lent = std::mem::take(&mut self.memory.lent);
        let done = self.fold_memory(step, &mut results, &mut scratch).and_then(|()| self.eval(step, None));
        self.memory.lent = lent;
        // On an error, too, no step points to memory that is gone.
        step.scratch.clear();
        let Memory { table, constants, dynamic, budget, .. } = &mut *self.memory;
        scratch.into_iter().for_each(|mut block: Block| block.release(budget));
        if let Err(error) = done {
            results.into_iter().for_each(|(_, mut block)| block.release(budget));
            return Err(error);
        }
        for t in Graph::present(step.outputs()).filter(|&t| table.is_dynamic(t)) {
            results.push((t, std::mem::replace(&mut dynamic[t], Block::EMPTY)));
        }
        for (t, block) in results {
            constants.adopt(t, table, block, &op, budget);
        }
        Graph::present(step.inputs()).for_each(|t| self.run.release(table.constant_bytes(t)));
        step.become_constant();
        Ok(())
    }

    /// Memory for the results of a step that is folded, and for its one run.
    fn fold_memory(
        &mut self,
        step: &mut Step,
        results: &mut Vec<(usize, Block)>,
        scratch: &mut Vec<Block>,
    ) -> Result<()> {
        let Memory { table, budget, .. } = &mut *self.memory;
        for t in Graph::present(step.outputs()) {
            if !table.is_dynamic(t) && !table.is_constant(t) {
                let mut block = Block::EMPTY;
                block.grow(table.get(t).bytes as usize, budget, "a constant")?;
                table.set_data(t, block.as_ptr());
                results.push((t, block));
            }
        }
        for request in &step.scratch_requests {
            let mut block = Block::EMPTY;
            block.grow(request.bytes as usize, budget, "scratch of a node with a constant result")?;
            step.scratch
                .push(arenite_abi::raw::ArSpan { data: block.as_ptr().cast(), bytes: block.len() as u64 });
            scratch.push(block);
        }
        Ok(())
    }

    /// Whether a prepared step can run now, once: it reads constants alone, keeps no state, and no result is larger than `limit`.
    pub fn is_foldable(&self, step: &Step, limit: u64) -> bool {
        let table = &self.memory.table;
        let small = |t: usize| {
            let raw = table.get(t);
            raw.flags & TENSOR_VARIABLE == 0 && (table.is_dynamic(t) || raw.bytes <= limit)
        };
        matches!(&step.kernel, Kernel::Op { op, .. } if op.flags & OP_STATEFUL == 0)
            && self.reads_constants(step.inputs())
            && Graph::present(step.outputs()).next().is_some()
            && Graph::present(step.outputs()).all(small)
    }

    /// Whether a list of inputs names constants alone, one at least.
    pub fn reads_constants(&self, inputs: &[i32]) -> bool {
        let table = &self.memory.table;
        Graph::present(inputs).next().is_some() && Graph::present(inputs).all(|t| table.is_constant(t))
    }

    /// The error of a step that a plugin refused or failed to run.
    pub fn failed(&self, step: &Step, failure: Failure) -> Error {
        if failure.status == Status::Cancelled && self.run.is_over() {
            return self.run.stopped();
        }
        let (op, output) = name_of(self.graph, step);
        Error::Node {
            op,
            subgraph: step.raw.subgraph as usize,
            node: step.raw.index as usize,
            output,
            status: failure.status,
            message: failure.message,
        }
    }
}

/// The ops of these nodes that nobody serves.
pub(crate) fn unresolved(graph: &Graph, nodes: impl Iterator<Item = usize>) -> Vec<UnresolvedOp> {
    let missing: BTreeSet<usize> = nodes.filter_map(|node| graph.nodes[node].unresolved).collect();
    missing.into_iter().map(|u| graph.unresolved[u].clone()).collect()
}

/// Op of a step, or the delegate that runs it, for spans.
pub(crate) fn op_of<'a>(graph: &'a Graph, step: &'a Step) -> &'a str {
    match (step.node, &step.kernel) {
        (Some(node), _) => graph.nodes[node].key.as_str(),
        (None, Kernel::Partition(kernel)) => &kernel.owner.name,
        (None, _) => "DELEGATE",
    }
}

/// Op and output name of a step, for listings.
pub(crate) fn name_of(graph: &Graph, step: &Step) -> (String, String) {
    let op = match (step.node, &step.kernel) {
        (Some(node), _) => graph.op_name(node),
        (None, Kernel::Partition(kernel)) => format!("delegate {}", kernel.owner.name),
        (None, _) => "DELEGATE".to_owned(),
    };
    let output = Graph::present(step.outputs()).next().map(|t| graph.tensors[t].name.to_string());
    (op, output.unwrap_or_default())
}

/// Whether a node's op keeps a state, in memory of its own or in variables among its inputs.
pub(crate) fn has_state(graph: &Graph, node: usize) -> bool {
    graph.nodes[node].candidates.first().is_some_and(|c| c.op.flags & OP_STATEFUL != 0)
}

/// Whether a node has effects besides its outputs: its op keeps a state, or it reads or writes a variable.
pub(crate) fn is_stateful(graph: &Graph, node: usize) -> bool {
    let info = &graph.nodes[node];
    has_state(graph, node)
        || Graph::present(&info.inputs)
            .chain(Graph::present(&info.outputs))
            .any(|t| graph.tensors[t].variable)
}

/// Every buffer starts at a multiple of this.
pub(crate) const BUFFER_ALIGNMENT: u64 = ALIGNMENT as u64;

impl Site<'_> {
    /// Where this node computed constants before, of what did not change since: its outputs are those. Gives the op that did.
    pub fn reuse_constant(&mut self, node: usize) -> Option<OpRegistration> {
        let info = &self.graph.nodes[node];
        if !self.reads_constants(&info.inputs) {
            return None;
        }
        let Memory { table, constants, .. } = &mut *self.memory;
        constants.reuse(Graph::present(&info.inputs), Graph::present(&info.outputs), table)
    }

    /// Computes the constants of a node now, whatever their size.
    pub fn compute(&mut self, node: usize) -> Result<()> {
        self.lend(node, |site, step| {
            site.prepare_node(step, node)?;
            site.fold(step, u64::MAX)
        })
    }

    /// Calls `f` with a step for a node, and takes back what that was given.
    fn lend<R>(&mut self, node: usize, f: impl FnOnce(&mut Self, &mut Step) -> Result<R>) -> Result<R> {
        let mark = self.memory.persistent.mark();
        let mut step = self.node_step(node);
        let done = f(self, &mut step);
        drop(step);
        self.memory.persistent.release(mark, &mut self.memory.budget);
        done
    }
}
