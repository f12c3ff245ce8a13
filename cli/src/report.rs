//! `arenite report`: one HTML page about a model: graph, memory plan, times, and differences between delegates.

mod differences;
mod graph;
mod layout;
mod page;
mod runs;
mod show;

use std::path::PathBuf;
use std::sync::Arc;

use arenite::{Config, Interpreter, Model, Registry};
use arenite_common::inspection::Inspection;
use clap::Args;

use crate::answer::{Answer, Failure, Result};
use crate::inputs::InputOptions;
use crate::limits;
use crate::node_facts;
use crate::options::{Common, load_model};
use crate::plan::{drawings, problem};
use crate::session::Session;
use differences::{Case, Differences};
use page::Page;

const NOTES: &str = "\
The page shows
  the graph, with zoom, pan and search; click a node for its tensors, its options, what runs it,
  and why a delegate does not
  tables of nodes, ops and tensors: time, multiply-accumulates, bytes of constants
  the memory plan; --planner all draws the plans of all planners
  the time of each node in a few runs
  the differences between the delegates and the reference ops on the same inputs
It is one file: it loads nothing from the network and works offline. Inputs are random unless
--input fills them. --json prints the same data.";

#[derive(Args)]
#[command(after_help = format!("{NOTES}\n\n{}", crate::inputs::RULE))]
pub(crate) struct Arguments {
    /// The model, a .tflite file
    model: PathBuf,

    /// Write the page to this file
    #[arg(short, long, value_name = "FILE", required_unless_present = "json")]
    output: Option<PathBuf>,

    /// Do not run the model: the page has no times and no differences
    #[arg(long)]
    no_run: bool,

    /// How often to run the model for the times of its nodes, within 3 seconds
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u16).range(1..))]
    runs: u16,

    /// Run the signature with this key
    #[arg(long, value_name = "KEY")]
    signature: Option<String>,

    #[command(flatten)]
    inputs: InputOptions,

    #[command(flatten)]
    pub common: Common,
}

/// Runs the command.
pub(crate) fn report(arguments: &Arguments) -> Result<Answer> {
    let (mut page, failure) = make(arguments)?;
    if let Some(path) = &arguments.output {
        page.lay_out();
        let text = page.html()?;
        std::fs::write(path, &text).map_err(|error| Failure::with(path.display(), error))?;
        page.forget_layout();
        page.written = Some((path.clone(), text.len()));
    }
    match failure {
        None => Answer::new(&page, arguments.common.json),
        Some(failure) => Answer::failed(&page, arguments.common.json, failure),
    }
}

/// Makes the page. It comes with an error if the model cannot be prepared or run; the page then has everything else.
fn make(arguments: &Arguments) -> Result<(Page, Option<Failure>)> {
    let config = arguments.common.settings()?;
    let model = load_model(&arguments.model)?;
    limits::limit_heap(&config, arguments.common.json, &[]);
    let registry = Arc::new(Registry::discover(&config)?);
    let plans = drawings::Request::new(&config, &registry, &arguments.inputs.resize);
    let config = plans.config();
    let interpreter = Interpreter::builder(&model).config(config).registry(Arc::clone(&registry)).build()?;
    let mut work = ReportJob { arguments, config, registry: &registry, model: &model, interpreter };
    let allocated = work.allocate();
    let mut inspection = Inspection::of(&work.interpreter, Some(&arguments.model));
    node_facts::add(&mut inspection, &work.interpreter);
    let name = problem::name_of(&arguments.model);
    let (mut drawn, mut results) = (drawings::Drawings::default(), Results::default());
    let failure = match allocated {
        Ok(()) => {
            drawn = plans.draw(&work.interpreter, &name);
            let failure = work.run(&inspection, &mut results).err();
            inspection.read_placement(&work.interpreter);
            failure
        }
        Err(error) => {
            inspection.memory = None;
            Some(error)
        }
    };
    let mut page = Page::new(name, inspection, drawn, &work.interpreter);
    page.runs = results.runs;
    page.differences = results.differences;
    page.error = failure.as_ref().map(Failure::to_string);
    Ok((page, failure))
}

/// The results of running the model.
#[derive(Default)]
struct Results {
    runs: Option<runs::Runs>,
    differences: Option<Differences>,
}

struct ReportJob<'a> {
    arguments: &'a Arguments,
    config: &'a Config,
    registry: &'a Arc<Registry>,
    model: &'a Model,
    interpreter: Interpreter,
}

impl ReportJob<'_> {
    fn allocate(&mut self) -> Result<()> {
        let mut session = Session::open(&mut self.interpreter, self.arguments.signature.as_deref())?;
        crate::inputs::resize(&mut session, &self.arguments.inputs.resize)?;
        session.allocate()
    }

    /// Compares delegates, then measures. Stops at the first error and keeps the results so far.
    fn run(&mut self, inspection: &Inspection, results: &mut Results) -> Result<()> {
        let Arguments { no_run, signature, inputs, runs, .. } = self.arguments;
        if *no_run {
            return Ok(());
        }
        let signature = signature.as_deref();
        if !self.interpreter.facts().is_empty() || delegates_run(inspection) {
            let (config, registry, model) = (self.config, self.registry, self.model);
            let case = Case { config, registry, model, signature, inputs };
            results.differences = Some(differences::compare(&case, &mut self.interpreter)?);
            self.interpreter.reset_variables();
        }
        let mut found = runs::run(&mut self.interpreter, signature, inputs, usize::from(*runs))?;
        found.nodes = runs::node_times(&self.interpreter, inspection);
        results.runs = Some(found);
        Ok(())
    }
}

/// Whether a delegate runs a node of the main subgraph.
fn delegates_run(inspection: &Inspection) -> bool {
    use arenite_common::placement::Server;
    let nodes = inspection.subgraphs.iter().flat_map(|subgraph| &subgraph.nodes);
    let mut servers = nodes.filter_map(|node| node.served_by.as_ref());
    servers.any(|server| match server {
        Server::Delegate { .. } => true,
        Server::Inlined { nodes } => nodes.iter().any(|node| matches!(node, Server::Delegate { .. })),
        _ => false,
    })
}
