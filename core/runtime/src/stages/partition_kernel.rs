//! A delegate at work: the instance, its view of the graph, and the partitions that it compiled.

use std::cell::{Cell, RefCell};
use std::ffi::c_void;
use std::rc::Rc;
use std::sync::Arc;

use arenite_abi::raw::{
    ArClaimV1, ArClaimWithHostV1, ArCompileV1, ArDescribeV1, ArGraphV1, ArHeader, ArKernelPlanV1, ArNodeV1,
    ArPair, ArPartitionV1, ArStatus, ArStr, ArTensorV1, ArVouchV1, BUILTIN_DELEGATE, INTERFACE_CLAIM,
    INTERFACE_CLAIM_WITH_HOST, INTERFACE_COMPILE, INTERFACE_KERNEL_PLAN, INTERFACE_VOUCH,
};
use arenite_abi::{ObjectRecord, Status};

use crate::call::run::Run;
use crate::error::{Error, Result};
use crate::host::claim::{self, ClaimHost, ClaimSide, Decisions};
use crate::host::compile::{CompileHost, InnerBuffer, plan_notes};
use crate::host::message::{self, Refused};
use crate::planning::objects::SharedObjects;
use crate::plugins::foreign::interface;
use crate::plugins::registration::DelegateRegistration;
use crate::quota::Holding;
use crate::stages::partition::Subset;
use crate::stages::table::TensorTable;

/// An instance of a delegate.
pub(crate) struct DelegateInstance {
    pub raw: DelegateRegistration,
    /// Position in the settings.
    pub index: usize,
    pub name: String,
    instance: *mut c_void,
}

impl DelegateInstance {
    pub(crate) fn create(
        index: usize,
        name: &str,
        raw: &DelegateRegistration,
        options: &[(String, String)],
    ) -> Result<Self> {
        let pairs: Vec<ArPair> = options
            .iter()
            .map(|(key, value)| ArPair { key: ArStr::borrowed(key), value: ArStr::borrowed(value) })
            .collect();
        let mut instance = std::ptr::null_mut();
        message::clear_message();
        // SAFETY: the pairs are valid for the call, the result is writable.
        let status = unsafe { raw.create(&pairs, &mut instance) };
        if status != Status::Ok as u32 {
            return Err(fail(name, status, "it could not be created"));
        }
        Ok(DelegateInstance { raw: Arc::clone(raw), index, name: name.to_owned(), instance })
    }

    /// The pointer from `create`.
    pub(super) fn instance(&self) -> *mut c_void {
        self.instance
    }

    /// Asks which nodes the delegate takes; `side` answers its questions.
    pub(crate) fn claim(
        &self,
        graph: &GraphForDelegate,
        run: &Run<'_>,
        side: &dyn ClaimSide,
    ) -> Result<Decisions> {
        let mut host = ClaimHost::new(&graph.raw, side);
        let claims = host.claims();
        let mut subgraphs = Subgraphs(run);
        let describe = subgraphs.as_raw();
        let with = claim::as_raw(&claims, &describe);
        message::clear_message();
        // SAFETY: the instance came from `create`; the structs are valid for the call; `query` answers with null or the
        // struct of that id.
        let status = unsafe {
            let query = self.raw.query;
            if let Some(more) = interface::<ArClaimWithHostV1>(query, INTERFACE_CLAIM_WITH_HOST) {
                (more.claim)(self.instance, &graph.raw, &with)
            } else if let Some(more) = interface::<ArClaimV1>(query, INTERFACE_CLAIM) {
                (more.claim)(self.instance, &graph.raw, &describe, &claims)
            } else {
                (self.raw.claim)(self.instance, &graph.raw, &claims)
            }
        };
        if status != Status::Ok as u32 {
            return Err(fail(&self.name, status, "it could not claim nodes"));
        }
        Ok(host.decisions)
    }

    /// Whether it answers for a node that no op prepared.
    pub(crate) fn vouches(&self, node: &ArNodeV1) -> bool {
        // SAFETY: the instance came from `create`; the node is valid for the call; `query` answers with null or the
        // struct of that id.
        unsafe {
            let interface = interface::<ArVouchV1>(self.raw.query, INTERFACE_VOUCH);
            interface.is_some_and(|more| (more.vouch)(self.instance, node) != 0)
        }
    }

