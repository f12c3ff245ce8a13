//! Delegates: backends that take over parts of a graph.
//!
//! The host shows the delegate a [`GraphView`] whose nodes were checked and whose shapes are known. The delegate
//! [claims](Delegate::claim) nodes; it is only shown nodes without a reference op if it [vouches](Delegate::vouch) for
//! them. The host groups claimed nodes into partitions, and has each one [compiled](Delegate::compile),
//! [prepared](DelegateKernel::prepare) and [invoked](DelegateKernel::invoke).

pub(crate) mod shim;

pub use shim::registration;

use crate::graph::GraphView;
use crate::host::check;
use crate::op::{EvalContext, NodeView, PrepareContext};
use crate::raw::{
    self, ArClaimHostV1, ArClaimsV1, ArCompileHostV1, ArDescribeV1, ArGraphV1, ArPartitionV1, ArPlanNotesV1,
    ArStr,
};
use crate::tensor::Scratch;
use crate::{
    Constants, DeviceObject, FactNotes, Held, ListDevices, OptionPairs, Result, UsageRecord, invalid,
    unsupported,
};

/// A backend. Each interpreter creates its own value.
pub trait Delegate: Sized + Send + 'static {
    /// The name by which users select the delegate.
    const NAME: &'static str;
    /// A compiled partition.
    type Kernel: DelegateKernel;

    /// Lists the delegate's devices, if it has any.
    const DEVICES: Option<ListDevices> = None;

    /// Whether kernels may [keep outputs](EvalContext::keep_output) in device memory and [read](DelegateKernel::read)
    /// them later.
    const KEEPS_OUTPUTS: bool = false;

    /// Whether a program can [bind](Self::bind) memory of the device to tensors.
    const BINDS: bool = false;

    /// Creates a delegate with these options.
    ///
    /// # Errors
    /// An unknown option (see [`OptionPairs::expect_only`]), or [`Status::Unavailable`](crate::Status::Unavailable) if
    /// the device is missing, which users may choose to ignore.
    fn create(options: &OptionPairs<'_>) -> Result<Self>;

    /// Accepts or refuses each node, with a reason.
    ///
    /// # Errors
    /// The delegate cannot work with this graph at all.
    fn claim(&self, graph: &GraphView<'_>, claims: &mut Claims<'_>) -> Result<()>;

    /// Whether the delegate wants to be shown a node that no registered op prepared. Return true only if the delegate
    /// knows this op in this version and for these types, and relies only on output shapes that it computes itself: the
    /// host takes the shapes of such a node from the model's file.
    fn vouch(&self, node: &NodeView<'_>) -> bool {
        let _ = node;
        false
    }

    /// Compiles a partition: all work that depends only on its nodes and constants. Tensors have the shapes of the
    /// first `prepare`.
    ///
    /// # Errors
    /// The partition cannot be compiled.
    fn compile(&self, partition: &PartitionView<'_>) -> Result<Self::Kernel>;

    /// Like [`compile`](Self::compile), but called instead of it by hosts that offer services during compilation.
    /// Constants are packed here.
    ///
    /// # Errors
    /// As for [`compile`](Self::compile).
    fn compile_with(&self, partition: &PartitionView<'_>, cx: &CompileContext<'_>) -> Result<Self::Kernel> {
        let _ = cx;
        self.compile(partition)
    }

    /// The object of the device's API with this name, such as the `context`, on which a program creates memory.
    ///
    /// # Errors
    /// [`Status::Unsupported`](crate::Status::Unsupported) with the known names.
    fn object(&self, name: &str) -> Result<u64> {
        Err(unsupported!("'{}' has no object '{name}'", Self::NAME))
    }

    /// Binds `bytes` bytes at `offset` of an object: the elements of a tensor in their order and type, without padding.
    /// Kernels find the returned handle in [`EvalContext::kept_input`], as they find the handles of kept values.
    ///
    /// # Errors
    /// The object has fewer bytes, or belongs to another device.
    fn bind(&self, object: DeviceObject, offset: u64, bytes: u64) -> Result<u64> {
        let _ = (object, offset, bytes);
        Err(unsupported!("'{}' binds no memory", Self::NAME))
    }

    /// Releases bound memory.
    fn unbind(&self, handle: u64) {
        let _ = handle;
    }

    /// Copies from the start of bound memory.
    ///
    /// # Errors
    /// There are fewer bytes, or the device is lost.
    fn read_bound(&self, handle: u64, data: &mut [u8]) -> Result<()> {
        let _ = (handle, data);
        Err(unsupported!("'{}' binds no memory", Self::NAME))
    }

    /// Copies to the start of bound memory.
    ///
    /// # Errors
    /// As for [`read_bound`](Self::read_bound).
    fn write_bound(&self, handle: u64, data: &[u8]) -> Result<()> {
        let _ = (handle, data);
        Err(unsupported!("'{}' binds no memory", Self::NAME))
    }

    /// Copies a value of `bytes` bytes that a kernel keeps under `kept` to bound memory.
    ///
    /// # Errors
    /// [`Status::Unsupported`](crate::Status::Unsupported) if the device stores the value in another type: the host
    /// then reads and writes it.
    fn copy_to_bound(&self, kept: u64, handle: u64, bytes: u64) -> Result<()> {
        let _ = (kept, handle, bytes);
        Err(unsupported!("'{}' copies no values to bound memory", Self::NAME))
    }
}

/// A compiled partition. It runs *all* nodes of the partition.
pub trait DelegateKernel: Send + 'static {
    /// Sets the shapes of the partition's outputs and requests scratch memory. Called after `compile` and after shapes
    /// changed. The partition's graph already has the shapes of nodes with a reference op. The nodes, and the values of
    /// the constants they read, are the same as in `compile`.
    ///
    /// # Errors
    /// The partition cannot run with these shapes.
    fn prepare(&mut self, partition: &PartitionView<'_>, cx: &mut PrepareContext<'_>) -> Result<()>;

    /// Computes the partition's outputs. Input `i` of the context is the partition's input `i`; outputs likewise.
    ///
    /// # Errors
    /// [`Status::Unavailable`](crate::Status::Unavailable) if the device is lost or its memory is exhausted.
    fn invoke(&mut self, partition: &PartitionView<'_>, cx: &mut EvalContext<'_>) -> Result<()>;

    /// After `prepare`: reports the buffers inside the scratch memory. A kernel that reports nothing is shown as one
    /// block.
    ///
    /// # Errors
    /// The buffers cannot be reported.
    fn plan(&self, notes: &mut PlanNotes<'_>) -> Result<()> {
        let _ = notes;
        Ok(())
    }

    /// After `prepare`: reports facts, such as bytes used on the device or tuning time.
    ///
    /// # Errors
    /// The facts cannot be reported.
    fn facts(&self, notes: &mut FactNotes<'_>) -> Result<()> {
        let _ = notes;
        Ok(())
    }

    /// Copies the value kept under `handle` to host memory, which has the size of the tensor. A
    /// [kept](EvalContext::keep_output) value does not change until the kernel is invoked again, prepared or dropped.
    ///
    /// # Errors
    /// As for [`invoke`](Self::invoke).
    fn read(&mut self, handle: u64, data: &mut [u8]) -> Result<()> {
        let _ = (handle, data);
        Err(unsupported!("'{}' keeps no outputs", core::any::type_name::<Self>()))
    }
}

