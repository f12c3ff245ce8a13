//! The report on a whole model.

use arenite_common::inspection::Inspection;
use serde::Serialize;

use super::batch::BatchText;
use super::container::ContainerText;
use super::described::ModelDescription;
use super::language::{Cache, WeightFile};
use super::totals::Totals;

/// The report as text, printed by `show`.
#[derive(Serialize)]
pub(super) struct Report {
    #[serde(flatten)]
    pub inspection: Inspection,
    /// The sections of the container; null if the file is a model.
    pub container: Option<ContainerText>,
    /// The model's metadata; null if it has none.
    pub described: Option<ModelDescription>,
    /// Files with constants, besides the model.
    pub weight_files: Vec<WeightFile>,
    /// Inputs that outputs can be tied to.
    pub caches: Vec<Cache>,
    pub totals: Totals,
    /// Null if memory was not planned, with --resize, and for a model without inputs.
    pub batch: Option<BatchText>,
}
