//! RANGE: `start, start + delta, …`, up to but excluding `limit`. f32, whose rounding errors accumulate; i32, i64.
//! Defined by: tflite/kernels/range.cc.

use arenite_abi::prelude::*;

use crate::kit::float;
use crate::kit::node;
use crate::kit::number::Number;

plain! {
    /// A prepared `RANGE` node.
    pub struct Range {
        /// Whether the inputs, and so the size, are known in `prepare`.
        is_known: bool,
    }
}

impl Op for Range {
    const CODE: OpCode = OpCode::Builtin(op::RANGE);
    const VERSIONS: RangeInclusive<i32> = 1..=2;
    const TYPES: ElementTypes = ElementTypes::of(&[F32, I32, I64]);
    const OUTPUT_TYPE: OutputType = OutputType::Input(0);
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        node.expect(3..=3, 1..=1)?;
        let (inputs, y) = ([node.input(0)?, node.input(1)?, node.input(2)?], node.output(0)?);
        for x in &inputs {
            node::same_type(x, &y)?;
            ensure!(x.rank() == 0, "{x} is {:?}; it must be a scalar", x.shape);
        }
        let is_known = inputs.iter().all(TensorView::is_constant);
        match is_known {
            true => cx.set_output_shape(0, &[size(&inputs)?])?,
            false => cx.set_output_dynamic(0)?,
        }
        Ok(Range { is_known })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let inputs = [cx.input(0)?, cx.input(1)?, cx.input(2)?];
        let y = if self.is_known { cx.output(0)? } else { cx.resize_output(0, &[size(&inputs)?])? };
        match y.ty() {
            F32 => count::<f32>(&inputs, y),
            I32 => count::<i32>(&inputs, y),
            _ => count::<i64>(&inputs, y),
        }
    }
}

fn scalar<T: Element>(x: &TensorView<'_>) -> Result<T> {
    x.as_slice::<T>()?.first().copied().ok_or_else(|| invalid!("{x} has no data"))
}

/// The number of elements.
fn size(inputs: &[TensorView<'_>; 3]) -> Result<i32> {
    match inputs[0].ty {
        F32 => {
            let [start, limit, delta] = checked::<f32>(inputs)?;
            let size = float::ceil(((limit - start) / delta).abs());
            ensure!(size < 2_147_483_648.0, "{start} to {limit} by {delta} are {size} elements: too many");
            Ok(size as i32)
        }
        I32 => whole_size(checked::<i32>(inputs)?.map(i128::from)),
        _ => whole_size(checked::<i64>(inputs)?.map(i128::from)),
    }
}

/// Reads the inputs, and checks that `delta` leads from `start` to `limit`.
fn checked<T: Number + core::fmt::Display>(inputs: &[TensorView<'_>; 3]) -> Result<[T; 3]> {
    let [start, limit, delta] = [scalar::<T>(&inputs[0])?, scalar(&inputs[1])?, scalar(&inputs[2])?];
    ensure!(
        (start <= limit && delta > T::ZERO) || (start >= limit && delta < T::ZERO),
        "steps of {delta} do not lead from {start} to {limit}"
    );
    Ok([start, limit, delta])
}

fn whole_size([start, limit, delta]: [i128; 3]) -> Result<i32> {
    let size = (limit - start).unsigned_abs().div_ceil(delta.unsigned_abs());
    i32::try_from(size).map_err(|_| invalid!("{start} to {limit} by {delta} are {size} elements: too many"))
}

fn count<T: Number>(inputs: &[TensorView<'_>; 3], y: TensorViewMut<'_>) -> Result<()> {
    let (mut value, delta) = (scalar::<T>(&inputs[0])?, scalar::<T>(&inputs[2])?);
    for y in y.into_slice::<T>()? {
        *y = value;
        value = value.plus(delta);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn run(inputs: [Tensor; 3]) -> Result<Tensor> {
        let test = OpTest::<Range>::new().output(Spec::of(inputs[0].ty()));
        let known = inputs.iter().fold(test.clone(), |test, x| test.constant(x.clone())).run();
        let late = inputs.into_iter().fold(test, |test, x| test.input(x)).run();
        crate::kit::assert_same(&known, &late);
        known.map(|mut y| y.remove(0))
    }

    fn whole(start: i32, limit: i32, delta: i32) -> Result<Tensor> {
        let long = run([start, limit, delta].map(|x| Tensor::i64(&[], &[x.into()])));
        let y = run([start, limit, delta].map(|x| Tensor::i32(&[], &[x])))?;
        assert!(y.as_i32().iter().map(|&y| i64::from(y)).eq(long?.as_i64()));
        Ok(y)
    }

    fn float(start: f32, limit: f32, delta: f32) -> Result<Vec<f32>> {
        run([start, limit, delta].map(|x| Tensor::f32(&[], &[x]))).map(|y| y.as_f32())
    }

    #[test]
    fn values() {
        assert_eq!(whole(0, 5, 2).unwrap().as_i32(), [0, 2, 4]);
        assert_eq!(whole(0, 4, 2).unwrap().as_i32(), [0, 2]);
        assert_eq!(whole(3, -4, -3).unwrap().as_i32(), [3, 0, -3]);
        assert_eq!(whole(7, 7, -1).unwrap().shape(), [0]);
        assert_eq!(whole(i32::MIN, i32::MAX, i32::MAX).unwrap().as_i32(), [i32::MIN, -1, i32::MAX - 1]);
        assert_eq!(float(1.0, 2.0, 0.25).unwrap(), [1.0, 1.25, 1.5, 1.75]);
        assert_eq!(float(1.0, 2.1, 0.5).unwrap(), [1.0, 1.5, 2.0]);
        assert_eq!(float(0.0, -1.0, -0.5).unwrap(), [0.0, -0.5]);
        // Errors accumulate: ten times 0.1 is not 1.
        assert_eq!(float(0.0, 1.1, 0.1).unwrap()[10], 1.000_000_1);
    }
}
