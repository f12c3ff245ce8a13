//! Command-line options that `run`, `resize`, `layers` and `ops` share.

use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::time::Duration;

use arenite::Interpreter;
use clap::Args;
use serde::Serialize;

use crate::definitions::{BUILTIN, CapDefinition, ContenderDefinition, Definitions, Format, Places};
use crate::failure::{Failure, Result};
use crate::machine::Machine;
use crate::measure::Effort;
use crate::serve::Setup;

#[derive(Args)]
pub(crate) struct Options {
    /// Numbers of threads [default: from the definitions]
    #[arg(long, value_name = "N", value_delimiter = ',')]
    threads: Vec<usize>,

    /// Seconds that each contender runs per model and number of threads
    #[arg(long, value_name = "S")]
    seconds: Option<f64>,

    /// Milliseconds of a turn
    #[arg(long, value_name = "MS", default_value_t = 100)]
    slice: u64,

    /// Measure briefly: half a second, turns of 50 ms, one start
    #[arg(long)]
    quick: bool,

    /// Wait up to this many seconds per model for a quiet machine, and measure again if it was not
    #[arg(long, value_name = "S", default_value_t = 0)]
    wait: u64,

    /// Write the machine's file in tests/bench/results
    #[arg(long)]
    pub record: bool,

    /// Print JSON to stdout
    #[arg(long)]
    json: bool,

    /// Print the tables as Markdown
    #[arg(long, conflicts_with = "json")]
    markdown: bool,

    /// Skip this contender (repeatable)
    #[arg(long, value_name = "NAME", help_heading = "Contenders")]
    without: Vec<String>,

    /// An additional contender (repeatable), for instance "old=/tmp/old/arenite-bench serve", or "avx2=env
    /// ARENITE_ISA=avx2 {self} serve --delegate cpu"
    #[arg(long, value_name = "NAME=COMMAND", help_heading = "Contenders")]
    with: Vec<String>,

    /// Limit contenders to an instruction set, and skip contenders that cannot be limited
    #[arg(long, value_name = "NAME", help_heading = "Contenders")]
    cap: Option<String>,

    /// The folder of the zoo [default: target/zoo]
    #[arg(long, value_name = "DIR", help_heading = "Places")]
    zoo: Option<PathBuf>,

    /// The Python interpreter with the peers installed [default: venv/bin/python of the repository, or python3]
    #[arg(long, value_name = "FILE", help_heading = "Places")]
    python: Option<PathBuf>,

    /// Use these definitions in place of tests/bench/bench.toml
    #[arg(long, value_name = "FILE", help_heading = "Places")]
    definitions: Option<PathBuf>,

    #[command(flatten)]
    pub setup: Setup,
}

impl Options {
    pub(crate) fn places(&self) -> Result<Places> {
        let bench = Path::new(env!("CARGO_MANIFEST_DIR"));
        let root = bench.ancestors().nth(2).unwrap_or(bench);
        let virtual_environment = root.join("venv/bin/python");
        let python = match virtual_environment.is_file() {
            true => virtual_environment,
            false => "python3".into(),
        };
        let shared = std::env::var_os("ARENITE_SHARED").map(PathBuf::from);
        Ok(Places {
            program: std::env::current_exe().map_err(|error| Failure::with("this program", error))?,
            python: self.python.clone().unwrap_or(python),
            bench: bench.to_owned(),
            zoo: self.zoo.clone().unwrap_or_else(|| root.join("target/zoo")),
            shared: shared.unwrap_or_else(|| root.join("../shared")),
        })
    }

    /// The suite's definitions, or the given file's.
    pub(crate) fn definitions(&self) -> Result<Definitions> {
        let Some(path) = &self.definitions else { return Definitions::parse(BUILTIN) };
        let text = std::fs::read_to_string(path).map_err(|error| Failure::with(path.display(), error))?;
        Definitions::parse(&text)
    }

    pub(crate) fn threads(&self, definitions: &Definitions) -> Vec<usize> {
        self.thread_counts(&definitions.threads)
    }

    /// Numbers of threads, by default these.
    pub(crate) fn thread_counts(&self, otherwise: &[usize]) -> Vec<usize> {
        if self.threads.is_empty() { otherwise.to_vec() } else { self.threads.clone() }
    }

    /// `seconds` and `starts` are the defaults.
    pub(crate) fn effort(&self, seconds: f64, starts: usize) -> Effort {
        let (seconds, slice, starts) = match self.quick {
            true => (seconds.min(0.5), self.slice.min(50), starts.min(1)),
            false => (seconds, self.slice, starts),
        };
        Effort {
            race: Duration::try_from_secs_f64(self.seconds.unwrap_or(seconds)).unwrap_or_default(),
            slice: Duration::from_millis(slice),
            starts,
            patience: Duration::from_secs(self.wait),
        }
    }

