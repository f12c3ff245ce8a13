//! Encoded pictures as inputs.

use arenite::{ElementType, Interpreter, Model};
use arenite_answers::Metadata;
use arenite_pictures::{Normalization, Picture};
use pyo3::prelude::*;

use crate::arrays;
use crate::elements::TensorDescription;
use crate::errors;
use crate::ports::{Port, Ports};

/// An encoded picture, and the normalization that its caller asks for.
#[derive(FromPyObject)]
pub(crate) struct Encoded {
    content: pyo3::pybacked::PyBackedBytes,
    /// For errors.
    name: String,
    mean: Vec<f32>,
    std: Vec<f32>,
}

impl Encoded {
    /// The picture as an array of the type and shape that this input takes, for a batch of one.
    ///
    /// # Errors
    /// The bytes are no picture, or the input cannot hold one.
    pub(crate) fn decoded<'py>(
        &self,
        py: Python<'py>,
        interpreter: &mut Interpreter,
        ports: &Ports,
        port: &Port,
    ) -> PyResult<Bound<'py, PyAny>> {
        let subgraph = ports.subgraph;
        let metadata = from_metadata(interpreter.model(), subgraph, port);
        // Exclusively, because an interpreter must not be shared with another thread.
        let (interpreter, tensor) = (&mut *interpreter, port.tensor);
        let decoded = py.detach(move || {
            let picture = Picture::from_bytes(&self.content);
            let picture = picture.map_err(|error| format!("{}: {error}", self.name))?;
            let tensor = interpreter.tensor_of(subgraph, tensor).map_err(|error| error.to_string())?;
            let (mean, std) = match &metadata {
                Some((mean, std)) if tensor.ty == ElementType::F32 && self.mean.is_empty() => (mean, std),
                _ => (&self.mean, &self.std),
            };
            let row = picture.row(&tensor, Normalization { mean, std });
            row.map(|(bytes, shape)| (bytes, shape, tensor.ty)).map_err(|error| error.to_string())
        });
        let (bytes, shape, ty) = decoded.map_err(|error| errors::tensor_error(py, &port.name, error))?;
        let form = TensorDescription { name: &port.name, ty, shape: &shape };
        Ok(arrays::copy_of_bytes(py, form, &bytes)?.into_any())
    }
}

/// Mean and standard deviation in the file's metadata, which is about the main subgraph.
fn from_metadata(model: &Model, subgraph: usize, port: &Port) -> Option<(Vec<f32>, Vec<f32>)> {
    let inputs = model.view().subgraph(0).filter(|_| subgraph == 0)?.inputs();
    let position = inputs.iter().position(|tensor| usize::try_from(tensor) == Ok(port.tensor))?;
    let input = Metadata::of(model).inputs.into_iter().nth(position)?;
    (!input.mean.is_empty()).then_some((input.mean, input.std))
}
