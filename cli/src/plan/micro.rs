//! `--micro`: reports how much arena models need on small machines.

use std::fmt::{self, Display, Formatter};
use std::path::{Path, PathBuf};

use arenite::Config;
use arenite::config::PlannerConfig;
use arenite_common::file;
use arenite_micro::{LoadedModel, OpRegistration, Planner, Sizes, Target, required_arena, required_arena_on};
use arenite_ops::PLUGIN;
use serde::Serialize;

use super::solver::Solver;
use crate::answer::{Failure, Result};
use crate::text::{Align, Table, thousands};

/// Alignment that the interpreter requires of a model.
const ALIGNMENT: usize = 16;
/// The largest model that is read, in bytes.
const MAX_BYTES: u64 = 2 << 30;

/// The needs of all models, in order.
#[derive(Serialize)]
pub(super) struct MicroReport {
    /// The machine; null for this one.
    target: Option<&'static str>,
    /// `micro-greedy` or `linear`.
    planner: &'static str,
    models: Vec<NeededMemory>,
}

/// The needs of one model, in bytes.
#[derive(Serialize)]
struct NeededMemory {
    model: String,
    arena_bytes: usize,
    head_bytes: usize,
    /// The largest sum of bytes alive at the same time in the head. No plan without overlaps is smaller.
    head_lower_bound_bytes: u64,
    /// The size with the planner `exact`; null if it does not finish in time.
    head_exact_bytes: Option<u64>,
    bookkeeping_bytes: usize,
    ops_bytes: usize,
    variables_bytes: usize,
    constants_bytes: usize,
    temporary_bytes: usize,
}

/// Prepares each model in memory from the heap, with the reference ops.
pub(super) fn report(paths: &[PathBuf], target: Option<Target>, solver: &Solver<'_>) -> Result<MicroReport> {
    let ops: Vec<OpRegistration> = (0..).map_while(|i| PLUGIN.op(i)).map(|(op, _)| *op).collect();
    let planner = chosen(solver.config)?;
    let models =
        paths.iter().map(|path| needed(path, &ops, planner, target, solver)).collect::<Result<_>>()?;
    Ok(MicroReport { target: target.as_ref().map(Target::name), planner: name(planner), models })
}

/// The planner of small machines that the settings name.
fn chosen(config: &Config) -> Result<Planner> {
    let named = config.planner.as_ref().map(|planner| planner.name.as_str());
    match (named, config.lifetimes.preserve_all) {
        (None | Some("linear"), true) | (Some("linear"), false) => Ok(Planner::Linear),
        (None | Some("micro-greedy"), false) => Ok(Planner::Greedy),
        (Some(other), true) => Err(Failure::new(format!(
            "--preserve-all needs the planner 'linear' on small machines, not '{other}': omit --planner"
        ))),
        (Some(other), false) => Err(Failure::new(format!(
            "small machines have the planners 'micro-greedy' and 'linear', not '{other}'; for another plan, store one \
             in the model with --embed"
        ))),
    }
}

fn name(planner: Planner) -> &'static str {
    match planner {
        Planner::Greedy => "micro-greedy",
        Planner::Linear => "linear",
    }
}

fn needed(
    path: &Path,
    ops: &[OpRegistration],
    planner: Planner,
    target: Option<Target>,
    solver: &Solver<'_>,
) -> Result<NeededMemory> {
    let failed = |error: &dyn Display| Failure::with(path.display(), error);
    let file = file::open(path).map_err(|error| failed(&error))?;
    let bytes = file::read_all(file, MAX_BYTES).map_err(|error| failed(&error))?;
    let mut memory = vec![0; bytes.len() + ALIGNMENT];
    let model = aligned(&mut memory, bytes.len());
    model.copy_from_slice(&bytes);
    let here = required_arena(model, ops, planner).map_err(|error| failed(&error))?;
    let sizes = match target {
        None => Ok(here),
        Some(target) => required_arena_on(target, model, ops, planner).map(|there| there.sizes()),
    };
    let sizes = sizes.map_err(|error| failed(&error))?;
    let mut arena = vec![0; here.arena + ALIGNMENT];
    let prepared = LoadedModel::new(model, ops, &mut arena).and_then(LoadedModel::prepare);
    let records = prepared.and_then(|model| model.records()).map_err(|error| failed(&error))?;
    let exact = solver.registry.plan(&PlannerConfig::new("exact"), &records, &solver.limits);
    let Sizes { arena, head, bookkeeping, ops, variables, constants } = sizes;
    Ok(NeededMemory {
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

/// A part of `memory` with this many bytes, aligned as the interpreter requires.
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
