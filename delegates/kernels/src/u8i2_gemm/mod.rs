//! Products of rows of `u8` with packed weights of two bits, which stay two bits wide in memory. Panels and results are
//! as [`u8i4_gemm`](crate::u8i4_gemm) describes.

use crate::family::best;
use crate::isa::Isa;
use crate::simd::dot::*;
use crate::u8i4_gemm::{Gemm, Product, body, member};

family! {
    Gemm: "u8i2_gemm" {
        fn tile[R: usize, V: usize](product: &Product) { bodies::tile::<T, 4, R, V>(T::new(), product) };
    }
    scalar("_4x8" ScalarDot, 2);
    avx2("_4x16" Avx2Pairs, 2);
    avx512("_4x32" Avx512Pairs, 2);
    vnni256("_4x16" Vnni256Dot, 2);
    avxvnni("_4x16" AvxVnniDot, 2);
    avx512vnni("_4x64" VnniDot, 4);
    neon("_4x8" NeonBytes, 2);
    neondot("_4x16" NeonDot, 4);
}

const _: () = assert!(Isa::SCALAR.has(TABLE[0].isa), "the first line of a table must need no features");

/// The fastest member that this machine can run and that needs no features outside `isa`.
pub fn select(isa: Isa) -> &'static Gemm {
    best(TABLE, isa)
}
