//! Tensors by number.

use arenite::Interpreter;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::errors::{self, Phase};

/// The number of a tensor or a subgraph, as the caller gives it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Index(i32);

impl Index {
    /// The main subgraph.
    pub(crate) const MAIN: Index = Index(0);
}

impl<'py> FromPyObject<'_, 'py> for Index {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        value.extract::<i32>().map(Index).map_err(|_| {
            let kind = value.get_type().name().map_or_else(|_| String::new(), |name| name.to_string());
            PyTypeError::new_err(format!("the index has type {kind}: give an int of at most 32 bits"))
        })
    }
}

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
        Index(tensor): Index,
        Index(subgraph): Index,
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
