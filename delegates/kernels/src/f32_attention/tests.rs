use proptest::prelude::*;

use super::*;
use crate::family::available;
use crate::random::values;

/// Products by plain code; element `(k, j)` of the matrix is `b[k · by_k + j · by_j]`.
fn expected(a: &[f32], b: &[f32], [depth, columns]: [usize; 2], [by_k, by_j]: [usize; 2]) -> Vec<f64> {
    let product = |j: usize| (0..depth).map(|k| f64::from(a[k]) * f64::from(b[k * by_k + j * by_j])).sum();
    (0..columns).map(product).collect()
}

proptest! {
    #[test]
    fn every_member_multiplies(
        depth in 1usize..90, columns in 1usize..90, more in 0usize..9, seed: u64, adds: bool, same: bool,
    ) {
        let stride = depth.max(columns) + more;
        let b = values(seed, stride * depth.max(columns));
        let rows: Vec<Vec<f32>> = (0..ROWS as u64).map(|r| values(seed ^ (r + 1), depth)).collect();
        for member in available(TABLE) {
            for (by, many, one) in [
                ([1, stride], member.dots, member.dots_of_one),
                ([stride, 1], member.mix, member.mix_of_one),
            ] {
                let adds = adds && by[1] == 1;
                for (count, kernel) in [(ROWS, many), (1, one)] {
                    let mut c: Vec<Vec<f32>> = (0..ROWS).map(|r| vec![r as f32; columns + 1]).collect();
                    let from = |r: usize| if same { r / 2 * 2 } else { r };
                    let tile = Tile {
                        a: std::array::from_fn(|r| rows[from(r)].as_ptr()),
                        c: std::array::from_fn(|r| c[from(r)].as_mut_ptr()),
                        b: b.as_ptr(),
                        b_row: stride,
                        depth,
                        columns,
                        adds,
                    };
                    // SAFETY: the machine can run the member; the lengths match the vectors.
                    unsafe { kernel(&tile) };
                    for r in (0..count).filter(|&r| from(r) == r) {
                        for (j, want) in expected(&rows[r], &b, [depth, columns], by).into_iter().enumerate() {
                            let want = want + if adds { r as f64 } else { 0.0 };
                            let close = (f64::from(c[r][j]) - want).abs() < 1e-4 * depth as f64;
                            prop_assert!(close, "{} {by:?} {r} {j}: {}, not {want}", member.name, c[r][j]);
                        }
                        prop_assert_eq!(c[r][columns], r as f32, "{} wrote past the end", member.name);
                    }
                }
            }
        }
    }

    #[test]
    fn every_member_shifts(n in 1usize..100, seed: u64, scale in -2.0f32..2.0) {
        let (x, mask) = (values(seed, n), values(seed ^ 7, n));
        for member in available(TABLE) {
            let mut y = [&x[..], &[7.0]].concat();
            let clamp = Clamp { low: -0.5, high: 0.9 };
            // SAFETY: the machine can run the member; the lengths match the vectors.
            unsafe { (member.shift)(n, y.as_mut_ptr(), scale, mask.as_ptr(), clamp) };
            for i in 0..n {
                let want = (x[i] * scale + mask[i]).clamp(-0.5, 0.9);
                prop_assert!((y[i] - want).abs() < 1e-5, "{} {i}", member.name);
            }
            prop_assert_eq!(y[n], 7.0);
        }
    }

    #[test]
    fn every_member_finds_what_is_visible(n in 1usize..300, a: prop::sample::Index, b: prop::sample::Index, kind in 0usize..4) {
        let (first, last) = (a.index(n).min(b.index(n)), a.index(n).max(b.index(n)));
        let hidden = [f32::NEG_INFINITY, f32::MIN, -1e9, -1e30][kind];
        let shown = [0.0, f32::NAN, -1e8, 3.0][kind];
        let mut mask = vec![hidden; n];
        (mask[first], mask[last]) = (shown, shown);
        for member in available(TABLE) {
            // SAFETY: the machine can run the member; the length matches the vector.
            prop_assert_eq!(unsafe { (member.visible)(n, mask.as_ptr()) }, (first, last + 1), "{}", member.name);
            let all = vec![hidden; n];
            // SAFETY: the machine can run the member; the length matches the vector.
            prop_assert_eq!(unsafe { (member.visible)(n, all.as_ptr()) }, (n, 0), "{}", member.name);
        }
    }
}
