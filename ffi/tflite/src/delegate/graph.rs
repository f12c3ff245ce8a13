//! A subgraph as a delegate sees it while it decides: its nodes, their ops, and what it asks to replace.

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
use crate::kernel::node::{Node, Parts};
use crate::kernel::scene::{self, Io, Scene};
use crate::kernel::types::{LatestRegistration, TfLiteContext, TfLiteNode, TfLiteRegistration};
use crate::operator::{TfLiteOperator, TfLiteOperatorCreate};
use crate::options::CUSTOM;
use crate::types::*;

/// The nodes of a graph in the order in which they run, and the delegate's answer.
pub(crate) struct Shown {
    nodes: Vec<OneNode>,
    plan: *mut TfLiteIntArray,
    previews: Vec<Params>,
    /// The previews' structs, one behind the other.
    preview_words: Vec<*mut c_void>,
    pub answer: Option<Answer>,
}

/// What a delegate asked for: nodes, and the kernel that runs each partition of them.
#[derive(Clone)]
pub(crate) struct Answer {
    pub nodes: Vec<i32>,
    pub kernel: Callbacks,
}

struct OneNode {
    node: Box<Node>,
    registration: Box<LatestRegistration>,
    /// What the registration points to.
    _name: CString,
    operator: Arc<TfLiteOperator>,
    inputs: Vec<i32>,
    outputs: Vec<i32>,
}

