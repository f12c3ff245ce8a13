//! The calls of `ai_edge_litert`'s interpreter. `python/arenite/interpreter.py` adds what need not be fast.

use std::sync::{Arc, OnceLock};

use arenite::config::TiedOutput;
use arenite::{Error, NodeProvider};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};

use crate::arrays;
use crate::details;
use crate::elements;
use crate::errors::{Phase, exception, tensor_error};
use crate::fork;
use crate::place::{Index, Place};
use crate::settings::{Settings, Source};
use crate::shared::{SharedInterpreter, State};
use crate::waiting::without_gil;

/// The base class of `arenite.interpreter.Interpreter`.
#[pyclass(subclass, frozen, name = "Interpreter", module = "arenite._native")]
pub(crate) struct NativeInterpreter {
    shared: OnceLock<Arc<SharedInterpreter>>,
}

/// Returns an array that shares a tensor's memory.
#[pyclass(frozen, module = "arenite._native")]
pub(crate) struct TensorFunction {
    shared: Arc<SharedInterpreter>,
    /// Checked by each call, as in `ai_edge_litert`.
    index: Py<PyAny>,
}

#[pymethods]
impl TensorFunction {
    fn __call__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let index = self.index.extract::<Index>(py)?;
        let mut interpreter = self.shared.lock(py, Phase::Access)?;
        let place = Place::of(py, &mut interpreter, index, Index::MAIN)?;
        arrays::sharing(py, &mut interpreter, place.tensor, || self.shared.view())
    }
}

impl NativeInterpreter {
    fn shared(&self) -> PyResult<&Arc<SharedInterpreter>> {
        let missing =
            || PyValueError::new_err("Interpreter.__init__() was not called: call it in the subclass");
        self.shared.get().ok_or_else(missing)
    }
}

#[pymethods]
impl NativeInterpreter {
    #[new]
    #[pyo3(signature = (*_arguments, **_named))]
    fn new(_arguments: &Bound<'_, PyTuple>, _named: Option<&Bound<'_, PyDict>>) -> Self {
        NativeInterpreter { shared: OnceLock::new() }
    }

    /// Reads the model and builds the interpreter.
    fn _build(&self, py: Python<'_>, source: Source, mut settings: Settings) -> PyResult<()> {
        let model = source.model(py)?;
        settings.retain_ops_of(&model);
        let mut interpreter = settings.build(py, &model, &[])?;
        if settings.has_delegates() {
            // A delegate without a device, or with a wrong option, fails here, not in `allocate_tensors`.
            let asked = interpreter.preview_delegates(0);
            if let Err(error @ Error::Delegate { .. }) = asked {
                return Err(exception(py, error, Phase::Run));
            }
        }
        self.shared
            .set(SharedInterpreter::new(interpreter, settings.has_functions()))
            .map_err(|_| PyValueError::new_err("this interpreter has a model: make another one"))
    }

    /// Plans and allocates memory. Call it after each change of an input's shape.
    #[pyo3(signature = (*, _subgraph = 0))]
    fn allocate_tensors(&self, py: Python<'_>, _subgraph: usize) -> PyResult<()> {
        let shared = self.shared()?;
        let mut state = shared.lock_to_move(py)?;
        without_gil(py, &mut state.interpreter, &shared.preparing, Phase::Run, |interpreter| {
            fork::delay(|| interpreter.allocate_subgraph(_subgraph))
        })?;
        state.coming.retain(|place, _| place.subgraph != _subgraph);
        Ok(())
    }

    /// Runs the model once, without the GIL.
    #[pyo3(signature = (*, _subgraph = 0))]
    fn invoke(&self, py: Python<'_>, _subgraph: usize) -> PyResult<()> {
        let shared = self.shared()?;
        let mut state = shared.lock_to_move(py)?;
        without_gil(py, &mut state.interpreter, &shared.pace, Phase::Run, |interpreter| {
            interpreter.invoke_subgraph(_subgraph)
        })
    }

