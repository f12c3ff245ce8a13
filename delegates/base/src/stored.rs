//! Weights of `f32` layers as a model stores them: in full or half precision, or as bytes with scales. Packing reads
//! them through this type, so no copy of a whole tensor is made.

use half::f16;

/// Constant weights.
#[derive(Clone, Copy, Debug)]
pub enum Stored<'a> {
    /// In full precision.
    F32(&'a [f32]),
    /// Half of their bytes.
    F16(&'a [f16]),
    /// A quarter: `scales[i / inner % scales.len()] · bytes[i]`.
    I8 {
        /// The numbers.
        bytes: &'a [i8],
        /// One, or one per slice of a dimension.
        scales: &'a [f32],
        /// Elements side by side that share a scale.
        inner: usize,
    },
}

/// StoredRows of weights.
#[derive(Clone, Copy, Debug)]
pub struct StoredRows {
    /// The first element.
    pub first: usize,
    /// Elements from one row to the next.
    pub stride: usize,
    /// Number of rows.
    pub count: usize,
    /// Elements of a row.
    pub len: usize,
}

impl<'a> Stored<'a> {
    /// Number of elements.
    pub fn len(&self) -> usize {
        match self {
            Stored::F32(values) => values.len(),
            Stored::F16(values) => values.len(),
            Stored::I8 { bytes, .. } => bytes.len(),
        }
    }

    /// Whether [`len`](Self::len) is 0.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The rows as `f32`, and the distance from one row to the next. Rows in full precision are borrowed; others are
    /// converted into `room`. `halves` converts half precision.
    pub fn rows<'r>(
        &self,
        rows: StoredRows,
        halves: impl Fn(&[f16], &mut [f32]),
        room: &'r mut Vec<f32>,
    ) -> (&'r [f32], usize)
    where
        'a: 'r,
    {
        let StoredRows { first, stride, count, len } = rows;
        if let Stored::F32(values) = self {
            return (&values[first..], stride);
        }
        room.resize(count * len, 0.0);
        for (i, row) in room.chunks_exact_mut(len.max(1)).enumerate() {
            self.widen(first + i * stride, &halves, row);
        }
        (room, len)
    }

    /// All elements as `f32`, as [`rows`](Self::rows).
    pub fn all<'r>(&self, halves: impl Fn(&[f16], &mut [f32]), room: &'r mut Vec<f32>) -> &'r [f32]
    where
        'a: 'r,
    {
        let len = self.len();
        self.rows(StoredRows { first: 0, stride: len, count: 1, len }, halves, room).0
    }

    /// Converts elements from index `first`.
    fn widen(&self, first: usize, halves: &impl Fn(&[f16], &mut [f32]), to: &mut [f32]) {
        match *self {
            Stored::F32(values) => to.copy_from_slice(&values[first..][..to.len()]),
            Stored::F16(values) => halves(&values[first..][..to.len()], to),
            Stored::I8 { bytes, scales, inner } => {
                let scale = |i: usize| scales[i / inner % scales.len()];
                let whole =
                    scales.len() == 1 || first / inner == (first + to.len()).saturating_sub(1) / inner;
                let bytes = bytes[first..][..to.len()].iter().zip(to);
                match whole {
                    true => bytes.for_each(|(&x, y)| *y = scale(first) * f32::from(x)),
                    false => bytes.enumerate().for_each(|(i, (&x, y))| *y = scale(first + i) * f32::from(x)),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn halves(from: &[f16], to: &mut [f32]) {
        from.iter().zip(to).for_each(|(from, to)| *to = from.to_f32());
    }

    #[test]
    fn rows_are_read_where_they_are_or_widened() {
        let values: Vec<f32> = (0..60).map(|i| i as f32 / 4.0).collect();
        let short: Vec<f16> = values.iter().map(|&x| f16::from_f32(x)).collect();
        let bytes: Vec<i8> = (0..60).collect();
        for stored in [
            Stored::F32(&values),
            Stored::F16(&short),
            Stored::I8 { bytes: &bytes, scales: &[0.25], inner: 60 },
            Stored::I8 { bytes: &bytes, scales: &[0.25; 5], inner: 12 },
        ] {
            let mut room = Vec::new();
            let (rows, stride) =
                stored.rows(StoredRows { first: 7, stride: 11, count: 3, len: 9 }, halves, &mut room);
            for (i, j) in (0..3).flat_map(|i| (0..9).map(move |j| (i, j))) {
                assert_eq!(rows[i * stride + j], values[7 + 11 * i + j], "{stored:?}");
            }
            assert_eq!(stored.all(halves, &mut room), values);
        }
    }

    #[test]
    fn bytes_have_the_scale_of_their_slice() {
        // A dimension of three between dimensions of two.
        let (bytes, scales) = ([1i8; 12], [1.0, 2.0, 3.0]);
        let stored = Stored::I8 { bytes: &bytes, scales: &scales, inner: 2 };
        let mut room = Vec::new();
        assert_eq!(stored.all(halves, &mut room), [1., 1., 2., 2., 3., 3., 1., 1., 2., 2., 3., 3.]);
    }
}
