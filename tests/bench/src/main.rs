//! Measures arenite beside other runtimes: speed, start, memory, agreement. See README.md.

mod agreement;
mod contender;
mod csv;
mod definitions;
mod failure;
mod inputs;
mod layers;
mod machine;
mod measure;
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

/// Measure arenite beside other runtimes.
#[derive(Parser)]
#[command(name = "arenite-bench", version, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Measure models, all contenders by turns
    Run(Box<run::Arguments>),
    /// Measure loading, allocating, the first run and resizes, all contenders by turns
    Resize(Box<resize::Arguments>),
    /// Measure the nodes of a model one by one
    Layers(Box<layers::Arguments>),
    /// Show arenite's own time per node
    Profile(profile::Arguments),
    /// Be a contender: answer requests on stdin
    Serve(serve::Setup),
    /// Measure what the machine's cores can do at most
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
