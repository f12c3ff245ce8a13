//! Lets nodes of other subgraphs call this one: they set its inputs, run it and read its outputs.

use arenite_abi::ElementType;
use arenite_abi::raw::{ArGraphV1, ArTensorV1, TENSOR_CONSTANT, TENSOR_DYNAMIC, slice};

use super::executor::{Executor, Stage};
use super::inferred::infer;
use super::pending::PendingNodes;
use super::runner::Runner;
use crate::arena::Block;
use crate::call::run::{Callee, Run};
use crate::error::{Error, Result};
use crate::graph::Graph;
use crate::stages::partition_kernel::GraphForDelegate;

impl Callee for Executor {
    fn describe(&mut self) -> *const ArGraphV1 {
        if self.description.is_none() {
            let (tensors, count) = (self.memory.table.as_ptr(), self.memory.table.len());
            let nodes = self.graph.nodes.iter();
            let nodes = nodes.map(|node| node.to_raw(tensors, count)).collect();
            let made = GraphForDelegate::new(
                &self.memory.table,
                nodes,
                Vec::new(),
                &self.graph.inputs,
                &self.graph.outputs,
            );
            self.description = Some(Box::new(made));
        }
        self.description.as_ref().map_or(std::ptr::null(), |made| made.as_raw())
    }

    fn describe_to_delegate(&mut self) -> Result<*const ArGraphV1> {
        let pending = match &self.stage {
            Stage::Inferred(pending) => Some(pending.clone()),
            _ if self.is_ready() => self.runner().map(Runner::pending),
            _ => None,
        };
        let Some(pending) = pending else {
            return Err(Error::State(format!("subgraph {}: its shapes are unknown", self.graph.index)));
        };
        let unknown = pending.nodes(&self.graph).next().or(self.unchecked);
        match unknown.map(|node| (node, self.graph.op_name(node))) {
            None => Ok(self.describe()),
            Some((node, op)) => Err(Error::State(format!(
                "subgraph {}: the shape of what node {node}, {op}, gives is unknown before it runs",
                self.graph.index
            ))),
        }
    }

    fn input_count(&self) -> usize {
        self.graph.inputs.len()
    }

    fn output_count(&self) -> usize {
        self.graph.outputs.len()
    }

