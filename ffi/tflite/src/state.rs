//! The contents of an interpreter handle.

use std::collections::BTreeMap;
use std::ffi::CString;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arenite::{CancelHandle, ElementType, Error, Interpreter, Status};

use crate::create::Recipe;
use crate::kernel::Stage;
use crate::options::TfLiteInterpreterOptions;
use crate::report::Reporter;
use crate::table::{CopyDirection, Table, bytes, shape};
use crate::types::*;

/// The contents of an interpreter. Its signature runners share it, so that they may outlive the handle.
pub(crate) struct SharedInterpreter {
    pub reporter: Reporter,
    /// Of the current interpreter.
    pub cancel: Arc<Mutex<CancelHandle>>,
    pub can_cancel: bool,
    pub falls_back: bool,
    /// The tensors of the main subgraph. This field and `ports` never change.
    pub table: Arc<Table>,
    pub ports: Ports,
    pub signature_keys: Vec<CString>,
    state: Mutex<State>,
    /// Declared after the interpreter, so that it is dropped later: its kernels use the stage.
    pub stage: Arc<Stage>,
    /// Whether only the program's ops are available.
    pub is_selected: bool,
}

/// The tensors of a subgraph that are inputs, outputs and variables.
pub(crate) struct Ports {
    pub inputs: Vec<i32>,
    pub outputs: Vec<i32>,
    pub variables: Vec<i32>,
}

/// The part of an interpreter that only one call at a time may use.
pub(crate) struct State {
    pub interpreter: Interpreter,
    pub recipe: Recipe,
    /// The options of the recipe.
    pub options: TfLiteInterpreterOptions,
    pub(crate) views: BTreeMap<usize, View>,
    /// Memory that the program provided for tensors of the main subgraph, and whether the runtime has received it.
    pub lent: BTreeMap<usize, (TfLiteCustomAllocation, bool)>,
    /// Shared with the handle, so that an invocation can be cancelled while this state is locked.
    pub cancel: Arc<Mutex<CancelHandle>>,
}

// SAFETY: the parts that are not `Send` are pointers of the program. `TfLiteInterpreterSetCustomAllocationForTensor`
// and the functions that set options require that any thread that uses the interpreter may use them.
unsafe impl Send for State {}

/// A subgraph's tensors as the program sees them.
pub(crate) struct View {
    table: Arc<Table>,
    /// For each tensor, whether the table has a copy of its data.
    copied: Vec<CopyDirection>,
    /// Inputs with strings.
    strings: Vec<usize>,
    /// Tensors whose data or shape may change in an invocation.
    changing: Vec<usize>,
    /// The runtime's generation number when all tensors were last read.
    generation: u64,
}

impl SharedInterpreter {
    pub(crate) fn new(
        recipe: Recipe,
        stage: Arc<Stage>,
        options: &TfLiteInterpreterOptions,
        is_selected: bool,
    ) -> Result<Self, String> {
        let mut interpreter = recipe.build()?;
        recipe.begin_nodes(&interpreter, &stage)?;
        let cancel = Arc::new(Mutex::new(interpreter.cancel_handle()));
        let text = |error: Error| error.to_string();
        let (view, ports) = View::new(&mut interpreter, 0).map_err(text)?;
        let table = Arc::clone(&view.table);
        let keys = recipe.model.signature_keys();
        let signature_keys = keys.into_iter().map(|key| CString::new(key).unwrap_or_default()).collect();
        let views = BTreeMap::from([(0, view)]);
        let options_of = options.clone();
        let (lent, cancel_of) = (BTreeMap::new(), Arc::clone(&cancel));
        let mut state = State { interpreter, recipe, views, lent, cancel: cancel_of, options: options_of };
        if state.recipe.has_own_delegates {
            // As in TensorFlow Lite, the program's delegates are applied now. This requires allocating memory.
            state.allocate(0).map_err(text)?;
            crate::delegate::left_out(&state.interpreter).map_or(Ok(()), Err)?;
        }
        Ok(SharedInterpreter {
            reporter: options.reporter,
            cancel,
            can_cancel: options.cancellation,
            falls_back: options.fallback,
            table,
            ports,
            signature_keys,
            state: Mutex::new(state),
            stage,
            is_selected,
        })
    }

    /// Frees the buffer handles of all tensors.
    fn free_handles(&mut self) {
        let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        if self.stage.handles.is_used() {
            // The program may have set a handle since the last invocation.
            state.forget_handles(&self.stage, |_| false);
        }
    }

