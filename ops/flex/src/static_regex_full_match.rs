//! StaticRegexFullMatch: whether the attribute `pattern` matches the whole string. STRING to BOOL.
//! Defined by: tensorflow/core/kernels/regex_full_match_op.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;
use regex::bytes::Regex;

use crate::kit::kernel::{Call, Inputs, Kernel, Node};
use crate::kit::node_def::NodeDef;
use crate::kit::regex::compile;

/// The `FlexStaticRegexFullMatch` op.
pub type StaticRegexFullMatch = Node<Definition>;

/// Attributes, shape function and kernel of `FlexStaticRegexFullMatch`.
pub struct Definition {
    regex: Regex,
}

impl Kernel for Definition {
    const NAME: &'static str = "FlexStaticRegexFullMatch";

    fn new(node: &NodeView<'_>, def: &NodeDef<'_>) -> Result<Self> {
        node.unary()?;
        Ok(Definition { regex: compile(def.bytes("pattern", b"")?, true)? })
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        x.dims(0).map(Some)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let y = call.output_slice::<Bool>(0)?;
        for (y, text) in y.iter_mut().zip(call.strings(0)?.iter()) {
            *y = Bool(self.regex.is_match(text).into());
        }
        Ok(())
    }
}
