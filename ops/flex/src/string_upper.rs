//! StringUpper: converts to upper case, ASCII letters only unless `encoding` is "utf-8".
//! Defined by: tensorflow/core/kernels/string_upper_op.cc.

use arenite_abi::prelude::*;

use crate::kit::kernel::Node;
use crate::kit::node_def::NodeDef;
use crate::kit::text::{Edit, TextEdit};

/// The `FlexStringUpper` op.
pub type StringUpper = Node<TextEdit<Definition>>;

/// Attributes, shape function and kernel of `FlexStringUpper`.
pub struct Definition {
    unicode: bool,
}

impl Edit for Definition {
    const NAME: &'static str = "FlexStringUpper";

    fn new(def: &NodeDef<'_>) -> Result<Self> {
        Ok(Definition { unicode: def.choice("encoding", &["", "utf-8"])? == 1 })
    }

    fn edit(&self, text: &[u8]) -> Result<Vec<u8>> {
        if !self.unicode {
            return Ok(text.to_ascii_uppercase());
        }
        Ok(String::from_utf8_lossy(text).to_uppercase().into_bytes())
    }
}
