//! DYNAMIC_UPDATE_SLICE: replaces a part of the operand by the update. Start indices are clamped so that the update
//! fits. Any type of fixed size; start indices INT32, INT64. Supports in-place operation.
//! Defined by: tflite/kernels/dynamic_update_slice.cc.

use arenite_abi::prelude::*;
use half::{bf16, f16};

use crate::kit::arguments::{Integers, expect_type, expect_vector};
use crate::kit::indexing::{Dims, Nest};
use crate::kit::moves::Width;
use crate::kit::node;

plain! {
    /// A prepared `DYNAMIC_UPDATE_SLICE` node.
    pub struct DynamicUpdateSlice {
        operand: Dims,
        update: Dims,
    }
}

impl Op for DynamicUpdateSlice {
    const CODE: OpCode = OpCode::Builtin(op::DYNAMIC_UPDATE_SLICE);
    const VERSIONS: RangeInclusive<i32> = 1..=6;
    const OUTPUT_TYPE: OutputType = OutputType::Input(0);
    const SHARING: Sharing = Sharing::InPlace;
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        node.expect(3..=3, 1..=1)?;
        let (x, update, starts, y) = (node.input(0)?, node.input(1)?, node.input(2)?, node.output(0)?);
        for tensor in [&update, &y] {
            node::same_type(&x, tensor)?;
        }
        Width::of(x.ty)?;
        expect_type(&starts, &[I32, I64])?;
        let count = expect_vector(&starts)?;
        ensure!(
            count == x.rank(),
            "{starts} has {count} numbers, operand {x} has {} axes; there must be one number per axis",
            x.rank()
        );
        ensure!(
            update.rank() == x.rank() && update.shape.iter().zip(x.shape).all(|(part, whole)| part <= whole),
            "update {update} is {:?}; it must fit operand {x}, which is {:?}",
            update.shape,
            x.shape
        );
        cx.set_output_shape(0, x.shape)?;
        if has_cells(x.ty) {
            cx.allow_in_place(0, 0)?;
        }
        Ok(DynamicUpdateSlice { operand: node::dims(&x)?, update: node::dims(&update)? })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let (update, nest) = (cx.input(1)?, self.part(&Integers::of(&cx.input(2)?)?));
        // If the operand shares the output's memory, it is not accessible as a slice, and everything but the update is
        // already in place.
        let Ok(x) = cx.input(0) else { return overwrite(cx, &update, &nest) };
        let to = cx.output(0)?.into_bytes();
        to.copy_from_slice(x.bytes());
        Width::of(x.ty)?.scatter(&nest, update.bytes(), to)
    }
}

impl DynamicUpdateSlice {
    /// Loops over the elements of the operand that the update replaces; the start is clamped so that all of them exist.
    fn part(&self, starts: &[i64]) -> Nest<1> {
        let strides = self.operand.strides();
        let mut first = 0;
        for (axis, &start) in starts.iter().enumerate().take(self.operand.rank()) {
            let room = self.operand.size(axis) - self.update.size(axis);
            first += start.clamp(0, room as i64) as isize * strides[axis];
        }
        Nest::new(&self.update, [strides]).starting_at([first])
    }
}

macro_rules! in_place {
    ($($ty:pat => $rust:ty,)*) => {
        /// Whether elements of this type can be written through cells.
        fn has_cells(ty: ElementType) -> bool {
            matches!(ty, $($ty)|*)
        }

        /// Writes the update over the operand.
        fn overwrite(cx: &EvalContext<'_>, update: &TensorView<'_>, nest: &Nest<1>) -> Result<()> {
            match update.ty {
                $($ty => write::<$rust>(cx, update, nest),)*
                ty => Err(Error::unsupported("DYNAMIC_UPDATE_SLICE in place", ty)),
            }
        }
    };
}

in_place! {
    F32 => f32,
    F64 => f64,
    F16 => f16,
    BF16 => bf16,
    I8 => i8,
    U8 => u8,
    I16 => i16,
    U16 => u16,
    I32 => i32,
    U32 => u32,
    I64 => i64,
    U64 => u64,
    C64 => Complex32,
    C128 => Complex64,
    ElementType::Bool => Bool,
}

