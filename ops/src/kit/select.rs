//! SELECT and SELECT_V2: `y = a where condition, else b`. Elements are moved without interpreting them.
//!
//! Defined by: tflite/kernels/select.cc and reference/select.h.

use arenite_abi::prelude::*;
use half::{bf16, f16};

use super::blocks::{BLOCK, BlockReader};
use super::broadcast::Broadcast;
use super::indexing::Dims;
use super::node;
use super::node::dims;

/// The supported types: all types of 8, 16, 32 and 64 bits, and BOOL for the condition.
pub const TYPES: ElementTypes = ElementTypes::of(&[
    F32,
    F16,
    BF16,
    F64,
    F8E4M3,
    F8E5M2,
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
    C64,
    ElementType::Bool,
]);

/// The inputs and the output of the node.
pub struct Operands<'a> {
    /// The condition, which selects `a` where it is true.
    pub condition: TensorView<'a>,
    /// The elements where the condition is true.
    pub a: TensorView<'a>,
    /// The elements where the condition is false.
    pub b: TensorView<'a>,
    /// The output's description; its shape is still the one in the file.
    pub y: TensorView<'a>,
}

impl<'a> Operands<'a> {
    /// Checks the number and the types of the tensors.
    ///
    /// # Errors
    /// There are more or fewer tensors, or a type is wrong.
    pub fn of(node: &NodeView<'a>) -> Result<Operands<'a>> {
        node.expect(3..=3, 1..=1)?;
        let (condition, a, b, y) = (node.input(0)?, node.input(1)?, node.input(2)?, node.output(0)?);
        ensure!(
            condition.ty == ElementType::Bool,
            "the condition {condition} is {}; it must be BOOL",
            condition.ty
        );
        for x in [&b, &y] {
            node::same_type(&a, x)?;
        }
        if !TYPES.contains(a.ty) {
            return Err(unsupported!("no kernel for {}", a.ty));
        }
        Ok(Operands { condition, a, b, y })
    }

    /// The output's shape in the file, if it has a single element, as all inputs do.
    ///
    /// # Errors
    /// The shape is invalid.
    pub fn single(&self) -> Result<Option<Dims>> {
        let Operands { condition, a, b, y } = self;
        let single = [condition, a, b, y].iter().all(|x| x.len() == 1);
        if single { dims(y).map(Some) } else { Ok(None) }
    }
}

plain! {
    /// The loops over all three inputs.
    pub struct Choice {
        broadcast: Broadcast<3>,
    }
}

impl Choice {
    /// Sets the output's shape, and allows the output to overwrite an input of that shape.
    ///
    /// # Errors
    /// The host refuses the shape.
    pub fn new(
        operands: &Operands<'_>,
        broadcast: Broadcast<3>,
        cx: &mut PrepareContext<'_>,
    ) -> Result<Choice> {
        let output = broadcast.output();
        cx.set_output_shape(0, output.as_slice())?;
        if !matches!(operands.a.ty, F8E4M3 | F8E5M2) {
            for (i, x) in [(1, &operands.a), (2, &operands.b)] {
                if x.shape == output.as_slice() {
                    cx.allow_in_place(0, i)?;
                }
            }
        }
        Ok(Choice { broadcast })
    }

    /// Writes the output.
    ///
    /// # Errors
    /// The type is not supported.
    pub fn eval(&self, cx: &EvalContext<'_>) -> Result<()> {
        match cx.node().output(0)?.ty {
            F32 => self.map::<f32>(cx),
            F16 => self.map::<f16>(cx),
            BF16 => self.map::<bf16>(cx),
            F64 => self.map::<f64>(cx),
            I8 => self.map::<i8>(cx),
            I16 => self.map::<i16>(cx),
            I32 => self.map::<i32>(cx),
            I64 => self.map::<i64>(cx),
            U8 => self.map::<u8>(cx),
            U16 => self.map::<u16>(cx),
            U32 => self.map::<u32>(cx),
            U64 => self.map::<u64>(cx),
            C64 => self.map::<Complex32>(cx),
            ElementType::Bool => self.map::<Bool>(cx),
            F8E4M3 | F8E5M2 => self.bytes(cx),
            ty => Err(unsupported!("no kernel for {ty}")),
        }
    }

