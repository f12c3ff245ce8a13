//! FLOOR_DIV of `f32` by constants: a divisor of zero is an error, which the step cannot report.
//!
//! Defined by: tflite/kernels/floor_div.cc.

use arenite_abi::prelude::*;
use arenite_layers::{Node, Source};

use super::typed::{TypedFunction, expect_types, node};
use super::typed_functions::FloorDivision;
use super::typed_loops::two;

/// Lowers the node if it is a FLOOR_DIV of floats.
pub(super) fn lower(x: &Source<'_, '_>) -> Option<Result<Node<TypedFunction>>> {
    let is_division = x.node.builtin_code() == op::FLOOR_DIV && x.input(0).ok()?.1.ty == F32;
    is_division.then(|| division(x))
}

fn division(x: &Source<'_, '_>) -> Result<Node<TypedFunction>> {
    expect_types(x, &[F32, F32], F32)?;
    let (_, divisor) = x.input(1)?;
    match divisor.elements::<f32>()? {
        Some(numbers) if numbers.iter().all(|&number| number != 0.0) => {}
        Some(_) => return Err(unsupported!("the divisor {divisor} has zeros, which are an error")),
        None => return Err(unsupported!("the divisor {divisor} is not constant; zeros in it are an error")),
    }
    node(x, "arithmetic", (two::<f32, f32, FloorDivision>(), None), None)
}
