//! The tables of generated Rust files: the contract's structs in read-only memory, made while the program is compiled.
//! An offset beyond its block, an unknown tensor, or a state of another size does not compile.

use core::ffi::c_void;
use core::ptr::{NonNull, null, null_mut};

use arenite_abi::op::{EmbeddedNode, EmbeddedPort, eval_embedded};
use arenite_abi::raw::{
    ArBytes, ArEvalV1, ArHeader, ArNodeV1, ArQuantizationV1, ArSpan, ArStatus, ArStr, ArTable, ArTensorV1,
    TENSOR_CONSTANT,
};
use arenite_abi::{ElementType, EvalContext, Op};

use super::model::{EmbeddedGraph, EmbeddedModel, EmbeddedResource, EmbeddedValue};
use super::{EmbeddedStep, is_cancelled, query, query_model, resize_output};

/// Read-only bytes, aligned for every element type and every state.
#[repr(C, align(16))]
pub struct Aligned<const N: usize>(pub [u8; N]);

/// Where the bytes of a tensor or a buffer are.
#[derive(Clone, Copy)]
pub struct Memory {
    data: *mut c_void,
    bytes: usize,
    /// The offset in its block.
    at: usize,
    is_constant: bool,
}

impl Memory {
    /// No memory, for a tensor of this size.
    pub const fn none(bytes: usize) -> Self {
        Memory { data: null_mut(), bytes, at: 0, is_constant: false }
    }

    /// All of a constant. Nothing writes it, although the structs have no pointers to constants.
    pub const fn constant<const N: usize>(constant: &'static Aligned<N>) -> Self {
        Memory {
            data: (&raw const constant.0).cast::<c_void>().cast_mut(),
            bytes: N,
            at: 0,
            is_constant: true,
        }
    }

    /// Bytes of a block, which is aligned to 16, from offset `at`.
    pub(super) const fn within(block: *mut u8, size: usize, at: usize, bytes: usize) -> Self {
        assert!(at <= size && bytes <= size - at, "the table exceeds its block; generate the file again");
        Memory { data: block.wrapping_add(at).cast(), bytes, at, is_constant: false }
    }

    const fn check_aligned<T>(self) {
        assert!(self.bytes >= size_of::<T>() && self.at.is_multiple_of(align_of::<T>()), "misplaced");
    }
}

