//! Ops and planners that are Python functions.

use arenite::abi::object::OpObject;
use arenite::abi::{self, AssignmentMut, EvalContext, NodeView, PlanRequest, PrepareContext, TensorView};
use arenite::abi::{ensure, invalid, unavailable, unsupported};
use arenite::{ElementType, Registry, UsageRecord, strings};
use numpy::PyUntypedArrayMethods;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};

use crate::arrays;
use crate::elements::{self, Storage, TensorDescription};
use crate::raised;

/// An `arenite.Op`: a custom op whose nodes a function computes.
#[derive(FromPyObject)]
pub(crate) struct PythonOp {
    name: String,
    function: Py<PyAny>,
    /// Computes the shapes of outputs from the shapes of inputs.
    shapes: Option<Py<PyAny>>,
    /// Whether the function takes the keyword `node`.
    takes_node: bool,
    stateful: bool,
}

/// A function from records to offsets.
#[derive(FromPyObject)]
pub(crate) struct PythonPlanner {
    name: String,
    function: Py<PyAny>,
}

/// An error of the runtime, or an exception of the function.
enum Failure {
    Runtime(abi::Error),
    Raised(PyErr),
}

impl From<abi::Error> for Failure {
    fn from(error: abi::Error) -> Self {
        Failure::Runtime(error)
    }
}

impl From<PyErr> for Failure {
    fn from(error: PyErr) -> Self {
        Failure::Raised(error)
    }
}