    /// Compiles a subset of the graph.
    pub(crate) fn compile(
        self: &Rc<Self>,
        graph: &Rc<GraphForDelegate>,
        subset: &Subset,
        (run, subgraph): (&Run<'_>, usize),
    ) -> Result<PartitionKernel> {
        let nodes: Box<[u32]> = subset.nodes.iter().map(|&i| i as u32).collect();
        let (inputs, outputs): (Box<[i32]>, Box<[i32]>) =
            (subset.inputs.clone().into(), subset.outputs.clone().into());
        let raw = Box::new(ArPartitionV1 {
            header: ArHeader::of::<ArPartitionV1>(),
            graph: &graph.raw,
            nodes: nodes.as_ptr(),
            node_count: nodes.len(),
            inputs: inputs.as_ptr(),
            input_count: inputs.len(),
            outputs: outputs.as_ptr(),
            output_count: outputs.len(),
        });
        let (held, on_device) = (Holding::new(run.budget), Holding::new(run.device_budget));
        let kernel = self.compile_raw(&raw, (run, subgraph), [&held, &on_device])?;
        Ok(PartitionKernel {
            delegate: Arc::clone(&self.raw),
            kernel,
            owner: Rc::clone(self),
            members: Vec::new(),
            constants: Vec::new(),
            poisoned: Cell::new(false),
            held,
            on_device,
            objects: RefCell::default(),
            _nodes: nodes,
            inputs,
            outputs,
            raw,
            _graph: Rc::clone(graph),
        })
    }

    /// The kernel of a partition that outlives it.
    fn compile_raw(
        &self,
        partition: &ArPartitionV1,
        (run, subgraph): (&Run<'_>, usize),
        [held, on_device]: [&Holding; 2],
    ) -> Result<*mut c_void> {
        let mut kernel = std::ptr::null_mut();
        let (mut subgraphs, mut host_side) =
            (Subgraphs(run), CompileHost { partition, subgraph, held, on_device, name: &self.name, run });
        let describe = subgraphs.as_raw();
        let host_side = host_side.as_raw(&describe);
        message::clear_message();
        // SAFETY: the instance came from `create`; the partition outlives the kernel, the host's side the call.
        let status = unsafe {
            match interface::<ArCompileV1>(self.raw.query, INTERFACE_COMPILE) {
                Some(more) => (more.compile)(self.instance, partition, &host_side, &mut kernel),
                None => (self.raw.compile)(self.instance, partition, &mut kernel),
            }
        };
        if status != Status::Ok as u32 {
            return Err(fail(&self.name, status, "it could not compile a partition"));
        }
        Ok(kernel)
    }
}

impl Drop for DelegateInstance {
    fn drop(&mut self) {
        // SAFETY: the instance came from `create`; all its kernels, which hold it, are gone.
        unsafe { (self.raw.destroy)(self.instance) };
    }
}

pub(super) fn fail(name: &str, status: ArStatus, otherwise: &str) -> Error {
    Error::Delegate {
        delegate: name.to_owned(),
        status: Status::from_raw(status),
        message: message::take_message(otherwise),
    }
}

/// The subgraphs that `describe` shows.
struct Subgraphs<'a>(&'a Run<'a>);

impl Subgraphs<'_> {
    /// As it crosses; it borrows this value.
    fn as_raw(&mut self) -> ArDescribeV1 {
        ArDescribeV1 {
            header: ArHeader::of::<ArDescribeV1>(),
            context: std::ptr::from_mut(self).cast(),
            describe,
        }
    }
}

unsafe extern "C" fn describe(context: *mut c_void, subgraph: u32, graph: *mut *const ArGraphV1) -> ArStatus {
    // SAFETY: the context is the `Subgraphs` of the `claim` or `compile` in progress; the result is writable.
    unsafe {
        let Subgraphs(run) = &*context.cast::<Subgraphs<'_>>();
        let found = run.with(subgraph as usize, |callee| callee.describe_to_delegate());
        match found {
            Ok(found) => *graph = found,
            Err(error) => {
                return Refused { status: Status::Invalid, message: error.to_string() }.report();
            }
        }
        Status::Ok as ArStatus
    }
}

/// The graph as a delegate sees it; partitions keep it.
pub(crate) struct GraphForDelegate {
    _nodes: Box<[ArNodeV1]>,
    _inputs: Box<[i32]>,
    _outputs: Box<[i32]>,
    raw: ArGraphV1,
    /// Partitions among the nodes, whose lists they borrow.
    _partitions: Vec<Rc<PartitionKernel>>,
}

impl GraphForDelegate {
    /// The view of these nodes, in execution order. Some are `partitions`; the others and the tensor table outlive the
    /// view.
    pub(crate) fn new(
        tensors: &TensorTable,
        nodes: Vec<ArNodeV1>,
        partitions: Vec<Rc<PartitionKernel>>,
        inputs: &[i32],
        outputs: &[i32],
    ) -> Self {
        let nodes: Box<[ArNodeV1]> = nodes.into();
        let (inputs, outputs): (Box<[i32]>, Box<[i32]>) = (inputs.into(), outputs.into());
        let raw = ArGraphV1 {
            header: ArHeader::of::<ArGraphV1>(),
            tensors: tensors.as_ptr(),
            tensor_stride: size_of::<ArTensorV1>(),
            tensor_count: tensors.len(),
            nodes: nodes.as_ptr(),
            node_stride: size_of::<ArNodeV1>(),
            node_count: nodes.len(),
            inputs: inputs.as_ptr(),
            input_count: inputs.len(),
            outputs: outputs.as_ptr(),
            output_count: outputs.len(),
        };
        GraphForDelegate { _nodes: nodes, _inputs: inputs, _outputs: outputs, raw, _partitions: partitions }
    }

