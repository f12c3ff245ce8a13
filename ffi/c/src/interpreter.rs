//! Interpreters, and the handles that they own.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ffi::{CString, c_char};
use std::fmt::Display;
use std::ptr;
use std::rc::Rc;
use std::sync::{Mutex, MutexGuard, TryLockError};

use arenite::{CancelHandle, Interpreter, Tensor, TensorMut};

use crate::arguments::{self, list, out, shared, text};
use crate::error::{
    AR_ERROR_PANICKED, AR_ERROR_STATE, ArError, Failure, Result, c_string, guard, guard_value,
};
use crate::model::ArModel;
use crate::options::ArOptions;
use crate::plugin::ArPlugin;
use crate::signature::ArSignature;
use crate::tensor::ArTensor;

/// An interpreter. C may call it from two threads at once by mistake, and `ar_interpreter_cancel` on purpose: hence no
/// function makes an exclusive reference to it.
pub struct ArInterpreter {
    cancel: CancelHandle,
    pub(crate) plugins: Vec<ArPlugin>,
    /// Texts of the plugins that were not loaded.
    pub(crate) failures: Vec<CString>,
    state: Mutex<State>,
}

/// What one call at a time may use. Handles live as long as the interpreter.
pub(crate) struct State {
    pub interpreter: Interpreter,
    /// Texts of the delegates that were left out of the main subgraph when it was allocated last.
    pub left_out: Vec<CString>,
    tensors: HashMap<Place, Rc<ArTensor>>,
    signatures: HashMap<String, Rc<ArSignature>>,
}

/// Which tensor of an interpreter.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) enum Place {
    Input(usize),
    Output(usize),
    Tensor(usize),
    /// Key of a signature, and the name that it gives.
    SignatureInput(String, String),
    SignatureOutput(String, String),
}

impl ArInterpreter {
    /// The state, if no other call is using it.
    pub(crate) fn lock(&self) -> Result<MutexGuard<'_, State>> {
        match self.state.try_lock() {
            Ok(state) => Ok(state),
            Err(TryLockError::WouldBlock) => Err(Failure::new(
                AR_ERROR_STATE,
                "the interpreter is in use by another call: use it from one thread at a time",
            )),
            Err(TryLockError::Poisoned(_)) => Err(Failure::new(
                AR_ERROR_PANICKED,
                "the interpreter panicked in an earlier call: free it and make another",
            )),
        }
    }

    /// The handle of a tensor, the same one each time.
    pub(crate) fn handle(&self, state: &mut State, place: Place) -> Result<*mut ArTensor> {
        if let Some(known) = state.tensors.get(&place) {
            return Ok(Rc::as_ptr(known).cast_mut());
        }
        let owner = ptr::from_ref(self);
        let tensor = state.read(&place, |tensor| Ok(ArTensor::new(owner, place.clone(), &tensor)))?;
        let tensor = Rc::new(tensor);
        let pointer = Rc::as_ptr(&tensor).cast_mut();
        state.tensors.insert(place, tensor);
        Ok(pointer)
    }
}

