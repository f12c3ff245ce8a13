//! Functions of `arenite/interpreter.h`. An interpreter owns the handles of its tensors and signatures.

mod inspect;
mod memory;

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ffi::{CString, c_char};
use std::path::PathBuf;
use std::ptr;
use std::rc::Rc;
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};

use arenite::{CancelHandle, Interpreter, Tensor, TensorMut};

use crate::arguments::{self, list, out, shared, text};
use crate::error::{AR_ERROR_PANICKED, AR_ERROR_STATE, ArError, Failure, Result, guard, guard_value};
use crate::model::ArModel;
use crate::options::ArOptions;
use crate::registry::DescribedRegistry;
use crate::signature::ArSignature;
use crate::tensor::ArTensor;

pub(crate) use inspect::give_report;
pub use inspect::*;
pub use memory::*;

/// An interpreter. `ar_interpreter_cancel` may run on another thread during a call, and a faulty program may make any
/// two calls at the same time. So no function creates an exclusive reference to it.
pub struct ArInterpreter {
    cancel: CancelHandle,
    pub(crate) found: Arc<DescribedRegistry>,
    /// The file, if the model was loaded from one.
    pub(crate) path: Option<PathBuf>,
    state: Mutex<State>,
}

/// The part of an interpreter that only one call at a time may use. Its handles exist as long as the interpreter.
pub(crate) struct State {
    pub interpreter: Interpreter,
    /// For each skipped delegate the reason, from the last call that asked for them.
    pub left_out: Vec<CString>,
    /// The last report that was requested.
    pub json: CString,
    tensors: HashMap<TensorKey, Rc<ArTensor>>,
    signatures: HashMap<String, Rc<ArSignature>>,
}

/// Identifies a tensor of an interpreter and whether the program may write it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct TensorKey {
    pub subgraph: usize,
    pub tensor: usize,
    pub writable: bool,
}

impl TensorKey {
    /// A tensor that the program may write.
    pub(crate) fn open(subgraph: usize, tensor: usize) -> Self {
        TensorKey { subgraph, tensor, writable: true }
    }

    /// A tensor that the program may only read.
    pub(crate) fn closed(subgraph: usize, tensor: usize) -> Self {
        TensorKey { subgraph, tensor, writable: false }
    }
}

impl ArInterpreter {
    /// Locks the state. Fails while another call uses it, and after one panicked.
    pub(crate) fn lock(&self) -> Result<MutexGuard<'_, State>> {
        match self.state.try_lock() {
            Ok(state) => Ok(state),
            Err(TryLockError::WouldBlock) => Err(Failure::new(
                AR_ERROR_STATE,
                "the interpreter is in use by another call: use it on one thread at a time",
            )),
            Err(TryLockError::Poisoned(_)) => Err(Failure::new(
                AR_ERROR_PANICKED,
                "the interpreter panicked in an earlier call: free it and create another one",
            )),
        }
    }

    /// The handle of a tensor: the same one on each call.
    pub(crate) fn handle(&self, state: &mut State, place: TensorKey) -> Result<*mut ArTensor> {
        let State { interpreter, tensors, .. } = state;
        let handle = match tensors.entry(place) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(vacant) => {
                let variables = interpreter.variables_of(place.subgraph)?;
                let is_variable = variables.iter().any(|&t| usize::try_from(t) == Ok(place.tensor));
                let tensor = interpreter.tensor_of(place.subgraph, place.tensor)?;
                vacant.insert(Rc::new(ArTensor::new(ptr::from_ref(self), place, &tensor, is_variable)))
            }
        };
        Ok(Rc::as_ptr(handle).cast_mut())
    }
}

impl State {
    /// A tensor, for reading.
    pub(crate) fn read(&self, place: TensorKey) -> Result<Tensor<'_>> {
        Ok(self.interpreter.tensor_of(place.subgraph, place.tensor)?)
    }

    /// A tensor, for writing. Fails if the handle was created for reading.
    pub(crate) fn write(&mut self, place: TensorKey) -> Result<TensorMut<'_>> {
        if !place.writable {
            return Err(not_an_input());
        }
        Ok(self.interpreter.tensor_mut_of(place.subgraph, place.tensor)?)
    }

    pub(crate) fn write_strings(&mut self, place: TensorKey, strings: &[&[u8]]) -> Result<()> {
        if !place.writable {
            return Err(not_an_input());
        }
        Ok(self.interpreter.set_strings_of(place.subgraph, place.tensor, strings)?)
    }

    /// The place of input `i` of the main subgraph.
    fn input(&mut self, i: usize) -> Result<TensorKey> {
        self.interpreter.input(i)?;
        Ok(TensorKey::open(0, self.interpreter.inputs_of(0)?[i] as usize))
    }

    fn output(&mut self, i: usize) -> Result<TensorKey> {
        self.interpreter.output(i)?;
        Ok(TensorKey::closed(0, self.interpreter.outputs_of(0)?[i] as usize))
    }
}

