//! The table of microkernels, each compiled for its instruction set.

#[cfg(all(target_arch = "x86_64", feature = "amx"))]
use super::amx;
use super::body::{RowPointers, Strip};
use super::*;
#[cfg(all(target_arch = "aarch64", feature = "neon"))]
use super::{by_lane, by_pair};
use crate::simd::{self, Ints, dot::*};

macro_rules! member {
    ($name:expr, $isa:expr, $t:ty, $mr:literal, one_row: $row:expr, $($more:tt)*) => {
        Gemm { row: Some($row), ..member!($name, $isa, $t, $mr, $($more)*) }
    };
    ($name:expr, $isa:expr, $t:ty, $mr:literal, many: $many:expr, $($more:tt)*) => {
        Gemm { many: Some($many), ..member!($name, $isa, $t, $mr, $($more)*) }
    };
    ($name:expr, $isa:expr, $t:ty, $mr:literal, $($v:literal: [$($r:literal)*]),*) => {
        Gemm {
            name: $name,
            isa: $isa,
            mr: $mr,
            vectors: [$($v),*].len(),
            lanes: <$t>::LANES,
            group_bytes: <$t>::WEIGHTS / <$t>::LANES,
            starts: <$t>::STARTS,
            has_words: <$t>::IN_WORDS,
            groups: 1,
            pack_columns: pack,
            by_vectors: &[$(&[$(apart::<$r, $v>),*]),*],
            strips: &[$(&[$(strip::<$r, $v>),*]),*],
            row: None,
            many: None,
            tiles: None,
            split: None,
        }
    };
}

family! {
    Gemm: "u8i8_gemm" {
        fn pack(matrix: &Matrix, width: usize, to: *mut u8) -> [i32; COLUMNS] {
            panel::pack(T::new(), matrix, width, to)
        };
        #[inline(never)]
        #[allow(dead_code)] // All but the first member with these vectors.
        fn write[V: usize](sums: &mut [[body::Sum<T>; V]], tile: &Tile<'_>) {
            body::write_rows(T::new(), sums, tile)
        };
        fn apart[R: usize, V: usize](tile: &Tile<'_>) {
            bodies::tile::<T, RowPointers<R>, R, V>(T::new(), tile, <<T as Dot>::S as Writes>::write::<V>())
        };
        fn strip[R: usize, V: usize](tile: &Tile<'_>) {
            bodies::tile::<T, Strip, R, V>(T::new(), tile, <<T as Dot>::S as Writes>::write::<V>())
        };
        #[allow(dead_code)] // Where panels one by one are as fast.
        fn row[V: usize, N: usize](product: &Product) {
            one_row::row::<T, V, N>(T::new(), product)
        };
    }
    scalar("_2x8" ScalarDot, 2, 1: [1 2], 2: [1 2]);
    avx2 = avx2::MEMBER;
    avx512 = avx512::MEMBER;
    vnni256("_6x16" Vnni256Dot, 6, 1: [1 2 3 4 5 6], 2: [1 2 3 4 5 6]);
    avxvnni("_6x16" AvxVnniDot, 6, 1: [1 2 3 4 5 6], 2: [1 2 3 4 5 6]);
    avx512vnni(
        "_32x32" VnniDot, 32, one_row: row::<2, 2>, many: vnni_strips::multiply,
        1: [1 2 3], 2: [1 2 3]
    );
    amx = tiles::MEMBER;
    neon("_4x8" NeonBytes: by_lane, 4, 1: [1 2 3 4], 2: [1 2 3 4]);
    neondot("_5x16" NeonDot: by_lane, 5, 1: [1 2 3 4 5], 2: [1 2 3 4 5], 3: [1 2 3 4 5], 4: [1 2 3 4 5]);
    neoni8mm("_8x8" NeonI8mm: by_pair, 8, 1: [1 2 3 4 5 6 7 8], 2: [1 2 3 4 5 6 7 8]);
}
member_of_table!(Gemm);

/// The functions that write results. They are compiled once per vector type, and all members of that type use them.
trait Writes: Ints {
    /// Writes rows of `V` vectors.
    fn write<const V: usize>() -> WriteRows<Self, V>;
}