/// Calls `f` with the GIL. An exception goes to [`raised`](crate::raised), and its text into the error.
fn with_gil<T>(f: impl FnOnce(Python<'_>) -> Result<T, Failure>) -> abi::Result<T> {
    let done = Python::try_attach(|py| {
        f(py).map_err(|failure| match failure {
            Failure::Runtime(error) => error,
            Failure::Raised(exception) => {
                let error = invalid!("{exception}");
                raised::put(exception);
                error
            }
        })
    });
    done.unwrap_or_else(|| Err(unavailable!("the Python interpreter has ended")))
}

impl PythonOp {
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Copies the op for one registry.
    pub(crate) fn share(&self, py: Python<'_>) -> Self {
        PythonOp {
            name: self.name.clone(),
            function: self.function.clone_ref(py),
            shapes: self.shapes.as_ref().map(|shapes| shapes.clone_ref(py)),
            takes_node: self.takes_node,
            stateful: self.stateful,
        }
    }

    /// Registers the op for all versions.
    pub(crate) fn register(self, registry: &mut Registry) -> arenite::Result<()> {
        registry.add_op(self.name.clone().as_str(), 1..=i32::MAX, self)
    }
}

impl OpObject for PythonOp {
    /// The keyword arguments of the function.
    type Node = Option<Py<PyDict>>;

    fn prepare(&self, node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> abi::Result<Self::Node> {
        for i in outputs_of(node) {
            let output = node.output(i)?;
            if elements::storage(output.ty) == Storage::Nothing {
                return Err(unsupported!("{output} is {}, which no array can hold", output.ty));
            }
        }
        with_gil(|py| {
            let sizes = self.shapes.as_ref().map(|shapes| sizes(py, shapes, node)).transpose()?;
            for (k, i) in outputs_of(node).enumerate() {
                match sizes.as_ref().and_then(|sizes| sizes.get(k)) {
                    Some(size) if node.output(i)?.ty != ElementType::String => {
                        cx.set_output_shape(i, size)?
                    }
                    _ => cx.set_output_dynamic(i)?,
                }
            }
            if !self.takes_node {
                return Ok(None);
            }
            let keywords = PyDict::new(py);
            keywords.set_item("node", described(py, node)?)?;
            Ok(Some(keywords.unbind()))
        })
    }

    fn eval(&self, node: &Self::Node, cx: &mut EvalContext<'_>) -> abi::Result<()> {
        with_gil(|py| {
            let mut inputs = Vec::with_capacity(cx.input_count());
            for i in 0..cx.input_count() {
                inputs.push(match cx.optional_input(i)? {
                    Some(input) => Some(array_of(py, &input)?),
                    None => None,
                });
            }
            let keywords = node.as_ref().map(|node| node.bind(py));
            let answer = self.function.bind(py).call(PyTuple::new(py, inputs)?, keywords)?;
            let outputs: Vec<usize> = outputs_of(&cx.node()).collect();
            let answers = one_each(&answer, outputs.len(), "value")?;
            for (&i, answer) in outputs.iter().zip(&answers) {
                self.write(cx, i, answer)?;
            }
            Ok(())
        })
    }

    fn is_stateful(&self) -> bool {
        self.stateful
    }
}

impl PythonOp {
    /// Copies what the function returned to output `i`.
    fn write(&self, cx: &EvalContext<'_>, i: usize, value: &Bound<'_, PyAny>) -> Result<(), Failure> {
        let array = arrays::as_array(value)?;
        let spec = cx.node().output(i)?;
        let shape: Vec<i32> =
            array.shape().iter().map(|&dim| i32::try_from(dim).unwrap_or(i32::MAX)).collect();
        if spec.ty == ElementType::String {
            let strings = arrays::strings(&array)?
                .ok_or_else(|| invalid!("{spec} is STRING; the function returned {}", array.dtype()))?;
            let strings: Vec<&[u8]> = strings.iter().map(Vec::as_slice).collect();
            let packed =
                strings::pack(&strings).ok_or_else(|| invalid!("{spec}: the strings have 2 GiB or more"))?;
            let output = cx.resize_string_output(i, &shape, packed.len())?;
            output.into_bytes().copy_from_slice(&packed);
            return Ok(());
        }
        let output = if self.shapes.is_none() { cx.resize_output(i, &shape)? } else { cx.output(i)? };
        let wanted = output.shape();
        ensure_shape(&spec, &shape, wanted)?;
        let form = TensorDescription { name: spec.name(), ty: spec.ty, shape: wanted };
        arrays::convert_to(&array, form, output.into_bytes())?;
        Ok(())
    }
}

fn ensure_shape(spec: &TensorView<'_>, shape: &[i32], wanted: &[i32]) -> abi::Result<()> {
    ensure!(
        shape == wanted,
        "the function returned shape {shape:?} for {spec}; its shape function returned {wanted:?}"
    );
    Ok(())
}

/// Indices of the outputs that are present.
fn outputs_of<'a>(node: &NodeView<'a>) -> impl Iterator<Item = usize> + use<'a> {
    node.output_indices().iter().enumerate().filter(|&(_, &tensor)| tensor >= 0).map(|(i, _)| i)
}

/// The items of a tuple or list, if several are wanted; otherwise the answer itself, or the only item of a tuple.
fn one_each<'py>(
    answer: &Bound<'py, PyAny>,
    count: usize,
    what: &str,
) -> Result<Vec<Bound<'py, PyAny>>, Failure> {
    let items: Vec<Bound<'py, PyAny>> = match (answer.cast::<PyTuple>(), answer.cast::<PyList>()) {
        (Ok(tuple), _) => tuple.iter().collect(),
        (_, Ok(list)) if count != 1 => list.iter().collect(),
        _ => vec![answer.clone()],
    };
    let found = items.len();
    if found != count {
        return Err(invalid!("the function returned {found} {what}s; the node has {count} outputs").into());
    }
    Ok(items)
}

/// What the shape function returns for the shapes of a node's inputs.
fn sizes(py: Python<'_>, shapes: &Py<PyAny>, node: &NodeView<'_>) -> Result<Vec<Vec<i32>>, Failure> {
    let mut given = Vec::with_capacity(node.input_count());
    for i in 0..node.input_count() {
        let input = node.optional_input(i)?;
        given.push(input.map(|input| PyTuple::new(py, input.shape)).transpose()?);
    }
    let answer = shapes.bind(py).call1(PyTuple::new(py, given)?)?;
    let count = outputs_of(node).count();
    // One shape, or a sequence of shapes.
    if count == 1
        && let Ok(shape) = answer.extract::<Vec<i32>>()
    {
        return Ok(vec![shape]);
    }
    let Ok(shapes) = answer.extract::<Vec<Vec<i32>>>() else {
        let text = answer.repr()?;
        return Err(invalid!("the shape function returned {text}; {count} shapes are needed").into());
    };
    if shapes.len() != count {
        let found = shapes.len();
        return Err(
            invalid!("the shape function returned {found} shapes; the node has {count} outputs").into()
        );
    }
    Ok(shapes)
}

