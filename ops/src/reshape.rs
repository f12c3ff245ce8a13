//! RESHAPE: gives the elements another shape, from a tensor or from the options. Any type. The output may be a view of
//! the input.
//! Defined by: tflite/kernels/reshape.cc and kernels/internal/reshape_utils.h.

use arenite_abi::prelude::*;
use arenite_abi::schema::ReshapeOptions;

use crate::kit::arguments::Integers;
use crate::kit::indexing::Dims;
use crate::kit::node;
use crate::kit::view::View;

plain! {
    /// A prepared `RESHAPE` node.
    pub struct Reshape {
        view: View,
    }
}

impl Op for Reshape {
    const CODE: OpCode = OpCode::Builtin(op::RESHAPE);
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const SHARING: Sharing = Sharing::View;
    const EMBED: Option<Embed<Self>> = Some(Embed::with(|op, cx| cx.put(op.form(), op)));

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        node.expect(1..=2, 1..=1)?;
        let (x, y) = (node.input(0)?, node.output(0)?);
        node::same_type(&x, &y)?;
        let shape = match shape_tensor(node)? {
            Some(list) if !list.is_constant() => None,
            Some(list) => Some(from_tensor(&x, &list)?),
            None => Some(from_options(node, &x)?),
        };
        Ok(Reshape { view: View::declare(shape, cx, x.ty)? })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        self.view.eval(cx, || from_tensor(&cx.input(0)?, &cx.input(1)?))
    }

    fn form(&self) -> &'static str {
        // Shapes that depend on data and strings are supported by neither embedded models nor the micro interpreter.
        "ar_embed_reshape_copy"
    }
}

impl Reshape {
    /// `eval` for a shape that `prepare` knows, without strings.
    ///
    /// # Errors
    /// As for `eval`.
    pub fn eval_copy(&self, cx: &EvalContext<'_>) -> Result<()> {
        cx.copy_or_view(0, 0)
    }
}

/// Input 1, or `None` if it is not a vector of INT32: then the options are used, as in old models.
fn shape_tensor<'a>(node: &NodeView<'a>) -> Result<Option<TensorView<'a>>> {
    Ok(node.optional_input(1)?.filter(|list| list.rank() == 1 && list.ty == I32))
}

fn from_tensor(x: &TensorView<'_>, list: &TensorView<'_>) -> Result<Dims> {
    let (sizes, count) = Integers::of(list)?.saturated();
    resolve(x, &sizes[..count])
}

/// Old models write the shape of a scalar as `[0]`.
fn from_options(node: &NodeView<'_>, x: &TensorView<'_>) -> Result<Dims> {
    let list = node.options()?.get(ReshapeOptions::NEW_SHAPE)?;
    let mut sizes = [0; 8];
    ensure!(
        list.len() <= sizes.len(),
        "its options ask for {} dimensions; at most 8 are supported",
        list.len()
    );
    sizes.iter_mut().zip(list.iter()).for_each(|(to, from)| *to = from);
    match &sizes[..list.len()] {
        [0] => resolve(x, &[]),
        sizes => resolve(x, sizes),
    }
}

