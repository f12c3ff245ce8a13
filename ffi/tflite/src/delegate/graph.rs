//! A subgraph as a delegate sees it during `Prepare`: it inspects nodes and their ops, previews partitions, and
//! requests nodes to replace.

use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::Arc;

use arenite::abi::{Claims, GraphView, Result, invalid};

use super::node::OneNode;
use super::partitions::{self, Part, PlanItem, Requested};
use super::types::{Params, TfLiteDelegate, count};
use crate::arrays::{TfLiteIntArrayFree, int_array, numbers};
use crate::guard::guard;
use crate::kernel::callbacks::Callbacks;
use crate::kernel::context::{self, refuse};
use crate::kernel::scene::{self, Io, Scene};
use crate::kernel::types::{LatestRegistration, TfLiteContext, TfLiteNode, TfLiteRegistration};
use crate::operator::TfLiteOperator;
use crate::types::*;

/// The partitions that would result if each node was accepted in its round; [`REFUSED`] means that it is refused.
pub(crate) type Partitioner<'a> = dyn FnMut(&[u32]) -> Result<Vec<Part>> + 'a;

/// The round of a node that the delegate did not request.
pub(crate) const REFUSED: u32 = Claims::REFUSED;

/// The nodes of a graph in execution order, and the delegate's requests.
pub(crate) struct GraphSnapshot {
    nodes: Vec<OneNode>,
    delegate: *mut TfLiteDelegate,
    /// Answers for the host during `Prepare`; null afterwards.
    partitioner: *mut Partitioner<'static>,
    /// For each node, the call of `ReplaceNodeSubsetsWithDelegateKernels` that requested it, or [`REFUSED`].
    pub rounds: Vec<u32>,
    /// The kernel of each call.
    pub kernels: Vec<Callbacks>,
    /// The partitions so far. To the delegate, their indices follow those of the nodes.
    pub requested: Vec<Requested>,
    /// Execution plans; the last is current. The delegate may still have the others.
    plans: Vec<*mut TfLiteIntArray>,
    previews: Vec<Params>,
    /// The `Params` structs of the last preview, stored consecutively.
    preview_words: Vec<*mut c_void>,
}

impl GraphSnapshot {
    fn new(
        graph: &GraphView<'_>,
        delegate: *mut TfLiteDelegate,
        partitioner: *mut Partitioner<'static>,
    ) -> Self {
        let nodes: Vec<OneNode> = graph.nodes().map(|view| OneNode::new(&view)).collect();
        let plan: Vec<i32> = (0..count(nodes.len())).collect();
        GraphSnapshot {
            rounds: vec![REFUSED; nodes.len()],
            nodes,
            delegate,
            partitioner,
            kernels: Vec::new(),
            requested: Vec::new(),
            plans: vec![int_array(&plan)],
            previews: Vec::new(),
            preview_words: Vec::new(),
        }
    }

    /// The partitions that would result.
    ///
    /// # Errors
    /// The host's error, or if `Prepare` has returned.
    fn partition(&mut self, rounds: &[u32]) -> Result<Vec<Part>> {
        // SAFETY: `ask` keeps the function alive until `Prepare` returns, and sets the pointer to null then. Nothing
        // else uses the function.
        let partitioner = unsafe { self.partitioner.as_mut() };
        let partitioner =
            partitioner.ok_or_else(|| invalid!("a delegate can do this only in its Prepare"))?;
        partitioner(rounds)
    }

    /// The rounds after another call requests these nodes, except those that earlier calls requested.
    fn with(&self, nodes: &[i32]) -> Vec<u32> {
        let mut rounds = self.rounds.clone();
        for node in nodes.iter().filter_map(|&node| usize::try_from(node).ok()) {
            if let Some(round) = rounds.get_mut(node).filter(|round| **round == REFUSED) {
                *round = self.kernels.len() as u32;
            }
        }
        rounds
    }

    /// The partitions of another call that requests these nodes.
    ///
    /// # Errors
    /// As [`partition`](Self::partition).
    fn partitions_of(&mut self, nodes: &[i32]) -> Result<Vec<Part>> {
        let (rounds, round) = (self.with(nodes), self.kernels.len() as u32);
        let mut parts = self.partition(&rounds)?;
        parts.retain(|part| part.nodes.first().is_some_and(|&node| rounds[node as usize] == round));
        Ok(parts)
    }

    /// Updates the execution plan after a request.
    fn plan_again(&mut self) {
        let mut items: Vec<PlanItem<'_>> = Vec::new();
        for (i, node) in self.nodes.iter().enumerate().filter(|&(i, _)| self.rounds[i] == REFUSED) {
            let index = count(i);
            items.push(PlanItem { index, first: index, inputs: &node.inputs, outputs: &node.outputs });
        }
        for (i, Requested { part, .. }) in self.requested.iter().enumerate() {
            let (index, first) = (count(self.nodes.len() + i), part.nodes.first().copied().unwrap_or(0));
            items.push(PlanItem { index, first, inputs: &part.inputs, outputs: &part.outputs });
        }
        let plan = partitions::plan(&items);
        self.plans.push(int_array(&plan));
    }
}

impl Drop for GraphSnapshot {
    fn drop(&mut self) {
        for &plan in &self.plans {
            // SAFETY: `int_array` created the arrays, and this struct owns them.
            unsafe { TfLiteIntArrayFree(plan) };
        }
    }
}

