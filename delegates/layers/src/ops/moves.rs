//! CONCATENATION, PACK, SPLIT, SPLIT_V, UNPACK: tensors put side by side, and taken apart; any type of whole bytes.

use arenite_abi::prelude::*;
use arenite_abi::schema::{ConcatenationOptions, PackOptions, UnpackOptions, activation};

use super::{Source, expect_elements};
use crate::{Common, Node, Value};

/// One dimension of a box: its size, and the elements from one index to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dim {
    /// Indices.
    pub size: usize,
    /// In the source.
    pub from: isize,
    /// In the target.
    pub to: isize,
}

/// A box: where it begins and its dimensions, outermost first, merged where both sides allow it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nest {
    /// First element of the source.
    pub from: usize,
    /// First element of the target.
    pub to: usize,
    /// Dimensions larger than 1; one of size 0 if the box is empty.
    pub dims: Vec<Dim>,
}

impl Nest {
    /// The box of `dims` at `from` and `to`.
    pub fn new(from: usize, to: usize, dims: impl IntoIterator<Item = Dim>) -> Nest {
        let mut merged: Vec<Dim> = Vec::new();
        for dim in dims {
            match merged.last_mut() {
                _ if dim.size == 0 => return Nest { from: 0, to: 0, dims: vec![dim] },
                _ if dim.size == 1 => {}
                Some(outer)
                    if outer.from == dim.from * dim.size as isize
                        && outer.to == dim.to * dim.size as isize =>
                {
                    *outer = Dim { size: outer.size * dim.size, ..dim };
                }
                _ => merged.push(dim),
            }
        }
        Nest { from, to, dims: merged }
    }

    /// Number of elements.
    #[inline]
    pub fn len(&self) -> usize {
        self.dims.iter().map(|dim| dim.size).product()
    }

    /// Whether there are none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether the box moves `len` elements from the beginning of one tensor to the beginning of another, in order.
    pub fn is_all_of(&self, len: usize) -> bool {
        self.from == 0
            && self.to == 0
            && self.len() == len
            && matches!(self.dims[..], [] | [Dim { from: 1, to: 1, .. }])
    }
}

/// Elements that go to other places as they are.
#[derive(Clone, Debug)]
pub struct Moves {
    /// For profiles.
    pub name: &'static str,
    /// Bytes of an element.
    pub width: usize,
    /// What fills boxes without a source, in its first bytes.
    pub fill: [u8; 16],
    /// Boxes, by position of input (none: filled) and output.
    pub boxes: Vec<(Option<usize>, usize, Nest)>,
}

/// Bytes of an element of a type that can be moved.
pub fn width(value: &Value<'_>) -> Result<usize> {
    match value.ty.bits() {
        bits @ (8 | 16 | 32 | 64 | 128) => Ok(bits as usize / 8),
        _ => Err(unsupported!("'{}' is {}, whose elements are not whole bytes", value.name, value.ty)),
    }
}

/// Elements from one index to the next, of each dimension.
pub fn strides(shape: &[usize]) -> Vec<isize> {
    let mut strides = vec![1; shape.len()];
    for i in (1..shape.len()).rev() {
        strides[i - 1] = strides[i] * shape[i] as isize;
    }
    strides
}

/// The axis `axis` of `rank`, counted from the end if negative.
pub fn axis_of(axis: i64, rank: usize) -> Result<usize> {
    let at = if axis < 0 { axis + rank as i64 } else { axis };
    match usize::try_from(at) {
        Ok(at) if at < rank => Ok(at),
        _ => Err(invalid!("axis {axis} does not exist, there are {rank}")),
    }
}

impl Moves {
    /// A node that moves one input to its output, nothing but a name if that is all of it in order.
    pub fn single<'a>(
        x: &Source<'_, 'a>,
        name: &'static str,
        input: usize,
        nest: Nest,
    ) -> Result<Node<Common<'a>>> {
        let ((from, a), (to, y)) = (x.input(input)?, x.output(0)?);
        expect_elements(y)?;
        let width = width(y)?;
        if a.ty != y.ty || nest.len() != y.len() {
            return Err(unsupported!("{} {:?} does not become {} {:?} so", a.ty, a.shape, y.ty, y.shape));
        }
        let layer = match nest.is_all_of(a.len()) {
            true => Common::Rename,
            false => Common::Moves(Moves { name, width, fill: [0; 16], boxes: vec![(Some(0), 0, nest)] }),
        };
        Ok(Node::new(layer, vec![from], vec![to]))
    }
}

