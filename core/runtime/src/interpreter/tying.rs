//! Ties outputs of signatures to their inputs, so that caches keep their values from one invocation to the next.

use super::lending::lent_block;
use super::{Interpreter, Port};
use crate::arena::Block;
use crate::config::{TieConfig, TiedOutput};
use crate::error::{Error, ItemKind, Result};
use crate::graph::Graph;
use crate::stages::lent::{TiedBlock, TiedPair};

impl Interpreter {
    /// Ties an output of a signature to an input: the next invocation reads the values that this one wrote. Both are
    /// one memory, which starts as zeros. Signatures that tie an input of the same name share this memory, so what
    /// `prefill` writes to a cache, `decode` reads.
    ///
    /// A node that works in place, such as DYNAMIC_UPDATE_SLICE, writes the output over the input if no later node
    /// reads the input. Otherwise the output is copied to the input at the end of an invocation. If an invocation
    /// fails, the memory may have the old or the new value of each element.
    ///
    /// [`allocate`](Self::allocate) must follow, as after [`lend`](Self::lend). The memory counts against the quota.
    /// Tying a pair again does nothing.
    ///
    /// # Errors
    /// An unknown name; type or shape differ, between output and input or from a signature that tied an input of this
    /// name before; one of the tensors is constant, of strings, a variable, tied to another tensor, or in memory that
    /// was lent to it; the output is the input itself; the quota.
    pub fn tie(&mut self, signature: &str, output: &str, input: &str) -> Result<()> {
        let runner = self.signature(signature)?;
        let find = |list: Vec<(String, usize)>, kind: ItemKind, name: &str| {
            let found = list.iter().find(|(known, _)| known == name).map(|(_, tensor)| *tensor);
            found.ok_or_else(|| Error::not_found(kind, name, list.iter().map(|(known, _)| known)))
        };
        let (subgraph, [inputs, outputs]) = (runner.subgraph(), runner.tensors());
        let pair = TiedPair {
            output: find(outputs, Port::Output.named(), output)?,
            input: find(inputs, Port::Input.named(), input)?,
        };
        if pair.output == pair.input {
            let message =
                format!("signature '{signature}' returns its input '{input}' unchanged: do not tie it");
            return Err(Error::Tensor { name: output.to_owned(), message });
        }
        self.check_pair(subgraph, pair)?;
        if self.executor_mut(subgraph)?.tied(pair.output) != Some(pair) {
            self.tie_pair(signature, subgraph, pair, input)?;
        }
        let [signature, output, input] = [signature, output, input].map(str::to_owned);
        let tied = TiedOutput { signature, output, input };
        if !self.tied.outputs.contains(&tied) {
            self.tied.outputs.push(tied);
        }
        Ok(())
    }

    /// The tied outputs, in the order of the calls that tied them.
    pub fn ties(&self) -> &[TiedOutput] {
        &self.tied.outputs
    }

    /// Whether this tensor is a tied output, or the input that it is tied to.
    pub fn is_tied(&self, subgraph: usize, tensor: usize) -> bool {
        self.executor_of(subgraph).is_some_and(|executor| executor.tied(tensor).is_some())
    }

    /// Ties the outputs that the configuration names.
    pub(super) fn apply_ties(&mut self, ties: &TieConfig) -> Result<()> {
        for TiedOutput { signature, output, input } in &ties.pairs {
            self.tie(signature, output, input)?;
        }
        if ties.caches {
            self.tie_caches()?;
        }
        Ok(())
    }

    /// [Ties](Self::tie) each output of a signature to the input with the same name, type and shape, in all signatures.
    /// Returns the names of the inputs, in the order of the first signature that has them; none if the model has no
    /// such pairs.
    ///
    /// # Errors
    /// As [`tie`](Self::tie).
    pub fn tie_caches(&mut self) -> Result<Vec<String>> {
        let mut names: Vec<String> = Vec::new();
        for key in self.model.signature_keys() {
            for name in self.caches(&key)? {
                self.tie(&key, &name, &name)?;
                if !names.contains(&name) {
                    names.push(name);
                }
            }
        }
        Ok(names)
    }

