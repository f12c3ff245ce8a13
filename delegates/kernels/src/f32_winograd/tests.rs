//! Compares a tile after all three transforms of each member with the plain convolution of that tile.

use proptest::prelude::*;

use super::*;
use crate::family::available;

proptest! {
    #[test]
    fn a_tile_is_its_convolution(
        channels in 1usize..40,
        values in prop::collection::vec(-1.0f32..1.0, 36 * 40),
        filter in prop::collection::vec(-1.0f32..1.0, 9),
        rows in 1usize..5,
        columns in 1usize..5,
        bias in -1.0f32..1.0,
    ) {
        let filter: [f32; 9] = filter.try_into().unwrap();
        for w in available(TABLE).flat_map(|member| &member.sizes) {
            check(w, channels, &values, &filter, [rows.min(w.m), columns.min(w.m)], bias)?;
        }
    }
}

/// The largest error allowed: eight times the largest found in random tiles. The absolute row sums of the matrices of
/// 4 × 4 tiles (10 for inputs, 1 for filters, 19 for outputs, each applied twice) allow rounding errors above 1e-3. A
/// wrong coefficient is off by more than 0.01.
const TOLERANCE: f32 = 2e-4;

/// Each channel is filtered separately, with the same filter.
fn check(
    w: &Winograd,
    channels: usize,
    values: &[f32],
    filter: &[f32; 9],
    size: [usize; 2],
    bias: f32,
) -> Result<(), TestCaseError> {
    let alpha = w.alpha();
    let pixels: Vec<*const f32> = (0..alpha * alpha).map(|i| values[i * channels..].as_ptr()).collect();
    let stride = channels + 5;
    let mut v = vec![0.0f32; alpha * alpha * stride];
    // SAFETY: the machine can run the member; the vectors have the lengths that the transform reads and writes.
    unsafe { (w.input)(channels, pixels.as_ptr(), v.as_mut_ptr(), stride) };
    // SAFETY: the machine can run the member; the arrays have the size of the type.
    let u = unsafe { (w.filters)(&filter.map(|tap| [tap; FILTERS])) };
    for (line, u) in v.chunks_exact_mut(stride).zip(&u) {
        line.iter_mut().for_each(|x| *x *= u[FILTERS - 1]);
    }
    let row = w.m * channels + 3;
    let mut y = vec![f32::NAN; w.m * row];
    let output = Output {
        channels,
        p: v.as_ptr(),
        stride,
        bias: vec![bias; channels].leak().as_ptr(),
        y: y.as_mut_ptr(),
        row,
        size,
        low: -3.0,
        high: 3.0,
    };
    // SAFETY: the machine can run the member; `v` has a row of `stride` sums per product, `bias` has `channels`
    // numbers, and `y` has `m` rows.
    unsafe { (w.output)(&output) };
    for i in 0..w.m {
        for j in 0..w.m {
            for c in 0..channels {
                let got = y[i * row + j * channels + c];
                if i >= size[0] || j >= size[1] {
                    prop_assert!(got.is_nan(), "{} wrote outside the tile", w.name);
                    continue;
                }
                let tap = |k: usize| values[((i + k / 3) * alpha + j + k % 3) * channels + c] * filter[k];
                let want = ((0..9).map(tap).sum::<f32>() + bias).clamp(-3.0, 3.0);
                prop_assert!((got - want).abs() < TOLERANCE, "{} ({i}, {j}, {c}): {got}, not {want}", w.name);
            }
        }
    }
    Ok(())
}
