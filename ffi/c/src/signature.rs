//! Functions of `arenite/signature.h`. A signature names the inputs and outputs of a subgraph. Their tensors are looked
//! up once, when the handle is created.

use std::ffi::{CString, c_char};
use std::ptr;

use arenite::model_file::{Tables, TensorMap};
use arenite::{Error, Interpreter, ItemKind};

use crate::arguments::{list, out, shared, text};
use crate::error::{ArError, Failure, Result, c_string, guard, guard_value};
use crate::interpreter::{ArInterpreter, State, TensorKey};
use crate::tensor::ArTensor;

/// A signature of an interpreter's model.
pub struct ArSignature {
    owner: *const ArInterpreter,
    key: CString,
    subgraph: usize,
    inputs: Vec<Port>,
    outputs: Vec<Port>,
}

/// The name of an input or output, and the index of its tensor in the subgraph.
struct Port {
    name: CString,
    tensor: usize,
}

impl ArSignature {
    pub(crate) fn new(owner: *const ArInterpreter, interpreter: &mut Interpreter, key: &str) -> Result<Self> {
        // Checks the signature and builds its subgraph.
        let subgraph = interpreter.signature(key)?.subgraph();
        let view = interpreter.model().view();
        let ports = |maps: Tables<'_, TensorMap<'_>>| {
            let port = |map: TensorMap<'_>| Port {
                name: c_string(map.name().unwrap_or("")),
                tensor: map.tensor_index() as usize,
            };
            maps.iter().map(port).collect::<Vec<Port>>()
        };
        let known = view.signature(key).map(|found| (ports(found.inputs()), ports(found.outputs())));
        let (inputs, outputs) = known.unwrap_or_default();
        Ok(ArSignature { owner, key: c_string(key), subgraph, inputs, outputs })
    }

    fn owner(&self) -> &ArInterpreter {
        // SAFETY: the interpreter owns this handle, so it exists as long as the handle.
        unsafe { &*self.owner }
    }
}

/// Locks the interpreter and calls `body` with the signature and the interpreter's state.
fn using(
    signature: *const ArSignature,
    body: impl FnOnce(&ArSignature, &mut State) -> Result<()>,
) -> *mut ArError {
    guard(|| {
        // SAFETY: `signature` is null or a live handle, as the header requires.
        let signature = unsafe { shared(signature, "signature") }?;
        let mut state = signature.owner().lock()?;
        body(signature, &mut state)
    })
}

fn fixed<R>(signature: *const ArSignature, otherwise: R, body: impl FnOnce(&ArSignature) -> R) -> R {
    // SAFETY: `signature` is null or a live handle, as the header requires.
    guard_value(otherwise, || Ok(body(unsafe { shared(signature, "signature") }?)))
}

/// The tensor index of the input or output with this name.
fn named(ports: &[Port], what: ItemKind, name: &str) -> Result<usize> {
    let found = ports.iter().find(|port| port.name.as_bytes() == name.as_bytes());
    found.map(|port| port.tensor).ok_or_else(|| {
        let known = ports.iter().map(|port| port.name.to_string_lossy().into_owned()).collect();
        Failure::from(Error::NotFound { what, name: name.to_owned(), known, failures: Vec::new() })
    })
}

/// The tensor index of the input or output at this position.
fn positioned(ports: &[Port], what: ItemKind, index: usize) -> Result<usize> {
    ports.get(index).map(|port| port.tensor).ok_or_else(|| {
        Failure::argument(format!("{what} {index} does not exist; the signature has {}", ports.len()))
    })
}

/// Writes the handle of the tensor that `find` returns.
fn give_tensor(
    signature: *const ArSignature,
    tensor: *mut *mut ArTensor,
    find: impl FnOnce(&ArSignature) -> Result<TensorKey>,
) -> *mut ArError {
    guard(|| {
        // SAFETY: `tensor` is null or writable, as the header requires.
        let (out, signature) = unsafe { (out(tensor, "tensor")?, shared(signature, "signature")?) };
        let owner = signature.owner();
        let mut state = owner.lock()?;
        out.set(owner.handle(&mut state, find(signature)?)?);
        Ok(())
    })
}

fn name_at(ports: &[Port], index: usize) -> *const c_char {
    ports.get(index).map_or(ptr::null(), |port| port.name.as_ptr())
}

