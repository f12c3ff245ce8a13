//! Runs single nodes in tests.

use arenite_abi::prelude::*;
use arenite_abi::testing::{OpTest, Spec, Tensor};

use super::write::{Attribute, custom_options};

mod cases;
pub(crate) mod elementwise;
pub(crate) use elementwise::*;
mod nodes;

/// Runs a node with these custom options, inputs and outputs; the flag makes the inputs constant.
type Once = fn(&[u8], &[Tensor], &[ElementType], bool) -> Result<Vec<Tensor>>;

/// The op under test.
#[derive(Clone, Copy)]
pub(crate) struct Subject {
    /// The name of the custom op.
    pub(crate) name: &'static str,
    once: Once,
}

/// The subject for the op `T`.
pub(crate) const fn op<T: Op>() -> Subject {
    let OpCode::Custom(name) = T::CODE else { panic!("the op is a custom one") };
    Subject { name, once: once::<T> }
}

/// Builds a node of `T` with these attributes, inputs and outputs.
pub(crate) fn node<T: Op>(
    attributes: &[(&str, Attribute<'_>)],
    inputs: &[Tensor],
    outputs: &[ElementType],
) -> OpTest<T> {
    let test = OpTest::<T>::new().custom_options(&custom_options(&op::<T>().name[4..], attributes));
    let test = inputs.iter().fold(test, |test, x| test.input(x.clone()));
    outputs.iter().fold(test, |test, &ty| test.output(Spec::of(ty)))
}

fn once<T: Op>(
    options: &[u8],
    inputs: &[Tensor],
    outputs: &[ElementType],
    constant: bool,
) -> Result<Vec<Tensor>> {
    let mut test = OpTest::<T>::new().custom_options(options);
    for x in inputs {
        test = if constant { test.constant(x.clone()) } else { test.input(x.clone()) };
    }
    for &ty in outputs {
        test = test.output(Spec::of(ty));
    }
    test.run()
}

impl Subject {
    /// Runs a node whose inputs have data only in `eval`, and returns its outputs.
    pub(crate) fn fed(
        self,
        attributes: &[(&str, Attribute<'_>)],
        inputs: &[Tensor],
        outputs: &[ElementType],
    ) -> Result<Vec<Tensor>> {
        (self.once)(&custom_options(&self.name[4..], attributes), inputs, outputs, false)
    }

    /// Runs a node and returns its outputs; checks that constant inputs give the same result.
    pub(crate) fn run(
        self,
        attributes: &[(&str, Attribute<'_>)],
        inputs: &[Tensor],
        outputs: &[ElementType],
    ) -> Result<Vec<Tensor>> {
        let options = custom_options(&self.name[4..], attributes);
        let [fed, constant] = [false, true].map(|constant| (self.once)(&options, inputs, outputs, constant));
        match (&fed, &constant) {
            (Ok(a), Ok(b)) => assert_eq!(a, b, "{}", self.name),
            (Err(a), Err(b)) => assert_eq!(a.message(), b.message(), "{}", self.name),
            _ => panic!("constant and fed inputs of {} differ: {fed:?} {constant:?}", self.name),
        }
        fed
    }

    /// Runs a node with a single output.
    pub(crate) fn one(
        self,
        attributes: &[(&str, Attribute<'_>)],
        inputs: &[Tensor],
        ty: ElementType,
    ) -> Tensor {
        let outputs = self.run(attributes, inputs, &[ty]);
        outputs.unwrap_or_else(|e| panic!("{} of {inputs:?}: {}", self.name, e.message())).remove(0)
    }

    /// The message of the error that the node returns.
    pub(crate) fn refusal(
        self,
        attributes: &[(&str, Attribute<'_>)],
        inputs: &[Tensor],
        outputs: &[ElementType],
    ) -> String {
        match self.run(attributes, inputs, outputs) {
            Ok(got) => panic!("{} makes {got:?} of {inputs:?}", self.name),
            Err(error) => error.message().to_owned(),
        }
    }
}

/// Like [`Subject::one`].
pub(crate) fn one<T: Op>(attributes: &[(&str, Attribute<'_>)], inputs: &[Tensor], ty: ElementType) -> Tensor {
    op::<T>().one(attributes, inputs, ty)
}

/// Like [`Subject::refusal`].
pub(crate) fn refusal<T: Op>(
    attributes: &[(&str, Attribute<'_>)],
    inputs: &[Tensor],
    outputs: &[ElementType],
) -> String {
    op::<T>().refusal(attributes, inputs, outputs)
}
