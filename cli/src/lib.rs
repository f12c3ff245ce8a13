//! The `arenite` program: runs, measures and inspects `.tflite` models, and lists plugins.
//!
//! There is one file per command. Each command returns an [`answer::Answer`], which [`main`] prints. [`options`] holds
//! the options that all commands share. `examples/manual.rs` generates the manual from [`command`].
#![deny(unsafe_code)]

mod answer;
mod batch;
mod bench;
mod carried;
mod compare;
mod config;
mod config_file;
mod devices;
mod difference;
mod each;
mod embed;
mod front_end;
mod generate;
mod inputs;
mod inspect;
mod limits;
mod logging;
#[allow(unsafe_code)]
mod mapped;
mod new_model;
mod node_facts;
mod npy;
mod options;
mod outputs;
mod page;
mod picture;
mod plan;
mod plugins;
mod random;
mod readings;
mod report;
mod resize;
mod run;
mod run_options;
mod sequence;
mod session;
mod sound;
mod sound_input;
mod text;
mod trace_file;
mod usage;

/// File readers, exposed for the fuzz targets.
#[doc(hidden)]
pub mod readers {
    use std::path::Path;

    /// Reads a NumPy file as the bytes of input `index`.
    ///
    /// # Errors
    /// The file is not an array of the input's type and shape.
    pub fn npy(path: &Path, input: &arenite::Tensor<'_>, index: usize) -> Result<Vec<u8>, String> {
        crate::npy::read(path, input, index).map_err(|failure| failure.to_string())
    }

    /// Reads the names in a label file.
    ///
    /// # Errors
    /// The file cannot be read or is not text.
    pub fn labels(path: &Path) -> Result<Vec<String>, String> {
        crate::readings::read_labels(path).map_err(|failure| failure.to_string())
    }
}

/// Comparisons of models, which the Python package shares.
pub mod comparison {
    pub use crate::answer::{Failure, Result};
    pub use crate::compare::comparison::{Comparison, Expected, Record};
    pub use crate::compare::dumps::read;
    pub use crate::compare::narrow::{FusedTensor, InsideSearch};
    pub use crate::compare::recording::{RecordedTensor, Recording, Values};
    pub use crate::compare::verdict::{ComparedTensor, Distance};
}

/// Pictures of memory plans, which the Python package shares.
pub mod drawing {
    pub use crate::plan::drawings::svg_of;
}

/// Measurements of run times, which the Python package shares.
pub mod timing {
    pub use crate::bench::measure::{Contend, Length, Measurement, measure};
    pub use crate::bench::ratio::Ratio;
    pub use crate::bench::samples::{Samples, Times};
}

use std::ffi::OsString;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anstyle::{AnsiColor, Style};
use arenite_builtin as _;
use clap::builder::Styles;
use clap::{CommandFactory, Parser, Subcommand};

use answer::{Answer, Result};
use options::Common;
use tracing_subscriber::filter::LevelFilter;

const STYLES: Styles = Styles::styled()
    .header(Style::new().bold())
    .usage(Style::new().bold())
    .literal(AnsiColor::Cyan.on_default())
    .placeholder(AnsiColor::Green.on_default());

/// Run, measure and inspect .tflite models.
#[derive(Parser)]
#[command(name = "arenite", version, styles = STYLES, max_term_width = 100, after_help = EXAMPLES)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "\
Examples:
  arenite run model.tflite --image cat.jpg --labels labels.txt --top 3
  arenite run model.tflite --input 0=x.npy --output-dir results
  arenite bench model.tflite --threads 2 --profile
  arenite generate model.tflite --prompt 'Once upon a time' -n 20
  arenite inspect model.tflite
  arenite compare model.tflite --delegate none --delegate cpu
  arenite plan model.tflite --planner all --html plan.html
  arenite embed model.tflite --target cortex-m4
  arenite report model.tflite -o report.html
  arenite new-model cube.tflite 'y:FLOAT32[1,4] = Cube(x:FLOAT32[1,4])'
  arenite plugins my-plugins

Every command takes --json for output that programs read, and --help for its options.
Exit status: 0 success, 1 failure, 2 wrong usage. Errors and notes go to stderr.";

