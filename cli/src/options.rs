//! The options that every command shares, and how they configure plugins and the interpreter.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use arenite::config::{DelegateConfig, MAX_THREADS, OnFailure, OnMissing, PlannerConfig, Require};
use arenite::{Config, DEFAULT_DELEGATE, Error, Interpreter, ItemKind, Model};
use clap::{ArgMatches, Args, FromArgMatches};

use crate::answer::{Failure, Result};
use crate::config_file::ConfigFile;
use crate::limits;
use crate::mapped::Loading;

#[derive(Args, Clone, Default)]
#[command(next_help_heading = "Common options")]
pub(crate) struct Common {
    /// Read plugins, planner, delegates, threads and quota from this arenite.toml
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,

    /// Load the plugins in this folder, before the config file's folders (repeatable)
    #[arg(long, value_name = "DIR")]
    pub plugin_dir: Vec<PathBuf>,

    /// Run nodes on this delegate (repeatable) and the rest on the CPU delegate; 'none' alone runs everything on the
    /// reference ops. Replaces the delegates of the config file
    #[arg(long, value_name = "NAME[:KEY=VALUE,…]")]
    pub delegate: Vec<Choice>,

    /// Fail, with the reasons, if the first --delegate does not run all nodes; without --delegate, if the CPU delegate
    /// does not
    #[arg(long)]
    pub require: bool,

    /// Plan memory with this planner [default: portfolio]
    #[arg(long, value_name = "NAME[:KEY=VALUE,…]")]
    pub planner: Option<Choice>,

    /// Keep every tensor readable after the run; this needs more memory. Tensors inside a delegate's partition do not
    /// exist
    #[arg(long)]
    pub preserve_all: bool,

    /// Threads for ops and delegates [default: one per processor]
    #[arg(long, value_name = "N", value_parser = parse_threads)]
    pub threads: Option<NonZeroUsize>,

    /// Stop `run`, `inspect` and `plan` with an error after this many seconds, 0 for no limit; also limits each
    /// `build`, `allocate` and `invoke` [default: `time` in the config file's [quota], else 60 for `run` and none for
    /// the others]
    #[arg(long, value_name = "S", value_parser = parse_seconds)]
    pub time_limit: Option<Duration>,

    /// Print JSON to stdout
    #[arg(long)]
    pub json: bool,

    /// Log more on stderr: -v instruction set, kernels, delegates and memory plan; -vv also
    /// stages, plans and runs with their times; -vvv nodes
    #[arg(short, long, action = clap::ArgAction::Count)]
    pub verbose: u8,
}

/// The common options of commands that run no model.
#[derive(Args)]
#[command(next_help_heading = "Common options")]
struct Plain {
    /// Read plugin folders from this arenite.toml
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,

    /// Load the plugins in this folder, before the config file's folders (repeatable)
    #[arg(long, value_name = "DIR")]
    plugin_dir: Vec<PathBuf>,

    /// Print JSON to stdout
    #[arg(long)]
    json: bool,

    /// Log more on stderr: -v the plugins' messages, -vv also stages with their times
    #[arg(short, long, action = clap::ArgAction::Count)]
    verbose: u8,
}

/// [`Common`] for commands that run no model: only its options about plugins and output can be given.
pub(crate) struct ModelFreeOptions(pub Common);

impl Args for ModelFreeOptions {
    fn augment_args(command: clap::Command) -> clap::Command {
        Plain::augment_args(command)
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        Plain::augment_args_for_update(command)
    }
}

impl FromArgMatches for ModelFreeOptions {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let Plain { config, plugin_dir, json, verbose } = Plain::from_arg_matches(matches)?;
        Ok(ModelFreeOptions(Common { config, plugin_dir, json, verbose, ..Common::default() }))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = ModelFreeOptions::from_arg_matches(matches)?;
        Ok(())
    }
}

