//! Runs ops of the program: C functions that are called for an op registered with the runtime.
//!
//! ```text
//! runtime ─► Kernel::prepare ─► Scene (a TfLiteContext, tensors) + Node (a TfLiteNode) ─► the program's prepare
//!         ◄─ shapes, scratch ◄─ what it wrote into them
//! ```
//!
//! A C kernel communicates through structs: it resizes tensors, marks them dynamic and adds temporaries. The runtime
//! sees none of that while the kernel runs. The structs are filled before each call and read after it.

pub(crate) mod callbacks;
pub(crate) mod context;
mod exchange;
pub(crate) mod node;
pub(crate) mod resize;
pub(crate) mod scene;
pub(crate) mod types;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use arenite::Model;
use arenite::abi::object::OpObject;
use arenite::abi::{Error, EvalContext, NodeView, PrepareContext, Result, Scratch, Status};

use crate::handles::Handles;
use crate::report::Reporter;
use crate::types::*;
pub(crate) use callbacks::Callbacks;
use node::Key;
use scene::{Io, Scene};

/// State that the kernels of one interpreter share.
pub(crate) struct Stage {
    pub reporter: Reporter,
    pub threads: i32,
    pub model: Model,
    pub handles: Handles,
    /// The scenes by subgraph. One node runs at a time, so no thread ever waits for the lock.
    scenes: Mutex<HashMap<usize, Box<Scene>>>,
}

impl Stage {
    pub(crate) fn new(model: Model, threads: i32, reporter: Reporter) -> Self {
        Stage { reporter, threads, model, handles: Handles::default(), scenes: Mutex::default() }
    }

    /// A new scene for a subgraph.
    pub(crate) fn scene(&self, subgraph: usize) -> Box<Scene> {
        Scene::new(&self.model, subgraph, self.threads, self.reporter)
    }

    /// Calls `body` with the scene of a subgraph. Creates the scene on first use.
    pub(crate) fn with<R>(&self, subgraph: usize, body: impl FnOnce(&mut Scene) -> R) -> R {
        let mut scenes = self.scenes.lock().unwrap_or_else(PoisonError::into_inner);
        body(scenes.entry(subgraph).or_insert_with(|| self.scene(subgraph)))
    }
}

/// An op of the program, registered for one interpreter.
pub(crate) struct Kernel {
    pub stage: Arc<Stage>,
    pub callbacks: Callbacks,
}

/// Results of `prepare` that `eval` needs.
pub(crate) struct Prepared {
    /// Temporary tensors in the arena, by index, and scratch buffers that the kernel requested.
    temporaries: Vec<(usize, Scratch<u8>)>,
    scratch: Vec<Scratch<u8>>,
    /// For each output, whether it is dynamic.
    dynamic: Vec<bool>,
}

impl OpObject for Kernel {
    type Node = Prepared;

    fn prepare(&self, view: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Prepared> {
        self.stage.with(view.subgraph(), |scene| {
            let node = scene.node(view, &self.callbacks)?;
            let status = scene.run(node, |context, node| {
                // SAFETY: context and node belong to this scene, and `Scene::node` has filled in the tensors of this
                // node.
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
                // SAFETY: context and node belong to this scene, `before_eval` has filled in their tensors, and
                // `prepare` has succeeded.
                unsafe { self.callbacks.invoke(context, node) }
            });
            answer(status, "invoke")?;
            scene.after_eval(io, prepared, cx)
        })
    }

    fn is_stateful(&self) -> bool {
        // The node may have state in its `user_data`, and its results may differ on each call even without inputs.
        true
    }
}

/// Converts the status of a kernel's function to the runtime's.
///
/// # Errors
/// If the status is not `kTfLiteOk`.
pub(crate) fn answer(status: TfLiteStatus, what: &str) -> Result<()> {
    match status {
        kTfLiteOk => Ok(()),
        kTfLiteCancelled => Err(Error::new(Status::Cancelled, format_args!("{what} was cancelled"))),
        status => {
            Err(Error::new(Status::Invalid, format_args!("its {what} function returned status {status}")))
        }
    }
}
