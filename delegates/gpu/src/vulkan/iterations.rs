//! Iterations of a work-item's loops: llvmpipe ends them early.
//!
//! Mesa's llvmpipe leaves all loops of a work-item after 65,535 iterations in total and returns wrong results. Such a
//! launch is an error.
//!
//! Loops are declared with their kernel in `kernels.rs`. A kernel that has loops in its text but not in its declaration
//! is an error on every device, and fails a test.

use arenite_abi::prelude::*;

use super::kernels::Text;
use crate::kernels::KernelName;

/// Iterations that llvmpipe executes; the last comparison of a loop counts, too.
const MOST: u64 = 0xffff;

/// How many iterations this device executes, if it ends loops.
pub(super) fn most(device: &str) -> Option<u64> {
    device.contains("llvmpipe").then_some(MOST)
}

/// An error if the text has loops but the declaration does not.
pub(super) fn expect_declared(kernel: KernelName, text: &Text, iterations: u64) -> Result<()> {
    ensure!(
        iterations > 0 || text.loops == 0,
        "the kernel '{kernel}' has {} loops in its text and declares none; declare them in kernels.rs",
        text.loops
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::kernels::TEXTS;
    use super::*;
    use crate::kernels::{
        BatchMatmul, Call, Conv2d, DepthwiseConv2d, Folding, LayerNorm, Matrices, MultipliedWindow,
        NormalizedRows, Numbers as _, Pool2d, Reduce, Rows, Softmax, SoftmaxRows, TransposeConv, Window,
    };

    fn iterations(call: impl Into<Call<()>>) -> u64 {
        call.into().iterations
    }

    #[test]
    fn iterations_grow_with_what_a_work_item_adds() {
        let (from, weights, bias) = ((), (), ());
        let window =
            |in_slices, tap_rows, tap_columns| Window { in_slices, tap_rows, tap_columns, ..Window::ones() };
        let conv = |numbers| iterations(Conv2d { from, weights, bias, numbers });
        let pool = |numbers| iterations(Pool2d { from, numbers });
        let depthwise = |window| {
            let numbers = MultipliedWindow { window, multiplier: 1 };
            iterations(DepthwiseConv2d { from, weights, bias, numbers })
        };
        let sum = |lines, size| {
            let numbers = Folding { kept: 1, folded: 2, lines, size, ..Folding::ones() };
            iterations(Reduce { from, dims: (), numbers })
        };
        let product = |depth| {
            let numbers = Matrices { depth, ..Matrices::ones() };
            iterations(BatchMatmul { a: (), b: (), starts: (), bias, numbers })
        };
        let rows = |slices| Rows { slices, ..Rows::ones() };
        let softmax =
            |slices| iterations(Softmax { from, numbers: SoftmaxRows { rows: rows(slices), beta_bits: 0 } });
        let norm = |slices| {
            let numbers = NormalizedRows { rows: rows(slices), epsilon_bits: 0 };
            iterations(LayerNorm { from, gamma: (), beta: (), numbers })
        };
        assert_eq!(conv(window(2, 1, 1)), 7, "2 + 1 of slices, each loop once more");
        assert_eq!(pool(window(2, 3, 3)), 3 * 5 + 1);
        let most = most("llvmpipe (LLVM 15.0.6, 256 bits)").expect("it ends loops");
        let transposed = iterations(TransposeConv { from, weights, bias, numbers: window(70_000, 1, 1) });
        for (what, iterations, is_done) in [
            ("a product of 4 × 65,000 channels", conv(window(65_000, 1, 1)), true),
            ("of 4 × 70,000", conv(window(70_000, 1, 1)), false),
            ("transposed, of 4 × 70,000", transposed, false),
            ("a mean of 256 × 256", pool(window(1, 256, 256)), false),
            ("channels of 256 × 256", depthwise(window(1, 256, 256)), false),
            ("a sum of 250 × 250", sum(250, 250), true),
            ("a sum of 256 × 256", sum(256, 256), false),
            ("a depth of 65,000", product(65_000), true),
            ("a depth of 65,536", product(65_536), false),
            ("rows of 4 × 21,000", softmax(21_000), true),
            ("rows of 4 × 22,000", norm(22_000), false),
        ] {
            assert_eq!(iterations <= most, is_done, "{what}: {iterations}");
        }
        assert_eq!(self::most("NVIDIA H100"), None);
    }

    /// A kernel declares loops if and only if one of its binaries has some.
    #[test]
    fn every_kernel_declares_its_loops() {
        for &kernel in KernelName::ALL {
            let declaration = kernel.declaration();
            let mut binaries = TEXTS.iter().filter(|text| text.name == declaration.name).peekable();
            assert!(binaries.peek().is_some(), "{kernel} has no binary");
            let loops = binaries.any(|text| text.loops > 0);
            assert_eq!((declaration.iterations_of_ones)() > 0, loops, "{kernel}");
        }
    }

    #[test]
    fn undeclared_loops_are_an_error() {
        let softmax = TEXTS.iter().find(|text| text.name == "softmax").expect("it has a binary");
        let error = expect_declared(KernelName::Chain, softmax, 0).expect_err("its loops are undeclared");
        assert_eq!(
            error.message(),
            "the kernel 'chain' has 3 loops in its text and declares none; declare them in kernels.rs"
        );
    }
}