impl State {
    /// Calls `body` with a tensor.
    pub fn read<R>(&mut self, place: &Place, body: impl FnOnce(Tensor<'_>) -> Result<R>) -> Result<R> {
        match place {
            Place::Input(i) => body(self.interpreter.input(*i)?),
            Place::Output(i) => body(self.interpreter.output(*i)?),
            Place::Tensor(i) => body(self.interpreter.tensor(*i)?),
            Place::SignatureInput(key, name) => body(self.interpreter.signature(key)?.input(name)?),
            Place::SignatureOutput(key, name) => body(self.interpreter.signature(key)?.output(name)?),
        }
    }

    /// Calls `body` with a tensor that may be filled: an input.
    pub fn write<R>(&mut self, place: &Place, body: impl FnOnce(TensorMut<'_>) -> Result<R>) -> Result<R> {
        match place {
            Place::Input(i) => body(self.interpreter.input_mut(*i)?),
            Place::SignatureInput(key, name) => body(self.interpreter.signature(key)?.input_mut(name)?),
            _ => Err(not_an_input()),
        }
    }

    pub fn write_strings(&mut self, place: &Place, strings: &[&[u8]]) -> Result<()> {
        match place {
            Place::Input(i) => Ok(self.interpreter.set_input_strings(*i, strings)?),
            Place::SignatureInput(key, name) => {
                Ok(self.interpreter.signature(key)?.set_input_strings(name, strings)?)
            }
            _ => Err(not_an_input()),
        }
    }
}

fn texts(list: &[impl Display]) -> Vec<CString> {
    list.iter().map(|item| c_string(&item.to_string())).collect()
}

fn not_an_input() -> Failure {
    Failure::argument("the tensor is not an input: only inputs can be set")
}

/// Calls `body` with the interpreter, locked.
fn using(interpreter: *const ArInterpreter, body: impl FnOnce(&mut State) -> Result<()>) -> *mut ArError {
    guard(|| {
        // SAFETY: the crate's rule.
        let interpreter = unsafe { shared(interpreter, "interpreter") }?;
        let mut state = interpreter.lock()?;
        body(&mut state)
    })
}

/// A number that the interpreter knows; 0 if it cannot be asked now.
fn number<T: Default>(interpreter: *const ArInterpreter, body: impl FnOnce(&Interpreter) -> T) -> T {
    guard_value(T::default(), || {
        // SAFETY: the crate's rule.
        let interpreter = unsafe { shared(interpreter, "interpreter") }?;
        let state = interpreter.lock()?;
        Ok(body(&state.interpreter))
    })
}

/// Gives the handle of the tensor that `find` names.
fn give_tensor(
    interpreter: *const ArInterpreter,
    tensor: *mut *mut ArTensor,
    find: impl FnOnce(&State) -> Result<Place>,
) -> *mut ArError {
    guard(|| {
        // SAFETY: the crate's rule.
        let (out, interpreter) = unsafe { (out(tensor, "tensor")?, shared(interpreter, "interpreter")?) };
        let mut state = interpreter.lock()?;
        let place = find(&state)?;
        out.set(interpreter.handle(&mut state, place)?);
        Ok(())
    })
}

/// Finds plugins and makes an interpreter.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_interpreter_new(
    model: *const ArModel,
    options: *const ArOptions,
    interpreter: *mut *mut ArInterpreter,
) -> *mut ArError {
    guard(|| {
        // SAFETY: the crate's rule.
        let (out, model, options) =
            unsafe { (out(interpreter, "interpreter")?, shared(model, "model")?, options.as_ref()) };
        let interpreter = match options {
            Some(options) => options.build(&model.model)?,
            None => ArOptions::default().build(&model.model)?,
        };
        out.give(ArInterpreter {
            cancel: interpreter.cancel_handle(),
            plugins: interpreter.registry().plugins().iter().map(ArPlugin::new).collect(),
            failures: texts(interpreter.registry().failures()),
            state: Mutex::new(State {
                interpreter,
                left_out: Vec::new(),
                tensors: HashMap::new(),
                signatures: HashMap::new(),
            }),
        });
        Ok(())
    })
}

/// Frees an interpreter and its handles.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_interpreter_free(interpreter: *mut ArInterpreter) {
    // SAFETY: null or an interpreter that the caller owns and no call is using.
    unsafe { arguments::free(interpreter) };
}

/// Prepares every node and plans memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_interpreter_allocate(interpreter: *mut ArInterpreter) -> *mut ArError {
    using(interpreter, |state| {
        let done = state.interpreter.allocate();
        state.left_out = texts(&state.interpreter.left_out());
        Ok(done?)
    })
}

/// Runs the model once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_interpreter_invoke(interpreter: *mut ArInterpreter) -> *mut ArError {
    using(interpreter, |state| Ok(state.interpreter.invoke()?))
}

/// Stops the invocation in progress.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_interpreter_cancel(interpreter: *const ArInterpreter) {
    guard_value((), || {
        // SAFETY: the crate's rule. Nothing but the handle is used, which is made for other threads.
        unsafe { shared(interpreter, "interpreter") }?.cancel.cancel();
        Ok(())
    });
}

