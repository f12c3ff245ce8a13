//! `arenite inspect`: what is in a model, who runs it, and where its tensors lie.

mod ops;
mod show;

use std::path::PathBuf;

use arenite::Interpreter;
use arenite_common::inspection::Inspection;
use clap::Args;
use serde::Serialize;

use crate::answer::{Answer, Result};
use crate::options::{Common, load_model};
use crate::session::Session;

const NOTES: &str = "\
Ops that no plugin serves are a warning: all else is shown, without a memory plan. If a node
is refused, or memory cannot be planned, all else is shown and the exit status is 1.";

#[derive(Args)]
#[command(after_help = NOTES)]
pub struct Arguments {
    /// The model, a .tflite file
    model: PathBuf,

    /// Give an input another shape before memory is planned (repeatable)
    #[arg(long, value_name = "K|NAME=1x2x3")]
    resize: Vec<crate::inputs::Resize>,

    /// Print only the ops that the model needs, as code for the micro interpreter
    #[arg(long, value_name = "LANGUAGE", value_enum, conflicts_with = "resize")]
    ops: Option<ops::Language>,

    #[command(flatten)]
    pub common: Common,
}

/// What `show` writes for people.
#[derive(Serialize)]
#[serde(transparent)]
struct Report(Inspection);

/// Runs the command.
pub fn inspect(arguments: &Arguments) -> Result<Answer> {
    let common = &arguments.common;
    if let Some(language) = arguments.ops {
        return ops::list(&arguments.model, language, common.json);
    }
    let model = load_model(&arguments.model)?;
    let mut interpreter = common.interpreter(&model)?;
    let outcome = allocate(&mut interpreter, arguments);
    let mut report = Inspection::of(&interpreter, Some(&arguments.model));
    let failure = match outcome {
        Ok(()) => None,
        Err(error) => {
            report.memory = None;
            report.error = Some(error.to_string());
            let unresolved = !interpreter.unresolved_ops().is_empty();
            if unresolved {
                tracing::warn!("memory is not planned: {error}");
            }
            (!unresolved).then_some(error)
        }
    };
    let report = Report(report);
    match failure {
        None => Answer::new(&report, common.json),
        Some(failure) => Answer::failed(&report, common.json, failure),
    }
}

fn allocate(interpreter: &mut Interpreter, arguments: &Arguments) -> Result<()> {
    let mut session = Session::open(interpreter, None)?;
    crate::inputs::resize(&mut session, &arguments.resize)?;
    session.allocate()
}
