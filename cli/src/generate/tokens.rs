//! Turns of tokens: numbers, and numbers as answers.

use arenite_language::{Request, Sampler, Session};

use super::report::{Given, Turn};
use super::turns::Talk;
use crate::answer::{Failure, Result};

/// A conversation in tokens.
pub(super) struct Tokens {
    session: Session,
    sampler: Sampler,
    request: Request,
    /// All tokens so far: what was given, and the answers.
    context: Vec<u32>,
}

impl Tokens {
    pub(super) fn new(session: Session, sampler: Sampler, request: Request) -> Self {
        Tokens { session, sampler, request, context: Vec::new() }
    }
}

impl Talk for Tokens {
    fn session(&self) -> &Session {
        &self.session
    }

    fn answer(&mut self, line: &str, show: &mut dyn FnMut(&str) -> bool) -> Result<Turn> {
        let given = parse(line)?;
        let before = self.context.len();
        self.context.extend(&given);
        let mut comma = "";
        let answer = self.session.generate(&self.context, &mut self.sampler, &self.request, &mut |id| {
            let piece = id.map(|id| format!("{}{id}", std::mem::replace(&mut comma, ",")));
            show(piece.as_deref().unwrap_or_default())
        });
        let answer = answer.inspect_err(|_| self.context.truncate(before))?;
        self.context.extend(&answer.ids);
        Ok(Turn::new(Given::Tokens { given }, answer))
    }
}

fn parse(line: &str) -> Result<Vec<u32>> {
    let parts = line.split([',', ' ', '\t', '\r', '\n']).filter(|part| !part.is_empty());
    let number = |part: &str| {
        part.parse().map_err(|_| {
            Failure::new(format!(
                "'{part}' is not a token; without a tokenizer, a line is numbers such as 1,2,3"
            ))
        })
    };
    parts.map(number).collect()
}
