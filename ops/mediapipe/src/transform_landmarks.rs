//! TransformLandmarks: maps the first two coordinates of each landmark `[1, n, 2 or 3]` by a matrix; a third one stays.
//! f32. Supports in-place operation.
//! Defined by: mediapipe/util/tflite/operations/transform_landmarks.cc (version 2).

use arenite_abi::prelude::*;

use crate::matrix;

/// A prepared `TransformLandmarks` node.
pub struct TransformLandmarks {
    dimensions: usize,
}

impl Op for TransformLandmarks {
    const CODE: OpCode = OpCode::Custom("TransformLandmarks");
    const VERSIONS: RangeInclusive<i32> = 2..=2;
    const TYPES: ElementTypes = ElementTypes::of(&[F32]);
    const SHARING: Sharing = Sharing::InPlace;

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let (x, matrix, _) = node.binary()?;
        matrix::expect(&matrix)?;
        let &[1, _, dimensions @ (2 | 3)] = x.shape else {
            return Err(invalid!("the landmarks {x} are {:?}; [1, n, 2] or [1, n, 3] is needed", x.shape));
        };
        cx.set_output_shape(0, x.shape)?;
        cx.allow_in_place(0, 0)?;
        Ok(TransformLandmarks { dimensions: dimensions as usize })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let rows = matrix::rows(&cx.input(1)?)?;
        let (x, y) = (cx.input_cells::<f32>(0)?, cx.output_cells::<f32>(0)?);
        for (i, landmark) in y.chunks_exact(self.dimensions).enumerate() {
            let at = i * self.dimensions;
            let [x0, x1] = matrix::map(&rows, x.get(at), x.get(at + 1));
            if let [y0, y1, rest @ ..] = landmark {
                y0.set(x0);
                y1.set(x1);
                rest.iter().for_each(|y| y.set(x.get(at + 2)));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn matrix() -> Tensor {
        Tensor::f32(&[1, 4, 4], &[0., -2., 9., 1., 0.5, 0., 9., -3., 0., 0., 1., 0., 0., 0., 0., 1.])
    }

    fn run(x: Tensor, matrix: Tensor) -> Result<Tensor> {
        let test = OpTest::<TransformLandmarks>::new().version(2).input(x).input(matrix).output(Spec::f32());
        test.in_place().run().map(|mut y| y.remove(0))
    }

    #[test]
    fn two_and_three_coordinates() {
        // x' = 1 − 2 y, y' = x / 2 − 3.
        let y = run(Tensor::f32(&[1, 2, 2], &[1., 2., -4., 0.5]), matrix()).unwrap();
        assert_eq!(y.as_f32(), [-3., -2.5, 0., -5.]);
        let y = run(Tensor::f32(&[1, 1, 3], &[1., 2., 7.]), matrix()).unwrap();
        assert_eq!((y.shape(), y.as_f32()), (&[1, 1, 3][..], vec![-3., -2.5, 7.]));
    }

    #[test]
    fn refusals() {
        let error = run(Tensor::f32(&[1, 1, 4], &[0.; 4]), matrix()).unwrap_err();
        assert_eq!(error.message(), "the landmarks 'in0' are [1, 1, 4]; [1, n, 2] or [1, n, 3] is needed");
        let error = run(Tensor::f32(&[1, 1, 2], &[0.; 2]), Tensor::f32(&[3], &[0.; 3])).unwrap_err();
        assert_eq!(error.message(), "the matrix 'in1' is FLOAT32[3]; 16 elements of FLOAT32 are needed");
    }
}
