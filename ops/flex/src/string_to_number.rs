//! StringToNumber: the number that each string spells. STRING to F32, F64, I32, I64.
//! Defined by: tensorflow/core/kernels/string_to_number_op.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::kernel::{Call, Inputs, Kernel, Node};
use crate::kit::node_def::NodeDef;
use crate::kit::number::{put_integers, put_reals};
use crate::kit::text::strip;

/// The op.
pub type StringToNumber = Node<Definition>;

/// What it computes.
pub struct Definition;

impl Kernel for Definition {
    const NAME: &'static str = "FlexStringToNumber";

    fn new(node: &NodeView<'_>, _: &NodeDef<'_>) -> Result<Self> {
        node.expect(1..=1, 1..=1)?;
        Ok(Definition)
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        x.dims(0).map(Some)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let strings = call.strings(0)?;
        let y = call.output(0)?;
        let texts = strings.iter().map(|text| {
            core::str::from_utf8(strip(text)).map_err(|_| invalid!("a string is no UTF-8"))
        });
        if matches!(y.ty(), F32 | F64) {
            let values = texts.map(|text| text.and_then(|text| number(text).ok_or_else(|| not_a_number(text))));
            return put_reals(y, values.collect::<Result<Vec<_>>>()?);
        }
        let range = if y.ty() == I32 { i64::from(i32::MIN)..=i64::from(i32::MAX) } else { i64::MIN..=i64::MAX };
        let values = texts.map(|text| {
            let text = text?;
            text.parse().ok().filter(|value| range.contains(value)).ok_or_else(|| not_a_number(text))
        });
        put_integers(y, values.collect::<Result<Vec<_>>>()?)
    }
}

fn number(text: &str) -> Option<f64> {
    text.parse().ok()
}

fn not_a_number(text: &str) -> Error {
    invalid!("'{text}' is no number of the output's type")
}
