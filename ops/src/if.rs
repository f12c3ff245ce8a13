//! IF: runs one of two subgraphs on the inputs that follow the condition, and returns its outputs.
//!
//! The output shapes are known in `prepare` if both subgraphs give the same ones.
//! Defined by: tflite/kernels/if.cc.

use arenite_abi::prelude::*;
use arenite_abi::schema::IfOptions;

use crate::kit::subgraph;

plain! {
    /// A prepared `IF` node: the two subgraphs.
    pub struct If {
        then: i32,
        otherwise: i32,
    }
}

impl Op for If {
    const CODE: OpCode = OpCode::Builtin(op::IF);
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const STATEFUL: bool = true;
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        node.expect(1..=usize::MAX, 0..=usize::MAX)?;
        subgraph::expect_truth(&node.input(0)?)?;
        let options = node.options()?;
        let (then, otherwise) =
            (options.get(IfOptions::THEN_SUBGRAPH_INDEX)?, options.get(IfOptions::ELSE_SUBGRAPH_INDEX)?);
        let mut model = cx.model()?;
        for branch in [then, otherwise] {
            subgraph::expect_ports(&model, branch, node.input_count() - 1, node.output_count())?;
            subgraph::prepare(&mut model, node, 1, branch)?;
        }
        let known = subgraph::same_shapes(&model, then, otherwise, node.output_count())?;
        subgraph::declare_outputs(&model, node, cx, then, known)?;
        Ok(If { then, otherwise })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let branch = if subgraph::truth(&cx.input(0)?)? { self.then } else { self.otherwise };
        let mut model = cx.model()?;
        subgraph::run(&mut model, cx, 1, branch)?;
        subgraph::take_outputs(&model, cx, branch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Spec, Subgraph, Tensor};

    fn doubled(x: &[Tensor]) -> Vec<Tensor> {
        vec![Tensor::f32(x[0].shape(), &x[0].as_f32().iter().map(|x| 2.0 * x).collect::<Vec<_>>())]
    }

    /// The then branch doubles its input; the else branch returns it, or its first element.
    fn case(condition: Tensor, otherwise: fn(&[Tensor]) -> Vec<Tensor>) -> OpTest<If> {
        let x = Tensor::f32(&[2], &[0.0; 2]);
        OpTest::new()
            .input(condition)
            .input(Tensor::f32(&[2], &[1.0, -3.0]))
            .output(Spec::f32())
            .options(|o| o.set(IfOptions::THEN_SUBGRAPH_INDEX, 0).set(IfOptions::ELSE_SUBGRAPH_INDEX, 1))
            .subgraph(Subgraph::new(std::slice::from_ref(&x), doubled))
            .subgraph(Subgraph::new(&[x], otherwise))
    }

    fn run(condition: bool, otherwise: fn(&[Tensor]) -> Vec<Tensor>) -> Tensor {
        case(Tensor::bool(&[], &[condition]), otherwise).run().unwrap().remove(0)
    }

    #[test]
    fn the_condition_chooses() {
        assert_eq!(run(true, |x| x.to_vec()).as_f32(), [2.0, -6.0]);
        assert_eq!(run(false, |x| x.to_vec()).as_f32(), [1.0, -3.0]);
    }

    #[test]
    fn branches_may_give_different_shapes() {
        let first = |x: &[Tensor]| vec![Tensor::f32(&[], &x[0].as_f32()[..1])];
        assert_eq!(run(true, first).shape(), [2]);
        let y = run(false, first);
        assert_eq!((y.shape(), y.as_f32()), (&[][..], vec![1.0]));
    }

    #[test]
    fn refusals() {
        let error = case(Tensor::bool(&[], &[true]), doubled)
            .options(|o| o.set(IfOptions::THEN_SUBGRAPH_INDEX, 7))
            .run()
            .unwrap_err();
        assert_eq!(error.message(), "subgraph 7 does not exist; the model has 2");
        let error = case(Tensor::bool(&[], &[true]), doubled)
            .options(|o| o.set(IfOptions::THEN_SUBGRAPH_INDEX, -1))
            .run()
            .unwrap_err();
        assert_eq!(error.message(), "subgraph -1 does not exist");
        let error = case(Tensor::bool(&[], &[true]), |_| vec![]).run().unwrap_err();
        assert_eq!(
            error.message(),
            "subgraph 1 has 1 inputs and 0 outputs, the node passes 1 and takes 1; they must agree"
        );
        let integers = |_: &[Tensor]| vec![Tensor::i32(&[2], &[1, 2])];
        let case = case(Tensor::bool(&[], &[true]), doubled)
            .options(|o| o.set(IfOptions::THEN_SUBGRAPH_INDEX, 2).set(IfOptions::ELSE_SUBGRAPH_INDEX, 2));
        let error =
            case.subgraph(Subgraph::new(&[Tensor::f32(&[2], &[0.0; 2])], integers)).run().unwrap_err();
        assert_eq!(error.message(), "output 0 of subgraph 2 is INT32, 'out0' is FLOAT32; they must agree");
    }
}
