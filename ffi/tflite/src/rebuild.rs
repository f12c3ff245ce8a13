//! Replaces a built interpreter by one of another recipe: with a further delegate, or without any.

use std::ffi::c_void;
use std::sync::PoisonError;

use arenite::{Error, Interpreter};

use crate::create::{self, Recipe};
use crate::delegate;
use crate::kernel::Stage;
use crate::state::{SharedInterpreter, State, lend_one};
use crate::types::*;

/// Adds a delegate to an existing interpreter, which is built again. On an error, the interpreter stays as it was.
pub(crate) fn modify(shared: &SharedInterpreter, delegate: *mut c_void) -> TfLiteStatus {
    let Some(mut state) = shared.lock() else { return kTfLiteError };
    let mut options = state.options.clone();
    options.delegates.push(delegate);
    let model = state.recipe.model.clone();
    let applied = create::recipe(&model, &options, &shared.stage, shared.is_selected)
        .and_then(|recipe| state.rebuild(recipe, &shared.stage, true));
    if applied.is_ok() {
        state.options = options;
    }
    // The reporter may call functions of the interpreter, so unlock first.
    drop(state);
    match applied {
        Ok(()) => kTfLiteOk,
        Err(why) => {
            shared
                .reporter
                .report(format_args!("the delegate is not applied, and the interpreter is unchanged: {why}"));
            kTfLiteDelegateError
        }
    }
}

impl State {
    /// Builds the interpreter again from another recipe. Inputs and variables keep their shapes and values, and
    /// subgraphs with memory get it again. With `now`, the main subgraph gets memory in any case, which applies
    /// delegates. On an error nothing changes.
    ///
    /// # Errors
    /// A message if the interpreter cannot be built, its memory cannot be allocated, or a delegate of the program
    /// cannot be applied.
    pub(crate) fn rebuild(&mut self, recipe: Recipe, stage: &Stage, now: bool) -> Result<(), String> {
        let text = |error: Error| error.to_string();
        let mut next = recipe.build()?;
        for (&tensor, (memory, _)) in &self.lent {
            lend_one(&mut next, tensor, memory).map_err(text)?;
        }
        let subgraphs: Vec<usize> = self.views.keys().copied().collect();
        for &subgraph in &subgraphs {
            let is_needed = now && subgraph == 0;
            carry_over(&mut self.interpreter, &mut next, subgraph, is_needed).map_err(text)?;
        }
        if recipe.has_own_delegates {
            delegate::left_out(&next).map_or(Ok(()), Err)?;
        }
        *self.cancel.lock().unwrap_or_else(PoisonError::into_inner) = next.cancel_handle();
        self.interpreter = next;
        self.recipe = recipe;
        for (_, is_known) in self.lent.values_mut() {
            *is_known = true;
        }
        // The kernels that wrote other tensors' values are gone.
        let inputs = self.interpreter.inputs_of(0).map(<[i32]>::to_vec).unwrap_or_default();
        self.forget_handles(stage, |index| inputs.contains(&(index as i32)));
        subgraphs.into_iter().for_each(|subgraph| self.refresh(subgraph));
        Ok(())
    }
}

/// Gives a subgraph of `next` the input shapes that it has in `before`. If it has memory there, or `is_needed`,
/// allocates it and copies inputs and variables.
fn carry_over(
    before: &mut Interpreter,
    next: &mut Interpreter,
    subgraph: usize,
    is_needed: bool,
) -> arenite::Result<()> {
    let indices =
        |list: &[i32]| -> Vec<usize> { list.iter().filter_map(|&i| usize::try_from(i).ok()).collect() };
    let inputs = indices(before.inputs_of(subgraph)?);
    let variables = indices(before.variables_of(subgraph)?);
    for &index in &inputs {
        let tensor = before.tensor_of(subgraph, index)?;
        next.resize_of(subgraph, index, tensor.shape)?;
    }
    let outputs = indices(before.outputs_of(subgraph)?);
    let known = if inputs.is_empty() { &outputs } else { &inputs };
    let has_memory = known.iter().all(|&index| has_bytes(before, subgraph, index));
    if has_memory || is_needed {
        next.allocate_subgraph(subgraph)?;
    }
    if has_memory {
        for index in inputs.into_iter().chain(variables) {
            let from = before.tensor_of(subgraph, index)?.bytes()?;
            if let Ok(to) = next.tensor_mut_of(subgraph, index).and_then(|tensor| tensor.into_bytes())
                && to.len() == from.len()
            {
                to.copy_from_slice(from);
            }
        }
    }
    Ok(())
}

/// Whether a tensor has memory.
fn has_bytes(interpreter: &Interpreter, subgraph: usize, index: usize) -> bool {
    interpreter.tensor_of(subgraph, index).and_then(|tensor| tensor.bytes()).is_ok()
}