    /// Locks the state. Reports an error and returns `None` while another call uses it, or after one panicked.
    pub(crate) fn lock(&self) -> Option<MutexGuard<'_, State>> {
        let state = self.state.try_lock().ok();
        if state.is_none() {
            self.reporter.report("the interpreter is in use by another call, or a call of it panicked");
        }
        state
    }

    /// Cancels the invocation in progress. Does not wait for it.
    pub(crate) fn cancel(&self) {
        self.cancel.lock().unwrap_or_else(PoisonError::into_inner).cancel();
    }

    /// Runs `body` on the state and reports its error to the program.
    pub(crate) fn with(&self, body: impl FnOnce(&mut State) -> Result<(), Error>) -> TfLiteStatus {
        let Some(mut state) = self.lock() else { return kTfLiteError };
        let done = body(&mut state);
        // The reporter may call functions of the interpreter, so unlock first.
        drop(state);
        match done {
            Ok(()) => kTfLiteOk,
            Err(error) => {
                self.reporter.report(&error);
                status_of(&error)
            }
        }
    }
}

impl Drop for SharedInterpreter {
    fn drop(&mut self) {
        self.free_handles();
    }
}

pub(crate) fn status_of(error: &Error) -> TfLiteStatus {
    match error {
        Error::UnresolvedOps { .. } => kTfLiteUnresolvedOps,
        Error::Cancelled | Error::Node { status: Status::Cancelled, .. } => kTfLiteCancelled,
        Error::Delegate { .. } => kTfLiteDelegateError,
        _ => kTfLiteError,
    }
}

impl View {
    fn new(interpreter: &mut Interpreter, subgraph: usize) -> arenite::Result<(Self, Ports)> {
        let ports = Ports {
            inputs: interpreter.inputs_of(subgraph)?.to_vec(),
            outputs: interpreter.outputs_of(subgraph)?.to_vec(),
            variables: interpreter.variables_of(subgraph)?.to_vec(),
        };
        let table = Arc::new(Table::new(interpreter, subgraph, &ports.variables)?);
        let mut strings = Vec::new();
        let mut copied = vec![CopyDirection::No; table.len()];
        for &index in &ports.inputs {
            let Ok(index) = usize::try_from(index) else { continue };
            if interpreter.tensor_of(subgraph, index)?.ty == ElementType::String {
                copied[index] = CopyDirection::In;
                strings.push(index);
                // SAFETY: the table was just created, so no other reference to the struct exists.
                let entry = unsafe { table.get(index) };
                (entry.allocation_type, entry.bytes) = (kTfLiteDynamic, 0);
            }
        }
        Ok((View { table, copied, strings, changing: Vec::new(), generation: 0 }, ports))
    }

    /// Reads all tensors from the runtime after an allocation.
    fn refresh(&mut self, interpreter: &mut Interpreter, subgraph: usize, outputs: &[i32]) {
        self.generation = interpreter.generation(subgraph);
        self.changing.clear();
        for index in 0..self.table.len() {
            let form = interpreter.tensor_form(subgraph, index);
            let is_string = form.is_some_and(|(ty, _)| ty == ElementType::String);
            let is_dynamic = form.is_some_and(|(_, shape)| shape.is_none());
            let is_output = outputs.contains(&(index as i32));
            let is_constant = interpreter.tensor_of(subgraph, index).is_ok_and(|tensor| tensor.is_constant());
            if is_output
                && (is_string || is_dynamic)
                && !is_constant
                && self.copied[index] == CopyDirection::No
            {
                // From now on the table owns the data.
                // SAFETY: this call holds the state's lock, and no other reference to the struct is in use in it.
                let entry = unsafe { self.table.get(index) };
                (entry.data, entry.bytes) = (std::ptr::null_mut(), 0);
                self.copied[index] = CopyDirection::Out;
            }
            if is_dynamic || self.copied[index] == CopyDirection::Out {
                self.changing.push(index);
            }
            self.table.refresh(interpreter, subgraph, index, self.copied[index]);
        }
    }

    /// Reads the tensors that an invocation may have changed.
    fn refresh_changed(&mut self, interpreter: &mut Interpreter, subgraph: usize, outputs: &[i32]) {
        if interpreter.generation(subgraph) != self.generation {
            return self.refresh(interpreter, subgraph, outputs);
        }
        for &index in &self.changing {
            self.table.refresh(interpreter, subgraph, index, self.copied[index]);
        }
    }
}

impl State {
    /// The tensors of a subgraph. They are created on first use.
    ///
    /// # Errors
    /// If the subgraph does not exist.
    pub(crate) fn table(&mut self, subgraph: usize) -> arenite::Result<Arc<Table>> {
        if !self.views.contains_key(&subgraph) {
            let (view, _) = View::new(&mut self.interpreter, subgraph)?;
            self.views.insert(subgraph, view);
        }
        Ok(Arc::clone(&self.views[&subgraph].table))
    }

    /// Reads all tensors of a subgraph from the runtime.
    pub(crate) fn refresh(&mut self, subgraph: usize) {
        let outputs = self.interpreter.outputs_of(subgraph).map(<[i32]>::to_vec).unwrap_or_default();
        if let Some(view) = self.views.get_mut(&subgraph) {
            view.refresh(&mut self.interpreter, subgraph, &outputs);
        }
    }