type WriteRows<S, const V: usize> = unsafe fn(&mut [[<S as Ints>::I; V]], &Tile<'_>);

macro_rules! writes {
    ($($(#[$cfg:meta])* $s:ty: $level:ident),*) => { $(
        $(#[$cfg])*
        impl Writes for $s {
            #[inline(always)]
            fn write<const V: usize>() -> WriteRows<Self, V> {
                $level::write::<V>
            }
        }
    )* };
}

writes! {
    simd::Scalar: scalar,
    #[cfg(all(target_arch = "x86_64", feature = "avx2"))] simd::Avx2: avx2,
    #[cfg(all(target_arch = "x86_64", feature = "avx512"))] simd::Avx512: avx512,
    #[cfg(all(target_arch = "aarch64", feature = "neon"))] simd::Neon: neon
}

/// More than three rows with AVX-512 VNNI.
#[cfg(all(target_arch = "x86_64", feature = "avx512"))]
mod vnni_strips {
    use super::*;

    type T = VnniDot;

    functions! { [target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,avx2,fma")] {
        fn strip[R: usize, V: usize](rows: &strip::RowsInPlace<'_>, tile: &Tile<'_>) {
            strip::strip::<strip::OneForm<T>, R, V>(strip::OneForm(T::new()), rows, tile, avx512::write::<V>)
        };
        fn multiply(product: &Product) {
            strip::RowsInPlace::of(product).multiply(product, T::LANES, &[strip::<8, 1>, strip::<6, 2>])
        };
    } }
}

/// A member whose products of bytes may saturate. Where they might, words are multiplied, which are bytes in memory.
#[allow(unused_macros)] // Only x86-64 has products of pairs of bytes.
macro_rules! split {
    ($module:ident($features:literal) = $name:literal $isa:ident: $words:ty, $bytes:ty, $signed:ty) => {
        mod $module {
            use core::ops::Range;

            use super::super::choice::{self, Choice};
            use super::super::copies::{self, Copies};
            use super::super::neighbours::Neighbours;
            use super::*;

            type T = $words;

            pub(super) const MEMBER: Gemm = Gemm {
                name: $name,
                isa: Isa::$isa,
                mr: 32,
                vectors: FUNCTIONS.strips.len(),
                lanes: T::LANES,
                group_bytes: T::WEIGHTS / T::LANES,
                starts: T::STARTS,
                has_words: true,
                groups: 1,
                pack_columns: pack,
                row: None,
                many: None,
                by_vectors: &[],
                strips: &[],
                tiles: None,
                split: Some(multiply),
            };

            const FUNCTIONS: strip::Functions = strip::Functions {
                lanes: T::LANES,
                strips: &[strip::<1>, strip::<2>],
                choose,
                pitch: <<T as Dot>::S as Neighbours>::BYTES,
                bound: [
                    bound::<false, false>,
                    bound::<false, true>,
                    bound::<true, false>,
                    bound::<true, true>,
                ],
                copies: strip::Worth { columns: 48, bytes: 16, products: 1 << 10 },
            };

            functions! { [target_feature(enable = $features)] {
                fn pack(matrix: &Matrix, width: usize, to: *mut u8) -> [i32; COLUMNS] {
                    panel::pack(T::new(), matrix, width, to)
                };
                #[inline(never)]
                fn write[V: usize](sums: &mut [[body::Sum<T>; V]], tile: &Tile<'_>) {
                    body::write_rows(T::new(), sums, tile)
                };
                fn multiply(product: &Product) { split::multiply(product, &FUNCTIONS) };
                fn strip[V: usize](rows: &strip::RowsInPlace<'_>, tile: &Tile<'_>) {
                    let forms = forms::Forms(T::new(), <$bytes>::new(), <$signed>::new());
                    strip::strip::<_, { strip::ROWS }, V>(forms, rows, tile, write::<V>)
                };
                fn choose(product: &Product, rows: Range<usize>, panels: usize) -> Choice {
                    choice::choose(T::new().ints(), product, rows, panels)
                };
                fn bound[SIGNED: bool, FOURS: bool](
                    copies: &mut Copies<'_>,
                    product: &Product,
                    rows: Range<usize>
                ) -> usize {
                    copies::bound::<_, SIGNED, FOURS>(T::new().ints(), copies, product, rows)
                };
            } }
        }
    };
}

#[cfg(all(target_arch = "x86_64", feature = "avx2"))]
split! { avx2("avx2,fma") = "u8i8_gemm_4x16__avx2" AVX2: Widened<Avx2Dot>, Avx2Pairs, Avx2SignedPairs }
#[cfg(all(target_arch = "x86_64", feature = "avx512"))]
split! {
    avx512("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma") = "u8i8_gemm_4x32__avx512" AVX512:
        Widened<Avx512Dot>, Avx512Pairs, Avx512SignedPairs
}

/// AMX. Few rows are multiplied with the vectors of VNNI, for which weights have the same layout.
#[cfg(all(target_arch = "x86_64", feature = "amx"))]
mod tiles {
    use super::*;

    pub(super) const MEMBER: Gemm = Gemm {
        name: "u8i8_gemm_32x32__amx",
        isa: Isa::AMX,
        mr: 32,
        groups: 16,
        pack_columns: pack,
        strips: &[],
        tiles: Some(Tiles { few: 4, pays: amx::pays, enter: amx::enter, leave: amx::leave, multiply }),
        ..avx512vnni::MEMBER
    };

    /// # Safety
    /// The arguments must meet the requirements of [`Pack`].
    unsafe fn pack(matrix: &Matrix, width: usize, to: *mut u8) -> [i32; COLUMNS] {
        let groups = matrix.depth.div_ceil(4);
        let rest = groups.next_multiple_of(16) - groups;
        // SAFETY: AMX implies the instructions of VNNI's member, whose requirements the arguments meet. The panel has
        // whole tiles, so there is room after the groups.
        unsafe {
            to.add(groups * width * 4).write_bytes(0, rest * width * 4);
            (avx512vnni::MEMBER.pack_columns)(matrix, width, to)
        }
    }

    /// # Safety
    /// The product must meet the requirements of [`Gemm::multiply`] and have more than `few` rows.
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
    unsafe fn multiply(product: &Product) {
        // SAFETY: the features are enabled here; the product meets the requirements of `multiply`, and the thread has a
        // session.
        unsafe { amx::multiply(<simd::Avx512 as simd::Simd>::new(), product) }
    }
}
