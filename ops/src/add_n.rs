//! ADD_N: the sum of two or more tensors of one shape, added from the first to the last. f32, clamped to the finite
//! numbers after each addition; i32, which wraps. Supports in-place operation.
//! Defined by: tflite/kernels/add_n.cc and optimized/optimized_ops.h (`AddN`), on one thread.

use arenite_abi::prelude::*;

use crate::kit::activation::Activation;
use crate::kit::node;

plain! {
    /// A prepared `ADD_N` node.
    pub struct AddN;
}

/// The number of elements that are summed before any of them is written.
const BLOCK: usize = 64;

impl Op for AddN {
    const CODE: OpCode = OpCode::Builtin(op::ADD_N);
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const TYPES: ElementTypes = ElementTypes::of(&[F32, I32]);
    const OUTPUT_TYPE: OutputType = OutputType::Input(0);
    const SHARING: Sharing = Sharing::InPlace;
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        node.expect(2..=usize::MAX, 1..=1)?;
        let (first, y) = (node.input(0)?, node.output(0)?);
        node::same_type(&y, &first)?;
        if !Self::TYPES.contains(first.ty) {
            return Err(Error::unsupported("ADD_N", first.ty));
        }
        for i in 1..node.input_count() {
            let x = node.input(i)?;
            ensure!(
                x.ty == first.ty && x.shape == first.shape,
                "inputs {first} {}{:?} and {x} {}{:?} must have the same type and shape",
                first.ty,
                first.shape,
                x.ty,
                x.shape
            );
        }
        cx.set_output_shape(0, first.shape)?;
        for i in 0..node.input_count() {
            cx.allow_in_place(0, i)?;
        }
        Ok(AddN)
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        match cx.node().output(0)?.ty {
            F32 => {
                let range = Activation::None.f32_range();
                sum(cx, |a: f32, b| range.clamp(a + b))
            }
            _ => sum(cx, i32::wrapping_add),
        }
    }
}

fn sum<T: Element>(cx: &EvalContext<'_>, add: impl Fn(T, T) -> T) -> Result<()> {
    let first = cx.input_cells::<T>(0)?;
    let y = cx.output_cells::<T>(0)?;
    let mut sums = [T::zeroed(); BLOCK];
    for (block, y) in y.chunks(BLOCK).enumerate() {
        let begin = block * BLOCK;
        sums.iter_mut().zip(begin..first.len()).for_each(|(sum, i)| *sum = first.get(i));
        for k in 1..cx.input_count() {
            let x = cx.input_cells::<T>(k)?;
            sums.iter_mut().zip(begin..x.len()).for_each(|(sum, i)| *sum = add(*sum, x.get(i)));
        }
        y.iter().zip(sums).for_each(|(y, sum)| y.set(sum));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn test(inputs: &[Tensor], y: Spec) -> OpTest<AddN> {
        inputs.iter().fold(OpTest::new(), |test, x| test.input(x.clone())).output(y)
    }

    #[test]
    fn sums_from_the_first_to_the_last() {
        let x = |list: [f32; 3]| Tensor::f32(&[3, 1], &list);
        let inputs = [x([1.0, 1e8, 0.5]), x([2.0, 3.0, 0.25]), x([3.0, -1e8, -1.0])];
        let y = test(&inputs, Spec::f32()).in_place().run().unwrap();
        // 1e8 + 3 is 1e8 + 0 in f32.
        assert_eq!((y[0].shape(), y[0].as_f32()), (&[3, 1][..], vec![6.0, 0.0, -0.25]));
        let i = |list: [i32; 2]| Tensor::i32(&[2], &list);
        let y = test(&[i([i32::MAX, 5]), i([1, -7])], Spec::i32()).in_place().run().unwrap();
        assert_eq!(y[0].as_i32(), [i32::MIN, -2]);
    }

    #[test]
    fn floats_stay_finite() {
        let inf = f32::INFINITY;
        let (a, b) = (Tensor::f32(&[3], &[inf, 3e38, -inf]), Tensor::f32(&[3], &[1.0, 3e38, 1.0]));
        assert_eq!(test(&[a, b], Spec::f32()).run().unwrap()[0].as_f32(), [f32::MAX, f32::MAX, f32::MIN]);
    }

    #[test]
    fn several_blocks_and_repeated_tensors() {
        let numbers: Vec<i32> = (0..200).collect();
        let test = OpTest::<AddN>::new().input(Tensor::i32(&[200], &numbers)).same_input(0).same_input(0);
        let y = test.output(Spec::i32()).in_place().run().unwrap();
        assert_eq!(y[0].as_i32(), numbers.iter().map(|x| 3 * x).collect::<Vec<_>>());
    }

    #[test]
    fn refusals() {
        let message = |inputs: &[Tensor], y| test(inputs, y).run().unwrap_err().message().to_owned();
        let (f, long) = (Tensor::f32(&[1], &[0.0]), Tensor::f32(&[2], &[0.0; 2]));
        assert!(
            message(std::slice::from_ref(&f), Spec::f32()).starts_with("it has 1 inputs, this op takes 2")
        );
        assert_eq!(
            message(&[f.clone(), f.clone(), long], Spec::f32()),
            "inputs 'in0' FLOAT32[1] and 'in2' FLOAT32[2] must have the same type and shape"
        );
        assert_eq!(
            message(&[f.clone(), Tensor::i32(&[1], &[0])], Spec::f32()),
            "inputs 'in0' FLOAT32[1] and 'in1' INT32[1] must have the same type and shape"
        );
        let long = Tensor::i64(&[1], &[0]);
        let error = test(&[long.clone(), long], Spec::i64()).run().unwrap_err();
        assert_eq!(error.status(), Status::Unsupported);
    }
}
