//! DecodeBase64: the bytes of each string in the alphabet of RFC 4648 for URLs, with or without padding.
//! Defined by: tensorflow/core/kernels/base64_ops.cc.

use arenite_abi::prelude::*;

use crate::kit::base64::decode;
use crate::kit::kernel::Node;
use crate::kit::node_def::NodeDef;
use crate::kit::text::{Edit, TextEdit};

/// The `FlexDecodeBase64` op.
pub type DecodeBase64 = Node<TextEdit<Definition>>;

/// The kernel of `FlexDecodeBase64`.
pub struct Definition;

impl Edit for Definition {
    const NAME: &'static str = "FlexDecodeBase64";

    fn new(_: &NodeDef<'_>) -> Result<Self> {
        Ok(Definition)
    }

    fn edit(&self, text: &[u8]) -> Result<Vec<u8>> {
        decode(text)
    }
}
