//! The options that every command takes, and what they mean for configuration, plugins and interpreter.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use arenite::config::{DelegateConfig, MAX_THREADS, PlannerConfig};
use arenite::{Config, Interpreter, Model};
use clap::Args;

use crate::answer::{Failure, Result};
use crate::limits;

#[derive(Args)]
#[command(next_help_heading = "Common options")]
pub struct Common {
    /// Read plugins, planner, delegates, threads and quota from this arenite.toml
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,

    /// Load the plugins of this folder, before the config file's (repeatable)
    #[arg(long, value_name = "DIR")]
    pub plugin_dir: Vec<PathBuf>,

    /// Run nodes on this delegate (repeatable), the rest on the CPU delegate; 'none', alone, for
    /// reference ops only. Replaces the list of the config file
    #[arg(long, value_name = "NAME[:KEY=VALUE,…]")]
    pub delegate: Vec<Choice>,

    /// Plan memory with this planner [default: portfolio]
    #[arg(long, value_name = "NAME[:KEY=VALUE,…]")]
    pub planner: Option<Choice>,

    /// Overwrite no tensor, so that each keeps its value; those inside a delegate's partition are not there
    #[arg(long)]
    pub preserve_all: bool,

    /// Threads for ops and delegates [default: one per processor]
    #[arg(long, value_name = "N", value_parser = parse_threads)]
    pub threads: Option<NonZeroUsize>,

    /// End `run`, `inspect` and `plan` with an error after so many seconds, 0 for no limit; also the limit of each `build`, `allocate`
    /// and `invoke` [default: `time` of the config file's [quota]; without it 60 for `run`, none for the rest]
    #[arg(long, value_name = "S", value_parser = parse_seconds)]
    pub time_limit: Option<Duration>,

    /// Print JSON to stdout
    #[arg(long)]
    pub json: bool,

    /// Say more on stderr: -v stages, -vv plans and runs, -vvv nodes; with their times
    #[arg(short, long, action = clap::ArgAction::Count)]
    pub verbose: u8,
}

/// A planner or a delegate, with options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
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

impl Common {
    /// The config file, overruled by the command line.
    pub fn settings(&self) -> Result<Config> {
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
        Ok(config)
    }

    /// An interpreter of `model`, not allocated yet.
    pub fn interpreter(&self, model: &Model) -> Result<Interpreter> {
        let config = self.settings()?;
        limits::limit_heap(&config, self.json, &[]);
        Ok(Interpreter::builder(model).config(&config).build()?)
    }
}

/// Refuses folders of the command line that cannot be read. In a config file they are a warning.
pub fn check_dirs(dirs: &[PathBuf]) -> Result<()> {
    if let Some(file) = dirs.iter().find(|dir| dir.is_file()) {
        let text = "is a file; give the folder that it lies in";
        return Err(Failure::with(format_args!("plugin folder {}", file.display()), text));
    }
    let unreadable = dirs.iter().find_map(|dir| std::fs::read_dir(dir).err().map(|error| (dir, error)));
    match unreadable {
        None => Ok(()),
        Some((dir, error)) => Err(Failure::with(format_args!("plugin folder {}", dir.display()), error)),
    }
}

/// What the config file says about a delegate stays, and options given here come on top.
fn choose(choice: &Choice, configured: &[DelegateConfig]) -> DelegateConfig {
    let known = configured.iter().find(|delegate| delegate.name == choice.name);
    let mut delegate = known.cloned().unwrap_or_else(|| DelegateConfig::new(choice.name.as_str()));
    delegate.on_missing = arenite::config::OnMissing::Error;
    delegate.options.retain(|(key, _)| choice.options.iter().all(|(k, _)| k != key));
    delegate.options.extend(choice.options.iter().cloned());
    delegate
}

/// A length of time.
pub fn parse_seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse::<f64>().ok().and_then(|s| Duration::try_from_secs_f64(s).ok());
    seconds
        .filter(|d| d.as_secs() <= 86_400)
        .ok_or_else(|| "a number of seconds up to a day is needed".into())
}

fn parse_threads(text: &str) -> Result<NonZeroUsize, String> {
    let wanted = text.parse::<NonZeroUsize>().ok().filter(|n| n.get() <= MAX_THREADS);
    wanted.ok_or_else(|| format!("a number from 1 to {MAX_THREADS} is needed"))
}

/// Loads a model; errors name the file.
pub fn load_model(path: &std::path::Path) -> Result<Model> {
    Model::from_file(path).map_err(|error| {
        let (text, name) = (error.to_string(), path.display().to_string());
        if text.contains(&name) { Failure::new(text) } else { Failure::with(name, text) }
    })
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
    fn a_choice_without_name_or_value_is_refused() {
        assert_eq!(":a=b".parse::<Choice>().unwrap_err(), "the name is missing");
        assert_eq!("cpu:fast".parse::<Choice>().unwrap_err(), "'fast' is not KEY=VALUE");
    }

    #[test]
    fn options_of_the_command_line_replace_those_of_the_config() {
        let mut configured = DelegateConfig::new("cpu");
        configured.min_nodes = 3;
        configured.options = vec![("a".into(), "1".into()), ("b".into(), "2".into())];
        let chosen = choose(&"cpu:b=3".parse().unwrap(), &[configured]);
        assert_eq!(chosen.min_nodes, 3);
        assert_eq!(chosen.options, [("a".into(), "1".into()), ("b".to_owned(), "3".to_owned())]);
    }
}
