//! PACK: stacks inputs of one shape along a new axis. Any type but strings.
//! Defined by: tflite/kernels/pack.cc.

use arenite_abi::prelude::*;
use arenite_abi::schema::PackOptions;

use crate::kit::indexing::{Dims, normalize_axis};
use crate::kit::moves::{Run, Width};
use crate::kit::node;

plain! {
    /// A prepared `PACK` node: each input consists of `outer` blocks of `inner` elements.
    pub struct Pack {
        outer: usize,
        inner: usize,
    }
}

impl Op for Pack {
    const CODE: OpCode = OpCode::Builtin(op::PACK);
    const VERSIONS: RangeInclusive<i32> = 1..=5;
    const SHARING: Sharing = Sharing::PartOfOutput;
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        node.expect(1..=usize::MAX, 1..=1)?;
        let (x, y, options, count) = (node.input(0)?, node.output(0)?, node.options()?, node.input_count());
        let (wanted, values) = (options.get(PackOptions::AXIS)?, options.get(PackOptions::VALUES_COUNT)?);
        ensure!(usize::try_from(values) == Ok(count), "its options ask for {values} inputs, it has {count}");
        let axis = normalize_axis(wanted, x.rank() + 1).ok_or_else(|| {
            invalid!("axis {wanted} does not exist: input {x} is {:?}, the output has one axis more", x.shape)
        })?;
        Width::of(x.ty)?;
        node::same_type(&x, &y)?;
        for i in 0..count {
            let other = node.input(i)?;
            ensure!(
                x.ty == other.ty && x.shape == other.shape,
                "{x} is {} {:?}, {other} is {} {:?}; they must agree",
                x.ty,
                x.shape,
                other.ty,
                other.shape
            );
            node::same_quantization(&other, &y)?;
        }
        let sizes = x.shape[..axis].iter().chain([&values]).chain(&x.shape[axis..]).copied();
        let output = Dims::from_sizes(sizes)
            .ok_or_else(|| invalid!("{count} inputs of {:?} are too large together", x.shape))?;
        cx.set_output_shape(0, output.as_slice())?;
        let (outer, _, inner) = output.split_at(axis);
        let bytes = inner * (x.ty.bits() as usize / 8);
        if outer == 1 && bytes > 0 {
            (0..count).try_for_each(|i| cx.allow_part_of_output(i, 0, i * bytes))?;
        }
        Ok(Pack { outer, inner })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let (to, count) = (cx.output_byte_cells(0)?, cx.input_count());
        let width = Width::of(cx.node().output(0)?.ty)?;
        width.clear_rest_cells(to);
        for i in 0..count {
            let from = cx.input_byte_cells(i)?;
            for outer in 0..self.outer {
                let source = Run::contiguous(outer * self.inner);
                let target = Run::contiguous((outer * count + i) * self.inner);
                width.move_run(from, source, to, target, self.inner)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn node(inputs: &[Tensor], axis: i32) -> OpTest<Pack> {
        let test = inputs.iter().fold(OpTest::<Pack>::new(), |test, x| test.input(x.clone()));
        let test = test
            .options(|o| o.set(PackOptions::VALUES_COUNT, inputs.len() as i32).set(PackOptions::AXIS, axis));
        test.output(Spec::of(inputs[0].ty()))
    }

    #[test]
    fn stacks() {
        let inputs = [Tensor::i16(&[3], &[0, 1, 2]), Tensor::i16(&[3], &[3, 4, 5])];
        let y = node(&inputs, 0).run().unwrap();
        assert_eq!((y[0].shape(), y[0].as_i16()), (&[2, 3][..], vec![0, 1, 2, 3, 4, 5]));
        let y = node(&inputs, -1).run().unwrap();
        assert_eq!((y[0].shape(), y[0].as_i16()), (&[3, 2][..], vec![0, 3, 1, 4, 2, 5]));
        let y = node(&[7u64, 8, 9].map(|v| Tensor::u64(&[], &[v])), 0).run().unwrap();
        assert_eq!((y[0].shape(), y[0].as_u64()), (&[3][..], vec![7, 8, 9]));
        let y = node(&[1, 2, 3].map(|v| Tensor::i4(&[1], &[v])), 1).run().unwrap();
        assert_eq!((y[0].shape(), y[0].as_i4()), (&[1, 3][..], vec![1, 2, 3]));
        assert_eq!(node(&[Tensor::i8(&[0, 2], &[])], 1).run().unwrap()[0].shape(), [0, 1, 2]);
        let twice = OpTest::<Pack>::new().input(Tensor::f32(&[1], &[2.0])).same_input(0).output(Spec::f32());
        assert_eq!(
            twice.options(|o| o.set(PackOptions::VALUES_COUNT, 2)).run().unwrap()[0].as_f32(),
            [2.0, 2.0]
        );
    }

    #[test]
    fn inputs_may_be_computed_in_place() {
        let test = OpTest::<Pack>::new().input(Tensor::i16(&[2], &[1, 2])).input(Tensor::i16(&[2], &[3, 4]));
        let test = test.output(Spec::of(I16)).options(|o| o.set(PackOptions::VALUES_COUNT, 2));
        assert_eq!(test.shares(&[Sharing::PartOfOutput]).run().unwrap()[0].as_i16(), [1, 2, 3, 4]);
    }
}
