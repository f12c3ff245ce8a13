//! Iterations of a work-item's loops: llvmpipe ends them early.
//!
//! Mesa's llvmpipe leaves all loops of a work-item after 65,535 iterations in total and returns wrong results. Such a launch is refused.
//!
//! The match in [`declared`] is exhaustive: a new kernel does not compile without its loops. A kernel whose text has loops but which declares
//! none is refused on every device, and fails a test.

use arenite_abi::prelude::*;

use super::kernels::Text;
use crate::kernel_name::KernelName;

/// Iterations that llvmpipe executes; the last comparison of a loop counts, too.
const MOST: u64 = 0xffff;

/// How many iterations this device executes, if it ends loops.
pub fn most(device: &str) -> Option<u64> {
    device.contains("llvmpipe").then_some(MOST)
}

/// The numbers of a launch, by the names that the kernel's WGSL gives them.
struct Numbers<'a> {
    text: &'a Text,
    values: &'a [i32],
}

impl Numbers<'_> {
    fn get(&self, name: &str) -> Result<u64> {
        let at = self.text.numbers.iter().position(|known| *known == name);
        let value = at.and_then(|at| self.values.get(at)).map(|value| u64::from(value.unsigned_abs()));
        value.ok_or_else(|| {
            invalid!("the kernel '{}' has no number '{name}' that bounds a loop", self.text.name)
        })
    }
}

/// An upper bound of a work-item's iterations when the kernel is given these numbers.
///
/// # Errors
/// If a loop is bounded by a number that the kernel lacks, or its text has loops but `declared` has none.
pub fn of(kernel: KernelName, text: &Text, values: &[i32]) -> Result<u64> {
    let turns = declared(kernel, &Numbers { text, values })?;
    ensure!(
        turns > 0 || text.loops == 0,
        "the kernel '{kernel}' has {} loops in its text and declares none; declare them in vulkan/turns.rs",
        text.loops
    );
    Ok(turns)
}

/// A loop of `times` iterations, each with `inner` iterations of loops inside; it compares once more than it iterates.
fn around(times: u64, inner: u64) -> u64 {
    times.saturating_mul(inner.saturating_add(1)).saturating_add(1)
}

/// The loops of each kernel.
fn declared(kernel: KernelName, numbers: &Numbers<'_>) -> Result<u64> {
    use KernelName as K;
    let n = |name: &str| numbers.get(name);
    Ok(match kernel {
        K::Conv2d | K::TransposeConv => {
            around(n("tap_rows")?, around(n("tap_columns")?, around(n("in_slices")?, 0)))
        }
        K::DepthwiseConv2d | K::Pool2d => around(n("tap_rows")?, around(n("tap_columns")?, 0)),
        // A scattered result is written by elements: four rows of four.
        K::BatchMatmul => around(n("depth")?, 0) + 4 * around(4, 0),
        K::Product => around(n("depth")?, 0),
        // Per eight slices of depth: two loads of four, then eight products.
        K::Tiled => around(n("depth")?.div_ceil(8), around(4, 0) + around(8, 0)),
        K::Reduce => {
            let line = around(n("folded")?, 0) + around(n("size")?, 0);
            around(n("kept")?, 0).saturating_add(around(n("lines")?, line))
        }
        K::Softmax | K::LayerNorm => 3 * around(n("slices")?, 0),
        K::Elementwise | K::Moves => around(n("rank")?, 0) + around(4, 0),
        K::Gather => around(4, 0),
        // Lines of a tile, along both axes.
        K::WinogradTransform | K::WinogradInverse => 2 * around(6, 2 * around(6, 0)),
        K::Chain | K::Lstm | K::Resize => 0,
    })
}

#[cfg(test)]
mod tests {
    use super::super::kernels::TEXTS;
    use super::*;
    use KernelName as K;

    fn text(kernel: KernelName) -> &'static Text {
        TEXTS.iter().find(|text| text.name == kernel.as_str()).expect("it has a binary")
    }

    fn turns(kernel: KernelName, values: &[i32]) -> u64 {
        of(kernel, text(kernel), values).expect("its loops are declared")
    }

    #[test]
    fn turns_grow_with_what_a_work_item_adds() {
        let window =
            |in_slices, rows, columns| [1, 9, 9, in_slices, 9, 9, 1, 4, rows, columns, 1, 1, 1, 1, 0, 0];
        assert_eq!(turns(K::Conv2d, &window(2, 1, 1)), 7, "2 + 1 of slices, each loop once more");
        assert_eq!(turns(K::Pool2d, &window(2, 3, 3)), 3 * 5 + 1);
        let most = most("llvmpipe (LLVM 15.0.6, 256 bits)").expect("it ends loops");
        for (what, turns, is_done) in [
            ("a product of 4 × 65,000 channels", turns(K::Conv2d, &window(65_000, 1, 1)), true),
            ("of 4 × 70,000", turns(K::Conv2d, &window(70_000, 1, 1)), false),
            ("transposed, of 4 × 70,000", turns(K::TransposeConv, &window(70_000, 1, 1)), false),
            ("a mean of 256 × 256", turns(K::Pool2d, &window(1, 256, 256)), false),
            ("channels of 256 × 256", turns(K::DepthwiseConv2d, &window(1, 256, 256)), false),
            ("a sum of 250 × 250", turns(K::Reduce, &[1, 2, 250, 250]), true),
            ("a sum of 256 × 256", turns(K::Reduce, &[1, 2, 256, 256]), false),
            ("a depth of 65,000", turns(K::BatchMatmul, &[1, 1, 65_000]), true),
            ("a depth of 65,536", turns(K::BatchMatmul, &[1, 1, 65_536]), false),
            ("rows of 4 × 21,000", turns(K::Softmax, &[1, 21_000]), true),
            ("rows of 4 × 22,000", turns(K::LayerNorm, &[1, 22_000]), false),
        ] {
            assert_eq!(turns <= most, is_done, "{what}: {turns}");
        }
        assert_eq!(self::most("NVIDIA H100"), None);
    }

    /// Loops are bounded by numbers that the binary has, and a kernel declares loops if and only if one of its binaries has some.
    #[test]
    fn every_kernel_declares_its_loops() {
        for &kernel in K::ALL {
            let binaries: Vec<&Text> = TEXTS.iter().filter(|text| text.name == kernel.as_str()).collect();
            let ones =
                |text: &Text| of(kernel, text, &vec![1; text.numbers.len()]).expect("they are declared");
            let loops = binaries.iter().any(|text| text.loops > 0);
            assert!(binaries.iter().all(|text| (ones(text) > 0) == loops), "{kernel}: {loops}");
            assert!(!binaries.is_empty(), "{kernel} has no binary");
        }
        let is_named = |text: &Text| K::ALL.iter().any(|kernel| kernel.as_str() == text.name);
        assert!(TEXTS.iter().all(is_named), "a text that no kernel names");
    }

    #[test]
    fn undeclared_loops_and_unknown_bounds_are_errors() {
        let message = |kernel, text: &Text, values: &[i32]| {
            of(kernel, text, values).expect_err("it is refused").to_string()
        };
        let undeclared = message(K::Chain, text(K::Softmax), &[1; 4]);
        assert_eq!(
            undeclared,
            "the kernel 'chain' has 3 loops in its text and declares none; declare them in vulkan/turns.rs"
        );
        let unknown = message(K::Conv2d, text(K::Softmax), &[1; 4]);
        assert_eq!(unknown, "the kernel 'softmax' has no number 'tap_rows' that bounds a loop");
    }
}
