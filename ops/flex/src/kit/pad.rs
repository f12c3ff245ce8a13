//! Padding with zeros, with one value, or by mirroring.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use super::elements::{pick, ravel, unravel};
use super::kernel::{Call, Inputs, Program, shape_of};
use super::node_def::NodeDef;

/// The content of the padding.
#[derive(Clone, Copy, PartialEq)]
pub enum Kind {
    /// Zeros.
    Zeros,
    /// The value of input 2.
    Value,
    /// The mirrored input.
    Mirror,
}

/// The parameters that distinguish the ops of this family.
pub struct Member {
    /// The content of the padding.
    pub kind: Kind,
}

/// A prepared node of the family.
pub struct Pad {
    /// Whether the mirror repeats the outermost element.
    symmetric: bool,
    of: &'static Member,
}

impl Pad {
    fn paddings(&self, x: &Inputs<'_, '_>) -> Result<Option<Vec<(i64, i64)>>> {
        let Some(list) = x.integers(1)? else { return Ok(None) };
        let (dims, shape) = (x.dims(0)?, x.dims(1)?);
        ensure!(
            shape.as_slice() == [dims.rank() as i32, 2],
            "paddings are {:?}, the input is {:?}; two are needed for each axis",
            shape.as_slice(),
            dims.as_slice()
        );
        let mut pairs = Vec::new();
        for (axis, pair) in list.as_chunks::<2>().0.iter().enumerate() {
            let limit = match self.of.kind {
                Kind::Mirror => dims.size(axis) as i64 - i64::from(!self.symmetric),
                _ => i64::from(i32::MAX),
            };
            ensure!(
                pair.iter().all(|p| (0..=limit).contains(p)),
                "paddings of axis {axis} are {pair:?}; they must be in 0..={limit}"
            );
            pairs.push((pair[0], pair[1]));
        }
        Ok(Some(pairs))
    }
}

impl Program for Pad {
    type Member = Member;

    fn new(node: &NodeView<'_>, def: &NodeDef<'_>, of: &'static Member) -> Result<Self> {
        let inputs = if of.kind == Kind::Value { 3 } else { 2 };
        node.expect(inputs..=inputs, 1..=1)?;
        if of.kind == Kind::Value {
            let value = node.input(2)?;
            ensure!(value.rank() == 0, "{value} is {:?}; a scalar is needed", value.shape);
        }
        let symmetric = of.kind == Kind::Mirror && def.choice("mode", &["REFLECT", "SYMMETRIC"])? == 1;
        Ok(Pad { symmetric, of })
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        let (dims, Some(paddings)) = (x.dims(0)?, self.paddings(x)?) else { return Ok(None) };
        shape_of(dims.as_slice().iter().zip(&paddings).map(|(&d, (a, b))| i64::from(d) + a + b)).map(Some)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let paddings = self.paddings(&call.inputs())?.unwrap_or_default();
        let (dims, output) = (call.dims(0)?, call.output_dims(0)?);
        let mut sources = vec![call.input(0)?];
        if self.of.kind == Kind::Value {
            sources.push(call.input(2)?);
        }
        let outside = if self.of.kind == Kind::Value { Some((1, 0)) } else { None };
        pick(call, 0, &sources, |k| {
            let mut at = unravel(k, &output);
            for (axis, &(before, _)) in paddings.iter().enumerate() {
                let (i, size) = (at[axis] as i64 - before, dims.size(axis) as i64);
                at[axis] = match i {
                    _ if (0..size).contains(&i) => i as usize,
                    _ if self.of.kind != Kind::Mirror => return outside,
                    _ if i < 0 => (-i - i64::from(self.symmetric)) as usize,
                    _ => (2 * size - 2 - i + i64::from(self.symmetric)) as usize,
                };
            }
            Some((0, ravel(&at, &dims)))
        })
    }
}
