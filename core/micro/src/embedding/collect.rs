//! Prepares and plans a model, and reads its tables.

use alloc::vec::Vec;

use arenite_abi::plain::PointerWidth;
use arenite_abi::{Result as OpResult, unsupported};
use arenite_planners::few::Records;

use super::collector::Collector;
use super::nodes;
use super::tables::{EmbeddableOp, Embedding, Place};
use crate::elsewhere::with_room;
use crate::error::{Error, Result};
use crate::model::site::Site;
use crate::ops::{OpRegistration, Ops};
use crate::phases::LoadedModel;
use crate::work::message::OwnHost;

impl Embedding {
    /// Prepares and plans a model on this machine, for a machine with such pointers. `planner` sets the offset of every
    /// record.
    ///
    /// # Errors
    /// As for [`required_arena`](crate::required_arena); a node whose op cannot be embedded; a model that calls
    /// subgraphs or keeps resources.
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

/// Adds all nodes and ports.
fn finish(mut to: Collector<'_, '_>) -> Result<Embedding> {
    let Site { machine, graph, .. } = to.site;
    if machine.ready().count() > 1 || !machine.resources.is_empty() {
        return Err(Error::Plan(unsupported!(
            "a model that calls subgraphs or keeps resources cannot be embedded; use the interpreter"
        )));
    }
    let tensors = to.describe();
    for node in 0..graph.nodes.get().len() {
        if let Some(node) = nodes::collect(&mut to, &tensors, node)? {
            to.made.nodes.push(node);
        }
    }
    let ports = [graph.subgraph.inputs(), graph.subgraph.outputs()];
    let [inputs, outputs] = ports.map(|list| list.iter().filter_map(|t| usize::try_from(t).ok()));
    for t in inputs {
        let number = to.tensor(&tensors, t);
        if matches!(to.made.tensors[number].place, Place::Constant(_)) {
            let reason = "this input is a constant, which a program cannot write";
            return Err(Error::Tensor { subgraph: 0, tensor: t, reason });
        }
        to.made.inputs.push(number);
    }
    for t in outputs {
        let number = to.tensor(&tensors, t);
        to.made.outputs.push(number);
    }
    Ok(to.made)
}
