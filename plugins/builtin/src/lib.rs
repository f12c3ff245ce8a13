//! The default set of plugins, linked in statically: the only crate that knows all of them.
//!
//! A Rust program that depends on this crate writes `use arenite_builtin as _;`, and the host finds the plugins by itself.
//! A C program that links a static library does not run what `inventory` relies on, unless the linker is told to keep
//! whole archives: there the host is given [`register_builtins`].
#![forbid(unsafe_code)]
#![deny(missing_docs)]

use arenite_abi::{Plugin, register_plugin};

macro_rules! builtins {
    ($($plugin:path,)*) => {
        $(register_plugin!($plugin);)*

        static BUILTINS: &[&Plugin] = &[$(&$plugin),*];
    };
}

builtins! {
    arenite_cpu::PLUGIN,
    arenite_flex::PLUGIN,
    arenite_ops::PLUGIN,
    arenite_planners::PLUGIN,
}

/// The plugins of this crate, for a host to register where `inventory` may have collected nothing. A host that found them
/// already knows them by their ids and takes none twice.
pub fn register_builtins() -> &'static [&'static Plugin] {
    BUILTINS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inventory_collects_what_is_listed() {
        let mut found: Vec<&str> = inventory::iter::<arenite_abi::StaticPlugin>().map(|p| p.0.id()).collect();
        let mut listed: Vec<&str> = register_builtins().iter().map(|p| p.id()).collect();
        found.sort_unstable();
        listed.sort_unstable();
        assert_eq!(found, listed);
        assert_eq!(found, ["org.arenite.cpu", "org.arenite.flex", "org.arenite.ops", "org.arenite.planners"]);
    }

    #[test]
    fn nothing_was_dropped() {
        let counts: Vec<(usize, usize, usize)> = register_builtins()
            .iter()
            .map(|p| p.descriptor())
            .map(|d| (d.op_count, d.planner_count, d.delegate_count))
            .collect();
        let [flex, ops] = [&arenite_flex::PLUGIN, &arenite_ops::PLUGIN].map(|p| p.descriptor().op_count);
        assert!(flex > 0 && ops > 0);
        let planners = arenite_planners::PLUGIN.descriptor().planner_count;
        assert!(planners > 0);
        assert_eq!(counts, [(0, 0, 1), (flex, 0, 0), (ops, 0, 0), (0, planners, 0)]);
    }
}
