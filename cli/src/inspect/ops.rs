//! `--ops`: lists the ops that a model needs, as source code for the micro interpreter. Only listed ops are linked.

use std::fmt::{self, Display, Formatter};
use std::path::Path;

use arenite::Model;
use arenite_micro::{EmbeddableOp, Embedding, Planner, PointerWidth};
use arenite_ops::{PATHS, PLUGIN};
use clap::ValueEnum;
use serde::Serialize;

use crate::answer::{Answer, Failure, Result};
use crate::embed::{ALIGNMENT, aligned};
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
    /// Their symbols in `libarenite_micro.a`.
    symbols: Vec<String>,
    #[serde(skip)]
    model: String,
    #[serde(skip)]
    language: Language,
}

/// Runs `inspect --ops`.
pub(super) fn list(path: &Path, language: Language, json: bool) -> Result<Answer> {
    let model = load_model(path)?;
    let ops = needed(&model).map_err(|error| Failure::with(path.display(), error))?;
    let symbols = symbols(&model, &ops);
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Answer::new(&NeededOps { ops, symbols, model: name, language }, json)
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
        self.symbols.iter().try_for_each(|symbol| writeln!(f, "    &{symbol},"))?;
        writeln!(f, "}};")
    }
}

/// The symbols of ops in `libarenite_micro.a`. If one form of an op's kernel suffices for all of its nodes, the symbol
/// names the op with only this form.
fn symbols(model: &Model, ops: &[&'static str]) -> Vec<String> {
    let prepared = prepared(model);
    let symbol = |op: EmbeddableOp| {
        let form = prepared.as_ref().and_then(|prepared| only_form(model, prepared, &op));
        format!("ar_micro_op_{}", form.unwrap_or(&op.kernel).trim_start_matches("ar_embed_"))
    };
    let needed = (0..PATHS.len()).filter(|&i| ops.contains(&PATHS[i]));
    needed.filter_map(embeddable).map(symbol).collect()
}

/// The kernel of all nodes of an op; `None` if they have several, or if a node was computed when it was prepared.
fn only_form<'p>(model: &Model, prepared: &'p Embedding, op: &EmbeddableOp) -> Option<&'p str> {
    let code = op.op.builtin_code;
    let view = model.view();
    let operators = view.subgraphs().iter().flat_map(|subgraph| subgraph.operators());
    let nodes =
        operators.filter(|operator| view.operator_code(operator).is_some_and(|of| of.builtin_code() == code));
    let mut kernels = prepared.kernels().filter(|(of, _)| *of == code).map(|(_, kernel)| kernel);
    let first = kernels.next()?;
    let same = kernels.take_while(|kernel| *kernel == first).count();
    (code != CUSTOM && same + 1 == nodes.count()).then_some(first)
}

/// Op `i` of the plugin.
fn embeddable(i: usize) -> Option<EmbeddableOp> {
    Some(EmbeddableOp::of_path(*PLUGIN.op(i)?.0, PATHS.get(i)?))
}

/// The largest model that is prepared in order to find forms. Small machines have no larger ones.
const MOST_BYTES: usize = 64 << 20;

/// The model with its nodes prepared; `None` if it cannot be embedded.
fn prepared(model: &Model) -> Option<Embedding> {
    let bytes = model.view().bytes();
    if bytes.len() > MOST_BYTES {
        return None;
    }
    let mut memory = vec![0; bytes.len() + ALIGNMENT];
    let model = aligned(&mut memory, bytes);
    let ops: Vec<EmbeddableOp> = (0..PATHS.len()).filter_map(embeddable).collect();
    Embedding::new(PointerWidth::HERE, model, &ops, &mut |records| Planner::Greedy.place(records)).ok()
}
