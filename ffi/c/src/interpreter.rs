//! Interpreters, and the handles that they own.

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
use crate::registry::Found;
use crate::signature::ArSignature;
use crate::tensor::ArTensor;

/// An interpreter. C may call it from two threads at once by mistake, and `ar_interpreter_cancel` on purpose: hence no
/// function makes an exclusive reference to it.
pub struct ArInterpreter {
    cancel: CancelHandle,
    pub(crate) found: Arc<Found>,
    /// Where the model was read from.
    pub(crate) path: Option<PathBuf>,
    state: Mutex<State>,
}

/// What one call at a time may use. Handles live as long as the interpreter.
pub(crate) struct State {
    pub interpreter: Interpreter,
    /// Texts of the delegates that were left out, as they were asked for last.
    pub left_out: Vec<CString>,
    /// The report that was asked for last.
    pub json: CString,
    tensors: HashMap<Place, Rc<ArTensor>>,
    signatures: HashMap<String, Rc<ArSignature>>,
}

/// Which tensor of an interpreter, and whether it was given to be written.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Place {
    pub subgraph: usize,
    pub tensor: usize,
    pub writable: bool,
}

impl Place {
    /// To be written.
    pub fn open(subgraph: usize, tensor: usize) -> Self {
        Place { subgraph, tensor, writable: true }
    }

    /// To be read.
    pub fn closed(subgraph: usize, tensor: usize) -> Self {
        Place { subgraph, tensor, writable: false }
    }
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
    /// A tensor, to be read.
    pub fn read(&self, place: Place) -> Result<Tensor<'_>> {
        Ok(self.interpreter.tensor_of(place.subgraph, place.tensor)?)
    }

    /// A tensor that may be filled.
    pub fn write(&mut self, place: Place) -> Result<TensorMut<'_>> {
        if !place.writable {
            return Err(not_an_input());
        }
        Ok(self.interpreter.tensor_mut_of(place.subgraph, place.tensor)?)
    }

    pub fn write_strings(&mut self, place: Place, strings: &[&[u8]]) -> Result<()> {
        if !place.writable {
            return Err(not_an_input());
        }
        Ok(self.interpreter.set_strings_of(place.subgraph, place.tensor, strings)?)
    }

    /// Input `i` of the main subgraph.
    fn input(&mut self, i: usize) -> Result<Place> {
        self.interpreter.input(i)?;
        Ok(Place::open(0, self.interpreter.inputs_of(0)?[i] as usize))
    }

    fn output(&mut self, i: usize) -> Result<Place> {
        self.interpreter.output(i)?;
        Ok(Place::closed(0, self.interpreter.outputs_of(0)?[i] as usize))
    }
}

fn not_an_input() -> Failure {
    Failure::argument(
        "the tensor is not an input, and was given to be read: ar_interpreter_tensor_of gives one to be set",
    )
}

/// Calls `body` with the interpreter, locked.
pub(crate) fn using(
    interpreter: *const ArInterpreter,
    body: impl FnOnce(&mut State) -> Result<()>,
) -> *mut ArError {
    let mut body = Some(body);
    used(interpreter, &mut |state| body.take().map_or(Ok(()), |body| body(state)))
}

fn used(interpreter: *const ArInterpreter, body: &mut dyn FnMut(&mut State) -> Result<()>) -> *mut ArError {
    guard(|| {
        // SAFETY: `interpreter` is null or a live handle, as `# Safety` requires.
        let interpreter = unsafe { shared(interpreter, "interpreter") }?;
        let mut state = interpreter.lock()?;
        body(&mut state)
    })
}

/// A number that the interpreter knows; 0 if it cannot be asked now.
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
        // SAFETY: `interpreter` is null or a live handle, as `# Safety` requires.
        let interpreter = unsafe { shared(interpreter, "interpreter") }?;
        let state = interpreter.lock()?;
        body(&state.interpreter);
        Ok(())
    });
}

/// Gives the handle of the tensor that `find` names.
pub(crate) fn give_tensor(
    interpreter: *const ArInterpreter,
    tensor: *mut *mut ArTensor,
    find: impl FnOnce(&mut State) -> Result<Place>,
) -> *mut ArError {
    let mut find = Some(find);
    let unknown = || Err(Failure::argument("no tensor is named"));
    given_tensor(interpreter, tensor, &mut |state| find.take().map_or_else(unknown, |find| find(state)))
}

fn given_tensor(
    interpreter: *const ArInterpreter,
    tensor: *mut *mut ArTensor,
    find: &mut dyn FnMut(&mut State) -> Result<Place>,
) -> *mut ArError {
    guard(|| {
        // SAFETY: `tensor` is null or writable, as `# Safety` requires.
        let (out, interpreter) = unsafe { (out(tensor, "tensor")?, shared(interpreter, "interpreter")?) };
        let mut state = interpreter.lock()?;
        let place = find(&mut state)?;
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
        // SAFETY: `interpreter` is null or writable, as `# Safety` requires.
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

/// Frees an interpreter and its handles.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_interpreter_free(interpreter: *mut ArInterpreter) {
    // SAFETY: null or an interpreter that the caller owns and no call is using.
    unsafe { arguments::free(interpreter) };
}

/// Prepares every node and plans memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_interpreter_allocate(interpreter: *mut ArInterpreter) -> *mut ArError {
    using(interpreter, |state| Ok(state.interpreter.allocate()?))
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
        // SAFETY: `dims` has as many elements as its count says, as `# Safety` requires.
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
    give_tensor(interpreter, tensor, |state| state.input(index))
}

/// An input by name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_interpreter_input_by_name(
    interpreter: *mut ArInterpreter,
    name: *const c_char,
    tensor: *mut *mut ArTensor,
) -> *mut ArError {
    give_tensor(interpreter, tensor, |state| {
        // SAFETY: `name` is null or a string that ends with a null byte, as `# Safety` requires.
        let index = state.interpreter.input_index(unsafe { text(name, "name") }?)?;
        state.input(index)
    })
}

/// An output by position.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_interpreter_output(
    interpreter: *const ArInterpreter,
    index: usize,
    tensor: *mut *const ArTensor,
) -> *mut ArError {
    give_tensor(interpreter, tensor.cast(), |state| state.output(index))
}

/// An output by name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_interpreter_output_by_name(
    interpreter: *const ArInterpreter,
    name: *const c_char,
    tensor: *mut *const ArTensor,
) -> *mut ArError {
    give_tensor(interpreter, tensor.cast(), |state| {
        // SAFETY: `name` is null or a string that ends with a null byte, as `# Safety` requires.
        let index = state.interpreter.output_index(unsafe { text(name, "name") }?)?;
        state.output(index)
    })
}

/// Any tensor of the main subgraph.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_interpreter_tensor(
    interpreter: *const ArInterpreter,
    index: usize,
    tensor: *mut *const ArTensor,
) -> *mut ArError {
    give_tensor(interpreter, tensor.cast(), |_| Ok(Place::closed(0, index)))
}

/// The handle of a signature.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_interpreter_signature(
    interpreter: *mut ArInterpreter,
    key: *const c_char,
    signature: *mut *mut ArSignature,
) -> *mut ArError {
    guard(|| {
        // SAFETY: `signature` is null or writable, as `# Safety` requires.
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
