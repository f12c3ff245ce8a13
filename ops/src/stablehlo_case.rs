//! STABLEHLO_CASE: runs the subgraph that an index selects on the inputs that follow it; an index that is out of range
//! selects the last subgraph.
//! Defined by: tflite/kernels/stablehlo_case.cc.

use arenite_abi::prelude::*;
use arenite_abi::schema::StablehloCaseOptions;

use crate::kit::subgraph;

plain! {
    /// A prepared `STABLEHLO_CASE` node.
    pub struct StablehloCase {
        /// The subgraphs.
        branches: Table<i32>,
    }
}

impl Op for StablehloCase {
    const CODE: OpCode = OpCode::Builtin(op::STABLEHLO_CASE);
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const STATEFUL: bool = true;
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        node.expect(1..=usize::MAX, 0..=usize::MAX)?;
        let index = node.input(0)?;
        ensure!(
            index.ty == I32 && index.len() == 1,
            "the index {index} is {}{:?}; one INT32 is needed",
            index.ty,
            index.shape
        );
        let (count, first) = (branch_count(node)?, branch(node, 0)?);
        let mut model = cx.model()?;
        let mut known = true;
        for i in 0..count {
            let branch = branch(node, i)?;
            subgraph::expect_ports(&model, branch, node.input_count() - 1, node.output_count())?;
            subgraph::prepare(&mut model, node, 1, branch)?;
            known &= subgraph::same_shapes(&model, first, branch, node.output_count())?;
        }
        subgraph::declare_outputs(&model, node, cx, first, known)?;
        Ok(StablehloCase { branches: cx.try_table(count, |i| branch(node, i))? })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let branches = cx.table(&self.branches)?;
        let index = cx.input_slice::<i32>(0)?.first().copied().unwrap_or(0);
        let chosen = usize::try_from(index).ok().and_then(|i| branches.get(i)).or(branches.last());
        let branch = *chosen.ok_or_else(|| invalid!("it has no branch"))?;
        let mut model = cx.model()?;
        subgraph::run(&mut model, cx, 1, branch)?;
        subgraph::take_outputs(&model, cx, branch)
    }
}

fn branch_count(node: &NodeView<'_>) -> Result<usize> {
    let count = node.options()?.get(StablehloCaseOptions::BRANCH_SUBGRAPH_INDICES)?.len();
    ensure!(count > 0, "its options name no subgraph; one per branch is needed");
    Ok(count)
}

fn branch(node: &NodeView<'_>, i: usize) -> Result<i32> {
    let branches = node.options()?.get(StablehloCaseOptions::BRANCH_SUBGRAPH_INDICES)?;
    branches
        .iter()
        .nth(i)
        .ok_or_else(|| invalid!("branch {i} does not exist; the node has {}", branches.len()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Spec, Subgraph, Tensor};

    fn case(index: Tensor) -> OpTest<StablehloCase> {
        let x = Tensor::i32(&[2], &[0; 2]);
        let plus = |n: i32| {
            Subgraph::new(std::slice::from_ref(&x), move |x| {
                vec![Tensor::i32(x[0].shape(), &x[0].as_i32().iter().map(|x| x + n).collect::<Vec<_>>())]
            })
        };
        let case = OpTest::new().input(index).input(Tensor::i32(&[2], &[1, 2])).output(Spec::i32());
        let case = case.options(|o| o.set(StablehloCaseOptions::BRANCH_SUBGRAPH_INDICES, &[2, 0, 1]));
        case.subgraph(plus(10)).subgraph(plus(20)).subgraph(plus(30))
    }

    fn run(index: i32) -> Vec<i32> {
        case(Tensor::i32(&[], &[index])).run().unwrap()[0].as_i32()
    }

    #[test]
    fn the_index_selects_and_out_of_range_selects_the_last() {
        assert_eq!([run(0), run(1), run(2)], [[31, 32], [11, 12], [21, 22]]);
        assert_eq!([run(3), run(-1)], [[21, 22], [21, 22]]);
    }

    #[test]
    fn refusals() {
        let error = case(Tensor::i32(&[2], &[0, 0])).run().unwrap_err();
        assert_eq!(error.message(), "the index 'in0' is INT32[2]; one INT32 is needed");
        let error = case(Tensor::i32(&[], &[0]))
            .options(|o| o.set(StablehloCaseOptions::BRANCH_SUBGRAPH_INDICES, &[]))
            .run()
            .unwrap_err();
        assert_eq!(error.message(), "its options name no subgraph; one per branch is needed");
        let error = case(Tensor::i32(&[], &[0]))
            .options(|o| o.set(StablehloCaseOptions::BRANCH_SUBGRAPH_INDICES, &[0, 9]))
            .run()
            .unwrap_err();
        assert_eq!(error.message(), "subgraph 9 does not exist; the model has 3");
    }
}
