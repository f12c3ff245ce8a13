//! A model that is ready to run with its inputs filled.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use arenite::{Interpreter, Model};

use super::measure::Contend;
use super::setup::Setup;
use crate::answer::Result;
use crate::batch::BatchOptions;
use crate::inputs::{self, InputOptions};
use crate::options::{Common, load_model};
use crate::picture::DecodedPicture;
use crate::readings::Context;
use crate::session::{Session, subgraph_of};

/// A model and the settings to run it with.
#[derive(Clone)]
pub(super) struct Spec<'a> {
    pub model: PathBuf,
    pub common: Common,
    /// The text of `--compare`.
    pub compare: Option<&'a str>,
    pub signature: Option<&'a str>,
    pub inputs: &'a InputOptions,
    pub batch: BatchOptions,
    pub picture: Option<&'a DecodedPicture<'a>>,
}

/// A model that is ready to run.
pub(super) struct Contender<'a> {
    pub spec: Spec<'a>,
    pub interpreter: Interpreter,
    /// The subgraph that runs: the main one, or a signature's.
    pub subgraph: usize,
    /// Time of loading plugins and model, preparing delegates and planning memory.
    pub init: Duration,
}

impl<'a> Contender<'a> {
    /// Loads and prepares the model.
    ///
    /// # Errors
    /// The model cannot be loaded or prepared, or an input cannot be filled.
    pub(super) fn load(spec: Spec<'a>) -> Result<Self> {
        let begin = Instant::now();
        let model = load_model(&spec.model)?;
        Contender::prepare(spec, &model, begin)
    }

    /// Prepares a model that is loaded.
    ///
    /// # Errors
    /// As for [`load`](Self::load).
    pub(super) fn of(spec: Spec<'a>, model: &Model) -> Result<Self> {
        Contender::prepare(spec, model, Instant::now())
    }

    fn prepare(spec: Spec<'a>, model: &Model, begin: Instant) -> Result<Self> {
        let subgraph = subgraph_of(model, spec.signature)?;
        let rebatched = spec.batch.change(model, spec.signature, &spec.common)?;
        let mut interpreter = spec.common.interpreter(&rebatched.model)?;
        let mut session = Session::open(&mut interpreter, spec.signature)?;
        rebatched.resize(&mut session)?;
        inputs::resize(&mut session, &spec.inputs.resize)?;
        session.allocate()?;
        let init = begin.elapsed();
        let context = Context::of(model, spec.signature);
        let normalization = |input, ty| context.normalization(input, ty);
        let picture = spec.picture.map(|picture| picture.with(&normalization));
        let sample_rate = |input| context.sample_rate(input);
        inputs::fill(&mut session, spec.inputs, picture.as_ref(), &sample_rate)?;
        Ok(Contender { spec, interpreter, subgraph, init })
    }

    /// Runs once, and returns how long it took.
    ///
    /// # Errors
    /// The invocation fails.
    pub(super) fn run(&mut self) -> Result<Duration> {
        let start = Instant::now();
        self.interpreter.invoke_subgraph(self.subgraph)?;
        Ok(start.elapsed())
    }

    /// Describes the model and its settings.
    ///
    /// # Errors
    /// The config file cannot be read.
    pub(super) fn setup(&self) -> Result<Setup> {
        let settings = self.spec.common.settings()?;
        let setup = Setup::of(&self.interpreter, &self.spec.model, settings.planner.as_ref());
        let owned = |text: Option<&str>| text.map(str::to_owned);
        Ok(Setup { signature: owned(self.spec.signature), compare: owned(self.spec.compare), ..setup })
    }
}

impl Contend for Contender<'_> {
    fn run(&mut self) -> Result<Duration> {
        Contender::run(self)
    }
}