fn not_an_input() -> Failure {
    Failure::argument(
        "this handle is read-only because the tensor is not an input: use ar_interpreter_tensor_of to write the tensor",
    )
}

/// Locks the interpreter and calls `body` with its state.
pub(crate) fn using(
    interpreter: *const ArInterpreter,
    body: impl FnOnce(&mut State) -> Result<()>,
) -> *mut ArError {
    let mut body = Some(body);
    used(interpreter, &mut |state| body.take().map_or(Ok(()), |body| body(state)))
}

fn used(interpreter: *const ArInterpreter, body: &mut dyn FnMut(&mut State) -> Result<()>) -> *mut ArError {
    guard(|| {
        // SAFETY: `interpreter` is null or a live handle, as the header requires.
        let interpreter = unsafe { shared(interpreter, "interpreter") }?;
        let mut state = interpreter.lock()?;
        body(&mut state)
    })
}

/// A property of the interpreter; 0 for null and while another call uses the interpreter.
pub(crate) fn number<T: Default>(
    interpreter: *const ArInterpreter,
    body: impl FnOnce(&Interpreter) -> T,
) -> T {
    let (mut body, mut value) = (Some(body), T::default());
    asked(interpreter, &mut |interpreter| {
        if let Some(body) = body.take() {
            value = body(interpreter);
        }
    });
    value
}

fn asked(interpreter: *const ArInterpreter, body: &mut dyn FnMut(&Interpreter)) {
    guard_value((), || {
        // SAFETY: `interpreter` is null or a live handle, as the header requires.
        let interpreter = unsafe { shared(interpreter, "interpreter") }?;
        let state = interpreter.lock()?;
        body(&state.interpreter);
        Ok(())
    });
}

/// Writes the handle of the tensor that `find` returns.
pub(crate) fn give_tensor(
    interpreter: *const ArInterpreter,
    tensor: *mut *mut ArTensor,
    find: impl FnOnce(&mut State) -> Result<TensorKey>,
) -> *mut ArError {
    let mut find = Some(find);
    let unknown = || Err(Failure::argument("no tensor was specified"));
    given_tensor(interpreter, tensor, &mut |state| find.take().map_or_else(unknown, |find| find(state)))
}

fn given_tensor(
    interpreter: *const ArInterpreter,
    tensor: *mut *mut ArTensor,
    find: &mut dyn FnMut(&mut State) -> Result<TensorKey>,
) -> *mut ArError {
    guard(|| {
        // SAFETY: `tensor` is null or writable, as the header requires.
        let (out, interpreter) = unsafe { (out(tensor, "tensor")?, shared(interpreter, "interpreter")?) };
        let mut state = interpreter.lock()?;
        let place = find(&mut state)?;
        out.set(interpreter.handle(&mut state, place)?);
        Ok(())
    })
}

/// Creates an interpreter, and finds and loads plugins unless the options have a registry.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_interpreter_new(
    model: *const ArModel,
    options: *const ArOptions,
    interpreter: *mut *mut ArInterpreter,
) -> *mut ArError {
    guard(|| {
        // SAFETY: `interpreter` is null or writable, as the header requires.
        let (out, model, options) =
            unsafe { (out(interpreter, "interpreter")?, shared(model, "model")?, options.as_ref()) };
        let default = ArOptions::default();
        let options = options.unwrap_or(&default);
        let found = options.find()?;
        let interpreter = options.build(&model.model, &found)?;
        out.give(ArInterpreter {
            cancel: interpreter.cancel_handle(),
            found,
            path: model.path.clone(),
            state: Mutex::new(State {
                interpreter,
                left_out: Vec::new(),
                json: CString::default(),
                tensors: HashMap::new(),
                signatures: HashMap::new(),
            }),
        });
        Ok(())
    })
}

/// Frees an interpreter and its handles. Does nothing for null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_interpreter_free(interpreter: *mut ArInterpreter) {
    // SAFETY: `interpreter` is null or an interpreter that the caller owns and that no other call uses, as the header
    // requires.
    unsafe { arguments::free(interpreter) };
}

