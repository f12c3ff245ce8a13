//! A subgraph as a delegate sees it during `Prepare`: it inspects nodes and their ops, and requests nodes to replace.

use std::ffi::{CString, c_int, c_void};
use std::ptr;
use std::sync::Arc;

use arenite::abi::{GraphView, NodeView, Result};

use super::types::{Params, TfLiteDelegate, count};
use crate::arrays::{TfLiteIntArrayFree, int_array, numbers};
use crate::builtin_data::Parameters;
use crate::guard::guard;
use crate::kernel::Callbacks;
use crate::kernel::context::{self, refuse};
use crate::kernel::node::{Node, NodeContents};
use crate::kernel::scene::{self, Io, Scene};
use crate::kernel::types::{LatestRegistration, TfLiteContext, TfLiteNode, TfLiteRegistration};
use crate::operator::{TfLiteOperator, TfLiteOperatorCreate};
use crate::types::*;

/// The nodes of a graph in execution order, and the delegate's request.
pub(crate) struct GraphSnapshot {
    nodes: Vec<OneNode>,
    plan: *mut TfLiteIntArray,
    previews: Vec<Params>,
    /// The `Params` structs of the last preview, stored consecutively.
    preview_words: Vec<*mut c_void>,
    pub answer: Option<Answer>,
}

/// A delegate's request: the nodes to replace, and the kernel that runs each partition of them.
#[derive(Clone)]
pub(crate) struct Answer {
    pub nodes: Vec<i32>,
    pub kernel: Callbacks,
}

struct OneNode {
    node: Box<Node>,
    registration: Box<LatestRegistration>,
    /// The registration points to this name.
    _name: CString,
    operator: Arc<TfLiteOperator>,
    inputs: Vec<i32>,
    outputs: Vec<i32>,
}

impl OneNode {
    fn new(view: &NodeView<'_>) -> Self {
        let parts = NodeContents::of(view);
        // A delegate may read a builtin op's parameter struct without checking for null. So an op with parameters whose
        // struct is not available is shown as a custom op, which delegates do not know.
        let is_known = !matches!(parts.parameters, Parameters::Unknown);
        let (code, name) = match view.builtin_code() {
            CUSTOM => (CUSTOM, view.custom_name().to_owned()),
            code if is_known => (code, String::new()),
            code => (CUSTOM, arenite::OpKey::Builtin(code).name()),
        };
        let name = CString::new(name).unwrap_or_default();
        let custom_name = if code == CUSTOM { name.as_ptr() } else { ptr::null() };
        // SAFETY: the name is null-terminated and is copied; the handle is new, so that its reference can be taken
        // over.
        let operator = unsafe {
            Arc::from_raw(TfLiteOperatorCreate(code, custom_name, view.version(), ptr::null_mut()))
        };
        let plain = TfLiteRegistration {
            init: None,
            free: None,
            prepare: None,
            invoke: None,
            profiling_string: None,
            builtin_code: code,
            custom_name,
            version: view.version(),
        };
        let registration = Box::new(LatestRegistration {
            plain,
            registration_external: Arc::as_ptr(&operator).cast_mut(),
            async_kernel: ptr::null(),
            inplace_operator: 0,
        });
        let (inputs, outputs) = (parts.inputs.to_vec(), parts.outputs.to_vec());
        let node = Node::new(&parts, &Callbacks::Registration(plain));
        OneNode { node, registration, _name: name, operator, inputs, outputs }
    }
}

impl GraphSnapshot {
    fn new(graph: &GraphView<'_>) -> Self {
        let nodes: Vec<OneNode> = graph.nodes().map(|view| OneNode::new(&view)).collect();
        let plan: Vec<i32> = (0..count(nodes.len())).collect();
        let plan = int_array(&plan);
        GraphSnapshot { nodes, plan, previews: Vec::new(), preview_words: Vec::new(), answer: None }
    }

    /// Splits nodes into runs with consecutive indices.
    fn runs(&self, nodes: &[i32]) -> Vec<Vec<i32>> {
        let mut sorted: Vec<i32> = nodes.iter().copied().filter(|&node| self.at(node).is_some()).collect();
        sorted.sort_unstable();
        sorted.dedup();
        let mut runs: Vec<Vec<i32>> = Vec::new();
        for node in sorted {
            match runs.last_mut() {
                Some(run) if run.last() == Some(&(node - 1)) => run.push(node),
                _ => runs.push(vec![node]),
            }
        }
        runs
    }

    fn at(&self, node: i32) -> Option<&OneNode> {
        usize::try_from(node).ok().and_then(|node| self.nodes.get(node))
    }

