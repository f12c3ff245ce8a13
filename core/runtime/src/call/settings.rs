//! The settings of an interpreter.

use arenite_layout::Techniques;

use crate::config::DelegateConfig;
use crate::planning::lifetime::Lifetimes;
use crate::planning::plan::ChosenPlanner;
use crate::quota::Quota;

/// The settings of an interpreter, with all defaults filled in.
pub(crate) struct Settings {
    pub planner: ChosenPlanner,
    pub techniques: Techniques,
    pub lifetimes: Lifetimes,
    pub delegates: Vec<DelegateConfig>,
    pub threads: u32,
    pub quota: Quota,
}
