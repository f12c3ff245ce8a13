//! Tests the values of the functions.

use super::*;
use crate::kit::testing::elementwise::Case::*;
use crate::kit::testing::*;
use arenite_abi::prelude::*;
use arenite_abi::testing::Tensor;
use core::f64::consts::*;

const CASES: CaseTable<'_> = &[
    (
        op::<Add>(),
        &[
            RealPairs(&[(1.5, 2.0, 3.5), (-1.0, 1.0, 0.0), (INF, -INF, NAN), (NAN, 1.0, NAN)]),
            WholePairs(&[(5, 7, 12), (0, 3, 3)]),
            ExactPairs(I8, &[(127, 1, -128), (-5, 3, -2)]),
            ExactPairs(U8, &[(255, 2, 1)]),
            ComplexPairs(&[((1.0, 2.0), (-3.0, 0.5), (-2.0, 2.5))]),
        ],
    ),
    (
        op::<AddV2>(),
        &[
            RealPairs(&[(1.5, 2.0, 3.5), (-1.0, 1.0, 0.0), (INF, -INF, NAN), (NAN, 1.0, NAN)]),
            WholePairs(&[(5, 7, 12), (0, 3, 3)]),
            ExactPairs(I8, &[(127, 1, -128), (-5, 3, -2)]),
            ExactPairs(U8, &[(255, 2, 1)]),
            ComplexPairs(&[((1.0, 2.0), (-3.0, 0.5), (-2.0, 2.5))]),
        ],
    ),
    (
        op::<Atan2>(),
        &[RealPairs(&[
            (0.0, 1.0, 0.0),
            (1.0, 0.0, FRAC_PI_2),
            (1.0, 1.0, 0.75 * FRAC_PI_3),
            (-1.0, -1.0, -0.75 * PI),
            (0.0, -1.0, PI),
            (-0.0, -1.0, -PI),
            (INF, INF, 0.75 * FRAC_PI_3),
            (NAN, 1.0, NAN),
        ])],
    ),
    (
        op::<Div>(),
        &[
            RealPairs(&[
                (3.0, 2.0, 1.5),
                (-1.0, 4.0, -0.25),
                (1.0, 0.0, INF),
                (0.0, 0.0, NAN),
                (1.0, INF, 0.0),
            ]),
            WholePairs(&[(7, 2, 3), (6, 3, 2)]),
            ExactPairs(I8, &[(-7, 2, -3), (7, -2, -3)]),
            ComplexPairs(&[((5.0, 5.0), (3.0, -1.0), (1.0, 2.0)), ((1.0, 0.0), (0.0, 2.0), (0.0, -0.5))]),
        ],
    ),
    (
        op::<DivNoNan>(),
        &[
            RealPairs(&[(3.0, 2.0, 1.5), (1.0, 0.0, 0.0), (NAN, 0.0, 0.0), (INF, 0.0, 0.0), (NAN, 1.0, NAN)]),
            ComplexPairs(&[
                ((5.0, 5.0), (3.0, -1.0), (1.0, 2.0)),
                ((1.0, 0.0), (0.0, 2.0), (0.0, -0.5)),
                ((1.0, 2.0), (0.0, 0.0), (0.0, 0.0)),
            ]),
        ],
    ),
    (
        op::<FloorDiv>(),
        &[
            RealPairs(&[
                (7.0, 2.0, 3.0),
                (-7.0, 2.0, -4.0),
                (7.0, -2.0, -4.0),
                (-6.0, 3.0, -2.0),
                (1.0, 0.0, INF),
                (0.0, 0.0, NAN),
            ]),
            WholePairs(&[(7, 2, 3), (6, 3, 2)]),
            ExactPairs(I8, &[(-7, 2, -4), (7, -2, -4), (-7, -2, 3), (-6, 2, -3)]),
        ],
    ),
    (
        op::<FloorMod>(),
        &[
            RealPairs(&[
                (7.0, 3.0, 1.0),
                (-7.0, 3.0, 2.0),
                (7.0, -3.0, -2.0),
                (-7.0, -3.0, -1.0),
                (6.0, 3.0, 0.0),
                (5.5, 2.0, 1.5),
                (1.0, 0.0, NAN),
                (NAN, 1.0, NAN),
            ]),
            WholePairs(&[(7, 3, 1), (6, 3, 0)]),
            ExactPairs(I8, &[(-7, 3, 2), (7, -3, -2), (-7, -3, -1), (-6, 3, 0)]),
        ],
    ),
    (
        op::<Maximum>(),
        &[
            RealPairs(&[
                (1.0, 2.0, 2.0),
                (-1.0, -2.0, -1.0),
                (INF, 1.0, INF),
                (NAN, 1.0, NAN),
                (1.0, NAN, NAN),
            ]),
            WholePairs(&[(7, 5, 7), (3, 3, 3)]),
            ExactPairs(I8, &[(-128, 127, 127), (-3, -2, -2)]),
        ],
    ),
    (
        op::<Minimum>(),
        &[
            RealPairs(&[
                (1.0, 2.0, 1.0),
                (-1.0, -2.0, -2.0),
                (-INF, 1.0, -INF),
                (NAN, 1.0, NAN),
                (1.0, NAN, NAN),
            ]),
            WholePairs(&[(7, 5, 5), (3, 3, 3)]),
            ExactPairs(I8, &[(-128, 127, -128), (-3, -2, -3)]),
        ],
    ),
    (
        op::<Mod>(),
        &[
            RealPairs(&[
                (7.0, 3.0, 1.0),
                (-7.0, 3.0, -1.0),
                (7.0, -3.0, 1.0),
                (-7.0, -3.0, -1.0),
                (6.0, 3.0, 0.0),
                (5.5, 2.0, 1.5),
                (1.0, 0.0, NAN),
                (NAN, 1.0, NAN),
            ]),
            WholePairs(&[(7, 3, 1), (6, 3, 0)]),
            ExactPairs(I32, &[(-7, 3, -1), (7, -3, 1), (-6, 3, 0)]),
        ],
    ),
    (
        op::<Mul>(),
        &[
            RealPairs(&[(1.5, 2.0, 3.0), (-1.0, 3.0, -3.0), (INF, 0.0, NAN), (NAN, 1.0, NAN)]),
            WholePairs(&[(7, 5, 35), (3, 0, 0)]),
            ExactPairs(I8, &[(16, 16, 0), (-7, 3, -21)]),
            ComplexPairs(&[((1.0, 2.0), (3.0, -1.0), (5.0, 5.0)), ((0.0, 1.0), (0.0, 1.0), (-1.0, 0.0))]),
        ],
    ),
    (
        op::<MulNoNan>(),
        &[
            RealPairs(&[(1.5, 2.0, 3.0), (INF, 0.0, 0.0), (NAN, 0.0, 0.0), (0.0, INF, NAN), (NAN, 1.0, NAN)]),
            ComplexPairs(&[((1.0, 2.0), (3.0, -1.0), (5.0, 5.0)), ((NAN, 0.0), (0.0, 0.0), (0.0, 0.0))]),
        ],
    ),
    (
        op::<Pow>(),
        &[
            RealPairs(&[
                (2.0, 3.0, 8.0),
                (4.0, 0.5, 2.0),
                (-2.0, 3.0, -8.0),
                (-2.0, 0.5, NAN),
                (0.0, 0.0, 1.0),
                (NAN, 0.0, 1.0),
                (1.0, NAN, 1.0),
                (2.0, -INF, 0.0),
                (0.0, -1.0, INF),
            ]),
            WholePairs(&[(3, 4, 81), (2, 0, 1), (0, 0, 1)]),
            ExactPairs(I8, &[(-2, 3, -8), (2, 7, -128), (2, 8, 0)]),
            ComplexPairs(&[
                ((0.0, 1.0), (2.0, 0.0), (-1.0, 0.0)),
                ((1.0, 1.0), (2.0, 0.0), (0.0, 2.0)),
                ((0.0, 0.0), (2.0, 0.0), (0.0, 0.0)),
                ((0.0, 0.0), (-1.0, 0.0), (INF, NAN)),
                ((0.0, 0.0), (0.0, 0.0), (NAN, NAN)),
            ]),
        ],
    ),
    (
        op::<RealDiv>(),
        &[
            RealPairs(&[
                (3.0, 2.0, 1.5),
                (-1.0, 4.0, -0.25),
                (1.0, 0.0, INF),
                (0.0, 0.0, NAN),
                (1.0, INF, 0.0),
            ]),
            ComplexPairs(&[((5.0, 5.0), (3.0, -1.0), (1.0, 2.0)), ((1.0, 0.0), (0.0, 2.0), (0.0, -0.5))]),
        ],
    ),
    (
        op::<SquaredDifference>(),
        &[
            RealPairs(&[(3.0, 1.0, 4.0), (-1.0, 1.5, 6.25), (INF, INF, NAN), (NAN, 1.0, NAN)]),
            WholePairs(&[(7, 5, 4), (3, 3, 0), (1, 4, 9)]),
            ExactPairs(I32, &[(2147483647, -1, 0)]),
            ComplexPairs(&[((4.0, 2.0), (1.0, -2.0), (25.0, 0.0))]),
        ],
    ),
    (
        op::<Sub>(),
        &[
            RealPairs(&[(1.5, 2.0, -0.5), (-1.0, 1.0, -2.0), (INF, INF, NAN), (NAN, 1.0, NAN)]),
            WholePairs(&[(7, 5, 2), (3, 3, 0)]),
            ExactPairs(I8, &[(-128, 1, 127)]),
            ExactPairs(U8, &[(1, 2, 255)]),
            ComplexPairs(&[((1.0, 2.0), (-3.0, 0.5), (4.0, 1.5))]),
        ],
    ),
    (
        op::<TruncateDiv>(),
        &[
            RealPairs(&[
                (7.0, 2.0, 3.0),
                (-7.0, 2.0, -3.0),
                (7.0, -2.0, -3.0),
                (-6.0, 3.0, -2.0),
                (1.0, 0.0, INF),
                (0.0, 0.0, NAN),
            ]),
            WholePairs(&[(7, 2, 3), (6, 3, 2)]),
            ExactPairs(I8, &[(-7, 2, -3), (7, -2, -3), (-7, -2, 3)]),
        ],
    ),
    (
        op::<TruncateMod>(),
        &[
            RealPairs(&[
                (7.0, 3.0, 1.0),
                (-7.0, 3.0, -1.0),
                (7.0, -3.0, 1.0),
                (-7.0, -3.0, -1.0),
                (6.0, 3.0, 0.0),
                (5.5, 2.0, 1.5),
                (1.0, 0.0, NAN),
                (NAN, 1.0, NAN),
            ]),
            WholePairs(&[(7, 3, 1), (6, 3, 0)]),
            ExactPairs(I32, &[(-7, 3, -1), (7, -3, 1), (-6, 3, 0)]),
        ],
    ),
    (
        op::<Xdivy>(),
        &[
            RealPairs(&[(3.0, 2.0, 1.5), (0.0, 0.0, 0.0), (0.0, NAN, 0.0), (1.0, 0.0, INF), (NAN, 1.0, NAN)]),
            ComplexPairs(&[
                ((5.0, 5.0), (3.0, -1.0), (1.0, 2.0)),
                ((1.0, 0.0), (0.0, 2.0), (0.0, -0.5)),
                ((0.0, 0.0), (0.0, 0.0), (0.0, 0.0)),
            ]),
        ],
    ),
    (
        op::<Xlog1py>(),
        &[
            RealPairs(&[
                (3.0, 1.0, 3.0 * LN_2),
                (0.0, -1.0, 0.0),
                (0.0, NAN, 0.0),
                (1.0, -1.0, -INF),
                (1.0, -2.0, NAN),
            ]),
            ComplexPairs(&[
                ((0.0, 2.0), (-2.0, 0.0), (-2.0 * PI, 0.0)),
                ((0.0, 2.0), (-2.0, -0.0), (2.0 * PI, 0.0)),
                ((0.0, 0.0), (-1.0, 0.0), (0.0, 0.0)),
            ]),
        ],
    ),
    (
        op::<Xlogy>(),
        &[
            RealPairs(&[
                (3.0, 2.0, 3.0 * LN_2),
                (0.0, 0.0, 0.0),
                (0.0, NAN, 0.0),
                (1.0, 0.0, -INF),
                (1.0, -1.0, NAN),
            ]),
            ComplexPairs(&[
                ((0.0, 2.0), (-1.0, 0.0), (-2.0 * PI, 0.0)),
                ((0.0, 0.0), (0.0, 0.0), (0.0, 0.0)),
            ]),
        ],
    ),
];

