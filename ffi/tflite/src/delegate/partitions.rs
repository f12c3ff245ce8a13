//! The partitions that a delegate requests in its `Prepare`: nodes of the graph it sees, each with the kernel that runs
//! it.

use std::collections::HashMap;
use std::ffi::CStr;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use arenite::abi::PartitionView;

use super::types::{Params, TfLiteDelegate, count};
use crate::builtin_data::Parameters;
use crate::kernel::callbacks::Callbacks;
use crate::kernel::node::{Key, Node, NodeContents};
use crate::kernel::types::{LatestRegistration, TfLiteRegistration};
use crate::operator::{TfLiteOperator, TfLiteOperatorCreate};

/// The schema's code of a node that a delegate runs.
const DELEGATE: i32 = arenite::abi::raw::BUILTIN_DELEGATE;

/// Nodes that run as one, and the tensors at their border, as the host answers.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Part {
    pub nodes: Vec<i32>,
    pub inputs: Vec<i32>,
    pub outputs: Vec<i32>,
}

impl Part {
    pub(crate) fn of(view: &PartitionView<'_>) -> Self {
        Part {
            nodes: view.node_indices().iter().map(|&node| count(node as usize)).collect(),
            inputs: view.inputs().to_vec(),
            outputs: view.outputs().to_vec(),
        }
    }
}

/// A partition with the node that represents it. The node is in the scene, under `key`.
pub(crate) struct Requested {
    pub part: Part,
    pub key: Key,
    pub params: Params,
    pub kernel: Callbacks,
    pub registration: Box<LatestRegistration>,
    _operator: Arc<TfLiteOperator>,
}

impl Requested {
    /// A partition and its node, whose `init` was not called yet.
    pub(crate) fn new(delegate: *mut TfLiteDelegate, part: Part, kernel: &Callbacks) -> (Self, Box<Node>) {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let mut params = Params::new(delegate, &part.nodes, &part.inputs, &part.outputs);
        let contents = NodeContents {
            inputs: &part.inputs,
            outputs: &part.outputs,
            intermediates: &[],
            custom_options: &[],
            parameters: Parameters::None,
        };
        let mut node = Node::new(&contents, kernel);
        node.raw.builtin_data = params.as_mut_ptr();
        node.raw.delegate = delegate.cast();
        let key = Key::new(NEXT.fetch_add(1, Ordering::Relaxed), &[]);
        let (registration, operator) = registration_of(kernel);
        let kernel = kernel.clone();
        (Requested { part, key, params, kernel, registration, _operator: operator }, node)
    }
}

/// The registration that a delegate sees for its kernel.
fn registration_of(kernel: &Callbacks) -> (Box<LatestRegistration>, Arc<TfLiteOperator>) {
    let none = TfLiteRegistration {
        init: None,
        free: None,
        prepare: None,
        invoke: None,
        profiling_string: None,
        builtin_code: DELEGATE,
        custom_name: ptr::null(),
        version: 1,
    };
    let (plain, operator) = match kernel {
        Callbacks::Registration(plain) => (TfLiteRegistration { builtin_code: DELEGATE, ..*plain }, None),
        Callbacks::Operator { operator, .. } => {
            let name = operator.custom_name.as_deref().map_or(ptr::null(), CStr::as_ptr);
            (TfLiteRegistration { custom_name: name, ..none }, Some(Arc::clone(operator)))
        }
    };
    let operator = operator.unwrap_or_else(|| {
        // SAFETY: the program's registration has no name, or a null-terminated one; the handle is new, so that its
        // reference can be taken over.
        unsafe {
            Arc::from_raw(TfLiteOperatorCreate(DELEGATE, plain.custom_name, plain.version, ptr::null_mut()))
        }
    });
    let registration_external = Arc::as_ptr(&operator).cast_mut();
    let rest =
        LatestRegistration { plain, registration_external, async_kernel: ptr::null(), inplace_operator: 0 };
    (Box::new(rest), operator)
}

/// A node or a partition in the execution plan: its index, its first node, and the tensors that it reads and writes.
pub(crate) struct PlanItem<'a> {
    pub index: i32,
    pub first: i32,
    pub inputs: &'a [i32],
    pub outputs: &'a [i32],
}

/// The indices of the items in an order in which they can run: among ready items, that with the first node comes first.
pub(crate) fn plan(items: &[PlanItem<'_>]) -> Vec<i32> {
    let mut producer: HashMap<i32, usize> = HashMap::new();
    for (i, item) in items.iter().enumerate() {
        producer.extend(item.outputs.iter().map(|&tensor| (tensor, i)));
    }
    let waits_for = |i: usize, placed: &[bool]| {
        let sources = items[i].inputs.iter().filter_map(|tensor| producer.get(tensor));
        sources.into_iter().any(|&source| source != i && !placed[source])
    };
    let (mut placed, mut order) = (vec![false; items.len()], Vec::with_capacity(items.len()));
    while order.len() < items.len() {
        let left = (0..items.len()).filter(|&i| !placed[i]);
        let ready = left.clone().filter(|&i| !waits_for(i, &placed)).min_by_key(|&i| items[i].first);
        // Variables can form a circle; then the file's order decides.
        let Some(next) = ready.or_else(|| left.min_by_key(|&i| items[i].first)) else { break };
        placed[next] = true;
        order.push(items[next].index);
    }
    order
}
