//! Nodes of ops for tests.

use arenite_abi::prelude::*;
use arenite_abi::testing::{OpTest, Spec, Tensor};

use super::write::{Attribute, custom_options};

pub(crate) mod cases;
mod elementwise;
mod gives;
pub(crate) use elementwise::*;
pub(crate) use gives::*;
pub(crate) mod tables;

/// A node of `T` with these attributes, inputs and outputs.
pub(crate) fn node<T: Op>(
    attributes: &[(&str, Attribute<'_>)],
    inputs: &[Tensor],
    outputs: &[ElementType],
) -> OpTest<T> {
    let OpCode::Custom(name) = T::CODE else { panic!("the op is a custom one") };
    let test = OpTest::<T>::new().custom_options(&custom_options(&name[4..], attributes));
    let test = inputs.iter().fold(test, |test, x| test.input(x.clone()));
    outputs.iter().fold(test, |test, &ty| test.output(Spec::of(ty)))
}

/// Its outputs; the same whether inputs are constant or not.
pub(crate) fn run<T: Op>(
    attributes: &[(&str, Attribute<'_>)],
    inputs: &[Tensor],
    outputs: &[ElementType],
) -> Result<Vec<Tensor>> {
    let fed = node::<T>(attributes, inputs, outputs).run();
    let constant = inputs.iter().fold(node::<T>(attributes, &[], &[]), |test, x| test.constant(x.clone()));
    let constant = outputs.iter().fold(constant, |test, &ty| test.output(Spec::of(ty))).run();
    match (&fed, &constant) {
        (Ok(a), Ok(b)) => assert_eq!(a, b),
        (Err(a), Err(b)) => assert_eq!(a.message(), b.message()),
        _ => panic!("constant and fed inputs differ: {fed:?} {constant:?}"),
    }
    fed
}

/// Its one output.
pub(crate) fn one<T: Op>(attributes: &[(&str, Attribute<'_>)], inputs: &[Tensor], ty: ElementType) -> Tensor {
    run::<T>(attributes, inputs, &[ty]).unwrap().remove(0)
}

/// What it is refused with.
pub(crate) fn refusal<T: Op>(
    attributes: &[(&str, Attribute<'_>)],
    inputs: &[Tensor],
    outputs: &[ElementType],
) -> String {
    run::<T>(attributes, inputs, outputs).unwrap_err().message().to_owned()
}
