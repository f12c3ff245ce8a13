//! SQUEEZE: removes axes of size 1, all of them or those that the options name. Any type. The output may be a view of
//! the input.
//! Defined by: tflite/kernels/squeeze.cc.

use arenite_abi::prelude::*;
use arenite_abi::schema::SqueezeOptions;

use crate::kit::indexing::{Axes, Dims, normalize_axis};
use crate::kit::node;
use crate::kit::view::View;

plain! {
    /// A prepared `SQUEEZE` node.
    pub struct Squeeze {
        view: View,
    }
}

impl Op for Squeeze {
    const CODE: OpCode = OpCode::Builtin(op::SQUEEZE);
    const VERSIONS: RangeInclusive<i32> = 1..=2;
    const SHARING: Sharing = Sharing::View;
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let (x, y) = node.unary()?;
        node::same_type(&x, &y)?;
        Ok(Squeeze { view: View::declare(Some(squeezed(node, &x)?), cx, x.ty)? })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        self.view.eval(cx, || squeezed(&cx.node(), &cx.input(0)?))
    }
}

fn squeezed(node: &NodeView<'_>, x: &TensorView<'_>) -> Result<Dims> {
    let dims = node::dims(x)?;
    let list = node.options()?.get(SqueezeOptions::SQUEEZE_DIMS)?;
    let mut named = [0; 8];
    let mut count = 0;
    for axis in list.iter() {
        let at = normalize_axis(axis, dims.rank()).filter(|&at| dims.size(at) == 1);
        let at = at
            .ok_or_else(|| invalid!("axis {axis} of input {x}, which is {:?}, cannot be dropped", x.shape))?;
        if !named[..count].contains(&(at as i32)) {
            named[count] = at as i32;
            count += 1;
        }
    }
    let axes = Axes::new(&named[..count], dims.rank());
    let drops = |axis, size| match (count, axes) {
        (0, _) | (_, None) => size == 1,
        (_, Some(axes)) => axes.contains(axis),
    };
    let kept = dims.as_slice().iter().enumerate().filter(|&(axis, &size)| !drops(axis, size));
    Dims::from_sizes(kept.map(|(_, &size)| size)).ok_or_else(|| invalid!("{:?} is too large", x.shape))
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn node(x: Tensor, axes: &[i32]) -> OpTest<Squeeze> {
        let ty = x.ty();
        OpTest::<Squeeze>::new()
            .input(x)
            .output(Spec::of(ty))
            .options(|o| o.set(SqueezeOptions::SQUEEZE_DIMS, axes))
    }

    #[test]
    fn shapes() {
        for (shape, axes, want) in [
            (&[1, 3, 1][..], &[][..], &[3][..]),
            (&[1, 3, 1], &[-1], &[1, 3]),
            (&[1, 3, 1], &[0, 2, 0, -3], &[3]),
            (&[1, 1], &[], &[]),
            (&[], &[], &[]),
            (&[3], &[], &[3]),
            (&[3, 1, 1, 1, 1, 1, 1, 1], &[7, 6, 5, 4, 3, 2, 1, -1, -2, -3], &[3]),
        ] {
            let elements: Vec<f64> = (0..shape.iter().product::<i32>()).map(f64::from).collect();
            let y = node(Tensor::f64(shape, &elements), axes).in_place().run().unwrap();
            assert_eq!((y[0].shape(), y[0].as_f64()), (want, elements), "{shape:?} without {axes:?}");
        }
        let empty = node(Tensor::f32(&[1, 0], &[]), &[]).run().unwrap();
        assert_eq!(empty[0].shape(), [0]);
        let y = node(Tensor::strings(&[1, 2], &["a", "bc"]), &[0]).run().unwrap();
        assert_eq!((y[0].shape(), y[0].as_strings().concat().as_str()), (&[2][..], "abc"));
    }
}
