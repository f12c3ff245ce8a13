//! The matrices of batched products, and the first elements of matrices. Strides describe them instead of tables.

/// The matrices of two operands for each product; batches broadcast.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Batches {
    /// Dimensions of the batch, outermost first: the size, and the strides of both operands in matrices.
    dims: Vec<(usize, [usize; 2])>,
    /// The number of matrices of both operands.
    matrices: [usize; 2],
}

impl Batches {
    /// A single product.
    pub fn one() -> Batches {
        Batches { dims: Vec::new(), matrices: [1, 1] }
    }

    /// The products of `batch`, to which `a` and `b` broadcast; `None` if they do not.
    pub fn new(a: &[usize], b: &[usize], batch: &[usize]) -> Option<Batches> {
        if a.len() > batch.len() || b.len() > batch.len() {
            return None;
        }
        let mut batches = Batches::one();
        for (i, &size) in batch.iter().rev().enumerate() {
            let of = |shape: &[usize]| shape.len().checked_sub(i + 1).map_or(1, |i| shape[i]);
            let sizes = [of(a), of(b)];
            if sizes.iter().any(|&s| s != size && s != 1) {
                return None;
            }
            let step = |o: usize| if sizes[o] == size { batches.matrices[o] } else { 0 };
            batches.dims.push((size, [step(0), step(1)]));
            (0..2).for_each(|o| batches.matrices[o] *= sizes[o]);
        }
        batches.dims.reverse();
        Some(batches)
    }

    /// The number of products.
    #[inline]
    pub fn count(&self) -> usize {
        self.dims.iter().map(|(size, _)| size).product()
    }

    /// The number of matrices of an operand.
    #[inline]
    pub fn matrices(&self, operand: usize) -> usize {
        self.matrices[operand]
    }

    /// The matrices of both operands for a product.
    #[inline]
    pub fn of(&self, product: usize) -> [usize; 2] {
        let (mut rest, mut at) = (product, [0, 0]);
        for (size, steps) in self.dims.iter().rev() {
            (0..2).for_each(|o| at[o] += rest % size * steps[o]);
            rest /= size;
        }
        at
    }
}

/// The first elements of matrices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Starts {
    /// A number of matrices with a constant stride.
    Even {
        /// The number of matrices.
        count: usize,
        /// The stride in elements.
        step: usize,
    },
    /// A list.
    Listed(Vec<usize>),
}

impl Starts {
    /// The number of matrices.
    #[inline]
    pub fn count(&self) -> usize {
        match self {
            Starts::Even { count, .. } => *count,
            Starts::Listed(list) => list.len(),
        }
    }

    /// The first element of a matrix.
    #[inline]
    pub fn of(&self, matrix: usize) -> usize {
        match self {
            Starts::Even { step, .. } => matrix * step,
            Starts::Listed(list) => list[matrix],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_broadcast() {
        let all = |a: &[usize], b: &[usize], batch: &[usize]| {
            let batches = Batches::new(a, b, batch)?;
            Some((0..batches.count()).map(|i| batches.of(i)).collect::<Vec<_>>())
        };
        assert_eq!(all(&[], &[], &[]), Some(vec![[0, 0]]));
        assert_eq!(all(&[2], &[2], &[2]), Some(vec![[0, 0], [1, 1]]));
        assert_eq!(all(&[2, 1], &[3], &[2, 3]), Some(vec![[0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [1, 2]]));
        assert_eq!(all(&[2], &[3], &[3]), None);
        assert_eq!(all(&[1, 2], &[2], &[2]), None);
        assert_eq!(
            Batches::new(&[2, 1], &[3], &[2, 3]).map(|b| [b.matrices(0), b.matrices(1)]),
            Some([2, 3])
        );
    }
}
