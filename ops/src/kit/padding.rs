//! Windows over one spatial axis: output size and padding.
//!
//! Defined by: tflite/kernels/padding.h.
//!
//! ```text
//! before   input            after        effective filter = (filter - 1) × dilation + 1
//! [0 0 | x x x x x x x x | 0 0 0]        SAME:  output = ceil(input / stride)
//!   └── filter ──┘→ stride               VALID: output = (input + stride - effective) / stride
//! ```

use arenite_abi::schema::padding;

arenite_abi::plain! {
    /// How a windowed op treats the border.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Padding {
        /// Zeros on both sides, so that stride 1 keeps the size; an odd one goes after the input.
        Same,
        /// No padding: all windows are inside the input.
        Valid,
    }
}

arenite_abi::plain! {
    /// A window that slides along one axis.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Window {
        /// The number of positions.
        pub output: i32,
        /// The number of zeros before the first element.
        pub before: i32,
        /// The number of zeros after the last element: `before` or one more.
        pub after: i32,
    }
}

impl Padding {
    /// The padding with this number in the schema, or `None` for an unknown number.
    pub const fn from_schema(number: i8) -> Option<Padding> {
        match number {
            padding::SAME => Some(Padding::Same),
            padding::VALID => Some(Padding::Valid),
            _ => None,
        }
    }

    /// The number of window positions along an axis.
    ///
    /// `None` for a negative input, for a filter, stride or dilation below one, and if the filter is so much larger
    /// than the input that the size would be negative or does not fit i32.
    pub fn output_size(self, input: i32, filter: i32, stride: i32, dilation: i32) -> Option<i32> {
        if input < 0 || filter <= 0 || stride <= 0 || dilation <= 0 {
            return None;
        }
        let (input, stride) = (i64::from(input), i64::from(stride));
        let size = match self {
            Padding::Same => (input + stride - 1) / stride,
            Padding::Valid => (input + stride - effective_filter(filter, dilation)?) / stride,
        };
        i32::try_from(size).ok().filter(|size| *size >= 0)
    }

    /// The output size and the padding of a window along an axis. `None` in the same cases as for
    /// [`Padding::output_size`].
    pub fn window(self, input: i32, filter: i32, stride: i32, dilation: i32) -> Option<Window> {
        let output = self.output_size(input, filter, stride, dilation)?;
        let (before, after) = padding_for(input, filter, stride, dilation, output)?;
        Some(Window { output, before, after })
    }
}

/// The zeros `(before, after)` that make `output` windows fit `input` (`ComputePaddingWithOffset`, whose offset is
/// `after - before`).
///
/// Transposed convolutions call it with the roles of input and output swapped. `None` for negative sizes, and for a
/// filter, stride or dilation below one.
pub fn padding_for(input: i32, filter: i32, stride: i32, dilation: i32, output: i32) -> Option<(i32, i32)> {
    if input < 0 || output < 0 || filter <= 0 || stride <= 0 || dilation <= 0 {
        return None;
    }
    let covered = (i64::from(output) - 1)
        .checked_mul(i64::from(stride))?
        .checked_add(effective_filter(filter, dilation)?)?;
    let total = (covered - i64::from(input)).max(0);
    let before = i32::try_from(total / 2).ok()?;
    Some((before, before.checked_add((total % 2) as i32)?))
}

fn effective_filter(filter: i32, dilation: i32) -> Option<i64> {
    (i64::from(filter) - 1).checked_mul(i64::from(dilation))?.checked_add(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows() {
        use Padding::{Same, Valid};
        // (padding, input, filter, stride, dilation) -> (output, before, after)
        let cases = [
            ((Same, 5, 3, 1, 1), (5, 1, 1)),
            ((Same, 5, 2, 1, 1), (5, 0, 1)),
            ((Same, 224, 3, 2, 1), (112, 0, 1)),
            ((Same, 225, 3, 2, 1), (113, 1, 1)),
            ((Same, 7, 3, 1, 2), (7, 2, 2)),
            ((Same, 4, 1, 2, 1), (2, 0, 0)),
            ((Same, 0, 3, 1, 1), (0, 1, 1)),
            ((Valid, 5, 3, 1, 1), (3, 0, 0)),
            ((Valid, 5, 3, 2, 1), (2, 0, 0)),
            ((Valid, 7, 3, 1, 2), (3, 0, 0)),
            // (2 + 4 - 5) / 4 = 0: no window fits.
            ((Valid, 2, 5, 4, 1), (0, 0, 0)),
        ];
        for ((padding, input, filter, stride, dilation), (output, before, after)) in cases {
            assert_eq!(
                padding.window(input, filter, stride, dilation),
                Some(Window { output, before, after }),
                "{padding:?} {input} {filter} {stride} {dilation}"
            );
        }
    }

    #[test]
    fn refusals() {
        for (input, filter, stride, dilation) in
            [(5, 0, 1, 1), (5, 3, 0, 1), (5, 3, 1, 0), (-1, 3, 1, 1), (5, 3, -1, 1)]
        {
            for padding in [Padding::Same, Padding::Valid] {
                assert_eq!(padding.window(input, filter, stride, dilation), None);
            }
        }
        assert_eq!(Padding::Valid.output_size(2, 9, 1, 1), None);
        assert_eq!(Padding::Valid.output_size(2, i32::MAX, 1, i32::MAX), None);
        assert_eq!(Padding::Same.window(9, i32::MAX, 1, i32::MAX), None);
        assert_eq!(Padding::from_schema(2), None);
    }

    #[test]
    fn transposed() {
        // TRANSPOSE_CONV SAME, stride 2, filter 3: 4 inputs give 8 outputs.
        assert_eq!(padding_for(8, 3, 2, 1, 4), Some((0, 1)));
    }
}
