//! Measures the cost of a call through C: set the input, invoke, read the output, alternately with the C functions and
//! with the Rust API.
//!
//!     cargo run --release -p arenite-c --example calls -- ../shared/models/hello_world_int8/model.tflite

use std::error::Error;
use std::ffi::{CStr, CString};
use std::ptr;
use std::time::Instant;

use arenite::Interpreter;
use arenite_c::*;

/// Calls per turn, and turns of each side. The result is the shortest time per call of all turns.
const CALLS: u32 = 2_000;
const TURNS: usize = 100;

/// Converts an error of the C library, and frees it.
fn check(error: *mut ArError) -> Result<(), String> {
    if error.is_null() {
        return Ok(());
    }
    // SAFETY: not null, as checked, so it is an error that the caller owns; it is freed after its message was copied.
    unsafe {
        let text = CStr::from_ptr(ar_error_message(error)).to_string_lossy().into_owned();
        ar_error_free(error);
        Err(text)
    }
}

/// An interpreter used through C, with the handles of its first input and output.
struct Through {
    interpreter: *mut ArInterpreter,
    input: *mut ArTensor,
    output: *const ArTensor,
}

impl Through {
    fn new(model: &str) -> Result<Self, Box<dyn Error>> {
        let path = CString::new(model)?;
        let (mut model, mut interpreter) = (ptr::null_mut(), ptr::null_mut());
        let (mut input, mut output) = (ptr::null_mut(), ptr::null());
        // SAFETY: the path is null-terminated, the results are writable, and all handles come from the library.
        unsafe {
            let options = ar_options_new();
            check(ar_options_set_threads(options, 1))?;
            check(ar_model_from_file(path.as_ptr(), &mut model))?;
            check(ar_interpreter_new(model, options, &mut interpreter))?;
            ar_options_free(options);
            ar_model_free(model);
            check(ar_interpreter_allocate(interpreter))?;
            check(ar_interpreter_input(interpreter, 0, &mut input))?;
            check(ar_interpreter_output(interpreter, 0, &mut output))?;
        }
        Ok(Through { interpreter, input, output })
    }

    fn call(&self, input: &[u8], output: &mut [u8]) -> Result<(), String> {
        // SAFETY: the handles belong to a live interpreter, and the buffers have the given sizes.
        unsafe {
            check(ar_tensor_copy_from(self.input, input.as_ptr().cast(), input.len()))?;
            check(ar_interpreter_invoke(self.interpreter))?;
            check(ar_tensor_copy_to(self.output, output.as_mut_ptr().cast(), output.len()))
        }
    }
}

impl Drop for Through {
    fn drop(&mut self) {
        // SAFETY: this struct owns the interpreter, which is not used afterwards.
        unsafe { ar_interpreter_free(self.interpreter) };
    }
}

fn direct(interpreter: &mut Interpreter, input: &[u8], output: &mut [u8]) -> arenite::Result<()> {
    interpreter.input_mut(0)?.copy_from_bytes(input)?;
    interpreter.invoke()?;
    output.copy_from_slice(interpreter.output(0)?.bytes()?);
    Ok(())
}

/// The time per call in one turn, in nanoseconds.
fn turn<E>(mut call: impl FnMut() -> Result<(), E>) -> Result<f64, E> {
    let start = Instant::now();
    (0..CALLS).try_for_each(|_| call())?;
    Ok(start.elapsed().as_nanos() as f64 / f64::from(CALLS))
}

fn main() -> Result<(), Box<dyn Error>> {
    let model = std::env::args().nth(1).ok_or("usage: calls MODEL.tflite")?;
    let through = Through::new(&model)?;
    let loaded = arenite::Model::from_file(&model)?;
    let mut interpreter = Interpreter::builder(&loaded).threads(1).build()?;
    interpreter.allocate()?;
    let input = vec![1u8; interpreter.input(0)?.byte_len()];
    let mut outputs =
        [vec![0; interpreter.output(0)?.byte_len()], vec![0; interpreter.output(0)?.byte_len()]];
    let [of_c, of_rust] = &mut outputs;
    let (mut c, mut rust) = (f64::MAX, f64::MAX);
    for _ in 0..TURNS {
        c = c.min(turn(|| through.call(&input, of_c))?);
        rust = rust.min(turn(|| direct(&mut interpreter, &input, of_rust))?);
    }
    if of_c != of_rust {
        return Err("the outputs differ".into());
    }
    println!("through C {c:.0} ns, in Rust {rust:.0} ns: {:.0} ns more", c - rust);
    Ok(())
}
