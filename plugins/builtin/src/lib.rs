//! The default set of plugins, linked in statically. This is the only crate that depends on all of them.
//!
//! The crate `arenite` links it by default. A Rust program that depends on arenite-runtime instead writes
//! `use arenite_builtin as _;`, and the host finds the plugins through `inventory`. A C program that links a static
//! library does not run the constructors that `inventory` relies on, unless the linker keeps whole archives. There the
//! host calls [`register_builtins`].
//!
//! # Features
//!
//! | feature | default | enables |
//! |---|---|---|
//! | `cpu` | yes | the CPU delegate |
//! | `avx2`, `avx512`, `amx`, `neon` | yes | its instruction sets; each needs the ones before it on its architecture |
//! | `exact` | yes | the exact planner, and the short final search of `portfolio` |
//! | `embed` | no | the embedding of models in programs for small machines, which `arenite embed` needs |
//! | `flex` | no | TensorFlow's ops, with the prefix `Flex` |
//! | `opencl`, `vulkan` | no | the delegates of that name; each loads its driver on first use |
//!
//! The reference ops, MediaPipe's ops and the planners are always included.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

use arenite_abi::{Plugin, register_plugin};

macro_rules! builtins {
    ($($(#[$condition:meta])? $plugin:path,)*) => {
        $($(#[$condition])? const _: () = { register_plugin!($plugin); };)*

        static BUILTINS: &[&Plugin] = &[$($(#[$condition])? &$plugin),*];
    };
}

builtins! {
    #[cfg(feature = "cpu")] arenite_cpu::PLUGIN,
    #[cfg(feature = "flex")] arenite_flex::PLUGIN,
    #[cfg(feature = "opencl")] arenite_gpu::PLUGIN,
    #[cfg(feature = "vulkan")] arenite_gpu::VULKAN,
    arenite_mediapipe::PLUGIN,
    #[cfg(feature = "embed")] arenite_ops::PLUGIN,
    #[cfg(not(feature = "embed"))] arenite_ops::PLUGIN_WITHOUT_EMBEDDING,
    arenite_planners::PLUGIN,
}

/// The plugins of this crate, for a host to register when `inventory` may have collected nothing. A host that already
/// found them ignores duplicates by id.
pub fn register_builtins() -> &'static [&'static Plugin] {
    BUILTINS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inventory_collects_the_listed_plugins() {
        let mut found: Vec<&str> = inventory::iter::<arenite_abi::StaticPlugin>().map(|p| p.0.id()).collect();
        let mut listed: Vec<&str> = register_builtins().iter().map(|p| p.id()).collect();
        found.sort_unstable();
        listed.sort_unstable();
        assert_eq!(found, listed);
        let optional = [
            ("org.arenite.cpu", cfg!(feature = "cpu")),
            ("org.arenite.flex", cfg!(feature = "flex")),
            ("org.arenite.opencl", cfg!(feature = "opencl")),
            ("org.arenite.vulkan", cfg!(feature = "vulkan")),
        ];
        let mut expected: Vec<&str> =
            optional.iter().filter(|(_, there)| *there).map(|(id, _)| *id).collect();
        expected.extend(["org.arenite.mediapipe", "org.arenite.ops", "org.arenite.planners"]);
        expected.sort_unstable();
        assert_eq!(found, expected);
    }

    #[test]
    fn every_plugin_has_all_its_parts() {
        let counts = |plugin: &Plugin| {
            let d = plugin.descriptor();
            (d.op_count, d.planner_count, d.delegate_count)
        };
        for plugin in register_builtins() {
            let (ops, planners, delegates) = counts(plugin);
            match plugin.id() {
                "org.arenite.cpu" | "org.arenite.opencl" | "org.arenite.vulkan" => {
                    assert_eq!((ops, planners, delegates), (0, 0, 1))
                }
                "org.arenite.mediapipe" => assert_eq!((ops, planners, delegates), (3, 0, 0)),
                "org.arenite.planners" => assert!(ops == 0 && planners > 10 && delegates == 0),
                _ => assert!(ops > 100 && planners == 0 && delegates == 0),
            }
        }
    }
}
