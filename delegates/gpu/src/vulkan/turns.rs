//! How often a work-item goes round its loops: some drivers end them.
//!
//! Mesa's llvmpipe leaves all loops of a work-item after 65,535 turns in all, and results are wrong. What would take more is refused there.

/// Turns of a work-item that llvmpipe does; the last look of a loop counts, too.
const MOST: u64 = 0xffff;

/// How many turns this device does, if it ends loops.
pub fn most(device: &str) -> Option<u64> {
    device.contains("llvmpipe").then_some(MOST)
}

/// No more turns than these in a kernel with these numbers, which are those of its `Numbers` or `Window`.
pub fn of(kernel: &str, numbers: &[i32]) -> u64 {
    let n = |i: usize| numbers.get(i).map_or(0, |&n| u64::from(n.unsigned_abs()));
    // A loop looks once more than it goes round.
    let around = |times: u64, inner: u64| times.saturating_mul(inner.saturating_add(1)).saturating_add(1);
    match kernel {
        "conv_2d" | "transpose_conv" => around(n(8), around(n(9), around(n(3), 0))),
        "depthwise_conv_2d" | "pool_2d" => around(n(8), around(n(9), 0)),
        // A result that is scattered goes by elements: four rows of four.
        "batch_matmul" => around(n(2), 0) + 4 * around(4, 0),
        "product" => around(n(1), 0),
        // A group of eight slices: two loads of four, then eight slices.
        "tiled" => around(n(1).div_ceil(8), around(4, 0) + around(8, 0)),
        "reduce" => around(n(0), 0).saturating_add(around(n(2), around(n(1), 0) + around(n(3), 0))),
        "softmax" | "layer_norm" => 3 * around(n(1), 0),
        "elementwise" | "moves" => around(n(0), 0) + around(4, 0),
        "gather" => around(4, 0),
        // Lines of a tile, along both axes.
        "winograd_transform" | "winograd_inverse" => 2 * around(6, 2 * around(6, 0)),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_grow_with_what_a_work_item_adds() {
        let window =
            |in_slices, rows, columns| [1, 9, 9, in_slices, 9, 9, 1, 4, rows, columns, 1, 1, 1, 1, 0, 0];
        assert_eq!(of("conv_2d", &window(2, 1, 1)), 7, "2 + 1 of slices, each loop once more");
        assert_eq!(of("pool_2d", &window(2, 3, 3)), 3 * 5 + 1);
        let most = most("llvmpipe (LLVM 15.0.6, 256 bits)").expect("it ends loops");
        for (what, turns, is_done) in [
            ("a product of 4 × 65,000 channels", of("conv_2d", &window(65_000, 1, 1)), true),
            ("of 4 × 70,000", of("conv_2d", &window(70_000, 1, 1)), false),
            ("a mean of 256 × 256", of("pool_2d", &window(1, 256, 256)), false),
            ("a sum of 250 × 250", of("reduce", &[1, 2, 250, 250]), true),
            ("a sum of 256 × 256", of("reduce", &[1, 2, 256, 256]), false),
            ("a depth of 65,000", of("batch_matmul", &[1, 1, 65_000]), true),
            ("a depth of 65,536", of("batch_matmul", &[1, 1, 65_536]), false),
            ("rows of 4 × 21,000", of("softmax", &[1, 21_000]), true),
            ("rows of 4 × 22,000", of("layer_norm", &[1, 22_000]), false),
        ] {
            assert_eq!(turns <= most, is_done, "{what}: {turns}");
        }
        assert_eq!(self::most("NVIDIA H100"), None);
    }
}