    /// Copies a value to a tensor.
    #[pyo3(
        signature = (tensor_index, value, *, _subgraph = Index::MAIN),
        text_signature = "($self, tensor_index, value, *, _subgraph=0)"
    )]
    fn set_tensor(
        &self,
        py: Python<'_>,
        tensor_index: Index,
        value: &Bound<'_, PyAny>,
        _subgraph: Index,
    ) -> PyResult<()> {
        let shared = self.shared()?;
        // Before the lock: the value's `__array__` is Python code.
        let array = arrays::as_array(value);
        let mut interpreter = shared.lock(py, Phase::Access)?;
        let place = Place::of(py, &mut interpreter, tensor_index, _subgraph)?;
        let tensor = interpreter
            .tensor_of(place.subgraph, place.tensor)
            .map_err(|e| exception(py, e, Phase::Access))?;
        if interpreter.coming.contains_key(&place) {
            return Err(tensor_error(
                py,
                tensor.name,
                "its shape has changed: call allocate_tensors() first",
            ));
        }
        let array = array.map_err(|error| {
            let wanted = tensor_error(
                py,
                tensor.name,
                format!("the value cannot become an array: {}", error.value(py)),
            );
            wanted.set_cause(py, Some(error));
            wanted
        })?;
        if arrays::is_string(tensor.ty) {
            drop(interpreter);
            return self.set_strings(py, &array, place);
        }
        check(py, &array, &tensor)?;
        arrays::copy_to(py, &array, &mut interpreter, place)
    }

    /// A copy of a tensor.
    #[pyo3(
        signature = (tensor_index, subgraph_index = Index::MAIN),
        text_signature = "($self, tensor_index, subgraph_index=0)"
    )]
    fn get_tensor<'py>(
        &self,
        py: Python<'py>,
        tensor_index: Index,
        subgraph_index: Index,
    ) -> PyResult<Bound<'py, PyAny>> {
        let mut interpreter = self.shared()?.lock(py, Phase::Access)?;
        let place = Place::of(py, &mut interpreter, tensor_index, subgraph_index)?;
        let tensor = interpreter
            .tensor_of(place.subgraph, place.tensor)
            .map_err(|e| exception(py, e, Phase::Access))?;
        arrays::copy_of(py, &tensor)
    }

    /// A function that returns an array that shares the tensor's memory.
    fn tensor(&self, tensor_index: Py<PyAny>) -> PyResult<TensorFunction> {
        Ok(TensorFunction { shared: Arc::clone(self.shared()?), index: tensor_index })
    }

    /// The number of arrays from `tensor` that are alive.
    fn _view_count(&self) -> PyResult<usize> {
        Ok(self.shared()?.view_count())
    }

    /// Changes the shape of an input.
    fn _resize(
        &self,
        py: Python<'_>,
        tensor_index: Index,
        subgraph: Index,
        shape: Vec<i32>,
        strict: bool,
    ) -> PyResult<()> {
        let mut state = self.shared()?.lock_to_move(py)?;
        let place = Place::of(py, &mut state, tensor_index, subgraph)?;
        if strict {
            check_strictly(py, &state, place, &shape)?;
        }
        let resized = state.resize_of(place.subgraph, place.tensor, &shape);
        resized.map_err(|error| exception(py, error, Phase::Run))?;
        let now =
            state.tensor_of(place.subgraph, place.tensor).map_err(|e| exception(py, e, Phase::Access))?;
        if now.shape == shape {
            state.coming.remove(&place);
        } else {
            state.coming.insert(place, shape);
        }
        Ok(())
    }

    /// Makes an output of a signature the value of an input in the next invocation.
    fn _tie(&self, py: Python<'_>, signature: &str, output: &str, input: &str) -> PyResult<()> {
        let tied = self.shared()?.lock_to_move(py)?.tie(signature, output, input);
        tied.map_err(|error| exception(py, error, Phase::Run))
    }

    /// Ties each output to the input with the same name, type and shape. Returns the names.
    fn _tie_caches(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        let tied = self.shared()?.lock_to_move(py)?.tie_caches();
        tied.map_err(|error| exception(py, error, Phase::Run))
    }

    /// The tied outputs: signature, output, input.
    fn _ties(&self, py: Python<'_>) -> PyResult<Vec<(String, String, String)>> {
        let interpreter = self.shared()?.lock(py, Phase::Access)?;
        let names = |tie: &TiedOutput| (tie.signature.clone(), tie.output.clone(), tie.input.clone());
        Ok(interpreter.ties().iter().map(names).collect())
    }

    /// Sets variables to zero, and clears the states of ops.
    fn reset_all_variables(&self, py: Python<'_>) -> PyResult<()> {
        self.shared()?.lock(py, Phase::Run)?.reset_variables();
        Ok(())
    }

    /// The number of subgraphs.
    fn num_subgraphs(&self, py: Python<'_>) -> PyResult<usize> {
        Ok(self.shared()?.lock(py, Phase::Access)?.subgraph_count())
    }

    /// The number of tensors of a subgraph in the file.
    fn _tensor_count(&self, py: Python<'_>, subgraph: usize) -> PyResult<usize> {
        let interpreter = self.shared()?.lock(py, Phase::Access)?;
        Ok(interpreter.model().view().subgraph(subgraph).map_or(0, |subgraph| subgraph.tensors().len()))
    }

    /// The indices of the inputs.
    fn _inputs(&self, py: Python<'_>) -> PyResult<Vec<i32>> {
        let mut interpreter = self.shared()?.lock(py, Phase::Access)?;
        Ok(interpreter.inputs_of(0).map_err(|error| exception(py, error, Phase::Access))?.to_vec())
    }

    /// The indices of the outputs.
    fn _outputs(&self, py: Python<'_>) -> PyResult<Vec<i32>> {
        let mut interpreter = self.shared()?.lock(py, Phase::Access)?;
        Ok(interpreter.outputs_of(0).map_err(|error| exception(py, error, Phase::Access))?.to_vec())
    }

    /// The description of a tensor.
    #[pyo3(signature = (tensor_index, subgraph_index))]
    fn _get_tensor_details<'py>(
        &self,
        py: Python<'py>,
        tensor_index: Index,
        subgraph_index: Index,
    ) -> PyResult<Bound<'py, PyDict>> {
        let mut state = self.shared()?.lock(py, Phase::Access)?;
        let place = Place::of(py, &mut state, tensor_index, subgraph_index)?;
        details::tensor(py, &state, place)
    }

    /// The descriptions of the nodes of the main subgraph.
    fn _get_ops_details<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        details::nodes(py, &*self.shared()?.lock(py, Phase::Access)?)
    }

    /// The tensors of each signature by name.
    fn _get_full_signature_list<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        details::signatures(py, &*self.shared()?.lock(py, Phase::Access)?)
    }

    /// The signatures in the order of the file, with inputs and outputs in the order of the subgraph.
    fn _ordered_signatures<'py>(&self, py: Python<'py>) -> PyResult<Vec<details::OrderedSignature<'py>>> {
        details::ordered_signatures(py, &*self.shared()?.lock(py, Phase::Access)?)
    }

    /// Whether delegates run all nodes of a subgraph that is allocated.
    fn _is_delegated(&self, py: Python<'_>, subgraph: usize) -> PyResult<bool> {
        let served = self.shared()?.lock(py, Phase::Access)?.served_in(subgraph);
        Ok(served
            .iter()
            .all(|served| matches!(served, NodeProvider::Delegate { .. } | NodeProvider::Folded(_))))
    }

    /// The subgraph of a signature.
    fn _signature_subgraph(&self, py: Python<'_>, key: &str) -> PyResult<Option<u32>> {
        let interpreter = self.shared()?.lock(py, Phase::Access)?;
        Ok(interpreter.model().view().signature(key).map(|signature| signature.subgraph_index()))
    }
}

