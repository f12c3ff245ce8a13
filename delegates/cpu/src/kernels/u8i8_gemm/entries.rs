//! The microkernels, each compiled for its instruction set.

use super::*;

macro_rules! entry {
    ($name:ident, $pack:ident, $write:ident, $dot:ident, $words:literal $(, $features:literal)?) => {
        entry!($name, $pack, $write, $dot, $words $(, $features)?; body::tile::<dot::$dot, body::Apart<R>, R, V>);
    };
    ($name:ident, $pack:ident, $write:ident, $dot:ident, $words:literal $(, $features:literal)?; $tile:path) => {
        $(#[target_feature(enable = $features)])?
        pub(super) unsafe fn $pack(matrix: &Matrix, width: usize, to: *mut u8) -> [i32; COLUMNS] {
            // SAFETY: the caller's promise: the instructions, and the pointers.
            unsafe { panel::pack::<$words, { dot::$dot::OFFSET }>(matrix, width, to) }
        }

        $(#[target_feature(enable = $features)])?
        #[inline(never)]
        pub(super) unsafe fn $write<const V: usize>(sums: &[[body::Sum<dot::$dot>; V]], tile: &Tile<'_>) {
            // SAFETY: the caller's promise: the instructions, and the tile's pointers.
            unsafe { body::write_rows(dot::$dot::new(), sums, tile) }
        }

        $(#[target_feature(enable = $features)])?
        pub(super) unsafe fn $name<const R: usize, const V: usize>(tile: &Tile<'_>) {
            // SAFETY: the caller's promise: the instructions, and the tile's pointers.
            unsafe { $tile(dot::$dot::new(), tile, $write::<V>) }
        }
    };
}

#[cfg(all(target_arch = "x86_64", feature = "amx"))]
#[target_feature(enable = "avx512vnni,avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
pub(super) unsafe fn tiles_pack(matrix: &Matrix, width: usize, to: *mut u8) -> [i32; COLUMNS] {
    let groups = matrix.depth.div_ceil(4);
    let rest = groups.next_multiple_of(16) - groups;
    // SAFETY: the caller's promise: the instructions, and the pointers; panels have whole tiles.
    unsafe {
        to.add(groups * width * 4).write_bytes(0, rest * width * 4);
        panel::pack::<0, 0>(matrix, width, to)
    }
}

#[cfg(all(target_arch = "x86_64", feature = "amx"))]
#[target_feature(enable = "avx512vnni,avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
pub(super) unsafe fn tiles(product: &Product) {
    // SAFETY: the caller's promise: the instructions, a session, and the product's pointers.
    unsafe { amx::multiply(<crate::simd::Avx512 as crate::simd::Simd>::new(), product) }
}

entry!(scalar, scalar_pack, scalar_write, ScalarDot, 0);
#[cfg(all(target_arch = "x86_64", feature = "avx2"))]
entry!(avx2, avx2_pack, avx2_write, Avx2Dot, 8, "avx2,fma");
#[cfg(all(target_arch = "x86_64", feature = "avx512"))]
entry!(avx512, avx512_pack, avx512_write, Avx512Dot, 16, "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma");
#[cfg(all(target_arch = "x86_64", feature = "avx512"))]
entry!(
    avx512vnni,
    avx512vnni_pack,
    avx512vnni_write,
    VnniDot,
    0,
    "avx512vnni,avx512f,avx512bw,avx512dq,avx512vl,avx2,fma"
);
/// As `avx512vnni`, of rows at steps.
#[cfg(all(target_arch = "x86_64", feature = "avx512"))]
#[target_feature(enable = "avx512vnni,avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
pub(super) unsafe fn avx512vnni_strip<const R: usize, const V: usize>(tile: &Tile<'_>) {
    // SAFETY: the caller's promise: the instructions, and the tile's pointers.
    unsafe { body::tile::<dot::VnniDot, body::Strip, R, V>(dot::VnniDot::new(), tile, avx512vnni_write::<V>) }
}
#[cfg(all(target_arch = "aarch64", feature = "neon"))]
entry!(neon, neon_pack, neon_write, NeonBytes, 0, "neon"; by_lane::tile::<dot::NeonBytes, R, V>);
#[cfg(all(target_arch = "aarch64", feature = "neon"))]
entry!(neondot, neondot_pack, neondot_write, NeonDot, 0, "neon,dotprod"; by_lane::tile::<dot::NeonDot, R, V>);
#[cfg(all(target_arch = "aarch64", feature = "neon"))]
entry!(neoni8mm, neoni8mm_pack, neoni8mm_write, NeonI8mm, 0, "neon,dotprod,i8mm"; by_pair::tile::<R, V>);