    unsafe fn set_input(&mut self, i: usize, value: &ArTensorV1, run: &Run<'_>) -> Result<()> {
        self.check_callable()?;
        let count = self.graph.inputs.len();
        let t = self.graph.inputs.get(i).and_then(|&t| usize::try_from(t).ok()).ok_or_else(|| {
            Error::State(format!("input {i} does not exist; subgraph {} has {count}", self.graph.index))
        })?;
        let info = &self.graph.tensors[t];
        if info.ty as u32 != value.element_type {
            let given = ElementType::from_raw(value.element_type);
            let message =
                format!("it is {}, the caller gives {}", info.ty, given.map_or("?", |ty| ty.name()));
            return Err(Error::Tensor { name: info.name.to_string(), message });
        }
        let sized = info.ty.bits() > 0;
        // SAFETY: `set_input` requires a value of the calling node, whose `dims` has `rank` numbers for the call.
        let shape = unsafe { slice(value.dims, value.rank as usize) };
        if self.coming_shape(t) != shape {
            if self.is_ready() {
                self.stage_inputs()?;
            }
            self.resize_input(t, shape, run.settings.quota.bytes)?;
        }
        if value.data.is_null() {
            return Ok(());
        }
        // SAFETY: `data` is not null, and `set_input` requires that it has `bytes` readable bytes for the call.
        let bytes = unsafe { slice(value.data.cast::<u8>().cast_const(), value.bytes as usize) };
        match (sized, self.is_ready()) {
            _ if self.graph.tensors[t].constant.is_some() => self.expect_constant(t, bytes),
            (false, _) => self.copy_strings(t, bytes),
            (true, true) => self.copy_in(t, bytes),
            (true, false) => {
                let block = self.staged.entry(t).or_insert(Block::EMPTY);
                block.grow(bytes.len(), &mut self.memory.budget, "an input of a called subgraph")?;
                // SAFETY: the block has that many bytes and belongs to this executor.
                unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), block.as_ptr(), bytes.len()) };
                Ok(())
            }
        }
    }

    fn output(&self, i: usize) -> Result<ArTensorV1> {
        let count = self.graph.outputs.len();
        let t = self.graph.outputs.get(i).and_then(|&t| usize::try_from(t).ok()).ok_or_else(|| {
            Error::State(format!("output {i} does not exist; subgraph {} has {count}", self.graph.index))
        })?;
        let mut raw = self.memory.table.get(t);
        let late = match &self.stage {
            Stage::Inferred(pending) => pending.writes(&self.graph, t),
            _ => self.runner().is_some_and(|runner| runner.pending().writes(&self.graph, t)),
        };
        if late || self.graph.tensors[t].ty.bits() == 0 {
            raw.flags |= TENSOR_DYNAMIC;
        }
        Ok(raw)
    }

    fn forward_to_itself(&mut self, run: &Run<'_>) -> Result<()> {
        let values = (0..self.output_count()).map(|i| self.output(i));
        if self.can_forward_in_order() {
            for i in 0..self.output_count() {
                let value = self.output(i)?;
                if self.graph.inputs.get(i) != self.graph.outputs.get(i) {
                    // SAFETY: the output overlaps no input, as checked, and shapes do not change.
                    unsafe { self.set_input(i, &value, run) }?;
                }
            }
            return Ok(());
        }
        let values = values.collect::<Result<Vec<_>>>()?;
        // SAFETY: the values are this executor's outputs.
        let copies: Vec<(Vec<i32>, Vec<u8>)> = unsafe {
            let copy = |v: &ArTensorV1| {
                (
                    slice(v.dims, v.rank as usize).to_vec(),
                    slice(v.data.cast::<u8>(), v.bytes as usize).to_vec(),
                )
            };
            values.iter().map(copy).collect()
        };
        for (i, (mut value, (shape, bytes))) in values.into_iter().zip(&copies).enumerate() {
            value.dims = shape.as_ptr();
            value.data = bytes.as_ptr().cast_mut().cast();
            // SAFETY: the value points to the copies.
            unsafe { self.set_input(i, &value, run) }?;
        }
        Ok(())
    }

    fn infer(&mut self, run: &Run<'_>) -> Result<()> {
        if run.settings.delegates.is_empty() {
            return self.make_ready(run);
        }
        if self.is_ready() || matches!(self.stage, Stage::Inferred(_)) {
            return Ok(());
        }
        self.begin();
        let all = PendingNodes::default();
        let inferred = self.site(run).0.inferring(|site| infer(site, &all))?;
        self.unchecked = inferred.nodes.iter().find(|known| !known.checked).map(|known| known.node);
        self.stage = Stage::Inferred(all.after(inferred.nodes.len(), Vec::new()));
        Ok(())
    }

    fn make_ready(&mut self, run: &Run<'_>) -> Result<()> {
        if self.is_ready() {
            return Ok(());
        }
        let done = self.allocate(run);
        self.unstage_inputs(done)
    }

    fn invoke(&mut self, run: &Run<'_>) -> Result<()> {
        self.invoke(run)
    }

    fn forget_inferred(&mut self, run: &Run<'_>) {
        if !matches!(self.stage, Stage::Inferred(_)) {
            return;
        }
        self.begin();
        for t in 0..self.graph.tensors.len() {
            run.release(self.memory.table.constant_bytes(t));
        }
    }

    fn take_released(&mut self, run: &Run<'_>) -> Result<()> {
        if self.is_released() { self.allocate(run) } else { Ok(()) }
    }

    fn constants_version(&self) -> u64 {
        self.memory.constants.latest()
    }

    fn is_stateful(&self) -> bool {
        (0..self.graph.nodes.len()).any(|node| self.graph.is_stateful(node))
    }
}

