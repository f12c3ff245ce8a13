//! Calls of subgraphs, shared by IF, WHILE and the other control flow ops.
//!
//! Defined by: tflite/kernels/control_flow_common.cc.

use arenite_abi::prelude::*;

/// Checks that a subgraph has `inputs` inputs and `outputs` outputs.
///
/// # Errors
/// The subgraph does not exist, or has other numbers.
pub fn expect_ports(model: &ModelContext<'_>, subgraph: i32, inputs: usize, outputs: usize) -> Result<()> {
    let (i, o) = model.ports(subgraph)?;
    ensure!(
        (i, o) == (inputs, outputs),
        "subgraph {subgraph} has {i} inputs and {o} outputs, the node passes {inputs} and takes {outputs}; they must agree"
    );
    Ok(())
}

/// In `prepare`: prepares a subgraph for the shapes of the node's inputs, starting at input `first`.
///
/// # Errors
/// The errors of the subgraph's nodes.
pub fn prepare(model: &mut ModelContext<'_>, node: &NodeView<'_>, first: usize, subgraph: i32) -> Result<()> {
    for i in first..node.input_count() {
        model.set_input(subgraph, i - first, &node.input(i)?)?;
    }
    model.prepare(subgraph)
}

/// In `eval`: runs a subgraph on the node's inputs, starting at input `first`.
///
/// # Errors
/// The errors of the subgraph's nodes.
pub fn run(model: &mut ModelContext<'_>, cx: &EvalContext<'_>, first: usize, subgraph: i32) -> Result<()> {
    for i in first..cx.input_count() {
        model.set_input(subgraph, i - first, &cx.input(i)?)?;
    }
    model.invoke(subgraph)
}

/// Whether each output has the same known shape in both prepared subgraphs.
///
/// # Errors
/// A subgraph or an output does not exist.
pub fn same_shapes(model: &ModelContext<'_>, a: i32, b: i32, outputs: usize) -> Result<bool> {
    for o in 0..outputs {
        let (a, b) = (model.output(a, o)?, model.output(b, o)?);
        if a.dynamic || b.dynamic || a.tensor.shape != b.tensor.shape {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Gives the node's outputs the shapes of a prepared subgraph's outputs, or makes them dynamic unless `known`.
///
/// # Errors
/// The types of an output differ.
pub fn declare_outputs(
    model: &ModelContext<'_>,
    node: &NodeView<'_>,
    cx: &mut PrepareContext<'_>,
    subgraph: i32,
    known: bool,
) -> Result<()> {
    for o in present(node.output_indices()) {
        let (y, given) = (node.output(o)?, model.output(subgraph, o)?);
        let x = given.tensor;
        ensure!(
            x.ty == y.ty,
            "output {o} of subgraph {subgraph} is {}, {y} is {}; they must agree",
            x.ty,
            y.ty
        );
        if known && !given.dynamic {
            cx.set_output_shape(o, x.shape)?;
        } else {
            cx.set_output_dynamic(o)?;
        }
    }
    Ok(())
}

/// In `eval`: copies the outputs of a subgraph that has run to the node's outputs.
///
/// # Errors
/// The errors of [`copy`].
pub fn take_outputs(model: &ModelContext<'_>, cx: &EvalContext<'_>, subgraph: i32) -> Result<()> {
    for o in present(cx.node().output_indices()) {
        copy(cx, o, &model.output(subgraph, o)?.tensor)?;
    }
    Ok(())
}

/// In `eval`: copies `value` to output `o`, and its shape too if the output is dynamic.
///
/// # Errors
/// The sizes differ, or the host cannot provide the memory.
pub fn copy(cx: &EvalContext<'_>, o: usize, value: &TensorView<'_>) -> Result<()> {
    let y = cx.node().output(o)?;
    let target = match (y.is_dynamic(), y.ty.bits()) {
        (false, _) => cx.output(o)?,
        (true, 0) => cx.resize_string_output(o, value.shape, value.byte_len())?,
        (true, _) => cx.resize_output(o, value.shape)?,
    };
    let (from, name, shape) = (value.bytes(), y.name(), target.shape());
    let to = target.into_bytes();
    ensure!(
        from.len() == to.len(),
        "'{name}' {shape:?} has {} bytes, its value {:?} has {}",
        to.len(),
        value.shape,
        from.len()
    );
    to.copy_from_slice(from);
    Ok(())
}

/// The value of a boolean tensor with one element.
///
/// # Errors
/// The tensor is not a single BOOL.
pub fn truth(x: &TensorView<'_>) -> Result<bool> {
    expect_truth(x)?;
    Ok(x.as_slice::<Bool>()?.first().is_some_and(|b| b.0 != 0))
}

/// Checks that a tensor is a single boolean.
///
/// # Errors
/// The tensor is not a single BOOL.
pub fn expect_truth(x: &TensorView<'_>) -> Result<()> {
    ensure!(
        x.ty == ElementType::Bool && x.len() == 1,
        "the condition {x} is {}{:?}; one BOOL is needed",
        x.ty,
        x.shape
    );
    Ok(())
}

/// The positions of the outputs that exist.
fn present(indices: &[i32]) -> impl Iterator<Item = usize> {
    indices.iter().enumerate().filter(|(_, t)| **t >= 0).map(|(o, _)| o)
}
