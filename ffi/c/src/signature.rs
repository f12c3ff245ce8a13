//! Signatures: entry points with names for their inputs and outputs.

use std::ffi::{CString, c_char};
use std::ptr;

use arenite::SignatureRunner;

use crate::arguments::{list, out, shared, text};
use crate::error::{ArError, Result, c_string, guard, guard_value};
use crate::interpreter::{ArInterpreter, Place, State};
use crate::model::text_at;
use crate::tensor::ArTensor;

/// A signature of an interpreter's model.
pub struct ArSignature {
    owner: *const ArInterpreter,
    key: String,
    c_key: CString,
    inputs: Vec<CString>,
    outputs: Vec<CString>,
}

impl ArSignature {
    pub(crate) fn new(owner: *const ArInterpreter, runner: &SignatureRunner<'_>) -> Self {
        ArSignature {
            owner,
            key: runner.key().to_owned(),
            c_key: c_string(runner.key()),
            inputs: runner.input_names().map(c_string).collect(),
            outputs: runner.output_names().map(c_string).collect(),
        }
    }

    fn owner(&self) -> &ArInterpreter {
        // SAFETY: the interpreter owns this handle, so it is alive.
        unsafe { &*self.owner }
    }
}

/// Calls `body` with the signature's runner.
fn using(
    signature: *const ArSignature,
    body: impl FnOnce(&mut SignatureRunner<'_>) -> Result<()>,
) -> *mut ArError {
    guard(|| {
        // SAFETY: the crate's rule.
        let signature = unsafe { shared(signature, "signature") }?;
        let mut state = signature.owner().lock()?;
        let State { interpreter, .. } = &mut *state;
        body(&mut interpreter.signature(&signature.key)?)
    })
}

fn fixed<R>(signature: *const ArSignature, otherwise: R, body: impl FnOnce(&ArSignature) -> R) -> R {
    // SAFETY: the crate's rule.
    guard_value(otherwise, || Ok(body(unsafe { shared(signature, "signature") }?)))
}

fn give_tensor(
    signature: *const ArSignature,
    name: *const c_char,
    tensor: *mut *mut ArTensor,
    place: fn(String, String) -> Place,
) -> *mut ArError {
    guard(|| {
        // SAFETY: the crate's rule.
        let (out, signature, name) =
            unsafe { (out(tensor, "tensor")?, shared(signature, "signature")?, text(name, "name")?) };
        let owner = signature.owner();
        let mut state = owner.lock()?;
        out.set(owner.handle(&mut state, place(signature.key.clone(), name.to_owned()))?);
        Ok(())
    })
}

/// The signature's key.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_signature_key(signature: *const ArSignature) -> *const c_char {
    fixed(signature, ptr::null(), |signature| signature.c_key.as_ptr())
}

/// Number of inputs.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_signature_input_count(signature: *const ArSignature) -> usize {
    fixed(signature, 0, |signature| signature.inputs.len())
}

/// Name of an input, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_signature_input_name(
    signature: *const ArSignature,
    index: usize,
) -> *const c_char {
    fixed(signature, ptr::null(), |signature| text_at(&signature.inputs, index))
}

/// Number of outputs.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_signature_output_count(signature: *const ArSignature) -> usize {
    fixed(signature, 0, |signature| signature.outputs.len())
}

/// Name of an output, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_signature_output_name(
    signature: *const ArSignature,
    index: usize,
) -> *const c_char {
    fixed(signature, ptr::null(), |signature| text_at(&signature.outputs, index))
}

/// An input.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_signature_input(
    signature: *mut ArSignature,
    name: *const c_char,
    tensor: *mut *mut ArTensor,
) -> *mut ArError {
    give_tensor(signature, name, tensor, Place::SignatureInput)
}

/// An output.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_signature_output(
    signature: *const ArSignature,
    name: *const c_char,
    tensor: *mut *const ArTensor,
) -> *mut ArError {
    give_tensor(signature, name, tensor.cast(), Place::SignatureOutput)
}

/// Gives an input another shape.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_signature_resize_input(
    signature: *mut ArSignature,
    name: *const c_char,
    dims: *const i32,
    rank: usize,
) -> *mut ArError {
    using(signature, |runner| {
        // SAFETY: the crate's rule.
        let (name, dims) = unsafe { (text(name, "name")?, list(dims, rank, "dims")?) };
        Ok(runner.resize_input(name, dims)?)
    })
}

/// Prepares the signature's subgraph.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_signature_allocate(signature: *mut ArSignature) -> *mut ArError {
    using(signature, |runner| Ok(runner.allocate()?))
}

/// Runs the signature once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_signature_invoke(signature: *mut ArSignature) -> *mut ArError {
    using(signature, |runner| Ok(runner.invoke()?))
}
