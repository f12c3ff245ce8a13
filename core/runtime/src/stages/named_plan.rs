//! Plans whose errors name tensors.

use arenite_abi::UsageRecord;

use super::site::Site;
use crate::error::Result;
use crate::planning::plan::{Plan, PlanLimits};
use crate::text::Visible;

/// Asks the planner of the interpreter. Errors name the tensors of buffers.
pub(crate) fn plan_named(site: &Site<'_>, buffers: &[UsageRecord]) -> Result<Plan> {
    let name = |i: usize| {
        let tensor = usize::try_from(buffers.get(i)?.tensor).ok()?;
        Some(&*site.graph.tensors.get(tensor)?.name)
    };
    let label = |i: usize| match name(i) {
        Some(name) => format!("{i} '{}'", Visible(name)),
        None => format!("{i} (scratch)"),
    };
    site.run.settings.planner.plan_named(buffers, &PlanLimits::default(), &label)
}
