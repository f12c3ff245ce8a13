//! Runs nodes whose inputs are constants before the plan runs: their results become constants.

use std::sync::Arc;

use arenite_abi::raw::{OP_STATEFUL, SHARE_VIEW, TENSOR_VARIABLE};

use super::memory::Memory;
use super::site::Site;
use super::step::{Kernel, Step};
use crate::arena::Block;
use crate::error::Result;
use crate::graph::Graph;
use crate::plugins::registration::OpRegistration;

impl Site<'_> {
    /// Runs a prepared step now if all its inputs are constant and its result has at most `limit` bytes.
    pub(crate) fn fold(&mut self, step: &mut Step, limit: u64) -> Result<()> {
        let Kernel::Op { op, .. } = &step.kernel else { return Ok(()) };
        let op = Arc::clone(op);
        if self.view_constant(step, &op) || !self.is_foldable(step, limit) {
            return Ok(());
        }
        let mut results = Vec::new();
        let mut scratch = Vec::new();
        // Its results become constants, which have separate memory.
        let lent = std::mem::take(&mut self.memory.lent);
        let done = self.fold_memory(step, &mut results, &mut scratch).and_then(|()| self.eval(step, None));
        self.memory.lent = lent;
        // After an error as well, no step points to freed memory.
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

    /// Makes the result of a prepared step a constant without running it, if it is a view of a constant of the model.
    /// So are weights that the model stores sparse: the graph has them in dense form. Returns whether it is one now.
    fn view_constant(&mut self, step: &mut Step, op: &OpRegistration) -> bool {
        let &[output] = step.outputs() else { return false };
        let view = step.shares.iter().find(|share| share.kind == SHARE_VIEW);
        let input = view.and_then(|share| step.inputs().get(share.input as usize));
        let (Some(&input), Ok(t)) = (input, usize::try_from(output)) else { return false };
        let constant = self.graph.tensors.get(input as usize).and_then(|tensor| tensor.constant.as_ref());
        let Some(constant) = constant.filter(|_| self.is_foldable(step, u64::MAX)) else { return false };
        let Memory { table, constants, budget, .. } = &mut *self.memory;
        let align = (self.graph.tensors[t].ty.bits() as usize / 8).clamp(1, 8);
        if table.get(t).bytes != constant.len() as u64 || !constant.as_ptr().addr().is_multiple_of(align) {
            return false;
        }
        constants.view(t, table, constant, op, budget);
        step.become_constant();
        true
    }

    /// Allocates memory for the results of a step that is folded, and for its single run.
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

    /// Whether a prepared step can be folded: it reads only constants, keeps no state, and no result exceeds `limit`
    /// bytes.
    pub(crate) fn is_foldable(&self, step: &Step, limit: u64) -> bool {
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

    /// Whether the inputs are all constants, and there is at least one.
    pub(crate) fn reads_constants(&self, inputs: &[i32]) -> bool {
        let table = &self.memory.table;
        Graph::present(inputs).next().is_some() && Graph::present(inputs).all(|t| table.is_constant(t))
    }

    /// Reuses the constants that this node computed earlier, if its inputs have not changed. Returns the op that
    /// computed them.
    pub(crate) fn reuse_constant(&mut self, node: usize) -> Option<OpRegistration> {
        let info = &self.graph.nodes[node];
        if !self.reads_constants(&info.inputs) {
            return None;
        }
        let Memory { table, constants, .. } = &mut *self.memory;
        constants.reuse(Graph::present(&info.inputs), Graph::present(&info.outputs), table)
    }

    /// Computes the constants of a node now, whatever their size.
    pub(crate) fn compute(&mut self, node: usize) -> Result<()> {
        self.lend(node, |site, step| {
            site.prepare_node(step, node)?;
            site.fold(step, u64::MAX)
        })
    }

    /// Calls `f` with a temporary step for a node, then releases the persistent memory that the step took.
    pub(crate) fn lend<R>(
        &mut self,
        node: usize,
        f: impl FnOnce(&mut Self, &mut Step) -> Result<R>,
    ) -> Result<R> {
        let mark = self.memory.persistent.mark();
        let mut step = self.node_step(node);
        let done = f(self, &mut step);
        drop(step);
        self.memory.persistent.release(mark, &mut self.memory.budget);
        done
    }
}
