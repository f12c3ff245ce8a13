//! Sessions: a model, its caches, and the tokens in them.

use arenite::{ElementType, Interpreter};
use half::f16;

use crate::error::{Error, Result};
use crate::layout::{Entry, Layout, Mask, MaskKind};

/// A conversation with a language model: the tokens so far are in the caches.
pub struct Session {
    interpreter: Interpreter,
    layout: Layout,
    /// The subgraphs that are prepared. Their caches are tied, so all of them read and write the same memory.
    ready: Vec<usize>,
    /// The tokens in the caches, from position 0.
    tokens: Vec<u32>,
    /// Of the token after the last one; empty if they are not known.
    logits: Vec<f32>,
}

/// The tokens and caches of a session, to continue from there later or in another session of the same model.
#[derive(Clone, Debug)]
pub struct State {
    caches: Vec<Vec<u8>>,
    tokens: Vec<u32>,
    logits: Vec<f32>,
}

impl State {
    /// The tokens in the caches.
    pub fn tokens(&self) -> &[u32] {
        &self.tokens
    }
}

impl Session {
    /// A session without tokens. A signature is prepared when it is first needed.
    ///
    /// # Errors
    /// The model lacks a part of a language model, or has one that is not supported.
    pub fn new(interpreter: Interpreter) -> Result<Self> {
        let layout = Layout::of(&interpreter.model().view())?;
        let (tokens, logits) = (Vec::new(), Vec::new());
        Ok(Session { interpreter, layout, ready: Vec::new(), tokens, logits })
    }

    /// The interpreter, for its facts and its [`cancel_handle`](Interpreter::cancel_handle).
    pub fn interpreter(&self) -> &Interpreter {
        &self.interpreter
    }

    /// The number of positions in the caches: the longest conversation.
    pub fn capacity(&self) -> usize {
        self.layout.capacity
    }

    /// The number of tokens that the model knows.
    pub fn vocabulary(&self) -> usize {
        self.layout.vocabulary
    }

    /// The tokens in the caches.
    pub fn tokens(&self) -> &[u32] {
        &self.tokens
    }

    /// The bytes of all caches.
    pub fn cache_bytes(&self) -> usize {
        self.layout.caches.iter().map(|(_, bytes)| bytes).sum()
    }

    /// Logits of the token that follows, one per token of the vocabulary.
    ///
    /// # Errors
    /// No token was given since the session began or was truncated.
    pub fn logits(&self) -> Result<&[f32]> {
        if self.logits.is_empty() { Err(Error::Empty) } else { Ok(&self.logits) }
    }

    /// Prepares the signatures that appending `count` tokens would run, and decode, so that later calls do not.
    ///
    /// # Errors
    /// As [`Interpreter::allocate`].
    pub fn prepare(&mut self, count: usize) -> Result<()> {
        self.prepare_decode()?;
        let prefills = self.layout.prefills.iter().filter(|entry| entry.fits(count));
        let entries: Vec<Entry> = prefills.cloned().collect();
        entries.iter().try_for_each(|entry| self.prepare_entry(entry))
    }

    fn prepare_decode(&mut self) -> Result<()> {
        let decode = self.layout.decode.clone();
        self.prepare_entry(&decode)
    }

    /// Ties the caches of a signature and prepares it, once.
    fn prepare_entry(&mut self, entry: &Entry) -> Result<()> {
        let graph = entry.subgraph;
        if self.ready.contains(&graph) {
            return Ok(());
        }
        for (name, _) in &self.layout.caches {
            self.interpreter.tie(&entry.key, name, name)?;
        }
        self.interpreter.allocate_subgraph(graph)?;
        self.ready.push(graph);
        Ok(())
    }

    /// Appends tokens. Chunks of them go to the prefill signature for the most tokens, the rest to prefills for fewer
    /// and to decode.
    ///
    /// # Errors
    /// A token beyond the vocabulary, or more tokens than positions: then nothing has changed. If an invocation fails,
    /// the session has the tokens of the chunks before it.
    pub fn append(&mut self, ids: &[u32]) -> Result<()> {
        self.append_while(ids, &mut || true).map(drop)
    }

    /// As [`append`](Self::append), but asks `proceed` before each invocation. Returns the number of tokens that were
    /// appended.
    ///
    /// # Errors
    /// As [`append`](Self::append).
    pub fn append_while(&mut self, ids: &[u32], proceed: &mut dyn FnMut() -> bool) -> Result<usize> {
        let Layout { vocabulary, capacity, .. } = self.layout;
        if let Some(&id) = ids.iter().find(|&&id| id as usize >= vocabulary) {
            return Err(Error::Token { id, vocabulary });
        }
        let needed = self.tokens.len() + ids.len();
        if needed > capacity {
            return Err(Error::Full { needed, capacity });
        }
        let mut rest = ids;
        while !rest.is_empty() && proceed() {
            let entry = self
                .layout
                .prefills
                .iter()
                .find(|entry| entry.fits(rest.len()))
                .unwrap_or(&self.layout.decode)
                .clone();
            let (now, later) = rest.split_at(entry.count);
            self.step(&entry, now)?;
            rest = later;
        }
        Ok(ids.len() - rest.len())
    }

    /// Makes `ids` the tokens of the session: keeps the tokens that both begin with, drops the others, and appends the
    /// rest. At least the last token runs, unless nothing changes.
    ///
    /// # Errors
    /// As [`append`](Self::append); no tokens.
    pub fn set_tokens(&mut self, ids: &[u32]) -> Result<()> {
        self.set_tokens_while(ids, &mut || true).map(drop)
    }