impl NativeInterpreter {
    /// Sets a tensor of strings, whose size depends on the strings: its memory moves.
    fn set_strings(
        &self,
        py: Python<'_>,
        array: &Bound<'_, numpy::PyUntypedArray>,
        place: Place,
    ) -> PyResult<()> {
        let strings = arrays::strings(array)?;
        let mut interpreter = self.shared()?.lock_to_move(py)?;
        let tensor = interpreter
            .tensor_of(place.subgraph, place.tensor)
            .map_err(|e| exception(py, e, Phase::Access))?;
        let Some(strings) = strings else {
            let message = format!(
                "the value has type {}: give bytes or str, in an array of object, S or U",
                arrays::type_name(array)?
            );
            return Err(tensor_error(py, tensor.name, message));
        };
        check_shape(py, array, &tensor)?;
        let strings: Vec<&[u8]> = strings.iter().map(Vec::as_slice).collect();
        let set = interpreter.set_strings_of(place.subgraph, place.tensor, &strings);
        set.map_err(|error| exception(py, error, Phase::Access))
    }
}

/// Checks that an array has the type and the shape of a tensor.
fn check(
    py: Python<'_>,
    array: &Bound<'_, numpy::PyUntypedArray>,
    tensor: &arenite::Tensor<'_>,
) -> PyResult<()> {
    use numpy::PyUntypedArrayMethods;
    if !elements::fits(&array.dtype(), tensor.ty)? {
        let (given, wanted) = (arrays::type_name(array)?, elements::descriptor(py, tensor.ty)?.to_string());
        let message = format!(
            "the value has type {given}, the tensor {wanted} ({}): convert it with astype(), or quantize it",
            tensor.ty
        );
        return Err(tensor_error(py, tensor.name, message));
    }
    check_shape(py, array, tensor)
}

fn check_shape(
    py: Python<'_>,
    array: &Bound<'_, numpy::PyUntypedArray>,
    tensor: &arenite::Tensor<'_>,
) -> PyResult<()> {
    use numpy::PyUntypedArrayMethods;
    if elements::same_shape(array, tensor.shape) {
        return Ok(());
    }
    let message = format!(
        "the value has shape {:?}, the tensor {:?}: reshape the value, or call resize_tensor_input()",
        array.shape(),
        tensor.shape
    );
    Err(tensor_error(py, tensor.name, message))
}

/// Checks that only dimensions change that the model leaves open.
fn check_strictly(py: Python<'_>, state: &State, place: Place, shape: &[i32]) -> PyResult<()> {
    let tensor =
        state.tensor_of(place.subgraph, place.tensor).map_err(|e| exception(py, e, Phase::Access))?;
    let before = state.coming.get(&place).map_or(tensor.shape, Vec::as_slice);
    let signature = if tensor.shape_signature.is_empty() { tensor.shape } else { tensor.shape_signature };
    let fits = |((new, old), dim): ((&i32, &i32), &i32)| new == old || *dim == -1;
    let dims = shape.iter().zip(before).zip(signature);
    if shape.len() == before.len() && dims.len() == before.len() && dims.into_iter().all(fits) {
        return Ok(());
    }
    let message = format!(
        "shape {shape:?} does not fit {signature:?}, of which only dimensions of −1 can change: give another shape, or \
         leave strict out"
    );
    Err(tensor_error(py, tensor.name, message))
}
