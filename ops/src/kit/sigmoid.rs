//! Code that LOGISTIC and TANH share: tables for 8 bits, fixed point for 16 bits.
//!
//! Defined by: tflite/kernels/activations.cc (`SigmoidPrepare`, `TanhPrepare`).

use arenite_abi::prelude::*;
use half::{bf16, f16};

use super::fixed_point_i16::multiply_by_pot;
use super::node;
use super::scaled_pair::log2_if_power;
use super::table::FunctionTable;
use super::unary;

plain! {
    /// The kernel of a node.
    pub enum Sigmoid {
        /// For f32, f16 or bf16.
        Real,
        /// For 8 bits: a lookup table.
        Table(FunctionTable),
        /// For 16 bits with any scale: the input is multiplied by `multiplier × 2^-left_shift` to the steps of a table.
        Interpolated {
            /// A positive multiplier.
            multiplier: i32,
            /// The shift, at most 31.
            left_shift: u32,
        },
        /// For 16 bits, if the input's scale is `2^(left_shift - 12)`.
        PowerOfTwo {
            /// The shift, 0 or 1.
            left_shift: i32,
        },
    }
}

/// One function in the forms that [`Sigmoid::eval`] needs.
pub struct Functions {
    /// The function of reals.
    pub real: fn(f32) -> f32,
    /// The function of `(q, multiplier, left_shift)`; see [`Sigmoid::Interpolated`].
    pub interpolated: fn(i16, i32, u32) -> i16,
    /// The function from Q3.12 to Q0.15.
    pub fixed: fn(i16) -> i16,
}

impl Sigmoid {
    /// Chooses the kernel. The fixed-point form serves input scales `2^(s - 12)` for `s` up to `max_power_shift`.
    ///
    /// # Errors
    /// Input and output differ in type or are not quantized, or the output's scale is not the one that the op defines.
    pub fn prepare(
        node: &NodeView<'_>,
        cx: &mut PrepareContext<'_>,
        function: fn(f32) -> f32,
        max_power_shift: i32,
    ) -> Result<Self> {
        let (x, y) = unary::prepare(node, cx)?;
        match x.ty {
            F32 | F16 | BF16 => Ok(Sigmoid::Real),
            I8 | U8 => FunctionTable::prepare(&x, &y, cx, function).map(Sigmoid::Table),
            I16 => fixed(&x, &y, max_power_shift),
            ty => Err(unsupported!("no kernel for {ty}")),
        }
    }

    /// Computes all elements.
    ///
    /// # Errors
    /// A tensor cannot be accessed with the type from `prepare`.
    pub fn eval(&self, cx: &EvalContext<'_>, f: &Functions) -> Result<()> {
        let real = f.real;
        match self {
            Sigmoid::Table(table) => table.eval(cx),
            &Sigmoid::Interpolated { multiplier, left_shift } => {
                unary::map(cx, |q: i16| (f.interpolated)(q, multiplier, left_shift))
            }
            &Sigmoid::PowerOfTwo { left_shift } => {
                unary::map(cx, |q: i16| (f.fixed)(multiply_by_pot(q, left_shift)))
            }
            Sigmoid::Real => match cx.node().output(0)?.ty {
                F16 => unary::map(cx, |x: f16| f16::from_f32(real(x.to_f32()))),
                BF16 => unary::map(cx, |x: bf16| bf16::from_f32(real(x.to_f32()))),
                _ => unary::map(cx, real),
            },
        }
    }
}

fn fixed(x: &TensorView<'_>, y: &TensorView<'_>, max_power_shift: i32) -> Result<Sigmoid> {
    [x, y].into_iter().try_for_each(node::symmetric)?;
    let (from, to) = (node::quant(x)?, node::quant(y)?);
    ensure!(
        log2_if_power(to.scale) == Some(-15),
        "output {y} is INT16 with scale {}; it must be 1/32768",
        to.scale
    );
    if let Some(power) = log2_if_power(from.scale).and_then(|log| log.checked_add(12))
        && (0..=max_power_shift).contains(&power)
    {
        return Ok(Sigmoid::PowerOfTwo { left_shift: power });
    }
    // In steps of 1 / (3 × 4096), with as many bits as fit 16.
    let mut multiplier = f64::from(from.scale) * 4096.0 * 3.0;
    let mut left_shift = 0;
    while multiplier <= 32767.0 / 2.0 && left_shift <= 30 {
        left_shift += 1;
        multiplier *= 2.0;
    }
    Ok(Sigmoid::Interpolated { multiplier: multiplier as i32, left_shift })
}
