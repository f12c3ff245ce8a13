//! The check of an index, and the result of checks.

use crate::detail::detail;
use crate::error::ModelError;
use crate::path::Path;

/// The result of a check.
pub(super) type Check = Result<(), ModelError>;

/// Checks that `index` is valid for a list of `count` entries, and returns it as `usize`.
pub(super) fn check_index(
    index: i64,
    count: usize,
    what: &'static str,
    owner: &'static str,
    path: impl FnOnce() -> Path,
) -> Result<usize, ModelError> {
    match usize::try_from(index) {
        Ok(valid) if valid < count => Ok(valid),
        _ => Err(ModelError::Index {
            path: path(),
            what: detail(what),
            index: detail(index),
            owner: detail(owner),
            count: detail(count),
        }),
    }
}
