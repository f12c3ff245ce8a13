//! READ_VARIABLE and ASSIGN_VARIABLE, of variables whose handle is constant. A partition takes them out of its net: see
//! [`VariablePorts`](crate::program::VariablePorts).

use arenite_abi::prelude::*;
use arenite_layers::lower::expect_elements;
use arenite_layers::{Node, Source, Value};

use crate::ops::build::{Build, LayerStep, Offers};
use crate::ops::values::{NetValues, NodeValues};
use crate::step::Step;

/// An access to a variable.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum VariableAccess {
    /// The output is the value of the variable with this handle.
    Read(i32),
    /// The variable with this handle gets the value of the input.
    Assign(i32),
}

/// Lowers the node if it accesses a variable; `None` leaves it to others.
pub(super) fn lower<'a>(x: &Source<'_, 'a>) -> Option<Result<Node<VariableAccess>>> {
    match x.node.builtin_code() {
        op::READ_VARIABLE => Some(read(x)),
        op::ASSIGN_VARIABLE => Some(assign(x)),
        _ => None,
    }
}

fn read(x: &Source<'_, '_>) -> Result<Node<VariableAccess>> {
    let (output, value) = x.output(0)?;
    expect_copyable(value)?;
    // Then the reference op learns the shape from the variable.
    if value.shape.is_empty() {
        return Err(unsupported!("the shape of {value} is known only at run time"));
    }
    Ok(Node::new(VariableAccess::Read(handle(x)?), Vec::new(), vec![output]))
}

fn assign(x: &Source<'_, '_>) -> Result<Node<VariableAccess>> {
    let (input, value) = x.input(1)?;
    expect_copyable(value)?;
    Ok(Node::new(VariableAccess::Assign(handle(x)?), vec![input], Vec::new()))
}

/// An error unless the value has elements that are whole bytes.
fn expect_copyable(value: &Value<'_>) -> Result<()> {
    if value.ty.bits() == 0 || !value.ty.bits().is_multiple_of(8) {
        return Err(unsupported!("{value} is {}; only elements of whole bytes are supported", value.ty));
    }
    expect_elements(value)
}

/// The constant handle in input 0.
fn handle(x: &Source<'_, '_>) -> Result<i32> {
    let (_, value) = x.input(0)?;
    if value.ty != ElementType::Resource {
        return Err(unsupported!("handle {value} is {}; only RESOURCE is supported", value.ty));
    }
    let bytes = value.constant.and_then(|constant| constant.bytes().first_chunk::<4>().copied());
    bytes.map(i32::from_le_bytes).ok_or_else(|| unsupported!("handle {value} is not constant"))
}

impl LayerStep for VariableAccess {
    /// Fails: the program has no such layer, and a loop's body must not have one.
    fn build(&self, _: &NodeValues<'_>, _: &NetValues<'_, '_>, _: &Build) -> Result<Box<dyn Step>> {
        Err(unsupported!("variables inside of a loop are not supported"))
    }

    fn offers(&self) -> Offers<'_> {
        Offers::NONE
    }
}
