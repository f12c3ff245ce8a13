//! Prepares and plans a model, and reads its tables.

use alloc::vec::Vec;

use arenite_abi::Result as OpResult;
use arenite_abi::plain::PointerWidth;
use arenite_planners::few::Records;

use super::collector::Collector;
use super::nodes;
use super::tables::{self, EmbeddableOp, Embedding, ModelTables, Place, Resource};
use crate::arena::ALIGNMENT;
use crate::elsewhere::with_room;
use crate::error::{Error, Result};
use crate::model::graph::Graph;
use crate::model::site::Site;
use crate::ops::{OpRegistration, Ops};
use crate::phases::LoadedModel;
use crate::work::message::OwnHost;
use crate::work::rehearse::forwarded_bytes;
use arenite_model::detail;

impl Embedding {
    /// Prepares and plans a model on this machine, for a machine with such pointers. `planner` sets the offset of every
    /// record.
    ///
    /// # Errors
    /// As for [`required_arena`](crate::required_arena); a node whose op cannot be embedded.
    pub fn new(
        width: PointerWidth,
        model: &[u8],
        ops: &[EmbeddableOp],
        planner: &mut dyn FnMut(&mut dyn Records) -> OpResult<()>,
    ) -> Result<Self> {
        let registrations: Vec<&OpRegistration> = ops.iter().map(|op| &op.op).collect();
        with_room(|block| {
            let prepared = {
                let _host = OwnHost::new();
                LoadedModel::with(model, Ops::Pointers(&registrations), block)?.prepare()?
            };
            let ready = prepared.plan_with(planner)?;
            let _host = OwnHost::new();
            let (machine, arena) = ready.parts();
            finish(Collector::new(machine, arena, width, ops))
        })
    }
}

/// Adds all subgraphs, and the ports of the main one.
fn finish(mut to: Collector<'_, '_>) -> Result<Embedding> {
    let Site { machine, .. } = to.site;
    let graphs = machine.graphs().map(|graph| collect_graph(&mut to, graph)).collect::<Result<Vec<_>>>()?;
    if machine.ready().count() > 1 || !machine.resources.is_empty() {
        to.made.model = Some(model_tables(&mut to, graphs));
    }
    Ok(to.made)
}

fn collect_graph<'c, 'a>(to: &mut Collector<'c, 'a>, graph: &'c Graph<'a>) -> Result<tables::Graph> {
    let (is_main, first) = (graph.index == 0, to.made.nodes.len());
    if !graph.is_ready() {
        return Ok(tables::Graph { nodes: None, inputs: Vec::new(), outputs: Vec::new() });
    }
    to.site.graph = graph;
    let tensors = to.describe();
    for node in 0..graph.nodes.get().len() {
        if let Some(node) = nodes::collect(to, &tensors, node)? {
            to.made.nodes.push(node);
        }
    }
    let [inputs, outputs] = [graph.subgraph.inputs(), graph.subgraph.outputs()].map(|list| {
        let number = |t| usize::try_from(t).map_or(-1, |t| to.tensor(&tensors, t) as i32);
        list.iter().map(number).collect::<Vec<i32>>()
    });
    if is_main {
        to.made.main = to.made.nodes.len();
        to.made.inputs = present(&inputs).collect();
        to.made.outputs = present(&outputs).collect();
        let is_constant = |&t: &usize| matches!(to.made.tensors[t].place, Place::Constant(_));
        if let Some(i) = present(&inputs).position(|t| is_constant(&t)) {
            let tensor = graph.subgraph.inputs().get(i).and_then(|t| usize::try_from(t).ok()).unwrap_or(0);
            let reason = "this input is a constant, which a program cannot write";
            return Err(Error::Tensor {
                subgraph: detail(0),
                tensor: detail(tensor),
                reason: detail(reason),
            });
        }
    }
    Ok(tables::Graph { nodes: Some(first..to.made.nodes.len()), inputs, outputs })
}

fn present(numbers: &[i32]) -> impl Iterator<Item = usize> {
    numbers.iter().filter_map(|&t| usize::try_from(t).ok())
}

/// What nodes see of the model.
fn model_tables(to: &mut Collector<'_, '_>, graphs: Vec<tables::Graph>) -> ModelTables {
    let Site { machine, .. } = to.site;
    let resource = |(name, capacity): (&[u8], usize)| Resource {
        name: name.to_vec(),
        at: to.variable_room(capacity),
        capacity,
        value_at: to.variable_room(Resource::VALUE_BYTES),
    };
    let resources = machine.resources.announced().map(resource).collect();
    let saved = machine.ready().map(|graph| forwarded_bytes(to.site.within(graph)));
    let saved_bytes = saved.max().unwrap_or(0);
    let saved_at = to.made.arena.next_multiple_of(ALIGNMENT);
    if saved_bytes > 0 {
        to.made.arena = saved_at + saved_bytes;
    }
    ModelTables { graphs, resources, saved_at, saved_bytes, calls_at: to.variable_room(size_of::<u32>()) }
}
