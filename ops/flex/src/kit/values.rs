//! All elements of a tensor, widened, for ops whose cost is not dominated by conversions.

use arenite_abi::prelude::*;

use super::number::{Number, complexes, put_complexes, put_reals, reals};
use crate::by_type;

/// The widened elements of a tensor.
#[derive(Clone, Debug)]
pub enum Values {
    /// Real elements.
    Real(Vec<f64>),
    /// Integer elements; booleans are 0 and 1.
    Int(Vec<i128>),
    /// Complex elements.
    Complex(Vec<Complex64>),
}

impl Values {
    /// Reads the elements of `x`.
    ///
    /// # Errors
    /// The type is not numeric or boolean.
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

    /// Writes the elements to an output of the same kind; integers keep their low bits.
    ///
    /// # Errors
    /// The output is of another kind.
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

    /// The number of elements.
    pub fn len(&self) -> usize {
        match self {
            Values::Real(values) => values.len(),
            Values::Int(values) => values.len(),
            Values::Complex(values) => values.len(),
        }
    }

    /// Whether the list is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns `count` zeros of the same kind.
    pub fn zeros(&self, count: usize) -> Values {
        match self {
            Values::Real(_) => Values::Real(vec![0.0; count]),
            Values::Int(_) => Values::Int(vec![0; count]),
            Values::Complex(_) => Values::Complex(vec![Complex64 { re: 0.0, im: 0.0 }; count]),
        }
    }

    /// Returns a single 1 of the same kind.
    pub fn one(&self) -> Values {
        match self {
            Values::Real(_) => Values::Real(vec![1.0]),
            Values::Int(_) => Values::Int(vec![1]),
            Values::Complex(_) => Values::Complex(vec![Complex64 { re: 1.0, im: 0.0 }]),
        }
    }

    /// Computes `y[to] += a[i] b[j]` for each `(to, i, j)`; all operands must be of the same kind.
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

    /// Returns the complex conjugates.
    pub fn conjugated(self) -> Values {
        match self {
            Values::Complex(values) => {
                Values::Complex(values.into_iter().map(super::complex::conj).collect())
            }
            other => other,
        }
    }
}
