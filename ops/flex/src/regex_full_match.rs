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
        ensure!(pattern.rank() == 0, "'{}' is {:?}; a scalar is needed", pattern.name, pattern.shape);
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

#[cfg(test)]
mod tests {
    use crate::kit::testing::tables::*;

    #[test]
    fn values() {
        let inputs = [texts(&["abc", "ab", "xabc", "abcx"]), text("a.c")];
        gives::<super::RegexFullMatch>(&[], &inputs, &[bools(&[true, false, false, false])]);
        // Every alternative must match the whole text.
        gives::<super::RegexFullMatch>(&[], &[text("ab"), text("a|ab")], &[truth(true)]);
        gives::<super::RegexFullMatch>(&[], &[texts(&["a\n", ""]), text(".*")], &[bools(&[false, true])]);
        gives::<super::RegexFullMatch>(&[], &[texts(&[]), text("a")], &[bools(&[])]);
    }

    #[test]
    fn refusals() {
        let bool = [ElementType::Bool];
        let inputs = [texts(&["a"]), texts(&["a"])];
        refuses::<super::RegexFullMatch>(&[], &inputs, &bool, "'in1' is [1]; a scalar is needed");
        let inputs = [text("a"), text("(")];
        refuses::<super::RegexFullMatch>(
            &[],
            &inputs,
            &bool,
            "the pattern '(' is not supported: unclosed group",
        );
        refuses::<super::RegexFullMatch>(&[], &[int(1), text("a")], &bool, "'in0' is INT32, not STRING");
    }
}
