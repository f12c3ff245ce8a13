//! Copies of elements in boxes.

use arenite_abi::prelude::*;
use arenite_base::Dim;

use crate::net::Value;

/// A box: its first elements and its dimensions, outermost first, merged where both sides permit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nest {
    /// The first element of the source.
    pub from: usize,
    /// The first element of the target.
    pub to: usize,
    /// The dimensions larger than 1, or one of size 0 if the box is empty.
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

    /// The source element of target element `at`, if the box is the whole target, its dimensions are in the target's
    /// order, and none is reversed.
    pub fn source(&self, mut at: usize) -> usize {
        let mut from = self.from;
        for dim in self.dims.iter().rev() {
            from += at % dim.size * dim.from as usize;
            at /= dim.size;
        }
        from
    }

    /// The number of elements.
    #[inline]
    pub fn len(&self) -> usize {
        self.dims.iter().map(|dim| dim.size).product()
    }

    /// Whether the box is empty.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether the box copies the first `len` elements of one tensor to the start of another, in order.
    pub fn is_all_of(&self, len: usize) -> bool {
        self.from == 0
            && self.to == 0
            && self.len() == len
            && matches!(self.dims[..], [] | [Dim { from: 1, to: 1, .. }])
    }
}

/// A box that is copied or filled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoxCopy {
    /// The position of the input; `None` if the box is filled.
    pub input: Option<usize>,
    /// The position of the output.
    pub output: usize,
    /// The elements.
    pub nest: Nest,
}

impl BoxCopy {
    /// A box of the only input that is copied to the only output.
    pub fn copied(nest: Nest) -> BoxCopy {
        BoxCopy { input: Some(0), output: 0, nest }
    }

    /// A box of the only output that is filled.
    pub fn filled(nest: Nest) -> BoxCopy {
        BoxCopy { input: None, output: 0, nest }
    }
}

/// Copies of elements.
#[derive(Clone, Debug)]
pub struct Moves {
    /// The name in profiles.
    pub name: &'static str,
    /// Bytes per element.
    pub width: usize,
    /// The element for boxes without a source, in the first bytes.
    pub fill: [u8; 16],
    /// The boxes.
    pub boxes: Vec<BoxCopy>,
}

/// Bytes per element, if elements are whole bytes.
///
/// # Errors
/// The size of an element is not fixed, or not a whole number of bytes.
pub fn width(value: &Value<'_>) -> Result<usize> {
    match value.ty.bits() {
        bits @ (8 | 16 | 32 | 64 | 128) => Ok(bits as usize / 8),
        _ => Err(unsupported!("{value} is {}, whose elements are not whole bytes", value.ty)),
    }
}

/// The stride of each dimension in elements.
pub fn strides(shape: &[usize]) -> Vec<isize> {
    let mut strides = vec![1; shape.len()];
    for i in (1..shape.len()).rev() {
        strides[i - 1] = strides[i] * shape[i] as isize;
    }
    strides
}

/// Pads a tensor of `shape` with elements of `width` bytes; `pairs` has the elements before and after it along each
/// axis.
pub fn padding(shape: &[usize], pairs: &[[usize; 2]], width: usize, fill: [u8; 16]) -> Moves {
    let padded: Vec<usize> =
        shape.iter().zip(pairs).map(|(size, [before, after])| before + size + after).collect();
    let (sources, targets) = (strides(shape), strides(&padded));
    let rank = shape.len();
    let start = |axis: usize| pairs[axis][0] * targets[axis] as usize;
    let inside = |i: usize| Dim { size: shape[i], from: sources[i], to: targets[i] };
    let mut boxes = vec![BoxCopy::copied(Nest::new(0, (0..rank).map(start).sum(), (0..rank).map(inside)))];
    for axis in 0..rank {
        let corner: usize = (0..axis).map(start).sum();
        for (first, size) in [(0, pairs[axis][0]), (pairs[axis][0] + shape[axis], pairs[axis][1])] {
            let slab = (0..rank).map(|i| match i.cmp(&axis) {
                std::cmp::Ordering::Less => inside(i),
                std::cmp::Ordering::Equal => Dim { size, from: 0, to: targets[i] },
                std::cmp::Ordering::Greater => Dim { size: padded[i], from: 0, to: targets[i] },
            });
            // A filled box has no source, so its dimensions merge by the target's strides alone.
            let slab = slab.map(|dim| Dim { from: dim.to, ..dim });
            boxes.push(BoxCopy::filled(Nest::new(0, corner + first * targets[axis] as usize, slab)));
        }
    }
    boxes.retain(|copy| !copy.nest.is_empty());
    Moves { name: "pad", width, fill, boxes }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dimensions_merge_where_both_sides_permit() {
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
