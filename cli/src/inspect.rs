//! `arenite inspect`: shows a model's contents, what runs each node, and where its tensors are placed.

mod batch;
mod container;
mod described;
mod language;
mod one_node;
mod one_tensor;
mod ops;
mod report;
mod show;
mod totals;

use std::fmt::Display;
use std::path::PathBuf;
use std::sync::Arc;

use arenite::{Interpreter, Registry};
use arenite_common::inspection::Inspection;
use clap::Args;
use serde::Serialize;

use crate::answer::{Answer, Failure, Result};
use crate::limits;
use crate::node_facts;
use crate::options::{Common, load_model};
use crate::session::Session;
use batch::BatchText;
use container::ContainerText;
use report::Report;
use totals::Totals;

const NOTES: &str = "\
If no plugin has an op, a warning says so and the memory plan is missing. If a node is invalid
or memory cannot be planned, everything else is shown and the exit status is 1.";

#[derive(Args)]
#[command(after_help = NOTES)]
pub(crate) struct Arguments {
    /// The model, a .tflite file
    model: PathBuf,

    /// Give an input another shape before memory is planned (repeatable)
    #[arg(long, value_name = "K|NAME=1x2x3")]
    resize: Vec<crate::inputs::Resize>,

    /// Print only the list of ops the model needs, as source code for the micro interpreter
    #[arg(long, value_name = "LANGUAGE", value_enum, conflicts_with = "resize")]
    ops: Option<ops::Language>,

    /// Show only this node: its tensors, options, what runs it, and why other delegates do not
    #[arg(long, value_name = "N", conflicts_with_all = ["ops", "tensor"])]
    node: Option<usize>,

    /// Show only this tensor: its type, quantization, nodes that use it, and a constant's values
    #[arg(long, value_name = "NAME|INDEX", conflicts_with = "ops")]
    tensor: Option<String>,

    /// The subgraph of --node or --tensor
    #[arg(long, value_name = "N", default_value_t = 0)]
    subgraph: usize,

    #[command(flatten)]
    pub common: Common,
}

/// Runs the command.
pub(crate) fn inspect(arguments: &Arguments) -> Result<Answer> {
    let common = &arguments.common;
    if let Some(language) = arguments.ops {
        return ops::list(&arguments.model, language, common.json);
    }
    let container = ContainerText::of(&arguments.model)?.map(|text| text.alone(&arguments.model)).transpose();
    let container = match container {
        Ok(container) => container,
        Err((sections, failure)) => return answer(&sections, common.json, Some(failure)),
    };
    let model = load_model(&arguments.model)?;
    let config = common.settings()?;
    limits::limit_heap(&config, common.json, &[]);
    let registry = Arc::new(Registry::discover(&config)?);
    let built = Interpreter::builder(&model).config(&config).registry(Arc::clone(&registry)).build();
    let mut interpreter = built.map_err(|error| common.explain(error))?;
    let outcome = allocate(&mut interpreter, arguments);
    let mut report = Inspection::of(&interpreter, Some(&arguments.model));
    node_facts::add(&mut report, &interpreter);
    let failure = outcome.err();
    if let Some(error) = &failure {
        report.memory = None;
        report.error = Some(error.to_string());
    }
    if let Some(node) = arguments.node {
        return answer(&one_node::find(report, arguments.subgraph, node)?, common.json, failure);
    }
    if let Some(tensor) = &arguments.tensor {
        let tensor = one_tensor::find(report, &mut interpreter, arguments.subgraph, tensor)?;
        return answer(&tensor, common.json, failure);
    }
    // Shapes that the user chose are not changed.
    let may_try = arguments.resize.is_empty() && report.error.is_none();
    let batch = may_try.then(|| BatchText::attempt(&model, &config, &registry)).flatten();
    answer(&whole(report, container, batch, &mut interpreter), common.json, failure)
}

/// The report on a whole model.
fn whole(
    inspection: Inspection,
    container: Option<ContainerText>,
    batch: Option<BatchText>,
    interpreter: &mut Interpreter,
) -> Report {
    let model = interpreter.model().clone();
    Report {
        container,
        described: described::ModelDescription::of(&model),
        weight_files: language::weight_files(&model.view()),
        caches: language::caches(interpreter, &inspection.signatures),
        totals: Totals::of(&inspection, &model.view()),
        batch,
        inspection,
    }
}

fn answer<R: Display + Serialize>(report: &R, json: bool, failure: Option<Failure>) -> Result<Answer> {
    match failure {
        None => Answer::new(report, json),
        Some(failure) => Answer::failed(report, json, failure),
    }
}

fn allocate(interpreter: &mut Interpreter, arguments: &Arguments) -> Result<()> {
    let mut session = Session::open(interpreter, None)?;
    crate::inputs::resize(&mut session, &arguments.resize)?;
    session.allocate()
}