#[test]
fn values() {
    check(NAMES, CASES);
}

#[test]
fn strings_are_concatenated() {
    let (a, b) = (Tensor::strings(&[2, 1], &["a", "bc"]), Tensor::strings(&[3], &["x", "", "yz"]));
    let joined = one::<Add>(&[], &[a.clone(), b.clone()], ElementType::String);
    assert_eq!(joined.shape(), [2, 3]);
    assert_eq!(joined.as_strings(), ["ax", "a", "ayz", "bcx", "bc", "bcyz"]);
    let none = one::<Add>(&[], &[a, Tensor::strings::<&str>(&[0], &[])], ElementType::String);
    assert_eq!(none.shape(), [2, 0]);
}

#[test]
fn integer_errors() {
    let pair = |a, b| [Tensor::i32(&[1], &[a]), Tensor::i32(&[1], &[b])];
    for op in [
        op::<Div>(),
        op::<FloorDiv>(),
        op::<FloorMod>(),
        op::<Mod>(),
        op::<TruncateDiv>(),
        op::<TruncateMod>(),
    ] {
        assert_eq!(op.refusal(&[], &pair(7, 0), &[I32]), "the integer 7 is divided by zero", "{}", op.name);
    }
    let message = "the integer 2 is raised to the power -1, which is negative";
    assert_eq!(op::<Pow>().refusal(&[], &pair(2, -1), &[I32]), message);
}
