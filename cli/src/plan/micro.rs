//! `--micro`: what models need of an arena on small machines.

use std::fmt::{self, Display, Formatter};
use std::path::{Path, PathBuf};

use arenite::config::PlannerConfig;
use arenite_common::file;
use arenite_micro::{Loaded, OpRegistration, Planner, Sizes, Target, required_arena, required_arena_on};
use arenite_ops::PLUGIN;
use serde::Serialize;

use super::solved::Solver;
use crate::answer::{Failure, Result};
use crate::text::{Align, Table, thousands};

/// Where the interpreter wants a model to begin.
const ALIGNMENT: usize = 16;
/// Most bytes of a model.
const MAX_BYTES: u64 = 2 << 30;

/// What the models need, one after the other.
#[derive(Serialize)]
pub struct MicroReport {
    /// The machine; null if it is this one.
    target: Option<&'static str>,
    models: Vec<Needed>,
}

/// What one model needs, in bytes.
#[derive(Serialize)]
struct Needed {
    model: String,
    arena_bytes: usize,
    head_bytes: usize,
    /// What lives at once in the head, at most: no plan that keeps buffers apart is smaller.
    head_lower_bound_bytes: u64,
    /// By the planner `exact`; null if it finds none in time.
    head_exact_bytes: Option<u64>,
    bookkeeping_bytes: usize,
    ops_bytes: usize,
    variables_bytes: usize,
    constants_bytes: usize,
    temporary_bytes: usize,
}

/// Reads the name of a machine.
pub fn target(name: &str) -> Result<Target, String> {
    let known = || Target::ALL.iter().map(Target::name).collect::<Vec<_>>().join(", ");
    Target::named(name)
        .ok_or_else(|| format!("there is no table of the machine '{name}'; known: {}", known()))
}

/// Makes each model ready in memory from the heap, with the reference ops.
pub fn report(paths: &[PathBuf], target: Option<Target>, solver: &Solver<'_>) -> Result<MicroReport> {
    let ops: Vec<OpRegistration> = (0..).map_while(|i| PLUGIN.op(i)).map(|(op, _)| *op).collect();
    let models = paths.iter().map(|path| needed(path, &ops, target, solver)).collect::<Result<_>>()?;
    Ok(MicroReport { target: target.as_ref().map(Target::name), models })
}

fn needed(
    path: &Path,
    ops: &[OpRegistration],
    target: Option<Target>,
    solver: &Solver<'_>,
) -> Result<Needed> {
    let failed = |error: &dyn Display| Failure::with(path.display(), error);
    let file = file::open(path).map_err(|error| failed(&error))?;
    let bytes = file::read_all(file, MAX_BYTES).map_err(|error| failed(&error))?;
    let mut memory = vec![0; bytes.len() + ALIGNMENT];
    let model = aligned(&mut memory, bytes.len());
    model.copy_from_slice(&bytes);
    let here = required_arena(model, ops, Planner::Greedy).map_err(|error| failed(&error))?;
    let sizes = match target {
        None => Ok(here),
        Some(target) => required_arena_on(target, model, ops, Planner::Greedy).map(|there| there.sizes()),
    };
    let sizes = sizes.map_err(|error| failed(&error))?;
    let mut arena = vec![0; here.arena + ALIGNMENT];
    let prepared = Loaded::new(model, ops, &mut arena).and_then(Loaded::prepare);
    let records = prepared.and_then(|model| model.records()).map_err(|error| failed(&error))?;
    let exact = solver.registry.plan(&PlannerConfig::new("exact"), &records, &solver.limits);
    let Sizes { arena, head, bookkeeping, ops, variables, constants } = sizes;
    Ok(Needed {
        model: path.display().to_string(),
        arena_bytes: arena,
        head_bytes: head,
        head_lower_bound_bytes: arenite_planners::bound::lower_bound(&records)
            .map_err(|error| failed(&error))?,
        head_exact_bytes: exact.ok().map(|plan| plan.total_bytes),
        bookkeeping_bytes: bookkeeping,
        ops_bytes: ops,
        variables_bytes: variables,
        constants_bytes: constants,
        temporary_bytes: sizes.temporary(),
    })
}

/// So many bytes of `memory` that begin where the interpreter wants a model to.
fn aligned(memory: &mut [u8], bytes: usize) -> &mut [u8] {
    let padding = memory.as_ptr().align_offset(ALIGNMENT).min(ALIGNMENT - 1);
    &mut memory[padding..][..bytes]
}

const COLUMNS: [(&str, Align); 10] = [
    ("model", Align::Left),
    ("arena", Align::Right),
    ("head", Align::Right),
    ("bound", Align::Right),
    ("exact", Align::Right),
    ("bookkeeping", Align::Right),
    ("ops", Align::Right),
    ("variables", Align::Right),
    ("constants", Align::Right),
    ("temporary", Align::Right),
];

impl Display for MicroReport {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mut table = Table::new(&COLUMNS);
        for needed in &self.models {
            let small = |bytes: usize| thousands(bytes as u64);
            table.row(vec![
                needed.model.clone(),
                small(needed.arena_bytes),
                small(needed.head_bytes),
                thousands(needed.head_lower_bound_bytes),
                needed.head_exact_bytes.map_or_else(|| "-".into(), thousands),
                small(needed.bookkeeping_bytes),
                small(needed.ops_bytes),
                small(needed.variables_bytes),
                small(needed.constants_bytes),
                small(needed.temporary_bytes),
            ]);
        }
        write!(f, "{table}")
    }
}