/// The key of the signature.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_signature_key(signature: *const ArSignature) -> *const c_char {
    fixed(signature, ptr::null(), |signature| signature.key.as_ptr())
}

/// The index of the subgraph that the signature runs.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_signature_subgraph(signature: *const ArSignature) -> usize {
    fixed(signature, 0, |signature| signature.subgraph)
}

/// The number of inputs.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_signature_input_count(signature: *const ArSignature) -> usize {
    fixed(signature, 0, |signature| signature.inputs.len())
}

/// The name of an input; null if the index is out of range.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_signature_input_name(
    signature: *const ArSignature,
    index: usize,
) -> *const c_char {
    fixed(signature, ptr::null(), |signature| name_at(&signature.inputs, index))
}

/// The number of outputs.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_signature_output_count(signature: *const ArSignature) -> usize {
    fixed(signature, 0, |signature| signature.outputs.len())
}

/// The name of an output; null if the index is out of range.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_signature_output_name(
    signature: *const ArSignature,
    index: usize,
) -> *const c_char {
    fixed(signature, ptr::null(), |signature| name_at(&signature.outputs, index))
}

/// Finds an input by name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_signature_input(
    signature: *mut ArSignature,
    name: *const c_char,
    tensor: *mut *mut ArTensor,
) -> *mut ArError {
    give_tensor(signature, tensor, |signature| {
        // SAFETY: `name` is null or a null-terminated string, as the header requires.
        let name = unsafe { text(name, "name") }?;
        Ok(TensorKey::open(signature.subgraph, named(&signature.inputs, ItemKind::Input, name)?))
    })
}

/// Finds an output by name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_signature_output(
    signature: *const ArSignature,
    name: *const c_char,
    tensor: *mut *const ArTensor,
) -> *mut ArError {
    give_tensor(signature, tensor.cast(), |signature| {
        // SAFETY: `name` is null or a null-terminated string, as the header requires.
        let name = unsafe { text(name, "name") }?;
        Ok(TensorKey::closed(signature.subgraph, named(&signature.outputs, ItemKind::Output, name)?))
    })
}

/// Finds an input by position.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_signature_input_at(
    signature: *mut ArSignature,
    index: usize,
    tensor: *mut *mut ArTensor,
) -> *mut ArError {
    give_tensor(signature, tensor, |signature| {
        Ok(TensorKey::open(signature.subgraph, positioned(&signature.inputs, ItemKind::Input, index)?))
    })
}

/// Finds an output by position.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_signature_output_at(
    signature: *const ArSignature,
    index: usize,
    tensor: *mut *const ArTensor,
) -> *mut ArError {
    give_tensor(signature, tensor.cast(), |signature| {
        Ok(TensorKey::closed(signature.subgraph, positioned(&signature.outputs, ItemKind::Output, index)?))
    })
}

/// Changes the shape of an input.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_signature_resize_input(
    signature: *mut ArSignature,
    name: *const c_char,
    dims: *const i32,
    rank: usize,
) -> *mut ArError {
    using(signature, |signature, state| {
        // SAFETY: `name` is null or a null-terminated string, as the header requires.
        let (name, dims) = unsafe { (text(name, "name")?, list(dims, rank, "dims")?) };
        let tensor = named(&signature.inputs, ItemKind::Input, name)?;
        Ok(state.interpreter.resize_of(signature.subgraph, tensor, dims)?)
    })
}

/// Computes the shapes of the signature's subgraph and allocates its memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_signature_allocate(signature: *mut ArSignature) -> *mut ArError {
    using(signature, |signature, state| Ok(state.interpreter.allocate_subgraph(signature.subgraph)?))
}

/// Runs the signature once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_signature_invoke(signature: *mut ArSignature) -> *mut ArError {
    using(signature, |signature, state| Ok(state.interpreter.invoke_subgraph(signature.subgraph)?))
}

/// Ties an output to an input.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_signature_tie(
    signature: *mut ArSignature,
    output: *const c_char,
    input: *const c_char,
) -> *mut ArError {
    using(signature, |signature, state| {
        // SAFETY: both names are null or null-terminated strings, as the header requires.
        let (output, input) = unsafe { (text(output, "output")?, text(input, "input")?) };
        Ok(state.interpreter.tie(&signature.key.to_string_lossy(), output, input)?)
    })
}
