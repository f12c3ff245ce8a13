//! StringStrip: strips ASCII whitespace from both ends of each string.
//! Defined by: tensorflow/core/kernels/string_strip_op.cc.

use arenite_abi::prelude::*;

use crate::kit::kernel::Node;
use crate::kit::node_def::NodeDef;
use crate::kit::text::{Edit, Edited, strip};

/// The `FlexStringStrip` op.
pub type StringStrip = Node<Edited<Definition>>;

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

#[cfg(test)]
mod tests {
    use crate::kit::testing::tables::*;

    #[test]
    fn values() {
        let x = texts(&["  a b\t\n\u{b}\u{c}\r", "\u{a0}a", "", "  ", "\0a\0"]);
        gives::<super::StringStrip>(&[], &[x], &[texts(&["a b", "\u{a0}a", "", "", "\0a\0"])]);
        gives::<super::StringStrip>(&[], &[text(" a")], &[text("a")]);
        gives::<super::StringStrip>(&[], &[texts(&[])], &[texts(&[])]);
    }

    #[test]
    fn refusals() {
        let message = "'in0' is INT32, 'out0' is STRING; both must be STRING";
        refuses::<super::StringStrip>(&[], &[int(1)], &[ElementType::String], message);
    }
}
