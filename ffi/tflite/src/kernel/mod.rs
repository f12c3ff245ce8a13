//! Ops of the program's own, as the runtime calls them: functions of C behind a registered op.
//!
//! ```text
//! runtime ─► Kernel::prepare ─► Scene (a TfLiteContext, tensors) + Node (a TfLiteNode) ─► the program's prepare
//!         ◄─ shapes, scratch ◄─ what it left in them
//! ```
//!
//! A kernel of C asks by way of the structs: it resizes tensors, marks them dynamic, adds temporaries. Nothing of that goes to the runtime
//! while it runs. Before the call the structs are filled, and after it they are read.

pub(crate) mod context;
mod exchange;
pub(crate) mod node;
pub(crate) mod scene;
pub(crate) mod types;

use std::collections::HashMap;
use std::ffi::{c_char, c_void};
use std::ptr;
use std::sync::{Arc, Mutex, PoisonError};

use arenite::Model;
use arenite::abi::object::OpObject;
use arenite::abi::{Error, EvalContext, NodeView, PrepareContext, Result, Scratch, Status};

use crate::operator::{Functions, TfLiteOperator};
use crate::report::Reporter;
use crate::types::*;
use node::Key;
use scene::{Io, Scene};
use types::{TfLiteContext, TfLiteNode, TfLiteRegistration};

/// What the kernels of one interpreter share.
pub(crate) struct Stage {
    pub reporter: Reporter,
    pub threads: i32,
    pub model: Model,
    /// By subgraph. One node runs at a time, so the lock is never waited for.
    scenes: Mutex<HashMap<usize, Box<Scene>>>,
}

impl Stage {
    pub fn new(model: Model, threads: i32, reporter: Reporter) -> Self {
        Stage { reporter, threads, model, scenes: Mutex::default() }
    }

    /// Calls `body` with the scene of a subgraph.
    pub fn with<R>(&self, subgraph: usize, body: impl FnOnce(&mut Scene) -> R) -> R {
        let mut scenes = self.scenes.lock().unwrap_or_else(PoisonError::into_inner);
        body(scenes.entry(subgraph).or_insert_with(|| Scene::new(self, subgraph)))
    }
}

/// Who is told what a kernel reports.
///
/// # Safety
/// `context` is the context of a scene that lives.
pub(crate) unsafe fn reporter_of(context: *mut c_void) -> Reporter {
    // SAFETY: a scene's context points to its scene, of which nothing but this field is read.
    unsafe { (*(*context.cast::<TfLiteContext>()).scene.cast::<Scene>()).reporter }
}

/// The functions of an op, from whichever struct they came.
#[derive(Clone)]
pub(crate) enum Callbacks {
    Operator { operator: Arc<TfLiteOperator>, functions: Functions },
    Registration(TfLiteRegistration),
}

// SAFETY: the program's functions are called on the thread that runs the interpreter, one at a time for each.
unsafe impl Send for Callbacks {}
// SAFETY: as above.
unsafe impl Sync for Callbacks {}

impl Callbacks {
    pub fn of(operator: Arc<TfLiteOperator>) -> Self {
        Callbacks::Operator { functions: operator.functions(), operator }
    }

    /// # Safety
    /// The context is a scene's; the buffer has so many bytes.
    pub unsafe fn init(
        &self,
        context: *mut TfLiteContext,
        buffer: *const c_char,
        length: usize,
    ) -> *mut c_void {
        // SAFETY: the program's own functions, with what the interface promises them.
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

    /// # Safety
    /// The context is a scene's; the data is what `init` gave.
    pub unsafe fn free(&self, context: *mut TfLiteContext, data: *mut c_void) {
        // SAFETY: as in `init`.
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

    /// # Safety
    /// Context and node are of one scene.
    pub unsafe fn prepare(&self, context: *mut TfLiteContext, node: *mut TfLiteNode) -> TfLiteStatus {
        // SAFETY: as in `init`.
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

    /// # Safety
    /// Context and node are of one scene, and were prepared.
    pub unsafe fn invoke(&self, context: *mut TfLiteContext, node: *mut TfLiteNode) -> TfLiteStatus {
        // SAFETY: as in `init`.
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

/// An op of the program's own, registered for one interpreter.
pub(crate) struct Kernel {
    pub stage: Arc<Stage>,
    pub callbacks: Callbacks,
}

/// What `prepare` leaves for `eval`.
pub(crate) struct Prepared {
    /// Of temporary tensors in the arena, and of buffers that were asked for.
    temporaries: Vec<(usize, Scratch<u8>)>,
    scratch: Vec<Scratch<u8>>,
    /// By output.
    dynamic: Vec<bool>,
}

impl OpObject for Kernel {
    type Node = Prepared;

    fn prepare(&self, view: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Prepared> {
        self.stage.with(view.subgraph(), |scene| {
            let node = scene.node(view, &self.callbacks)?;
            let status = scene.run(node, |context, node| {
                // SAFETY: both are of this scene, and filled for this node.
                unsafe { self.callbacks.prepare(context, node) }
            });
            answer(status, "prepare")?;
            scene.after_prepare(node, Io::of(view), cx)
        })
    }

    fn eval(&self, prepared: &Prepared, cx: &mut EvalContext<'_>) -> Result<()> {
        let view = cx.node();
        self.stage.with(view.subgraph(), |scene| {
            let io = Io::of(&view);
            let node = scene.before_eval(Key::of(&view), io, prepared, cx)?;
            let status = scene.run(node, |context, node| {
                // SAFETY: as in `prepare`, which went well before.
                unsafe { self.callbacks.invoke(context, node) }
            });
            answer(status, "invoke")?;
            scene.after_eval(io, prepared, cx)
        })
    }

    fn is_stateful(&self) -> bool {
        // What `init` gave may be one, and a node without inputs may give other results each time.
        true
    }
}

/// A kernel's status as the runtime's.
pub(crate) fn answer(status: TfLiteStatus, what: &str) -> Result<()> {
    match status {
        kTfLiteOk => Ok(()),
        kTfLiteCancelled => Err(Error::new(Status::Cancelled, format_args!("{what} was cancelled"))),
        status => {
            Err(Error::new(Status::Invalid, format_args!("its {what} function returned status {status}")))
        }
    }
}
