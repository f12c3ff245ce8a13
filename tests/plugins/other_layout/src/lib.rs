//! A plugin that was built against another layout of the contract: the host must compare layouts and refuse it before
//! it calls any of its functions. It contains all of arenite-abi, with two fields of frozen.rs swapped by build.rs.
#![allow(unreachable_pub)]

#[path = "../../../../core/abi/src/access.rs"]
mod access;
#[path = "../../../../core/abi/src/build_info.rs"]
mod build_info;
#[path = "../../../../core/abi/src/claiming/mod.rs"]
mod claiming;
#[path = "../../../../core/abi/src/constants.rs"]
mod constants;
#[path = "../../../../core/abi/src/delegate/mod.rs"]
pub mod delegate;
#[path = "../../../../core/abi/src/devices/mod.rs"]
mod devices;
#[path = "../../../../core/abi/src/embedding/mod.rs"]
pub mod embedding;
#[path = "../../../../core/abi/src/error.rs"]
mod error;
#[path = "../../../../core/abi/src/flexbuffer/mod.rs"]
pub mod flexbuffer;
mod frozen {
    include!(concat!(env!("OUT_DIR"), "/frozen.rs"));
}
#[path = "../../../../core/abi/src/graph.rs"]
mod graph;
#[path = "../../../../core/abi/src/handed_out.rs"]
mod handed_out;
#[path = "../../../../core/abi/src/held.rs"]
mod held;
#[path = "../../../../core/abi/src/host.rs"]
pub mod host;
#[path = "../../../../core/abi/src/layout.rs"]
pub mod layout;
#[path = "../../../../core/abi/src/model.rs"]
mod model;
#[path = "../../../../core/abi/src/numbers.rs"]
mod numbers;
#[path = "../../../../core/abi/src/objects/mod.rs"]
mod objects;
#[path = "../../../../core/abi/src/op/mod.rs"]
pub mod op;
#[path = "../../../../core/abi/src/op_schema/mod.rs"]
mod op_schema;
#[path = "../../../../core/abi/src/options/mod.rs"]
pub mod options;
#[path = "../../../../core/abi/src/pairs.rs"]
mod pairs;
#[path = "../../../../core/abi/src/panics.rs"]
mod panics;
#[path = "../../../../core/abi/src/plain/mod.rs"]
pub mod plain;
#[path = "../../../../core/abi/src/planner.rs"]
pub mod planner;
#[path = "../../../../core/abi/src/plugin.rs"]
pub mod plugin;
#[path = "../../../../core/abi/src/raw.rs"]
pub mod raw;
#[path = "../../../../core/abi/src/resource_memory.rs"]
mod resource_memory;
#[path = "../../../../core/abi/src/schema/mod.rs"]
pub mod schema;
#[path = "../../../../core/abi/src/shim.rs"]
mod shim;
#[path = "../../../../core/abi/src/sizes.rs"]
mod sizes;
#[path = "../../../../core/abi/src/tensor/mod.rs"]
pub mod tensor;

pub use claiming::Server;
pub use constants::Constants;
pub use delegate::{Claims, CompileContext, Delegate, DelegateKernel, PartitionView, PlanNotes};
pub use devices::{Device, DeviceNotes, DeviceObject, FactNotes, ListDevices};
pub use error::{Error, MESSAGE_CAPACITY, Result, Status};
pub use graph::GraphView;
pub use held::Held;
pub use model::{ModelContext, SubgraphOutput};
pub use objects::{ObjectAssignment, ObjectRecord, ObjectRequest, Readers};
pub use op::{EvalContext, NodeView, Op, OpCode, PrepareContext, Sharing};
pub use op_schema::{OpSchema, OperandSchema, OptionSchema};
pub use options::Options;
pub use pairs::OptionPairs;
pub use planner::{AssignmentMut, PlanRequest, Planner, UsageRecord};
pub use plugin::Plugin;
pub use plugin::StaticPlugin;
pub use tensor::{
    Bool, Complex32, Complex64, Element, ElementType, ElementTypes, Quantization, ReadCells, Scratch, Table,
    TensorView, TensorViewMut,
};

/// All items that an op, a planner or a delegate needs.
pub mod prelude {
    pub use core::ops::RangeInclusive;

    pub use crate::ElementType::{self, *};
    pub use crate::{
        AssignmentMut, Bool, Complex32, Complex64, Element, ElementTypes, Error, EvalContext, NodeView, Op,
        OpCode, OptionPairs, Options, PlanRequest, Planner, Plugin, PrepareContext, Quantization, ReadCells,
        Result, Scratch, Status, Table, TensorView, TensorViewMut, UsageRecord, ensure, export_plugin,
        invalid, plugin, unsupported,
    };
    pub use crate::{Claims, Delegate, DelegateKernel, PartitionView};
}

#[doc(hidden)]
pub mod __private {
    pub use abi_stable;
    pub use inventory;
}

mod sin {
    use crate::prelude::*;

    pub struct Sin;

    impl Op for Sin {
        const CODE: OpCode = OpCode::Custom("OtherSin");
        const VERSIONS: RangeInclusive<i32> = 1..=1;

        fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
            cx.set_output_shape(0, node.input(0)?.shape)?;
            Ok(Sin)
        }

        fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
            let (x, y) = (cx.input_cells::<f32>(0)?, cx.output_cells::<f32>(0)?);
            y.iter().zip(x.iter()).for_each(|(y, x)| y.set(x.sin()));
            Ok(())
        }
    }

    pub static PLUGIN: Plugin = crate::plugin! {
        id: "org.arenite.test.other-layout",
        description: "Built against another layout",
        ops: [Sin],
    };
    crate::export_plugin!(PLUGIN);
}
