//! What a node may do beyond its own tensors: call the model's other subgraphs, keep values in resources.
//!
//! A subgraph is planned once, so it has one shape for each of its tensors, whoever calls it: another one is refused. Who calls whom is
//! noted while nodes are prepared. A subgraph that is being prepared is called by nobody, so no subgraph ever calls itself, and
//! nesting is bounded then, for good.

use arenite_abi::host_side::ModelSide;
use arenite_abi::raw::{ArGraphV1, ArStr, ArTensorV1, TENSOR_DYNAMIC, slice};
use arenite_abi::tensor::element_count;
use arenite_abi::{ElementType, Error, invalid, unsupported};

use crate::build;
use crate::describe::Described;
use crate::error;
use crate::graph::{Call, Graph, Stage, element_type, size_of_elements};
use crate::machine::{MOST_NESTED, Site};
use crate::sizes::Category;

/// The model, for one callback of a node.
pub(crate) struct Called<'m, 'h, 'a> {
    pub site: Site<'h, 'a>,
    /// The node that calls.
    pub node: usize,
    /// The node runs; else it is being prepared.
    pub runs: bool,
    /// What went wrong where it is more than the node can be told.
    pub failed: &'m mut Option<error::Error>,
    /// Where subgraphs are shown to the node; none while it runs.
    pub described: Option<&'m mut Described<'h>>,
}

impl<'h, 'a> Called<'_, 'h, 'a> {
    /// What is more than a node can be told is kept as it is for the caller.
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
        graph.ok_or_else(|| invalid!("there is no subgraph {subgraph}, the model has {count}"))
    }

    /// A subgraph that is not at work, with entries for its tensors.
    fn built(&mut self, subgraph: u32) -> Result<&'h Graph<'a>, Error> {
        let graph = self.find(subgraph)?;
        let Site { machine, arena, .. } = self.site;
        match graph.stage.get() {
            Stage::Busy => Err(invalid!(
                "subgraph {subgraph} is called while it runs, by itself or by a subgraph that it calls; recursion is refused"
            )),
            Stage::Unbuilt => {
                machine.asked.set(machine.asked.get() + 1);
                let done = build::build(machine, graph, arena);
                self.keep(done).map(|()| graph)
            }
            _ => Ok(graph),
        }
    }

    /// A subgraph that this node prepared.
    fn prepared(&self, subgraph: u32) -> Result<&'h Graph<'a>, Error> {
        let graph = self.find(subgraph)?;
        let known = match self.runs {
            true => self.site.graph.callees(self.node).any(|callee| callee == subgraph as usize),
            false => graph.is_ready(),
        };
        if known { Ok(graph) } else { Err(invalid!("subgraph {subgraph} was not prepared by this node")) }
    }

    /// Gives input `input` of a subgraph, tensor `t`, this shape; an error if it is prepared for another one. A scalar and a vector of one
    /// element count as one shape.
    fn agree(
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
                "input {input} of subgraph {subgraph} would have shape {shape:?}, elsewhere it has {known:?}; this interpreter plans once"
            ));
        }
        let done = build::reshape(graph, self.site.arena, t, shape);
        self.keep(done)
    }

    /// Notes that the node calls a subgraph, which is ready.
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

/// Tensor of input or output `i` of a subgraph.
fn port(list: arenite_model::List<'_, i32>, subgraph: u32, i: u32, kind: &str) -> Result<usize, Error> {
    let count = list.len();
    let t = list.get(i as usize).and_then(|t| usize::try_from(t).ok());
    t.ok_or_else(|| invalid!("subgraph {subgraph} has {count} {kind}s, there is no {kind} {i}"))
}