#[derive(Subcommand)]
enum Command {
    /// Run a model once and show its outputs
    Run(run::Arguments),
    /// Measure how long a model takes and how much memory it needs
    Bench(bench::Arguments),
    /// Let a language model continue tokens
    Generate(generate::Arguments),
    /// Show a model's tensors and nodes, what runs each node, and the memory plan
    Inspect(inspect::Arguments),
    /// Run a model in two ways, or against another runtime's values, and find the first tensor that differs
    Compare(compare::Arguments),
    /// Plan the memory of a model or of usage records, with one planner or all, as text, JSON or a picture
    Plan(plan::Arguments),
    /// Write a model as source code for a microcontroller
    Embed(embed::Arguments),
    /// Write a page about a model: its graph, memory plan, times, and differences between delegates
    Report(report::Arguments),
    /// Write a small model from a line of text per node, to try an op of a plugin
    NewModel(new_model::Arguments),
    /// List the plugins found, what they offer, and plugins that failed to load
    Plugins(plugins::Arguments),
    /// Show the settings in force, and where each comes from: default, config file, variable or option
    Config(config::Arguments),
    /// List the devices that delegates can run on
    Devices(devices::Arguments),
}

impl Command {
    fn common(&self) -> &Common {
        match self {
            Command::Run(arguments) => &arguments.common,
            Command::Bench(arguments) => &arguments.common,
            Command::Generate(arguments) => &arguments.common,
            Command::Inspect(arguments) => &arguments.common,
            Command::Compare(arguments) => &arguments.common,
            Command::Plan(arguments) => &arguments.common,
            Command::Embed(arguments) => &arguments.common,
            Command::Report(arguments) => &arguments.common,
            Command::NewModel(arguments) => &arguments.common.0,
            Command::Plugins(arguments) => &arguments.common.0,
            Command::Config(arguments) => &arguments.common,
            Command::Devices(arguments) => &arguments.common.0,
        }
    }

    /// `plugins` lists load failures itself, so the loader's warnings are suppressed.
    fn log_level(&self) -> LevelFilter {
        match (self, self.common().verbose) {
            (Command::Plugins(_), 0) => LevelFilter::ERROR,
            (_, verbose) => logging::level(verbose),
        }
    }

    /// `None`: the command as a whole has no time limit. `Some`: it has one, with this default.
    fn time(&self) -> Option<Option<Duration>> {
        match self {
            Command::Run(_) => Some(Some(limits::DEFAULT_TIME)),
            Command::Inspect(_) | Command::Compare(_) | Command::Plan(_) | Command::Report(_) => Some(None),
            Command::Embed(_) => Some(None),
            Command::Bench(_) | Command::NewModel(_) | Command::Plugins(_) | Command::Config(_) => None,
            Command::Devices(_) | Command::Generate(_) => None,
        }
    }

    fn answer(&self) -> Result<Answer> {
        match self {
            Command::Run(arguments) => run::run(arguments),
            Command::Bench(arguments) => bench::bench(arguments),
            Command::Generate(arguments) => generate::generate(arguments),
            Command::Inspect(arguments) => inspect::inspect(arguments),
            Command::Compare(arguments) => compare::compare(arguments),
            Command::Plan(arguments) => plan::plan(arguments),
            Command::Embed(arguments) => embed::embed(arguments),
            Command::Report(arguments) => report::report(arguments),
            Command::NewModel(arguments) => new_model::new_model(arguments),
            Command::Plugins(arguments) => plugins::plugins(arguments),
            Command::Config(arguments) => config::config(arguments),
            Command::Devices(arguments) => devices::devices(arguments),
        }
    }
}

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    ExitCode::from(run_command(std::env::args_os()))
}

/// Stack for the description of all commands: without optimization it needs more than 256 KB.
const PARSER_STACK: usize = 1 << 20;

/// Runs a command line, which begins with the name of the program. Returns the exit status. A process can do this once,
/// because it starts the log.
pub fn run_command(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let start = Instant::now();
    let cli = match stacker::grow(PARSER_STACK, || Cli::try_parse_from(arguments)) {
        Ok(cli) => cli,
        Err(error) => return answer::print_usage(&error, stacker::grow(PARSER_STACK, Cli::command)),
    };
    let common = cli.command.common();
    logging::start(cli.command.log_level());
    let watch = cli.command.time().and_then(|default| limits::watch(common, start, default));
    let answer = cli.command.answer().unwrap_or_else(Answer::from);
    // Printing is not limited: a pager may take as long as it likes to read the answer.
    drop(watch);
    answer.print(common.json)
}

/// The description of the command line.
pub fn command() -> clap::Command {
    Cli::command()
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_command_line_is_consistent() {
        super::command().debug_assert();
    }
}
