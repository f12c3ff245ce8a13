//! How a plugin was built: a struct exported by its library, which the loader reads before it calls any function. Part
//! of [`raw`](crate::raw) and subject to its rules.
#![allow(missing_docs)] // as there

use crate::raw::ArHeader;

/// How a plugin was built, exported as [`BUILD_SYMBOL`]. A library without it was built for an older host.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ArPluginBuildV1 {
    pub header: ArHeader,
    /// `SANITIZER_*`: instrumentation added by the compiler.
    pub sanitizers: u32,
    /// `PANIC_*`: the effect of a panic.
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
/// A panic unwinds. It is caught in the plugin and converted to an error.
pub const PANIC_UNWIND: u32 = 1;
/// A panic aborts the process.
pub const PANIC_ABORT: u32 = 2;

impl ArPluginBuildV1 {
    /// The build information of a crate that calls this with `cfg!(panic = "abort")`. It is compiled with the same
    /// flags as this crate.
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
