//! `--embed`: a plan for microcontrollers, written into the model.

use std::path::{Path, PathBuf};

use arenite_micro::OfflinePlan;

use super::one_planner;
use super::solved::Solver;
use crate::answer::{Failure, Result};
use crate::options::load_model;

/// Plans the tensors of the one model as TensorFlow Lite Micro sees them, and writes the model with the plan to `out`; says what it did.
pub fn embed(problems: &[PathBuf], out: &Path, solver: &Solver<'_>) -> Result<String> {
    let [path] = problems else {
        return Err(Failure::new("--embed takes one model, whose plan it writes"));
    };
    if path.extension().is_some_and(|extension| extension == "csv" || extension == "jsonl") {
        return Err(Failure::new(
            "--embed takes a model; a table of usage records has nowhere to hold a plan",
        ));
    }
    let model = load_model(path)?;
    let offline = OfflinePlan::new(model.view());
    let planned = solver.registry.plan(&one_planner(solver.config), offline.records(), &solver.limits);
    let plan = planned.map_err(|error| Failure::with(path.display(), error))?;
    let file = offline.embed(&plan.offsets);
    let file = file.ok_or_else(|| Failure::with(path.display(), "an offset does not fit into 31 bits"))?;
    std::fs::write(out, file).map_err(|error| Failure::with(out.display(), error))?;
    let (tensors, bytes) = (offline.records().len(), plan.total_bytes);
    Ok(format!("{}: a plan for {tensors} tensors in {bytes} bytes stands in the model", out.display()))
}
