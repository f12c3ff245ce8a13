//! How a plugin was built: a struct that its library exports and that the loader reads before it calls anything. Part of
//! [`raw`](crate::raw), whose rules it keeps.
#![allow(missing_docs)] // as there

use crate::raw::ArHeader;

/// How a plugin was built, exported as [`BUILD_SYMBOL`]. A library without it was built for an earlier host.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ArPluginBuildV1 {
    pub header: ArHeader,
    /// `SANITIZER_*`: what the compiler added to the code.
    pub sanitizers: u32,
    /// `PANIC_*`: what a panic does.
    pub panic: u32,
}

/// Name of the symbol of type [`ArPluginBuildV1`].
pub const BUILD_SYMBOL: &str = "arenite_plugin_build_v1";

pub const SANITIZER_ADDRESS: u32 = 1;
pub const SANITIZER_THREAD: u32 = 2;
pub const SANITIZER_MEMORY: u32 = 4;
pub const SANITIZER_UNDEFINED: u32 = 8;

/// The plugin is not written in Rust.
pub const PANIC_NONE: u32 = 0;
/// A panic unwinds: it is caught in the plugin and becomes an error.
pub const PANIC_UNWIND: u32 = 1;
/// A panic ends the process.
pub const PANIC_ABORT: u32 = 2;

impl ArPluginBuildV1 {
    /// How this crate was built, and the crate that calls this with `cfg!(panic = "abort")`: both have the same compiler flags.
    pub const fn of_rust(aborts: bool) -> Self {
        let sanitizers = if cfg!(arenite_sanitizer = "address") { SANITIZER_ADDRESS } else { 0 }
            | if cfg!(arenite_sanitizer = "thread") { SANITIZER_THREAD } else { 0 }
            | if cfg!(arenite_sanitizer = "memory") { SANITIZER_MEMORY } else { 0 };
        ArPluginBuildV1 {
            header: ArHeader::of::<ArPluginBuildV1>(),
            sanitizers,
            panic: if aborts { PANIC_ABORT } else { PANIC_UNWIND },
        }
    }
}
