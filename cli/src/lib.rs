//! The `arenite` program: runs, measures and inspects `.tflite` models, and lists plugins.
//!
//! One file per command; each gives an [`answer::Answer`], which [`main`] prints. The options that all commands share are
//! in [`options`]. `examples/manual.rs` writes the manual of [`command`].
#![forbid(unsafe_code)]

mod answer;
mod bench;
mod devices;
mod inputs;
mod inspect;
mod labels;
mod limits;
mod logging;
mod npy;
mod options;
mod picture;
mod plan;
mod plugins;
mod run;
mod session;
mod text;
mod trace_file;

/// The readers of files that the fuzz targets call.
#[doc(hidden)]
pub mod readers {
    use std::path::Path;

    /// The bytes that a NumPy file gives to input `index`.
    ///
    /// # Errors
    /// The file is no array of the input's type and shape.
    pub fn npy(path: &Path, input: &arenite::Tensor<'_>, index: usize) -> Result<Vec<u8>, String> {
        crate::npy::read(path, input, index).map_err(|failure| failure.to_string())
    }

    /// The names in a file of labels.
    ///
    /// # Errors
    /// The file cannot be read, or is no text.
    pub fn labels(path: &Path) -> Result<Vec<String>, String> {
        crate::labels::read(path).map_err(|failure| failure.to_string())
    }
}

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
  arenite inspect model.tflite
  arenite plan model.tflite --planner all --html plan.html
  arenite plugins my-plugins

Every command takes --json for output that programs read, and --help for its options.
Exit status: 0 success, 1 failure, 2 wrong usage. Errors and notes go to stderr.";

#[derive(Subcommand)]
enum Command {
    /// Run a model once and show what it answers
    Run(run::Arguments),
    /// Measure how long a model takes and how much memory it needs
    Bench(bench::Arguments),
    /// Show a model's tensors and nodes, who runs each node, and the memory plan
    Inspect(inspect::Arguments),
    /// Plan memory: of a model or of usage records, with one planner or with all, as text, JSON or a picture
    Plan(plan::Arguments),
    /// List the plugins that are found, what they offer, and what failed to load
    Plugins(plugins::Arguments),
    /// List the devices that delegates can run on
    Devices(devices::Arguments),
}

impl Command {
    fn common(&self) -> &Common {
        match self {
            Command::Run(arguments) => &arguments.common,
            Command::Bench(arguments) => &arguments.common,
            Command::Inspect(arguments) => &arguments.common,
            Command::Plan(arguments) => &arguments.common,
            Command::Plugins(arguments) => &arguments.common,
            Command::Devices(arguments) => &arguments.common,
        }
    }

    /// The list of plugins has the failures in it, which the loader warns about.
    fn log_level(&self) -> LevelFilter {
        match (self, self.common().verbose) {
            (Command::Plugins(_), 0) => LevelFilter::ERROR,
            (_, verbose) => logging::level(verbose),
        }
    }

    /// Whether the whole command is limited in time, and how long it may take without being asked for.
    fn time(&self) -> Option<Option<Duration>> {
        match self {
            Command::Run(_) => Some(Some(limits::DEFAULT_TIME)),
            Command::Inspect(_) | Command::Plan(_) => Some(None),
            Command::Bench(_) | Command::Plugins(_) | Command::Devices(_) => None,
        }
    }

    fn answer(&self) -> Result<Answer> {
        match self {
            Command::Run(arguments) => run::run(arguments),
            Command::Bench(arguments) => bench::bench(arguments),
            Command::Inspect(arguments) => inspect::inspect(arguments),
            Command::Plan(arguments) => plan::plan(arguments),
            Command::Plugins(arguments) => plugins::plugins(arguments),
            Command::Devices(arguments) => devices::devices(arguments),
        }
    }
}

/// Does what the command line says.
pub fn main() -> ExitCode {
    let start = Instant::now();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return answer::print_usage(&error),
    };
    let common = cli.command.common();
    logging::start(cli.command.log_level());
    let watch = cli.command.time().and_then(|default| limits::watch(common, start, default));
    let answer = cli.command.answer().unwrap_or_else(Answer::from);
    // Whoever reads the answer, a pager for example, takes as long as they like.
    drop(watch);
    answer.print(common.json)
}

/// The command line, described.
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
