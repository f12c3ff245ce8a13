//! Tables of nodes: the inputs of an op and the expected outputs.

pub(crate) use core::slice::from_ref;

pub(crate) use arenite_abi::prelude::*;
pub(crate) use arenite_abi::testing::Tensor;
use half::{bf16, f16};

use super::{Subject, op};
use crate::kit::list::{Element, List};
pub(crate) use crate::kit::write::Attribute::{self, Bool, Int, Ints, Shape, Text, Type};

/// Checks that these inputs give these outputs, bit by bit.
pub(crate) fn gives<T: Op>(attributes: &[(&str, Attribute<'_>)], inputs: &[Tensor], outputs: &[Tensor]) {
    given(op::<T>(), attributes, inputs, outputs);
}

fn given(op: Subject, attributes: &[(&str, Attribute<'_>)], inputs: &[Tensor], outputs: &[Tensor]) {
    let types: Vec<_> = outputs.iter().map(Tensor::ty).collect();
    let got = op.run(attributes, inputs, &types);
    let got = got.unwrap_or_else(|error| panic!("{inputs:?}: {}", error.message()));
    for (got, want) in got.iter().zip(outputs) {
        let equal = got.shape() == want.shape() && got.bytes() == want.bytes();
        assert!(equal, "{inputs:?} give {got:?}, not {want:?}");
    }
}

/// Checks that the op rejects these inputs with this message.
pub(crate) fn refuses<T: Op>(
    attributes: &[(&str, Attribute<'_>)],
    inputs: &[Tensor],
    outputs: &[ElementType],
    message: &str,
) {
    assert_eq!(op::<T>().refusal(attributes, inputs, outputs), message, "{inputs:?}");
}

/// Runs a table of nodes once for each element type, with tensors of small numbers. As BOOL a number stands for its
/// parity, as STRING for its digits; 0 is the empty string.
pub(crate) fn each_type(table: impl Fn(&dyn Fn(&[i32], &[u8]) -> Tensor)) {
    macro_rules! types {
        ($($($ty:ident)::+ => $convert:expr;)*) => {$(
            table(&|shape, x| Tensor::$($ty)::+(shape, &x.iter().map($convert).collect::<Vec<_>>()));
        )*};
    }
    types! {
        bool => |&x| x % 2 == 1;
        i8 => |&x| x as i8;
        u8 => |&x| x;
        i16 => |&x| x.into();
        i32 => |&x| x.into();
        i64 => |&x| x.into();
        f16 => |&x| f16::from_f32(x.into());
        bf16 => |&x| bf16::from_f32(x.into());
        f32 => |&x| x.into();
        f64 => |&x| x.into();
        complex64 => |&x| Complex32 { re: x.into(), im: 1.0 - f32::from(x == 0) };
        complex128 => |&x| Complex64 { re: x.into(), im: 1.0 - f64::from(x == 0) };
        strings => |&x| if x == 0 { String::new() } else { x.to_string() };
    }
}

macro_rules! constructors {
    ($($list:ident, $one:ident, $new:ident, $rust:ty, $ty:literal;)*) => {$(
        #[doc = concat!("A list of ", $ty, ".")]
        pub(crate) fn $list(x: &[$rust]) -> Tensor {
            Tensor::$new(&[x.len() as i32], x)
        }

        #[doc = concat!("A scalar ", $ty, ".")]
        pub(crate) fn $one(x: $rust) -> Tensor {
            Tensor::$new(&[], &[x])
        }
    )*};
}

constructors! {
    ints, int, i32, i32, "INT32";
    longs, long, i64, i64, "INT64";
    floats, float, f32, f32, "FLOAT32";
    doubles, double, f64, f64, "FLOAT64";
    texts, text, strings, &str, "STRING";
    bools, truth, bool, bool, "BOOL";
}

/// A tensor list; `None` is an unknown element shape, or an absent element.
pub(crate) fn list(ty: ElementType, shape: Option<&[i64]>, elements: &[Option<Tensor>]) -> Tensor {
    fn element(x: &Tensor) -> Element<'_> {
        Element { shape: x.shape().to_vec(), data: x.bytes() }
    }
    let elements = elements.iter().map(|x| x.as_ref().map(element)).collect();
    let list = List { ty, shape: shape.map(<[i64]>::to_vec), elements };
    Tensor::raw(ElementType::Variant, &[], &list.bytes())
}
