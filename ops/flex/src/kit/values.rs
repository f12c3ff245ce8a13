//! All elements of a tensor at once, widened: for ops whose work is not in their types.

use arenite_abi::prelude::*;

use super::number::{Number, complexes, put_complexes, put_reals, reals};
use crate::by_type;

/// The elements of a tensor.
#[derive(Clone, Debug)]
pub enum Values {
    /// Of reals.
    Real(Vec<f64>),
    /// Of integers, and truth values as 0 and 1.
    Int(Vec<i128>),
    /// Of complex numbers.
    Complex(Vec<Complex64>),
}

impl Values {
    /// The elements of `x`.
    pub fn of(x: &TensorView<'_>) -> Result<Values> {
        match x.ty {
            F16 | BF16 | F32 | F64 => reals(x).map(Values::Real),
            C64 | C128 => complexes(x).map(Values::Complex),
            ElementType::Bool => {
                Ok(Values::Int(x.as_slice::<Bool>()?.iter().map(|b| (b.0 != 0).into()).collect()))
            }
            ty => by_type!(ty, int: T => {
                Ok(Values::Int(x.as_slice::<T>()?.iter().map(|&i| i.wide()).collect()))
            }),
        }
    }

    /// Writes them to an output of that kind; integers keep their low bits.
    pub fn put(self, y: TensorViewMut<'_>) -> Result<()> {
        match self {
            Values::Real(values) => put_reals(y, values),
            Values::Complex(values) => put_complexes(y, values),
            Values::Int(values) if y.ty() == ElementType::Bool => {
                y.into_slice::<Bool>()?.iter_mut().zip(values).for_each(|(y, v)| *y = Bool((v != 0).into()));
                Ok(())
            }
            Values::Int(values) => by_type!(y.ty(), int: T => {
                y.into_slice::<T>()?.iter_mut().zip(values).for_each(|(y, v)| *y = T::narrow(v));
                Ok(())
            }),
        }
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        match self {
            Values::Real(values) => values.len(),
            Values::Int(values) => values.len(),
            Values::Complex(values) => values.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// `count` zeros of the same kind.
    pub fn zeros(&self, count: usize) -> Values {
        match self {
            Values::Real(_) => Values::Real(vec![0.0; count]),
            Values::Int(_) => Values::Int(vec![0; count]),
            Values::Complex(_) => Values::Complex(vec![Complex64 { re: 0.0, im: 0.0 }; count]),
        }
    }

    /// The number 1 of the same kind.
    pub fn one(&self) -> Values {
        match self {
            Values::Real(_) => Values::Real(vec![1.0]),
            Values::Int(_) => Values::Int(vec![1]),
            Values::Complex(_) => Values::Complex(vec![Complex64 { re: 1.0, im: 0.0 }]),
        }
    }

    /// `y[to] += a[i] b[j]` for each `(to, i, j)`; the kinds agree.
    pub fn add_products(
        &mut self,
        a: &Values,
        b: &Values,
        places: &mut dyn Iterator<Item = (usize, usize, usize)>,
    ) {
        match (self, a, b) {
            (Values::Real(y), Values::Real(a), Values::Real(b)) => {
                places.for_each(|(to, i, j)| y[to] += a[i] * b[j]);
            }
            (Values::Int(y), Values::Int(a), Values::Int(b)) => {
                places.for_each(|(to, i, j)| y[to] = y[to].wrapping_add(a[i].wrapping_mul(b[j])));
            }
            (Values::Complex(y), Values::Complex(a), Values::Complex(b)) => {
                places.for_each(|(to, i, j)| {
                    y[to] = super::complex::add(y[to], super::complex::mul(a[i], b[j]))
                });
            }
            _ => {}
        }
    }

    /// The conjugates.
    pub fn conjugated(self) -> Values {
        match self {
            Values::Complex(values) => {
                Values::Complex(values.into_iter().map(super::complex::conj).collect())
            }
            other => other,
        }
    }
}
