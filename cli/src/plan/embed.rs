//! `--embed`: writes a memory plan for microcontrollers into the model.

use std::path::{Path, PathBuf};

use arenite_micro::OfflinePlan;

use super::planners::one_planner;
use super::solver::Solver;
use crate::answer::{Failure, Result};
use crate::options::load_model;

/// Plans the model's tensors as TensorFlow Lite Micro sees them, and writes the model with the plan to `out`. Returns a
/// message about what was written.
pub(super) fn embed(problems: &[PathBuf], out: &Path, solver: &Solver<'_>) -> Result<String> {
    let [path] = problems else {
        return Err(Failure::new("--embed takes exactly one model"));
    };
    if path.extension().is_some_and(|extension| extension == "csv" || extension == "jsonl") {
        return Err(Failure::new(
            "--embed takes a model; a plan cannot be stored in a table of usage records",
        ));
    }
    let model = load_model(path)?;
    let offline = OfflinePlan::new(model.view());
    let planned = solver.registry.plan(&one_planner(solver.config), offline.records(), &solver.limits);
    let plan = planned.map_err(|error| Failure::with(path.display(), error))?;
    let file = offline.embed(&plan.offsets);
    let file = file.ok_or_else(|| Failure::with(path.display(), "an offset exceeds 31 bits"))?;
    std::fs::write(out, file).map_err(|error| Failure::with(out.display(), error))?;
    let (tensors, bytes) = (offline.records().len(), plan.total_bytes);
    Ok(format!("wrote {}, with a plan for {tensors} tensors in {bytes} bytes", out.display()))
}
