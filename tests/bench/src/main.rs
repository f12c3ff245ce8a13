//! Compares arenite with other runtimes: speed, start, memory, agreement. See README.md.

mod agreement;
mod contender;
mod csv;
mod definitions;
mod failure;
mod inputs;
mod language;
mod layers;
mod machine;
mod measure;
mod ops;
mod options;
mod peak;
mod profile;
mod protocol;
mod report;
mod resize;
mod run;
mod selection;
mod serve;
mod statistics;
mod stopwatch;
mod table;
mod work;

use std::process::ExitCode;

use arenite_builtin as _;
use clap::{Parser, Subcommand};

use failure::Result;

/// Compare arenite with other runtimes.
#[derive(Parser)]
#[command(name = "arenite-bench", version, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Measure models, with all contenders taking turns
    Run(Box<run::Arguments>),
    /// Measure loading, allocating, the first run and resizes, with all contenders taking turns
    Resize(Box<resize::Arguments>),
    /// Measure the nodes of a model one by one
    Layers(Box<layers::Arguments>),
    /// Measure the signatures of language models, with LiteRT taking turns
    Language(Box<language::Arguments>),
    /// Measure each op on each element type, with all contenders taking turns
    Ops(Box<ops::Arguments>),
    /// Show arenite's own time per node
    Profile(profile::Arguments),
    /// Act as a contender: answer requests on stdin
    Serve(serve::Setup),
    /// Measure the peak arithmetic rate of the machine's cores
    Peak {
        /// Numbers of threads
        #[arg(long, value_delimiter = ',', default_value = "1,2")]
        threads: Vec<usize>,
    },
}

fn main() -> ExitCode {
    match answer(Cli::parse().command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("error: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn answer(command: Command) -> Result<()> {
    match command {
        Command::Run(arguments) => run::run(&arguments),
        Command::Resize(arguments) => resize::resize(&arguments),
        Command::Layers(arguments) => layers::layers(&arguments),
        Command::Language(arguments) => language::language(&arguments),
        Command::Ops(arguments) => ops::ops(&arguments),
        Command::Profile(arguments) => profile::profile(&arguments),
        Command::Serve(setup) => serve::serve(&setup),
        Command::Peak { threads } => {
            for peak in threads.into_iter().map(peak::Peak::measure) {
                println!("{peak}");
            }
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_command_line_is_consistent() {
        use clap::CommandFactory;
        super::Cli::command().debug_assert();
    }
}
