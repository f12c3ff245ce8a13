//! Elementwise functions of `f32`, and what a layer does with them to its results.

use crate::{Clamp, Id};

/// A function of one element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub enum Unary {
    /// `|x|`.
    Abs,
    /// `−x`.
    Neg,
    /// `√x`.
    Sqrt,
    /// `1 / √x`.
    Rsqrt,
    /// `x²`.
    Square,
    /// The integer next below.
    Floor,
    /// The integer next above.
    Ceil,
    /// The integer next to it, the even one of two; −0 of −0 alone.
    Round,
    /// `eˣ`.
    Exp,
    /// `x` where that is not negative, else `eˣ − 1`.
    Elu,
    /// `1 / (1 + e⁻ˣ)`.
    Logistic,
    /// `tanh x`.
    Tanh,
    /// `x · min(max(x + 3, 0), 6) / 6`.
    HardSwish,
    /// `x / (1 + e⁻ˣ)`.
    Silu,
    /// `x / 2 · (1 + erf(x / √2))`.
    Gelu,
    /// `x / 2 · (1 + tanh(√(2/π) · (x + 0.044715 x³)))`.
    GeluTanh,
}

impl Unary {
    /// All of them, by number.
    pub const ALL: [Unary; 16] = [
        Unary::Abs,
        Unary::Neg,
        Unary::Sqrt,
        Unary::Rsqrt,
        Unary::Square,
        Unary::Floor,
        Unary::Ceil,
        Unary::Round,
        Unary::Exp,
        Unary::Elu,
        Unary::Logistic,
        Unary::Tanh,
        Unary::HardSwish,
        Unary::Silu,
        Unary::Gelu,
        Unary::GeluTanh,
    ];
}

/// A function of two elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub enum Binary {
    /// `a + b`.
    Add,
    /// `a − b`.
    Sub,
    /// `b − a`.
    SubFrom,
    /// `a · b`.
    Mul,
    /// `a / b`.
    Div,
    /// `b / a`.
    DivInto,
    /// `a` where that is less than `b`, else `b`: it matters for zeros and NaN.
    Min,
    /// `b` where that is less than `a`, else `a`.
    MinOf,
    /// `a` where that is greater than `b`, else `b`.
    Max,
    /// `b` where that is greater than `a`, else `a`.
    MaxOf,
    /// `(a − b)²`.
    SquaredDifference,
    /// `a` where that is not negative, else `a · b`.
    Leak,
    /// `b` where that is not negative, else `a · b`.
    LeakOf,
}

impl Binary {
    /// All of them, by number.
    pub const ALL: [Binary; 13] = [
        Binary::Add,
        Binary::Sub,
        Binary::SubFrom,
        Binary::Mul,
        Binary::Div,
        Binary::DivInto,
        Binary::Min,
        Binary::MinOf,
        Binary::Max,
        Binary::MaxOf,
        Binary::SquaredDifference,
        Binary::Leak,
        Binary::LeakOf,
    ];

    /// The function with its operands the other way round.
    #[inline]
    pub const fn swapped(self) -> Binary {
        match self {
            Binary::Sub => Binary::SubFrom,
            Binary::SubFrom => Binary::Sub,
            Binary::Div => Binary::DivInto,
            Binary::DivInto => Binary::Div,
            Binary::Min => Binary::MinOf,
            Binary::MinOf => Binary::Min,
            Binary::Max => Binary::MaxOf,
            Binary::MaxOf => Binary::Max,
            Binary::Leak => Binary::LeakOf,
            Binary::LeakOf => Binary::Leak,
            other => other,
        }
    }
}

/// One operation on results of `f32`, whichever layer they come from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum EpilogueOp {
    /// With the element of this value at the same place, which has the result's shape.
    Binary(Binary, Id),
    /// With a row of so many elements, over and over: the result's innermost dimension.
    Row(Binary, Id, usize),
    /// With one number.
    Scalar(Binary, f32),
    /// Clamps.
    Clamp(Clamp),
    /// A function.
    Unary(Unary),
}

impl EpilogueOp {
    /// The value that it reads beside the result.
    #[inline]
    pub fn operand(&self) -> Option<Id> {
        match *self {
            EpilogueOp::Binary(_, id) | EpilogueOp::Row(_, id, _) => Some(id),
            EpilogueOp::Scalar(..) | EpilogueOp::Clamp(_) | EpilogueOp::Unary(_) => None,
        }
    }

    /// As [`operand`](Self::operand), to be replaced.
    pub fn operand_mut(&mut self) -> Option<&mut Id> {
        match self {
            EpilogueOp::Binary(_, id) | EpilogueOp::Row(_, id, _) => Some(id),
            EpilogueOp::Scalar(..) | EpilogueOp::Clamp(_) | EpilogueOp::Unary(_) => None,
        }
    }
}
