//! `arenite generate`: lets a language model continue tokens.

mod arguments;
mod report;
mod turns;

use std::time::Instant;

use arenite_language::{Sampler, Sampling, Session};

pub(crate) use self::arguments::Arguments;
use self::turns::Turns;
use crate::answer::{Answer, Failure, Result};
use crate::options::load_model;

/// Runs the command.
pub(crate) fn generate(arguments: &Arguments) -> Result<Answer> {
    let begin = Instant::now();
    let sampler = Sampler::new(&Sampling::from(&arguments.sampling))?;
    let model = load_model(&arguments.model)?;
    let interpreter = arguments.common.interpreter(&model)?;
    let session =
        Session::new(interpreter).map_err(|error| Failure::with(arguments.model.display(), error))?;
    let load = begin.elapsed();
    Turns::new(arguments, session, sampler)?.run(load)
}

impl From<arenite_language::Error> for Failure {
    fn from(error: arenite_language::Error) -> Self {
        Failure::new(error.to_string())
    }
}
