//! Values: the tensors that layers read and write.

use arenite_abi::prelude::*;
use arenite_base::{Quant, Stored};

use super::grid::{Grid, per_tensor};
use super::reals::{Real, Reals};

/// The position of a value in [`Net::values`](crate::net::Net::values).
pub type Id = usize;

/// A tensor.
#[derive(Clone, Debug)]
pub struct Value<'a> {
    /// The name in the model.
    pub name: &'a str,
    /// The element type.
    pub ty: ElementType,
    /// Dimensions, outermost first.
    pub shape: Vec<usize>,
    /// Per-tensor quantization.
    pub quant: Option<Quant>,
    /// The data of a constant.
    pub constant: Option<TensorView<'a>>,
    /// Whether it keeps its value from one invocation to the next.
    pub is_variable: bool,
    /// The index in the graph; `None` for a value that a pass added.
    pub tensor: Option<usize>,
    /// The grid of a quantized tensor that is seen as floats.
    pub grid: Option<Grid>,
    /// The floats of a quantized constant.
    pub real: Option<Real<'a>>,
    /// The stored form of dequantized weights, and the constant that they come from.
    pub stored: Option<(Stored<'a>, Id)>,
}

/// The name in quotes, as messages have it.
impl core::fmt::Display for Value<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "'{}'", self.name)
    }
}

impl<'a> Value<'a> {
    /// The value of a tensor.
    pub fn of(tensor: &TensorView<'a>) -> Self {
        Value {
            name: tensor.name(),
            ty: tensor.ty,
            shape: tensor.shape.iter().map(|&d| d.max(0) as usize).collect(),
            quant: per_tensor(tensor),
            constant: tensor.is_constant().then_some(*tensor),
            is_variable: tensor.is_variable(),
            tensor: None,
            grid: None,
            real: None,
            stored: None,
        }
    }

    /// Shows a quantized tensor, or the constant bias of a quantized product, as floats.
    pub(crate) fn show_reals(&mut self, reals: &'a Reals, tensor: usize) {
        let is_bytes = matches!(self.ty, I8 | U8);
        if let Some(constant) = self.constant {
            let real = reals.constant(tensor, constant).filter(|_| is_bytes || self.ty == I32);
            if real.is_some() {
                (self.real, self.ty, self.quant) = (real, F32, None);
            }
        } else if let Some(quant) = self.quant.take_if(|_| is_bytes) {
            self.grid = Some(Grid { ty: self.ty, quant });
            self.ty = F32;
        }
    }

    /// The bytes of a constant; of its floats if it is quantized.
    pub fn data(&self) -> Option<&'a [u8]> {
        let floats = self.real.map(|real| bytemuck::cast_slice(real.floats()));
        floats.or_else(|| self.constant.map(|constant| constant.bytes()))
    }

    /// The number of elements, which [`Values::add`](crate::Values::add) checked for overflow.
    pub fn len(&self) -> usize {
        self.shape.iter().product()
    }

    /// Whether the value has no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Its size in bytes.
    pub fn bytes(&self) -> usize {
        self.ty.bytes_of(self.len()).unwrap_or(0)
    }

    /// The elements of a constant; `None` if it is not constant.
    ///
    /// # Errors
    /// If `T` is not the element type.
    pub fn elements<T: Element>(&self) -> Result<Option<&'a [T]>> {
        if let (Some(real), true) = (self.real, T::TYPE == F32) {
            return Ok(Some(bytemuck::cast_slice(real.floats())));
        }
        self.constant.as_ref().map(TensorView::as_slice).transpose()
    }

    /// The constant that this value is, or is dequantized from; `id` is the value's own id.
    pub fn source(&self, id: Id) -> Option<Id> {
        self.stored.map(|(_, source)| source).or(self.constant.is_some().then_some(id))
    }

    /// The stored form of a constant that layers can pack: half precision, or `i8` with zero points of 0.
    pub(crate) fn stored_data(&self) -> Option<Stored<'a>> {
        if self.ty == F16 {
            return Some(Stored::F16(self.elements().ok()??));
        }
        let bytes = self.elements::<i8>().ok()??;
        let q = self.constant.as_ref()?.quantization()?;
        let (scales, zero_points) = (q.scales, q.zero_points);
        let count = *self.shape.get(q.dimension)?;
        let fits = scales.len() == 1 || (scales.len() == count && q.block_size == 0);
        (fits && zero_points.iter().all(|&z| z == 0)).then(|| Stored::I8 {
            bytes,
            scales,
            inner: self.shape[q.dimension + 1..].iter().product::<usize>().max(1),
        })
    }

    /// The elements of constant weights; `None` if they are not constant.
    ///
    /// # Errors
    /// If the weights are not `f32`.
    pub fn weights(&self) -> Result<Option<Stored<'a>>> {
        let stored = self.stored.map(|(stored, _)| stored);
        match stored.or_else(|| self.real.and_then(|_| self.stored_data())) {
            Some(stored) => Ok(Some(stored)),
            None => Ok(self.elements()?.map(Stored::F32)),
        }
    }
}

/// Whether a tensor's data is aligned to its element size, up to 8 bytes.
pub fn is_aligned(tensor: &TensorView<'_>) -> bool {
    let size = (tensor.ty.bits() as usize / 8).clamp(1, 8).next_power_of_two();
    tensor.as_ptr().addr().is_multiple_of(size)
}
