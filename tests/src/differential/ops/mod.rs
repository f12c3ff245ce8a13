//! The tables from which graphs are drawn, one per family of ops. An entry draws one node that suits tensors of the
//! pool.

pub mod convert;
pub mod large;
pub mod loops;
pub mod moves;
pub mod pairs;
pub mod phrases;
pub mod products;
pub mod recurrent;
pub mod reduce;
pub mod shorts;
pub mod slices;
pub mod transforms;
pub mod typed;
pub mod unary;
pub mod volumes;
pub mod windows;

use arenite::ElementType::{Bool, F32, I8, I16, I32, I64, U8};
use arenite_abi::schema::activation;

use super::graph::{Form, Kind};
use super::net::Net;

/// Draws a node of this kind; `None` if it would be useless.
pub type Draw = fn(&mut Net, Kind) -> Option<()>;

/// An op.
pub struct Entry {
    /// The op's name.
    pub op: &'static str,
    /// The forms that the CPU delegate claims.
    pub claimed: &'static [Form],
    /// The forms that the delegate leaves to the reference ops, between its own nodes.
    pub left: &'static [Form],
    /// Draws a node.
    pub draw: Draw,
}

/// The elements of a tensor of this shape, which may be too large to draw.
fn elements(shape: &[i32]) -> i64 {
    shape.iter().fold(1, |count: i64, &size| count.saturating_mul(size.into()))
}

const fn entry(op: &'static str, claimed: &'static [Form], left: &'static [Form], draw: Draw) -> Entry {
    Entry { op, claimed, left, draw }
}

/// All ops.
pub const FAMILIES: [&[Entry]; 15] = [
    unary::OPS,
    pairs::OPS,
    shorts::OPS,
    typed::OPS,
    convert::OPS,
    products::OPS,
    large::OPS,
    volumes::OPS,
    windows::OPS,
    reduce::OPS,
    moves::OPS,
    slices::OPS,
    loops::OPS,
    recurrent::OPS,
    transforms::OPS,
];

const REAL: Form = Form::Of(F32);
const SIGNED: Form = Form::Of(I8);
const UNSIGNED: Form = Form::Of(U8);
const SHORT: Form = Form::Of(I16);
const WHOLE: Form = Form::Of(I32);
const LONG: Form = Form::Of(I64);
const TRUTH: Form = Form::Of(Bool);
/// The types of ops that only move elements.
const ANY: &[Form] = &[REAL, SIGNED, UNSIGNED, SHORT, WHOLE, LONG, TRUTH];
const REALS: &[Form] = &[REAL];
const REAL_AND_BYTES: &[Form] = &[REAL, SIGNED, UNSIGNED];
const NONE: &[Form] = &[];

/// A fused activation that the op supports, or usually none.
fn activation(net: &mut Net) -> i8 {
    match net.random.below(100) {
        0..45 => activation::NONE,
        45..60 => activation::RELU,
        60..75 => activation::RELU_N1_TO_1,
        75..99 => activation::RELU6,
        _ => activation::TANH,
    }
}
