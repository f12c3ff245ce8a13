//! A measured model, the settings in force, and the versions of everything that ran.

use std::fmt::{self, Display};
use std::path::{Path, PathBuf};

use arenite::config::PlannerConfig;
use arenite::{FactValue, Interpreter, Origin};
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::text::{self, HEAD, Visible, thousands};

/// The fact by which a delegate reports its instruction set.
const INSTRUCTION_SET: &str = "instruction set";

/// A model and the settings that it ran with.
#[derive(Serialize)]
pub(super) struct Setup {
    pub model: PathBuf,
    pub model_bytes: usize,
    pub model_sha256: String,
    pub signature: Option<String>,
    /// The `--compare` that this is; null for the settings of the command line.
    pub compare: Option<String>,
    pub threads: usize,
    /// In the order in which they claim nodes; empty with `--delegate none`.
    pub delegates: Vec<PluginChoice>,
    pub planner: PluginChoice,
    /// The instruction set that delegates report; null if none does.
    pub instruction_set: Option<String>,
    pub arenite: &'static str,
    pub plugins: Vec<Plugin>,
}

/// A delegate or planner with its options.
#[derive(Serialize)]
pub(super) struct PluginChoice {
    pub name: String,
    pub options: Vec<(String, String)>,
    /// For a delegate that was chosen but is not used: the reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_out: Option<String>,
}

/// A loaded plugin.
#[derive(Serialize)]
pub(super) struct Plugin {
    pub id: String,
    pub version: String,
    /// The library; null if the plugin is linked in.
    pub path: Option<PathBuf>,
}

impl Setup {
    /// Describes an interpreter that is allocated.
    pub(super) fn of(interpreter: &Interpreter, model: &Path, planner: Option<&PlannerConfig>) -> Self {
        let bytes = interpreter.model().view().bytes();
        let left_out = interpreter.left_out();
        let reason = |name: &str| left_out.iter().find(|left| left.delegate == name);
        let delegates = interpreter.delegates().iter().map(|delegate| PluginChoice {
            name: delegate.name.clone(),
            options: delegate.options.clone(),
            left_out: reason(&delegate.name).map(|left| left.reason.clone()),
        });
        let plugins = interpreter.registry().plugins().iter().map(|plugin| Plugin {
            id: plugin.id.clone(),
            version: plugin.version.clone(),
            path: match &plugin.origin {
                Origin::File(path) => Some(path.clone()),
                Origin::Static | Origin::Program => None,
            },
        });
        let options = planner.map_or_else(Vec::new, |planner| planner.options.clone());
        Setup {
            model: model.to_owned(),
            model_bytes: bytes.len(),
            model_sha256: hexadecimal(&Sha256::digest(bytes)),
            signature: None,
            compare: None,
            threads: interpreter.threads(),
            delegates: delegates.collect(),
            planner: PluginChoice { name: interpreter.planner().to_owned(), options, left_out: None },
            instruction_set: instruction_set(interpreter),
            arenite: env!("CARGO_PKG_VERSION"),
            plugins: plugins.collect(),
        }
    }

    /// The delegates with their options, separated by commas; `none` without any.
    pub(super) fn delegates(&self) -> String {
        match &self.delegates[..] {
            [] => "none".to_owned(),
            delegates => text::join(delegates, ", "),
        }
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The first instruction set that a delegate's partition reports.
fn instruction_set(interpreter: &Interpreter) -> Option<String> {
    let facts = interpreter.facts().into_iter().flat_map(|partition| partition.facts);
    let mut sets = facts.filter(|fact| fact.key == INSTRUCTION_SET);
    sets.find_map(|fact| match fact.value {
        FactValue::Text(set) => Some(set),
        FactValue::Number(..) => None,
    })
}

impl Display for PluginChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        let options: Vec<String> = self.options.iter().map(|(key, value)| format!("{key}={value}")).collect();
        if !options.is_empty() {
            write!(f, ":{}", options.join(","))?;
        }
        match &self.left_out {
            Some(reason) => write!(f, " (not used: {reason})"),
            None => Ok(()),
        }
    }
}

/// Three lines: the model, the settings, the plugins.
impl Display for Setup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hash = self.model_sha256.get(..16).unwrap_or_default();
        write!(f, "{HEAD}{}{HEAD:#}", Visible(self.model.display()))?;
        write!(f, "  {} bytes, sha256 {hash}…", thousands(self.model_bytes as u64))?;
        if let Some(signature) = &self.signature {
            write!(f, ", signature '{}'", Visible(signature))?;
        }
        let threads = text::count(self.threads, "thread");
        write!(f, "\n{threads}, delegate {}, planner {}", Visible(self.delegates()), Visible(&self.planner))?;
        if let Some(set) = &self.instruction_set {
            write!(f, ", {}", Visible(set))?;
        }
        let plugins = self.plugins.iter().map(|plugin| format!("{} {}", plugin.id, plugin.version));
        let plugins: Vec<String> = plugins.collect();
        writeln!(f, "\narenite {}; plugins {}", self.arenite, Visible(plugins.join(", ")))
    }
}