    fn map<T: Element>(&self, cx: &EvalContext<'_>) -> Result<()> {
        let condition = cx.input_cells::<Bool>(0)?;
        let (a, b, y) = (cx.input_cells::<T>(1)?, cx.input_cells::<T>(2)?, cx.output_cells::<T>(0)?);
        let [c_step, a_step, b_step] = self.broadcast.nest().run_steps();
        let mut conditions = [Bool(0); BLOCK];
        let (mut from_a, mut from_b) = ([T::zeroed(); BLOCK], [T::zeroed(); BLOCK]);
        self.broadcast.nest().for_each_run(&mut |out, [ic, ia, ib], length| {
            let mut c = BlockReader::new(condition, ic, c_step);
            let (mut a, mut b) = (BlockReader::new(a, ia, a_step), BlockReader::new(b, ib, b_step));
            for y in y[out..out + length].chunks(BLOCK) {
                let (c_block, a_block, b_block) =
                    (&mut conditions[..y.len()], &mut from_a[..y.len()], &mut from_b[..y.len()]);
                c.read(c_block);
                a.read(a_block);
                b.read(b_block);
                let choices = c_block.iter().zip(a_block).zip(b_block);
                y.iter().zip(choices).for_each(|(y, ((c, a), b))| y.set(if c.0 != 0 { *a } else { *b }));
            }
        });
        Ok(())
    }

    /// Elements of one byte that have no Rust type.
    fn bytes(&self, cx: &EvalContext<'_>) -> Result<()> {
        let condition = cx.input_cells::<Bool>(0)?;
        let (a, b) = (cx.input(1)?.as_words::<u8>()?, cx.input(2)?.as_words::<u8>()?);
        let y = cx.output(0)?.into_words::<u8>()?;
        self.broadcast.for_each3(|i, ic, ia, ib| {
            y[i] = if condition.get(ic).0 != 0 { a[ia] } else { b[ib] };
        });
        Ok(())
    }
}

/// Helpers for the tests of both ops.
#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    /// Checks elements of every type.
    pub(crate) fn expect_types<O: Op>() {
        let condition = Tensor::bool(&[3], &[true, false, true]);
        for ty in TYPES.iter() {
            let bytes = ty.bytes_of(1).unwrap();
            // Booleans are bytes too, and may have any value here.
            let tensor =
                |from: u8| Tensor::raw(ty, &[3], &(0..3 * bytes).map(|i| from + i as u8).collect::<Vec<_>>());
            let (a, b) = (tensor(1), tensor(101));
            let test = OpTest::<O>::new().input(condition.clone()).input(a.clone()).input(b.clone());
            let y = test.output(Spec::of(ty)).run().unwrap();
            let want: Vec<u8> =
                (0..3 * bytes).map(|i| if i / bytes == 1 { b.bytes()[i] } else { a.bytes()[i] }).collect();
            assert_eq!((y[0].ty(), y[0].shape(), y[0].bytes()), (ty, &[3][..], &want[..]));
        }
    }

    /// Checks that an output of one element keeps its shape from the file, whatever the inputs' shapes.
    pub(crate) fn expect_single<O: Op>() {
        for shape in [&[][..], &[1], &[1, 1]] {
            let y = OpTest::<O>::new()
                .input(Tensor::bool(&[1], &[true]))
                .input(Tensor::f32(&[1, 1], &[3.0]))
                .input(Tensor::f32(&[], &[4.0]))
                .output(Spec::f32().shape(shape))
                .run()
                .unwrap();
            assert_eq!((y[0].shape(), y[0].as_f32()), (shape, vec![3.0]));
        }
    }
}
