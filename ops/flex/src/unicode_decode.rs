//! UnicodeDecode: the code points of each string, one string after the other, and where each one's begin. Encodings:
//! UTF-8, UTF-16-BE, UTF-32-BE.
//!
//! The attribute `errors` is for bytes that are not in the encoding, and, with `replace_control_characters`, for the
//! code points 0 to 31: `replace` makes each of them `replacement_char`, `ignore` drops them. With `strict`, such bytes
//! are an error.
//! Defined by: tensorflow/core/kernels/unicode_ops.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::kernel::{Call, Inputs, Kernel, Node, shape_of};
use crate::kit::node_def::NodeDef;
use crate::kit::number::put_integers;

/// The `FlexUnicodeDecode` op.
pub type UnicodeDecode = Node<Definition>;

/// Attributes, shape function and kernel of `FlexUnicodeDecode`.
pub struct Definition {
    encoding: Encoding,
    errors: Errors,
    replacement: i32,
    controls: bool,
}

#[derive(Clone, Copy)]
enum Encoding {
    Utf8,
    Utf16,
    Utf32,
}

#[derive(Clone, Copy, PartialEq)]
enum Errors {
    Replace,
    Ignore,
    Strict,
}

impl Kernel for Definition {
    const NAME: &'static str = "FlexUnicodeDecode";

    fn new(node: &NodeView<'_>, def: &NodeDef<'_>) -> Result<Self> {
        node.expect(1..=1, 2..=2)?;
        let x = node.input(0)?;
        ensure!(x.ty == ElementType::String, "input {x} is {}, which this op does not support", x.ty);
        Ok(Definition {
            encoding: [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32]
                [def.choice("input_encoding", &["UTF-8", "UTF-16-BE", "UTF-32-BE"])?],
            errors: [Errors::Replace, Errors::Ignore, Errors::Strict]
                [def.choice("errors", &["replace", "ignore", "strict"])?],
            replacement: def.int("replacement_char", 0xfffd)? as i32,
            controls: def.bool("replace_control_characters", false)?,
        })
    }

    fn shape(&self, x: &Inputs<'_, '_>, output: usize) -> Result<Option<Dims>> {
        if output == 0 { shape_of([x.get(0)?.len() as i64 + 1]).map(Some) } else { Ok(None) }
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let (mut points, mut splits) = (Vec::new(), vec![0]);
        for text in call.strings(0)?.iter() {
            self.decode(text, &mut points)?;
            splits.push(points.len() as i64);
        }
        put_integers(call.output(0)?, splits)?;
        call.resized::<i32>(1, &[points.len() as i32])?.copy_from_slice(&points);
        Ok(())
    }
}

impl Definition {
    /// Appends a code point; `None` if the bytes are not in the encoding.
    fn add(&self, point: Option<char>, points: &mut Vec<i32>) -> Result<()> {
        let control = self.controls && point.is_some_and(|point| point <= '\x1f');
        match point {
            Some(point) if !control => points.push(point as i32),
            None if self.errors == Errors::Strict => {
                return Err(invalid!("a string is not in the encoding that the node expects"));
            }
            _ if self.errors == Errors::Ignore => {}
            _ => points.push(self.replacement),
        }
        Ok(())
    }

    /// Appends the code points of a text.
    fn decode(&self, text: &[u8], points: &mut Vec<i32>) -> Result<()> {
        let mut add = |point| self.add(point, points);
        match self.encoding {
            Encoding::Utf8 => {
                for chunk in text.utf8_chunks() {
                    chunk.valid().chars().try_for_each(|point| add(Some(point)))?;
                    if !chunk.invalid().is_empty() {
                        add(None)?;
                    }
                }
            }
            Encoding::Utf16 => {
                let (units, rest) = text.as_chunks::<2>();
                let units = units.iter().map(|&unit| u16::from_be_bytes(unit));
                let ends_inside =
                    units.clone().next_back().is_some_and(|unit| (0xd800..0xdc00).contains(&unit));
                char::decode_utf16(units).try_for_each(|point| add(point.ok()))?;
                // Half a unit that follows the first unit of a pair belongs to that pair.
                if !rest.is_empty() && !ends_inside {
                    add(None)?;
                }
            }
            Encoding::Utf32 => {
                let (units, rest) = text.as_chunks::<4>();
                units.iter().try_for_each(|&unit| add(char::from_u32(u32::from_be_bytes(unit))))?;
                if !rest.is_empty() {
                    add(None)?;
                }
            }
        }
        Ok(())
    }
}
