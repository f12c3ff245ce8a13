//! Where the C++ headers of arenite lie. They are the whole of it; this package tests them.
#![forbid(unsafe_code)]

/// The folders that a compiler searches for `arenite.hpp`, and for `arenite.h`, which it includes.
pub const INCLUDE: [&str; 2] =
    [concat!(env!("CARGO_MANIFEST_DIR"), "/include"), concat!(env!("CARGO_MANIFEST_DIR"), "/../c/include")];
