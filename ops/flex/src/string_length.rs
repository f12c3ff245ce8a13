//! StringLength: the length of each string in bytes, or with `unit` "UTF8_CHAR" in characters. STRING to I32.
//! Defined by: tensorflow/core/kernels/string_length_op.cc.

use arenite_abi::prelude::*;

use crate::kit::kernel::Node;
use crate::kit::node_def::NodeDef;
use crate::kit::text::{Measure, TextMeasure};

/// The `FlexStringLength` op.
pub type StringLength = Node<TextMeasure<Definition>>;

/// Attributes, shape function and kernel of `FlexStringLength`.
pub struct Definition {
    characters: bool,
}

impl Measure for Definition {
    const NAME: &'static str = "FlexStringLength";

    fn new(def: &NodeDef<'_>) -> Result<Self> {
        Ok(Definition { characters: def.choice("unit", &["BYTE", "UTF8_CHAR"])? == 1 })
    }

    fn measure(&self, text: &[u8]) -> Result<i64> {
        let counts = |byte: &&u8| !self.characters || **byte & 0xc0 != 0x80;
        Ok(text.iter().filter(counts).count() as i64)
    }
}