/// An array with a copy of a tensor's value.
fn array_of<'py>(py: Python<'py>, tensor: &TensorView<'_>) -> PyResult<Bound<'py, PyAny>> {
    let described = TensorDescription { name: tensor.name(), ty: tensor.ty, shape: tensor.shape };
    arrays::copy_of_bytes(py, described, tensor.bytes()).map(Bound::into_any)
}

/// The node as an `arenite.ops.Node`.
fn described<'py>(py: Python<'py>, node: &NodeView<'_>) -> Result<Bound<'py, PyAny>, Failure> {
    let tensor = |tensor: Option<TensorView<'_>>| -> PyResult<Option<Bound<'py, PyDict>>> {
        let Some(tensor) = tensor else { return Ok(None) };
        let (scales, zero_points) =
            tensor.quantization().map_or((&[][..], &[][..]), |q| (q.scales, q.zero_points));
        let entry = PyDict::new(py);
        entry.set_item("name", tensor.name())?;
        entry.set_item("tensor", tensor.name())?;
        entry.set_item("type", tensor.ty.name())?;
        entry.set_item("shape", tensor.shape)?;
        entry.set_item("scales", scales)?;
        entry.set_item("zero_points", zero_points)?;
        Ok(Some(entry))
    };
    let (inputs, outputs) = (PyList::empty(py), PyList::empty(py));
    for i in 0..node.input_count() {
        inputs.append(tensor(node.optional_input(i)?)?)?;
    }
    for i in outputs_of(node) {
        outputs.append(tensor(Some(node.output(i)?))?)?;
    }
    let fields = PyDict::new(py);
    fields.set_item("op", node.custom_name())?;
    fields.set_item("version", node.version())?;
    fields.set_item("subgraph", node.subgraph())?;
    fields.set_item("index", node.index())?;
    fields.set_item("options", pyo3::types::PyBytes::new(py, node.custom_options()))?;
    fields.set_item("inputs", inputs)?;
    fields.set_item("outputs", outputs)?;
    Ok(py.import("arenite.ops")?.getattr("Node")?.call((), Some(&fields))?)
}

impl PythonPlanner {
    /// Registers the planner. Returns its name.
    pub(crate) fn register(&self, py: Python<'_>, registry: &mut Registry) -> arenite::Result<()> {
        let function = self.function.clone_ref(py);
        registry.add_planner(&self.name, move |request, assignment| plan(&function, request, assignment))
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }
}

fn plan(
    function: &Py<PyAny>,
    request: &PlanRequest<'_>,
    assignment: &mut AssignmentMut<'_>,
) -> abi::Result<()> {
    request.options.expect_only(&[])?;
    let records = request.records;
    let offsets = assignment.offsets();
    if records.is_empty() {
        return Ok(());
    }
    with_gil(|py| {
        let list = PyList::empty(py);
        for record in records {
            let last = (record.last_node != UsageRecord::FOREVER).then_some(record.last_node);
            let tensor = usize::try_from(record.tensor).ok();
            list.append((record.size, record.alignment, record.first_node, last, record.fixed(), tensor))?;
        }
        let answer: Vec<u64> = function.bind(py).call1((list,))?.extract()?;
        let (found, wanted) = (answer.len(), records.len());
        if found != wanted {
            return Err(invalid!("it returned {found} offsets for {wanted} records").into());
        }
        offsets.copy_from_slice(&answer);
        Ok(())
    })
}