/// Zeroes the variables, and lets the states of ops begin anew.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_interpreter_reset_variables(interpreter: *mut ArInterpreter) -> *mut ArError {
    using(interpreter, |state| {
        state.interpreter.reset_variables();
        Ok(())
    })
}

/// Gives an input another shape.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_interpreter_resize_input(
    interpreter: *mut ArInterpreter,
    index: usize,
    dims: *const i32,
    rank: usize,
) -> *mut ArError {
    using(interpreter, |state| {
        // SAFETY: the crate's rule.
        let dims = unsafe { list(dims, rank, "dims") }?;
        Ok(state.interpreter.resize_input(index, dims)?)
    })
}

/// Number of inputs.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_interpreter_input_count(interpreter: *const ArInterpreter) -> usize {
    number(interpreter, Interpreter::input_count)
}

/// Number of outputs.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_interpreter_output_count(interpreter: *const ArInterpreter) -> usize {
    number(interpreter, Interpreter::output_count)
}

/// Number of tensors of the main subgraph.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_interpreter_tensor_count(interpreter: *const ArInterpreter) -> usize {
    number(interpreter, Interpreter::tensor_count)
}

/// An input by position.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_interpreter_input(
    interpreter: *mut ArInterpreter,
    index: usize,
    tensor: *mut *mut ArTensor,
) -> *mut ArError {
    give_tensor(interpreter, tensor, |_| Ok(Place::Input(index)))
}

/// An input by name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_interpreter_input_by_name(
    interpreter: *mut ArInterpreter,
    name: *const c_char,
    tensor: *mut *mut ArTensor,
) -> *mut ArError {
    give_tensor(interpreter, tensor, |state| {
        // SAFETY: the crate's rule.
        Ok(Place::Input(state.interpreter.input_index(unsafe { text(name, "name") }?)?))
    })
}

/// An output by position.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_interpreter_output(
    interpreter: *const ArInterpreter,
    index: usize,
    tensor: *mut *const ArTensor,
) -> *mut ArError {
    give_tensor(interpreter, tensor.cast(), |_| Ok(Place::Output(index)))
}

/// An output by name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_interpreter_output_by_name(
    interpreter: *const ArInterpreter,
    name: *const c_char,
    tensor: *mut *const ArTensor,
) -> *mut ArError {
    give_tensor(interpreter, tensor.cast(), |state| {
        // SAFETY: the crate's rule.
        Ok(Place::Output(state.interpreter.output_index(unsafe { text(name, "name") }?)?))
    })
}

/// Any tensor of the main subgraph.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_interpreter_tensor(
    interpreter: *const ArInterpreter,
    index: usize,
    tensor: *mut *const ArTensor,
) -> *mut ArError {
    give_tensor(interpreter, tensor.cast(), |_| Ok(Place::Tensor(index)))
}

/// The handle of a signature.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_interpreter_signature(
    interpreter: *mut ArInterpreter,
    key: *const c_char,
    signature: *mut *mut ArSignature,
) -> *mut ArError {
    guard(|| {
        // SAFETY: the crate's rule.
        let (out, interpreter, key) =
            unsafe { (out(signature, "signature")?, shared(interpreter, "interpreter")?, text(key, "key")?) };
        let mut state = interpreter.lock()?;
        let State { interpreter: runtime, signatures, .. } = &mut *state;
        let handle = match signatures.entry(key.to_owned()) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(place) => {
                let runner = runtime.signature(key)?;
                place.insert(Rc::new(ArSignature::new(ptr::from_ref(interpreter), &runner)))
            }
        };
        out.set(Rc::as_ptr(handle).cast_mut());
        Ok(())
    })
}

/// Bytes of the arena for activations and scratch buffers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_interpreter_arena_bytes(interpreter: *const ArInterpreter) -> u64 {
    number(interpreter, |interpreter| interpreter.memory_use().arena)
}

/// Bytes of states, tables, folded constants and variables.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_interpreter_persistent_bytes(interpreter: *const ArInterpreter) -> u64 {
    number(interpreter, |interpreter| interpreter.memory_use().persistent)
}
