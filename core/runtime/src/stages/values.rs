//! Values that `prepare` gave to variables. The host writes them after each run of the step, because the op need not
//! write a constant output.

use super::memory::Memory;
use crate::arena::Persistent;
use crate::error::Result;
use crate::quota::Budget;

/// The value of a variable after the step has run.
pub(crate) struct VariableValue {
    t: usize,
    /// Persistent memory of the step.
    data: *const u8,
    bytes: usize,
}

impl VariableValue {
    /// Keeps a copy of `value`, which has the size of tensor `t`, for as long as the step is prepared.
    pub(crate) fn copy(
        t: usize,
        value: &[u8],
        persistent: &mut Persistent,
        budget: &mut Budget,
    ) -> Result<Self> {
        let data = persistent.take(value.len(), 1, budget)?;
        // SAFETY: `take` gave as many bytes, to which no other pointer leads.
        unsafe { std::ptr::copy_nonoverlapping(value.as_ptr(), data, value.len()) };
        Ok(VariableValue { t, data, bytes: value.len() })
    }

    /// Writes the value to the variable.
    pub(crate) fn write(&self, memory: &mut Memory) {
        let to = memory.table.get(self.t);
        let bytes = self.bytes.min(to.bytes as usize);
        if !to.data.is_null() {
            // SAFETY: `data` has `self.bytes` bytes of persistent memory, which is released only after the step's
            // values are cleared. A variable with data has `to.bytes` bytes: `place_variables` made room, and
            // `check_room` cleared the data of any that outgrew it.
            unsafe { std::ptr::copy_nonoverlapping(self.data, to.data.cast::<u8>(), bytes) };
        }
    }
}
