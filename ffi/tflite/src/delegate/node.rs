//! A node of the graph as a delegate sees it.

use std::ffi::CString;
use std::ptr;
use std::sync::Arc;

use arenite::abi::NodeView;

use crate::builtin_data::Parameters;
use crate::kernel::callbacks::Callbacks;
use crate::kernel::node::{Node, NodeContents};
use crate::kernel::types::{LatestRegistration, TfLiteRegistration};
use crate::operator::{TfLiteOperator, TfLiteOperatorCreate};
use crate::types::*;

/// A node with its registration.
pub(super) struct OneNode {
    pub node: Box<Node>,
    pub registration: Box<LatestRegistration>,
    /// The registration points to this name.
    _name: CString,
    /// The registration points to it.
    pub operator: Arc<TfLiteOperator>,
    pub inputs: Vec<i32>,
    pub outputs: Vec<i32>,
}

impl OneNode {
    pub(super) fn new(view: &NodeView<'_>) -> Self {
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