    /// The inputs of a signature that have an output with the same name, type and shape: the pairs that
    /// [`tie_caches`](Self::tie_caches) ties.
    ///
    /// # Errors
    /// An unknown signature, or a subgraph that cannot be built.
    pub fn caches(&mut self, signature: &str) -> Result<Vec<String>> {
        let runner = self.signature(signature)?;
        let (subgraph, [inputs, outputs]) = (runner.subgraph(), runner.tensors());
        let graph = &self.executor_mut(subgraph)?.graph;
        let form = |t: usize| (graph.tensors[t].ty, &graph.tensors[t].shape);
        let has_output = |(name, input): &(String, usize)| {
            let mut outputs = outputs.iter();
            outputs.any(|(other, o)| other == name && o != input && form(*o) == form(*input))
        };
        Ok(inputs.iter().filter(|input| has_output(input)).map(|(name, _)| name.clone()).collect())
    }

    /// Checks that both tensors have the same form, and no tie or loan yet, except with each other.
    fn check_pair(&mut self, subgraph: usize, pair: TiedPair) -> Result<()> {
        let executor = self.executor_mut(subgraph)?;
        let [output, input] = [pair.output, pair.input].map(|t| &executor.graph.tensors[t]);
        let refuse = |message| Err(Error::Tensor { name: output.name.to_string(), message });
        if (output.ty, &output.shape) != (input.ty, &input.shape) {
            return refuse(format!(
                "it is {} {:?}, input '{}' is {} {:?}; tied tensors have the same type and shape",
                output.ty, output.shape, input.name, input.ty, input.shape
            ));
        }
        for t in [pair.output, pair.input] {
            let name = &executor.graph.tensors[t].name;
            if let Some(other) = executor.tied(t).filter(|other| *other != pair) {
                let [o, i] = [other.output, other.input].map(|t| &executor.graph.tensors[t].name);
                return refuse(format!("'{name}' cannot be tied twice: output '{o}' is tied to input '{i}'"));
            }
            let memory = executor.memory();
            let is_taken = memory.lent.contains_key(&t) && executor.tied(t).is_none();
            if is_taken || memory.bound.contains_key(&t) {
                return refuse(format!(
                    "memory is lent or bound to '{name}': take it back before you tie it"
                ));
            }
        }
        Ok(())
    }

    fn tie_pair(&mut self, signature: &str, subgraph: usize, pair: TiedPair, name: &str) -> Result<()> {
        let executor = self.executor_mut(subgraph)?;
        let (ty, shape) = (executor.graph.tensors[pair.input].ty, executor.coming_shape(pair.input).to_vec());
        let graph: &Graph = &executor.graph;
        let own = graph.tensors[pair.input].name.to_string();
        let refuse = |message| Err(Error::Tensor { name: own.clone(), message });
        if let Some(known) =
            self.tied.memory.get(name).filter(|known| (known.ty, &known.shape) != (ty, &shape))
        {
            return refuse(format!(
                "it is {ty} {shape:?}, but signature '{}' tied '{name}' as {} {:?}; signatures share the memory of tied \
                 inputs with the same name",
                known.signature, known.ty, known.shape
            ));
        }
        let count = arenite_abi::tensor::element_count(&shape);
        let Some(bytes) = ty.bytes_of(count) else {
            return refuse(format!(
                "it is {ty}, whose size does not follow from its shape, so it cannot be tied"
            ));
        };
        if !self.tied.memory.contains_key(name) {
            let mut block = Block::EMPTY;
            block.grow(bytes, &mut self.budget, "tied tensors")?;
            let signature = signature.to_owned();
            self.tied.memory.insert(name.to_owned(), TiedBlock { block, ty, shape, signature });
        }
        let lent = lent_block(&self.tied.memory[name].block);
        self.executor_mut(subgraph)?.tie(pair, lent)
    }

    /// Bytes of tied memory.
    pub(super) fn tied_bytes(&self) -> u64 {
        self.tied.memory.values().map(|tied| tied.block.len() as u64).sum()
    }

    /// Refuses loans to tied tensors, and device memory.
    pub(super) fn check_untied(&self, subgraph: usize, tensor: usize) -> Result<()> {
        let Some(executor) = self.executor_of(subgraph) else { return Ok(()) };
        let Some(pair) = executor.tied(tensor) else { return Ok(()) };
        let [name, output, input] =
            [tensor, pair.output, pair.input].map(|t| executor.graph.tensors[t].name.to_string());
        let message =
            format!("output '{output}' is tied to input '{input}', so both stay in the interpreter's memory");
        Err(Error::Tensor { name, message })
    }
}
