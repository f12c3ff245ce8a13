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
            ensure!(text.rank() == 0, "{text} is {:?}; a scalar is needed", text.shape);
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
