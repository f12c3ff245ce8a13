//! RegexReplace: replaces the matches of a pattern by a rewrite. STRING. Inputs: strings, pattern, rewrite.
//! Defined by: tensorflow/core/kernels/regex_replace_op.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::kernel::{Call, Inputs, Kernel, Node};
use crate::kit::node_def::NodeDef;
use crate::kit::regex::{check_rewrite, compile, replace};

/// The `FlexRegexReplace` op.
pub type RegexReplace = Node<Definition>;

/// Attributes, shape function and kernel of `FlexRegexReplace`.
pub struct Definition {
    all: bool,
}

impl Kernel for Definition {
    const NAME: &'static str = "FlexRegexReplace";

    fn new(node: &NodeView<'_>, def: &NodeDef<'_>) -> Result<Self> {
        node.expect(3..=3, 1..=1)?;
        for i in [1, 2] {
            let text = node.input(i)?;
            ensure!(text.rank() == 0, "'{}' is {:?}; a scalar is needed", text.name, text.shape);
        }
        Ok(Definition { all: def.bool("replace_global", true)? })
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        x.dims(0).map(Some)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let [pattern, rewrite] =
            [call.strings(1)?.get(0), call.strings(2)?.get(0)].map(Option::unwrap_or_default);
        let regex = compile(pattern, false)?;
        check_rewrite(rewrite, &regex)?;
        let texts = call
            .strings(0)?
            .iter()
            .map(|text| replace(&regex, text, rewrite, self.all))
            .collect::<Result<Vec<_>>>()?;
        call.put_strings(0, &call.dims(0)?, &texts)
    }
}

#[cfg(test)]
mod tests {
    use crate::kit::testing::tables::*;

    #[test]
    fn values() {
        let inputs = [texts(&["aab", "ba", ""]), text("a+"), text("<\\0>")];
        gives::<super::RegexReplace>(&[], &inputs, &[texts(&["<aa>b", "b<a>", ""])]);
        let first = [("replace_global", Bool(false))];
        gives::<super::RegexReplace>(&first, &[text("aXa"), text("a"), text("b")], &[text("bXa")]);
        gives::<super::RegexReplace>(&[], &[text("baac"), text("a*"), text("-")], &[text("-b-c-")]);
        gives::<super::RegexReplace>(&[], &[text("ä"), text(""), text("-")], &[text("-ä-")]);
        gives::<super::RegexReplace>(&[], &[text("ab"), text("(a)(b)"), text("\\2\\1\\\\")], &[text("ba\\")]);
    }

    #[test]
    fn refusals() {
        let refused = |pattern: Tensor, rewrite: Tensor, message: &str| {
            refuses::<super::RegexReplace>(
                &[],
                &[text("a"), pattern, rewrite],
                &[ElementType::String],
                message,
            );
        };
        refused(text("("), text(""), "the pattern '(' is not supported: unclosed group");
        refused(texts(&["a"]), text("b"), "'in1' is [1]; a scalar is needed");
        refused(text("a"), texts(&["b"]), "'in2' is [1]; a scalar is needed");
        refused(text("a"), text("\\1"), "the rewrite names group 1, the pattern has 0");
        let message = "the rewrite has a backslash that neither a digit nor a backslash follows";
        refused(text("a"), text("\\x"), message);
        refused(text("a"), text("b\\"), message);
    }
}
