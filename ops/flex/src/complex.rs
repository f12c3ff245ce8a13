//! Complex: complex numbers from real and imaginary parts; the inputs broadcast. F32 to C64, F64 to C128.
//! Defined by: tensorflow/core/kernels/cwise_op_complex.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::broadcast::{Broadcast, broadcast_dims};
use arenite_ops::kit::indexing::Dims;
use arenite_ops::kit::node;

use crate::kit::kernel::{Call, Inputs, Kernel, Node, expect_type};
use crate::kit::node_def::NodeDef;
use crate::kit::number::{put_complexes, reals};

/// The `FlexComplex` op.
pub type Complex = Node<Definition>;

/// Shape function and kernel of `FlexComplex`.
pub struct Definition;

impl Kernel for Definition {
    const NAME: &'static str = "FlexComplex";

    fn new(node: &NodeView<'_>, _: &NodeDef<'_>) -> Result<Self> {
        let (re, im, _) = node.binary()?;
        expect_type(&re, &[F32, F64])?;
        node::same_type(&re, &im)?;
        Ok(Definition)
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        let (a, b) = (x.dims(0)?, x.dims(1)?);
        broadcast_dims([&a, &b])
            .map(Some)
            .ok_or_else(|| invalid!("{:?} and {:?} do not broadcast", a.as_slice(), b.as_slice()))
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let loops = Broadcast::new([&call.dims(0)?, &call.dims(1)?])
            .ok_or_else(|| invalid!("the shapes do not broadcast"))?;
        let (re, im) = (reals(&call.input(0)?)?, reals(&call.input(1)?)?);
        let mut y = Vec::with_capacity(loops.output().flat_size());
        loops.for_each2(|_, i, j| y.push(Complex64 { re: re[i], im: im[j] }));
        put_complexes(call.output(0)?, y)
    }
}
