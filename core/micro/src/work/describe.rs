//! Expands a whole subgraph to the contract's structs, for ops that inspect the subgraphs they call. The structs are
//! temporaries that last until `prepare` of the node returns.

use core::mem::MaybeUninit;

use arenite_abi::raw::{ArGraphV1, ArHeader, ArNodeV1, ArQuantizationV1, ArTensorV1};
use arenite_abi::{Error, unsupported};

use arenite_model::{List, Operator, detail};

use super::room::{NodePlace, node_struct};
use crate::arena::{Part, Temp};
use crate::error::{self, Error as MicroError};
use crate::model::entry::{Describer, Purpose};
use crate::model::graph::ScaleSource;
use crate::model::node::Spec;
use crate::model::site::Site;

/// How many subgraphs one node may inspect.
const MAX_VIEWS: usize = if cfg!(feature = "subgraphs") { 2 } else { 0 };

/// The subgraphs that a node has inspected, the last one first, so that the views are dropped in the reverse of the
/// order in which they were added. No view is removed before `prepare` returns: requests may follow it in memory.
#[derive(Default)]
pub(crate) struct GraphViews<'h> {
    list: [Option<GraphView<'h>>; MAX_VIEWS],
}

struct GraphView<'h> {
    graph: Temp<'h, ArGraphV1>,
    _nodes: Temp<'h, MaybeUninit<ArNodeV1>>,
    _tensors: Temp<'h, u8>,
    _indices: Temp<'h, i32>,
}

impl<'h> GraphViews<'h> {
    /// Expands a subgraph. The inner error is for the op, the outer one for the caller of the interpreter.
    pub(super) fn add(&mut self, site: Site<'h, '_>) -> error::Result<Result<*const ArGraphV1, Error>> {
        let Some(place) = self.list.iter_mut().rev().find(|place| place.is_none()) else {
            return Ok(Err(unsupported!("a node may inspect at most {MAX_VIEWS} subgraphs here")));
        };
        let expanded = place.insert(expand(site)?);
        Ok(Ok(expanded.graph.as_ptr()))
    }
}

fn lists<'a>(operator: &Operator<'a>) -> [List<'a, i32>; 3] {
    [operator.inputs(), operator.outputs(), operator.intermediates()]
}

/// The structs of all tensors, and quantizations for those with scales.
fn expand_tensors<'h>(site: Site<'h, '_>) -> error::Result<(Temp<'h, u8>, *const ArTensorV1, usize)> {
    let slots = site.graph.slots.get();
    let scaled = slots.iter().filter(|slot| slot.get().scaled != ScaleSource::None).count();
    let parts = [Part::of::<ArTensorV1>(slots.len()), Part::of::<ArQuantizationV1>(scaled)];
    let memory = site.arena.temporaries(&parts)?;
    let tensors = memory.start().cast::<ArTensorV1>();
    // SAFETY: `temporaries` returned memory for the tensors followed by one quantization per tensor with scales.
    let mut describer = unsafe { Describer::new(site, Purpose::Prepare, tensors.add(slots.len()).cast()) };
    for (t, slot) in slots.iter().enumerate() {
        // SAFETY: `t` is below the number of tensors, and nothing else uses this memory yet.
        unsafe { describer.describe(t, slot, "", tensors.add(t)) };
    }
    Ok((memory, tensors.as_ptr(), slots.len()))
}

fn expand<'h>(site: Site<'h, '_>) -> error::Result<GraphView<'h>> {
    let subgraph = &site.graph.subgraph;
    let ports = [subgraph.inputs(), subgraph.outputs()];
    let operators = subgraph.operators();
    let all = ports.iter().copied().chain(operators.iter().flat_map(|operator| lists(&operator)));
    let total = all.clone().map(|list| list.len()).sum();
    let mut numbers = all.flat_map(|list| list.iter());
    let indices = site.arena.temporary(total, |_| numbers.next().unwrap_or(-1))?;
    let (memory, tensors, count) = expand_tensors(site)?;
    let mut nodes = site.arena.temporary(operators.len(), |_| MaybeUninit::<ArNodeV1>::uninit())?;
    let mut rest = &indices[..];
    let mut take = |count: usize| {
        let (list, behind) = rest.split_at(count);
        rest = behind;
        list
    };
    let [inputs, outputs] = ports.map(|list| take(list.len()));
    let table = (tensors, count);
    for (position, operator) in operators.iter().enumerate() {
        let code = site
            .machine
            .model
            .operator_code(&operator)
            .ok_or(MicroError::Index { index: detail(position), count: detail(0) })?;
        let spec = Spec::new(&operator, &code);
        let taken = spec.lists.map(|list| take(list.len()));
        let place = NodePlace { subgraph: site.graph.index, node: position };
        nodes[position].write(node_struct(place, table, taken, &spec));
    }
    let graph = graph_struct(table, &nodes, [inputs, outputs]);
    let graph = site.arena.temporary(1, |_| graph)?;
    Ok(GraphView { graph, _nodes: nodes, _tensors: memory, _indices: indices })
}

fn graph_struct(
    (tensors, count): (*const ArTensorV1, usize),
    nodes: &[MaybeUninit<ArNodeV1>],
    [inputs, outputs]: [&[i32]; 2],
) -> ArGraphV1 {
    ArGraphV1 {
        header: ArHeader::of::<ArGraphV1>(),
        tensors,
        tensor_stride: size_of::<ArTensorV1>(),
        tensor_count: count,
        nodes: nodes.as_ptr().cast(),
        node_stride: size_of::<ArNodeV1>(),
        node_count: nodes.len(),
        inputs: inputs.as_ptr(),
        input_count: inputs.len(),
        outputs: outputs.as_ptr(),
        output_count: outputs.len(),
    }
}
