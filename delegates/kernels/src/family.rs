//! The mechanism of all families of microkernels: a table with one line per instruction set, and how lines are created
//! and selected.
//!
//! The safe methods of a member call kernels that need the member's CPU features. They are sound because code outside
//! this crate only gets a `&Member` that the machine can run: tables are private to the crate, members cannot be
//! created or copied elsewhere (`non_exhaustive`, no `Clone`), and `select` and `available` check members against
//! `Isa::machine()`.
//!
//! ```compile_fail,E0603
//! let fastest = arenite_kernels::f32_fold::TABLE.last();
//! ```
//! ```compile_fail,E0639
//! use arenite_kernels::{isa::Isa, u8_arg::Places};
//!
//! let &Places { name, in_columns, .. } = Places::select(Isa::ALL);
//! fn in_rows(_: &arenite_kernels::u8_arg::Rows, _: *mut i32) {} // may have any `#[target_feature]`
//! let own = Places { name, isa: Isa::SCALAR, in_rows, in_columns };
//! ```
//! A kernel itself, which checks no length, is `unsafe` to call:
//!
//! ```compile_fail,E0133
//! use arenite_kernels::{f32_map::Map, isa::Isa};
//!
//! let sum = (Map::select(Isa::SCALAR).sum)(8, 0x1000 as *const f32);
//! ```

use crate::isa::Isa;

/// A member of a family, which is a line of a table.
pub trait Member: Sized + 'static {
    /// The family and the instruction set, such as `f32_fold__avx512`.
    fn name(&self) -> &'static str;
    /// The CPU features that it needs.
    fn isa(&self) -> Isa;
}

/// The members that this machine can run and that need no features outside `isa`. Features in `isa` that the machine
/// lacks are ignored.
pub fn usable<M: Member>(table: &'static [M], isa: Isa) -> impl DoubleEndedIterator<Item = &'static M> {
    let isa = isa & Isa::machine();
    table.iter().filter(move |member| isa.has(member.isa()))
}

/// The last usable member, which is the fastest. The first line of a table needs no features.
pub fn best<M: Member>(table: &'static [M], isa: Isa) -> &'static M {
    usable(table, isa).next_back().unwrap_or(&table[0])
}

/// All members that this machine can run.
#[cfg(test)]
pub fn available<M: Member>(table: &'static [M]) -> impl Iterator<Item = &'static M> {
    usable(table, Isa::ALL)
}

/// Makes a type with fields `name` and `isa` a [`Member`], with the table in the same module.
macro_rules! member_of_table {
    ($member:ty) => {
        impl crate::family::Member for $member {
            fn name(&self) -> &'static str {
                self.name
            }
            fn isa(&self) -> Isa {
                self.isa
            }
        }

        const _: () =
            assert!(Isa::SCALAR.has(TABLE[0].isa), "the first line of a table must need no features");

        impl $member {
            /// The fastest member that this machine can run and that needs no features outside `isa`.
            pub fn select(isa: Isa) -> &'static $member {
                crate::family::best(TABLE, isa)
            }

            /// All members that this machine can run, the slowest first.
            pub fn available() -> impl Iterator<Item = &'static $member> {
                crate::family::usable(TABLE, Isa::ALL)
            }
        }
    };
}

