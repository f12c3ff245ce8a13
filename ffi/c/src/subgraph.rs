//! Functions of `arenite/subgraph.h`: access by subgraph and tensor index.

use arenite::Interpreter;

use crate::arguments::{give_list, put};
use crate::error::ArError;
use crate::interpreter::{ArInterpreter, TensorKey, give_tensor, number, using};
use crate::tensor::ArTensor;

/// The number of subgraphs.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_interpreter_subgraph_count(interpreter: *const ArInterpreter) -> usize {
    number(interpreter, Interpreter::subgraph_count)
}

/// The number of tensors of a subgraph.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_interpreter_tensor_count_of(
    interpreter: *mut ArInterpreter,
    subgraph: usize,
    count: *mut usize,
) -> *mut ArError {
    using(interpreter, |state| {
        // SAFETY: `count` is null or writable, as the header requires.
        unsafe { put(count, "count", state.interpreter.tensor_count_of(subgraph)?) }
    })
}

/// Finds a tensor of a subgraph, for reading and writing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_interpreter_tensor_of(
    interpreter: *mut ArInterpreter,
    subgraph: usize,
    index: usize,
    tensor: *mut *mut ArTensor,
) -> *mut ArError {
    give_tensor(interpreter, tensor, |_| Ok(TensorKey::open(subgraph, index)))
}

/// A function that returns the inputs, outputs or variables of a subgraph.
type Ports = for<'a> fn(&'a mut Interpreter, usize) -> arenite::Result<&'a [i32]>;

/// Writes the address and length of a list of tensor indices, which exists as long as the interpreter.
fn give_ports(
    interpreter: *const ArInterpreter,
    subgraph: usize,
    ports: Ports,
    tensors: *mut *const i32,
    count: *mut usize,
) -> *mut ArError {
    using(interpreter, |state| {
        // SAFETY: `tensors` and `count` are null or writable, as the header requires; `put` checks for null before
        // `tensors` is written again.
        unsafe {
            put(tensors, "tensors", std::ptr::null())?;
            put(count, "count", 0)?;
            tensors.write(give_list(ports(&mut state.interpreter, subgraph)?, count));
        }
        Ok(())
    })
}

/// The tensor indices of a subgraph's inputs.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_interpreter_inputs_of(
    interpreter: *mut ArInterpreter,
    subgraph: usize,
    tensors: *mut *const i32,
    count: *mut usize,
) -> *mut ArError {
    give_ports(interpreter, subgraph, Interpreter::inputs_of, tensors, count)
}

/// The tensor indices of a subgraph's outputs.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_interpreter_outputs_of(
    interpreter: *mut ArInterpreter,
    subgraph: usize,
    tensors: *mut *const i32,
    count: *mut usize,
) -> *mut ArError {
    give_ports(interpreter, subgraph, Interpreter::outputs_of, tensors, count)
}

/// The tensor indices of a subgraph's variables.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_interpreter_variables_of(
    interpreter: *mut ArInterpreter,
    subgraph: usize,
    tensors: *mut *const i32,
    count: *mut usize,
) -> *mut ArError {
    give_ports(interpreter, subgraph, Interpreter::variables_of, tensors, count)
}

/// Computes the shapes of a subgraph and allocates its memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_interpreter_allocate_subgraph(
    interpreter: *mut ArInterpreter,
    subgraph: usize,
) -> *mut ArError {
    using(interpreter, |state| Ok(state.interpreter.allocate_subgraph(subgraph)?))
}

/// Runs a subgraph once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_interpreter_invoke_subgraph(
    interpreter: *mut ArInterpreter,
    subgraph: usize,
) -> *mut ArError {
    using(interpreter, |state| Ok(state.interpreter.invoke_subgraph(subgraph)?))
}

/// A number that changes when addresses of tensors may have changed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ar_interpreter_generation(
    interpreter: *const ArInterpreter,
    subgraph: usize,
) -> u64 {
    number(interpreter, |interpreter| interpreter.generation(subgraph))
}
