//! The delegate over a backend's devices.

use std::sync::Arc;

use arenite_abi::host::{self, LogLevel};
use arenite_abi::prelude::*;
use arenite_abi::{DeviceObject, ListDevices};
use arenite_layers::{Reals, refusals, rewrite};

use crate::device::{self, DeviceInfo, Dispatch, Effort, Queue};
use crate::net::transfer::{unworthy, work};
use crate::net::{GpuLayer, LIMITS, Net};
use crate::ops::build;
use crate::options::Options;
use crate::plan::builder::{BuildOptions, TaskList};
use crate::plan::program::{Program, ProgramContext};
use crate::plan::tiles::Tiles;
use crate::plan::winograd::Winograd;
use crate::store::constants::{ProgramConstants, Store, Uploads};
use crate::store::precision::Precision;
use crate::store::shared::SharedState;
use crate::store::storage::Storage;

/// The delegate of a backend, for one interpreter. The module `options` has a table of its options.
pub struct Gpu<D: device::Device> {
    device: Arc<D>,
    shared: Arc<SharedState<D::Queue>>,
    options: Arc<Options>,
    build_options: BuildOptions,
}

/// A compiled partition.
pub struct GpuKernel<D: device::Device> {
    // Declared before `shared`, so it is dropped first: it may still run on the shared queue.
    /// The program for the current shapes.
    program: Option<Program<D::Queue>>,
    store: Store<<D::Queue as Queue>::Memory>,
    /// The effort spent on the program.
    effort: Effort,
    device: Arc<D>,
    options: Arc<Options>,
    build_options: BuildOptions,
    shared: Arc<SharedState<D::Queue>>,
}

impl<D: device::Device> Delegate for Gpu<D> {
    const NAME: &'static str = D::NAME;
    const DEVICES: Option<ListDevices> = Some(list::<D>);
    const KEEPS_OUTPUTS: bool = D::KEEPS;
    const BINDS: bool = D::BINDS;
    type Kernel = GpuKernel<D>;

    fn create(options: &OptionPairs<'_>) -> Result<Self> {
        let options = Options::read(options)?;
        let device = D::open(options.device.as_deref())?;
        let shared = SharedState::new(device.queue_with(&options.settings)?);
        options.precision.expect_on::<D>(device.about())?;
        options.storage.expect_on::<D>(device.about())?;
        let tiles = Tiles::asked(options.products.as_deref(), device.about().filter(|_| D::HAS_TILES))?;
        let about = device.about().filter(|_| D::HAS_WINOGRAD);
        let winograd = Winograd::asked(options.winograd.as_deref(), about)?;
        let build_options = BuildOptions {
            slots: D::SLOTS,
            tiles,
            products: D::HAS_PRODUCTS,
            winograd,
            precision: options.precision,
            storage: options.storage,
        };
        Ok(Gpu { device, shared, options: Arc::new(options), build_options })
    }

    fn claim(&self, graph: &GraphView<'_>, claims: &mut Claims<'_>) -> Result<()> {
        let reals = Reals::of(*graph);
        let subgraphs = |subgraph| claims.subgraph(subgraph);
        let mut refused = refusals::<GpuLayer<'_>>(*graph, &subgraphs, Some(&reals), &LIMITS);
        if self.options.min_work > 0.0 {
            let wide = self.options.precision.bytes() as u64;
            let bytes = |t: usize| graph.tensor(t).map_or(0, |tensor| tensor.len() as u64 * wide);
            let unworthy = unworthy(&work(graph, &refused)?, &bytes, self.options.min_work);
            refused.iter_mut().zip(unworthy).for_each(|(known, reason)| *known = known.take().or(reason));
        }
        for (i, reason) in refused.iter().enumerate() {
            match reason {
                Some(reason) => claims.refuse(i, reason),
                None => claims.accept(i),
            }
        }
        Ok(())
    }

    fn compile(&self, partition: &PartitionView<'_>) -> Result<Self::Kernel> {
        self.kernel(partition, None)
    }

