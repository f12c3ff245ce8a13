//! StaticRegexReplace: replaces matches of the attribute `pattern` by the attribute `rewrite`. STRING.
//! Defined by: tensorflow/core/kernels/regex_replace_op.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;
use regex::bytes::Regex;

use crate::kit::kernel::{Call, Inputs, Kernel, Node};
use crate::kit::node_def::NodeDef;
use crate::kit::regex::{check_rewrite, compile, replace};

/// The `FlexStaticRegexReplace` op.
pub type StaticRegexReplace = Node<Definition>;

/// Attributes, shape function and kernel of `FlexStaticRegexReplace`.
pub struct Definition {
    regex: Regex,
    rewrite: Vec<u8>,
    all: bool,
}

impl Kernel for Definition {
    const NAME: &'static str = "FlexStaticRegexReplace";

    fn new(node: &NodeView<'_>, def: &NodeDef<'_>) -> Result<Self> {
        node.unary()?;
        let regex = compile(def.bytes("pattern", b"")?, false)?;
        let rewrite = def.bytes("rewrite", b"")?.to_vec();
        check_rewrite(&rewrite, &regex)?;
        Ok(Definition { regex, rewrite, all: def.bool("replace_global", true)? })
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        x.dims(0).map(Some)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let texts = call
            .strings(0)?
            .iter()
            .map(|text| replace(&self.regex, text, &self.rewrite, self.all))
            .collect::<Result<Vec<_>>>()?;
        call.put_strings(0, &call.dims(0)?, &texts)
    }
}
