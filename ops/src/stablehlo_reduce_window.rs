//! STABLEHLO_REDUCE_WINDOW: like [REDUCE_WINDOW](crate::reduce_window), with padding and with a dilated input. The only
//! op of a subgraph combines the elements of a window.
//!
//! Defined by: tflite/kernels/stablehlo_reduce_window.cc. Inputs: x, the initial value.

use arenite_abi::prelude::*;
use arenite_abi::schema::{Field, StablehloReduceWindowOptions};

use crate::kit::indexing::MAX_RANK;
use crate::kit::reduce_window::{self, Function, Reduction, TYPES, WindowAxis};

plain! {
    /// A prepared `STABLEHLO_REDUCE_WINDOW` node.
    pub struct StablehloReduceWindow(Reduction);
}

impl Op for StablehloReduceWindow {
    const CODE: OpCode = OpCode::Builtin(op::STABLEHLO_REDUCE_WINDOW);
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);
    const TYPES: ElementTypes = ElementTypes::of(&TYPES);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let (x, init, y) = node.binary()?;
        reduce_window::check(&x, &init, &y)?;
        let options = node.options()?;
        let axes = axes(&options, x.rank())?;
        let function =
            function(&cx.model()?, options.get(StablehloReduceWindowOptions::BODY_SUBGRAPH_INDEX)?)?;
        Reduction::prepare(cx, &x, &axes, function).map(StablehloReduceWindow)
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        self.0.eval(cx)
    }
}

/// One window per axis. Missing options default to 1, the padding to 0.
fn axes(options: &Options<'_, StablehloReduceWindowOptions>, rank: usize) -> Result<[WindowAxis; MAX_RANK]> {
    let mut axes = [WindowAxis::ONE; MAX_RANK];
    type T = StablehloReduceWindowOptions;
    type Set = fn(&mut WindowAxis, usize, i64);
    let mut read = |field: Field<T, [i64]>, name: &str, each: usize, set: Set| {
        let (list, wanted) = (options.get(field)?, each * rank);
        ensure!(
            list.is_empty() || list.len() == wanted,
            "its {name} has {} numbers; {wanted} are needed for {rank} axes",
            list.len()
        );
        list.iter().enumerate().for_each(|(i, number)| set(&mut axes[i / each], i % each, number));
        Ok(())
    };
    read(T::WINDOW_DIMENSIONS, "window_dimensions", 1, |axis, _, number| axis.size = number)?;
    read(T::WINDOW_STRIDES, "window_strides", 1, |axis, _, number| axis.stride = number)?;
    read(T::BASE_DILATIONS, "base_dilations", 1, |axis, _, number| axis.base_dilation = number)?;
    read(T::WINDOW_DILATIONS, "window_dilations", 1, |axis, _, number| axis.dilation = number)?;
    read(T::PADDING, "padding", 2, |axis, side, number| axis.padding[side] = number)?;
    Ok(axes)
}

/// The function of a subgraph with a single op.
fn function(model: &ModelContext<'_>, subgraph: i32) -> Result<Function> {
    let body = model.subgraph(subgraph)?;
    ensure!(
        body.node_count() == 1,
        "its body, subgraph {subgraph}, has {} nodes; only one is supported",
        body.node_count()
    );
    Ok(match body.node(0).builtin_code() {
        // Each op of TensorFlow Lite and its StableHLO counterpart.
        op::ADD | op::STABLEHLO_ADD => Function::Add,
        op::MUL | op::STABLEHLO_MULTIPLY => Function::Mul,
        op::MAXIMUM | op::STABLEHLO_MAXIMUM => Function::Max,
        op::MINIMUM | op::STABLEHLO_MINIMUM => Function::Min,
        op::LOGICAL_AND | op::STABLEHLO_AND => Function::All,
        op::LOGICAL_OR | op::STABLEHLO_RSQRT => Function::Any,
        code => return Err(unsupported!("no reduction by the op number {code} of subgraph {subgraph}")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, OptionsBuilder, Spec, Subgraph, Tensor};

    fn body(code: i32) -> Subgraph {
        let x = [Tensor::i32(&[], &[0]), Tensor::i32(&[], &[0])];
        Subgraph::new(&x, |x| x[..1].to_vec()).node(code, &[0, 1], &[2])
    }

    fn case(
        x: Tensor,
        body: Subgraph,
        fill: impl FnOnce(
            OptionsBuilder<StablehloReduceWindowOptions>,
        ) -> OptionsBuilder<StablehloReduceWindowOptions>,
    ) -> OpTest<StablehloReduceWindow> {
        let y = Spec::of(x.ty());
        let case = OpTest::new().input(x).input(Tensor::i32(&[], &[1])).output(y);
        case.options(|o| fill(o).set(StablehloReduceWindowOptions::BODY_SUBGRAPH_INDEX, 0)).subgraph(body)
    }

    #[test]
    fn windows_over_a_padded_and_dilated_row() {
        // 1, 2, 3, dilated and padded with the initial value 1, is 1 1 1 2 1 3; the windows have two elements at
        // distance 2.
        let row = Tensor::i32(&[3], &[1, 2, 3]);
        let fill = |o: OptionsBuilder<StablehloReduceWindowOptions>| {
            o.set(StablehloReduceWindowOptions::WINDOW_DIMENSIONS, &[2])
                .set(StablehloReduceWindowOptions::WINDOW_STRIDES, &[2])
                .set(StablehloReduceWindowOptions::BASE_DILATIONS, &[2])
                .set(StablehloReduceWindowOptions::WINDOW_DILATIONS, &[1])
                .set(StablehloReduceWindowOptions::PADDING, &[1, 0])
        };
        for (code, want) in [
            (op::ADD, [3, 4, 5]),
            (op::STABLEHLO_MULTIPLY, [1, 2, 3]),
            (op::MAXIMUM, [1, 2, 3]),
            (op::STABLEHLO_MINIMUM, [1, 1, 1]),
        ] {
            let y = case(row.clone(), body(code), fill).run().unwrap();
            assert_eq!((y[0].shape(), y[0].as_i32()), (&[3][..], want.to_vec()), "{code}");
        }
    }

    #[test]
    fn refusals() {
        let row = || Tensor::i32(&[3], &[1, 2, 3]);
        let message = |case: OpTest<StablehloReduceWindow>| case.run().unwrap_err().message().to_owned();
        assert_eq!(
            message(case(row(), body(op::ADD), |o| o
                .set(StablehloReduceWindowOptions::WINDOW_DIMENSIONS, &[2, 2]))),
            "its window_dimensions has 2 numbers; 1 are needed for 1 axes"
        );
        assert_eq!(
            message(case(row(), body(op::CONV_2D), |o| o)),
            "no reduction by the op number 3 of subgraph 0"
        );
        let two = body(op::ADD).node(op::ADD, &[0, 1], &[2]);
        assert_eq!(
            message(case(row(), two, |o| o)),
            "its body, subgraph 0, has 2 nodes; only one is supported"
        );
        assert_eq!(
            message(case(Tensor::i32(&[], &[1]), body(op::ADD), |o| o)),
            "input 'in0' is []; it must have 1 to 6 dimensions"
        );
        let zero_stride =
            case(row(), body(op::ADD), |o| o.set(StablehloReduceWindowOptions::WINDOW_STRIDES, &[0]));
        assert!(message(zero_stride).contains("stride 0"));
    }
}
