//! Ties outputs to inputs: after each invocation, the input has the value of the output.
//!
//! ```text
//! input ─► … ─► DYNAMIC_UPDATE_SLICE ─► output        one memory, if the step works in place and no later step reads
//!                                                     the input; otherwise the output is copied to the input at the end
//! ```

use super::executor::Executor;
use super::lent::{Loan, TiedPair};
use super::step::Step;
use crate::error::{Error, Result};

impl Executor {
    /// The pair that contains tensor `t`.
    pub(crate) fn tied(&self, t: usize) -> Option<TiedPair> {
        self.memory.tied.iter().copied().find(|pair| pair.output == t || pair.input == t)
    }

    /// Ties a pair whose input is in `lent` from now on.
    ///
    /// # Errors
    /// The input or the output is constant, of strings, or a variable.
    pub(crate) fn tie(&mut self, pair: TiedPair, lent: Loan) -> Result<()> {
        for t in [pair.input, pair.output] {
            let info = &self.graph.tensors[t];
            if info.variable {
                let message = "it is a variable, which keeps its value anyway".to_owned();
                return Err(Error::Tensor { name: info.name.to_string(), message });
            }
            self.check_lendable(t, &lent)?;
        }
        self.lend(pair.input, lent)?;
        self.memory.tied.push(pair);
        self.unplace(pair.output);
        Ok(())
    }

    /// Copies tied outputs that are not in the memory of their inputs.
    ///
    /// # Errors
    /// An output has another size than its input.
    pub(super) fn write_tied(&mut self) -> Result<()> {
        for &TiedPair { output, input } in &self.memory.tied {
            let (from, to) = (self.memory.table.get(output).bytes, self.memory.table.get(input).bytes);
            if from != to {
                let names = [output, input].map(|t| self.graph.tensors[t].name.to_string());
                let [name, other] = names;
                let message = format!("it has {from} bytes, input '{other}', to which it is tied, has {to}");
                return Err(Error::Tensor { name, message });
            }
            self.memory.table.copy(output, input);
        }
        Ok(())
    }

    /// Whether this step writes a tied output over its input.
    pub(super) fn overwrites_input(&self, step: &Step) -> bool {
        let table = &self.memory.table;
        let mut pairs = self.memory.tied.iter();
        pairs.any(|pair| {
            step.outputs().contains(&(pair.output as i32))
                && table.get(pair.output).data == table.get(pair.input).data
        })
    }

    /// Refuses to change the shape of a tied input.
    pub(super) fn check_untied(&self, input: usize) -> Result<()> {
        let Some(pair) = self.tied(input) else { return Ok(()) };
        let [name, output] = [input, pair.output].map(|t| self.graph.tensors[t].name.to_string());
        let message = format!(
            "its shape stays, since output '{output}' is tied to it: resize it before tie(), or take it out of [tie]"
        );
        Err(Error::Tensor { name, message })
    }

    /// Refuses to run as a called subgraph: the caller's tensors may be in the same memory.
    pub(super) fn check_callable(&self) -> Result<()> {
        if self.memory.tied.is_empty() {
            return Ok(());
        }
        Err(Error::State(format!(
            "subgraph {} has tied outputs, so no node can call it: run its signature, or do not tie it",
            self.graph.index
        )))
    }
}
