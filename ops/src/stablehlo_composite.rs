//! STABLEHLO_COMPOSITE: an op that is defined by a subgraph of simpler ops, its decomposition. The host inlines the
//! decomposition if it can. This op calls it where it cannot.
//! Defined by: tflite/kernels/stablehlo_composite.cc.

use arenite_abi::prelude::*;
use arenite_abi::schema::StableHLOCompositeOptions;

use crate::kit::subgraph;

plain! {
    /// A prepared `STABLEHLO_COMPOSITE` node: the decomposition.
    pub struct StablehloComposite {
        subgraph: i32,
    }
}

impl Op for StablehloComposite {
    const CODE: OpCode = OpCode::Builtin(op::STABLEHLO_COMPOSITE);
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const STATEFUL: bool = true;
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let subgraph = node.options()?.get(StableHLOCompositeOptions::DECOMPOSITION_SUBGRAPH_INDEX)?;
        let mut model = cx.model()?;
        subgraph::expect_ports(&model, subgraph, node.input_count(), node.output_count())?;
        subgraph::prepare(&mut model, node, 0, subgraph)?;
        subgraph::declare_outputs(&model, node, cx, subgraph, true)?;
        Ok(StablehloComposite { subgraph })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let mut model = cx.model()?;
        subgraph::run(&mut model, cx, 0, self.subgraph)?;
        subgraph::take_outputs(&model, cx, self.subgraph)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Spec, Subgraph, Tensor};

    fn case(decomposition: i32) -> OpTest<StablehloComposite> {
        let x = [Tensor::i32(&[2], &[0; 2]), Tensor::i32(&[2], &[0; 2])];
        let sum = Subgraph::new(&x, |x| {
            let sums: Vec<i32> = x[0].as_i32().iter().zip(x[1].as_i32()).map(|(a, b)| a + b).collect();
            vec![Tensor::i32(x[0].shape(), &sums)]
        });
        let case = OpTest::new().input(Tensor::i32(&[2], &[1, 2])).input(Tensor::i32(&[2], &[10, 20]));
        case.output(Spec::i32())
            .options(|o| o.set(StableHLOCompositeOptions::DECOMPOSITION_SUBGRAPH_INDEX, decomposition))
            .subgraph(sum)
    }

    #[test]
    fn values() {
        assert_eq!(case(0).run().unwrap()[0].as_i32(), [11, 22]);
    }

    #[test]
    fn refusals() {
        assert_eq!(case(4).run().unwrap_err().message(), "subgraph 4 does not exist; the model has 1");
        let error = case(0).input(Tensor::i32(&[], &[1])).run().unwrap_err();
        assert_eq!(
            error.message(),
            "subgraph 0 has 2 inputs and 1 outputs, the node passes 3 and takes 1; they must agree"
        );
    }
}