/// The common option of commands without plugins.
#[derive(Args)]
#[command(next_help_heading = "Common options")]
struct Json {
    /// Print JSON to stdout
    #[arg(long)]
    json: bool,
}

/// [`Common`] for commands that use no plugins: only `--json` can be given.
pub(crate) struct JsonOptions(pub Common);

impl Args for JsonOptions {
    fn augment_args(command: clap::Command) -> clap::Command {
        Json::augment_args(command)
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        Json::augment_args_for_update(command)
    }
}

impl FromArgMatches for JsonOptions {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let Json { json } = Json::from_arg_matches(matches)?;
        Ok(JsonOptions(Common { json, ..Common::default() }))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = JsonOptions::from_arg_matches(matches)?;
        Ok(())
    }
}

/// A planner or delegate with its options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Choice {
    name: String,
    options: Vec<(String, String)>,
}

impl FromStr for Choice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, rest) = text.split_once(':').unwrap_or((text, ""));
        if name.is_empty() {
            return Err("the name is missing".into());
        }
        let pair = |pair: &str| match pair.split_once('=') {
            Some((key, value)) if !key.is_empty() => Ok((key.to_owned(), value.to_owned())),
            _ => Err(format!("'{pair}' is not KEY=VALUE")),
        };
        let options = rest.split(',').filter(|p| !p.is_empty()).map(pair).collect::<Result<_, _>>()?;
        Ok(Choice { name: name.to_owned(), options })
    }
}

impl Choice {
    /// A choice without options.
    pub(crate) fn of(name: &str) -> Self {
        Choice { name: name.to_owned(), options: Vec::new() }
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn options(&self) -> &[(String, String)] {
        &self.options
    }
}

impl Common {
    /// The config file's settings, overridden by the command line.
    pub(crate) fn settings(&self) -> Result<Config> {
        let mut config = match &self.config {
            Some(path) => Config::from_file(path).map_err(|e| Failure::new(e.to_string()))?,
            None => Config::default(),
        };
        check_dirs(&self.plugin_dir)?;
        config.plugins.dirs.splice(0..0, self.plugin_dir.iter().cloned());
        config.threads = self.threads.or(config.threads);
        config.lifetimes.preserve_all |= self.preserve_all;
        if let Some(limit) = self.time_limit {
            config.quota.time =
                (!limit.is_zero()).then_some(limit.as_millis().max(1).try_into().unwrap_or(u64::MAX));
        }
        if let Some(planner) = &self.planner {
            let mut chosen = PlannerConfig::new(planner.name.as_str());
            chosen.options = planner.options.clone();
            config.planner = Some(chosen);
        }
        if !self.delegate.is_empty() {
            config.delegates = self.delegate.iter().map(|choice| choose(choice, &config.delegates)).collect();
        }
        if self.require {
            require_all(&mut config.delegates);
        }
        Ok(config)
    }

    /// Builds an interpreter for `model`. It is not allocated yet.
    pub(crate) fn interpreter(&self, model: &Model) -> Result<Interpreter> {
        let config = self.settings()?;
        limits::limit_heap(&config, self.json, &[]);
        Interpreter::builder(model).config(&config).build().map_err(|error| self.explain(error))
    }

    /// The error as a message. If the config file names a planner or delegate that does not exist, it names the line.
    pub(crate) fn explain(&self, error: Error) -> Failure {
        let place = match &error {
            Error::NotFound { what: ItemKind::Planner, name, .. } if self.planner.is_none() => {
                self.place_of("planner", name)
            }
            Error::NotFound { what: ItemKind::Delegate, name, .. } if self.delegate.is_empty() => {
                self.place_of("delegate", name)
            }
            _ => None,
        };
        match place {
            Some(place) => Failure::with(place, error),
            None => Failure::from(error),
        }
    }