    /// The tensors that a run of nodes reads but does not compute, and those that it computes for other nodes or as
    /// outputs of the graph.
    fn ports(&self, run: &[i32], graph_outputs: &[i32]) -> (Vec<i32>, Vec<i32>) {
        let inside = |node: usize| run.contains(&count(node));
        let all = |list: fn(&OneNode) -> &Vec<i32>, wanted: bool| -> Vec<i32> {
            let nodes = self.nodes.iter().enumerate().filter(|&(i, _)| inside(i) == wanted);
            nodes.flat_map(|(_, node)| list(node)).copied().filter(|&tensor| tensor >= 0).collect()
        };
        let (made, read_outside) = (all(|node| &node.outputs, true), all(|node| &node.inputs, false));
        let mut inputs: Vec<i32> = all(|node| &node.inputs, true);
        inputs.retain(|tensor| !made.contains(tensor));
        let mut outputs = made;
        outputs.retain(|tensor| read_outside.contains(tensor) || graph_outputs.contains(tensor));
        for list in [&mut inputs, &mut outputs] {
            list.sort_unstable();
            list.dedup();
        }
        (inputs, outputs)
    }
}

impl Drop for GraphSnapshot {
    fn drop(&mut self) {
        // SAFETY: `new` created the array, and this struct owns it.
        unsafe { TfLiteIntArrayFree(self.plan) };
    }
}

/// Calls a delegate's `Prepare` to inspect a graph. Returns its status and its request.
///
/// # Errors
/// If a tensor of the graph cannot be read.
///
/// # Safety
/// `delegate` must point to a live delegate.
pub(crate) unsafe fn ask(
    scene: &mut Scene,
    graph: &GraphView<'_>,
    delegate: *mut TfLiteDelegate,
) -> Result<(TfLiteStatus, Option<Answer>)> {
    let all: Vec<i32> = (0..count(graph.tensor_count())).collect();
    scene.describe(Io { inputs: &all, outputs: &[] }, &|index| graph.tensor(index as usize).map(Some))?;
    scene.graph = Some(Box::new(GraphSnapshot::new(graph)));
    let status = looking(scene, |scene| {
        // SAFETY: the delegate is live, as `# Safety` requires; `looking` gave the context the functions for inspecting
        // the graph, and nothing else refers to the scene during the call.
        unsafe { super::types::prepare(scene.shown_context(), delegate) }
    });
    let answer = scene.graph.as_mut().and_then(|graph| graph.answer.take());
    Ok((status, answer))
}

/// Calls `body` with a context whose functions let a delegate, or the `init` of its kernel, inspect the graph. They are
/// removed afterwards.
pub(crate) fn looking<R>(scene: &mut Scene, body: impl FnOnce(&mut Scene) -> R) -> R {
    scene.context.get_execution_plan = get_execution_plan;
    scene.context.get_node_and_registration = get_node_and_registration;
    scene.context.replace_node_subsets = replace_node_subsets;
    scene.context.preview_delegate_partitioning = preview;
    let done = body(scene);
    scene.context = context::new(scene.context.recommended_num_threads);
    done
}

/// The graph that a delegate inspects; `None` outside `looking`.
///
/// # Safety
/// `context` must be null or the context of a scene to which nothing else refers during `'a`.
unsafe fn shown<'a>(context: *mut TfLiteContext) -> Option<&'a mut GraphSnapshot> {
    // SAFETY: `# Safety` requires the same of `context`.
    unsafe { scene::of(context)?.graph.as_deref_mut() }
}

/// Writes the array of all nodes in execution order to `plan`.
///
/// # Safety
/// `context` must be null or a context that a delegate may inspect, in its `Prepare`. `plan` must be null or writable.
unsafe extern "C" fn get_execution_plan(
    context: *mut TfLiteContext,
    plan: *mut *mut TfLiteIntArray,
) -> TfLiteStatus {
    // SAFETY: the context belongs to a scene that only the running delegate uses and `plan` is writable, as `# Safety`
    // requires.
    unsafe {
        let Some(shown) = shown(context).filter(|_| !plan.is_null()) else { return kTfLiteError };
        plan.write(shown.plan);
    }
    kTfLiteOk
}

/// Writes the addresses of a node and its registration.
///
/// # Safety
/// `context` must be null or a context that a delegate may inspect, in its `Prepare`. `node` and `registration` must be
/// null or writable.
unsafe extern "C" fn get_node_and_registration(
    context: *mut TfLiteContext,
    index: c_int,
    node: *mut *mut TfLiteNode,
    registration: *mut *mut LatestRegistration,
) -> TfLiteStatus {
    // SAFETY: the context belongs to a scene that only the running delegate uses and the results are writable, as `#
    // Safety` requires.
    unsafe {
        let one = shown(context).and_then(|shown| shown.nodes.get_mut(usize::try_from(index).ok()?));
        let Some(one) = one.filter(|_| !node.is_null() && !registration.is_null()) else {
            return refuse(context, &format!("node index {index} is out of range"));
        };
        debug_assert_eq!(one.registration.registration_external.cast_const(), Arc::as_ptr(&one.operator));
        node.write(&raw mut *one.node.raw);
        registration.write(&raw mut *one.registration);
    }
    kTfLiteOk
}