/// Calls a delegate's `Prepare` to inspect a graph. Returns its status; `scene.graph` has its requests. `partitioner`
/// answers for the host.
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
    partitioner: &mut Partitioner<'_>,
) -> Result<TfLiteStatus> {
    let all: Vec<i32> = (0..count(graph.tensor_count())).collect();
    scene.describe(Io { inputs: &all, outputs: &[] }, &|index| graph.tensor(index as usize).map(Some))?;
    let partitioner: *mut Partitioner<'_> = partitioner;
    // SAFETY: only the lifetime changes, and the pointer is removed below, before the function's lifetime ends.
    let partitioner: *mut Partitioner<'static> = unsafe { std::mem::transmute(partitioner) };
    scene.graph = Some(Box::new(GraphSnapshot::new(graph, delegate, partitioner)));
    let status = looking(scene, |scene| {
        // SAFETY: the delegate is live, as `# Safety` requires; `looking` gave the context the functions for inspecting
        // the graph, and nothing else refers to the scene during the call.
        unsafe { super::types::prepare(scene.shown_context(), delegate) }
    });
    if let Some(graph) = &mut scene.graph {
        graph.partitioner = ptr::null_mut::<fn(&[u32]) -> Result<Vec<Part>>>();
    }
    Ok(status)
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
        plan.write(shown.plans.last().copied().unwrap_or(ptr::null_mut()));
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
        if node.is_null() || registration.is_null() {
            return kTfLiteError;
        }
        let Some((one, its)) = scene::of(context).and_then(|scene| seen(scene, usize::try_from(index).ok()?))
        else {
            return refuse(context, &format!("node index {index} is out of range"));
        };
        node.write(one);
        registration.write(its);
    }
    kTfLiteOk
}

/// The node at `index`, or the node that represents a partition, with its registration.
fn seen(scene: &mut Scene, index: usize) -> Option<(*mut TfLiteNode, *mut LatestRegistration)> {
    let graph = scene.graph.as_deref_mut()?;
    if let Some(one) = graph.nodes.get_mut(index) {
        debug_assert_eq!(one.registration.registration_external.cast_const(), Arc::as_ptr(&one.operator));
        return Some((&raw mut *one.node.raw, &raw mut *one.registration));
    }
    let nodes = graph.nodes.len();
    let requested = graph.requested.get_mut(index - nodes)?;
    let (key, registration) = (requested.key, &raw mut *requested.registration);
    let node = scene.known(key).ok()?;
    // SAFETY: the node belongs to this scene, and only its address is taken.
    Some((unsafe { &raw mut *(*node).raw }, registration))
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
    unsafe { replace(context, &Callbacks::Registration(registration), nodes) }
}

/// Records the delegate's request to replace `nodes` by `kernel`, and creates a node for each partition, which calls
/// the kernel's `init`.
///
/// # Safety
/// `context` must be null or a context that a delegate may inspect, in its `Prepare`. `nodes` must be null or point to
/// a whole array.
unsafe fn replace(
    context: *mut TfLiteContext,
    kernel: &Callbacks,
    nodes: *const TfLiteIntArray,
) -> TfLiteStatus {
    guard(kTfLiteError, || {
        // SAFETY: the context belongs to a scene that only the running delegate uses and `nodes` is null or an array,
        // as `# Safety` requires. No reference to the scene is in use while `begin` calls the kernel.
        unsafe {
            let nodes = numbers(nodes).to_vec();
            let Some(shown) = shown(context) else { return kTfLiteError };
            let all = shown.nodes.len() + shown.requested.len();
            if let Some(wrong) =
                nodes.iter().find(|&&node| !usize::try_from(node).is_ok_and(|node| node < all))
            {
                return refuse(context, &format!("cannot replace node {wrong}: the index is out of range"));
            }
            let parts = match shown.partitions_of(&nodes) {
                Ok(parts) => parts,
                Err(error) => return refuse(context, &format!("cannot replace nodes: {error}")),
            };
            shown.rounds = shown.with(&nodes);
            shown.kernels.push(kernel.clone());
            let delegate = shown.delegate;
            for part in parts {
                let (requested, node) = Requested::new(delegate, part, kernel);
                if let Some(scene) = scene::of(context) {
                    scene.begin(requested.key, node);
                }
                if let Some(shown) = self::shown(context) {
                    shown.requested.push(requested);
                }
            }
            if let Some(shown) = self::shown(context) {
                shown.plan_again();
            }
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
            replace(context, &kernel, nodes)
        }
    })
}

/// Writes the partitions that replacing `nodes` would create. They remain valid until the next preview.
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
            let Some(shown) = shown(context).filter(|_| !partitions.is_null() && !partition_count.is_null())
            else {
                return kTfLiteError;
            };
            let parts = match shown.partitions_of(numbers(nodes)) {
                Ok(parts) => parts,
                Err(error) => return refuse(context, &format!("cannot preview partitions: {error}")),
            };
            let delegate = shown.delegate;
            let params =
                parts.iter().map(|part| Params::new(delegate, &part.nodes, &part.inputs, &part.outputs));
            shown.previews = params.collect();
            shown.preview_words = shown.previews.iter().flat_map(Params::words).copied().collect();
            partitions.write(shown.preview_words.as_mut_ptr().cast());
            partition_count.write(count(shown.previews.len()));
        }
        kTfLiteOk
    })
}
