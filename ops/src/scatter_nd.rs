//! SCATTER_ND: adds updates to the slices of a zero tensor that index vectors address. f32, i8, u8, i32, i64 (sums
//! wrap) and bool (or).
//! Defined by: tflite/kernels/scatter_nd.cc.
//!
//! ```text
//! y = [n0, n1, …]     indices = [rows…, depth]     updates = [rows…, n_depth, …]
//! ```

use arenite_abi::prelude::*;

use crate::kit::arguments::{Integers, expect_type, expect_vector};
use crate::kit::coordinates::Coordinates;
use crate::kit::indexing::{Dims, MAX_RANK};
use crate::kit::node;

plain! {
    /// A prepared `SCATTER_ND` node: the shape of the output, if it is constant.
    pub struct ScatterNd {
        output: Maybe<Dims>,
    }
}

impl Op for ScatterNd {
    const CODE: OpCode = OpCode::Builtin(op::SCATTER_ND);
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const TYPES: ElementTypes = ElementTypes::of(&[F32, I8, U8, I32, I64, ElementType::Bool]);
    const OUTPUT_TYPE: OutputType = OutputType::Input(1);
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        node.expect(3..=3, 1..=1)?;
        let (indices, updates, shape, y) = (node.input(0)?, node.input(1)?, node.input(2)?, node.output(0)?);
        node::same_type(&updates, &y)?;
        expect_type(&indices, &[I32])?;
        expect_type(&shape, &[I32])?;
        expect_vector(&shape)?;
        let output = if shape.is_constant() { Some(output(&indices, &updates, &shape)?) } else { None };
        match &output {
            Some(output) => cx.set_output_shape(0, output.as_slice())?,
            None => cx.set_output_dynamic(0)?,
        }
        Ok(ScatterNd { output: output.into() })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let (indices, updates) = (cx.input(0)?, cx.input(1)?);
        let (output, y) = match self.output.get() {
            Some(output) => (output, cx.output(0)?),
            None => {
                let output = output(&indices, &updates, &cx.input(2)?)?;
                (output, cx.resize_output(0, output.as_slice())?)
            }
        };
        match updates.ty {
            F32 => scatter(&indices, &updates, &output, y, |a: f32, b| a + b),
            I8 => scatter(&indices, &updates, &output, y, i8::wrapping_add),
            U8 => scatter(&indices, &updates, &output, y, u8::wrapping_add),
            I32 => scatter(&indices, &updates, &output, y, i32::wrapping_add),
            I64 => scatter(&indices, &updates, &output, y, i64::wrapping_add),
            _ => scatter(&indices, &updates, &output, y, |a: Bool, b: Bool| Bool(u8::from(a.0 | b.0 != 0))),
        }
    }
}

/// The shape of the output, which the shapes of indices and updates must match.
fn output(indices: &TensorView<'_>, updates: &TensorView<'_>, shape: &TensorView<'_>) -> Result<Dims> {
    let (list, count) = Integers::of(shape)?.saturated();
    let sizes = &list[..count];
    let output = Dims::new(sizes).ok_or_else(|| {
        invalid!(
            "{shape} holds the shape {sizes:?}; sizes must not be negative, and at most {MAX_RANK} axes are supported"
        )
    })?;
    let fits = || {
        let (&depth, outer) = indices.shape.split_last()?;
        let (rows, slice) = updates.shape.split_at_checked(outer.len())?;
        Some(rows == outer && slice == sizes.get(usize::try_from(depth).ok()?..)? && updates.rank() > 0)
    };
    ensure!(
        fits() == Some(true),
        "indices {indices} are {:?}, updates {updates} are {:?}: they do not match an output of {sizes:?}",
        indices.shape,
        updates.shape
    );
    Ok(output)
}

fn scatter<T: Element>(
    indices: &TensorView<'_>,
    updates: &TensorView<'_>,
    output: &Dims,
    y: TensorViewMut<'_>,
    add: impl Fn(T, T) -> T,
) -> Result<()> {
    let at = node::dims(indices)?;
    let outer = at.rank().saturating_sub(1);
    let slices = Coordinates::new(output, at.size(outer));
    let slices = slices.ok_or_else(|| invalid!("{indices} has too many indices per row"))?;
    let (y, updates, length) = (y.into_slice::<T>()?, updates.as_slice::<T>()?, slices.slice_len());
    y.fill(T::zeroed());
    slices.for_each(indices, at.product(0, outer), |row, slice| {
        let (to, from) = (&mut y[slice * length..][..length], &updates[row * length..][..length]);
        to.iter_mut().zip(from).for_each(|(y, &update)| *y = add(*y, update));
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::assert_same;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn run(indices: Tensor, updates: Tensor, shape: &[i32]) -> Result<Tensor> {
        let list = Tensor::i32(&[shape.len() as i32], shape);
        let test =
            OpTest::<ScatterNd>::new().input(indices).input(updates.clone()).output(Spec::of(updates.ty()));
        let known = test.clone().constant(list.clone()).run();
        assert_same(&known, &test.input(list).run());
        known.map(|mut y| y.remove(0))
    }

    #[test]
    fn sums() {
        let rows = |rows: &[i32]| Tensor::i32(&[rows.len() as i32, 1], rows);
        let y = run(rows(&[1, 3]), Tensor::f32(&[2], &[1.5, 2.5]), &[5]).unwrap();
        assert_eq!(y.as_f32(), [0.0, 1.5, 0.0, 2.5, 0.0]);
        let y = run(rows(&[2, 0, 2]), Tensor::i32(&[3, 2], &[1, 2, 3, 4, 5, i32::MAX]), &[3, 2]).unwrap();
        assert_eq!((y.shape(), y.as_i32()), (&[3, 2][..], vec![3, 4, 0, 0, 6, i32::MIN + 1]));
        let pair = Tensor::i32(&[1, 2], &[1, 0]);
        assert_eq!(run(pair, Tensor::i64(&[1], &[-7]), &[2, 2]).unwrap().as_i64(), [0, 0, -7, 0]);
        assert_eq!(run(rows(&[0, 0]), Tensor::i8(&[2], &[100, 100]), &[1]).unwrap().as_i8(), [-56]);
        assert_eq!(run(rows(&[0, 0]), Tensor::u8(&[2], &[200, 100]), &[1]).unwrap().as_u8(), [44]);
        let y = run(rows(&[1, 1, 0]), Tensor::bool(&[3], &[true, true, false]), &[3]).unwrap();
        assert_eq!(y.as_bool(), [false, true, false]);
        // A single index vector of length 0 addresses all of the output.
        let all = Tensor::i32(&[2, 0], &[]);
        assert_eq!(run(all, Tensor::i32(&[2, 2], &[1, 2, 3, 4]), &[2]).unwrap().as_i32(), [4, 6]);
        let one = run(Tensor::i32(&[1], &[1]), Tensor::f32(&[2], &[1.0, 2.0]), &[2, 2]).unwrap();
        assert_eq!(one.as_f32(), [0.0, 0.0, 1.0, 2.0]);
        let none = run(Tensor::i32(&[0, 1], &[]), Tensor::f32(&[0, 2], &[]), &[1, 2]).unwrap();
        assert_eq!(none.as_f32(), [0.0, 0.0]);
    }
}
