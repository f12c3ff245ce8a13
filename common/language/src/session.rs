//! Sessions: a model, its caches, and the tokens in them.

use arenite::{ElementType, Interpreter};
use half::f16;

use crate::error::{Error, Result};
use crate::layout::{Entry, Layout, Mask, MaskKind};

/// A conversation with a language model: the tokens so far are in the caches.
pub struct Session {
    interpreter: Interpreter,
    layout: Layout,
    /// The bytes of each cache.
    caches: Vec<Vec<u8>>,
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
        let caches = layout.caches.iter().map(|(_, bytes)| vec![0; *bytes]).collect();
        Ok(Session { interpreter, layout, caches, tokens: Vec::new(), logits: Vec::new() })
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
        let Layout { decode, prefills, .. } = &self.layout;
        for entry in prefills.iter().filter(|entry| entry.fits(count)).chain([decode]) {
            self.interpreter.allocate_subgraph(entry.subgraph)?;
        }
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
    pub fn save(&self) -> State {
        State { caches: self.caches.clone(), tokens: self.tokens.clone(), logits: self.logits.clone() }
    }

    /// Continues from a saved state.
    ///
    /// # Errors
    /// The state is of a model with other caches.
    pub fn restore(&mut self, state: &State) -> Result<()> {
        let sizes = |caches: &[Vec<u8>]| caches.iter().map(Vec::len).collect::<Vec<_>>();
        if sizes(&state.caches) != sizes(&self.caches) || state.tokens.len() > self.capacity() {
            return Err(Error::State("the saved state is of a model with other caches".into()));
        }
        let State { caches, tokens, logits } = state.clone();
        (self.caches, self.tokens, self.logits) = (caches, tokens, logits);
        Ok(())
    }

    /// Runs one signature for as many tokens as it takes.
    fn step(&mut self, entry: &Entry, ids: &[u32]) -> Result<()> {
        let Session { interpreter, caches, tokens, logits, layout } = self;
        let (graph, begin) = (entry.subgraph, tokens.len());
        interpreter.allocate_subgraph(graph)?;
        let ids32: Vec<i32> = ids.iter().map(|&id| id as i32).collect();
        let positions: Vec<i32> = (begin..begin + ids.len()).map(|position| position as i32).collect();
        interpreter.tensor_mut_of(graph, entry.tokens)?.copy_from_slice(&ids32)?;
        interpreter.tensor_mut_of(graph, entry.positions)?.copy_from_slice(&positions)?;
        if let Some(mask) = entry.mask {
            let bytes = mask_bytes(mask, begin, ids.len());
            interpreter.tensor_mut_of(graph, mask.tensor)?.copy_from_bytes(&bytes)?;
        }
        for (&(input, _), cache) in entry.caches.iter().zip(&*caches) {
            interpreter.tensor_mut_of(graph, input)?.copy_from_bytes(cache)?;
        }
        interpreter.invoke_subgraph(graph)?;
        for (&(_, output), cache) in entry.caches.iter().zip(caches) {
            let value = interpreter.tensor_of(graph, output)?.bytes()?;
            if value.len() != cache.len() {
                let name = interpreter.tensor_of(graph, output)?.name;
                return Err(Error::Model(format!(
                    "cache '{name}' has {} bytes after a run, {} before",
                    value.len(),
                    cache.len()
                )));
            }
            cache.copy_from_slice(value);
        }
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
