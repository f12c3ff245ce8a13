//! Expands sparse constants: the model stores only their non-zero elements, but operators need all elements.
//!
//! Defined by: tflite/kernels/internal/utils/sparsity_format_converter.cc.
//!
//! ```text
//! shape [2, 4], order [0, 1], row 0 dense, row 1 sparse: segments [0, 1, 3], indices [2, 0, 3], stored 5 6 7
//!   0 0 5 0
//!   6 0 0 7
//! ```

use crate::schema::{DimensionMetadata, List, SparseIndexVector, SparsityParameters};
use crate::verify::MAX_LEVELS;

/// Writes the stored elements, of `size` bytes each, to their positions in `dense`, which must hold zeros and has
/// `shape`. `None` if the parameters are invalid, which cannot happen in a verified model.
pub fn expand_sparse(
    parameters: &SparsityParameters<'_>,
    shape: &[i32],
    size: usize,
    stored: &[u8],
    dense: &mut [u8],
) -> Option<()> {
    let mut levels = [None; MAX_LEVELS];
    levels.iter_mut().zip(parameters.dim_metadata()).for_each(|(level, metadata)| *level = Some(metadata));
    let mut expansion = Expansion {
        depth: parameters.traversal_order().len(),
        order: numbers(parameters.traversal_order())?,
        map: numbers(parameters.block_map())?,
        levels,
        shape,
        size,
        stored,
        dense,
    };
    expansion.level(0, 0, &mut [0; MAX_LEVELS])
}

/// Copies a list that is no longer than the maximum number of levels.
fn numbers(list: List<'_, i32>) -> Option<[usize; MAX_LEVELS]> {
    let mut numbers = [0; MAX_LEVELS];
    for (i, number) in list.iter().enumerate() {
        *numbers.get_mut(i)? = usize::try_from(number).ok()?;
    }
    Some(numbers)
}

struct Expansion<'a, 'm> {
    /// The number of levels.
    depth: usize,
    /// Dimensions in storage order. Those numbered from the rank upwards are blocks.
    order: [usize; MAX_LEVELS],
    /// For each block, the dimension it divides.
    map: [usize; MAX_LEVELS],
    levels: [Option<DimensionMetadata<'m>>; MAX_LEVELS],
    shape: &'a [i32],
    size: usize,
    stored: &'a [u8],
    dense: &'a mut [u8],
}

impl Expansion<'_, '_> {
    /// Visits the entries of `level` below entry `parent` of the level above. `at` holds the positions along the path.
    fn level(&mut self, level: usize, parent: usize, at: &mut [usize]) -> Option<()> {
        if level == self.depth {
            return self.element(parent, at);
        }
        let metadata = (*self.levels.get(level)?)?;
        if metadata.format() == 0 {
            let size = usize::try_from(metadata.dense_size()).ok()?;
            let first = parent.checked_mul(size)?;
            for i in 0..size {
                *at.get_mut(level)? = i;
                self.level(level + 1, first.checked_add(i)?, at)?;
            }
            return Some(());
        }
        let (segments, indices) = (metadata.array_segments()?, metadata.array_indices()?);
        for entry in number(&segments, parent)?..number(&segments, parent.checked_add(1)?)? {
            *at.get_mut(level)? = number(&indices, entry)?;
            self.level(level + 1, entry, at)?;
        }
        Some(())
    }

    fn element(&mut self, from: usize, at: &[usize]) -> Option<()> {
        let rank = self.shape.len();
        let mut position = [0usize; MAX_LEVELS];
        let position = position.get_mut(..rank)?;
        for (&dimension, &at) in self.order.iter().zip(at).take(self.depth) {
            match dimension.checked_sub(rank) {
                None => *position.get_mut(dimension)? = at,
                Some(block) => {
                    let size = usize::try_from(self.levels.get(rank + block)?.as_ref()?.dense_size()).ok()?;
                    let position = position.get_mut(*self.map.get(block)?)?;
                    *position = position.checked_mul(size)?.checked_add(at)?;
                }
            }
        }
        let to = self.shape.iter().zip(position.iter()).try_fold(0usize, |index, (&size, &at)| {
            let size = usize::try_from(size).ok()?;
            if at < size { index.checked_mul(size)?.checked_add(at) } else { None }
        })?;
        let bytes =
            |index: usize| Some(index.checked_mul(self.size)?..index.checked_add(1)?.checked_mul(self.size)?);
        let from = self.stored.get(bytes(from)?)?;
        self.dense.get_mut(bytes(to)?)?.copy_from_slice(from);
        Some(())
    }
}

fn number(vector: &SparseIndexVector<'_>, i: usize) -> Option<usize> {
    usize::try_from(vector.get(i)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Model;
    use crate::tensor_type::UINT8;
    use crate::writer::{Level, ModelBuilder, Sparsity, SubGraph, Tensor};

    fn expanded(shape: &[i32], stored: &[u8], sparsity: Sparsity) -> Vec<u8> {
        let mut model = ModelBuilder::new();
        let buffer = model.buffer(stored.to_vec());
        let mut graph = SubGraph::new("main");
        graph.tensor(Tensor::new("p", UINT8, shape).buffer(buffer).sparse(sparsity));
        model.subgraph(graph);
        let bytes = model.finish();
        let model = Model::new(&bytes).unwrap();
        let tensor = model.subgraph(0).unwrap().tensors().get(0).unwrap();
        let mut dense = vec![0; shape.iter().product::<i32>() as usize];
        expand_sparse(&tensor.sparsity().unwrap(), shape, 1, stored, &mut dense).unwrap();
        dense
    }

    fn rows(segments: &[i32], indices: &[i32]) -> Level {
        Level::Sparse { segments: segments.to_vec(), indices: indices.to_vec() }
    }

    #[test]
    fn sparse_rows() {
        let levels = vec![Level::Dense(2), rows(&[0, 1, 3], &[2, 0, 3])];
        let sparsity = Sparsity { traversal_order: vec![0, 1], block_map: vec![], levels };
        assert_eq!(expanded(&[2, 4], &[5, 6, 7], sparsity), [0, 0, 5, 0, 6, 0, 0, 7]);
    }

    #[test]
    fn sparse_columns() {
        let levels = vec![Level::Dense(4), rows(&[0, 1, 1, 3, 3], &[1, 0, 1])];
        let sparsity = Sparsity { traversal_order: vec![1, 0], block_map: vec![], levels };
        assert_eq!(expanded(&[2, 4], &[5, 6, 7], sparsity), [0, 0, 6, 0, 5, 0, 7, 0]);
    }

    #[test]
    fn blocks_divide_dimensions() {
        // Rows of 2 × 2 blocks: the second block in the first row, the first block in the second row.
        let levels = vec![Level::Dense(2), rows(&[0, 1, 2], &[1, 0]), Level::Dense(2), Level::Dense(2)];
        let sparsity = Sparsity { traversal_order: vec![0, 1, 2, 3], block_map: vec![0, 1], levels };
        assert_eq!(
            expanded(&[4, 4], &[1, 2, 3, 4, 5, 6, 7, 8], sparsity),
            [0, 0, 1, 2, 0, 0, 3, 4, 5, 6, 0, 0, 7, 8, 0, 0]
        );
    }
}
