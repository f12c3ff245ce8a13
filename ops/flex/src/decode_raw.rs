//! DecodeRaw: the numbers whose bytes each string holds. All strings must have the same length, a multiple of the size
//! of a number. Reals, integers, complex numbers, booleans.
//! Defined by: tensorflow/core/kernels/decode_raw_op.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::kernel::{Call, Inputs, Kernel, Node, shape_of};
use crate::kit::node_def::NodeDef;

/// The `FlexDecodeRaw` op.
pub type DecodeRaw = Node<Definition>;

/// Attributes, shape function and kernel of `FlexDecodeRaw`.
pub struct Definition {
    /// The bytes of a number that are reversed, or 1 if none are.
    turned: usize,
    width: usize,
}

impl Kernel for Definition {
    const NAME: &'static str = "FlexDecodeRaw";

    fn new(node: &NodeView<'_>, def: &NodeDef<'_>) -> Result<Self> {
        let (x, y) = node.unary()?;
        ensure!(x.ty == ElementType::String, "input {x} is {}, which this op does not support", x.ty);
        let width = (y.ty.bits() / 8) as usize;
        ensure!(width > 0 && y.ty.bits() % 8 == 0, "output {y} is {}, which this op cannot produce", y.ty);
        let number = if matches!(y.ty, C64 | C128) { width / 2 } else { width };
        let turned = if def.bool("little_endian", true)? { 1 } else { number };
        Ok(Definition { turned, width })
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        let Some(strings) = x.data(0)? else { return Ok(None) };
        let length = self.length(&strings)?;
        let dims = strings.shape.iter().map(|&d| i64::from(d));
        shape_of(dims.chain([(length / self.width) as i64])).map(Some)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let y = call.output(0)?.into_bytes();
        let strings = call.strings(0)?;
        for (to, from) in y.chunks_exact_mut(self.length(&call.input(0)?)?.max(1)).zip(strings.iter()) {
            to.copy_from_slice(from);
        }
        y.chunks_exact_mut(self.turned).for_each(<[u8]>::reverse);
        Ok(())
    }
}

impl Definition {
    /// The length that all strings have; 0 without strings.
    fn length(&self, x: &TensorView<'_>) -> Result<usize> {
        let strings = arenite_ops::kit::strings::Strings::of(x)?;
        let length = strings.get(0).map_or(0, <[u8]>::len);
        if let Some(other) = strings.iter().find(|text| text.len() != length) {
            return Err(invalid!(
                "strings have {length} and {} bytes; their lengths must agree",
                other.len()
            ));
        }
        ensure!(
            length.is_multiple_of(self.width),
            "strings have {length} bytes, which is not a multiple of the {} bytes of a number",
            self.width
        );
        Ok(length)
    }
}
