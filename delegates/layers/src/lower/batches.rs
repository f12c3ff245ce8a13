//! SPACE_TO_BATCH_ND, BATCH_TO_SPACE_ND: the elements of blocks are distributed to a batch of smaller images, and back;
//! any type of whole bytes.
//!
//! ```text
//! large[n, i · block + v − before, …] = small[v · images + n, i, …]        before: padding or crop at the start
//! ```
//! All elements at position `v` of their blocks form a box.

use arenite_abi::prelude::*;
use arenite_base::Dim;

use super::pads::zero;
use super::source::{Source, expect_elements};
use crate::layer::moves::{BoxCopy, Nest, strides, width};
use crate::layer::{Common, Moves};
use crate::net::Node;

/// The most boxes.
const PLACES: usize = 256;

/// One axis of the large images.
struct Axis {
    small: usize,
    large: usize,
    block: usize,
    before: usize,
}

impl Axis {
    /// The elements of the small images' axis that are inside of the large images, for position `v` of blocks.
    fn inside(&self, v: usize) -> std::ops::Range<usize> {
        let first = self.before.saturating_sub(v).div_ceil(self.block).min(self.small);
        let end = (self.large + self.before).saturating_sub(v).div_ceil(self.block);
        first..end.clamp(first, self.small)
    }
}

/// The number of images, the axes that are divided into blocks, and the elements of the inner dimensions.
struct Blocks {
    images: usize,
    axes: Vec<Axis>,
    inner: usize,
}

impl Blocks {
    fn read(x: &Source<'_, '_>, small: &[usize], large: &[usize]) -> Result<Blocks> {
        let (sizes, pairs) = (x.integers(1)?, x.integers(2)?);
        let count = sizes.len();
        let fits = small.len() == large.len() && count < small.len() && pairs.len() == 2 * count;
        ensure!(fits, "{} paddings and blocks {sizes:?} of {small:?} and {large:?}", pairs.len());
        let mut axes = Vec::with_capacity(count);
        for (k, pair) in pairs.chunks_exact(2).enumerate() {
            let positive = |x: i64| u32::try_from(x).ok().map(|x| x as usize);
            let [Some(block @ 1..), Some(before), Some(after)] = [sizes[k], pair[0], pair[1]].map(positive)
            else {
                return Err(unsupported!("block {} with paddings {pair:?} is not supported", sizes[k]));
            };
            let (small, large) = (small[k + 1], large[k + 1]);
            ensure!(
                small.checked_mul(block) == Some(large + before + after),
                "{small} blocks of {block} are not {large} elements padded by {pair:?}"
            );
            axes.push(Axis { small, large, block, before });
        }
        let (images, rest) = (large[0], &large[count + 1..]);
        let places = axes.iter().try_fold(1usize, |n, axis| n.checked_mul(axis.block));
        let places = places.filter(|&places| places <= PLACES).ok_or_else(|| {
            unsupported!("blocks {sizes:?} have too many elements; at most {PLACES} are supported")
        })?;
        ensure!(
            small[0] == images * places && *rest == small[count + 1..],
            "{small:?} is not {large:?} in blocks {sizes:?}"
        );
        Ok(Blocks { images, axes, inner: rest.iter().product() })
    }

    /// Position `place` of a block, per axis.
    fn place(&self, mut place: usize) -> Vec<usize> {
        let mut at = vec![0; self.axes.len()];
        for (at, axis) in at.iter_mut().zip(&self.axes).rev() {
            *at = place % axis.block;
            place /= axis.block;
        }
        at
    }

    fn places(&self) -> usize {
        self.axes.iter().map(|axis| axis.block).product()
    }