/// Lowers CONCATENATION.
pub(super) fn concatenation<'a>(x: &Source<'_, 'a>) -> Result<Node<Common<'a>>> {
    let options = x.node.options()?;
    if options.get(ConcatenationOptions::FUSED_ACTIVATION_FUNCTION)? != activation::NONE {
        return Err(unsupported!("fused activations are not supported"));
    }
    let (_, y) = x.output(0)?;
    let axis = axis_of(options.get(ConcatenationOptions::AXIS)?.into(), y.shape.len())?;
    for i in 0..x.node.input_count() {
        expect_same_but(x.input(i)?.1, axis, y)?;
    }
    join(x, "concatenation", y.shape[..axis].iter().product())
}

/// An error unless both have the same dimensions but for `axis`.
fn expect_same_but(part: &Value<'_>, axis: usize, whole: &Value<'_>) -> Result<()> {
    let same = |i: usize| i == axis || part.shape[i] == whole.shape[i];
    ensure!(
        part.shape.len() == whole.shape.len() && (0..part.shape.len()).all(same),
        "'{}' {:?} is no part of '{}' {:?} along axis {axis}",
        part.name,
        part.shape,
        whole.name,
        whole.shape
    );
    Ok(())
}

/// An error unless `slice` has the dimensions of `whole` but for `axis`, where slices lie side by side.
fn expect_slice(slice: &Value<'_>, axis: usize, whole: &Value<'_>) -> Result<()> {
    ensure!(
        [&whole.shape[..axis], &whole.shape[axis + 1..]].concat() == slice.shape,
        "'{}' {:?} is no slice of '{}' {:?} along axis {axis}",
        slice.name,
        slice.shape,
        whole.name,
        whole.shape
    );
    Ok(())
}

/// Lowers PACK.
pub(super) fn pack<'a>(x: &Source<'_, 'a>) -> Result<Node<Common<'a>>> {
    let (_, y) = x.output(0)?;
    let axis = axis_of(x.node.options()?.get(PackOptions::AXIS)?.into(), y.shape.len())?;
    for i in 0..x.node.input_count() {
        expect_slice(x.input(i)?.1, axis, y)?;
    }
    join(x, "pack", y.shape[..axis].iter().product())
}

/// `outer` times a part of each input in turn.
fn join<'a>(x: &Source<'_, 'a>, name: &'static str, outer: usize) -> Result<Node<Common<'a>>> {
    let (to, y) = x.output(0)?;
    expect_elements(y)?;
    let turn = y.len() / outer;
    let (mut inputs, mut boxes, mut at) = (Vec::new(), Vec::new(), 0);
    for i in 0..x.node.input_count() {
        let (id, a) = x.input(i)?;
        if a.ty != y.ty || a.ty.is_quantizable() && a.quant != y.quant {
            return Err(unsupported!("'{}' and '{}' differ in type or quantization", a.name, y.name));
        }
        let part = a.len() / outer;
        if part == 0 {
            continue;
        }
        boxes.push((Some(inputs.len()), 0, runs(outer, part, (0, part), (at, turn))));
        inputs.push(id);
        at += part;
    }
    ensure!(at == turn, "inputs of {at} elements do not fill an output of {turn}, {outer} times");
    let layer = Common::Moves(Moves { name, width: width(y)?, fill: [0; 16], boxes });
    Ok(Node::new(layer, inputs, vec![to]))
}

/// `outer` runs of `part` elements; of source and target the first element, and the elements from one run to the next.
fn runs(outer: usize, part: usize, from: (usize, usize), to: (usize, usize)) -> Nest {
    let dims =
        [Dim { size: outer, from: from.1 as isize, to: to.1 as isize }, Dim { size: part, from: 1, to: 1 }];
    Nest::new(from.0, to.0, dims)
}

/// Lowers SPLIT.
pub(super) fn split<'a>(x: &Source<'_, 'a>) -> Result<Node<Common<'a>>> {
    let axis = x.integers(0)?;
    let size = x.output(0)?.1.shape.clone();
    for i in 1..x.node.output_count() {
        let (_, y) = x.output(i)?;
        ensure!(y.shape == size, "parts {size:?} and {:?} differ", y.shape);
    }
    part(x, "split", 1, &axis, expect_same_but)
}