impl OneNode {
    fn new(view: &NodeView<'_>) -> Self {
        let parts = Parts::of(view);
        // A delegate that does not find a builtin op's struct would read a null: it sees the op as one that it does not know.
        let is_known = !matches!(parts.parameters, Parameters::Unknown);
        let (code, name) = match view.builtin_code() {
            CUSTOM => (CUSTOM, view.custom_name().to_owned()),
            code if is_known => (code, String::new()),
            code => (CUSTOM, arenite::OpKey::Builtin(code).name()),
        };
        let name = CString::new(name).unwrap_or_default();
        let custom_name = if code == CUSTOM { name.as_ptr() } else { ptr::null() };
        // SAFETY: the name ends with a null byte; the operator is this struct's own.
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

impl Shown {
    fn new(graph: &GraphView<'_>) -> Self {
        let nodes: Vec<OneNode> = graph.nodes().map(|view| OneNode::new(&view)).collect();
        let plan: Vec<i32> = (0..count(nodes.len())).collect();
        let plan = int_array(&plan);
        Shown { nodes, plan, previews: Vec::new(), preview_words: Vec::new(), answer: None }
    }

    /// Runs of nodes that stand one behind the other.
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

    /// What a run of nodes reads from outside, and what of it is read outside.
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

impl Drop for Shown {
    fn drop(&mut self) {
        // SAFETY: this struct's own array.
        unsafe { TfLiteIntArrayFree(self.plan) };
    }
}

/// Shows a graph to a delegate, by its `Prepare`; gives its answer, or its status where it failed.
///
/// # Safety
/// The delegate lives.
pub(crate) unsafe fn ask(
    scene: &mut Scene,
    graph: &GraphView<'_>,
    delegate: *mut TfLiteDelegate,
) -> Result<(TfLiteStatus, Option<Answer>)> {
    let all: Vec<i32> = (0..count(graph.tensor_count())).collect();
    scene.describe(Io { inputs: &all, outputs: &[] }, &|index| graph.tensor(index as usize).map(Some))?;
    scene.graph = Some(Box::new(Shown::new(graph)));
    let status = looking(scene, |scene| {
        // SAFETY: the caller's promise; the context is the scene's own, and nothing else refers to the scene meanwhile.
        unsafe { super::types::prepare(scene.shown_context(), delegate) }
    });
    let answer = scene.graph.as_mut().and_then(|graph| graph.answer.take());
    Ok((status, answer))
}

/// Calls `body` while the scene's context has the functions by which a delegate, or the `init` of its kernel, looks at the graph.
pub(crate) fn looking<R>(scene: &mut Scene, body: impl FnOnce(&mut Scene) -> R) -> R {
    scene.context.get_execution_plan = get_execution_plan;
    scene.context.get_node_and_registration = get_node_and_registration;
    scene.context.replace_node_subsets = replace_node_subsets;
    scene.context.preview_delegate_partitioning = preview;
    let done = body(scene);
    scene.context = context::new(scene.context.recommended_num_threads);
    done
}

/// The graph that a delegate looks at.
///
/// # Safety
/// As [`scene::of`].
unsafe fn shown<'a>(context: *mut TfLiteContext) -> Option<&'a mut Shown> {
    // SAFETY: `context` is null or the context of a running kernel, as `# Safety` requires.
    unsafe { scene::of(context)?.graph.as_deref_mut() }
}

/// # Safety
/// `context` is a scene's at which a delegate looks; the result is null or writable.
unsafe extern "C" fn get_execution_plan(
    context: *mut TfLiteContext,
    plan: *mut *mut TfLiteIntArray,
) -> TfLiteStatus {
    // SAFETY: the caller's promise.
    unsafe {
        let Some(shown) = shown(context).filter(|_| !plan.is_null()) else { return kTfLiteError };
        plan.write(shown.plan);
    }
    kTfLiteOk
}

/// # Safety
/// As [`get_execution_plan`].
unsafe extern "C" fn get_node_and_registration(
    context: *mut TfLiteContext,
    index: c_int,
    node: *mut *mut TfLiteNode,
    registration: *mut *mut LatestRegistration,
) -> TfLiteStatus {
    // SAFETY: the caller's promise.
    unsafe {
        let one = shown(context).and_then(|shown| shown.nodes.get_mut(usize::try_from(index).ok()?));
        let Some(one) = one.filter(|_| !node.is_null() && !registration.is_null()) else {
            return refuse(context, &format!("there is no node {index}"));
        };
        debug_assert_eq!(one.registration.registration_external.cast_const(), Arc::as_ptr(&one.operator));
        node.write(&raw mut *one.node.raw);
        registration.write(&raw mut *one.registration);
    }
    kTfLiteOk
}

/// # Safety
/// As [`get_execution_plan`]; `nodes` is null or an array.
unsafe extern "C" fn replace_node_subsets(
    context: *mut TfLiteContext,
    registration: TfLiteRegistration,
    nodes: *const TfLiteIntArray,
    delegate: *mut c_void,
) -> TfLiteStatus {
    let _ = delegate;
    // SAFETY: the caller's promise.
    unsafe { replace(context, Callbacks::Registration(registration), nodes) }
}

/// # Safety
/// As [`replace_node_subsets`].
unsafe fn replace(
    context: *mut TfLiteContext,
    kernel: Callbacks,
    nodes: *const TfLiteIntArray,
) -> TfLiteStatus {
    guard(kTfLiteError, || {
        // SAFETY: the caller's promise.
        unsafe {
            let Some(shown) = shown(context) else { return kTfLiteError };
            if shown.answer.is_some() {
                return refuse(context, "ReplaceNodeSubsetsWithDelegateKernels is served once in a Prepare");
            }
            let nodes = numbers(nodes).to_vec();
            if let Some(wrong) = nodes.iter().find(|&&node| shown.at(node).is_none()) {
                return refuse(context, &format!("there is no node {wrong} to replace"));
            }
            shown.answer = Some(Answer { nodes, kernel });
        }
        kTfLiteOk
    })
}

/// Replaces nodes by kernels of an operator, which is handed over.
///
/// # Safety
/// `context` is null or one that a delegate was given, in its `Prepare`; `operator` is null or an operator that is not used again;
/// `nodes` is null or an array.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteOpaqueContextReplaceNodeSubsetsWithDelegateKernels(
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
        // SAFETY: the caller's promise.
        unsafe {
            let kernel = Callbacks::of(Arc::from_raw(operator));
            if shown(context).is_none() {
                return refuse(
                    context,
                    "ReplaceNodeSubsetsWithDelegateKernels is a delegate's alone, in Prepare",
                );
            }
            replace(context, kernel, nodes)
        }
    })
}

/// Shows the partitions that nodes would become: each run of nodes that stand one behind the other.
///
/// # Safety
/// As [`get_execution_plan`]; `nodes` is null or an array.
unsafe extern "C" fn preview(
    context: *mut TfLiteContext,
    nodes: *const TfLiteIntArray,
    partitions: *mut *mut c_void,
    partition_count: *mut c_int,
) -> TfLiteStatus {
    guard(kTfLiteError, || {
        // SAFETY: the caller's promise.
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
