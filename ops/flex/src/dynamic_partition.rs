//! DynamicPartition: distributes slices of a tensor among the outputs: slice i goes to output `partitions[i]`. Any
//! type. Inputs: data, partitions, whose shape is a prefix of the data's.
//! Defined by: tensorflow/core/kernels/dynamic_partition_op.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::elements::pick;
use crate::kit::kernel::{Call, Inputs, Kernel, Node, expect_type, integers, shape_of};
use crate::kit::node_def::NodeDef;

/// The `FlexDynamicPartition` op.
pub type DynamicPartition = Node<Definition>;

/// Shape function and kernel of `FlexDynamicPartition`.
pub struct Definition;

impl Kernel for Definition {
    const NAME: &'static str = "FlexDynamicPartition";

    fn new(node: &NodeView<'_>, def: &NodeDef<'_>) -> Result<Self> {
        let count = usize::try_from(def.int("num_partitions", 0)?).unwrap_or(0);
        ensure!(count > 0, "attribute 'num_partitions' is {count}; it must be positive");
        node.expect(2..=2, count..=count)?;
        let (x, to) = (node.input(0)?, node.input(1)?);
        expect_type(&to, &[I32])?;
        ensure!(
            x.shape.starts_with(to.shape),
            "data {x} is {:?}, partitions {to} are {:?}; the shape of the partitions must be a prefix of the data's",
            x.shape,
            to.shape
        );
        Ok(Definition)
    }

    fn shape(&self, x: &Inputs<'_, '_>, output: usize) -> Result<Option<Dims>> {
        let (data, Some(to)) = (x.get(0)?, x.integers(1)?) else { return Ok(None) };
        let count = to.iter().filter(|&&to| to == output as i64).count() as i64;
        let rest = data.shape.get(x.get(1)?.rank()..).unwrap_or(&[]);
        shape_of([count].into_iter().chain(rest.iter().map(|&d| i64::from(d)))).map(Some)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let (data, to) = (call.input(0)?, integers(&call.input(1)?)?);
        let outputs = call.cx.output_count();
        if let Some(wrong) = to.iter().find(|&&to| usize::try_from(to).map_or(true, |to| to >= outputs)) {
            return Err(invalid!("partition {wrong} does not exist; there are {outputs}"));
        }
        let size = data.len() / to.len().max(1);
        for output in (0..outputs).filter(|&output| call.wants(output)) {
            let chosen: Vec<usize> = (0..to.len()).filter(|&i| to[i] == output as i64).collect();
            pick(call, output, &[data], |k| Some((0, chosen[k / size] * size + k % size)))?;
        }
        Ok(())
    }
}
