//! Verifies sparsity parameters: a tree with one level per entry of `traversal_order`. Each level is dense or lists the
//! positions of its non-zero entries. Checks of TFLite: tflite/core/tools/verifier.cc.

use super::check::Check;
use crate::detail::detail;
use crate::error::ModelError;
use crate::path::Path;
use crate::schema::{DimensionMetadata, List, SparseIndexVector, SparsityParameters};

/// Maximum number of levels of a sparse tensor: dimensions plus block dimensions.
pub(crate) const MAX_LEVELS: usize = 16;

/// Sizes of the dimensions, then sizes of the block dimensions.
///
/// A 4 x 4 tensor in 2 x 2 blocks has the sizes `[2, 2, 2, 2]`.
type Sizes = [i32; MAX_LEVELS];

/// Verifies the parameters and returns the number of elements that the tensor's buffer must hold.
pub(super) fn stored_elements(
    parameters: &SparsityParameters<'_>,
    shape: List<'_, i32>,
    path: Path,
) -> Result<usize, ModelError> {
    let sizes = expanded_sizes(parameters, shape, path)?;
    let mut elements = 1usize;
    let levels = parameters.traversal_order().iter().zip(parameters.dim_metadata().iter());
    for (level, (dimension, metadata)) in levels.enumerate() {
        let path = path.entry("dim_metadata", level);
        let size = usize::try_from(dimension).ok().and_then(|d| sizes.get(d)).copied().unwrap_or(0);
        elements = match metadata.format() {
            0 if metadata.dense_size() == size => elements.checked_mul(usize::try_from(size).unwrap_or(0)),
            0 => {
                let found = i64::from(metadata.dense_size());
                let expected = "the size of the dimension it stores";
                return Err(ModelError::Value {
                    path: path.field("dense_size"),
                    found: detail(found),
                    expected: detail(expected),
                });
            }
            1 => Some(sparse_level(&metadata, elements, size, path)?),
            other => {
                let (path, found) = (path.field("format"), i64::from(other));
                return Err(ModelError::Value {
                    path,
                    found: detail(found),
                    expected: detail("0 (dense) or 1 (sparse)"),
                });
            }
        }
        .ok_or(ModelError::ShapeOverflow { path })?;
    }
    Ok(elements)
}

/// Verifies the orders and the block map, and returns the sizes of all dimensions.
fn expanded_sizes(
    parameters: &SparsityParameters<'_>,
    shape: List<'_, i32>,
    path: Path,
) -> Result<Sizes, ModelError> {
    let (order, map) = (parameters.traversal_order(), parameters.block_map());
    let (levels, rank) = (order.len(), shape.len());
    if levels < rank || levels > MAX_LEVELS {
        let (path, found) = (path.field("traversal_order"), levels as i64);
        return Err(ModelError::Value { path, found: detail(found), expected: detail("rank to 16 entries") });
    }
    length(parameters.dim_metadata().len(), levels, "one per level", path.field("dim_metadata"))?;
    length(map.len(), levels - rank, "one per block dimension", path.field("block_map"))?;
    permutation(order, 0, rank, path)?;
    permutation(order, rank, levels, path)?;

    let mut sizes: Sizes = [0; MAX_LEVELS];
    sizes.iter_mut().zip(shape).for_each(|(size, dim)| *size = dim);
    for (index, divided) in map.iter().enumerate() {
        let level = rank + index;
        let block = parameters.dim_metadata().get(level).map_or(0, |metadata| metadata.dense_size());
        let dimension = order.get(level).and_then(|dimension| usize::try_from(dimension).ok());
        let divided = usize::try_from(divided).ok().filter(|&dimension| dimension < rank);
        let sound = block > 0 && divided.and_then(|d| sizes.get(d)).is_some_and(|size| size % block == 0);
        let (Some(dimension), Some(divided), true) = (dimension, divided, sound) else {
            let path = path.entry("block_map", index);
            return Err(ModelError::Sparsity { path, reason: detail("blocks do not divide the dimension") });
        };
        sizes[divided] /= block;
        sizes[dimension] = block;
    }
    Ok(sizes)
}

/// Checks that entries `from..to` of the order are a permutation of `from..to`.
fn permutation(order: List<'_, i32>, from: usize, to: usize, path: Path) -> Check {
    let mut seen = 0u32;
    for (index, dimension) in order.iter().enumerate().take(to).skip(from) {
        let bit = usize::try_from(dimension).ok().filter(|d| (from..to).contains(d)).map(|d| 1u32 << d);
        match bit {
            Some(bit) if seen & bit == 0 => seen |= bit,
            _ => {
                let path = path.entry("traversal_order", index);
                return Err(ModelError::Sparsity {
                    path,
                    reason: detail("not a permutation of the dimensions"),
                });
            }
        }
    }
    Ok(())
}

/// Verifies a sparse level below `parents` entries, and returns its number of entries.
fn sparse_level(
    metadata: &DimensionMetadata<'_>,
    parents: usize,
    size: i32,
    path: Path,
) -> Result<usize, ModelError> {
    let absent = |field| ModelError::Missing { path: path.field(field) };
    let segments = metadata.array_segments().ok_or(absent("array_segments"))?;
    let indices = metadata.array_indices().ok_or(absent("array_indices"))?;
    let expected = parents.checked_add(1).ok_or(ModelError::ShapeOverflow { path })?;
    length(segments.len(), expected, "one per parent, plus one", path.field("array_segments"))?;
    let mut previous = 0;
    for (index, segment) in entries(segments).enumerate() {
        if segment < previous || (index == 0 && segment != 0) {
            let path = path.entry("array_segments", index);
            return Err(ModelError::Sparsity {
                path,
                reason: detail("segments must begin with 0 and never decrease"),
            });
        }
        previous = segment;
    }
    let last = usize::try_from(previous).unwrap_or(0);
    length(indices.len(), last, "the value of the last segment", path.field("array_indices"))?;
    match entries(indices).enumerate().find(|&(_, entry)| entry < 0 || entry >= size) {
        Some((index, found)) => {
            let path = path.entry("array_indices", index);
            Err(ModelError::Value {
                path,
                found: detail(i64::from(found)),
                expected: detail("inside the dimension"),
            })
        }
        None => Ok(indices.len()),
    }
}

fn entries<'a>(vector: SparseIndexVector<'a>) -> impl Iterator<Item = i32> + use<'a> {
    (0..vector.len()).map_while(move |index| vector.get(index))
}

fn length(found: usize, expected: usize, because: &'static str, path: Path) -> Check {
    if found == expected {
        Ok(())
    } else {
        Err(ModelError::Length {
            path,
            found: detail(found),
            expected: detail(expected),
            because: detail(because),
        })
    }
}