impl Executor {
    /// An error unless the caller gives a constant input its value.
    fn expect_constant(&self, t: usize, bytes: &[u8]) -> Result<()> {
        let own = self.memory.table.constant_bytes(t);
        if (own.as_ptr(), own.len()) == (bytes.as_ptr(), bytes.len()) || own == bytes {
            return Ok(());
        }
        let message = "it is a constant, because every IF passes the same; the caller gives another value";
        Err(Error::Tensor { name: self.graph.tensors[t].name.to_string(), message: message.into() })
    }

    /// Sets the bytes of an input of strings. It must not be constant.
    pub(super) fn copy_strings(&mut self, t: usize, bytes: &[u8]) -> Result<()> {
        let info = &self.graph.tensors[t];
        if self.graph.tensors[t].constant.is_some() {
            let message = "it is constant, its value cannot be set".to_owned();
            return Err(Error::Tensor { name: info.name.to_string(), message });
        }
        self.memory.set_input_bytes(t, bytes)
    }

    fn copy_in(&mut self, t: usize, bytes: &[u8]) -> Result<()> {
        let raw = self.memory.table.get(t);
        let fits = raw.bytes as usize == bytes.len() && raw.flags & TENSOR_CONSTANT == 0;
        if !fits || (raw.data.is_null() && !bytes.is_empty()) {
            let message = format!("it takes {} bytes, the caller gives {}", raw.bytes, bytes.len());
            return Err(Error::Tensor { name: self.graph.tensors[t].name.to_string(), message });
        }
        if !bytes.is_empty() {
            // SAFETY: the tensor has that many bytes in this executor's memory, which the caller's slice does not
            // overlap.
            unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), raw.data.cast::<u8>(), bytes.len()) };
        }
        Ok(())
    }

    /// Saves the values of all inputs before memory is planned again.
    pub(super) fn stage_inputs(&mut self) -> Result<()> {
        for t in Graph::present(&self.graph.inputs) {
            let raw = self.memory.table.get(t);
            if self.graph.tensors[t].ty.bits() == 0 || raw.data.is_null() || raw.flags & TENSOR_CONSTANT != 0
            {
                continue;
            }
            let block = self.staged.entry(t).or_insert(Block::EMPTY);
            block.grow(raw.bytes as usize, &mut self.memory.budget, "an input of a called subgraph")?;
            // SAFETY: both have that many bytes; the block is its own allocation.
            unsafe { std::ptr::copy_nonoverlapping(raw.data.cast(), block.as_ptr(), raw.bytes as usize) };
        }
        Ok(())
    }

    /// Restores the saved input values if memory was planned successfully.
    pub(super) fn unstage_inputs(&mut self, mut done: Result<()>) -> Result<()> {
        for (t, mut block) in std::mem::take(&mut self.staged) {
            let bytes = self.memory.table.get(t).bytes as usize;
            if done.is_ok() && bytes <= block.len() {
                // SAFETY: the block has at least that many bytes.
                done = self.copy_in(t, unsafe { slice(block.as_ptr().cast_const(), bytes) });
            }
            block.release(&mut self.memory.budget);
        }
        done
    }

    /// Whether outputs can be copied to inputs in order, without staging: shapes match, and no output shares memory
    /// with an input.
    fn can_forward_in_order(&self) -> bool {
        let (inputs, outputs) = (&self.graph.inputs, &self.graph.outputs);
        if inputs.len() != outputs.len() || inputs.len() > 64 || !self.is_ready() {
            return false;
        }
        let range = |t: i32| {
            let raw = self.memory.table.get(usize::try_from(t).unwrap_or(0));
            raw.data.addr()..raw.data.addr() + raw.bytes as usize
        };
        let pairs = inputs.iter().zip(outputs);
        pairs.clone().all(|(&input, &output)| {
            let (Ok(i), Ok(o)) = (usize::try_from(input), usize::try_from(output)) else { return false };
            let moved = range(output);
            self.coming_shape(i) == self.memory.table.shape(o)
                && pairs.clone().all(|(&other, &its_output)| {
                    let taken = range(other);
                    input == output
                        || other == its_output
                        || moved.end <= taken.start
                        || taken.end <= moved.start
                })
        })
    }
}
