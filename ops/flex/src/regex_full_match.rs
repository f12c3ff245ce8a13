//! RegexFullMatch: whether a pattern matches the whole string. STRING to BOOL. Inputs: strings, pattern.
//! Defined by: tensorflow/core/kernels/regex_full_match_op.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::kernel::{Call, Inputs, Kernel, Node};
use crate::kit::node_def::NodeDef;
use crate::kit::regex::compile;

/// The `FlexRegexFullMatch` op.
pub type RegexFullMatch = Node<Definition>;

/// Shape function and kernel of `FlexRegexFullMatch`.
pub struct Definition;

impl Kernel for Definition {
    const NAME: &'static str = "FlexRegexFullMatch";

    fn new(node: &NodeView<'_>, _: &NodeDef<'_>) -> Result<Self> {
        node.expect(2..=2, 1..=1)?;
        let pattern = node.input(1)?;
        ensure!(pattern.rank() == 0, "{pattern} is {:?}; a scalar is needed", pattern.shape);
        Ok(Definition)
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        x.dims(0).map(Some)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let regex = compile(call.strings(1)?.get(0).unwrap_or_default(), true)?;
        let y = call.output_slice::<Bool>(0)?;
        for (y, text) in y.iter_mut().zip(call.strings(0)?.iter()) {
            *y = Bool(regex.is_match(text).into());
        }
        Ok(())
    }
}