    fn compile_with(&self, partition: &PartitionView<'_>, cx: &CompileContext<'_>) -> Result<Self::Kernel> {
        let kernel = self.kernel(partition, Some(cx.held_on_device()))?;
        for &(tensor, _) in kernel.store.keys() {
            cx.constants().release(tensor)?;
        }
        Ok(kernel)
    }

    fn object(&self, name: &str) -> Result<u64> {
        self.shared.queue().object(name)
    }

    fn bind(&self, object: DeviceObject, offset: u64, bytes: u64) -> Result<u64> {
        self.shared.bind(object, offset, bytes)
    }

    fn unbind(&self, handle: u64) {
        self.shared.unbind(handle);
    }

    fn read_bound(&self, handle: u64, data: &mut [u8]) -> Result<()> {
        let bound = self.shared.expect_bound(handle)?;
        self.shared.queue().read_bound(&bound, data)
    }

    fn write_bound(&self, handle: u64, data: &[u8]) -> Result<()> {
        let bound = self.shared.expect_bound(handle)?;
        self.shared.queue().write_bound(&bound, data)
    }

    fn copy_to_bound(&self, kept: u64, handle: u64, bytes: u64) -> Result<()> {
        if self.options.precision != Precision::F32 {
            return Err(unsupported!("values are stored with 16 bits"));
        }
        self.shared.copy_to_bound(kept, handle, bytes)
    }
}

impl<D: device::Device> Gpu<D> {
    /// A kernel whose constants are on the device.
    fn kernel(&self, partition: &PartitionView<'_>, held: Option<Held<'_>>) -> Result<GpuKernel<D>> {
        let mut kernel = GpuKernel {
            program: None,
            store: Store::new(),
            effort: Effort::default(),
            device: Arc::clone(&self.device),
            options: Arc::clone(&self.options),
            build_options: self.build_options,
            shared: Arc::clone(&self.shared),
        };
        kernel.build(partition, held)?;
        Ok(kernel)
    }
}

/// Lists the devices of a backend.
fn list<D: device::Device>(notes: &mut DeviceNotes<'_>) -> Result<()> {
    for DeviceInfo { name, driver, kind, memory, largest, local, units, images, limits } in &D::list()? {
        let [x, y, z] = limits.axes;
        let told = [
            ("largest buffer", Some(format!("{largest} bytes"))),
            ("local memory", Some(format!("{local} bytes"))),
            ("units", (*units > 0).then(|| units.to_string())),
            ("largest image", (*images > 0).then(|| format!("{images} pixels"))),
            ("work-group", Some(format!("{} of {x} × {y} × {z}", limits.total))),
        ];
        let told: Vec<_> = told.iter().filter_map(|(key, value)| Some((*key, value.as_deref()?))).collect();
        notes.note(&Device { name, driver, kind, memory: *memory }, &told);
    }
    Ok(())
}

impl<D: device::Device> GpuKernel<D> {
    /// Builds the tasks for the current shapes, and their constants. Constants on the device are reused.
    fn build(&mut self, partition: &PartitionView<'_>, held: Option<Held<'_>>) -> Result<BuiltNet<D>> {
        let none = |_| Err(unsupported!("subgraphs are not supported"));
        let reals = Reals::of(partition.graph());
        let mut net = Net::lower(partition, &none, Some(&reals), &LIMITS)?;
        rewrite::rewrite(&mut net, &LIMITS, |_| ());
        let queue = self.shared.queue();
        let mut uploads = Uploads::new(&*queue, &mut self.store, held);
        let built = build(&net, partition.graph().inputs(), &mut uploads, self.build_options)?;
        let (bytes, used) = (uploads.bytes(), uploads.into_used());
        Ok((built, ProgramConstants { used, bytes }))
    }

    fn forget_program(&mut self) {
        if let Some(program) = self.program.take() {
            self.shared.forget(program.handles());
        }
    }
}