    /// The box of a position; its source is the small images.
    fn nest(&self, place: usize, [small, large]: [&[isize]; 2]) -> Nest {
        let mut dims = vec![Dim { size: self.images, from: small[0], to: large[0] }];
        let (mut from, mut to) = (place * self.images * small[0] as usize, 0);
        for (k, (axis, v)) in self.axes.iter().zip(self.place(place)).enumerate() {
            let inside = axis.inside(v);
            let (row, step) = (small[k + 1], large[k + 1] * axis.block as isize);
            dims.push(Dim { size: inside.len(), from: row, to: step });
            from += inside.start * row as usize;
            to += (inside.start * axis.block + v).saturating_sub(axis.before) * large[k + 1] as usize;
        }
        dims.push(Dim { size: self.inner, from: 1, to: 1 });
        Nest::new(from, to, dims)
    }

    /// The boxes of a position's small images that are outside of the large images.
    fn outside(&self, place: usize, small: &[isize]) -> Vec<Nest> {
        let at = self.place(place);
        let mut slabs = Vec::new();
        for k in 0..self.axes.len() {
            let inside = self.axes[k].inside(at[k]);
            for (first, size) in [(0, inside.start), (inside.end, self.axes[k].small - inside.end)] {
                let mut to = place * self.images * small[0] as usize + first * small[k + 1] as usize;
                let mut dims = vec![(self.images, small[0])];
                for (i, axis) in self.axes.iter().enumerate() {
                    let inside = axis.inside(at[i]);
                    let size = match i.cmp(&k) {
                        std::cmp::Ordering::Less => inside.len(),
                        std::cmp::Ordering::Equal => size,
                        std::cmp::Ordering::Greater => axis.small,
                    };
                    to += if i < k { inside.start * small[i + 1] as usize } else { 0 };
                    dims.push((size, small[i + 1]));
                }
                dims.push((self.inner, 1));
                slabs.push(Nest::new(0, to, dims.into_iter().map(|(size, to)| Dim { size, from: to, to })));
            }
        }
        slabs.retain(|nest| !nest.is_empty());
        slabs
    }
}

/// Lowers SPACE_TO_BATCH_ND.
pub(super) fn space_to_batch<'a>(x: &Source<'_, 'a>) -> Result<Node<Common<'a>>> {
    let ((_, a), (_, y)) = (x.input(0)?, x.output(0)?);
    let blocks = Blocks::read(x, &y.shape, &a.shape)?;
    let (small, large) = (strides(&y.shape), strides(&a.shape));
    let mut boxes = Vec::new();
    for place in 0..blocks.places() {
        let nest = blocks.nest(place, [&small, &large]);
        let dims = nest.dims.iter().map(|dim| Dim { from: dim.to, to: dim.from, ..*dim });
        boxes.push(BoxCopy::copied(Nest::new(nest.to, nest.from, dims)));
        boxes.extend(blocks.outside(place, &small).into_iter().map(BoxCopy::filled));
    }
    node(x, "space to batch", boxes, zero(x)?)
}

/// Lowers BATCH_TO_SPACE_ND.
pub(super) fn batch_to_space<'a>(x: &Source<'_, 'a>) -> Result<Node<Common<'a>>> {
    let ((_, a), (_, y)) = (x.input(0)?, x.output(0)?);
    let blocks = Blocks::read(x, &a.shape, &y.shape)?;
    let (small, large) = (strides(&a.shape), strides(&y.shape));
    let boxes = (0..blocks.places()).map(|place| BoxCopy::copied(blocks.nest(place, [&small, &large])));
    node(x, "batch to space", boxes.collect(), [0; 16])
}

fn node<'a>(
    x: &Source<'_, 'a>,
    name: &'static str,
    mut boxes: Vec<BoxCopy>,
    fill: [u8; 16],
) -> Result<Node<Common<'a>>> {
    let ((from, a), (to, y)) = (x.input(0)?, x.output(0)?);
    expect_elements(a)?;
    expect_elements(y)?;
    ensure!(a.ty == y.ty, "{} does not become {}", a.ty, y.ty);
    boxes.retain(|copy| !copy.nest.is_empty());
    let layer = Common::Moves(Moves { name, width: width(a)?, fill, boxes });
    Ok(Node::new(layer, vec![from], vec![to]))
}