    /// As [`set_tokens`](Self::set_tokens), but asks `proceed` before each invocation. Returns the number of tokens
    /// that were appended.
    ///
    /// # Errors
    /// As [`set_tokens`](Self::set_tokens).
    pub fn set_tokens_while(&mut self, ids: &[u32], proceed: &mut dyn FnMut() -> bool) -> Result<usize> {
        if ids.is_empty() {
            return Err(Error::Empty);
        }
        let mut shared = self.tokens.iter().zip(ids).take_while(|(a, b)| a == b).count();
        if shared == ids.len() {
            if self.tokens.len() == ids.len() && !self.logits.is_empty() {
                return Ok(0);
            }
            shared -= 1;
        }
        self.truncate(shared);
        self.append_while(&ids[shared..], proceed)
    }

    /// Drops all tokens but the first `count`. The next token to append has position `count`; what the caches have from
    /// there on is overwritten before a token sees it.
    pub fn truncate(&mut self, count: usize) {
        if count < self.tokens.len() {
            self.tokens.truncate(count);
            self.logits.clear();
        }
    }

    /// A copy of the tokens and caches.
    ///
    /// # Errors
    /// As [`prepare`](Self::prepare).
    pub fn save(&mut self) -> Result<State> {
        self.prepare_decode()?;
        let decode = &self.layout.decode;
        let bytes = |&(input, _): &(usize, usize)| {
            Ok(self.interpreter.tensor_of(decode.subgraph, input)?.bytes()?.to_vec())
        };
        let caches = decode.caches.iter().map(bytes).collect::<Result<Vec<_>>>()?;
        Ok(State { caches, tokens: self.tokens.clone(), logits: self.logits.clone() })
    }

    /// Continues from a saved state.
    ///
    /// # Errors
    /// The state is of a model with other caches; also as [`prepare`](Self::prepare).
    pub fn restore(&mut self, state: &State) -> Result<()> {
        let sizes = state.caches.iter().map(Vec::len);
        let fits = sizes.eq(self.layout.caches.iter().map(|(_, bytes)| *bytes));
        if !fits || state.tokens.len() > self.capacity() {
            return Err(Error::State("the saved state is of a model with other caches".into()));
        }
        self.prepare_decode()?;
        let Session { interpreter, layout: Layout { decode, .. }, .. } = self;
        for (&(input, _), cache) in decode.caches.iter().zip(&state.caches) {
            interpreter.tensor_mut_of(decode.subgraph, input)?.copy_from_bytes(cache)?;
        }
        (self.tokens, self.logits) = (state.tokens.clone(), state.logits.clone());
        Ok(())
    }

    /// Runs one signature for as many tokens as it takes.
    fn step(&mut self, entry: &Entry, ids: &[u32]) -> Result<()> {
        self.prepare_entry(entry)?;
        let Session { interpreter, tokens, logits, layout, .. } = self;
        let (graph, begin) = (entry.subgraph, tokens.len());
        let ids32: Vec<i32> = ids.iter().map(|&id| id as i32).collect();
        let positions: Vec<i32> = (begin..begin + ids.len()).map(|position| position as i32).collect();
        interpreter.tensor_mut_of(graph, entry.tokens)?.copy_from_slice(&ids32)?;
        interpreter.tensor_mut_of(graph, entry.positions)?.copy_from_slice(&positions)?;
        if let Some(mask) = entry.mask {
            let bytes = mask_bytes(mask, begin, ids.len());
            interpreter.tensor_mut_of(graph, mask.tensor)?.copy_from_bytes(&bytes)?;
        }
        interpreter.invoke_subgraph(graph)?;
        match entry.logits {
            Some(output) => read_logits(interpreter, graph, output, layout.vocabulary, logits)?,
            None => logits.clear(),
        }
        tokens.extend(ids);
        Ok(())
    }
}

/// The rows of a mask for tokens from position `begin` on: each sees itself and what came before.
fn mask_bytes(mask: Mask, begin: usize, count: usize) -> Vec<u8> {
    let visible = (0..count).flat_map(|row| (0..mask.columns).map(move |column| column <= begin + row));
    match mask.kind {
        MaskKind::Bool => visible.map(u8::from).collect(),
        MaskKind::F32 => {
            visible.flat_map(|sees| if sees { 0f32 } else { f32::NEG_INFINITY }.to_le_bytes()).collect()
        }
        MaskKind::F16 => {
            visible.flat_map(|sees| if sees { f16::ZERO } else { f16::NEG_INFINITY }.to_le_bytes()).collect()
        }
    }
}

/// Reads the last row of the logits.
fn read_logits(
    interpreter: &Interpreter,
    graph: usize,
    output: usize,
    vocabulary: usize,
    logits: &mut Vec<f32>,
) -> Result<()> {
    let tensor = interpreter.tensor_of(graph, output)?;
    logits.clear();
    match tensor.ty {
        ElementType::F16 => {
            let values = tensor.bytes()?.chunks_exact(2);
            logits.extend(values.map(|value| f16::from_le_bytes([value[0], value[1]]).to_f32()));
        }
        _ => logits.extend(tensor.as_slice::<f32>()?),
    }
    if logits.len() < vocabulary || vocabulary == 0 {
        let message = format!("'logits' has {} elements, {vocabulary} are needed", logits.len());
        logits.clear();
        return Err(Error::Model(message));
    }
    logits.drain(..logits.len() - vocabulary);
    Ok(())
}