/// Reports the work-group of each kernel and grid, in the order of their first dispatches.
fn tell_groups(dispatches: &[Dispatch], notes: &mut FactNotes<'_>) {
    let mut counts: Vec<(&Dispatch, usize)> = Vec::new();
    for dispatch in dispatches {
        match counts.iter_mut().find(|(known, _)| *known == dispatch) {
            Some((_, count)) => *count += 1,
            None => counts.push((dispatch, 1)),
        }
    }
    let extent = |[x, y, z]: [u32; 3]| format!("{x} × {y} × {z}");
    for (Dispatch { kernel, grid, group }, count) in counts {
        let (size, grid, choice) = (extent(group.size), extent(*grid), group.choice.text());
        let times = if count == 1 { String::new() } else { format!(", {count} kernels") };
        notes.text(
            &format!("work-group of {kernel}"),
            &format!("{size} for {grid} work-items, {choice}{times}"),
        );
    }
}

/// A built net and its constants.
type BuiltNet<D> = (TaskList, ProgramConstants<<<D as device::Device>::Queue as Queue>::Memory>);

impl<D: device::Device> Drop for GpuKernel<D> {
    fn drop(&mut self) {
        self.forget_program();
    }
}

impl<D: device::Device> DelegateKernel for GpuKernel<D> {
    fn prepare(&mut self, partition: &PartitionView<'_>, cx: &mut PrepareContext<'_>) -> Result<()> {
        for (i, &tensor) in partition.outputs().iter().enumerate() {
            let tensor = partition.graph().tensor(tensor as usize)?;
            cx.set_output_shape(i, tensor.shape)?;
        }
        self.forget_program();
        let (mut built, constants) = self.build(partition, Some(cx.held_on_device()))?;
        for (output, &tensor) in built.outputs.iter_mut().zip(partition.outputs()) {
            output.stays &= !partition.graph().tensor(tensor as usize)?.is_variable();
        }
        let records = built.records.len();
        let before = self.shared.queue().effort();
        let context = ProgramContext { shared: &self.shared, planner: &self.options.memory, keeps: D::KEEPS };
        let program = Program::new(built, constants, &context, cx)?;
        self.effort = self.shared.queue().effort().since(before);
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
        let Some(program) = &mut self.program else {
            return Err(invalid!("the partition was not prepared"));
        };
        let before = self.shared.queue().effort();
        let done = program.run(&self.shared, cx);
        self.effort = self.effort.and(self.shared.queue().effort().since(before));
        done
    }

    fn facts(&self, notes: &mut FactNotes<'_>) -> Result<()> {
        let Some(program) = &self.program else { return Ok(()) };
        if let Some(about) = self.device.about() {
            notes.text("device", &about.name);
            notes.text("driver", &about.driver);
        }
        let ([bytes, constants], [up, down]) = (program.bytes(), program.crossed());
        let Effort { compiled, loaded, compiling, tuned, recalled, tuning, imageless } = self.effort;
        for (key, number, unit) in [
            ("device memory", bytes as u64, "bytes"),
            ("of these constants", constants as u64, "bytes"),
            ("kernels of an invocation", program.kernels() as u64, ""),
            ("programs that were compiled", compiled, ""),
            ("programs from the cache", loaded, ""),
            ("time of programs", compiling, "ns"),
            ("kernels that were tuned", tuned, ""),
            ("sizes from the cache", recalled, ""),
            ("time of tuning", tuning, "ns"),
            ("to the device in the last invocation", up, "bytes"),
            ("from the device in the last invocation", down, "bytes"),
        ] {
            notes.number(key, number, unit);
        }
        if self.options.storage == Storage::Image {
            notes.number("kernels whose memory is too large for images", imageless, "");
        }
        tell_groups(&program.dispatches(&self.shared), notes);
        Ok(())
    }

    fn read(&mut self, handle: u64, data: &mut [u8]) -> Result<()> {
        match &mut self.program {
            Some(program) => program.fetch(&self.shared, handle, data),
            None => Err(invalid!("the partition was not prepared")),
        }
    }
}
