//! Every op with every element type, and with every number of inputs and outputs, against the table `nodes.txt`, whose form
//! [`arenite_abi::testing::nodes`] tells.
//!
//! An attribute is `n=2`, `n=0.5`, `n=true`, `n='text'`, `n=:F32`, `n=(1,2)` or `n=<2,3>`, a shape. A VARIANT is a tensor list of
//! two lists of one number.

use arenite_abi::prelude::*;
use arenite_abi::testing::nodes::{self, Nodes, Operand, Refusals, numbers, type_of};
use arenite_abi::testing::{Spec, Tensor};

use super::tables;
use crate::kit::write::Attribute;

/// What types are refused with, though it does not name them.
const UNNAMED: &[&str] = &[
    "# has # elements, which do not fit #",
    "# is # integers are needed",
    "# is no shape; sizes must not be negative, and at most # axes are served",
    "# is not an element type of this op",
    "axis # does not exist in a tensor of rank #",
    "delta is #",
    "eval gave the dynamic output # no shape",
    "input # is # which this op does not serve",
    "the element shape is the scalar # a list of sizes, or # is needed",
    "weights are complex numbers",
];

/// What types are refused with, `#` standing for a name, a type or a number.
const FORMS: &[&str] = &[
    "eval gave the dynamic output # no shape",
    "# has # elements, which do not fit #",
    "# has no order",
    "# is # integers are needed",
    "# is # is # both must be #",
    "# is # is # they must agree",
    "# is # not #",
    "# is # numbers of # or # bits are made",
    "# is # output is # they must agree",
    "# is # the list's elements are #",
    "# is # the output is # they must agree",
    "# is # which has no order",
    "# is # which is neither subtracted nor ordered",
    "# is # which this op does not serve",
    "# is # whose elements are not compared",
    "# is no shape; sizes must not be negative, and at most # axes are served",
    "# is not an element type of this op",
    "axis # does not exist in a tensor of rank #",
    "delta is #",
    "input # is # output # is # complex numbers to reals are needed",
    "input # is # output # is # one type of complex numbers is needed",
    "input # is # output # is # reals to complex numbers are needed",
    "input # is # output # is # they must agree",
    "input # is # output is # they must agree",
    "input # is # which this op does not serve",
    "input is # output # is # it must be #",
    "inputs # and # are # and # they must agree",
    "inputs # and # must be of one type, and not complex",
    "inputs are # output # is # they must agree",
    "inputs are # which this op does not serve",
    "output # is # it must be #",
    "output # is # whose size depends on its contents; it must be set dynamic",
    "output # is # which this op does not give",
    "output # is # which this op does not serve",
    "the element shape is the scalar # a list of sizes, or # is needed",
    "the list's elements are # output # is #",
    "weights are complex numbers",
];

fn attribute(text: &'static str) -> (&'static str, Attribute<'static>) {
    let (name, value) = text.split_once('=').unwrap();
    let inner = &value[1..value.len().max(2) - 1];
    let value = match value.as_bytes()[0] {
        b'\'' => Attribute::Text(inner),
        b'(' => Attribute::Ints(numbers(inner).leak()),
        b'<' => Attribute::Shape(numbers(inner).leak()),
        b':' => Attribute::Type(type_of(&value[1..])),
        _ if value == "true" || value == "false" => Attribute::Bool(value == "true"),
        _ if value.contains('.') => Attribute::Float(value.parse().unwrap()),
        _ => Attribute::Int(value.parse().unwrap()),
    };
    (name, value)
}

/// A tensor of any type.
fn tensor(ty: ElementType, shape: &[i32], data: &[&str]) -> Tensor {
    if ty != ElementType::Variant {
        return nodes::tensor(ty, shape, data);
    }
    let list = tables::list(F32, None, &[Some(tables::floats(&[1.0])), Some(tables::floats(&[2.0]))]);
    Tensor::raw(ty, shape, list.bytes())
}

#[test]
fn every_type_and_number_of_tensors() {
    let names: Vec<&str> = crate::OPS.iter().map(|op| op.name).collect();
    let run = |op: usize, options: &'static str, inputs: &[Operand], outputs: &[Spec]| {
        let attributes: Vec<_> = options.split_whitespace().filter(|x| *x != "-").map(attribute).collect();
        let inputs: Vec<Tensor> = inputs.iter().filter_map(|x| x.tensor().cloned()).collect();
        let outputs: Vec<ElementType> = outputs.iter().map(Spec::ty).collect();
        crate::OPS[op].fed(&attributes, &inputs, &outputs)
    };
    let table = include_str!("nodes.txt");
    let nodes = Nodes { table, ops: &names, forms: FORMS, unnamed: UNNAMED, tensor: &tensor, run: &run };
    assert_eq!(nodes.check(), Refusals { types: 21_183, counts: 4_124 });
}
