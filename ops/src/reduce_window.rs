//! REDUCE_WINDOW: the sum, product, minimum, maximum, conjunction or disjunction of each window. bool, i8, i16, i32,
//! i64, u8, f32, f64, all without regard to quantization.
//!
//! Defined by: tflite/kernels/stablehlo_reduce_window.cc. Inputs: x, the initial value, and for each axis the window's
//! size, stride and dilation (INT64 constants).

use arenite_abi::prelude::*;
use arenite_abi::schema::{ReduceWindowOptions, reduce_window as functions};

use crate::kit::arguments::{Integers, expect_type, expect_vector};
use crate::kit::indexing::MAX_RANK;
use crate::kit::reduce_window::{self, Function, Reduction, TYPES, WindowAxis};

plain! {
    /// A prepared `REDUCE_WINDOW` node.
    pub struct ReduceWindow(Reduction);
}

impl Op for ReduceWindow {
    const CODE: OpCode = OpCode::Builtin(op::REDUCE_WINDOW);
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);
    const TYPES: ElementTypes = ElementTypes::of(&TYPES);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        node.expect(5..=5, 1..=1)?;
        let (x, init, y) = (node.input(0)?, node.input(1)?, node.output(0)?);
        reduce_window::check(&x, &init, &y)?;
        let function = match node.options()?.get(ReduceWindowOptions::REDUCE_FUNCTION)? {
            functions::ADD => Function::Add,
            functions::MUL => Function::Mul,
            functions::MINIMUM => Function::Min,
            functions::MAXIMUM => Function::Max,
            functions::ALL => Function::All,
            functions::ANY => Function::Any,
            other => return Err(invalid!("its function is number {other}, the schema has 1 to 6")),
        };
        Reduction::prepare(cx, &x, &axes(node, x.rank())?, function).map(ReduceWindow)
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        self.0.eval(cx)
    }
}

/// One window per axis, from inputs 2 to 4.
fn axes(node: &NodeView<'_>, rank: usize) -> Result<[WindowAxis; MAX_RANK]> {
    let mut axes = [WindowAxis::ONE; MAX_RANK];
    for input in 2..5 {
        let list = node.input(input)?;
        expect_type(&list, &[I64])?;
        ensure!(list.is_constant(), "{list} must be constant");
        ensure!(
            expect_vector(&list)? == rank,
            "{list} is {:?}; a number for each of {rank} axes is needed",
            list.shape
        );
        for (axis, &number) in axes.iter_mut().zip(Integers::of(&list)?.iter()) {
            match input {
                2 => axis.size = number,
                3 => axis.stride = number,
                _ => axis.dilation = number,
            }
        }
    }
    Ok(axes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn node(
        function: i32,
        x: Tensor,
        init: Tensor,
        [size, stride, dilation]: [&[i64]; 3],
    ) -> OpTest<ReduceWindow> {
        let list = |of: &[i64]| Tensor::i64(&[of.len() as i32], of);
        let ty = x.ty();
        let test = OpTest::new()
            .options(|o| o.set(ReduceWindowOptions::REDUCE_FUNCTION, function))
            .input(x)
            .input(init);
        test.constant(list(size)).constant(list(stride)).constant(list(dilation)).output(Spec::of(ty))
    }

    #[test]
    fn functions() {
        let row = || Tensor::i32(&[5], &[1, -2, 0, 4, 5]);
        let windows: [&[i64]; 3] = [&[2], &[1], &[2]];
        for (function, init, want) in [
            (1, 10, [11, 12, 15]),
            (2, 1, [0, -8, 0]),
            (3, 1, [0, -2, 0]),
            (4, 3, [3, 4, 5]),
            (5, 7, [0, 1, 0]),
            (6, 0, [1, 1, 1]),
        ] {
            let y = node(function, row(), Tensor::i32(&[], &[init]), windows).run().unwrap().remove(0);
            assert_eq!((y.shape(), y.as_i32()), (&[3][..], want.to_vec()), "function {function}");
        }
    }

    #[test]
    fn types() {
        let windows: [&[i64]; 3] = [&[1, 2], &[2, 1], &[1, 1]];
        let y = node(1, Tensor::i8(&[3, 2], &[100, 100, 0, 0, -3, 1]), Tensor::i8(&[], &[0]), windows)
            .run()
            .unwrap();
        assert_eq!((y[0].shape(), y[0].as_i8()), (&[2, 1][..], vec![-56, -2]));
        let y = node(2, Tensor::u8(&[1, 2], &[20, 20]), Tensor::u8(&[], &[1]), windows).run().unwrap();
        assert_eq!(y[0].as_u8(), [144]);
        let y = node(6, Tensor::bool(&[1, 2], &[false, true]), Tensor::bool(&[], &[false]), windows)
            .run()
            .unwrap();
        assert_eq!(y[0].as_bool(), [true]);
        let y =
            node(2, Tensor::f32(&[1, 2], &[0.5, -3.0]), Tensor::f32(&[1], &[2.0]), windows).run().unwrap();
        assert_eq!(y[0].as_f32(), [-3.0]);
        let y = node(5, Tensor::f64(&[1, 2], &[0.5, -3.0]), Tensor::f64(&[], &[2.0]), windows).run().unwrap();
        assert_eq!(y[0].as_f64(), [1.0]);
        let y = node(1, Tensor::i64(&[1, 2], &[i64::MAX, 1]), Tensor::i64(&[], &[0]), windows).run().unwrap();
        assert_eq!(y[0].as_i64(), [i64::MIN]);
        let y = node(4, Tensor::i16(&[1, 1], &[3]), Tensor::i16(&[], &[0]), windows).run().unwrap();
        assert_eq!(y[0].shape(), [1, 0]);
    }
}
