//! Delegates: backends that take over parts of a graph.
//!
//! The host shows the delegate a [`GraphView`] whose nodes were checked and whose shapes are known; the delegate
//! [claims](Delegate::claim) nodes, of those that no op checked only what it [vouches](Delegate::vouch) for; the host groups them into partitions, and has each
//! [compiled](Delegate::compile), [prepared](DelegateKernel::prepare) and [invoked](DelegateKernel::invoke).

use crate::graph::GraphView;
use crate::host::check;
use crate::op::{EvalContext, NodeView, PrepareContext};
use crate::raw::{
    self, ArClaimsV1, ArCompileHostV1, ArDescribeV1, ArGraphV1, ArPartitionV1, ArPlanNotesV1, ArStr,
};
use crate::tensor::Scratch;
use crate::{
    Constants, FactNotes, Held, ListDevices, OptionPairs, Result, UsageRecord, invalid, unsupported,
};

/// A backend. One value serves one interpreter.
pub trait Delegate: Sized + Send + 'static {
    /// The name by which it is chosen.
    const NAME: &'static str;
    /// A compiled partition.
    type Kernel: DelegateKernel;

    /// Lists the devices that it runs on, if it has some.
    const DEVICES: Option<ListDevices> = None;

    /// Whether its kernels may [keep outputs](EvalContext::keep_output) in memory of their device, and [read](DelegateKernel::read) them.
    const KEEPS_OUTPUTS: bool = false;

    /// A delegate with these options.
    ///
    /// # Errors
    /// An unknown option (see [`OptionPairs::expect_only`]); [`Status::Unavailable`](crate::Status::Unavailable) if the device is not
    /// there, which users may choose to go without.
    fn create(options: &OptionPairs<'_>) -> Result<Self>;

    /// Says for each node whether the delegate takes it, and if not, why.
    fn claim(&self, graph: &GraphView<'_>, claims: &mut Claims<'_>) -> Result<()>;

    /// Whether the delegate may get a node that no registered op prepared: it knows the op, in this version and for these types, and
    /// trusts no shape of an output that it did not compute. Those of such a node are what the model's file says.
    fn vouch(&self, node: &NodeView<'_>) -> bool {
        let _ = node;
        false
    }

    /// Does all the work for a partition that depends on its nodes and constants. Its shapes are those of the first `prepare`.
    fn compile(&self, partition: &PartitionView<'_>) -> Result<Self::Kernel>;

    /// As [`compile`](Self::compile), in whose place a host that offers something meanwhile calls it. Here constants are packed.
    fn compile_with(&self, partition: &PartitionView<'_>, cx: &CompileContext<'_>) -> Result<Self::Kernel> {
        let _ = cx;
        self.compile(partition)
    }
}

/// A compiled partition: it runs *all* of the partition's nodes.
pub trait DelegateKernel: Send + 'static {
    /// Sets the shapes of the partition's outputs and asks for scratch memory: after `compile`, and after shapes
    /// changed. The host knows the shapes of nodes that have a reference op already: those are in the partition's graph.
    /// The partition's nodes, and the values of the constants that they read, are those of `compile`.
    fn prepare(&mut self, partition: &PartitionView<'_>, cx: &mut PrepareContext<'_>) -> Result<()>;

    /// Computes the partition's outputs. Input and output `i` of the context are those of the partition.
    ///
    /// # Errors
    /// [`Status::Unavailable`](crate::Status::Unavailable) if the device is lost, or its memory is exhausted.
    fn invoke(&mut self, partition: &PartitionView<'_>, cx: &mut EvalContext<'_>) -> Result<()>;

    /// After `prepare`: notes what lies in the scratch memory, for reports. One that notes nothing does not say.
    fn plan(&self, notes: &mut PlanNotes<'_>) -> Result<()> {
        let _ = notes;
        Ok(())
    }

    /// After `prepare`: tells facts, for reports, such as bytes of the device and how long it was tuned.
    fn facts(&self, notes: &mut FactNotes<'_>) -> Result<()> {
        let _ = notes;
        Ok(())
    }

    /// Copies the value that it keeps under `handle` to the host's memory, which has the size of the tensor. What was
    /// [kept](EvalContext::keep_output) stays what it is until the kernel is invoked again, prepared or dropped.
    ///
    /// # Errors
    /// As [`invoke`](Self::invoke).
    fn read(&mut self, handle: u64, data: &mut [u8]) -> Result<()> {
        let _ = (handle, data);
        Err(unsupported!("'{}' keeps no outputs", core::any::type_name::<Self>()))
    }
}

