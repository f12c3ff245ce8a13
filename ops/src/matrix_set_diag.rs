//! MATRIX_SET_DIAG: replaces the diagonals of the input's matrices. Any type of fixed size.
//! Defined by: tflite/kernels/matrix_set_diag.cc.

use arenite_abi::prelude::*;

use crate::kit::indexing::Nest;
use crate::kit::moves::Width;
use crate::kit::node;

plain! {
    /// A prepared `MATRIX_SET_DIAG` node: the positions of the diagonals.
    pub struct MatrixSetDiag {
        diagonals: Nest<1>,
    }
}

impl Op for MatrixSetDiag {
    const CODE: OpCode = OpCode::Builtin(op::MATRIX_SET_DIAG);
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const OUTPUT_TYPE: OutputType = OutputType::Input(0);
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let (x, diagonal, y) = node.binary()?;
        node::same_type(&x, &y)?;
        node::same_type(&x, &diagonal)?;
        Width::of(x.ty)?;
        let diagonals = Nest::diagonals(&node::dims(&x)?)
            .ok_or_else(|| invalid!("input {x} is {:?}; it must have two axes", x.shape))?;
        let (given, needed) = (node::dims(&diagonal)?.flat_size(), diagonals.len());
        ensure!(
            given >= needed,
            "{diagonal} is {:?} with {given} elements; the diagonals of {:?} have {needed}",
            diagonal.shape,
            x.shape
        );
        cx.set_output_shape(0, x.shape)?;
        Ok(MatrixSetDiag { diagonals })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let (x, diagonal, to) = (cx.input(0)?, cx.input(1)?, cx.output(0)?.into_bytes());
        to.copy_from_slice(x.bytes());
        Width::of(x.ty)?.scatter(&self.diagonals, diagonal.bytes(), to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn run(x: Tensor, diagonal: Tensor) -> Result<Tensor> {
        let test = OpTest::<MatrixSetDiag>::new().input(x.clone()).input(diagonal).output(Spec::of(x.ty()));
        test.run().map(|mut y| y.remove(0))
    }

    #[test]
    fn diagonals() {
        for (shape, diagonal, want) in [
            (&[2, 2][..], &[2][..], &[-1, 1, 2, -2][..]),
            (&[2, 3], &[2], &[-1, 1, 2, 3, -2, 5]),
            (&[3, 2], &[2], &[-1, 1, 2, -2, 4, 5]),
            (&[2, 2, 1], &[2, 1], &[-1, 1, -2, 3]),
            (&[0, 2], &[0], &[]),
            // Only the number of elements matters, as in TFLite.
            (&[1, 2], &[2], &[-1, 1]),
        ] {
            let x: Vec<i32> = (0..shape.iter().product()).collect();
            let with: Vec<i32> = (1..=diagonal.iter().product::<i32>()).map(|i| -i).collect();
            let y = run(Tensor::i32(shape, &x), Tensor::i32(diagonal, &with)).unwrap();
            assert_eq!((y.shape(), y.as_i32()), (shape, want.to_vec()), "{shape:?}");
        }
        let y = run(Tensor::f32(&[1, 1], &[0.0]), Tensor::f32(&[1], &[2.5])).unwrap();
        assert_eq!(y.as_f32(), [2.5]);
        let y = run(Tensor::u8(&[2, 2], &[1, 2, 3, 4]), Tensor::u8(&[2], &[8, 9])).unwrap();
        assert_eq!(y.as_u8(), [8, 2, 3, 9]);
        let y = run(Tensor::i64(&[1, 2], &[1, 2]), Tensor::i64(&[1], &[8])).unwrap();
        assert_eq!(y.as_i64(), [8, 2]);
        let y = run(Tensor::i4(&[3, 1], &[1, 2, 3]), Tensor::i4(&[1], &[7])).unwrap();
        assert_eq!(y.as_i4(), [7, 2, 3]);
    }
}