    /// Prints a report in the requested form.
    pub(crate) fn print(&self, report: &(impl Display + Serialize)) -> Result<()> {
        if self.json {
            let text = serde_json::to_string(report).map_err(|error| Failure::with("JSON", error))?;
            println!("{text}");
        } else if self.markdown {
            print!("{report:#}");
        } else {
            print!("{report}");
        }
        Ok(())
    }

    /// The selected contenders of the definitions, with arenite's options, and the additional ones.
    pub(crate) fn contenders(&self, definitions: &Definitions) -> Result<Vec<ContenderDefinition>> {
        let mut contenders = definitions.contenders.clone();
        for name in &self.without {
            if !contenders.iter().any(|contender| contender.name == *name) {
                return Err(Failure::new(format!("--without {name}: unknown contender")));
            }
            contenders.retain(|contender| contender.name != *name);
        }
        for contender in &mut contenders {
            if contender.command.first().is_some_and(|program| program == "{self}") {
                contender.command.extend(self.setup.arguments());
            }
        }
        if let Some(name) = &self.cap {
            let cap = definitions.cap(name)?;
            contenders.retain(|contender| cap.contenders.contains(&contender.name));
            contenders
                .iter_mut()
                .for_each(|contender| contender.command.splice(..0, under(cap)).for_each(drop));
        }
        for text in &self.with {
            contenders.push(further(text)?);
        }
        Ok(contenders)
    }

    /// An interpreter with arenite's options and one thread, ready to run.
    pub(crate) fn interpreter(&self, model: &Path) -> Result<Interpreter> {
        self.setup.interpreter(model, 1)
    }

    /// The measured machine, with the instruction set to which contenders are limited.
    pub(crate) fn machine(&self) -> Machine {
        Machine { cap: self.cap.clone(), ..Machine::here() }
    }
}

/// The start of a command that is limited to an instruction set.
fn under(cap: &CapDefinition) -> Vec<String> {
    let settings = cap.environment.iter().map(|(name, value)| format!("{name}={value}"));
    std::iter::once("env".to_owned()).chain(settings).collect()
}

fn further(text: &str) -> Result<ContenderDefinition> {
    let parts = text.split_once('=').filter(|(name, command)| !name.is_empty() && !command.trim().is_empty());
    let (name, command) =
        parts.ok_or_else(|| Failure::new(format!("--with '{text}' is not NAME=COMMAND")))?;
    let command = command.split_whitespace().map(str::to_owned).collect();
    Ok(ContenderDefinition { name: name.to_owned(), command, reads: Format::Tflite })
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        options: Options,
    }

    fn options(arguments: &[&str]) -> Options {
        Line::try_parse_from(["bench"].iter().chain(arguments)).unwrap().options
    }

    #[test]
    fn contenders_are_selected_configured_and_added() {
        let definitions = Definitions::parse(BUILTIN).unwrap();
        let with = "avx2=env ARENITE_ISA=avx2 {self} serve";
        let line = [
            "--without",
            "onnxruntime",
            "--without",
            "openvino",
            "--delegate",
            "cpu:winograd=false",
            "--with",
            with,
        ];
        let contenders = options(&line).contenders(&definitions).unwrap();
        let names: Vec<&str> = contenders.iter().map(|contender| contender.name.as_str()).collect();
        assert_eq!(names, ["arenite", "litert", "avx2"]);
        assert_eq!(contenders[0].command, ["{self}", "serve", "--delegate", "cpu:winograd=false"]);
        assert_eq!(contenders[2].command, ["env", "ARENITE_ISA=avx2", "{self}", "serve"]);
        assert!(options(&["--without", "x"]).contenders(&definitions).is_err());
        assert!(options(&["--with", "old="]).contenders(&definitions).is_err());
    }

    #[test]
    fn a_cap_limits_the_contenders_that_support_it_and_names_the_record() {
        let definitions = Definitions::parse(BUILTIN).unwrap();
        let capped = options(&["--cap", "avx2", "--with", "free={self} serve"]);
        let contenders = capped.contenders(&definitions).unwrap();
        let names: Vec<&str> = contenders.iter().map(|contender| contender.name.as_str()).collect();
        assert_eq!(names, ["arenite", "openvino", "free"]);
        let held = ["env", "ARENITE_ISA=avx2", "ONEDNN_MAX_CPU_ISA=AVX2", "{self}", "serve"];
        assert_eq!(contenders[0].command, held);
        assert_eq!(contenders[2].command, ["{self}", "serve"]);
        assert!(capped.machine().slug().ends_with("-cores-avx2"));
        let error = options(&["--cap", "mmx"]).contenders(&definitions).unwrap_err().to_string();
        assert!(error.contains("mmx") && error.contains("avx2"), "{error}");
    }

    #[test]
    fn quick_measures_less() {
        let quick = options(&["--quick"]).effort(3.0, 3);
        assert_eq!((quick.race, quick.starts), (Duration::from_millis(500), 1));
        let asked = options(&["--seconds", "7", "--wait", "5"]).effort(3.0, 0);
        assert_eq!((asked.race, asked.starts), (Duration::from_secs(7), 0));
        assert_eq!(asked.patience, Duration::from_secs(5));
    }
}