/// Where [`Delegate::claim`] answers. A node that is not accepted is refused.
pub struct Claims<'a> {
    raw: &'a ArClaimsV1,
    subgraphs: Option<&'a ArDescribeV1>,
}

impl<'a> Claims<'a> {
    /// # Safety
    /// The structs are valid for `'a` and their functions may be called with their contexts.
    pub(crate) unsafe fn from_raw(raw: &'a ArClaimsV1, subgraphs: Option<&'a ArDescribeV1>) -> Self {
        Claims { raw, subgraphs }
    }

    /// The nodes of a subgraph that a node calls, and its tensors with the shapes and constants they have now. A partition that
    /// has such nodes is shown them again by [`PrepareContext::model`].
    ///
    /// # Errors
    /// There is no such subgraph, or it is the one whose nodes are claimed, or the host shows none.
    pub fn subgraph(&self, subgraph: i32) -> Result<GraphView<'a>> {
        show(self.subgraphs, subgraph)
    }

    /// Takes the node at position `node` of the execution plan.
    pub fn accept(&mut self, node: usize) {
        // SAFETY: plain values.
        unsafe { (self.raw.accept)(self.raw.context, node) };
    }

    /// Leaves the node, and tells the user why.
    pub fn refuse(&mut self, node: usize, reason: &str) {
        // SAFETY: `reason` is readable for the call.
        unsafe { (self.raw.refuse)(self.raw.context, node, ArStr::borrowed(reason)) };
    }
}

/// A subgraph as the host shows it during `'a`.
fn show<'a>(host: Option<&'a ArDescribeV1>, subgraph: i32) -> Result<GraphView<'a>> {
    let host = host.ok_or_else(|| unsupported!("this host shows delegates no subgraphs"))?;
    let index = u32::try_from(subgraph).map_err(|_| invalid!("there is no subgraph {subgraph}"))?;
    let mut graph: *const ArGraphV1 = core::ptr::null();
    // SAFETY: the result is writable; the graph lives as long as the call, in which nothing changes it.
    unsafe {
        check((host.describe)(host.context, index, &mut graph))?;
        let graph = graph.as_ref().ok_or_else(|| unsupported!("the host shows no subgraph {subgraph}"))?;
        Ok(GraphView::from_raw(graph))
    }
}

/// What the host offers while a partition is [compiled](Delegate::compile_with).
pub struct CompileContext<'a> {
    raw: &'a ArCompileHostV1,
}

impl<'a> CompileContext<'a> {
    /// # Safety
    /// The struct is valid for `'a`, and its functions may be called with its context.
    pub(crate) unsafe fn from_raw(raw: &'a ArCompileHostV1) -> Self {
        CompileContext { raw }
    }

    /// How many threads [`host::parallel_for`](crate::host::parallel_for) may use.
    pub fn threads(&self) -> u32 {
        self.raw.threads
    }

