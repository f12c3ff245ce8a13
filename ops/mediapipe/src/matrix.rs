//! Affine maps of the plane: the matrices `[1, 4, 4]` between the ops of this crate. Only the first two rows are used:
//!
//! ```text
//! x' = m00 x + m01 y + m03
//! y' = m10 x + m11 y + m13
//! ```

use arenite_abi::prelude::*;

/// Rows `[m00, m01, m02, m03]` of `x'` and of `y'`.
pub(crate) type Rows = [[f32; 4]; 2];

/// Checks that a tensor can be such a matrix.
///
/// # Errors
/// It is of another type or size.
pub(crate) fn expect(matrix: &TensorView<'_>) -> Result<()> {
    ensure!(
        matrix.ty == F32 && matrix.len() == 16,
        "the matrix {matrix} is {}{:?}; 16 elements of FLOAT32 are needed",
        matrix.ty,
        matrix.shape
    );
    Ok(())
}

/// The first two rows of a matrix.
///
/// # Errors
/// It has fewer elements.
pub(crate) fn rows(matrix: &TensorView<'_>) -> Result<Rows> {
    match matrix.as_slice::<f32>()?.as_chunks::<4>().0 {
        [x, y, ..] => Ok([*x, *y]),
        _ => Err(invalid!("the matrix {matrix} has {} elements; 16 are needed", matrix.len())),
    }
}

/// The image of a point.
pub(crate) fn map([to_x, to_y]: &Rows, x: f32, y: f32) -> [f32; 2] {
    [to_x, to_y].map(|row| row[0] * x + row[1] * y + row[3])
}
