//! StringSplitV2: splits each string at a separator, into a sparse tensor; the empty separator splits at whitespace.
//! Inputs: strings `[n]`, separator. Outputs: indices, values, shape.
//! Defined by: tensorflow/core/kernels/string_split_op.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::kernel::{Call, Inputs, Kernel, Node, shape_of};
use crate::kit::node_def::NodeDef;
use crate::kit::number::put_integers;
use crate::kit::text::{is_space, text_output};

/// The `FlexStringSplitV2` op.
pub type StringSplitV2 = Node<Definition>;

/// Attributes, shape function and kernel of `FlexStringSplitV2`.
pub struct Definition {
    most: i64,
}

impl Kernel for Definition {
    const NAME: &'static str = "FlexStringSplitV2";

    fn new(node: &NodeView<'_>, def: &NodeDef<'_>) -> Result<Self> {
        node.expect(2..=2, 3..=3)?;
        let (x, separator) = (node.input(0)?, node.input(1)?);
        text_output(&node.output(1)?)?;
        ensure!(x.rank() == 1, "{x} is {:?}; a list is needed", x.shape);
        ensure!(separator.rank() == 0, "{separator} is {:?}; a scalar is needed", separator.shape);
        Ok(Definition { most: def.int("maxsplit", -1)? })
    }

    fn shape(&self, _: &Inputs<'_, '_>, output: usize) -> Result<Option<Dims>> {
        if output == 2 { shape_of([2]).map(Some) } else { Ok(None) }
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let strings = call.strings(0)?;
        let separator = call.strings(1)?.get(0).unwrap_or_default();
        let most = if self.most < 0 { usize::MAX } else { self.most as usize };
        let (mut indices, mut parts, mut longest) = (Vec::new(), Vec::new(), 0);
        for (row, text) in strings.iter().enumerate() {
            let found = split(text, separator, most);
            longest = longest.max(found.len());
            indices.extend((0..found.len()).flat_map(|i| [row as i64, i as i64]));
            parts.extend(found);
        }
        call.resized::<i64>(0, &[parts.len() as i32, 2])?.copy_from_slice(&indices);
        call.put_strings(1, &shape_of([parts.len() as i64])?, &parts)?;
        put_integers(call.output(2)?, [strings.len() as i64, longest as i64])
    }
}

/// Splits at most `most` times; the last part is the rest of the text. With the empty separator the rest is returned
/// even if it is empty.
fn split<'a>(mut text: &'a [u8], separator: &[u8], most: usize) -> Vec<&'a [u8]> {
    let mut parts = Vec::new();
    if most == 0 {
        return vec![text];
    }
    if separator.is_empty() {
        let skipped = |text: &'a [u8]| {
            let start = text.iter().position(|b| !is_space(b)).unwrap_or(text.len());
            &text[start..]
        };
        text = skipped(text);
        while !text.is_empty() {
            let end = text.iter().position(is_space).unwrap_or(text.len());
            parts.push(&text[..end]);
            text = skipped(&text[end..]);
            if parts.len() == most {
                parts.push(text);
                break;
            }
        }
        return parts;
    }
    while parts.len() < most {
        let Some(end) = text.windows(separator.len()).position(|window| window == separator) else { break };
        parts.push(&text[..end]);
        text = &text[end + separator.len()..];
    }
    parts.push(text);
    parts
}
