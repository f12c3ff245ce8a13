//! ONE_HOT: along a new axis, the on value at the position given by the index, and the off value elsewhere. Any type of
//! whole bytes; indices INT32, INT64.
//! Defined by: tflite/kernels/one_hot.cc.
//!
//! ```text
//! indices = [outer…, inner…]     y = [outer…, depth, inner…]
//! ```

use arenite_abi::prelude::*;
use arenite_abi::schema::OneHotOptions;

use crate::kit::arguments::{Integers, expect_type};
use crate::kit::indexing::Dims;
use crate::kit::moves::{Run, Width};

plain! {
    /// A prepared `ONE_HOT` node: the new axis.
    pub struct OneHot {
        axis: usize,
        output: Maybe<Dims>,
    }
}

impl Op for OneHot {
    const CODE: OpCode = OpCode::Builtin(op::ONE_HOT);
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const OUTPUT_TYPE: OutputType = OutputType::Input(2);
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        node.expect(4..=4, 1..=1)?;
        let (indices, depth, y) = (node.input(0)?, node.input(1)?, node.output(0)?);
        expect_type(&indices, &[I32, I64])?;
        expect_type(&depth, &[I32, I64])?;
        ensure!(depth.len() == 1, "the depth {depth} is {:?}; it must be one number", depth.shape);
        for i in [2, 3] {
            let value = node.input(i)?;
            ensure!(
                value.ty == y.ty && value.len() == 1,
                "the value {value} is {} {:?}; it must be one {}",
                value.ty,
                value.shape,
                y.ty
            );
        }
        if Width::of(y.ty)? == Width::Bits2 || Width::of(y.ty)? == Width::Bits4 {
            return Err(Error::unsupported("ONE_HOT", y.ty));
        }
        let wanted = node.options()?.get(OneHotOptions::AXIS)?;
        let axis = if wanted == -1 { Some(indices.rank()) } else { usize::try_from(wanted).ok() };
        let axis = axis.filter(|&axis| axis <= indices.rank()).ok_or_else(|| {
            invalid!("axis {wanted} cannot be added to indices {indices}, which are {:?}", indices.shape)
        })?;
        let output = if depth.is_constant() { Some(output(&indices, axis, &depth)?) } else { None };
        match &output {
            Some(output) => cx.set_output_shape(0, output.as_slice())?,
            None => cx.set_output_dynamic(0)?,
        }
        Ok(OneHot { axis, output: output.into() })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let indices = cx.input(0)?;
        let (output, y) = match self.output.get() {
            Some(output) => (output, cx.output(0)?),
            None => {
                let output = output(&indices, self.axis, &cx.input(1)?)?;
                (output, cx.resize_output(0, output.as_slice())?)
            }
        };
        let (on, off) = (cx.input(2)?, cx.input(3)?);
        let (width, to) = (Width::of(on.ty)?, y.into_bytes());
        width.fill(off.bytes(), to)?;
        let mut set = |at| width.copy_run(on.bytes(), Run::contiguous(0), to, Run::contiguous(at), 1);
        // TFLite compares the lowest 32 bits.
        match indices.ty {
            I32 => self.for_each(&output, indices.as_slice::<i32>()?.iter().copied(), &mut set),
            _ => self.for_each(&output, indices.as_slice::<i64>()?.iter().map(|&i| i as i32), &mut set),
        }
    }
}

impl OneHot {
    /// Calls `f` for the position of each index that is within the depth.
    fn for_each(
        &self,
        output: &Dims,
        indices: impl Iterator<Item = i32>,
        f: &mut dyn FnMut(usize) -> Result<()>,
    ) -> Result<()> {
        let (_, depth, inner) = output.split_at(self.axis);
        for (k, index) in indices.enumerate() {
            if let Some(index) = usize::try_from(index).ok().filter(|&index| index < depth) {
                f((k / inner * depth + index) * inner + k % inner)?;
            }
        }
        Ok(())
    }
}

/// The shape of the output. Only the lowest 32 bits of the depth are used, as in TFLite.
fn output(indices: &TensorView<'_>, axis: usize, depth: &TensorView<'_>) -> Result<Dims> {
    let depth = Integers::scalar(depth)? as i32;
    let (outer, inner) = indices.shape.split_at(axis.min(indices.rank()));
    let output = Dims::from_sizes(outer.iter().chain(&[depth]).chain(inner).copied());
    output.ok_or_else(|| {
        invalid!("depth {depth} does not fit indices {indices}, which are {:?}", indices.shape)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::assert_same;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn run(shape: &[i32], indices: &[i64], depth: i32, [on, off]: [Tensor; 2], axis: i32) -> Result<Tensor> {
        let int: Vec<i32> = indices.iter().map(|&i| i as i32).collect();
        let rest = |test: OpTest<OneHot>| {
            let test = test.input(on.clone()).constant(off.clone()).output(Spec::of(on.ty()));
            test.options(|o| o.set(OneHotOptions::AXIS, axis)).run()
        };
        let test = OpTest::<OneHot>::new().input(Tensor::i64(shape, indices));
        let known = rest(test.constant(Tensor::i32(&[], &[depth])));
        let test = OpTest::<OneHot>::new().input(Tensor::i32(shape, &int));
        assert_same(&known, &rest(test.input(Tensor::i64(&[1], &[depth.into()]))));
        known.map(|mut y| y.remove(0))
    }

    #[test]
    fn positions() {
        let values = || [Tensor::i32(&[], &[1]), Tensor::i32(&[1], &[0])];
        for (shape, indices, depth, axis, want, elements) in [
            (&[2][..], &[2, 0][..], 3, -1, &[2, 3][..], &[0, 0, 1, 1, 0, 0][..]),
            (&[2], &[2, 0], 3, 0, &[3, 2], &[0, 1, 0, 0, 1, 0]),
            (&[2], &[-1, 3], 3, 1, &[2, 3], &[0; 6]),
            (&[], &[1], 2, 0, &[2], &[0, 1]),
            (&[1, 2], &[1, 0], 2, 1, &[1, 2, 2], &[0, 1, 1, 0]),
            (&[2, 1], &[1, 0], 2, 0, &[2, 2, 1], &[0, 1, 1, 0]),
            (&[2], &[0, 1], 0, -1, &[2, 0], &[]),
            (&[0, 2], &[], 2, 1, &[0, 2, 2], &[]),
            // Only the lowest 32 bits are compared.
            (&[1], &[1 + (1 << 32)], 2, -1, &[1, 2], &[0, 1]),
        ] {
            let y = run(shape, indices, depth, values(), axis).unwrap();
            assert_eq!((y.shape(), y.as_i32()), (want, elements.to_vec()), "{indices:?} along {axis}");
        }
        let y = run(&[1], &[1], 2, [Tensor::f32(&[], &[2.5]), Tensor::f32(&[], &[-1.0])], -1).unwrap();
        assert_eq!(y.as_f32(), [-1.0, 2.5]);
        let y = run(&[1], &[1], 2, [Tensor::bool(&[], &[true]), Tensor::bool(&[], &[false])], -1).unwrap();
        assert_eq!(y.as_bool(), [false, true]);
        let y = run(&[1], &[0], 2, [Tensor::i64(&[], &[5]), Tensor::i64(&[], &[6])], 0).unwrap();
        assert_eq!(y.as_i64(), [5, 6]);
    }
}
