//! The inputs and outputs of a model, by name.

use arenite::{ElementType, Interpreter, Tensor};
use arenite_common::batch::Batch;
use numpy::{PyArrayDescrMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::arrays;
use crate::elements;
use crate::errors::{self, Phase, exception};
use crate::place::Place;

/// Inputs and outputs: a signature's, or the main subgraph's.
pub(crate) struct Ports {
    pub(crate) subgraph: usize,
    pub(crate) inputs: Vec<Port>,
    pub(crate) outputs: Vec<Port>,
}

/// An input or an output.
pub(crate) struct Port {
    /// The name in the signature, or else the tensor's.
    pub(crate) name: String,
    /// The same, for a dict.
    pub(crate) key: Py<PyString>,
    /// The tensor's name.
    alias: String,
    pub(crate) tensor: usize,
    /// Dimension 0 in place of the file's; −1 is any size.
    batch: Option<i32>,
}

impl Ports {
    /// The ports of a signature. Without a key, this is the only signature; a model with none or several runs its main
    /// subgraph.
    pub(crate) fn of(py: Python<'_>, interpreter: &mut Interpreter, key: Option<&str>) -> PyResult<Self> {
        let failed = |error| exception(py, error, Phase::Access);
        let model = interpreter.model().clone();
        let view = model.view();
        let keys = model.signature_keys();
        let key = match (key, &keys[..]) {
            (Some(key), _) => Some(key),
            (None, [only]) => Some(only.as_str()),
            (None, _) => None,
        };
        let Some(key) = key else {
            let (inputs, outputs) = (
                interpreter.inputs_of(0).map_err(failed)?.to_vec(),
                interpreter.outputs_of(0).map_err(failed)?.to_vec(),
            );
            let port = |&tensor: &i32| Port::of(py, interpreter, 0, tensor as u32, None);
            let inputs = inputs.iter().filter(|&&tensor| tensor >= 0).map(port).collect::<PyResult<_>>()?;
            let outputs = outputs.iter().filter(|&&tensor| tensor >= 0).map(port).collect::<PyResult<_>>()?;
            return Ok(Ports { subgraph: 0, inputs, outputs });
        };
        // Checks the key, and that the tensors are the subgraph's inputs and outputs.
        let subgraph = interpreter.signature(key).map_err(failed)?.subgraph();
        let Some(signature) = view.signature(key) else {
            return Ok(Ports { subgraph, inputs: Vec::new(), outputs: Vec::new() });
        };
        let ports = |maps: arenite::model_file::Tables<'_, arenite::model_file::TensorMap<'_>>| {
            let port = |map: arenite::model_file::TensorMap<'_>| {
                Port::of(py, interpreter, subgraph, map.tensor_index(), map.name())
            };
            maps.iter().map(port).collect::<PyResult<Vec<Port>>>()
        };
        Ok(Ports { subgraph, inputs: ports(signature.inputs())?, outputs: ports(signature.outputs())? })
    }
}

impl Ports {
    /// Changes the batch size, which can change.
    pub(crate) fn rebatch(&mut self, interpreter: &Interpreter, batch: &Batch, wanted: i32) {
        let ports = self.inputs.iter_mut().chain(&mut self.outputs);
        for port in ports {
            let shape =
                interpreter.tensor_of(self.subgraph, port.tensor).map(|tensor| tensor.shape.first().copied());
            if shape.is_ok_and(|first| first == Some(batch.size)) {
                port.batch = Some(wanted);
            }
        }
    }
}

impl Port {
    /// The shape with −1 for dimensions that the caller can choose.
    fn signature(&self, tensor: &Tensor<'_>) -> Vec<i32> {
        let in_file = if tensor.shape_signature.is_empty() { tensor.shape } else { tensor.shape_signature };
        let mut signature = in_file.to_vec();
        if let (Some(batch), Some(first)) = (self.batch, signature.first_mut()) {
            *first = batch;
        }
        signature
    }

    fn of(
        py: Python<'_>,
        interpreter: &Interpreter,
        subgraph: usize,
        tensor: u32,
        name: Option<&str>,
    ) -> PyResult<Self> {
        let tensor = tensor as usize;
        let described = interpreter.tensor_of(subgraph, tensor);
        let alias = described.map_err(|error| exception(py, error, Phase::Access))?.name.to_owned();
        let name = name.map_or_else(|| alias.clone(), str::to_owned);
        Ok(Port { key: PyString::intern(py, &name).unbind(), name, alias, tensor, batch: None })
    }

