//! MatrixSetDiagV3: matrices with other elements in diagonals. Any type.
//! Defined by: tensorflow/core/kernels/linalg/matrix_set_diag_op.cc.

use crate::kit::diagonal::{Diagonal, Kind, Member};
use crate::kit::kernel::Node;

/// The op.
pub type MatrixSetDiagV3 = Node<Diagonal<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexMatrixSetDiagV3";
    const KIND: Kind = Kind::Set;
}

#[cfg(test)]
mod tests {
    use super::MatrixSetDiagV3;
    use crate::kit::testing::cases::*;

    #[test]
    fn values() {
        let x = (&[2, 3][..], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0][..]);
        let set = |attributes: &[_], x: (&[i32], &[f64]), band: (&[i32], &[f64]), k: &[i32], want: &[f64]| {
            for &ty in &[U8, I32, I64, F16, F32, F64, C64] {
                let inputs = [of(ty, x.0, x.1), of(ty, band.0, band.1), list(k)];
                gives::<MatrixSetDiagV3>(attributes, &inputs, &[of(ty, x.0, want)]);
            }
        };
        set(&[], x, (&[2], &[8.0, 9.0]), &[0], &[8.0, 2.0, 3.0, 4.0, 9.0, 6.0]);
        set(&[], x, (&[2], &[8.0, 9.0]), &[1], &[1.0, 8.0, 3.0, 4.0, 5.0, 9.0]);
        set(&[], x, (&[1], &[8.0]), &[-1], &[1.0, 2.0, 3.0, 8.0, 5.0, 6.0]);
        set(&[], (&[2, 1, 1], &[1.0, 2.0]), (&[2, 1], &[8.0, 9.0]), &[0], &[8.0, 9.0]);
        set(&[], (&[0, 3], &[]), (&[0], &[]), &[0], &[]);
        // Of the lower diagonal 7, 8 the first one or the last one counts.
        let band = (&[2, 2][..], &[5.0, 6.0, 7.0, 8.0][..]);
        for (align, lower) in
            [("RIGHT_LEFT", 7.0), ("RIGHT_RIGHT", 8.0), ("LEFT_RIGHT", 8.0), ("LEFT_LEFT", 7.0)]
        {
            let want = [5.0, 2.0, 3.0, lower, 6.0, 6.0];
            set(&[("align", Text(align))], x, band, &[-1, 0], &want);
        }
        // Of the upper one.
        for (align, upper) in
            [("RIGHT_LEFT", 8.0), ("RIGHT_RIGHT", 8.0), ("LEFT_RIGHT", 7.0), ("LEFT_LEFT", 7.0)]
        {
            let band = (&[2, 2][..], &[7.0, 8.0, 5.0, 6.0][..]);
            let want = [1.0, 5.0, upper, 4.0, 5.0, 6.0];
            set(&[("align", Text(align))], x, band, &[1, 2], &want);
        }
    }

    #[test]
    fn refusals() {
        let refused = |band: &[i32], k: Tensor, message: &str| {
            let zeros = |shape: &[i32]| of(F32, shape, &vec![0.0; shape.iter().product::<i32>() as usize]);
            refuses::<MatrixSetDiagV3>(&[], &[zeros(&[2, 3]), zeros(band), k], &[F32], message);
        };
        refused(&[3], int(0), "diagonals are [3]; a matrix of 2 by 3 needs [2]");
        refused(&[2], list(&[0, 1]), "diagonals are [2]; a matrix of 2 by 3 needs [2, 2]");
        refused(&[1], int(3), "diagonals 3..=3 do not lie in a matrix of 2 by 3");
        refused(&[2], list(&[]), "diagonals are []; one or two in ascending order are needed");
    }
}
