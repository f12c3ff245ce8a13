//! The core of arenite: loads a `.tflite` model, plans its memory and runs it with plugins.
//!
//! Programs depend on the crate `arenite`, which re-exports this one and links the default plugins. Use this crate
//! alone to leave them out:
//!
//! ```no_run
//! use arenite_runtime::{Interpreter, Model};
//!
//! # fn main() -> arenite_runtime::Result<()> {
//! let model = Model::from_file("model.tflite")?;
//! let mut interpreter = Interpreter::builder(&model).threads(2).build()?;
//! interpreter.allocate()?;
//! interpreter.input_mut(0)?.copy_from_slice(&[0.5f32; 64])?;
//! interpreter.invoke()?;
//! println!("{:?}", interpreter.output(0)?.as_slice::<f32>()?);
//! # Ok(()) }
//! ```
//!
//! `build` uses the plugins that are linked into the program. It also loads plugin libraries from
//! `ARENITE_PLUGIN_PATH` and from the `arenite.toml` ([`config`]) passed to [`InterpreterBuilder::config`].
//!
//! The stages, each of which is a value:
//!
//! ```text
//! bytes ─► Model ─► Graph ─► Inferred ─► Delegated ─► Prepared ─► Placed ─► Runner ─► outputs
//! ```
#![deny(missing_docs)]

mod arena;
mod call;
pub mod config;
mod error;
mod graph;
mod host;
mod interpreter;
mod model;
mod observer;
mod one_shot;
mod passed_constants;
mod planning;
mod plugins;
pub mod pool;
mod profile;
mod quota;
mod resources;
mod spans;
mod stack;
mod stages;
pub mod text;
pub mod trace;
pub mod values;

pub use planning::{lifetime, objects, plan};
pub use plugins::library_file;
pub use stages::partition;

/// The contract, for ops, planners and delegates that a program [hands over](Registry::add_op).
pub use arenite_abi as abi;
pub use arenite_abi::{Bool, Complex32, Complex64, Element, ElementType, Status, UsageRecord};
pub use arenite_layout::Techniques;
pub use config::{Config, ConfigError, NO_DELEGATE};
pub use error::{
    DisabledDelegate, Error, ItemKind, LoadError, LoadFailure, MissingPlugins, Resource, Result, UnresolvedOp,
};
pub use host::devices::{DelegateDevices, DeviceInfo, Fact, FactValue};
pub use interpreter::builder::{DEFAULT_DELEGATE, DEFAULT_PLANNER, InterpreterBuilder};
pub use interpreter::signature::SignatureRunner;
pub use interpreter::strings;
pub use interpreter::{CancelHandle, DeviceMemory, Interpreter, MemoryUse, Tensor, TensorMut};
pub use model::Model;
pub use observer::{Moment, ObservedStep};
pub use one_shot::{Output, Outputs};
pub use planning::lifetime::{Lifetimes, OutputLifetimeStart};
pub use planning::objects::SharedObjects;
pub use planning::plan::{Objects, Plan, PlanLimits, SegmentPlan};
pub use plugins::loader::PLUGIN_PATH;
pub use plugins::op_key::OpKey;
pub use plugins::registration::PROGRAM;
pub use plugins::registry::{AbiVersion, ContestedOp, OpInfo, Origin, PluginInfo, Registry};
pub use profile::{Profile, ProfileRow};
pub use quota::{FREE_GRAPH_BYTES, MAX_DEPTH, Quota};
pub use stages::lent::{AlignedBytes, LentMemory};
pub use stages::preview::DelegatePreview;
pub use stages::report::detail::DetailedPlan;
pub use stages::report::{DeviceObjects, NodeProvider, PartitionFacts};

/// The model file's tables, as [`Model::view`] returns them.
pub use arenite_model as model_file;
pub use arenite_model::Source;
