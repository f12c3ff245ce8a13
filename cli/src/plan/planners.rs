//! The planners that the command line names.

use arenite::config::PlannerConfig;
use arenite::{Config, Registry};

/// The planner of `config`, or all of them with `--planner all`.
pub(super) fn chosen_planners(config: &Config, registry: &Registry) -> Vec<PlannerConfig> {
    match &config.planner {
        Some(planner) if planner.name == "all" => {
            let mut names = registry.planner_names();
            // Drawings start with the first planner, which should be the one that `run` uses.
            names.sort_by_key(|name| name != arenite::DEFAULT_PLANNER);
            names.iter().map(|name| PlannerConfig::new(name.as_str())).collect()
        }
        _ => vec![one_planner(config)],
    }
}

/// The chosen planner, or the default one with `--planner all`.
pub(super) fn one_planner(config: &Config) -> PlannerConfig {
    let planner = config.planner.clone().filter(|planner| planner.name != "all");
    planner.unwrap_or_else(|| PlannerConfig::new(arenite::DEFAULT_PLANNER))
}