/// Compiles functions for several instruction sets, and creates a table of them, the slowest first.
///
/// ```text
/// family! {
///     Folds: "f32_fold"                                     type of a line, and the start of its name
///     {
///         fn row[F: usize](n: usize, x: *const f32) -> f32; calls body::row::<T, F>(T::new(), n, x)
///         fn sum(x: &[f32]) -> f32 { plain(x) };            has its own body, which may use T, and `body` as `bodies`
///     }
///     scalar(Scalar);                                       with T = Scalar
///     neon("_4x8" Neon: by_lane, 4);                        has "_4x8" in its name, and calls by_lane::row
///     amx = Folds { … };                                    a line without its own functions
/// }
/// ```
/// The family's macro `member!(name, features, T, …)` creates a line where the functions are in scope; arguments after
/// the type are passed to it. `vectors` means all levels of [`Simd`](crate::simd::Simd).
macro_rules! family {
    ($member:ty: $name:literal $functions:tt vectors) => {
        family! { $member: $name $functions scalar(Scalar); avx2(Avx2); avx512(Avx512); neon(Neon); }
    };
    ($member:ty: $name:literal $functions:tt $($lines:tt)*) => {
        family! { @ [[$member] $name $functions] [] $($lines)* }
    };
    (@ [[$member:ty] $name:literal $functions:tt] [$($table:tt)*]) => {
        /// All members of the family, the slowest first. Some may need more features than this machine has.
        pub(crate) static TABLE: &[$member] = &[$($table)*];
    };
    (@ $family:tt $table:tt $level:ident $($lines:tt)*) => {
        level! { $level $family $table $level $($lines)* }
    };
    (@in [$($cfg:tt)*] $attribute:tt $isa:ident $family:tt [$($table:tt)*] $level:ident = $line:expr; $($lines:tt)*) => {
        family! { @ $family [$($table)* #[cfg($($cfg)*)] $line,] $($lines)* }
    };
    (@in $cfg:tt $attribute:tt $isa:ident $family:tt $table:tt
        $level:ident ($($shape:literal)? $t:ty $(, $($more:tt)*)?); $($lines:tt)*
    ) => {
        family! { @in $cfg $attribute $isa $family $table $level ($($shape)? $t: body $(, $($more)*)?); $($lines)* }
    };
    (@in [$($cfg:tt)*] [$attribute:meta] $isa:ident [[$member:ty] $name:literal $functions:tt] [$($table:tt)*]
        $level:ident ($($shape:literal)? $t:ty: $bodies:ident $(, $($more:tt)*)?); $($lines:tt)*
    ) => {
        #[cfg($($cfg)*)]
        mod $level {
            use super::*;
            #[allow(unused_imports)] // Where all functions have bodies of their own.
            use super::$bodies as bodies;

            type T = $t;
            functions! { [$attribute] $functions }
            pub(super) const MEMBER: $member =
                member!(concat!($name, $($shape,)? "__", stringify!($level)), Isa::$isa, T $(, $($more)*)?);
        }
        family! { @ [[$member] $name $functions] [$($table)* #[cfg($($cfg)*)] $level::MEMBER,] $($lines)* }
    };
}

/// For each instruction set: when it is compiled, the target features it is compiled with, and the features that the
/// machine needs.
macro_rules! level {
    (scalar $($rest:tt)*) => {
        family! { @in [true]
            [allow(unused)] SCALAR $($rest)* }
    };
    (avx2 $($rest:tt)*) => {
        family! { @in [all(target_arch = "x86_64", feature = "avx2")]
            [target_feature(enable = "avx2,fma")] AVX2 $($rest)* }
    };
    // Tests the bodies of `avxvnni` on processors with AVX-512, which otherwise select kernels for AVX-512.
    (vnni256 $($rest:tt)*) => {
        family! { @in [all(target_arch = "x86_64", feature = "avx512", debug_assertions)]
            [target_feature(enable = "avx512vnni,avx512vl,avx2,fma")] VNNI256 $($rest)* }
    };
    (avxvnni $($rest:tt)*) => {
        family! { @in [all(target_arch = "x86_64", feature = "avx2")]
            [target_feature(enable = "avxvnni,avx2,fma")] AVXVNNI $($rest)* }
    };
    (avx512 $($rest:tt)*) => {
        family! { @in [all(target_arch = "x86_64", feature = "avx512")]
            [target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")] AVX512 $($rest)* }
    };
    (avx512vnni $($rest:tt)*) => {
        family! { @in [all(target_arch = "x86_64", feature = "avx512")]
            [target_feature(enable = "avx512vnni,avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")] AVX512VNNI $($rest)* }
    };
    (avx512vbmi $($rest:tt)*) => {
        family! { @in [all(target_arch = "x86_64", feature = "avx512")]
            [target_feature(enable = "avx512vbmi,avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")] AVX512VBMI $($rest)* }
    };
    (amx $($rest:tt)*) => {
        family! { @in [all(target_arch = "x86_64", feature = "amx")]
            [target_feature(enable = "avx512vnni,avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")] AMX $($rest)* }
    };
    (neon $($rest:tt)*) => {
        family! { @in [all(target_arch = "aarch64", feature = "neon")]
            [target_feature(enable = "neon")] NEON $($rest)* }
    };
    (neondot $($rest:tt)*) => {
        family! { @in [all(target_arch = "aarch64", feature = "neon")]
            [target_feature(enable = "neon,dotprod")] NEONDOT $($rest)* }
    };
    (neoni8mm $($rest:tt)*) => {
        family! { @in [all(target_arch = "aarch64", feature = "neon")]
            [target_feature(enable = "neon,dotprod,i8mm")] NEONI8MM $($rest)* }
    };
}

/// The functions of [`family!`] for one instruction set.
macro_rules! functions {
    ([$attribute:meta] { $(
        $(#[$own:meta])* fn $f:ident $([$($c:ident: $ct:ty),*])? ($($p:ident: $pt:ty),*) $(-> $r:ty)? $({ $($body:tt)* })?;
    )* }) => { $(
        $(#[$own])*
        #[$attribute]
        pub(super) unsafe fn $f<$($(const $c: $ct),*)?>($($p: $pt),*) $(-> $r)? {
            // SAFETY: a member's function requires that the machine has the member's features, so a value of their type
            // may be created. It requires of its arguments what the function's type documents, which is what the body
            // requires.
            unsafe { functions!(@call $f [$($($c),*)?] [$($p),*] $({ $($body)* })?) }
        }
    )* };
    (@call $f:ident [$($c:ident),*] [$($p:ident),*]) => {
        bodies::$f::<T, $($c),*>(T::new(), $($p),*)
    };
    (@call $f:ident $c:tt $p:tt { $($body:tt)* }) => {
        { $($body)* }
    };
}
