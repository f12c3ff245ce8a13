//! Repeats a failed invocation without delegates.

use arenite::NodeProvider;

use crate::state::SharedInterpreter;
use crate::types::*;

/// Removes all delegates and runs again. Returns `failed` if there are no delegates.
pub(crate) fn invoke(shared: &SharedInterpreter, failed: TfLiteStatus) -> TfLiteStatus {
    let Some(mut state) = shared.lock() else { return kTfLiteError };
    let has_delegates =
        state.interpreter.served_by().iter().any(|served| matches!(served, NodeProvider::Delegate { .. }));
    if !has_delegates {
        return failed;
    }
    let recipe = state.recipe.without_delegates();
    let rebuilt = state.rebuild(recipe, &shared.stage, false);
    drop(state);
    if let Err(message) = rebuilt {
        shared.reporter.report(message);
        return kTfLiteError;
    }
    shared.reporter.report("the invocation failed with delegates; it runs again without them");
    match shared.with(|state| state.invoke_main(shared)) {
        kTfLiteOk => kTfLiteDelegateError,
        status => status,
    }
}
