//! `--ops`: lists the ops that a model needs, as source code for the micro interpreter. Only listed ops are linked.

use std::fmt::{self, Display, Formatter};
use std::path::Path;

use arenite::Model;
use arenite_ops::{PATHS, PLUGIN};
use clap::ValueEnum;
use serde::Serialize;

use crate::answer::{Answer, Failure, Result};
use crate::options::load_model;

/// The language of the list.
#[derive(Clone, Copy, ValueEnum)]
pub(super) enum Language {
    /// For arenite_micro::LoadedModel
    Rust,
    /// For ar_micro_init
    C,
}

/// The ops one model needs.
#[derive(Serialize)]
struct NeededOps {
    /// Paths of the ops in `arenite_ops`.
    ops: Vec<&'static str>,
    #[serde(skip)]
    model: String,
    #[serde(skip)]
    language: Language,
}

/// Runs `inspect --ops`.
pub(super) fn list(path: &Path, language: Language, json: bool) -> Result<Answer> {
    let model = load_model(path)?;
    let ops = needed(&model).map_err(|error| Failure::with(path.display(), error))?;
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Answer::new(&NeededOps { ops, model: name, language }, json)
}

/// Paths of the ops used by the nodes of all subgraphs, in the plugin's order.
fn needed(model: &Model) -> Result<Vec<&'static str>> {
    let model = model.view();
    let mut found = vec![false; PATHS.len()];
    let mut missing = Vec::new();
    for operator in model.subgraphs().iter().flat_map(|subgraph| subgraph.operators()) {
        let Some(code) = model.operator_code(&operator) else { continue };
        let (builtin, version) = (code.builtin_code(), code.version());
        let custom = code.custom_code().filter(|_| builtin == CUSTOM).unwrap_or("");
        let serves = |i: &usize| {
            PLUGIN.op(*i).is_some_and(|(op, name)| {
                let versions = op.min_version..=op.max_version;
                op.builtin_code == builtin && name == custom && versions.contains(&version)
            })
        };
        match (0..PATHS.len()).find(serves) {
            Some(op) => found[op] = true,
            None => missing.push(format!("{} of version {version}", code.name())),
        }
    }
    missing.sort();
    missing.dedup();
    if !missing.is_empty() {
        return Err(Failure::new(format!("arenite-ops does not implement {}", missing.join(", "))));
    }
    Ok(PATHS.iter().zip(found).filter_map(|(path, found)| found.then_some(*path)).collect())
}

/// The schema's code for custom ops, which are identified by name.
const CUSTOM: i32 = 32;

impl Display for NeededOps {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.language {
            Language::Rust => self.write_rust(f),
            Language::C => self.write_c(f),
        }
    }
}

impl NeededOps {
    fn write_rust(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "/// The ops of {}.", self.model)?;
        writeln!(f, "pub static OPS: [arenite_micro::OpRegistration; {}] = [", self.ops.len())?;
        for path in &self.ops {
            writeln!(f, "    arenite_abi::op::registration::<arenite_ops::{path}>(),")?;
        }
        writeln!(f, "];")
    }

    fn write_c(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "/* The ops of {}. */\n#include <arenite_micro.h>\n", self.model.replace("*/", "* /"))?;
        writeln!(f, "static const ArOpV1 *const ops[] = {{")?;
        self.ops.iter().try_for_each(|path| writeln!(f, "    &{},", c_name(path)))?;
        writeln!(f, "}};")
    }
}

/// The op's symbol in `libarenite_micro.a`, named after the source file of the op.
fn c_name(path: &str) -> String {
    let module = path.rsplit("::").nth(1).unwrap_or(path);
    format!("ar_micro_op_{}", module.trim_start_matches("r#"))
}
