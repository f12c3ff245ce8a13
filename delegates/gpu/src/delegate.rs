//! A delegate of a backend's devices.

use std::sync::Arc;

use arenite_abi::host::{self, LogLevel};
use arenite_abi::prelude::*;
use arenite_layers::{Reals, refusals, rewrite};

use crate::builder::{Built, build};
use crate::device::{Device, Queue, Slots};
use crate::net::{LIMITS, Net, Own};
use crate::program::Program;
use crate::store::{Store, Uploads};

/// The delegate of a backend. Options:
///
/// * `device`: its number in the list of devices, or a part of its name; without it the first GPU, else the first device;
/// * `memory`: the planner that hands out shared objects for activations, `greedy-in-order` without it; empty for the interpreter's own.
pub struct Gpu<D> {
    device: Arc<D>,
    memory: String,
}

/// A compiled partition.
pub struct GpuKernel<Q: Queue> {
    // In front of the queue, where it may be under way.
    /// For the shapes that it was prepared for last.
    program: Option<Program<Q>>,
    store: Store<Q::Memory>,
    memory: String,
    slots: Slots,
    queue: Q,
}

impl<D: Device> Delegate for Gpu<D> {
    const NAME: &'static str = D::NAME;
    type Kernel = GpuKernel<D::Queue>;

    fn create(options: &OptionPairs<'_>) -> Result<Self> {
        options.expect_only(&["device", "memory"])?;
        let memory = options.get("memory").unwrap_or("greedy-in-order").to_owned();
        Ok(Gpu { device: D::open(options.get("device"))?, memory })
    }

    fn claim(&self, graph: &GraphView<'_>, claims: &mut Claims<'_>) -> Result<()> {
        let reals = Reals::of(*graph);
        let subgraphs = |subgraph| claims.subgraph(subgraph);
        let refused = refusals::<Own<'_>>(*graph, &subgraphs, Some(&reals), &LIMITS)?;
        for (i, reason) in refused.iter().enumerate() {
            match reason {
                Some(reason) => claims.refuse(i, reason),
                None => claims.accept(i),
            }
        }
        Ok(())
    }

    fn compile(&self, partition: &PartitionView<'_>) -> Result<Self::Kernel> {
        let (queue, memory) = (self.device.queue()?, self.memory.clone());
        let mut kernel = GpuKernel { program: None, store: Store::new(), memory, slots: D::SLOTS, queue };
        kernel.build(partition)?;
        Ok(kernel)
    }

    fn compile_with(&self, partition: &PartitionView<'_>, cx: &CompileContext<'_>) -> Result<Self::Kernel> {
        let kernel = self.compile(partition)?;
        for &(tensor, _) in kernel.store.keys() {
            cx.constants().release(tensor)?;
        }
        Ok(kernel)
    }
}

impl<Q: Queue> GpuKernel<Q> {
    /// What runs for the present shapes, and its constants; those that are on the device stay there.
    fn build(&mut self, partition: &PartitionView<'_>) -> Result<(Built, Vec<Arc<Q::Memory>>)> {
        let none = |_| Err(unsupported!("subgraphs are not looked into"));
        let reals = Reals::of(partition.graph());
        let mut net = Net::lower(partition, &none, Some(&reals), &LIMITS)?;
        rewrite::rewrite(&mut net, &LIMITS, |_| ());
        let mut uploads = Uploads::new(&self.queue, &mut self.store);
        let built = build(&net, &mut uploads, self.slots)?;
        Ok((built, uploads.into_used()))
    }
}

impl<Q: Queue> DelegateKernel for GpuKernel<Q> {
    fn prepare(&mut self, partition: &PartitionView<'_>, cx: &mut PrepareContext<'_>) -> Result<()> {
        for (i, &tensor) in partition.outputs().iter().enumerate() {
            let tensor = partition.graph().tensor(tensor as usize)?;
            cx.set_output_shape(i, tensor.shape)?;
        }
        self.program = None;
        let (built, constants) = self.build(partition)?;
        let records = built.records.len();
        let program = Program::new(built, constants, &self.queue, &self.memory, cx)?;
        let [bytes, constants] = program.bytes();
        let (nodes, kernels) = (partition.node_indices().len(), program.kernels());
        let message = format!(
            "{nodes} nodes are {kernels} kernels, {records} records; {bytes} bytes of the device, of constants {constants}"
        );
        host::log(LogLevel::Debug, "arenite_gpu", &message);
        self.program = Some(program);
        Ok(())
    }

    fn invoke(&mut self, _: &PartitionView<'_>, cx: &mut EvalContext<'_>) -> Result<()> {
        match &mut self.program {
            Some(program) => program.run(&self.queue, cx),
            None => Err(invalid!("the partition was not prepared")),
        }
    }
}