/// The answers of [`Delegate::claim`]. Nodes that are not accepted are refused.
pub struct Claims<'a> {
    raw: &'a ArClaimsV1,
    subgraphs: Option<&'a ArDescribeV1>,
    pub(crate) host: Option<&'a ArClaimHostV1>,
}

impl<'a> Claims<'a> {
    /// Wraps the host's struct.
    ///
    /// # Safety
    /// The structs must be valid for `'a`, and their functions must accept their contexts.
    pub(crate) unsafe fn from_raw(raw: &'a ArClaimsV1, subgraphs: Option<&'a ArDescribeV1>) -> Self {
        Claims { raw, subgraphs, host: None }
    }

    /// Wraps the host's struct.
    ///
    /// # Safety
    /// The struct must be valid for `'a`, `claims` must not be null, both pointers must be null or valid for `'a`, and
    /// all functions must accept their contexts.
    pub(crate) unsafe fn with_host(host: &'a ArClaimHostV1) -> Self {
        // SAFETY: `claims` is not null, and both pointers are valid for `'a` where they are not null, as `# Safety`
        // requires.
        unsafe { Claims { raw: &*host.claims, subgraphs: host.subgraphs.as_ref(), host: Some(host) } }
    }

    /// The nodes of a subgraph that a node calls, and its tensors with their current shapes and constants. For a
    /// partition with such nodes, [`PrepareContext::model`] shows them again.
    ///
    /// # Errors
    /// The subgraph does not exist, or is the one whose nodes are claimed, or the host does not show subgraphs.
    pub fn subgraph(&self, subgraph: i32) -> Result<GraphView<'a>> {
        show(self.subgraphs, subgraph)
    }

    /// Accepts the node at position `node` of the execution plan.
    pub fn accept(&mut self, node: usize) {
        // SAFETY: the arguments are plain values, and `from_raw` requires that the function accepts this context.
        unsafe { (self.raw.accept)(self.raw.context, node) };
    }

    /// Refuses the node, with a reason for the user.
    pub fn refuse(&mut self, node: usize, reason: &str) {
        // SAFETY: `reason` is readable during the call, and `from_raw` requires that the function accepts this context.
        unsafe { (self.raw.refuse)(self.raw.context, node, ArStr::borrowed(reason)) };
    }
}

