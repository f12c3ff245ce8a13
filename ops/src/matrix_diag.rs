//! MATRIX_DIAG: square matrices whose diagonals are the rows of the input; all other elements are zero. Any type of
//! fixed size.
//! Defined by: tflite/kernels/matrix_diag.cc.

use arenite_abi::prelude::*;

use crate::kit::indexing::{Dims, Nest};
use crate::kit::moves::Width;
use crate::kit::node;
use crate::kit::rearrange::declare_shape;

plain! {
    /// A prepared `MATRIX_DIAG` node: the positions of the input's elements in the output.
    pub struct MatrixDiag {
        diagonals: Nest<1>,
    }
}

impl Op for MatrixDiag {
    const CODE: OpCode = OpCode::Builtin(op::MATRIX_DIAG);
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const OUTPUT_TYPE: OutputType = OutputType::Input(0);
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let (x, y) = node.unary()?;
        node::same_type(&x, &y)?;
        Width::of(x.ty)?;
        let dims = node::dims(&x)?;
        let Some(&size) = dims.as_slice().last() else {
            return Err(invalid!("input {x} is a scalar; it must have an axis"));
        };
        let output = Dims::from_sizes(x.shape.iter().copied().chain([size]));
        let output = output.ok_or_else(|| invalid!("matrices for {:?} are too large", x.shape))?;
        declare_shape(Some(output.as_slice()), cx, 0, x.ty)?;
        let diagonals = Nest::diagonals(&output);
        let diagonals = diagonals.ok_or_else(|| invalid!("{:?} are not matrices", output.as_slice()))?;
        Ok(MatrixDiag { diagonals })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let (x, to) = (cx.input(0)?, cx.output(0)?.into_bytes());
        to.fill(0);
        Width::of(x.ty)?.scatter(&self.diagonals, x.bytes(), to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn run(x: Tensor) -> Result<Tensor> {
        let test = OpTest::<MatrixDiag>::new().input(x.clone()).output(Spec::of(x.ty()));
        test.run().map(|mut y| y.remove(0))
    }

    #[test]
    fn diagonals() {
        for (shape, want, elements) in [
            (&[2][..], &[2, 2][..], &[1, 0, 0, 2][..]),
            (&[2, 2], &[2, 2, 2], &[1, 0, 0, 2, 3, 0, 0, 4]),
            (&[3, 1], &[3, 1, 1], &[1, 2, 3]),
            (&[1, 2, 1], &[1, 2, 1, 1], &[1, 2]),
            (&[2, 0], &[2, 0, 0], &[]),
            (&[0, 2], &[0, 2, 2], &[]),
        ] {
            let x: Vec<i64> = (1..=shape.iter().product::<i32>()).map(i64::from).collect();
            let y = run(Tensor::i64(shape, &x)).unwrap();
            assert_eq!((y.shape(), y.as_i64()), (want, elements.to_vec()), "{shape:?}");
        }
        assert_eq!(run(Tensor::f32(&[2], &[-0.5, 2.5])).unwrap().as_f32(), [-0.5, 0.0, 0.0, 2.5]);
        assert_eq!(run(Tensor::u8(&[2], &[5, 6])).unwrap().as_u8(), [5, 0, 0, 6]);
        assert_eq!(run(Tensor::i16(&[2], &[5, 6])).unwrap().as_i16(), [5, 0, 0, 6]);
        assert_eq!(run(Tensor::bool(&[1], &[true])).unwrap().as_bool(), [true]);
        assert_eq!(run(Tensor::i4(&[3], &[1, 2, 3])).unwrap().as_i4(), [1, 0, 0, 0, 2, 0, 0, 0, 3]);
    }
}
