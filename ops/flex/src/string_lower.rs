//! StringLower: converts to lower case, ASCII letters only unless `encoding` is "utf-8".
//! Defined by: tensorflow/core/kernels/string_lower_op.cc.

use arenite_abi::prelude::*;

use crate::kit::kernel::Node;
use crate::kit::node_def::NodeDef;
use crate::kit::text::{Edit, Edited};

/// The `FlexStringLower` op.
pub type StringLower = Node<Edited<Definition>>;

/// Attributes, shape function and kernel of `FlexStringLower`.
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
        Ok(String::from_utf8_lossy(text).to_lowercase().into_bytes())
    }
}

#[cfg(test)]
mod tests {
    use crate::kit::testing::tables::*;

    #[test]
    fn values() {
        gives::<super::StringLower>(&[], &[texts(&["aBC1", "Ä", ""])], &[texts(&["abc1", "Ä", ""])]);
        // A sigma at the end of a word has a special form.
        let utf8 = [("encoding", Text("utf-8"))];
        gives::<super::StringLower>(
            &utf8,
            &[texts(&["aBC1Ä", "ΣΑΣ", "İ"])],
            &[texts(&["abc1ä", "σας", "i\u{307}"])],
        );
        gives::<super::StringLower>(&utf8, &[Tensor::strings(&[], &[b"A\xffB"])], &[text("a\u{fffd}b")]);
        gives::<super::StringLower>(
            &[],
            &[Tensor::strings(&[], &[b"A\xffB"])],
            &[Tensor::strings(&[], &[b"a\xffb"])],
        );
    }

    #[test]
    fn refusals() {
        let string = [ElementType::String];
        let message = "attribute 'encoding' is 'latin-1'; it may be , utf-8";
        refuses::<super::StringLower>(&[("encoding", Text("latin-1"))], &[text("A")], &string, message);
        refuses::<super::StringLower>(
            &[],
            &[int(1)],
            &string,
            "'in0' is INT32, 'out0' is STRING; both must be STRING",
        );
    }
}
