//! Tests the values of the functions.

use super::*;
use crate::kit::testing::elementwise::Case::*;
use crate::kit::testing::*;

/// Pairs with the results of an op.
const fn pairs(results: [bool; 8]) -> [(f64, f64, bool); 8] {
    let [r0, r1, r2, r3, r4, r5, r6, r7] = results;
    [
        (1.0, 2.0, r0),
        (2.0, 1.0, r1),
        (3.0, 3.0, r2),
        (-1.0, 0.0, r3),
        (0.0, -0.0, r4),
        (-INF, INF, r5),
        (NAN, NAN, r6),
        (NAN, 1.0, r7),
    ]
}

const CASES: CaseTable<'_> = &[
    (op::<Equal>(), &[Comparisons(&pairs([false, false, true, false, true, false, false, false]))]),
    (op::<Greater>(), &[Comparisons(&pairs([false, true, false, false, false, false, false, false]))]),
    (op::<GreaterEqual>(), &[Comparisons(&pairs([false, true, true, false, true, false, false, false]))]),
    (op::<Less>(), &[Comparisons(&pairs([true, false, false, true, false, true, false, false]))]),
    (op::<LessEqual>(), &[Comparisons(&pairs([true, false, true, true, true, true, false, false]))]),
    (op::<NotEqual>(), &[Comparisons(&pairs([true, true, false, true, false, true, true, true]))]),
];

#[test]
fn values() {
    check(NAMES, CASES);
}
