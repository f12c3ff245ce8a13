//! StringLower: lower case letters: with `encoding` "utf-8" all, else those of ASCII.
//! Defined by: tensorflow/core/kernels/string_lower_op.cc.

use arenite_abi::prelude::*;

use crate::kit::kernel::Node;
use crate::kit::node_def::NodeDef;
use crate::kit::text::{Edit, Edited};

/// The op.
pub type StringLower = Node<Edited<Definition>>;

/// What it computes.
pub struct Definition {
    unicode: bool,
}

impl Edit for Definition {
    const NAME: &'static str = "FlexStringLower";

    fn new(def: &NodeDef<'_>) -> Result<Self> {
        Ok(Definition { unicode: def.choice("encoding", &["", "utf-8"])? == 1 })
    }

    fn edit(&self, text: &[u8]) -> Result<Vec<u8>> {
        if !self.unicode {
            return Ok(text.to_ascii_lowercase());
        }
        let text = core::str::from_utf8(text).map_err(|_| invalid!("a string is no UTF-8"))?;
        Ok(text.to_lowercase().into_bytes())
    }
}
