//! The ABI between arenite and its plugins: operators, memory planners and delegates. A plugin depends only on this
//! crate.
//!
//! # A whole plugin
//!
//! ```
//! use arenite_abi::prelude::*;
//!
//! /// `y = sin(x)`, for f32.
//! struct Sin;
//!
//! impl Op for Sin {
//!     const CODE: OpCode = OpCode::Custom("Sin");
//!     const VERSIONS: RangeInclusive<i32> = 1..=1;
//!     const TYPES: ElementTypes = ElementTypes::of(&[F32]);
//!     const SHARING: Sharing = Sharing::InPlace;
//!
//!     fn prepare(node: &NodeView, cx: &mut PrepareContext) -> Result<Self> {
//!         let (x, y) = node.unary()?;
//!         ensure!(x.ty == y.ty, "input is {}, output is {}", x.ty, y.ty);
//!         cx.set_output_shape(0, x.shape)?;
//!         cx.allow_in_place(0, 0)?;
//!         Ok(Sin)
//!     }
//!
//!     fn eval(&self, cx: &mut EvalContext) -> Result<()> {
//!         let (x, y) = (cx.input_cells::<f32>(0)?, cx.output_cells::<f32>(0)?);
//!         for (y, x) in y.iter().zip(x.iter()) {
//!             y.set(x.sin());
//!         }
//!         Ok(())
//!     }
//! }
//!
//! static PLUGIN: Plugin = plugin! {
//!     id: "org.example.sin",
//!     description: "The sine",
//!     ops: [Sin],
//! };
//! export_plugin!(PLUGIN);
//! # fn main() { assert_eq!(PLUGIN.descriptor().op_count, 1); }
//! ```
//!
//! Compile it as a `cdylib`; `arenite --plugin-dir DIR` then loads the library. `plugins/template` contains one op, one
//! planner and one delegate to copy, and an op in C.
//!
//! # How the host uses it
//!
//! 1. *Load.* The file is checked and opened, and its layouts are compared with the host's ([`layout`]). The entry
//!    function negotiates the version and returns the descriptor. A failed load registers nothing. Libraries are never
//!    unloaded.
//! 2. *Op.* The host finds an op by code, version and element types. It calls [`Op::prepare`] for each node, in
//!    execution order, whenever shapes change. After [`Status::Unsupported`] it tries the next candidate; any other
//!    error ends the preparation, and its message is shown after the node's name. [`Op::eval`] runs the node.
//! 3. *Planner.* After `prepare` the host knows the size and lifetime of each buffer, and calls the chosen [`Planner`].
//! 4. *Delegate.* Once shapes are known, the host shows the graph to each [`Delegate`] in the configured order. For a
//!    node without a reference op, it only knows the shapes in the model file. A compiled partition is prepared again
//!    when shapes change, and compiled again when its nodes or the constants they read change.
//!
//! # Rules
//!
//! - Memory comes from the host: [`PrepareContext::table`] for data that is computed once, [`PrepareContext::scratch`]
//!   for temporary buffers. `eval` allocates nothing.
//! - Threads come from the host: [`EvalContext::parallel_for`]. Log with [`host::log`].
//! - A panic is caught in the plugin and converted to an error. The instance is not called again.
//! - `eval` may run on different threads, but never twice at the same time for one instance.
//! - The schema's numbers have names in [`schema`]: operators, options and their values.
//! - Constants can be read in `prepare`: [`TensorView::constant`]. An output shape that depends on other data is
//!   [dynamic](PrepareContext::set_output_dynamic).
//!
//! # Testing
//!
//! With the feature `testing`, the module `testing` runs a single op on given tensors as the host would.
//!
//! # Without std
//!
//! With `default-features = false` ops and planners need neither std nor a heap.
#![cfg_attr(not(feature = "std"), no_std)]
#![deny(missing_docs)]

mod access;
mod build_info;
mod claiming;
mod constants;
#[cfg(feature = "std")]
pub mod delegate;
mod devices;
pub mod embedding;
mod error;
pub mod flexbuffer;
mod frozen;
mod graph;
mod handed_out;
mod held;
pub mod host;
pub mod host_side;
#[cfg(feature = "std")]
pub mod layout;
mod model;
mod numbers;
#[cfg(feature = "std")]
pub mod object;
mod objects;
pub mod op;
mod op_schema;
pub mod options;
mod pairs;
mod panics;
pub mod plain;
pub mod planner;
pub mod plugin;
pub mod raw;
mod resource_memory;
pub mod schema;
mod shim;
mod sizes;
pub mod tensor;
#[cfg(feature = "std")]
pub mod testing;

#[cfg(feature = "std")]
pub use claiming::Server;
pub use constants::Constants;
#[cfg(feature = "std")]
pub use delegate::{Claims, CompileContext, Delegate, DelegateKernel, PartitionView, PlanNotes};
pub use devices::{Device, DeviceNotes, DeviceObject, FactNotes, ListDevices};
pub use embedding::{Embed, EmbedContext};
pub use error::{Error, MESSAGE_CAPACITY, Result, Status};
pub use graph::GraphView;
pub use held::Held;
pub use model::{ModelContext, SubgraphOutput};
#[cfg(feature = "std")]
pub use object::{OpObject, UserData};
pub use objects::{ObjectAssignment, ObjectRecord, ObjectRequest, Readers};
pub use op::{EvalContext, NodeView, Op, OpCode, OutputType, PrepareContext, Sharing, StepTimes};
pub use op_schema::{OpSchema, OperandSchema, OptionSchema};
pub use options::Options;
pub use pairs::OptionPairs;
pub use plain::Maybe;
pub use planner::{AssignmentMut, PlanRequest, Planner, UsageRecord};
pub use plugin::Plugin;
#[cfg(feature = "std")]
pub use plugin::StaticPlugin;
pub use tensor::{
    Bool, Complex32, Complex64, Element, ElementType, ElementTypes, Quantization, ReadCells, Scratch, State,
    Table, TensorView, TensorViewMut,
};

/// Everything needed to write an op, a planner or a delegate. It omits element types whose names mean something else in
/// Rust: `ElementType::{Bool, String, Resource, Variant}`.
pub mod prelude {
    pub use core::ops::RangeInclusive;

    pub use crate::ElementType::{
        self, BF16, C64, C128, F8E4M3, F8E5M2, F16, F32, F64, I2, I4, I8, I16, I32, I64, U4, U8, U16, U32,
        U64,
    };
    pub use crate::schema::{self, op};
    pub use crate::{
        AssignmentMut, Bool, Complex32, Complex64, Constants, Device, DeviceNotes, Element, ElementTypes,
        Embed, Error, EvalContext, FactNotes, GraphView, Held, Maybe, ModelContext, NodeView,
        ObjectAssignment, ObjectRecord, ObjectRequest, Op, OpCode, OptionPairs, Options, OutputType,
        PlanRequest, Planner, Plugin, PrepareContext, Quantization, ReadCells, Result, Scratch, Sharing,
        State, Status, Table, TensorView, TensorViewMut, UsageRecord, ensure, export_plugin, invalid, plain,
        plugin, unavailable, unsupported,
    };
    #[cfg(feature = "std")]
    pub use crate::{Claims, CompileContext, Delegate, DelegateKernel, PartitionView, PlanNotes, Server};
}

#[doc(hidden)]
#[cfg(feature = "std")]
pub mod __private {
    pub use abi_stable;
    pub use inventory;
}
