//! An inference runtime for `.tflite` models whose operators, planners and delegates are plugins.
//!
//! ```no_run
//! use arenite::{Interpreter, Model};
//!
//! # fn main() -> arenite::Result<()> {
//! let model = Model::from_file("model.tflite")?;
//! let mut interpreter = Interpreter::builder(&model).threads(2).build()?;
//! interpreter.allocate()?;
//! interpreter.input_mut(0)?.copy_from_slice(&[0.5f32; 64])?;
//! interpreter.invoke()?;
//! println!("{:?}", interpreter.output(0)?.as_slice::<f32>()?);
//! # Ok(()) }
//! ```
//!
//! The program needs plugins: link the default set with `use arenite_builtin as _;`. Beside these, `build` finds libraries as
//! `ARENITE_PLUGIN_PATH` and an `arenite.toml` ([`config`]) say that [`InterpreterBuilder::config`] was given.
//!
//! The way of the data, each stage a value:
//!
//! ```text
//! bytes ─► Model ─► Graph ─► Inferred ─► Delegated ─► Prepared ─► Placed ─► Runner ─► outputs
//! ```
#![deny(missing_docs)]

mod arena;
pub mod config;
mod error;
mod graph;
mod host;
mod interpreter;
mod model;
mod observer;
mod planning;
mod plugins;
pub mod pool;
mod profile;
mod quota;
mod resources;
mod run;
mod stack;
mod stages;
pub mod text;
pub mod trace;

pub use planning::{lifetime, objects, plan};
pub use plugins::library_file;
pub use stages::partition;

/// The contract, for ops, planners and delegates that a program [hands over](Registry::add_op).
pub use arenite_abi as abi;
pub use arenite_abi::{Bool, Complex32, Complex64, Element, ElementType, Status, UsageRecord};
pub use arenite_layout::Techniques;
pub use config::{Config, ConfigError, NO_DELEGATE};
pub use error::{Error, LeftOut, LoadError, LoadFailure, Missing, Named, Result, UnresolvedOp};
pub use host::devices::{DelegateDevices, DeviceInfo, Fact, FactValue};
pub use interpreter::builder::{DEFAULT_DELEGATE, DEFAULT_PLANNER, InterpreterBuilder};
pub use interpreter::signature::SignatureRunner;
pub use interpreter::strings;
pub use interpreter::{CancelHandle, Interpreter, MemoryUse, Tensor, TensorMut};
pub use model::Model;
pub use observer::{Moment, Observed};
pub use planning::lifetime::{Lifetimes, OutputsFrom};
pub use planning::objects::SharedObjects;
pub use planning::plan::{Objects, Plan, PlanLimits, SegmentPlan};
pub use plugins::loader::PLUGIN_PATH;
pub use plugins::registry::{ContestedOp, OpInfo, OpKey, Origin, PROGRAM, PluginInfo, Registry};
pub use profile::{Profile, ProfileRow};
pub use quota::{FREE_GRAPH_BYTES, MAX_DEPTH, Quota, Resource};
pub use stages::lent::{AlignedBytes, LentMemory};
pub use stages::preview::DelegatePreview;
pub use stages::report::detail::DetailedPlan;
pub use stages::report::{DeviceObjects, PartitionFacts, Served};

/// The model file's tables, as [`Model::view`] gives them.
pub use arenite_model as model_file;