fn write<T: Element>(cx: &EvalContext<'_>, update: &TensorView<'_>, nest: &Nest<1>) -> Result<()> {
    let (y, elements) = (cx.output_cells::<T>(0)?, update.as_slice::<T>()?);
    let [step] = nest.run_steps();
    nest.for_each_run(&mut |k, [first], length| {
        let run = elements.get(k..k + length).unwrap_or(&[]);
        match y.get(first..first + length).filter(|_| step == 1) {
            Some(y) => y.iter().zip(run).for_each(|(y, &element)| y.set(element)),
            None => run.iter().enumerate().for_each(|(i, &element)| {
                let at = first.wrapping_add_signed(i as isize * step);
                y.get(at).into_iter().for_each(|y| y.set(element));
            }),
        }
    });
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn node(x: Tensor, update: Tensor, starts: &[i32]) -> OpTest<DynamicUpdateSlice> {
        let starts = Tensor::i32(&[starts.len() as i32], starts);
        OpTest::new().input(x.clone()).input(update).input(starts).output(Spec::of(x.ty()))
    }

    #[test]
    fn updates() {
        for (shape, part, starts, want) in [
            (&[4][..], &[2][..], &[1][..], &[0, -1, -2, 3][..]),
            (&[4], &[2], &[9], &[0, 1, -1, -2]),
            (&[4], &[2], &[i32::MIN], &[-1, -2, 2, 3]),
            (&[4], &[4], &[3], &[-1, -2, -3, -4]),
            (&[4], &[0], &[1], &[0, 1, 2, 3]),
            (&[2, 3], &[1, 2], &[1, 1], &[0, 1, 2, 3, -1, -2]),
            (&[2, 3], &[2, 1], &[0, 2], &[0, 1, -1, 3, 4, -2]),
            (&[2, 1, 2], &[1, 1, 2], &[1, 5, 0], &[0, 1, -1, -2]),
            (&[0, 2], &[0, 1], &[0, 0], &[]),
            (&[], &[], &[], &[-1]),
        ] {
            let x: Vec<i32> = (0..shape.iter().product()).collect();
            let update: Vec<i32> = (1..=part.iter().product::<i32>()).map(|i| -i).collect();
            let node = node(Tensor::i32(shape, &x), Tensor::i32(part, &update), starts);
            let y = node.in_place().run().unwrap();
            assert_eq!((y[0].shape(), y[0].as_i32()), (shape, want.to_vec()), "{part:?} at {starts:?}");
        }
    }

    #[test]
    fn element_types() {
        let bytes: [u8; 48] = core::array::from_fn(|i| i as u8);
        for &ty in ElementType::ALL.iter().filter(|ty| ty.bits() >= 8) {
            let size = ty.bits() as usize / 8;
            let x = Tensor::raw(ty, &[2], &bytes[..2 * size]);
            let node = node(x, Tensor::raw(ty, &[1], &bytes[2 * size..3 * size]), &[1]);
            let y = if has_cells(ty) { node.in_place().run() } else { node.run() };
            let want = [&bytes[..size], &bytes[2 * size..3 * size]].concat();
            assert_eq!(y.unwrap()[0].bytes(), want, "{ty}");
        }
        let packed = node(Tensor::i4(&[5], &[1, 2, 3, 4, 5]), Tensor::i4(&[3], &[-1, -2, -3]), &[1]);
        assert_eq!(packed.run().unwrap()[0].as_i4(), [1, -1, -2, -3, 5]);
    }

    #[test]
    fn long_starts() {
        let x = Tensor::f32(&[3], &[0.0; 3]);
        let node = OpTest::<DynamicUpdateSlice>::new().input(x).input(Tensor::f32(&[1], &[1.0]));
        let y = node.constant(Tensor::i64(&[1], &[i64::MAX])).output(Spec::f32()).run().unwrap();
        assert_eq!(y[0].as_f32(), [0.0, 0.0, 1.0]);
    }
}
