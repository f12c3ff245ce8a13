//! `arenite embed`: writes a model as source code for a machine that only runs it.

use std::fmt::{self, Display, Formatter};
use std::path::{Path, PathBuf};
use std::time::Duration;

use arenite::config::PlannerConfig;
use arenite::{Config, PlanLimits, Registry, UsageRecord};
use arenite_common::file;
use arenite_micro::{
    EmbeddableOp, Embedding, Planner, PointerWidth, Records, RustSource, SourceFile, Sources, Target,
};
use arenite_ops::{FORMS, PATHS, PLUGIN, STATES};
use clap::{Args, ValueEnum};
use serde::Serialize;

use crate::answer::{Answer, Failure, Result};
use crate::limits;
use crate::options::Common;
use crate::text::thousands;

const NOTES: &str = "\
The model is verified, prepared and planned here. The program contains its constants, the prepared
states of its nodes and offsets in one arena, and needs the kernels of its ops, of the same version
as this program.
C: kernels from libarenite_micro.a (ffi/micro/build.sh)
  arenite embed hello_world.tflite --target cortex-m4      writes hello_world.h and hello_world.c
  hello_world_init(), _input(i), _output(i), _run(); HELLO_WORLD_ARENA_BYTES and other sizes
  Every model has its own arena unless you define HELLO_WORLD_ARENA, see the C file.
