//! Substr: substrings of `len` bytes, or with `unit` "UTF8_CHAR" characters, starting at `pos`. Inputs: strings, pos,
//! len, which broadcast.
//! Defined by: tensorflow/core/kernels/substr_op.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::broadcast::{Broadcast, broadcast_dims};
use arenite_ops::kit::indexing::Dims;

use crate::kit::kernel::{Call, Inputs, Kernel, Node, integers};
use crate::kit::node_def::NodeDef;

/// The `FlexSubstr` op.
pub type Substr = Node<Definition>;

/// Attributes, shape function and kernel of `FlexSubstr`.
pub struct Definition {
    characters: bool,
}

impl Kernel for Definition {
    const NAME: &'static str = "FlexSubstr";

    fn new(node: &NodeView<'_>, def: &NodeDef<'_>) -> Result<Self> {
        node.expect(3..=3, 1..=1)?;
        Ok(Definition { characters: def.choice("unit", &["BYTE", "UTF8_CHAR"])? == 1 })
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        let (dims, at) = (x.dims(0)?, x.dims(1)?);
        ensure!(
            at == x.dims(2)?,
            "pos is {:?}, len is {:?}; they must agree",
            at.as_slice(),
            x.dims(2)?.as_slice()
        );
        let shape = broadcast_dims([&dims, &at]);
        shape
            .map(Some)
            .ok_or_else(|| invalid!("{:?} and {:?} do not broadcast", dims.as_slice(), at.as_slice()))
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let (strings, dims) = (call.strings(0)?, [call.dims(0)?, call.dims(1)?]);
        let (at, length) = (integers(&call.input(1)?)?, integers(&call.input(2)?)?);
        let loops =
            Broadcast::new([&dims[0], &dims[1]]).ok_or_else(|| invalid!("the shapes do not broadcast"))?;
        call.string_count(&loops.output(), 0)?;
        let (mut texts, mut result) = (Vec::new(), Ok(()));
        loops.for_each2(|_, s, i| match self.part(strings.get(s).unwrap_or_default(), at[i], length[i]) {
            Ok(part) => texts.push(part),
            Err(error) => result = Err(error),
        });
        result?;
        call.put_strings(0, &loops.output(), &texts)
    }
}

impl Definition {
    fn part<'a>(&self, text: &'a [u8], at: i64, length: i64) -> Result<&'a [u8]> {
        // The start of each unit, and the end of the text.
        let begins = |(_, byte): &(usize, &u8)| !self.characters || **byte & 0xc0 != 0x80;
        let mut starts: Vec<usize> = text.iter().enumerate().filter(begins).map(|(i, _)| i).collect();
        starts.push(text.len());
        let count = starts.len() as i64 - 1;
        let from = if at < 0 { at.saturating_add(count) } else { at };
        ensure!((0..=count).contains(&from), "pos {at} is outside a string of length {count}");
        // When counting bytes, a negative length means the rest of the string.
        let length = if length < 0 && !self.characters { count } else { length.max(0) };
        let to = from.saturating_add(length).min(count);
        Ok(&text[starts[from as usize]..starts[to as usize]])
    }
}

#[cfg(test)]
mod tests {
    use crate::kit::testing::tables::*;

    const CHARACTERS: [(&str, Attribute<'_>); 1] = [("unit", Text("UTF8_CHAR"))];

    #[test]
    fn values() {
        let inputs = [texts(&["hello", "ab"]), ints(&[1, -1]), ints(&[3, 5])];
        gives::<super::Substr>(&[], &inputs, &[texts(&["ell", "b"])]);
        gives::<super::Substr>(&[], &[texts(&["hello", "abc"]), long(1), long(2)], &[texts(&["el", "bc"])]);
        gives::<super::Substr>(&[], &[text("hello"), ints(&[1, 2]), ints(&[3, 1])], &[texts(&["ell", "l"])]);
        let inputs = [
            Tensor::strings(&[1, 2], &["ab", "cd"]),
            Tensor::i32(&[2, 1], &[0, 1]),
            Tensor::i32(&[2, 1], &[1, 1]),
        ];
        gives::<super::Substr>(&[], &inputs, &[Tensor::strings(&[2, 2], &["a", "c", "b", "d"])]);
        // The end of a string is a valid position; a negative length means the rest when counting bytes.
        gives::<super::Substr>(&[], &[text("a"), int(1), int(1)], &[text("")]);
        gives::<super::Substr>(&[], &[text("abc"), int(1), int(-1)], &[text("bc")]);
        gives::<super::Substr>(&[], &[text(""), int(0), int(1)], &[text("")]);
        let inputs = [texts(&["äöü", "日本"]), ints(&[1, -1]), ints(&[1, 1])];
        gives::<super::Substr>(&CHARACTERS, &inputs, &[texts(&["ö", "本"])]);
        gives::<super::Substr>(&CHARACTERS, &[text("äö"), int(1), int(-1)], &[text("")]);
        gives::<super::Substr>(&CHARACTERS, &[text("äö"), int(2), int(1)], &[text("")]);
    }

    #[test]
    fn refusals() {
        let refused = |attributes: &[(&str, Attribute<'_>)],
                       x: &str,
                       at: Tensor,
                       length: Tensor,
                       message: &str| {
            refuses::<super::Substr>(attributes, &[texts(&[x]), at, length], &[ElementType::String], message);
        };
        refused(&[], "a", int(2), int(1), "pos 2 is outside a string of length 1");
        refused(&[], "abc", int(-4), int(1), "pos -4 is outside a string of length 3");
        refused(&CHARACTERS, "äö", int(3), int(1), "pos 3 is outside a string of length 2");
        refused(&CHARACTERS, "äö", int(-3), int(1), "pos -3 is outside a string of length 2");
        refused(&[], "a", ints(&[0]), int(1), "pos is [1], len is []; they must agree");
        refused(
            &[("unit", Text("WORD"))],
            "a",
            int(0),
            int(1),
            "attribute 'unit' is 'WORD'; it may be BYTE, UTF8_CHAR",
        );
        let inputs = [texts(&["a", "b"]), ints(&[0; 3]), ints(&[1; 3])];
        refuses::<super::Substr>(&[], &inputs, &[ElementType::String], "[2] and [3] do not broadcast");
    }
}