/// A subgraph as the host shows it during `'a`.
fn show<'a>(host: Option<&'a ArDescribeV1>, subgraph: i32) -> Result<GraphView<'a>> {
    let host = host.ok_or_else(|| unsupported!("this host shows delegates no subgraphs"))?;
    let index = u32::try_from(subgraph).map_err(|_| invalid!("subgraph {subgraph} does not exist"))?;
    let mut graph: *const ArGraphV1 = core::ptr::null();
    // SAFETY: `graph` is writable. The host keeps the graph valid and unchanged during the call in progress
    // (`host_side`).
    unsafe {
        check((host.describe)(host.context, index, &mut graph))?;
        let graph = graph.as_ref().ok_or_else(|| unsupported!("the host shows no subgraph {subgraph}"))?;
        Ok(GraphView::from_raw(graph))
    }
}

/// The host's services while a partition is [compiled](Delegate::compile_with).
pub struct CompileContext<'a> {
    raw: &'a ArCompileHostV1,
}

impl<'a> CompileContext<'a> {
    /// Wraps the host's struct.
    ///
    /// # Safety
    /// The struct must be valid for `'a`, and its functions must accept its context.
    pub(crate) unsafe fn from_raw(raw: &'a ArCompileHostV1) -> Self {
        CompileContext { raw }
    }

    /// The number of threads that [`host::parallel_for`](crate::host::parallel_for) may use.
    pub fn threads(&self) -> u32 {
        self.raw.threads
    }

