//! StringStrip: strips ASCII whitespace from both ends of each string.
//! Defined by: tensorflow/core/kernels/string_strip_op.cc.

use arenite_abi::prelude::*;

use crate::kit::kernel::Node;
use crate::kit::node_def::NodeDef;
use crate::kit::text::{Edit, TextEdit, strip};

/// The `FlexStringStrip` op.
pub type StringStrip = Node<TextEdit<Definition>>;

/// Shape function and kernel of `FlexStringStrip`.
pub struct Definition;

impl Edit for Definition {
    const NAME: &'static str = "FlexStringStrip";

    fn new(_: &NodeDef<'_>) -> Result<Self> {
        Ok(Definition)
    }

    fn edit(&self, text: &[u8]) -> Result<Vec<u8>> {
        Ok(strip(text).to_vec())
    }
}
