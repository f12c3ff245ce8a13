//! Checks every op with every element type and with every number of inputs and outputs against the table `nodes.txt`;
//! [`arenite_abi::testing::nodes`] describes its format.
//!
//! [`attributes`] reads the options. A VARIANT holds a tensor list of two lists of one number.

use arenite_abi::prelude::*;
use arenite_abi::testing::nodes::{self, Nodes, Operand, Refusals};
use arenite_abi::testing::{Spec, Tensor};

use super::cases::list_of;
use crate::kit::write::attributes;

/// Messages for rejected types that do not name the type.
const UNNAMED: &[&str] = &[
    "# has # elements, which do not fit #",
    "# is # integers are needed",
    "# is not a valid shape; sizes must not be negative, and at most # axes are supported",
    "# is not an element type of this op",
    "axis # does not exist in a tensor of rank #",
    "delta is #",
    "eval gave the dynamic output # no shape",
    "input # is # which this op does not support",
    "the element shape is the scalar # a list of sizes, or # is needed",
    "weights are complex numbers",
];

/// Messages for rejected types; `#` is a name, a type or a number.
const FORMS: &[&str] = &[
    "eval gave the dynamic output # no shape",
    "# has # elements, which do not fit #",
    "# has no order",
    "# is # integers are needed",
    "# is # is # both must be #",
    "# is # is # they must agree",
    "# is # not #",
    "# is # it must be a number of # or # bits",
    "# is # the list's elements are # they must agree",
    "# is # the output is # they must agree",
    "# is # which has no order",
    "# is # which can be neither subtracted nor ordered",
    "# is # which this op does not support",
    "# is # whose elements cannot be compared",
    "# is not a valid shape; sizes must not be negative, and at most # axes are supported",
    "# is not an element type of this op",
    "axis # does not exist in a tensor of rank #",
    "delta is #",
    "input # is # output # is # complex numbers to reals are needed",
    "input # is # output # is # one type of complex numbers is needed",
    "input # is # output # is # reals to complex numbers are needed",
    "input # is # which this op does not support",
    "input is # output # is # it must be #",
    "inputs # and # must have the same type, which must not be complex",
    "inputs are # output # is # they must agree",
    "inputs are # which this op does not support",
    "output # is # it must be #",
    "output # is # whose size depends on its contents; it must be set dynamic",
    "output # is # which this op cannot produce",
    "output # is # which this op does not support",
    "the element shape is the scalar # a list of sizes, or # is needed",
    "the list's elements are # output # is # they must agree",
    "weights are complex numbers",
];

/// A tensor of any type.
fn tensor(ty: ElementType, shape: &[i32], data: &[&str]) -> Tensor {
    if ty != ElementType::Variant {
        return nodes::tensor(ty, shape, data);
    }
    let list = list_of(F32, None, &[1.0, 2.0].map(|x| Some(Tensor::f32(&[1], &[x]))));
    Tensor::raw(ty, shape, list.bytes())
}

#[test]
fn every_type_and_number_of_tensors() {
    let names: Vec<&str> = crate::OPS.iter().map(|op| op.name).collect();
    let run = |op: usize, options: &'static str, inputs: &[Operand], outputs: &[Spec]| {
        let inputs: Vec<Tensor> = inputs.iter().filter_map(|x| x.tensor().cloned()).collect();
        let outputs: Vec<ElementType> = outputs.iter().map(Spec::ty).collect();
        crate::OPS[op].fed(&attributes(options).expect("attributes"), &inputs, &outputs)
    };
    let table = include_str!("nodes.txt");
    let nodes = Nodes { table, ops: &names, forms: FORMS, unnamed: UNNAMED, tensor: &tensor, run: &run };
    assert_eq!(nodes.check(), Refusals { types: 22_765, counts: 4_376 });
}
