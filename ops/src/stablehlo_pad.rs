//! STABLEHLO_PAD: pads the input with a value at its edges and between its elements; negative edges crop. Any type of
//! whole bytes.
//! Defined by: tflite/kernels/stablehlo_pad.cc.

use arenite_abi::prelude::*;
use arenite_abi::schema::StablehloPadOptions;

use crate::kit::indexing::MAX_RANK;
use crate::kit::node;
use crate::kit::spread::Spread;

plain! {
    /// A prepared `STABLEHLO_PAD` node.
    pub struct StablehloPad {
        plan: Spread,
    }
}

impl Op for StablehloPad {
    const CODE: OpCode = OpCode::Builtin(op::STABLEHLO_PAD);
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let (x, value, y) = node.binary()?;
        Spread::check(&x, &value, &y)?;
        let (rank, options) = (node::dims(&x)?.rank(), node.options()?);
        ensure!(rank > 0, "input {x} is a scalar; it must have an axis");
        type T = StablehloPadOptions;
        let (low, high) = (options.get(T::EDGE_PADDING_LOW)?, options.get(T::EDGE_PADDING_HIGH)?);
        let interior = options.get(T::INTERIOR_PADDING)?;
        for list in [&low, &high, &interior] {
            ensure!(
                list.len() == low.len() && (rank..=MAX_RANK).contains(&list.len()),
                "its options have {} low, {} high and {} interior paddings for {rank} axes",
                low.len(),
                high.len(),
                interior.len()
            );
        }
        let mut paddings = [[0; 3]; MAX_RANK];
        for (to, list) in paddings.iter_mut().zip(low.iter().zip(interior.iter()).zip(high.iter())) {
            let ((low, interior), high) = list;
            *to = [low, interior, high];
        }
        let plan = Spread::new(&x, |axis| {
            let [low, interior, high] = paddings[axis];
            ensure!(interior >= 0, "interior padding {interior} of axis {axis} is below 0");
            Ok([low, interior.saturating_add(1), high])
        })?;
        let plan = plan.collapsed();
        cx.set_output_shape(0, plan.output().as_slice())?;
        Ok(StablehloPad { plan })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        self.plan.eval(&cx.input(0)?, &cx.input(1)?, cx.output(0)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    /// Pads with the low, interior and high padding of each axis.
    fn run(x: Tensor, paddings: &[[i64; 3]], value: Tensor) -> Result<Tensor> {
        let list = |which: usize| paddings.iter().map(|padding| padding[which]).collect::<Vec<_>>();
        let test = OpTest::<StablehloPad>::new().input(x.clone()).input(value).output(Spec::of(x.ty()));
        let test = test.options(|o| {
            let o = o
                .set(StablehloPadOptions::EDGE_PADDING_LOW, &list(0))
                .set(StablehloPadOptions::EDGE_PADDING_HIGH, &list(2));
            o.set(StablehloPadOptions::INTERIOR_PADDING, &list(1))
        });
        test.run().map(|mut y| y.remove(0))
    }

    #[test]
    fn paddings() {
        for (shape, paddings, want, elements) in [
            (&[2][..], &[[1, 0, 2]][..], &[5][..], &[-9, 1, 2, -9, -9][..]),
            (&[3], &[[0, 1, 0]], &[5], &[1, -9, 2, -9, 3]),
            (&[3], &[[-1, 0, 0]], &[2], &[2, 3]),
            (&[3], &[[0, 0, -2]], &[1], &[1]),
            // 1 9 9 9 2 9 9 9 3, cropped at both ends.
            (&[3], &[[-1, 3, 0]], &[8], &[-9, -9, -9, 2, -9, -9, -9, 3]),
            (&[3], &[[-6, 3, 0]], &[3], &[-9, -9, 3]),
            (&[3], &[[0, 3, -5]], &[4], &[1, -9, -9, -9]),
            (&[3], &[[-1, 3, -1]], &[7], &[-9, -9, -9, 2, -9, -9, -9]),
            (&[2], &[[-1, 3, -1]], &[3], &[-9, -9, -9]),
            (&[1], &[[5, 0, -3]], &[3], &[-9, -9, -9]),
            (&[1], &[[-3, 0, 5]], &[3], &[-9, -9, -9]),
            (&[2, 2], &[[0, 1, 0], [1, 0, 0]], &[3, 3], &[-9, 1, 2, -9, -9, -9, -9, 3, 4]),
            (&[0], &[[1, 5, 1]], &[2], &[-9, -9]),
            // As in TFLite, if one axis is empty, all sizes are zero.
            (&[2, 2], &[[-2, 0, 0], [0, 0, 0]], &[0, 0], &[]),
            (&[2, 2], &[[-7, 0, 0], [0, 0, 0]], &[0, 0], &[]),
            // Entries beyond the axes are ignored.
            (&[1], &[[0, 0, 0], [7, 7, 7]], &[1], &[1]),
        ] {
            let x: Vec<i16> = (1..=shape.iter().product::<i32>()).map(|i| i as i16).collect();
            let y = run(Tensor::i16(shape, &x), paddings, Tensor::i16(&[], &[-9])).unwrap();
            assert_eq!((y.shape(), y.as_i16()), (want, elements.to_vec()), "{shape:?} {paddings:?}");
        }
        let y = run(Tensor::f32(&[1], &[2.5]), &[[1, 0, 0]], Tensor::f32(&[1], &[-0.5])).unwrap();
        assert_eq!(y.as_f32(), [-0.5, 2.5]);
        let y = run(Tensor::bool(&[2], &[false; 2]), &[[0, 1, 0]], Tensor::bool(&[], &[true])).unwrap();
        assert_eq!(y.as_bool(), [false, true, false]);
    }
}