    /// Like [`Claims::subgraph`].
    ///
    /// # Errors
    /// The subgraph does not exist, or is the one that is compiled, or the host does not show subgraphs.
    pub fn subgraph(&self, subgraph: i32) -> Result<GraphView<'a>> {
        // SAFETY: `from_raw` requires that the pointer is null or valid for `'a`.
        show(unsafe { self.raw.subgraphs.as_ref() }, subgraph)
    }

    /// The model's constants.
    pub fn constants(&self) -> Constants<'a> {
        // SAFETY: `from_raw` requires that `query` accepts this context; it returns null or the requested struct.
        unsafe { Constants::new(self.raw.query, self.raw.context) }
    }

    /// The memory quota of the kernel that is compiled.
    pub fn held(&self) -> Held<'a> {
        // SAFETY: `from_raw` requires that `query` accepts this context; it returns null or the requested struct.
        unsafe { Held::new(self.raw.query, self.raw.context) }
    }

    /// The device memory quota of the kernel that is compiled.
    pub fn held_on_device(&self) -> Held<'a> {
        // SAFETY: `from_raw` requires that `query` accepts this context; it returns null or the requested struct.
        unsafe { Held::on_device(self.raw.query, self.raw.context) }
    }

    /// The host's interface with this id; null if it has none.
    pub fn query(&self, interface: u64) -> *const core::ffi::c_void {
        // SAFETY: the id is a plain value, and `from_raw` requires that `query` accepts this context.
        unsafe { (self.raw.query)(self.raw.context, interface) }
    }
}

/// Receives the buffers [inside a kernel's scratch memory](DelegateKernel::plan).
pub struct PlanNotes<'a> {
    raw: &'a ArPlanNotesV1,
}

impl<'a> PlanNotes<'a> {
    /// Wraps the host's struct.
    ///
    /// # Safety
    /// The struct must be valid for `'a`, and its function must accept its context.
    pub(crate) unsafe fn from_raw(raw: &'a ArPlanNotesV1) -> Self {
        PlanNotes { raw }
    }

    /// Reports a buffer at byte `offset` of `scratch`. Its record counts the kernel's own steps, and names the tensor
    /// of the graph it holds, if any.
    pub fn note<T>(&mut self, scratch: &Scratch<T>, record: &UsageRecord, offset: u64, name: &str) {
        let name = ArStr::borrowed(name);
        // SAFETY: record and name are readable during the call, and `from_raw` requires that the function accepts this
        // context.
        unsafe { (self.raw.note)(self.raw.context, scratch.index, record, offset, name) };
    }
}

/// A group of claimed nodes that run as one.
#[derive(Clone, Copy)]
pub struct PartitionView<'a> {
    raw: &'a ArPartitionV1,
}

impl<'a> PartitionView<'a> {
    /// Wraps the host's struct.
    ///
    /// # Safety
    /// The struct and everything it points to must be valid for `'a`.
    pub(crate) unsafe fn from_raw(raw: &'a ArPartitionV1) -> Self {
        PartitionView { raw }
    }

    /// The graph that contains the partition.
    pub fn graph(&self) -> GraphView<'a> {
        // SAFETY: `from_raw` requires that the struct and everything it points to is valid for `'a`.
        unsafe { GraphView::from_raw(&*self.raw.graph) }
    }

    /// Positions of the nodes in the graph, in execution order.
    pub fn node_indices(&self) -> &'a [u32] {
        // SAFETY: `from_raw` requires that the struct and everything it points to is valid for `'a`.
        unsafe { raw::slice(self.raw.nodes, self.raw.node_count) }
    }

    /// The nodes of the partition, in execution order.
    pub fn nodes(&self) -> impl ExactSizeIterator<Item = NodeView<'a>> + use<'a> {
        let graph = self.graph();
        self.node_indices().iter().map(move |&i| graph.node(i as usize))
    }

    /// Indices of the tensors that the partition reads from outside, including constants, in ascending order.
    pub fn inputs(&self) -> &'a [i32] {
        // SAFETY: `from_raw` requires that the struct and everything it points to is valid for `'a`.
        unsafe { raw::slice(self.raw.inputs, self.raw.input_count) }
    }

    /// Indices of the tensors that are read outside of the partition, in ascending order.
    pub fn outputs(&self) -> &'a [i32] {
        // SAFETY: `from_raw` requires that the struct and everything it points to is valid for `'a`.
        unsafe { raw::slice(self.raw.outputs, self.raw.output_count) }
    }
}
