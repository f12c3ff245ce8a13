//! SPARSE_TO_DENSE: a tensor filled with a default value, and with other values at given index vectors; if one occurs
//! twice, the last value wins. Any type of whole bytes; indices and shape INT32, INT64.
//! Defined by: tflite/kernels/sparse_to_dense.cc.

use arenite_abi::prelude::*;

use crate::kit::arguments::{Integers, expect_type, expect_vector};
use crate::kit::coordinates::Coordinates;
use crate::kit::indexing::{Dims, MAX_RANK};
use crate::kit::moves::{Run, Width};
use crate::kit::node;

plain! {
    /// A prepared `SPARSE_TO_DENSE` node: the shape of the output, if it is constant.
    pub struct SparseToDense {
        output: Maybe<Dims>,
    }
}

impl Op for SparseToDense {
    const CODE: OpCode = OpCode::Builtin(op::SPARSE_TO_DENSE);
    const VERSIONS: RangeInclusive<i32> = 1..=3;
    const OUTPUT_TYPE: OutputType = OutputType::Input(2);
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        node.expect(4..=4, 1..=1)?;
        let (indices, shape, values) = (node.input(0)?, node.input(1)?, node.input(2)?);
        let (default, y) = (node.input(3)?, node.output(0)?);
        for tensor in [&default, &y] {
            node::same_type(&values, tensor)?;
        }
        if values.ty.bits() < 8 {
            return Err(Error::unsupported("SPARSE_TO_DENSE", values.ty));
        }
        expect_type(&indices, &[I32, I64])?;
        expect_type(&shape, &[I32, I64])?;
        let rank = expect_vector(&shape)?;
        ensure!(default.len() == 1, "the default {default} is {:?}; it must be one value", default.shape);
        let (rows, depth) = rows(&indices)?;
        ensure!(
            depth == rank,
            "indices {indices} are {:?}: {depth} per row; the output has {rank} axes",
            indices.shape
        );
        ensure!(
            values.rank() == 0 || values.shape == [rows as i32],
            "values {values} are {:?}; they must be one, or one for each of {rows} rows of indices",
            values.shape
        );
        let output = if shape.is_constant() { Some(output(&shape)?) } else { None };
        match &output {
            Some(output) => cx.set_output_shape(0, output.as_slice())?,
            None => cx.set_output_dynamic(0)?,
        }
        Ok(SparseToDense { output: output.into() })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let (indices, values, default) = (cx.input(0)?, cx.input(2)?, cx.input(3)?);
        let (output, y) = match self.output.get() {
            Some(output) => (output, cx.output(0)?),
            None => {
                let output = output(&cx.input(1)?)?;
                (output, cx.resize_output(0, output.as_slice())?)
            }
        };
        let (rows, depth) = rows(&indices)?;
        let elements = Coordinates::new(&output, depth);
        let elements = elements.ok_or_else(|| invalid!("{depth} indices per row are too many"))?;
        let (width, to) = (Width::of(values.ty)?, y.into_bytes());
        width.fill(default.bytes(), to)?;
        elements.for_each(&indices, rows, |row, element| {
            let source = Run { first: if values.rank() == 0 { 0 } else { row }, step: 1 };
            width.copy_run(values.bytes(), source, to, Run::contiguous(element), 1)
        })
    }
}

/// The number of index vectors and their length; in a vector of indices, each element is an index vector of length 1.
fn rows(indices: &TensorView<'_>) -> Result<(usize, usize)> {
    match *indices.shape {
        [] => Ok((1, 1)),
        [rows] => Ok((rows as usize, 1)),
        [rows, depth] => Ok((rows as usize, depth as usize)),
        _ => Err(invalid!("indices {indices} are {:?}; at most 2 dimensions are defined", indices.shape)),
    }
}

fn output(shape: &TensorView<'_>) -> Result<Dims> {
    let (list, count) = Integers::of(shape)?.saturated();
    let sizes = &list[..count];
    Dims::new(sizes).ok_or_else(|| {
        invalid!(
            "{shape} holds the shape {sizes:?}; sizes must not be negative, and at most {MAX_RANK} axes are supported"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::assert_same;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn run(indices: (&[i32], &[i32]), shape: &[i32], values: Tensor, default: Tensor) -> Result<Tensor> {
        let long = |list: &[i32]| list.iter().map(|&v| v.into()).collect::<Vec<i64>>();
        let count = [shape.len() as i32];
        let test = |indices| OpTest::<SparseToDense>::new().input(indices);
        let rest = |test: OpTest<SparseToDense>| {
            test.input(values.clone()).input(default.clone()).output(Spec::of(values.ty())).run()
        };
        let known = rest(test(Tensor::i32(indices.0, indices.1)).constant(Tensor::i64(&count, &long(shape))));
        let late = rest(test(Tensor::i64(indices.0, &long(indices.1))).input(Tensor::i32(&count, shape)));
        assert_same(&known, &late);
        known.map(|mut y| y.remove(0))
    }

    #[test]
    fn values_and_defaults() {
        let y =
            run((&[2], &[1, 3]), &[4], Tensor::f32(&[2], &[1.5, 2.5]), Tensor::f32(&[], &[-1.0])).unwrap();
        assert_eq!(y.as_f32(), [-1.0, 1.5, -1.0, 2.5]);
        let y =
            run((&[2, 2], &[0, 1, 1, 0]), &[2, 2], Tensor::i32(&[], &[7]), Tensor::i32(&[1], &[0])).unwrap();
        assert_eq!((y.shape(), y.as_i32()), (&[2, 2][..], vec![0, 7, 7, 0]));
        let y = run((&[], &[2]), &[3], Tensor::i8(&[], &[5]), Tensor::i8(&[], &[1])).unwrap();
        assert_eq!(y.as_i8(), [1, 1, 5]);
        let y = run((&[3], &[0, 1, 0]), &[2], Tensor::u8(&[3], &[1, 2, 3]), Tensor::u8(&[], &[0])).unwrap();
        assert_eq!(y.as_u8(), [3, 2]);
        let deep =
            run((&[1, 4], &[0, 1, 0, 1]), &[1, 2, 1, 2], Tensor::i64(&[1], &[9]), Tensor::i64(&[], &[0]));
        assert_eq!(deep.unwrap().as_i64(), [0, 0, 0, 9]);
        let y = run((&[0], &[]), &[2], Tensor::f32(&[0], &[]), Tensor::f32(&[], &[3.0])).unwrap();
        assert_eq!(y.as_f32(), [3.0, 3.0]);
        let y = run((&[1, 0], &[]), &[], Tensor::f32(&[1], &[2.0]), Tensor::f32(&[], &[3.0])).unwrap();
        assert_eq!((y.shape(), y.as_f32()), (&[][..], vec![2.0]));
    }
}
