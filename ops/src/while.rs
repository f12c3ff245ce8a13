//! WHILE: runs the body on its own outputs as long as the condition is true.
//!
//! ```text
//! inputs ─► condition ─► false ─► outputs
//!    ▲          │ true
//!    └── body ◄─┘
//! ```
//! The output shapes are known in `prepare` if the body keeps the shapes of its inputs. The host limits the number of
//! iterations.
//! Defined by: tflite/kernels/while.cc.

use arenite_abi::prelude::*;
use arenite_abi::schema::WhileOptions;

use crate::kit::subgraph;

plain! {
    /// A prepared `WHILE` node: the two subgraphs.
    pub struct While {
        condition: i32,
        body: i32,
    }
}

impl Op for While {
    const CODE: OpCode = OpCode::Builtin(op::WHILE);
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const STATEFUL: bool = true;
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let values = node.input_count();
        node.expect(0..=usize::MAX, values..=values)?;
        let options = node.options()?;
        let (condition, body) = (
            options.get(WhileOptions::COND_SUBGRAPH_INDEX)?,
            options.get(WhileOptions::BODY_SUBGRAPH_INDEX)?,
        );
        ensure!(condition != body, "its condition and its body are the same subgraph, {body}");
        let mut model = cx.model()?;
        subgraph::expect_ports(&model, condition, values, 1)?;
        subgraph::prepare(&mut model, node, 0, condition)?;
        let answer = model.output(condition, 0)?;
        if !answer.dynamic {
            subgraph::expect_truth(&answer.tensor)?;
        }
        subgraph::expect_ports(&model, body, values, values)?;
        subgraph::prepare(&mut model, node, 0, body)?;
        let known = keeps_shapes(&model, node, body)?;
        subgraph::declare_outputs(&model, node, cx, body, known)?;
        Ok(While { condition, body })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let While { condition, body } = *self;
        let mut model = cx.model()?;
        subgraph::run(&mut model, cx, 0, condition)?;
        if !subgraph::truth(&model.output(condition, 0)?.tensor)? {
            let outputs = cx.node().output_indices().iter().enumerate();
            return outputs
                .filter(|(_, t)| **t >= 0)
                .try_for_each(|(i, _)| subgraph::copy(cx, i, &cx.input(i)?));
        }
        subgraph::run(&mut model, cx, 0, body)?;
        loop {
            model.forward(body, condition)?;
            model.invoke(condition)?;
            if !subgraph::truth(&model.output(condition, 0)?.tensor)? {
                return subgraph::take_outputs(&model, cx, body);
            }
            model.forward(body, body)?;
            model.invoke(body)?;
        }
    }
}

/// Whether each output of the body has the shape of the corresponding input. A scalar and a vector of one element count
/// as the same shape.
fn keeps_shapes(model: &ModelContext<'_>, node: &NodeView<'_>, body: i32) -> Result<bool> {
    for i in 0..node.input_count() {
        let (x, y) = (node.input(i)?, model.output(body, i)?);
        let single = |shape: &[i32]| matches!(shape, [] | [1]);
        let same = x.shape == y.tensor.shape || single(x.shape) && single(y.tensor.shape);
        if y.dynamic || !same {
            return Ok(false);
        }
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Spec, Subgraph, Tensor};

    fn scalar(x: i32) -> Tensor {
        Tensor::i32(&[], &[x])
    }

    /// The loop `while (i < limit) { i += 1; x = step(x) }`.
    fn case(i: i32, x: Tensor, step: fn(&Tensor) -> Tensor) -> OpTest<While> {
        let values = [scalar(0), x.clone()];
        OpTest::new()
            .input(scalar(i))
            .input(x)
            .output(Spec::i32())
            .output(Spec::f32())
            .options(|o| {
                o.set(WhileOptions::COND_SUBGRAPH_INDEX, 0).set(WhileOptions::BODY_SUBGRAPH_INDEX, 1)
            })
            .subgraph(Subgraph::new(&values, |v| vec![Tensor::bool(&[], &[v[0].as_i32()[0] < 3])]))
            .subgraph(Subgraph::new(&values, move |v| vec![scalar(v[0].as_i32()[0] + 1), step(&v[1])]))
    }

    fn doubled(x: &Tensor) -> Tensor {
        Tensor::f32(x.shape(), &x.as_f32().iter().map(|x| 2.0 * x).collect::<Vec<_>>())
    }

    fn grown(x: &Tensor) -> Tensor {
        Tensor::f32(&[x.shape()[0] + 1], &[&x.as_f32()[..], &[9.0]].concat())
    }

    #[test]
    fn values() {
        let y = case(0, Tensor::f32(&[2], &[1.0, 0.5]), doubled).run().unwrap();
        assert_eq!((y[0].as_i32(), y[1].as_f32()), (vec![3], vec![8.0, 4.0]));
        let y = case(3, Tensor::f32(&[2], &[1.0, 0.5]), doubled).run().unwrap();
        assert_eq!((y[0].as_i32(), y[1].as_f32()), (vec![3], vec![1.0, 0.5]));
    }

    #[test]
    fn values_may_grow() {
        let y = case(1, Tensor::f32(&[1], &[1.0]), grown).run().unwrap();
        assert_eq!((y[1].shape(), y[1].as_f32()), (&[3][..], vec![1.0, 9.0, 9.0]));
        let y = case(5, Tensor::f32(&[1], &[1.0]), grown).run().unwrap();
        assert_eq!((y[1].shape(), y[1].as_f32()), (&[1][..], vec![1.0]));
    }

    #[test]
    fn refusals() {
        let x = || Tensor::f32(&[1], &[1.0]);
        let error = case(0, x(), doubled)
            .options(|o| {
                o.set(WhileOptions::COND_SUBGRAPH_INDEX, 1).set(WhileOptions::BODY_SUBGRAPH_INDEX, 1)
            })
            .run()
            .unwrap_err();
        assert_eq!(error.message(), "its condition and its body are the same subgraph, 1");
        let error = case(0, x(), doubled)
            .options(|o| {
                o.set(WhileOptions::COND_SUBGRAPH_INDEX, 1).set(WhileOptions::BODY_SUBGRAPH_INDEX, 0)
            })
            .run()
            .unwrap_err();
        assert_eq!(
            error.message(),
            "subgraph 1 has 2 inputs and 2 outputs, the node passes 2 and takes 1; they must agree"
        );
        let values = [scalar(0), x()];
        let number = Subgraph::new(&values, |v| v[..1].to_vec());
        let error = case(0, x(), doubled)
            .subgraph(number)
            .options(|o| {
                o.set(WhileOptions::COND_SUBGRAPH_INDEX, 2).set(WhileOptions::BODY_SUBGRAPH_INDEX, 1)
            })
            .run();
        assert_eq!(error.unwrap_err().message(), "the condition '' is INT32[]; one BOOL is needed");
        let error = case(0, x(), doubled).output(Spec::f32()).run().unwrap_err();
        assert_eq!(error.message(), "it has 3 outputs, this op gives 2 to 2");
    }
}