// A pointer in a table is to a constant, to another table, or to a block whose owner alone runs the nodes.
macro_rules! table {
    ($($(#[$meta:meta])* $name:ident($raw:ty);)*) => {$(
        $(#[$meta])*
        #[repr(transparent)]
        pub struct $name(pub(super) $raw);

        // SAFETY: the struct is never written. Its pointers to a block are used only by `Owned::run`, and one `Owned`
        // exists at a time.
        unsafe impl Sync for $name {}
    )*};
}

table! {
    /// The scales and zero points of a tensor.
    Scales(ArQuantizationV1);
    /// A tensor.
    Tensor(ArTensorV1);
    /// An input or output whose elements are known.
    Port(EmbeddedPort);
    /// A node and its ports.
    Node(EmbeddedNode);
    /// A table, a state or a scratch buffer of a node.
    Buffer(ArSpan);
    /// The host that a node sees.
    Context(ArEvalV1);
    /// A node that runs.
    Step(EmbeddedStep);
    /// A subgraph.
    Graph(EmbeddedGraph);
    /// A variable that nodes name.
    Resource(EmbeddedResource);
    /// What nodes see of a model with subgraphs or variables.
    Model(EmbeddedModel);
}

impl Scales {
    /// One scale, or one per slice of `dimension`.
    pub const fn new(
        scales: &'static [f32],
        zero_points: &'static [i64],
        dimension: i32,
        block_size: i32,
    ) -> Self {
        Scales(ArQuantizationV1 {
            header: ArHeader::of::<ArQuantizationV1>(),
            scales: scales.as_ptr(),
            scale_count: scales.len(),
            zero_points: zero_points.as_ptr(),
            zero_point_count: zero_points.len(),
            quantized_dimension: dimension,
            block_size,
        })
    }
}

impl Tensor {
    /// A tensor with `TENSOR_*` flags.
    pub const fn new(
        ty: ElementType,
        dims: &'static [i32],
        memory: Memory,
        scales: Option<&'static Scales>,
        flags: u32,
    ) -> Self {
        assert!(!memory.is_constant || flags & TENSOR_CONSTANT != 0, "a constant must have the flag of one");
        Tensor(ArTensorV1 {
            element_type: ty as u32,
            rank: dims.len() as u32,
            dims: dims.as_ptr(),
            data: memory.data,
            bytes: memory.bytes as u64,
            quantization: match scales {
                Some(scales) => &raw const scales.0,
                None => null(),
            },
            flags,
            ..ArTensorV1::NONE
        })
    }
}

impl Port {
    /// A port that `eval` looks up.
    pub const LOOK_UP: Self = Port(EmbeddedPort { kind: EmbeddedPort::LOOK_UP, count: 0, data: null_mut() });

    /// The elements of a tensor, of this many bytes each.
    pub const fn of(tensor: &Tensor, size: usize) -> Self {
        let Tensor(ArTensorV1 { element_type: kind, bytes, data, .. }) = *tensor;
        Port(EmbeddedPort { kind, count: bytes as usize / size, data })
    }
}

/// The node of the model, for messages.
pub struct NodeOrigin {
    /// The schema's number of the op.
    pub code: i32,
    /// The version of the op.
    pub version: i32,
    /// The position in the subgraph.
    pub index: u32,
}

impl Node {
    /// A node with these inputs, outputs and intermediates. There is a port for each input and output, or none at all.
    pub const fn new(
        NodeOrigin { code, version, index }: NodeOrigin,
        tensors: &'static [Tensor],
        [inputs, outputs, intermediates]: [&'static [i32]; 3],
        options: &'static [u8],
        ports: &'static [Port],
    ) -> Self {
        check_numbers(inputs, tensors.len());
        check_numbers(outputs, tensors.len());
        check_numbers(intermediates, tensors.len());
        assert!(ports.is_empty() || ports.len() == inputs.len() + outputs.len(), "one port per tensor");
        let node = ArNodeV1 {
            header: ArHeader::of::<ArNodeV1>(),
            builtin_code: code,
            version,
            custom_name: ArStr::new(""),
            index,
            subgraph: 0,
            tensors: tensors.as_ptr().cast(),
            tensor_stride: size_of::<ArTensorV1>(),
            tensor_count: tensors.len(),
            inputs: inputs.as_ptr(),
            input_count: inputs.len(),
            outputs: outputs.as_ptr(),
            output_count: outputs.len(),
            intermediates: intermediates.as_ptr(),
            intermediate_count: intermediates.len(),
            options: ArTable::NONE,
            options_2: ArTable::NONE,
            custom_options: ArBytes { data: options.as_ptr(), length: options.len() },
        };
        let ports = if ports.is_empty() { null() } else { ports.as_ptr().cast() };
        Node(EmbeddedNode { node, ports })
    }
}

/// Fails to compile unless each number is a tensor, or −1.
const fn check_numbers(list: &[i32], tensors: usize) {
    let mut i = 0;
    while i < list.len() {
        assert!(list[i] >= -1 && (list[i] as i64) < tensors as i64, "no such tensor");
        i += 1;
    }
}

impl Buffer {
    /// A buffer in this memory.
    pub const fn new(memory: Memory) -> Self {
        Buffer(ArSpan { data: memory.data, bytes: memory.bytes as u64 })
    }
}

impl Context {
    /// Of a node that calls no subgraphs and uses no variables by name.
    pub const fn new(persistent: &'static [Buffer], scratch: &'static [Buffer]) -> Self {
        Context(ArEvalV1 {
            header: ArHeader::of::<ArEvalV1>(),
            context: null_mut(),
            threads: 1,
            persistent: persistent.as_ptr().cast(),
            persistent_count: persistent.len(),
            scratch: scratch.as_ptr().cast(),
            scratch_count: scratch.len(),
            resize_output,
            is_cancelled,
            query,
        })
    }

    /// Of a node that may do both.
    pub const fn caller(
        model: &'static Model,
        persistent: &'static [Buffer],
        scratch: &'static [Buffer],
    ) -> Self {
        let Context(context) = Self::new(persistent, scratch);
        let model = (&raw const model.0).cast::<c_void>().cast_mut();
        Context(ArEvalV1 { context: model, query: query_model, ..context })
    }
}

/// A function that runs nodes: `eval` of an op, or one form of it. A generated file names the kernels of its nodes,
/// so that the linker leaves out all others.
pub trait Kernel {
    /// The state of a prepared node.
    type Op: Op;

    /// Runs a node.
    ///
    /// # Errors
    /// As for [`Op::eval`].
    fn run(op: &Self::Op, cx: &mut EvalContext<'_>) -> arenite_abi::Result<()>;
}

/// # Safety
/// As for [`eval_embedded`].
unsafe extern "C" fn run_kernel<K: Kernel>(
    eval: *const ArEvalV1,
    node: *const ArNodeV1,
    state: *mut c_void,
) -> ArStatus {
    // SAFETY: the caller meets the same requirements.
    unsafe { eval_embedded(eval, node, state, K::run) }
}

impl Step {
    /// Runs `node` with the kernel `K`, whose state has these bytes.
    pub const fn new<K: Kernel, const N: usize>(
        context: &'static Context,
        node: &'static Node,
        state: &'static Aligned<N>,
    ) -> Self {
        assert!(size_of::<K::Op>() == N, "the op has another state in this version; generate the file again");
        assert!(align_of::<K::Op>() <= align_of::<Aligned<N>>(), "the op's state has a larger alignment");
        let state = if N == 0 { NonNull::<K::Op>::dangling().as_ptr().cast() } else { &raw const state.0 };
        Step(EmbeddedStep {
            eval: run_kernel::<K>,
            context: &raw const context.0,
            node: &raw const node.0.node,
            state: state.cast(),
        })
    }
}

impl Graph {
    /// A subgraph that no node calls.
    pub const NONE: Self = Graph(EmbeddedGraph {
        steps: null(),
        count: 0,
        inputs: null(),
        input_count: 0,
        outputs: null(),
        output_count: 0,
    });

    /// The subgraph whose steps are `first..first + count`, with the numbers of its tensors.
    pub const fn new(
        steps: &'static [Step],
        first: usize,
        count: usize,
        inputs: &'static [i32],
        outputs: &'static [i32],
    ) -> Self {
        assert!(first <= steps.len() && count <= steps.len() - first, "no such steps");
        Graph(EmbeddedGraph {
            steps: steps.as_ptr().cast::<EmbeddedStep>().wrapping_add(first),
            count,
            inputs: inputs.as_ptr(),
            input_count: inputs.len(),
            outputs: outputs.as_ptr(),
            output_count: outputs.len(),
        })
    }
}

impl Resource {
    /// The variable with this name: its memory, and the memory of its type and shape.
    pub const fn new(name: &'static [u8], memory: Memory, value: Memory) -> Self {
        value.check_aligned::<EmbeddedValue>();
        Resource(EmbeddedResource {
            name: ArBytes { data: name.as_ptr(), length: name.len() },
            data: memory.data.cast(),
            capacity: memory.bytes,
            value: value.data.cast(),
        })
    }
}

impl Model {
    /// `saved` is for outputs of a subgraph that are also other inputs of it; `calls` counts the calls of a run.
    pub const fn new(
        tensors: &'static [Tensor],
        graphs: &'static [Graph],
        resources: &'static [Resource],
        saved: Memory,
        calls: Memory,
    ) -> Self {
        calls.check_aligned::<u32>();
        Model(EmbeddedModel {
            tensors: tensors.as_ptr().cast(),
            tensor_count: tensors.len(),
            graphs: graphs.as_ptr().cast(),
            graph_count: graphs.len(),
            resources: resources.as_ptr().cast(),
            resource_count: resources.len(),
            saved: saved.data.cast(),
            saved_bytes: saved.bytes,
            calls: calls.data.cast(),
        })
    }
}
