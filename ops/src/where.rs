//! WHERE: the coordinates of all non-zero elements in row-major order, as INT64. BOOL, f32, i64, i32, i8, u8, u32.
//! Defined by: tflite/kernels/where.cc, tflite/kernels/internal/reference/reference_ops.h (`SelectTrueCoords`).

use arenite_abi::prelude::*;

use crate::kit::arguments::expect_type;
use crate::kit::indexing::Dims;
use crate::kit::node;

/// A prepared `WHERE` node.
pub struct Where {
    dims: Dims,
    /// The number of non-zero elements; `None` if it depends on data.
    count: Option<i32>,
}

impl Op for Where {
    const CODE: OpCode = OpCode::Builtin(op::WHERE);
    const VERSIONS: RangeInclusive<i32> = 1..=2;
    const TYPES: ElementTypes = ElementTypes::of(&[ElementType::Bool, F32, I64, I32, I8, U8, U32]);
    const OUTPUT_TYPE: OutputType = OutputType::Fixed(I64);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let (x, y) = node.unary()?;
        expect_type(&y, &[I64])?;
        ensure!(x.rank() >= 1, "input {x} is a scalar; it needs an axis");
        let dims = node::dims(&x)?;
        let count = match x.is_constant() {
            true => Some(count(&x)?),
            false => None,
        };
        match count {
            Some(count) => cx.set_output_shape(0, &[count, dims.rank() as i32])?,
            None => cx.set_output_dynamic(0)?,
        }
        Ok(Where { dims, count })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let (x, rank) = (cx.input(0)?, self.dims.rank());
        let y = match self.count {
            Some(_) => cx.output(0)?,
            None => cx.resize_output(0, &[count(&x)?, rank as i32])?,
        };
        let strides = self.dims.strides();
        let mut rows = y.into_slice::<i64>()?.chunks_exact_mut(rank);
        for_each_found(&x, |mut rest| {
            for (to, &stride) in rows.next().into_iter().flatten().zip(&strides) {
                *to = (rest / stride as usize) as i64;
                rest %= stride as usize;
            }
        })
    }
}

/// The number of non-zero elements.
fn count(x: &TensorView<'_>) -> Result<i32> {
    let mut count = 0usize;
    for_each_found(x, |_| count += 1)?;
    i32::try_from(count).map_err(|_| invalid!("{count} elements of {x} are not zero: too many"))
}

/// Calls `f(position)` for each non-zero element.
fn for_each_found(x: &TensorView<'_>, f: impl FnMut(usize)) -> Result<()> {
    match x.ty {
        ElementType::Bool => find(x.as_slice::<Bool>()?, |x| x.0 != 0, f),
        F32 => find(x.as_slice::<f32>()?, |&x| x != 0.0, f),
        I64 => find(x.as_slice::<i64>()?, |&x| x != 0, f),
        I32 => find(x.as_slice::<i32>()?, |&x| x != 0, f),
        I8 => find(x.as_slice::<i8>()?, |&x| x != 0, f),
        U8 => find(x.as_slice::<u8>()?, |&x| x != 0, f),
        U32 => find(x.as_slice::<u32>()?, |&x| x != 0, f),
        ty => return Err(unsupported!("no kernel for {ty}")),
    }
    Ok(())
}

fn find<T>(x: &[T], is_found: impl Fn(&T) -> bool, f: impl FnMut(usize)) {
    x.iter().enumerate().filter(|(_, x)| is_found(x)).map(|(i, _)| i).for_each(f);
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn run(x: Tensor) -> Result<Tensor> {
        let test = OpTest::<Where>::new().output(Spec::i64());
        let known = test.clone().constant(x.clone()).run();
        crate::kit::assert_same(&known, &test.input(x).run());
        known.map(|mut y| y.remove(0))
    }

    #[test]
    fn coordinates() {
        let y = run(Tensor::bool(&[2, 1, 3], &[true, false, true, false, false, true])).unwrap();
        assert_eq!((y.shape(), y.as_i64()), (&[3, 3][..], vec![0, 0, 0, 0, 0, 2, 1, 0, 2]));
        let y = run(Tensor::bool(&[2], &[false, false])).unwrap();
        assert_eq!((y.shape(), y.as_i64()), (&[0, 1][..], vec![]));
        assert_eq!(run(Tensor::bool(&[2, 0], &[])).unwrap().shape(), [0, 2]);
    }

    #[test]
    fn every_type() {
        let found = |x: Tensor| run(x).unwrap().as_i64();
        assert_eq!(found(Tensor::f32(&[5], &[0.0, -0.0, 0.5, f32::NAN, -1.0])), [2, 3, 4]);
        assert_eq!(found(Tensor::i64(&[3], &[0, 1 << 40, -1])), [1, 2]);
        assert_eq!(found(Tensor::i32(&[3], &[0, 0, -1])), [2]);
        assert_eq!(found(Tensor::i8(&[3], &[-128, 0, 1])), [0, 2]);
        assert_eq!(found(Tensor::u8(&[3], &[255, 0, 1])), [0, 2]);
        assert_eq!(found(Tensor::of(&[2], &[0u32, u32::MAX])), [1]);
    }
}
