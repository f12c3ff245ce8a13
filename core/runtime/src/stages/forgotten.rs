//! Finds outputs that an op forgets to write. In the first run of an op that is not linked in, outputs start with a
//! pattern; if it is still there afterwards, a warning names the plugin.

use arenite_abi::raw::{TENSOR_CONSTANT, TENSOR_DYNAMIC, TENSOR_VARIABLE};

use super::site::Site;
use super::step::{Kernel, Step};
use crate::graph::Graph;
use crate::plugins::registry::Origin;

const PATTERN: u8 = 0xa5;
/// A shorter output may hold the pattern by chance.
const SHORTEST: u64 = 8;

impl Step {
    /// Fills the outputs with the pattern if this is the first run of an op that a library or the program registered.
    /// Returns the tensors that were filled.
    pub(super) fn mark_outputs(&mut self, site: &Site<'_>) -> Vec<usize> {
        if self.has_run {
            return Vec::new();
        }
        self.has_run = true;
        let Kernel::Op { op, .. } = &self.kernel else { return Vec::new() };
        let mut plugins = site.run.registry.plugins().iter();
        if !plugins.any(|plugin| *plugin.id == *op.plugin && plugin.origin != Origin::Static) {
            return Vec::new();
        }
        let marked: Vec<usize> =
            Graph::present(self.outputs()).filter(|&t| self.owns_memory(site, t)).collect();
        for tensor in marked.iter().map(|&t| site.memory.table.get(t)) {
            // SAFETY: `owns_memory` checked that the output has this much memory and that no input overlaps it.
            // `plan::validate` checked that no other value that is alive in this step does. The step has not started.
            unsafe { std::ptr::write_bytes(tensor.data.cast::<u8>(), PATTERN, tensor.bytes as usize) };
        }
        marked
    }

    /// Whether output `t` has memory that no input shares.
    fn owns_memory(&self, site: &Site<'_>, t: usize) -> bool {
        let table = &site.memory.table;
        let output = table.get(t);
        let range = |data: *mut std::ffi::c_void, bytes: u64| (data.addr(), data.addr() + bytes as usize);
        let (start, end) = range(output.data, output.bytes);
        let is_apart = |t: usize| {
            let input = table.get(t);
            let (from, to) = range(input.data, input.bytes);
            to <= start || end <= from
        };
        output.flags & (TENSOR_CONSTANT | TENSOR_DYNAMIC | TENSOR_VARIABLE) == 0
            && !output.data.is_null()
            && output.bytes >= SHORTEST
            && Graph::present(self.inputs()).all(is_apart)
    }

    /// Warns of marked outputs that the run has not written.
    pub(super) fn warn_of_forgotten(&self, site: &Site<'_>, marked: &[usize]) {
        let Kernel::Op { op, .. } = &self.kernel else { return };
        for &t in marked {
            let tensor = site.memory.table.get(t);
            // SAFETY: as in `mark_outputs`; the step has ended, so nothing writes the memory.
            let bytes =
                unsafe { std::slice::from_raw_parts(tensor.data.cast::<u8>(), tensor.bytes as usize) };
            if bytes.iter().all(|&byte| byte == PATTERN) {
                let (name, _) = self.names(site.graph);
                let output = &*site.graph.tensors[t].name;
                tracing::warn!(
                    "{name} of {} did not write output '{output}' in its first run, so its values mean nothing; this is a \
                     bug in the op",
                    op.plugin
                );
            }
        }
    }
}
