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
        ensure!(x.rank() == 1, "'{}' is {:?}; a list is needed", x.name, x.shape);
        ensure!(separator.rank() == 0, "'{}' is {:?}; a scalar is needed", separator.name, separator.shape);
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

#[cfg(test)]
mod tests {
    use crate::kit::testing::tables::*;

    fn split(most: i64, x: &[&str], separator: &str, places: &[i64], parts: &[&str], longest: i64) {
        let indices = Tensor::i64(&[parts.len() as i32, 2], places);
        let want = [indices, texts(parts), longs(&[x.len() as i64, longest])];
        gives::<super::StringSplitV2>(&[("maxsplit", Int(most))], &[texts(x), text(separator)], &want);
    }

    #[test]
    fn values() {
        split(-1, &["a b  c ", ""], "", &[0, 0, 0, 1, 0, 2], &["a", "b", "c"], 3);
        split(-1, &[" \ta\u{b}b\u{c}c\nd "], "", &[0, 0, 0, 1, 0, 2, 0, 3], &["a", "b", "c", "d"], 4);
        split(
            -1,
            &["a,b,,c,", ""],
            ",",
            &[0, 0, 0, 1, 0, 2, 0, 3, 0, 4, 1, 0],
            &["a", "b", "", "c", "", ""],
            5,
        );
        split(-1, &["a<>b<>"], "<>", &[0, 0, 0, 1, 0, 2], &["a", "b", ""], 3);
        // The rest after the last split; when splitting at whitespace, also an empty one.
        split(1, &["a b  c ", " a"], "", &[0, 0, 0, 1, 1, 0, 1, 1], &["a", "b  c ", "a", ""], 2);
        split(1, &["a,b,,c,"], ",", &[0, 0, 0, 1], &["a", "b,,c,"], 2);
        split(0, &["a b", ""], "", &[0, 0, 1, 0], &["a b", ""], 1);
        split(-1, &[], " ", &[], &[], 0);
    }

    #[test]
    fn refusals() {
        let types = [I64, ElementType::String, I64];
        refuses::<super::StringSplitV2>(
            &[],
            &[text("a b"), text("")],
            &types,
            "'in0' is []; a list is needed",
        );
        let inputs = [texts(&["a b"]), texts(&[" "])];
        refuses::<super::StringSplitV2>(&[], &inputs, &types, "'in1' is [1]; a scalar is needed");
        refuses::<super::StringSplitV2>(&[], &[ints(&[1]), text("")], &types, "'in0' is INT32, not STRING");
    }
}