/// Lowers SPLIT_V.
pub(super) fn split_v<'a>(x: &Source<'_, 'a>) -> Result<Node<Common<'a>>> {
    let (sizes, axis) = (x.integers(1)?, x.integers(2)?);
    ensure!(
        sizes.len() == x.node.output_count(),
        "{} sizes for {} outputs",
        sizes.len(),
        x.node.output_count()
    );
    if let &[axis] = &axis[..] {
        let axis = axis_of(axis, x.input(0)?.1.shape.len())?;
        for (i, &size) in sizes.iter().enumerate() {
            let (_, y) = x.output(i)?;
            // −1 stands for what is left.
            let fits = size == -1 || y.shape.get(axis).is_some_and(|&own| i64::try_from(own) == Ok(size));
            ensure!(fits, "output {i} has shape {:?}, its size along axis {axis} is {size}", y.shape);
        }
    }
    part(x, "split", 0, &axis, expect_same_but)
}

/// Lowers UNPACK.
pub(super) fn unpack<'a>(x: &Source<'_, 'a>) -> Result<Node<Common<'a>>> {
    let axis = x.node.options()?.get(UnpackOptions::AXIS)?;
    part(x, "unpack", 0, &[axis.into()], expect_slice)
}

/// Parts of an input along an axis, each an output of a shape that `expect` allows.
fn part<'a>(
    x: &Source<'_, 'a>,
    name: &'static str,
    input: usize,
    axis: &[i64],
    expect: fn(&Value<'_>, usize, &Value<'_>) -> Result<()>,
) -> Result<Node<Common<'a>>> {
    let (from, a) = x.input(input)?;
    expect_elements(a)?;
    let &[axis] = axis else { return Err(invalid!("{} axes are given, it takes one", axis.len())) };
    let axis = axis_of(axis, a.shape.len())?;
    let outer: usize = a.shape[..axis].iter().product();
    let turn = a.len() / outer;
    let (mut outputs, mut boxes, mut at) = (Vec::new(), Vec::new(), 0);
    for i in 0..x.node.output_count() {
        let (id, y) = x.output(i)?;
        if a.ty != y.ty || a.ty.is_quantizable() && a.quant != y.quant {
            return Err(unsupported!("'{}' and '{}' differ in type or quantization", a.name, y.name));
        }
        expect_elements(y)?;
        expect(y, axis, a)?;
        let part = y.len() / outer;
        boxes.push((Some(0), outputs.len(), runs(outer, part, (at, turn), (0, part))));
        outputs.push(id);
        at += part;
    }
    ensure!(at == turn, "outputs of {at} elements do not empty an input of {turn}, {outer} times");
    let layer = Common::Moves(Moves { name, width: width(a)?, fill: [0; 16], boxes });
    Ok(Node::new(layer, vec![from], outputs))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dimensions_merge_where_both_sides_allow_it() {
        let dims = |list: &[(usize, isize, isize)]| -> Vec<Dim> {
            list.iter().map(|&(size, from, to)| Dim { size, from, to }).collect()
        };
        let whole = Nest::new(0, 0, dims(&[(2, 12, 12), (3, 4, 4), (1, 4, 9), (4, 1, 1)]));
        assert_eq!(whole.dims, dims(&[(24, 1, 1)]));
        assert!(whole.is_all_of(24) && !whole.is_all_of(25));
        let turned = Nest::new(0, 0, dims(&[(3, 1, 4), (4, 3, 1)]));
        assert_eq!(turned.dims, dims(&[(3, 1, 4), (4, 3, 1)]));
        assert!(!turned.is_all_of(12));
        let part = Nest::new(0, 6, dims(&[(2, 6, 20), (2, 3, 3), (3, 1, 1)]));
        assert_eq!(part.dims, dims(&[(2, 6, 20), (6, 1, 1)]));
        assert_eq!(Nest::new(5, 5, dims(&[(2, 1, 1), (0, 1, 1)])).len(), 0);
        assert!(Nest::new(0, 0, dims(&[(1, 1, 1)])).is_all_of(1));
    }
}
