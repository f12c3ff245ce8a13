//! Tensors by number.

use arenite::Interpreter;
use pyo3::prelude::*;

use crate::errors::{self, Phase};

/// A tensor of a subgraph. Both exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Place {
    pub(crate) subgraph: usize,
    pub(crate) tensor: usize,
}

impl Place {
    /// Builds the subgraph if necessary, and checks both numbers.
    ///
    /// # Errors
    /// One of the numbers is out of range.
    pub(crate) fn of(
        py: Python<'_>,
        interpreter: &mut Interpreter,
        tensor: i64,
        subgraph: i64,
    ) -> PyResult<Self> {
        let refuse = |message: String| Err(errors::state_error(py, &message, Phase::Access));
        let count = interpreter.subgraph_count();
        let Some(subgraph) = usize::try_from(subgraph).ok().filter(|&subgraph| subgraph < count) else {
            return refuse(format!(
                "subgraph {subgraph} does not exist; the model has {count}, counted from 0"
            ));
        };
        let count = interpreter.tensor_count_of(subgraph);
        let count = count.map_err(|error| errors::exception(py, error, Phase::Access))?;
        match usize::try_from(tensor).ok().filter(|&tensor| tensor < count) {
            Some(tensor) => Ok(Place { subgraph, tensor }),
            None => refuse(format!(
                "tensor {tensor} does not exist; subgraph {subgraph} has {count}, counted from 0"
            )),
        }
    }
}
