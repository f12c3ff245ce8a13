//! Access of nodes to the model's other subgraphs and to resources.
//!
//! A subgraph is planned once, so each of its tensors has one shape for all callers; a call with another shape is
//! refused. Calls are recorded in `prepare`. A subgraph cannot be called while it is prepared, so no subgraph calls
//! itself, and the nesting depth is known after `prepare`.

use arenite_abi::host_side::ModelSide;
use arenite_abi::raw::{ArGraphV1, ArStr, ArTensorV1, TENSOR_DYNAMIC, slice};
use arenite_abi::tensor::element_count;
use arenite_abi::{ElementType, Error, invalid, unsupported};

use super::describe::GraphViews;
use super::prepare::prepare;
use super::rehearse::forwarded_bytes;
use super::run::run;
use crate::arena::Category;
use crate::error;
use crate::model::build;
use crate::model::graph::{Call, Graph, Stage, element_type, size_of_elements};
use crate::model::machine::MAX_NESTING;
use crate::model::site::Site;

/// The model, during one callback of a node.
pub(crate) struct ModelAccess<'m, 'h, 'a> {
    pub site: Site<'h, 'a>,
    /// The calling node.
    pub node: usize,
    /// Whether the node runs; if not, it is being prepared.
    pub runs: bool,
    /// The full error, where the node only gets a short one.
    pub failed: &'m mut Option<error::Error>,
    /// The subgraphs that the node inspects; only in `prepare`.
    pub described: Option<&'m mut GraphViews<'h>>,
}

impl<'h, 'a> ModelAccess<'_, 'h, 'a> {
    /// Keeps the full error for the caller of the interpreter, and returns a short one for the node.
    fn keep<T>(&mut self, result: error::Result<T>) -> Result<T, Error> {
        result.map_err(|error| {
            let told = Error::new(error.status(), format_args!("{error}"));
            self.failed.get_or_insert(error);
            told
        })
    }

    fn find(&self, subgraph: u32) -> Result<&'h Graph<'a>, Error> {
        let count = self.site.machine.count();
        let graph = self.site.machine.graph(subgraph as usize);
        graph.ok_or_else(|| invalid!("subgraph {subgraph} does not exist; the model has {count}"))
    }

    /// A subgraph with slots, which is not being prepared.
    fn build(&mut self, subgraph: u32) -> Result<&'h Graph<'a>, Error> {
        let graph = self.find(subgraph)?;
        let Site { machine, arena, .. } = self.site;
        match graph.stage.get() {
            Stage::Busy => Err(invalid!(
                "subgraph {subgraph} calls itself, directly or through another subgraph; recursion is not supported"
            )),
            Stage::Unbuilt => {
                machine.asked.set(machine.asked.get() + 1);
                let done = build::build(machine, graph, arena);
                self.keep(done).map(|()| graph)
            }
            _ => Ok(graph),
        }
    }

    /// A subgraph that this node has prepared.
    fn find_prepared(&self, subgraph: u32) -> Result<&'h Graph<'a>, Error> {
        let graph = self.find(subgraph)?;
        let known = match self.runs {
            true => self.site.graph.callees(self.node).any(|callee| callee == subgraph as usize),
            false => graph.is_ready(),
        };
        if known { Ok(graph) } else { Err(invalid!("subgraph {subgraph} was not prepared by this node")) }
    }

    /// Sets the shape of tensor `t`, input `input` of a subgraph. Fails if the subgraph is prepared with another shape;
    /// `[]` and `[1]` count as equal.
    fn set_shape(
        &mut self,
        graph: &Graph<'a>,
        subgraph: u32,
        input: u32,
        t: usize,
        shape: &[i32],
    ) -> Result<(), Error> {
        let slot = graph.slot(t);
        let single = |shape: &[i32]| matches!(shape, [] | [1]);
        if slot.shape() == shape || graph.is_ready() && single(shape) && single(slot.shape()) {
            return Ok(());
        }
        if graph.is_ready() {
            let known = slot.shape();
            return Err(unsupported!(
                "input {input} of subgraph {subgraph} has shape {shape:?} here and {known:?} in an earlier call; each subgraph is planned for one shape"
            ));
        }
        let done = build::reshape(graph, self.site.arena, t, shape);
        self.keep(done)
    }

    /// Records that the node calls a prepared subgraph.
    fn note_call(&mut self, graph: &Graph<'a>) -> Result<(), Error> {
        let Site { arena, graph: own, .. } = self.site;
        if own.callees(self.node).any(|callee| callee == graph.index) {
            return Ok(());
        }
        let call: error::Result<&'a [Call<'a>]> = arena
            .persistent(1, Category::Subgraphs, |_| Call::new(self.node, graph.index))
            .map(|list| &*list);
        own.note_call(&self.keep(call)?[0]);
        own.height.set(own.height.get().max(graph.height.get() + 1));
        Ok(())
    }
}

