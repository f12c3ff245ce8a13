//! One call of `allocate` or `invoke`: its limits, and calls of other subgraphs by its nodes. Nothing here depends on
//! the stages, which all get a [`Run`](run::Run).

pub(crate) mod phase;
pub(crate) mod run;
pub(crate) mod settings;
pub(crate) mod usage;
