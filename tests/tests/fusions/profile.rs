//! The steps of a run.

use arenite::Interpreter;

/// The steps of the last runs, from their profile.
pub(super) fn names(interpreter: &Interpreter) -> Vec<String> {
    let rows = interpreter.profile().unwrap().rows();
    let of_row = |row: &arenite::ProfileRow| match row.parts.is_empty() {
        true => vec![row.op.clone()],
        false => row.parts.iter().map(|part| part.op.clone()).collect(),
    };
    // Steps that are computed once, before the run, are not listed.
    rows.iter().filter(|row| row.runs > 0).flat_map(of_row).collect()
}
