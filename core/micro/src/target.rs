//! `Target`: a machine that is not this one, by the layouts that a build for it has written down (`layouts`).
//!
//! ```text
//! struct Slot 12 4                 name; size and alignment
//! op 9 1 "" 88 8                   code, lowest version, name of a custom op; size and alignment of its state
//! ```

use crate::layouts::{Layout, name_of};
use crate::ops::OpRegistration;

/// A machine whose table is there.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    name: &'static str,
    table: &'static str,
}

const TARGETS: &[Target] = &[Target { name: "cortex-m4", table: include_str!("../targets/cortex-m4.txt") }];

impl Target {
    /// The machines that are known.
    pub const ALL: &'static [Target] = TARGETS;

    /// The machine of this name.
    pub fn named(name: &str) -> Option<Self> {
        TARGETS.iter().find(|target| target.name == name).copied()
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The layout that a line has behind these words; the one on this machine, which has the same struct, if there is no such line.
    fn layout(&self, words: &[&str], here: Layout) -> Layout {
        let rest = |line: &'static str| -> Option<Layout> {
            let mut parts = line.split(' ');
            words.iter().all(|word| parts.next() == Some(*word)).then_some(())?;
            let mut number = || parts.next()?.parse().ok();
            Some(Layout { size: number()?, align: number()? })
        };
        self.table.lines().find_map(rest).unwrap_or(here)
    }

    pub(crate) fn layout_of<T>(&self) -> Layout {
        let here = Layout::of::<T>();
        name_of::<T>().map_or(here, |name| self.layout(&["struct", name], here))
    }

    pub(crate) fn state_of(&self, op: &OpRegistration) -> Layout {
        let [code, version] = [op.builtin_code, op.min_version].map(|number| alloc::format!("{number}"));
        let name = alloc::format!("\"{}\"", op.name());
        self.layout(&["op", &code, &version, &name], Layout::of_state(op))
    }
}