    /// As it crosses.
    pub(crate) fn as_raw(&self) -> &ArGraphV1 {
        &self.raw
    }
}

/// A constant, or the constants of a subgraph, whose version a kernel depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ConstantSource {
    /// The constant tensor of this index.
    Tensor(usize),
    /// All constants of the subgraph of this index.
    Subgraph(usize),
}

/// Shared objects that a planner handed out.
#[derive(Clone)]
pub(crate) struct AssignedObjects {
    pub planner: String,
    pub records: Vec<ObjectRecord>,
    pub objects: SharedObjects,
}

/// A compiled partition.
pub(crate) struct PartitionKernel {
    pub delegate: DelegateRegistration,
    pub kernel: *mut c_void,
    pub owner: Rc<DelegateInstance>,
    /// Positions of its nodes in the graph.
    pub members: Vec<usize>,
    /// The constants that it reads, with their versions when it was compiled.
    pub constants: Vec<(ConstantSource, u64)>,
    /// It panicked: it is not called again.
    pub poisoned: Cell<bool>,
    /// Bytes that it reports to hold.
    pub held: Holding,
    /// Of these, bytes of a device.
    pub on_device: Holding,
    /// The shared objects that it was given when it was prepared last.
    pub(super) objects: RefCell<Vec<AssignedObjects>>,
    _nodes: Box<[u32]>,
    inputs: Box<[i32]>,
    outputs: Box<[i32]>,
    raw: Box<ArPartitionV1>,
    _graph: Rc<GraphForDelegate>,
}

impl PartitionKernel {
    pub(crate) fn as_raw(&self) -> *const ArPartitionV1 {
        &*self.raw
    }

    /// The tensors that it reads, and the tensors that it writes; both ascending.
    pub(crate) fn borders(&self) -> (&[i32], &[i32]) {
        (&self.inputs, &self.outputs)
    }

    /// The buffers that the prepared kernel keeps in its scratch memory; `None` if it does not report them.
    pub(crate) fn inner_plan(&self) -> Option<Vec<InnerBuffer>> {
        if self.poisoned.get() {
            return None;
        }
        let mut buffers = Vec::new();
        let notes = plan_notes(&mut buffers);
        // SAFETY: the kernel came from this delegate's `compile`; the struct is valid for the call.
        let status = unsafe {
            let more = interface::<ArKernelPlanV1>(self.delegate.query, INTERFACE_KERNEL_PLAN)?;
            (more.plan)(self.kernel, &notes)
        };
        self.poisoned.set(status == Status::Panicked as u32);
        Some(buffers).filter(|buffers| status == Status::Ok as u32 && !buffers.is_empty())
    }
}

/// The macro node that represents a partition; it borrows the lists.
pub(crate) fn macro_node(
    subgraph: usize,
    index: usize,
    tensors: &TensorTable,
    inputs: &[i32],
    outputs: &[i32],
) -> ArNodeV1 {
    use arenite_abi::raw::{ArBytes, ArTable};
    ArNodeV1 {
        header: ArHeader::of::<ArNodeV1>(),
        builtin_code: BUILTIN_DELEGATE,
        version: 1,
        custom_name: ArStr::new(""),
        index: index as u32,
        subgraph: subgraph as u32,
        tensors: tensors.as_ptr(),
        tensor_stride: size_of::<ArTensorV1>(),
        tensor_count: tensors.len(),
        inputs: inputs.as_ptr(),
        input_count: inputs.len(),
        outputs: outputs.as_ptr(),
        output_count: outputs.len(),
        intermediates: std::ptr::null(),
        intermediate_count: 0,
        options: ArTable::NONE,
        options_2: ArTable::NONE,
        custom_options: ArBytes::EMPTY,
    }
}

impl Drop for PartitionKernel {
    fn drop(&mut self) {
        // SAFETY: the kernel came from this delegate's `compile` and is not used again.
        unsafe { (self.delegate.destroy_kernel)(self.kernel) };
    }
}