/// Computes all shapes, plans memory and allocates it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_interpreter_allocate(interpreter: *mut ArInterpreter) -> *mut ArError {
    using(interpreter, |state| Ok(state.interpreter.allocate()?))
}

/// Runs the model once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_interpreter_invoke(interpreter: *mut ArInterpreter) -> *mut ArError {
    using(interpreter, |state| Ok(state.interpreter.invoke()?))
}

/// Cancels the invocation in progress.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_interpreter_cancel(interpreter: *const ArInterpreter) {
    guard_value((), || {
        // SAFETY: `interpreter` is null or a live handle, as the header requires. Only its cancel handle is used, which
        // is made for other threads.
        unsafe { shared(interpreter, "interpreter") }?.cancel.cancel();
        Ok(())
    });
}

/// Sets variables to zero and resets the states of ops.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_interpreter_reset_variables(interpreter: *mut ArInterpreter) -> *mut ArError {
    using(interpreter, |state| {
        state.interpreter.reset_variables();
        Ok(())
    })
}

/// Changes the shape of an input.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_interpreter_resize_input(
    interpreter: *mut ArInterpreter,
    index: usize,
    dims: *const i32,
    rank: usize,
) -> *mut ArError {
    using(interpreter, |state| {
        // SAFETY: `dims` is null or has the given number of elements, as the header requires.
        let dims = unsafe { list(dims, rank, "dims") }?;
        Ok(state.interpreter.resize_input(index, dims)?)
    })
}

/// The number of inputs.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_interpreter_input_count(interpreter: *const ArInterpreter) -> usize {
    number(interpreter, Interpreter::input_count)
}

/// The number of outputs.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_interpreter_output_count(interpreter: *const ArInterpreter) -> usize {
    number(interpreter, Interpreter::output_count)
}

/// The number of tensors of the main subgraph.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_interpreter_tensor_count(interpreter: *const ArInterpreter) -> usize {
    number(interpreter, Interpreter::tensor_count)
}

/// Finds an input by position.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_interpreter_input(
    interpreter: *mut ArInterpreter,
    index: usize,
    tensor: *mut *mut ArTensor,
) -> *mut ArError {
    give_tensor(interpreter, tensor, |state| state.input(index))
}

/// Finds an input by name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_interpreter_input_by_name(
    interpreter: *mut ArInterpreter,
    name: *const c_char,
    tensor: *mut *mut ArTensor,
) -> *mut ArError {
    give_tensor(interpreter, tensor, |state| {
        // SAFETY: `name` is null or a null-terminated string, as the header requires.
        let index = state.interpreter.input_index(unsafe { text(name, "name") }?)?;
        state.input(index)
    })
}

/// Finds an output by position.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_interpreter_output(
    interpreter: *const ArInterpreter,
    index: usize,
    tensor: *mut *const ArTensor,
) -> *mut ArError {
    give_tensor(interpreter, tensor.cast(), |state| state.output(index))
}

/// Finds an output by name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_interpreter_output_by_name(
    interpreter: *const ArInterpreter,
    name: *const c_char,
    tensor: *mut *const ArTensor,
) -> *mut ArError {
    give_tensor(interpreter, tensor.cast(), |state| {
        // SAFETY: `name` is null or a null-terminated string, as the header requires.
        let index = state.interpreter.output_index(unsafe { text(name, "name") }?)?;
        state.output(index)
    })
}

/// Finds a tensor of the main subgraph, for reading.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_interpreter_tensor(
    interpreter: *const ArInterpreter,
    index: usize,
    tensor: *mut *const ArTensor,
) -> *mut ArError {
    give_tensor(interpreter, tensor.cast(), |_| Ok(TensorKey::closed(0, index)))
}

/// Finds a signature by its key.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_interpreter_signature(
    interpreter: *mut ArInterpreter,
    key: *const c_char,
    signature: *mut *mut ArSignature,
) -> *mut ArError {
    guard(|| {
        // SAFETY: `signature` is null or writable, as the header requires.
        let (out, interpreter, key) =
            unsafe { (out(signature, "signature")?, shared(interpreter, "interpreter")?, text(key, "key")?) };
        let mut state = interpreter.lock()?;
        let State { interpreter: runtime, signatures, .. } = &mut *state;
        let handle = match signatures.entry(key.to_owned()) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(place) => {
                place.insert(Rc::new(ArSignature::new(ptr::from_ref(interpreter), runtime, key)?))
            }
        };
        out.set(Rc::as_ptr(handle).cast_mut());
        Ok(())
    })
}