/// `ReplaceNodeSubsetsWithDelegateKernels` with a registration.
///
/// # Safety
/// `context` must be null or a context that a delegate may inspect, in its `Prepare`. `nodes` must be null or point to
/// a whole array.
unsafe extern "C" fn replace_node_subsets(
    context: *mut TfLiteContext,
    registration: TfLiteRegistration,
    nodes: *const TfLiteIntArray,
    delegate: *mut c_void,
) -> TfLiteStatus {
    let _ = delegate;
    // SAFETY: `# Safety` requires the same of `context` and `nodes`.
    unsafe { replace(context, Callbacks::Registration(registration), nodes) }
}

/// Records the delegate's request to replace `nodes` by `kernel`.
///
/// # Safety
/// `context` must be null or a context that a delegate may inspect, in its `Prepare`. `nodes` must be null or point to
/// a whole array.
unsafe fn replace(
    context: *mut TfLiteContext,
    kernel: Callbacks,
    nodes: *const TfLiteIntArray,
) -> TfLiteStatus {
    guard(kTfLiteError, || {
        // SAFETY: the context belongs to a scene that only the running delegate uses and `nodes` is null or an array,
        // as `# Safety` requires.
        unsafe {
            let Some(shown) = shown(context) else { return kTfLiteError };
            if shown.answer.is_some() {
                return refuse(
                    context,
                    "ReplaceNodeSubsetsWithDelegateKernels can be called once per Prepare",
                );
            }
            let nodes = numbers(nodes).to_vec();
            if let Some(wrong) = nodes.iter().find(|&&node| shown.at(node).is_none()) {
                return refuse(context, &format!("cannot replace node {wrong}: the index is out of range"));
            }
            shown.answer = Some(Answer { nodes, kernel });
        }
        kTfLiteOk
    })
}

/// Requests that nodes are replaced by kernels of an operator, which this function takes ownership of.
///
/// # Safety
/// `context` must be null or a context that a delegate received in its `Prepare`. `operator` must be null or come from
/// `TfLiteOperatorCreate` and must not be used afterwards. `nodes` must be null or point to a whole array.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TfLiteOpaqueContextReplaceNodeSubsetsWithDelegateKernels(
    context: *mut TfLiteContext,
    operator: *mut TfLiteOperator,
    nodes: *const TfLiteIntArray,
    delegate: *mut TfLiteDelegate,
) -> TfLiteStatus {
    let _ = delegate;
    guard(kTfLiteError, || {
        if operator.is_null() {
            return kTfLiteError;
        }
        // SAFETY: the operator is an `Arc` from `TfLiteOperatorCreate` that the caller hands over, and context and
        // array are valid, as `# Safety` requires.
        unsafe {
            let kernel = Callbacks::of(Arc::from_raw(operator));
            if shown(context).is_none() {
                return refuse(
                    context,
                    "only a delegate can call ReplaceNodeSubsetsWithDelegateKernels, in its Prepare",
                );
            }
            replace(context, kernel, nodes)
        }
    })
}

/// Writes the partitions that replacing `nodes` would create: one for each run of consecutive nodes. They remain valid
/// until the next preview.
///
/// # Safety
/// `context` must be null or a context that a delegate may inspect, in its `Prepare`. `nodes` must be null or point to
/// a whole array. `partitions` and `partition_count` must be null or writable.
unsafe extern "C" fn preview(
    context: *mut TfLiteContext,
    nodes: *const TfLiteIntArray,
    partitions: *mut *mut c_void,
    partition_count: *mut c_int,
) -> TfLiteStatus {
    guard(kTfLiteError, || {
        // SAFETY: the context belongs to a scene that only the running delegate uses, `nodes` is null or an array and
        // the results are writable, as `# Safety` requires.
        unsafe {
            let outputs = scene::of(context).map(|scene| scene.ports.outputs.clone()).unwrap_or_default();
            let Some(shown) = shown(context).filter(|_| !partitions.is_null() && !partition_count.is_null())
            else {
                return kTfLiteError;
            };
            let runs = shown.runs(numbers(nodes));
            let previews = runs.iter().map(|run| {
                let (inputs, outputs) = shown.ports(run, &outputs);
                Params::new(ptr::null_mut(), run, &inputs, &outputs)
            });
            shown.previews = previews.collect();
            shown.preview_words = shown.previews.iter().flat_map(Params::words).copied().collect();
            partitions.write(shown.preview_words.as_mut_ptr().cast());
            partition_count.write(count(shown.previews.len()));
        }
        kTfLiteOk
    })
}