impl ModelSide for Called<'_, '_, '_> {
    type Refused = Error;

    fn describe(&mut self, subgraph: u32) -> Result<*const ArGraphV1, Error> {
        let graph = self.built(subgraph)?;
        let Some(described) = &mut self.described else {
            return Err(unsupported!("the nodes of a subgraph are shown in prepare only"));
        };
        let added = described.add(self.site.within(graph));
        self.keep(added)?
    }

    fn ports(&mut self, subgraph: u32) -> Result<(usize, usize), Error> {
        let graph = self.find(subgraph)?;
        Ok((graph.subgraph.inputs().len(), graph.subgraph.outputs().len()))
    }

    unsafe fn set_input(&mut self, subgraph: u32, input: u32, value: &ArTensorV1) -> Result<(), Error> {
        let graph = if self.runs { self.prepared(subgraph)? } else { self.built(subgraph)? };
        let t = port(graph.subgraph.inputs(), subgraph, input, "input")?;
        let ty = graph.slot(t).element_type();
        if ty as u32 != value.element_type {
            let given = ElementType::from_raw(value.element_type).map_or("?", |ty| ty.name());
            return Err(invalid!("input {input} of subgraph {subgraph} is {ty}, the node gives {given}"));
        }
        // SAFETY: the caller's promise.
        let shape = unsafe { slice(value.dims, value.rank as usize) };
        self.agree(graph, subgraph, input, t, shape)?;
        if value.data.is_null() || !self.runs {
            return Ok(());
        }
        let slot = graph.slot(t);
        let bytes = size_of_elements(ty, element_count(slot.shape())).unwrap_or(0);
        if bytes as u64 != value.bytes || slot.data.is_null() || slot.is_constant() {
            let given = value.bytes;
            return Err(invalid!(
                "input {input} of subgraph {subgraph} takes {bytes} bytes, the node gives {given}"
            ));
        }
        // SAFETY: the tensor has so many bytes in the arena, and no op of its subgraph runs; the caller's promise.
        unsafe { slot.data.copy_from(value.data.cast::<u8>(), bytes) };
        Ok(())
    }

    fn forward(&mut self, from: u32, to: u32) -> Result<(), Error> {
        let (source, target) = (self.prepared(from)?, self.prepared(to)?);
        let (outputs, inputs) = (source.subgraph.outputs(), target.subgraph.inputs());
        let stays = |i: usize| from == to && outputs.get(i) == inputs.get(i);
        // An output that is another input would be overwritten before it is read.
        let clashes =
            |i: usize| from == to && !stays(i) && inputs.iter().any(|input| Some(input) == outputs.get(i));
        let total = if from == to { forwarded_bytes(self.site.within(source)) } else { 0 };
        let saved = self.site.arena.temporary(total, |_| 0u8);
        let mut saved = self.keep(saved)?;
        let mut at = 0;
        for i in (0..outputs.len()).filter(|&i| clashes(i)) {
            let value = self.output(from, i as u32)?;
            // SAFETY: an output has so many bytes, and is not written meanwhile.
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
            // SAFETY: the value is a copy of an output, or an output that is no input; both have their bytes.
            unsafe { self.set_input(to, i as u32, &value)? };
        }
        Ok(())
    }

    fn prepare(&mut self, subgraph: u32) -> Result<(), Error> {
        if self.runs {
            return self.prepared(subgraph).map(|_| ());
        }
        let graph = self.built(subgraph)?;
        let depth = self.site.depth + 1 + graph.height.get();
        if depth > MOST_NESTED {
            return Err(unsupported!(
                "subgraph {subgraph} would be at work {depth} levels deep, {MOST_NESTED} are served"
            ));
        }
        if !graph.is_ready() {
            let machine = self.site.machine;
            machine.asked.set(machine.asked.get() + 1);
            let done = self.site.within(graph).prepare();
            self.keep(done)?;
            let depth = self.site.depth + 1 + graph.height.get();
            if depth > MOST_NESTED {
                return Err(unsupported!("calls are nested {depth} levels deep, {MOST_NESTED} are served"));
            }
        }
        self.note_call(graph)
    }

    fn invoke(&mut self, subgraph: u32) -> Result<(), Error> {
        let graph = self.prepared(subgraph)?;
        let Site { machine, .. } = self.site;
        let most = machine.most_calls;
        let left = machine.calls_left.get().checked_sub(1).ok_or_else(|| {
            unsupported!("subgraph {subgraph} runs again, in a loop that may not end: {most} calls were made")
        })?;
        machine.calls_left.set(left);
        let done = self.site.within(graph).run();
        self.keep(done)
    }

    fn output(&mut self, subgraph: u32, output: u32) -> Result<ArTensorV1, Error> {
        let graph = self.prepared(subgraph)?;
        let t = port(graph.subgraph.outputs(), subgraph, output, "output")?;
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
                "a resource is opened while the model runs; this interpreter takes no memory then"
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
        // SAFETY: the caller's promise.
        unsafe { self.site.machine.resources.assign(handle, value) }
    }
}

/// Bytes of those outputs that are inputs elsewhere: while a subgraph's outputs become its inputs they are kept.
pub(crate) fn forwarded_bytes(site: Site<'_, '_>) -> usize {
    let (inputs, outputs) = (site.graph.subgraph.inputs(), site.graph.subgraph.outputs());
    let clashes = |&(i, t): &(usize, i32)| inputs.get(i) != Some(t) && inputs.iter().any(|input| input == t);
    let bytes =
        |(_, t): (usize, i32)| usize::try_from(t).map_or(0, |t| site.graph.bytes(site.machine.model, t));
    outputs.iter().enumerate().filter(clashes).map(bytes).fold(0, usize::saturating_add)
}
