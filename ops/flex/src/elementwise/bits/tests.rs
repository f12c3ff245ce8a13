//! Tests the values of the functions.

use super::*;
use crate::kit::testing::elementwise::Case::*;
use crate::kit::testing::*;
use arenite_abi::prelude::*;

const CASES: CaseTable<'_> = &[
    (
        op::<BitwiseAnd>(),
        &[
            WholePairs(&[(12, 10, 8), (5, 0, 0), (127, 85, 85)]),
            ExactPairs(I8, &[(-1, 6, 6), (-128, 127, 0)]),
            ExactPairs(U64, &[(9223372036854775808, 9223372036854775809, 9223372036854775808)]),
        ],
    ),
    (
        op::<BitwiseOr>(),
        &[
            WholePairs(&[(12, 10, 14), (5, 0, 5), (127, 85, 127)]),
            ExactPairs(I8, &[(-1, 6, -1), (-128, 127, -1)]),
            ExactPairs(U64, &[(9223372036854775808, 9223372036854775809, 9223372036854775809)]),
        ],
    ),
    (
        op::<BitwiseXor>(),
        &[
            WholePairs(&[(12, 10, 6), (5, 0, 5), (127, 85, 42)]),
            ExactPairs(I8, &[(-1, 6, -7), (-128, 127, -1)]),
            ExactPairs(U64, &[(9223372036854775808, 9223372036854775809, 1)]),
        ],
    ),
    (
        op::<LeftShift>(),
        &[
            WholePairs(&[(1, 4, 16), (3, 1, 6), (5, 0, 5)]),
            ExactPairs(I8, &[(1, 7, -128), (1, 99, -128), (3, -1, 3), (-3, 2, -12)]),
            ExactPairs(U8, &[(255, 4, 240)]),
            ExactPairs(I32, &[(1, 40, -2147483648)]),
        ],
    ),
    (
        op::<LogicalAnd>(),
        &[BoolPairs(&[
            (true, true, true),
            (true, false, false),
            (false, true, false),
            (false, false, false),
        ])],
    ),
    (
        op::<LogicalOr>(),
        &[BoolPairs(&[(true, true, true), (true, false, true), (false, true, true), (false, false, false)])],
    ),
    (
        op::<RightShift>(),
        &[
            WholePairs(&[(16, 4, 1), (7, 1, 3), (5, 0, 5)]),
            ExactPairs(I8, &[(-128, 7, -1), (-7, 1, -4), (64, 99, 0), (3, -1, 3)]),
            ExactPairs(U8, &[(255, 4, 15), (255, 9, 1)]),
        ],
    ),
];

#[test]
fn values() {
    check(NAMES, CASES);
}
