//! The loop over filters. It is plain code, which the compiler turns into vectors for each instruction set.

use super::Filters;
use crate::simd::Simd;

/// # Safety
/// There must be `count` sums and biases, and `count` rows of `memory ≥ 1` weights; as many numbers of the state must
/// be readable and writable, and `count` results writable.
#[inline(always)]
pub(super) unsafe fn remember<S: Simd>(_: S, filters: &Filters) {
    let &Filters { count, memory, factor, new, bias, time, state, y } = filters;
    for f in 0..count {
        // SAFETY: filter `f` is below `count`; its row has `memory` numbers, which only this call accesses.
        unsafe {
            let row = core::slice::from_raw_parts_mut(state.add(f * memory), memory);
            let weights = core::slice::from_raw_parts(time.add(f * memory), memory);
            row.copy_within(1.., 0);
            let scaled = factor.apply((*new.add(f)).wrapping_add(*bias.add(f)));
            row[memory - 1] = scaled.clamp(i16::MIN.into(), i16::MAX.into()) as i16;
            let products = row.iter().zip(weights).map(|(&m, &w)| i32::from(m) * i32::from(w));
            *y.add(f) = products.fold(0, |sum: i32, product| sum.wrapping_add(product));
        }
    }
}
