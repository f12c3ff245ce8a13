//! The functions of an op, from an operator or a registration.

use std::ffi::{c_char, c_void};
use std::ptr;
use std::sync::Arc;

use super::types::{TfLiteContext, TfLiteNode, TfLiteRegistration};
use crate::operator::{Functions, TfLiteOperator};
use crate::types::*;

/// The functions of an op, from an operator or a registration.
#[derive(Clone)]
pub(crate) enum Callbacks {
    Operator { operator: Arc<TfLiteOperator>, functions: Functions },
    Registration(TfLiteRegistration),
}

// SAFETY: the program's functions are called on the thread that runs the interpreter, one at a time per interpreter;
// TensorFlow Lite's interface requires that they permit this.
unsafe impl Send for Callbacks {}
// SAFETY: see `Send`.
unsafe impl Sync for Callbacks {}

impl Callbacks {
    pub(crate) fn of(operator: Arc<TfLiteOperator>) -> Self {
        Callbacks::Operator { functions: operator.functions(), operator }
    }

    /// Calls the op's `init`. Returns null if it is not set.
    ///
    /// # Safety
    /// `context` must be the context of a live scene. `buffer` must be null or point to `length` bytes or a parameter
    /// struct.
    pub(crate) unsafe fn init(
        &self,
        context: *mut TfLiteContext,
        buffer: *const c_char,
        length: usize,
    ) -> *mut c_void {
        // SAFETY: the program registered these functions, the user data belongs to them, and the arguments are valid as
        // `# Safety` requires.
        unsafe {
            match self {
                Callbacks::Operator { operator, functions } => {
                    match (functions.init_with_data, functions.init) {
                        (Some(init), _) => init(operator.user_data, context, buffer, length),
                        (None, Some(init)) => init(context, buffer, length),
                        (None, None) => ptr::null_mut(),
                    }
                }
                Callbacks::Registration(functions) => {
                    functions.init.map_or(ptr::null_mut(), |init| init(context, buffer, length))
                }
            }
        }
    }

    /// Calls the op's `free`, if it has one.
    ///
    /// # Safety
    /// `context` must be the context of a live scene. `data` must be the result of this op's `init` and must not be
    /// used afterwards.
    pub(crate) unsafe fn free(&self, context: *mut TfLiteContext, data: *mut c_void) {
        // SAFETY: the program registered these functions, the user data belongs to them, and the arguments are valid as
        // `# Safety` requires.
        unsafe {
            match self {
                Callbacks::Operator { operator, functions } => {
                    match (functions.free_with_data, functions.free) {
                        (Some(free), _) => free(operator.user_data, context, data),
                        (None, Some(free)) => free(context, data),
                        (None, None) => {}
                    }
                }
                Callbacks::Registration(functions) => {
                    if let Some(free) = functions.free {
                        free(context, data);
                    }
                }
            }
        }
    }

    /// Calls the op's `prepare`. Returns `kTfLiteOk` if it is not set.
    ///
    /// # Safety
    /// `context` must be the context of a live scene and `node` a node of that scene.
    pub(crate) unsafe fn prepare(&self, context: *mut TfLiteContext, node: *mut TfLiteNode) -> TfLiteStatus {
        // SAFETY: the program registered these functions, the user data belongs to them, and the arguments are valid as
        // `# Safety` requires.
        unsafe {
            match self {
                Callbacks::Operator { operator, functions } => {
                    match (functions.prepare_with_data, functions.prepare) {
                        (Some(prepare), _) => prepare(operator.user_data, context, node),
                        (None, Some(prepare)) => prepare(context, node),
                        (None, None) => kTfLiteOk,
                    }
                }
                Callbacks::Registration(functions) => {
                    functions.prepare.map_or(kTfLiteOk, |prepare| prepare(context, node))
                }
            }
        }
    }

    /// Calls the op's `invoke`. Returns `kTfLiteError` if it is not set.
    ///
    /// # Safety
    /// `context` must be the context of a live scene and `node` a prepared node of that scene.
    pub(crate) unsafe fn invoke(&self, context: *mut TfLiteContext, node: *mut TfLiteNode) -> TfLiteStatus {
        // SAFETY: the program registered these functions, the user data belongs to them, and the arguments are valid as
        // `# Safety` requires.
        unsafe {
            match self {
                Callbacks::Operator { operator, functions } => {
                    match (functions.invoke_with_data, functions.invoke) {
                        (Some(invoke), _) => invoke(operator.user_data, context, node),
                        (None, Some(invoke)) => invoke(context, node),
                        (None, None) => kTfLiteError,
                    }
                }
                Callbacks::Registration(functions) => {
                    functions.invoke.map_or(kTfLiteError, |invoke| invoke(context, node))
                }
            }
        }
    }
}