    /// The tensor.
    pub(crate) fn tensor<'i>(
        &self,
        py: Python<'_>,
        interpreter: &'i Interpreter,
        subgraph: usize,
    ) -> PyResult<Tensor<'i>> {
        interpreter.tensor_of(subgraph, self.tensor).map_err(|error| exception(py, error, Phase::Access))
    }

    /// Gives the input the shape of an array. Returns false if it is known to have this shape.
    ///
    /// # Errors
    /// The model fixes a dimension to another size.
    pub(crate) fn resize(
        &self,
        py: Python<'_>,
        interpreter: &mut Interpreter,
        subgraph: usize,
        array: &Bound<'_, PyUntypedArray>,
        is_known: bool,
    ) -> PyResult<bool> {
        let tensor = self.tensor(py, interpreter, subgraph)?;
        if is_known && elements::same_shape(array, tensor.shape) {
            return Ok(false);
        }
        let given = array.shape();
        let signature = self.signature(&tensor);
        let fits = |(&given, &dim): (&usize, &i32)| dim == -1 || usize::try_from(dim) == Ok(given);
        if given.len() != signature.len() || !given.iter().zip(&signature).all(fits) {
            let message =
                format!("the value has shape {given:?}, the model takes {signature:?}, where −1 is any size");
            return Err(errors::tensor_error(py, &self.name, message));
        }
        let shape: Vec<i32> = given.iter().map(|&dim| i32::try_from(dim).unwrap_or(i32::MAX)).collect();
        interpreter.resize_of(subgraph, self.tensor, &shape).map_err(|e| exception(py, e, Phase::Run))?;
        Ok(true)
    }

    /// Copies an array to the input. Floats for a quantized tensor are quantized unless `raw`.
    pub(crate) fn set(
        &self,
        py: Python<'_>,
        interpreter: &mut Interpreter,
        subgraph: usize,
        array: &Bound<'_, PyUntypedArray>,
        raw: bool,
    ) -> PyResult<()> {
        let tensor = self.tensor(py, interpreter, subgraph)?;
        if tensor.ty == ElementType::String {
            return self.set_strings(py, interpreter, subgraph, array);
        }
        let dtype = array.dtype();
        if elements::fits(&dtype, tensor.ty)? {
            return arrays::copy_to(py, array, interpreter, Place { subgraph, tensor: self.tensor });
        }
        if !raw && dtype.kind() == b'f' && !tensor.scales.is_empty() {
            return arrays::quantize_to(py, array, interpreter, Place { subgraph, tensor: self.tensor });
        }
        let wanted = elements::descriptor(py, tensor.ty)?;
        let is_open =
            !raw && tensor.scales.is_empty() && elements::storage(tensor.ty) == elements::Storage::Same;
        if is_open
            && py.import("numpy")?.call_method1("can_cast", (&dtype, &wanted, "same_kind"))?.extract()?
        {
            return arrays::copy_to(py, array, interpreter, Place { subgraph, tensor: self.tensor });
        }
        let message =
            format!("the value has type {dtype}, the model takes {wanted}: convert it with astype()");
        Err(errors::tensor_error(py, &self.name, message))
    }

    fn set_strings(
        &self,
        py: Python<'_>,
        interpreter: &mut Interpreter,
        subgraph: usize,
        array: &Bound<'_, PyUntypedArray>,
    ) -> PyResult<()> {
        let Some(strings) = arrays::strings(array)? else {
            return Err(errors::tensor_error(py, &self.name, "its elements are strings: give bytes or str"));
        };
        let strings: Vec<&[u8]> = strings.iter().map(Vec::as_slice).collect();
        let set = interpreter.set_strings_of(subgraph, self.tensor, &strings);
        set.map_err(|error| exception(py, error, Phase::Access))
    }

    /// A copy of the output, dequantized unless `raw`.
    pub(crate) fn get<'py>(
        &self,
        py: Python<'py>,
        interpreter: &Interpreter,
        subgraph: usize,
        raw: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let tensor = self.tensor(py, interpreter, subgraph)?;
        if raw || tensor.scales.is_empty() || !has_reals(tensor.ty) {
            return arrays::copy_of(py, &tensor);
        }
        arrays::of_reals(py, &tensor)
    }

    /// Its description, for Python.
    pub(crate) fn described<'py>(
        &self,
        py: Python<'py>,
        tensor: &Tensor<'_>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let signature = self.signature(tensor);
        let described = PyDict::new(py);
        described.set_item("name", &self.name)?;
        described.set_item("tensor", &self.alias)?;
        described.set_item("type", tensor.ty.name())?;
        described.set_item("shape", signature)?;
        described.set_item("scales", tensor.scales)?;
        described.set_item("zero_points", tensor.zero_points)?;
        Ok(described)
    }
}

/// Whether quantized elements of this type represent real numbers.
fn has_reals(ty: ElementType) -> bool {
    use ElementType::*;
    matches!(ty, I8 | U8 | I16 | U16 | I32 | U32 | I64 | U64 | I4 | U4 | I2)
}

/// The position of the port with this name: first by its own name, then by its tensor's.
pub(crate) fn position(ports: &[Port], name: &str) -> Option<usize> {
    let own = ports.iter().position(|port| port.name == name);
    own.or_else(|| ports.iter().position(|port| port.alias == name))
}

/// The names, for messages.
pub(crate) fn names(ports: &[Port]) -> String {
    ports.iter().map(|port| port.name.as_str()).collect::<Vec<_>>().join(", ")
}

/// The values as arrays.
pub(crate) fn arrays<'py>(
    ports: &[Port],
    values: Vec<Bound<'py, PyAny>>,
) -> PyResult<Vec<Bound<'py, PyUntypedArray>>> {
    let array = |(value, port): (Bound<'py, PyAny>, &Port)| {
        arrays::as_array(&value).map_err(|error| {
            let wanted = PyTypeError::new_err(format!("input '{}' cannot become an array", port.name));
            wanted.set_cause(value.py(), Some(error));
            wanted
        })
    };
    values.into_iter().zip(ports).map(array).collect()
}