Rust, without std, heap and unsafe: kernels from the crates arenite-micro and arenite-ops
  arenite embed hello_world.tflite --lang rust --target cortex-m4          writes hello_world.rs
  mod hello_world { include!(\"hello_world.rs\"); }
  Model::take(), then input_0(), run(), output_0(); ARENA_BYTES and other sizes
  In build.rs, arenite_embed::Model::new(\"hello_world.tflite\").write() does the same for the
  machine that Cargo compiles for.";

/// The language of the source code.
#[derive(Clone, Copy, ValueEnum)]
enum Language {
    /// C99, with arenite_embedded.h
    C,
    /// Rust, with arenite_micro::embedded
    Rust,
}

#[derive(Args)]
#[command(after_help = NOTES)]
pub(crate) struct Arguments {
    /// The .tflite model
    model: PathBuf,

    /// The language
    #[arg(long, value_enum, default_value = "c")]
    lang: Language,

    /// The machine: cortex-m4, also called thumbv7em-none-eabihf as in ffi/micro/build.sh [default: this one]
    #[arg(long, value_name = "NAME", value_parser = target)]
    target: Option<Target>,

    /// Prefix of all names and files [default: the name of the model's file]
    #[arg(long, value_name = "NAME", value_parser = prefix)]
    name: Option<String>,

    /// Rust only: the arena that models share, such as crate::ARENA [default: one of its own]
    #[arg(long, value_name = "PATH", value_parser = rust_path)]
    arena: Option<String>,

    /// Folder for the files
    #[arg(short, long, value_name = "DIR", default_value = ".")]
    output_dir: PathBuf,

    #[command(flatten)]
    pub common: Common,
}

/// Parses the name of a machine.
pub(crate) fn target(name: &str) -> Result<Target, String> {
    let title = |target: &Target| format!("{} ({})", target.name(), target.triple());
    let known = || Target::ALL.iter().map(title).collect::<Vec<_>>().join(", ");
    Target::named(name).ok_or_else(|| format!("unknown machine '{name}'; known: {}", known()))
}

fn prefix(name: &str) -> Result<String, String> {
    match Sources::is_name(name) {
        true => Ok(name.into()),
        false => Err("expected a C identifier: letters, digits and _, no digit first".into()),
    }
}

/// Parses the path of a `static` in Rust.
fn rust_path(path: &str) -> Result<String, String> {
    match path.split("::").all(Sources::is_name) {
        true => Ok(path.into()),
        false => Err("expected the path of a static in Rust, such as crate::ARENA".into()),
    }
}

/// The files and sizes.
#[derive(Serialize)]
struct Report {
    files: Vec<PathBuf>,
    /// The machine; null for this one.
    target: Option<&'static str>,
    planner: String,
    nodes: usize,
    arena_bytes: usize,
    variable_bytes: usize,
    constant_bytes: usize,
}

/// Runs the command.
pub(crate) fn embed(arguments: &Arguments) -> Result<Answer> {
    let Arguments { model: path, name, output_dir, common, .. } = arguments;
    let config = common.settings()?;
    limits::limit_heap(&config, common.json, std::slice::from_ref(path));
    let registry = Registry::discover(&config)?;
    let failed = |error: &dyn Display| Failure::with(path.display(), error);
    let bytes = file::open(path).and_then(|file| file::read_all(file, MAX_BYTES));
    let bytes = bytes.map_err(|error| failed(&error))?;
    let mut memory = vec![0; bytes.len() + ALIGNMENT];
    let model = aligned(&mut memory, &bytes);
    let mut planning = Planning { registry: &registry, config: &config, used: String::new() };
    let width = if arguments.target.is_some() { PointerWidth::Bits32 } else { PointerWidth::HERE };
    let made = Embedding::new(width, model, &ops(&registry), &mut |records| planning.place(records));
    let made = made.map_err(|error| failed(&error))?;
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let name = name.clone().unwrap_or_else(|| Sources::name_of(&stem));
    let machine = arguments.target.map_or("this machine", |target| target.name());
    let title = format!("{} for {machine}, by arenite embed {}", file_name(path), env!("CARGO_PKG_VERSION"));
    let files = sources(arguments, &made, &name, &title).map_err(|error| failed(&error))?;
    let files = files.iter().map(|file| write(output_dir, file)).collect::<Result<_>>()?;
    let report = Report {
        files,
        target: arguments.target.as_ref().map(Target::name),
        planner: planning.used,
        nodes: made.node_count(),
        arena_bytes: made.arena_bytes(),
        variable_bytes: made.variable_bytes(),
        constant_bytes: made.constant_bytes(),
    };
    Answer::new(&report, common.json)
}

/// The model in the language that the user chose.
fn sources(
    arguments: &Arguments,
    made: &Embedding,
    name: &str,
    title: &str,
) -> Result<Vec<SourceFile>, String> {
    let arena = arguments.arena.as_deref();
    match arguments.lang {
        Language::C if arena.is_some() => {
            let upper = name.to_ascii_uppercase();
            Err(format!("--arena is for --lang rust; in C, define {upper}_ARENA when you compile {name}.c"))
        }
        Language::C => Ok(made.to_c(&Sources { name, title, states: STATES }).into()),
        Language::Rust => {
            let file = made.to_rust(&RustSource { name, title, states: STATES, forms: FORMS, arena });
            file.map(|file| vec![file]).map_err(|error| error.to_string())
        }
    }
}

/// Alignment that the interpreter requires of a model.
pub(crate) const ALIGNMENT: usize = 16;
/// The largest model that is read, in bytes.
const MAX_BYTES: u64 = 2 << 30;

/// A copy of `bytes` in `memory`, aligned as the interpreter requires.
pub(crate) fn aligned<'m>(memory: &'m mut [u8], bytes: &[u8]) -> &'m [u8] {
    let padding = memory.as_ptr().align_offset(ALIGNMENT).min(ALIGNMENT - 1);
    let place = &mut memory[padding..][..bytes.len()];
    place.copy_from_slice(bytes);
    place
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn write(folder: &Path, file: &SourceFile) -> Result<PathBuf> {
    std::fs::create_dir_all(folder).map_err(|error| Failure::with(folder.display(), error))?;
    let path = folder.join(&file.name);
    std::fs::write(&path, &file.text).map_err(|error| Failure::with(path.display(), error))?;
    Ok(path)
}

/// The reference ops, with their symbols in `libarenite_micro.a`; then the custom ops of plugins, which name their
/// functions themselves.
fn ops(registry: &Registry) -> Vec<EmbeddableOp> {
    let op = |(i, path): (usize, &&str)| Some(EmbeddableOp::of_path(*PLUGIN.op(i)?.0, path));
    let mut ops: Vec<EmbeddableOp> = PATHS.iter().enumerate().filter_map(op).collect();
    for op in registry.custom_ops() {
        if !ops.iter().any(|known| known.op.builtin_code == op.builtin_code && known.op.name() == op.name()) {
            ops.push(EmbeddableOp::of_plugin(op));
        }
    }
    ops
}

/// Places the records of a model.
struct Planning<'p> {
    registry: &'p Registry,
    config: &'p Config,
    /// The planner whose plan was used.
    used: String,
}

/// How long the planner `exact` may search if no planner was named.
const EXACT_TIME: Duration = Duration::from_secs(5);

impl Planning<'_> {
    /// Sets offsets by the planner that the settings name. Without one, `exact` plans if it finishes in time, else the
    /// interpreter's planner.
    fn place(&mut self, records: &mut dyn Records) -> arenite_abi::Result<()> {
        let list: Vec<UsageRecord> = (0..records.count()).map(|i| records.record(i)).collect();
        let named = self.config.planner.clone();
        let limits = PlanLimits { capacity: None, time: named.is_none().then_some(EXACT_TIME) };
        let planner = named.clone().unwrap_or_else(|| PlannerConfig::new("exact"));
        self.used.clone_from(&planner.name);
        match (self.registry.plan(&planner, &list, &limits), named) {
            (Ok(plan), _) => {
                plan.offsets.iter().enumerate().for_each(|(i, &offset)| records.set_offset(i, offset));
                Ok(())
            }
            (Err(error), Some(_)) => Err(arenite_abi::invalid!("{error}")),
            (Err(_), None) => {
                self.used = "micro-greedy".into();
                Planner::Greedy.place(records)
            }
        }
    }
}

impl Display for Report {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for file in &self.files {
            writeln!(f, "wrote {}", file.display())?;
        }
        let [arena, variables, constants] =
            [self.arena_bytes, self.variable_bytes, self.constant_bytes].map(|bytes| thousands(bytes as u64));
        writeln!(
            f,
            "{} nodes; RAM: {arena} bytes of arena by {}, {variables} of variables",
            self.nodes, self.planner
        )?;
        writeln!(f, "flash: {constants} bytes of constants, besides tables and kernels")
    }
}