    fn place_of(&self, table: &str, name: &str) -> Option<String> {
        ConfigFile::read(self.config.as_ref()?).ok()?.place_of(table, name)
    }
}

/// Rejects plugin folders on the command line that cannot be read. For folders in a config file that is only a warning.
pub(crate) fn check_dirs(dirs: &[PathBuf]) -> Result<()> {
    if let Some(file) = dirs.iter().find(|dir| dir.is_file()) {
        let text = "is a file; give the folder that contains it";
        return Err(Failure::with(format_args!("plugin folder {}", file.display()), text));
    }
    let unreadable = dirs.iter().find_map(|dir| std::fs::read_dir(dir).err().map(|error| (dir, error)));
    match unreadable {
        None => Ok(()),
        Some((dir, error)) => Err(Failure::with(format_args!("plugin folder {}", dir.display()), error)),
    }
}

/// Merges `choice` into the delegate's settings from the config file; options on the command line win.
pub(crate) fn choose(choice: &Choice, configured: &[DelegateConfig]) -> DelegateConfig {
    let known = configured.iter().find(|delegate| delegate.name == choice.name);
    let mut delegate = known.cloned().unwrap_or_else(|| DelegateConfig::new(choice.name.as_str()));
    delegate.on_missing = OnMissing::Error;
    delegate.options.retain(|(key, _)| choice.options.iter().all(|(k, _)| k != key));
    delegate.options.extend(choice.options.iter().cloned());
    delegate
}

/// Requires the first delegate to run all nodes. Settings that continue without it no longer hold.
fn require_all(delegates: &mut Vec<DelegateConfig>) {
    if delegates.is_empty() {
        delegates.push(DelegateConfig::new(DEFAULT_DELEGATE));
    }
    let first = &mut delegates[0];
    first.require = Require::AllNodes;
    first.on_missing = OnMissing::Error;
    first.on_failure = OnFailure::Error;
}

/// Parses a time in seconds, at most one day.
pub(crate) fn parse_seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse::<f64>().ok().and_then(|s| Duration::try_from_secs_f64(s).ok());
    seconds
        .filter(|d| d.as_secs() <= 86_400)
        .ok_or_else(|| "expected a number of seconds, at most 86400".into())
}

/// Parses a number of threads.
pub(crate) fn parse_threads(text: &str) -> Result<NonZeroUsize, String> {
    let wanted = text.parse::<NonZeroUsize>().ok().filter(|n| n.get() <= MAX_THREADS);
    wanted.ok_or_else(|| format!("expected a number from 1 to {MAX_THREADS}"))
}

/// Reads a model, or the language model of a container. Errors name the file.
pub(crate) fn load_model(path: &std::path::Path) -> Result<Model> {
    Loading::READ.model(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_has_a_name_and_options() {
        let choice: Choice = "opencl:precision=f16,device=1".parse().unwrap();
        let pair = |k: &str, v: &str| (k.to_owned(), v.to_owned());
        assert_eq!(choice.name, "opencl");
        assert_eq!(choice.options, [pair("precision", "f16"), pair("device", "1")]);
        assert_eq!("naive".parse::<Choice>().unwrap().options, []);
    }

    #[test]
    fn a_choice_without_name_or_value_is_rejected() {
        assert_eq!(":a=b".parse::<Choice>().unwrap_err(), "the name is missing");
        assert_eq!("cpu:fast".parse::<Choice>().unwrap_err(), "'fast' is not KEY=VALUE");
    }

    #[test]
    fn options_on_the_command_line_replace_the_configured_ones() {
        let mut configured = DelegateConfig::new("cpu");
        configured.min_nodes = 3;
        configured.options = vec![("a".into(), "1".into()), ("b".into(), "2".into())];
        let chosen = choose(&"cpu:b=3".parse().unwrap(), &[configured]);
        assert_eq!(chosen.min_nodes, 3);
        assert_eq!(chosen.options, [("a".into(), "1".into()), ("b".to_owned(), "3".to_owned())]);
    }
}