/// Replaces one −1 by `elements of x / product of the others`, where sizes of zero count as 1, unless `x` is empty and
/// the others are not (then the size is 0).
fn resolve(x: &TensorView<'_>, wanted: &[i32]) -> Result<Dims> {
    let unserved =
        || invalid!("new shape {wanted:?} is invalid: sizes must be at least 0, and one may be -1");
    ensure!(wanted.iter().all(|&size| size >= -1), "{}", unserved());
    ensure!(wanted.iter().filter(|&&size| size == -1).count() <= 1, "{}", unserved());
    let known = |size| if size == -1 { 1 } else { size };
    let others = Dims::from_sizes(wanted.iter().map(|&size| known(size))).ok_or_else(unserved)?;
    let left = if x.is_empty() && others.flat_size() != 0 {
        0
    } else {
        let nonzero =
            |sizes: &[i32]| sizes.iter().filter(|&&size| size > 0).map(|&size| size as usize).product();
        let (total, product): (usize, usize) = (nonzero(x.shape), nonzero(others.as_slice()));
        i32::try_from(total / product).map_err(|_| unserved())?
    };
    let shape = Dims::from_sizes(wanted.iter().map(|&size| if size == -1 { left } else { size }))
        .filter(|shape| shape.flat_size() == x.len());
    shape.ok_or_else(|| {
        invalid!("input {x} is {:?} with {} elements, new shape {wanted:?} does not fit", x.shape, x.len())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::assert_same;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn node(x: Tensor) -> OpTest<Reshape> {
        let ty = x.ty();
        OpTest::<Reshape>::new().input(x).output(Spec::of(ty))
    }

    fn reshaped(x: &[i32], wanted: &[i32]) -> Result<Vec<i32>> {
        let elements: Vec<i16> = (0..x.iter().product::<i32>()).map(|i| i as i16).collect();
        let x = Tensor::i16(x, &elements);
        let list = Tensor::i32(&[wanted.len() as i32], wanted);
        let known = node(x.clone()).constant(list.clone()).run();
        let late = node(x.clone()).input(list).run();
        assert_same(&known, &late);
        let y = &known?[0];
        assert_eq!(y.as_i16(), elements);
        if wanted != [0] && wanted.len() <= 8 {
            assert_eq!(
                &node(x).options(|o| o.set(ReshapeOptions::NEW_SHAPE, wanted)).in_place().run()?[0],
                y
            );
        }
        Ok(y.shape().to_vec())
    }

    #[test]
    fn shapes() {
        for (x, wanted, y) in [
            (&[2, 6][..], &[3, 4][..], &[3, 4][..]),
            (&[2, 3, 4], &[-1], &[24]),
            (&[2, 3, 4], &[4, -1, 2], &[4, 3, 2]),
            (&[1], &[], &[]),
            (&[], &[1, 1], &[1, 1]),
            (&[0, 3], &[-1], &[0]),
            (&[0, 3], &[-1, 5], &[0, 5]),
            (&[0, 6], &[0, -1], &[0, 6]),
            (&[0, 6], &[2, 0, -1], &[2, 0, 3]),
            (&[1, 1, 1, 1, 1, 1, 1, 2], &[2, 1, 1, 1, 1, 1, 1, 1], &[2, 1, 1, 1, 1, 1, 1, 1]),
        ] {
            assert_eq!(reshaped(x, wanted).unwrap(), y, "{x:?} as {wanted:?}");
        }
    }

    #[test]
    fn scalars_of_old_models() {
        let x = Tensor::f32(&[1], &[7.0]);
        let y = node(x).options(|o| o.set(ReshapeOptions::NEW_SHAPE, &[0])).run().unwrap();
        assert_eq!((y[0].shape(), y[0].as_f32()), (&[][..], vec![7.0]));
    }

    #[test]
    fn a_shape_that_is_not_a_vector_is_ignored() {
        let x = Tensor::f32(&[2], &[7.0, 8.0]);
        for shape in [Tensor::i32(&[], &[9]), Tensor::i64(&[1], &[9])] {
            let y = node(x.clone())
                .constant(shape)
                .options(|o| o.set(ReshapeOptions::NEW_SHAPE, &[2, 1]))
                .run()
                .unwrap();
            assert_eq!(y[0].shape(), [2, 1]);
        }
    }

    #[test]
    fn strings_and_packed_elements() {
        let x = Tensor::strings(&[2, 2], &["a", "", "bcd", "e"]);
        for list in [Tensor::i32(&[1], &[4]), Tensor::i32(&[1], &[-1])] {
            let y = &node(x.clone()).input(list).run().unwrap()[0];
            assert_eq!(
                (y.shape(), y.as_strings()),
                (&[4][..], vec!["a".into(), "".into(), "bcd".into(), "e".into()])
            );
        }
        let y = &node(Tensor::i4(&[3, 1], &[1, -2, 3])).constant(Tensor::i32(&[1], &[3])).run().unwrap()[0];
        assert_eq!((y.shape(), y.as_i4()), (&[3][..], vec![1, -2, 3]));
        let bad = Tensor::raw(ElementType::String, &[1], &[9, 0, 0, 0]);
        let error = node(bad).constant(Tensor::i32(&[1], &[1])).run().unwrap_err();
        assert_eq!(error.message(), "'in0': the data holds 9 strings, the shape 1");
    }
}
