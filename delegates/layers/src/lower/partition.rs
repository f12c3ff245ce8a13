//! Lowers a partition of a model to a net.

use arenite_abi::prelude::*;

use super::node::{EngineLowering, lower_node, values_of};
use super::values::{Subgraphs, Values};
use crate::layer::{Layer, Limits};
use crate::net::{Id, Net, Node, Reals};

impl<'a, X: EngineLowering<'a>> Net<'a, Layer<'a, X>> {
    /// Lowers the nodes of a partition. The ids of the model's tensors depend only on the nodes, so they identify
    /// constants for all shapes.
    ///
    /// # Errors
    /// A node cannot be lowered; the error is the reason for the refusal.
    pub fn lower(
        partition: &PartitionView<'a>,
        subgraphs: &'a Subgraphs<'a>,
        reals: Option<&'a Reals>,
        limits: &Limits,
    ) -> Result<Self> {
        let mut values = values_of(partition.graph(), subgraphs, reals);
        let mut nodes = Vec::with_capacity(partition.node_indices().len());
        let ids = |values: &mut Values<'a>, list: &[i32]| {
            list.iter().map(|&tensor| values.add(tensor)).collect::<Result<Vec<Id>>>()
        };
        let weights = partition.nodes().map(|node| values.add_node(&node)).collect::<Result<Vec<bool>>>()?;
        let (inputs, outputs) =
            (ids(&mut values, partition.inputs())?, ids(&mut values, partition.outputs())?);
        let mut of_subgraphs = Vec::new();
        values.begin_inner(0);
        for (node, is_weights) in partition.nodes().zip(weights) {
            if is_weights {
                continue;
            }
            let mut lowered: Node<Layer<'a, X>> = lower_node(&node, &values, limits)?;
            lowered.packed = values.packed(&node, &lowered.inputs).collect();
            if let Some(own) = lowered.layer.parts_mut().values {
                of_subgraphs.append(own);
                values.begin_inner(of_subgraphs.len());
            }
            nodes.push(lowered);
        }
        let mut list = values.into_list();
        list.append(&mut of_subgraphs);
        Ok(Net { values: list, nodes, constants: Vec::new(), inputs, outputs })
    }
}
