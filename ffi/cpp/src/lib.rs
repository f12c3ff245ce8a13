//! The location of arenite's C++ headers. The headers are the whole library; this package tests them.
#![forbid(unsafe_code)]

/// The include folders that a compiler needs for `arenite.hpp` and the C headers it includes.
pub const INCLUDE: [&str; 3] = [
    concat!(env!("CARGO_MANIFEST_DIR"), "/include"),
    concat!(env!("CARGO_MANIFEST_DIR"), "/../c/include"),
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../core/abi/include"),
];
