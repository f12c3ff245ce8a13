//! From a net to tasks for the device.
//!
//! | file | contents |
//! |---|---|
//! | `builder` | `Builder`: turns layers into tasks and gives each value a place |
//! | `crossing` | the partition's inputs and outputs on the host and on the device |
//! | `epilogue` | the elementwise functions that a kernel applies to its results |
//! | `fused_task` | `FusedTask`: a kernel whose results go through an epilogue |
//! | `moves` | boxes of elements, and tensors whose rows are cut in another way |
//! | `program` | `Program`: a built net, recorded on a queue and run |
//! | `task` | tasks, their arguments, and the records that they use |
//! | `tiles`, `winograd` | which algorithm computes a product or a convolution |

pub(crate) mod builder;
pub(crate) mod crossing;
pub(crate) mod epilogue;
pub(crate) mod fused_task;
mod moves;
pub(crate) mod program;
pub(crate) mod task;
pub(crate) mod tiles;
pub(crate) mod winograd;
