//! aeq.hadamard_rotation: multiplies runs of `hadamard_size` elements by the Hadamard matrix, divided by the square
//! root of the size. f32. The elements of an i32 input are the bits of f32 numbers.
//! Defined by: tflite/kernels/hadamard_rotation.cc.
//!
//! ```text
//! distance 1, 2, 4, ...:  (a, b) → (a + b, a − b)
//! ```

use arenite_abi::prelude::*;

use crate::kit::custom_options::CustomOptions;
use crate::kit::pace::Pace;

plain! {
    /// A prepared `aeq.hadamard_rotation` node: the elements per run, and the number of elements that are in runs.
    pub struct AeqHadamardRotation {
        size: usize,
        rotated: usize,
    }
}

impl Op for AeqHadamardRotation {
    const CODE: OpCode = OpCode::Custom("aeq.hadamard_rotation");
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const TYPES: ElementTypes = ElementTypes::of(&[F32, I32]);
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let (x, y) = node.unary()?;
        let size = CustomOptions::of(node).i32("hadamard_size")?;
        ensure!(
            size >= 1 && (size as u32).is_power_of_two(),
            "option 'hadamard_size' is {size}; it must be a power of two"
        );
        ensure!(y.ty == x.ty || y.ty == F32, "input is {}, output is {}; they must agree", x.ty, y.ty);
        let features = match *x.shape {
            [_, features] | [_, _, features] => features as usize,
            _ => return Err(invalid!("{x} is {:?}; it must have two or three axes", x.shape)),
        };
        cx.set_output_shape(0, x.shape)?;
        let size = size as usize;
        let rows = x.len().checked_div(features).unwrap_or(0);
        // The number of runs is computed per row, but the runs follow each other without gaps between rows.
        Ok(AeqHadamardRotation { size, rotated: rows * (features / size) * size })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let y = cx.output(0)?.into_words::<f32>()?;
        y.copy_from_slice(cx.input(0)?.as_words::<f32>()?);
        let scale = (1.0 / libm::sqrt(self.size as f64)) as f32;
        let mut pace = Pace::new(cx);
        for run in y[..self.rotated].chunks_exact_mut(self.size) {
            pace.ahead(self.size * (usize::BITS - self.size.leading_zeros()) as usize)?;
            let mut distance = 1;
            while distance < self.size {
                for pair in run.chunks_exact_mut(2 * distance) {
                    let (a, b) = pair.split_at_mut(distance);
                    a.iter_mut().zip(b).for_each(|(a, b)| (*a, *b) = (*a + *b, *a - *b));
                }
                distance *= 2;
            }
            run.iter_mut().for_each(|y| *y *= scale);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn test(shape: &[i32], x: &[f32], size: i64) -> OpTest<AeqHadamardRotation> {
        let test =
            OpTest::new().flexbuffer(|o| o.int("hadamard_size", size).ints("random_binary_vector", &[1]));
        test.input(Tensor::f32(shape, x)).output(Spec::f32())
    }

    #[test]
    fn values() {
        let run = |shape: &[i32], x: &[f32], size| test(shape, x, size).run().unwrap()[0].as_f32();
        // Rows of the matrix: ++++, +-+-, ++--, +--+.
        assert_eq!(run(&[1, 4], &[1., 2., 3., 8.], 4), [7., -3., -4., 2.]);
        assert_eq!(run(&[1, 2, 4], &[1., 2., 3., 8., 4., 0., 0., 0.], 4), [7., -3., -4., 2., 2., 2., 2., 2.]);
        assert_eq!(run(&[1, 2], &[3., 4.], 1), [3., 4.]);
        // Two rows of five elements have two runs of four; the second run begins in the first row.
        let x = [0., 0., 0., 0., 4., 0., 0., 0., 9., 9.];
        assert_eq!(run(&[2, 5], &x, 4), [0., 0., 0., 0., 2., 2., 2., 2., 9., 9.]);
        // Applying the rotation twice restores the input.
        let x: Vec<f32> = (0..256).map(|i| (i % 7) as f32).collect();
        let y = run(&[1, 256], &run(&[1, 256], &x, 256), 256);
        assert!(x.iter().zip(y).all(|(x, y)| (x - y).abs() < 1e-5));
    }

    #[test]
    fn bits_in_integers() {
        let x = Tensor::i32(&[1, 2], &[3f32.to_bits() as i32, 1f32.to_bits() as i32]);
        let test = OpTest::<AeqHadamardRotation>::new().flexbuffer(|o| o.int("hadamard_size", 2));
        let y = test.input(x).output(Spec::f32()).run().unwrap();
        let root = core::f32::consts::FRAC_1_SQRT_2;
        assert_eq!(y[0].as_f32(), [4.0 * root, 2.0 * root]);
    }
}
