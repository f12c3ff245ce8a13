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
