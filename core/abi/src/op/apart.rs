//! Checks that inputs and outputs share no memory where they are handed out as slices.

use super::EvalContext;
use crate::Result;
use crate::handed_out::{VariableUse, internal};
use crate::raw::{self, ArTensorV1};

impl EvalContext<'_> {
    /// Input `i`, after checking that it overlaps no output.
    #[inline]
    pub(super) fn apart_from_outputs(&self, i: usize) -> Result<&ArTensorV1> {
        let raw = self.input_at(i)?;
        if raw.flags & raw::TENSOR_VARIABLE != 0 {
            self.handed_out.variable(i, VariableUse::Slice, |j| self.node.input_overlaps(j, raw))?;
        }
        if raw.flags & raw::TENSOR_CONSTANT != 0 || self.is_apart() {
            return Ok(raw);
        }
        match self.node.overlapping(self.node.output_indices(), raw) {
            Some(o) => {
                Err(internal(format_args!("input {i} shares memory with output {o}: read it through cells")))
            }
            None => Ok(raw),
        }
    }

    /// Output `i`, after checking that it overlaps no input.
    #[inline]
    pub(super) fn apart_from_inputs(&self, i: usize) -> Result<&ArTensorV1> {
        let raw = self.node.raw_at(self.node.output_indices(), i, "output")?;
        if self.is_apart() {
            return Ok(raw);
        }
        match self.node.overlapping(self.node.input_indices(), raw) {
            Some(k) => {
                Err(internal(format_args!("output {i} shares memory with input {k}: write it through cells")))
            }
            None => Ok(raw),
        }
    }

    /// Whether no input shares memory with an output, so that most nodes compare their tensors once.
    #[inline]
    fn is_apart(&self) -> bool {
        self.apart.get().unwrap_or_else(|| self.find_apart())
    }

    fn find_apart(&self) -> bool {
        let node = self.node();
        let shares = |&index: &i32| node.tensor_overlaps(index, node.input_indices());
        let apart = !node.output_indices().iter().any(shares);
        self.apart.set(Some(apart));
        apart
    }
}
