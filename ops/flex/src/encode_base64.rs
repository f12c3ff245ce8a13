//! EncodeBase64: each string in the alphabet of RFC 4648 for URLs, with padding if the attribute `pad` is set.
//! Defined by: tensorflow/core/kernels/base64_ops.cc.

use arenite_abi::prelude::*;

use crate::kit::base64::encode;
use crate::kit::kernel::Node;
use crate::kit::node_def::NodeDef;
use crate::kit::text::{Edit, TextEdit};

/// The `FlexEncodeBase64` op.
pub type EncodeBase64 = Node<TextEdit<Definition>>;

/// Attributes and kernel of `FlexEncodeBase64`.
pub struct Definition {
    pad: bool,
}

impl Edit for Definition {
    const NAME: &'static str = "FlexEncodeBase64";

    fn new(def: &NodeDef<'_>) -> Result<Self> {
        Ok(Definition { pad: def.bool("pad", false)? })
    }

    fn edit(&self, text: &[u8]) -> Result<Vec<u8>> {
        Ok(encode(text, self.pad))
    }
}
