//! Answers: tokens chosen one after another until something ends them.

use std::time::{Duration, Instant};

use crate::error::Result;
use crate::sampler::Sampler;
use crate::session::Session;

/// When an answer ends.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// After this many tokens.
    pub count: usize,
    /// After one of these tokens, which is part of the answer.
    pub stop_ids: Vec<u32>,
}

impl Request {
    /// An answer of `count` tokens.
    pub fn of(count: usize) -> Self {
        Request { count, stop_ids: Vec::new() }
    }
}

/// Why an answer ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// It has as many tokens as requested.
    Count,
    /// Its last token is one of the request's stop ids.
    StopId,
    /// The caller asked for it.
    Caller,
    /// The caches are full.
    Full,
}

/// Tokens that were run, and the time it took.
#[derive(Clone, Copy, Debug, Default)]
pub struct Work {
    /// How many tokens.
    pub tokens: usize,
    /// Time for all of them.
    pub time: Duration,
}

impl Work {
    /// Tokens per second; `None` if nothing was run.
    pub fn rate(&self) -> Option<f64> {
        let seconds = self.time.as_secs_f64();
        (self.tokens > 0 && seconds > 0.0).then(|| self.tokens as f64 / seconds)
    }
}

/// An answer.
#[derive(Clone, Debug)]
pub struct Answer {
    /// Its tokens.
    pub ids: Vec<u32>,
    /// Why it ended.
    pub reason: Reason,
    /// The tokens of the context that were not in the caches yet.
    pub prefill: Work,
    /// The answer's tokens that were run: all but the last.
    pub decode: Work,
}

impl Session {
    /// Makes `context` the tokens of the session, as [`set_tokens`](Self::set_tokens) does, and chooses tokens until
    /// the answer ends. `proceed` is called before each invocation with `None` and for each chosen token with it; the
    /// answer ends if it returns `false`. The last token of the answer is not in the caches yet. For the next turn,
    /// append to the context this answer and the next message.
    ///
    /// # Errors
    /// As [`set_tokens`](Self::set_tokens) and [`Sampler::choose`].
    pub fn generate(
        &mut self,
        context: &[u32],
        sampler: &mut Sampler,
        request: &Request,
        proceed: &mut dyn FnMut(Option<u32>) -> bool,
    ) -> Result<Answer> {
        self.prepare(context.len())?;
        let begin = Instant::now();
        let tokens = self.set_tokens_while(context, &mut || proceed(None))?;
        let prefill = Work { tokens, time: begin.elapsed() };
        let (mut ids, begin) = (Vec::new(), Instant::now());
        let reason = match self.tokens().len() < context.len() {
            true => Reason::Caller,
            false => self.choose_all(sampler, request, proceed, &mut ids)?,
        };
        let decode = Work { tokens: ids.len().saturating_sub(1), time: begin.elapsed() };
        Ok(Answer { ids, reason, prefill, decode })
    }

    /// Chooses tokens until the answer ends, and runs all but the last.
    fn choose_all(
        &mut self,
        sampler: &mut Sampler,
        request: &Request,
        proceed: &mut dyn FnMut(Option<u32>) -> bool,
        ids: &mut Vec<u32>,
    ) -> Result<Reason> {
        while ids.len() < request.count {
            if let Some(&last) = ids.last() {
                if self.tokens().len() == self.capacity() {
                    return Ok(Reason::Full);
                }
                if !proceed(None) {
                    return Ok(Reason::Caller);
                }
                self.append(&[last])?;
            }
            let id = sampler.choose(self.logits()?)?;
            ids.push(id);
            let proceeds = proceed(Some(id));
            if request.stop_ids.contains(&id) {
                return Ok(Reason::StopId);
            }
            if !proceeds {
                return Ok(Reason::Caller);
            }
        }
        Ok(Reason::Count)
    }
}