/// The tensor of input or output `i` of a subgraph.
fn port_tensor(
    list: arenite_model::List<'_, i32>,
    subgraph: u32,
    i: u32,
    kind: &str,
) -> Result<usize, Error> {
    let count = list.len();
    let t = list.get(i as usize).and_then(|t| usize::try_from(t).ok());
    t.ok_or_else(|| invalid!("subgraph {subgraph} has {count} {kind}s, so {kind} {i} does not exist"))
}

impl ModelSide for ModelAccess<'_, '_, '_> {
    type Refused = Error;

    fn describe(&mut self, subgraph: u32) -> Result<*const ArGraphV1, Error> {
        let graph = self.build(subgraph)?;
        let Some(described) = &mut self.described else {
            return Err(unsupported!("subgraphs can be inspected in prepare only"));
        };
        let added = described.add(self.site.within(graph));
        self.keep(added)?
    }

    fn ports(&mut self, subgraph: u32) -> Result<(usize, usize), Error> {
        let graph = self.find(subgraph)?;
        Ok((graph.subgraph.inputs().len(), graph.subgraph.outputs().len()))
    }

    unsafe fn set_input(&mut self, subgraph: u32, input: u32, value: &ArTensorV1) -> Result<(), Error> {
        let graph = if self.runs { self.find_prepared(subgraph)? } else { self.build(subgraph)? };
        let t = port_tensor(graph.subgraph.inputs(), subgraph, input, "input")?;
        let ty = graph.slot(t).element_type();
        if ty as u32 != value.element_type {
            let given = ElementType::from_raw(value.element_type).map_or("?", |ty| ty.name());
            return Err(invalid!("input {input} of subgraph {subgraph} is {ty}; the node passes {given}"));
        }
        // SAFETY: `value.dims` points to `value.rank` dimensions, as the contract of `set_input` requires.
        let shape = unsafe { slice(value.dims, value.rank as usize) };
        self.set_shape(graph, subgraph, input, t, shape)?;
        if value.data.is_null() || !self.runs {
            return Ok(());
        }
        let slot = graph.slot(t);
        let bytes = size_of_elements(ty, element_count(slot.shape())).unwrap_or(0);
        if bytes as u64 != value.bytes || slot.data.is_null() || slot.is_constant() {
            let given = value.bytes;
            return Err(invalid!(
                "input {input} of subgraph {subgraph} takes {bytes} bytes; the node passes {given}"
            ));
        }
        // SAFETY: the plan gave the tensor `bytes` bytes, no op of its subgraph runs, and `value.data` is readable for
        // `value.bytes == bytes`, as the contract of `set_input` requires.
        unsafe { slot.data.copy_from(value.data.cast::<u8>(), bytes) };
        Ok(())
    }

    fn forward(&mut self, from: u32, to: u32) -> Result<(), Error> {
        let (source, target) = (self.find_prepared(from)?, self.find_prepared(to)?);
        let (outputs, inputs) = (source.subgraph.outputs(), target.subgraph.inputs());
        let stays = |i: usize| from == to && outputs.get(i) == inputs.get(i);
        // An output that is also another input would be overwritten before it is read.
        let clashes =
            |i: usize| from == to && !stays(i) && inputs.iter().any(|input| Some(input) == outputs.get(i));
        let total = if from == to { forwarded_bytes(self.site.within(source)) } else { 0 };
        let saved = self.site.arena.temporary(total, |_| 0u8);
        let mut saved = self.keep(saved)?;
        let mut at = 0;
        for i in (0..outputs.len()).filter(|&i| clashes(i)) {
            let value = self.output(from, i as u32)?;
            // SAFETY: `output` returned a tensor with `value.bytes` bytes, which nothing writes here.
            let bytes = unsafe { slice(value.data.cast::<u8>(), value.bytes as usize) };
            saved[at..][..bytes.len()].copy_from_slice(bytes);
            at += bytes.len();
        }
        let mut at = 0;
        for i in (0..outputs.len()).filter(|&i| !stays(i)) {
            let mut value = self.output(from, i as u32)?;
            if clashes(i) {
                value.data = saved[at..].as_mut_ptr().cast();
                at += value.bytes as usize;
            }
            // SAFETY: `value` is a saved copy, or an output that is not an input; both have `value.bytes` readable
            // bytes.
            unsafe { self.set_input(to, i as u32, &value)? };
        }
        Ok(())
    }

    fn prepare(&mut self, subgraph: u32) -> Result<(), Error> {
        if self.runs {
            return self.find_prepared(subgraph).map(|_| ());
        }
        let graph = self.build(subgraph)?;
        let depth = self.site.depth + 1 + graph.height.get();
        if depth > MAX_NESTING {
            return Err(unsupported!(
                "a call of subgraph {subgraph} is nested {depth} levels deep; the limit is {MAX_NESTING}"
            ));
        }
        if !graph.is_ready() {
            let machine = self.site.machine;
            machine.asked.set(machine.asked.get() + 1);
            let done = prepare(self.site.within(graph));
            self.keep(done)?;
            let depth = self.site.depth + 1 + graph.height.get();
            if depth > MAX_NESTING {
                return Err(unsupported!("calls are nested {depth} levels deep; the limit is {MAX_NESTING}"));
            }
        }
        self.note_call(graph)
    }

    fn invoke(&mut self, subgraph: u32) -> Result<(), Error> {
        let graph = self.find_prepared(subgraph)?;
        let Site { machine, .. } = self.site;
        let most = machine.most_calls;
        let left = machine.calls_left.get().checked_sub(1).ok_or_else(|| {
            unsupported!("subgraph {subgraph} cannot run again: {most} calls were made, which is the limit")
        })?;
        machine.calls_left.set(left);
        let done = run(self.site.within(graph));
        self.keep(done)
    }

    fn output(&mut self, subgraph: u32, output: u32) -> Result<ArTensorV1, Error> {
        let graph = self.find_prepared(subgraph)?;
        let t = port_tensor(graph.subgraph.outputs(), subgraph, output, "output")?;
        let tensor = self.keep(graph.tensor(t))?;
        let slot = graph.slot(t);
        let sized = size_of_elements(element_type(&tensor), 0).is_some();
        Ok(ArTensorV1 {
            element_type: element_type(&tensor) as u32,
            rank: u32::from(slot.rank),
            dims: slot.dims,
            data: slot.data.cast(),
            bytes: graph.bytes(self.site.machine.model, t) as u64,
            flags: u32::from(slot.flags) | if sized { 0 } else { TENSOR_DYNAMIC },
            name: ArStr::borrowed(tensor.name().unwrap_or("")),
            ..ArTensorV1::NONE
        })
    }

    fn open(&mut self, name: &[u8]) -> Result<i32, Error> {
        let Site { machine, arena, .. } = self.site;
        if let Some(handle) = machine.resources.find(name) {
            return Ok(handle);
        }
        if self.runs {
            return Err(unsupported!(
                "a resource is opened in eval; open it in prepare, because eval allocates no memory"
            ));
        }
        machine.asked.set(machine.asked.get() + 1);
        let handle = machine.resources.add(name, arena);
        self.keep(handle)
    }

    fn value(&mut self, handle: i32) -> Result<ArTensorV1, Error> {
        self.site.machine.resources.value(handle)
    }

    unsafe fn reserve(&mut self, handle: i32, value: &ArTensorV1) -> Result<(), Error> {
        self.site.machine.resources.reserve(handle, value)
    }

    unsafe fn assign(&mut self, handle: i32, value: &ArTensorV1) -> Result<(), Error> {
        // SAFETY: the contract of `assign` requires readable dimensions and data.
        unsafe { self.site.machine.resources.assign(handle, value) }
    }
}