    /// Changes the shape of an input. The program sees the new shape immediately; the tensor has no memory until the
    /// next allocation.
    ///
    /// # Errors
    /// If the runtime rejects the shape.
    pub(crate) fn resize(&mut self, subgraph: usize, tensor: usize, dims: &[i32]) -> arenite::Result<()> {
        let table = self.table(subgraph)?;
        // SAFETY: this call holds the state's lock, and no other reference to the struct is in use in it.
        let entry = unsafe { table.get(tensor) };
        // SAFETY: nothing changes the shape during the comparison.
        if !entry.data.is_null() && unsafe { shape(entry) } == dims {
            return Ok(());
        }
        self.interpreter.resize_of(subgraph, tensor, dims)?;
        crate::describe::set_shape(entry, dims);
        if self.views.get(&subgraph).is_some_and(|view| view.copied[tensor] == CopyDirection::In) {
            return Ok(());
        }
        entry.data = std::ptr::null_mut();
        entry.bytes = crate::common::bytes_of(entry.kind, dims).unwrap_or(0);
        if let Some((memory, _)) = self.lent.get(&tensor) {
            entry.data = memory.room_for(entry.bytes);
        }
        Ok(())
    }

    pub(crate) fn allocate(&mut self, subgraph: usize) -> arenite::Result<()> {
        self.lend()?;
        let done = self.interpreter.allocate_subgraph(subgraph);
        self.refresh(subgraph);
        done
    }

    pub(crate) fn invoke(&mut self, subgraph: usize) -> arenite::Result<()> {
        if self.lend()? {
            self.interpreter.allocate_subgraph(subgraph)?;
        }
        self.set_strings(subgraph)?;
        self.interpreter.invoke_subgraph(subgraph)?;
        self.after_invoke(subgraph);
        Ok(())
    }

    /// Like [`invoke`](Self::invoke) for the main subgraph, with values in memory of delegates.
    pub(crate) fn invoke_main(&mut self, shared: &SharedInterpreter) -> arenite::Result<()> {
        self.give_handles(&shared.stage, &shared.ports)?;
        let done = self.invoke(0);
        self.take_handles(&shared.stage).and(done)
    }

    fn after_invoke(&mut self, subgraph: usize) {
        let Some(view) = self.views.get_mut(&subgraph) else { return };
        let is_same = self.interpreter.generation(subgraph) == view.generation;
        if is_same && view.changing.is_empty() {
            return;
        }
        let outputs = self.interpreter.outputs_of(subgraph).map(<[i32]>::to_vec).unwrap_or_default();
        view.refresh_changed(&mut self.interpreter, subgraph, &outputs);
    }

    /// Passes the strings and shapes that the program wrote into string inputs to the runtime.
    fn set_strings(&mut self, subgraph: usize) -> arenite::Result<()> {
        let Some(view) = self.views.get(&subgraph).filter(|view| !view.strings.is_empty()) else {
            return Ok(());
        };
        let (table, strings) = (Arc::clone(&view.table), view.strings.clone());
        let mut is_resized = false;
        for &index in &strings {
            // SAFETY: this call holds the state's lock, and no other reference to the struct is in use in it; its shape
            // is not changed during this call.
            let dims = unsafe { shape(table.get(index)) };
            if self.interpreter.tensor_of(subgraph, index)?.shape != dims {
                self.interpreter.resize_of(subgraph, index, dims)?;
                is_resized = true;
            }
        }
        if is_resized {
            self.interpreter.allocate_subgraph(subgraph)?;
            self.refresh(subgraph);
        }
        for &index in &strings {
            // SAFETY: this call holds the state's lock, and no other reference to the struct is in use in it; string
            // inputs have data that the table owns, from `TfLiteTensorRealloc`.
            let packed = unsafe { bytes(table.get(index)) };
            if packed.is_empty() {
                continue;
            }
            let strings = arenite::strings::unpack(packed).ok_or_else(|| {
                Error::State(format!("input tensor {index} does not contain packed strings"))
            })?;
            self.interpreter.set_strings_of(subgraph, index, &strings)?;
        }
        Ok(())
    }

    /// Lends the runtime the memory that the program provided since the last call. Returns true if that requires an
    /// allocation.
    fn lend(&mut self) -> arenite::Result<bool> {
        let mut is_new = false;
        for (&tensor, (memory, is_known)) in self.lent.iter_mut().filter(|(_, (_, is_known))| !is_known) {
            lend_one(&mut self.interpreter, tensor, memory)?;
            *is_known = true;
            is_new = true;
        }
        Ok(is_new)
    }
}

/// Lends the runtime memory that the program provided for a tensor of the main subgraph.
///
/// # Errors
/// The runtime's error if the tensor cannot use it.
pub(crate) fn lend_one(
    interpreter: &mut Interpreter,
    tensor: usize,
    memory: &TfLiteCustomAllocation,
) -> arenite::Result<()> {
    // SAFETY: `TfLiteInterpreterSetCustomAllocationForTensor` requires that the memory outlives the interpreter and
    // that the program uses it only between calls.
    unsafe { interpreter.lend_raw(0, tensor, memory.data.cast(), memory.bytes) }.map(drop)
}
