//! `Target`: another machine, described by a table of layouts that a build for it has written (`layouts`).
//!
//! ```text
//! struct Slot 12 4                 name; size and alignment
//! op 9 1 "" 88 8                   code, lowest version, name of a custom op; size and alignment of its state
//! ```

use arenite_abi::op::Registration as OpRegistration;

use super::layouts::name_of;
use crate::arena::{Layout, Part};

/// A machine whose layouts are known.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    name: &'static str,
    /// Name of the target of rustc whose build wrote the table.
    triple: &'static str,
    table: &'static str,
}

const TARGETS: &[Target] = &[Target {
    name: "cortex-m4",
    triple: "thumbv7em-none-eabihf",
    table: include_str!("../../targets/cortex-m4.txt"),
}];

impl Target {
    /// All known machines.
    pub const ALL: &'static [Target] = TARGETS;

    /// The machine of this name, or of this target of rustc.
    pub fn named(name: &str) -> Option<Self> {
        TARGETS.iter().find(|target| target.name == name || target.triple == name).copied()
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The target of rustc to build for it.
    pub fn triple(&self) -> &'static str {
        self.triple
    }

    /// The layout in the line that starts with `words`; `here` if the table has no such line.
    fn layout(&self, words: &[&str], here: Layout) -> Layout {
        let rest = |line: &'static str| -> Option<Layout> {
            let mut parts = line.split(' ');
            words.iter().all(|word| parts.next() == Some(*word)).then_some(())?;
            let mut number = || parts.next()?.parse().ok();
            Some(Layout { size: number()?, align: number()? })
        };
        self.table.lines().find_map(rest).unwrap_or(here)
    }

    /// The layout of the elements of `list`.
    pub(crate) fn layout_of(&self, list: &Part) -> Layout {
        let name = name_of((list.type_name)());
        name.map_or(list.layout, |name| self.layout(&["struct", name], list.layout))
    }

    pub(crate) fn state_of(&self, op: &OpRegistration) -> Layout {
        let [code, version] = [op.builtin_code, op.min_version].map(|number| alloc::format!("{number}"));
        let name = alloc::format!("\"{}\"", op.name());
        self.layout(&["op", &code, &version, &name], Layout::of_state(op))
    }
}