    /// As [`Claims::subgraph`].
    ///
    /// # Errors
    /// There is no such subgraph, or it is the one that is compiled, or the host shows none.
    pub fn subgraph(&self, subgraph: i32) -> Result<GraphView<'a>> {
        // SAFETY: null or valid for `'a`, as promised to `from_raw`.
        show(unsafe { self.raw.subgraphs.as_ref() }, subgraph)
    }

    /// The model's constants.
    pub fn constants(&self) -> Constants<'a> {
        // SAFETY: the host's promise: its `query` takes its context.
        unsafe { Constants::new(self.raw.query, self.raw.context) }
    }

    /// Memory of the kernel that is made.
    pub fn held(&self) -> Held<'a> {
        // SAFETY: the host's promise: its `query` takes its context.
        unsafe { Held::new(self.raw.query, self.raw.context) }
    }

    /// Memory of a device that the kernel takes.
    pub fn held_on_device(&self) -> Held<'a> {
        // SAFETY: the host's promise: its `query` takes its context.
        unsafe { Held::on_device(self.raw.query, self.raw.context) }
    }

    /// The host's interface with this id, null if it has none.
    pub fn query(&self, interface: u64) -> *const core::ffi::c_void {
        // SAFETY: a plain value.
        unsafe { (self.raw.query)(self.raw.context, interface) }
    }
}

/// Where a kernel tells [what lies in its scratch memory](DelegateKernel::plan).
pub struct PlanNotes<'a> {
    raw: &'a ArPlanNotesV1,
}

impl<'a> PlanNotes<'a> {
    /// # Safety
    /// The struct is valid for `'a`, and its function may be called with its context.
    pub(crate) unsafe fn from_raw(raw: &'a ArPlanNotesV1) -> Self {
        PlanNotes { raw }
    }

    /// A buffer lies in `scratch` from byte `offset` on. Its record counts the kernel's own steps, and names the graph's tensor that
    /// it is, if it is one.
    pub fn note<T>(&mut self, scratch: &Scratch<T>, record: &UsageRecord, offset: u64, name: &str) {
        let name = ArStr::borrowed(name);
        // SAFETY: record and name are readable for the call.
        unsafe { (self.raw.note)(self.raw.context, scratch.index, record, offset, name) };
    }
}

/// Claimed nodes that run as one.
#[derive(Clone, Copy)]
pub struct PartitionView<'a> {
    raw: &'a ArPartitionV1,
}

impl<'a> PartitionView<'a> {
    /// # Safety
    /// The struct and everything it points to is valid for `'a`.
    pub(crate) unsafe fn from_raw(raw: &'a ArPartitionV1) -> Self {
        PartitionView { raw }
    }

    /// The graph that the partition is cut from.
    pub fn graph(&self) -> GraphView<'a> {
        // SAFETY: valid, as promised to `from_raw`.
        unsafe { GraphView::from_raw(&*self.raw.graph) }
    }

    /// Positions of the nodes in the graph, in execution order.
    pub fn node_indices(&self) -> &'a [u32] {
        // SAFETY: valid, as promised to `from_raw`.
        unsafe { raw::slice(self.raw.nodes, self.raw.node_count) }
    }

    /// The nodes, in execution order.
    pub fn nodes(&self) -> impl ExactSizeIterator<Item = NodeView<'a>> + use<'a> {
        let graph = self.graph();
        self.node_indices().iter().map(move |&i| graph.node(i as usize))
    }

    /// Tensor indices of what the partition reads from outside, constants included, ascending.
    pub fn inputs(&self) -> &'a [i32] {
        // SAFETY: valid, as promised to `from_raw`.
        unsafe { raw::slice(self.raw.inputs, self.raw.input_count) }
    }

    /// Tensor indices of what is read outside of the partition, ascending.
    pub fn outputs(&self) -> &'a [i32] {
        // SAFETY: valid, as promised to `from_raw`.
        unsafe { raw::slice(self.raw.outputs, self.raw.output_count) }
    }
}

/// The registration of `T`.
pub const fn registration<T: Delegate>() -> raw::ArDelegateV1 {
    raw::ArDelegateV1 {
        header: raw::ArHeader::of::<raw::ArDelegateV1>(),
        name: ArStr::new(T::NAME),
        create: crate::shim::create::<T>,
        claim: crate::shim::claim::<T>,
        compile: crate::shim::compile::<T>,
        prepare: crate::shim::prepare_kernel::<T>,
        invoke: crate::shim::invoke::<T>,
        destroy_kernel: crate::shim::destroy_kernel::<T>,
        destroy: crate::shim::destroy::<T>,
        query: Some(crate::shim::query_delegate::<T>),
    }
}
