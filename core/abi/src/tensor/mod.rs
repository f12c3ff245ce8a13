//! Tensors in plugins: element types, quantization, and views that borrow the host's memory.

mod cells;
mod element;
mod elements;

use core::fmt;
use core::marker::PhantomData;

use crate::raw::{self, ArQuantizationV1, ArStr, ArTensorV1};
use crate::{Result, ensure, invalid};

pub use cells::{ReadCells, cells_of, word_cells};
pub(crate) use cells::{byte_cells, cells};
pub use element::{Bool, Complex32, Complex64, Element, ElementType, ElementTypes};
pub(crate) use elements::elements;

/// Quantization parameters: `real = scale × (q − zero_point)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quantization<'a> {
    /// One per slice of [`dimension`](Self::dimension), or a single one. Never empty.
    pub scales: &'a [f32],
    /// As many as scales, or a single one. Never empty.
    pub zero_points: &'a [i64],
    /// The dimension along which scales vary.
    pub dimension: usize,
    /// Number of elements along `dimension` that share a scale; 0 unless blockwise.
    pub block_size: usize,
}

impl Quantization<'_> {
    /// Whether scales vary along [`dimension`](Self::dimension).
    pub fn is_per_channel(&self) -> bool {
        self.scales.len() > 1
    }

    /// The scale of channel `c`.
    pub fn scale_of(&self, c: usize) -> f32 {
        self.scales[if self.scales.len() == 1 { 0 } else { c }]
    }
}

/// A tensor borrowed from the host. In `prepare` it has data only if it is constant; in `eval` it always has data.
#[derive(Clone, Copy)]
pub struct TensorView<'a> {
    /// The element type.
    pub ty: ElementType,
    /// The dimensions, outermost first; empty for a scalar.
    pub shape: &'a [i32],
    // Copied from the host's entry, which `resize_output` may change while the view exists.
    data: *mut u8,
    bytes: usize,
    quantization: *const ArQuantizationV1,
    /// `TENSOR_*`.
    flags: u32,
    name: ArStr,
}

impl<'a> TensorView<'a> {
    /// Wraps the host's entry.
    ///
    /// # Safety
    /// Shape, name and quantization must be valid for `'a`. Unless [`described`](Self::described) removes it before a
    /// slice of it is made, the data must be valid for `'a` too, and not be written while a slice is borrowed.
    pub(crate) unsafe fn from_raw(raw: &ArTensorV1) -> Result<Self> {
        let ty = ElementType::from_raw(raw.element_type)
            .ok_or_else(|| invalid!("element type {} is unknown", raw.element_type))?;
        // SAFETY: the caller guarantees that `dims` has `rank` elements.
        let shape = unsafe { raw::slice(raw.dims, raw.rank as usize) };
        let ArTensorV1 { data, bytes, quantization, flags, name, .. } = *raw;
        Ok(TensorView { ty, shape, data: data.cast(), bytes: bytes as usize, quantization, flags, name })
    }

    /// The tensor without its data, unless it is constant: data that others may write must not become a slice.
    pub(crate) fn described(mut self) -> Self {
        if !self.is_constant() {
            self.data = core::ptr::null_mut();
        }
        self
    }

    /// The name of the tensor in the model. It is checked to be UTF-8 at each call, so call this only for messages.
    pub fn name(&self) -> &'a str {
        // SAFETY: `from_raw` requires that the name is valid for `'a`.
        unsafe { self.name.as_str() }
    }

    /// The number of dimensions.
    pub fn rank(&self) -> usize {
        self.shape.len()
    }

    /// The number of elements; 1 for a scalar.
    pub fn len(&self) -> usize {
        element_count(self.shape)
    }

    /// Whether a dimension is zero.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The size of the data in bytes.
    pub fn byte_len(&self) -> usize {
        self.bytes
    }

    /// Whether the value never changes and can be read in `prepare`.
    pub fn is_constant(&self) -> bool {
        self.flags & raw::TENSOR_CONSTANT != 0
    }

    /// Whether the value is a constant in the model file. Its bytes stay at their address as long as an interpreter of
    /// the model exists, so the address names the value in all subgraphs and interpreters.
    pub fn is_in_file(&self) -> bool {
        self.flags & raw::TENSOR_IN_FILE != 0
    }

    /// Whether the tensor is a variable, which `eval` may write although it is an input.
    pub fn is_variable(&self) -> bool {
        self.flags & raw::TENSOR_VARIABLE != 0
    }

    /// Whether the shape is unknown until the node that writes the tensor has run.
    pub fn is_dynamic(&self) -> bool {
        self.flags & raw::TENSOR_DYNAMIC != 0
    }

    /// The quantization parameters, if the tensor is quantized.
    pub fn quantization(&self) -> Option<Quantization<'a>> {
        // SAFETY: `from_raw` requires that the pointer is null or valid for `'a`.
        let q = unsafe { self.quantization.as_ref() }?;
        // SAFETY: `from_raw` requires that the arrays have the counts stored next to them.
        let (scales, zero_points) =
            unsafe { (raw::slice(q.scales, q.scale_count), raw::slice(q.zero_points, q.zero_point_count)) };
        if scales.is_empty() {
            return None;
        }
        let zero_points = if zero_points.is_empty() { &[0] } else { zero_points };
        Some(Quantization {
            scales,
            zero_points,
            dimension: q.quantized_dimension.max(0) as usize,
            block_size: q.block_size.max(0) as usize,
        })
    }

    /// The scale and the zero point of a per-tensor quantized tensor.
    ///
    /// # Errors
    /// The tensor is not quantized, or has several scales.
    pub fn scale_and_zero_point(&self) -> Result<(f32, i32)> {
        let q = self.quantization().ok_or_else(|| {
            invalid!("{self} is {} without quantization; it needs a scale and a zero point", self.ty)
        })?;
        ensure!(q.scales.len() == 1, "{self} has {} scales, but it needs a single one", q.scales.len());
        let zero_point = i32::try_from(q.zero_points[0])
            .map_err(|_| invalid!("{self} has zero point {}", q.zero_points[0]))?;
        Ok((q.scales[0], zero_point))
    }

    /// The data as bytes. Empty in `prepare` unless the tensor is constant.
    pub fn bytes(&self) -> &'a [u8] {
        // SAFETY: `from_raw` requires that the data has `bytes` bytes that are valid for `'a`.
        unsafe { raw::slice(self.data, self.bytes) }
    }

    /// The data as elements.
    ///
    /// # Errors
    /// `T` is not the tensor's type.
    pub fn as_slice<T: Element>(&self) -> Result<&'a [T]> {
        ensure!(T::TYPE == self.ty, "{self} is {}, not {}", self.ty, T::TYPE);
        self.cast(self.bytes())
    }

    /// The data as words of the size of `T`, for ops that only move elements.
    ///
    /// # Errors
    /// The tensor's elements have another size.
    pub fn as_words<T: bytemuck::Pod>(&self) -> Result<&'a [T]> {
        ensure!(
            self.ty.has_size(size_of::<T>()),
            "{self} is {}, whose elements do not have {} bytes",
            self.ty,
            size_of::<T>()
        );
        self.cast(self.bytes())
    }

    /// In `prepare`: the elements of a constant tensor, otherwise `None`.
    ///
    /// # Errors
    /// `T` is not the tensor's type.
    pub fn constant<T: Element>(&self) -> Result<Option<&'a [T]>> {
        if self.is_constant() { self.as_slice().map(Some) } else { Ok(None) }
    }

    /// The entry for the host's functions.
    pub(crate) fn to_raw(self) -> ArTensorV1 {
        ArTensorV1 {
            element_type: self.ty as u32,
            rank: self.shape.len() as u32,
            dims: self.shape.as_ptr(),
            data: self.data.cast(),
            bytes: self.bytes as u64,
            quantization: self.quantization,
            flags: self.flags,
            name: self.name,
            ..ArTensorV1::NONE
        }
    }

    /// The address of the data, for delegates.
    pub fn as_ptr(&self) -> *const u8 {
        self.data
    }

    fn cast<T: bytemuck::Pod>(&self, bytes: &'a [u8]) -> Result<&'a [T]> {
        if bytes.is_empty() {
            return Ok(&[]);
        }
        bytemuck::try_cast_slice(bytes).map_err(|e| invalid!("{self}: {e}"))
    }
}

impl fmt::Display for TensorView<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "'{}'", self.name())
    }
}

impl fmt::Debug for TensorView<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "'{}' {}{:?}", self.name(), self.ty, self.shape)
    }
}

/// An output that `eval` writes.
pub struct TensorViewMut<'a> {
    view: TensorView<'a>,
}

impl<'a> TensorViewMut<'a> {
    /// Wraps the host's entry.
    ///
    /// # Safety
    /// As for [`TensorView::from_raw`], and nothing else may read or write the data during `'a`.
    pub(crate) unsafe fn from_raw(raw: &ArTensorV1) -> Result<Self> {
        // SAFETY: the caller guarantees the same.
        let view = unsafe { TensorView::from_raw(raw)? };
        ensure!(!view.is_constant(), "{view} is constant and an output");
        Ok(TensorViewMut { view })
    }

    /// The element type.
    pub fn ty(&self) -> ElementType {
        self.view.ty
    }

    /// The dimensions, outermost first.
    pub fn shape(&self) -> &'a [i32] {
        self.view.shape
    }

    /// The description of the tensor.
    pub fn spec(&self) -> TensorView<'_> {
        self.view
    }

    /// The data as bytes.
    pub fn into_bytes(self) -> &'a mut [u8] {
        let (data, bytes) = (self.view.data, self.view.bytes);
        if data.is_null() || bytes == 0 {
            return &mut [];
        }
        // SAFETY: `from_raw` requires that the data is valid and accessed by nothing else during `'a`; `self` is
        // consumed.
        unsafe { core::slice::from_raw_parts_mut(data, bytes) }
    }

    /// The data as elements.
    ///
    /// # Errors
    /// `T` is not the tensor's type.
    pub fn into_slice<T: Element>(self) -> Result<&'a mut [T]> {
        ensure!(T::TYPE == self.ty(), "'{}' is {}, not {}", self.view.name(), self.ty(), T::TYPE);
        self.cast()
    }

    /// The data as words of the size of `T`.
    ///
    /// # Errors
    /// The tensor's elements have another size.
    pub fn into_words<T: bytemuck::Pod>(self) -> Result<&'a mut [T]> {
        ensure!(
            self.ty().has_size(size_of::<T>()),
            "'{}' is {}, whose elements do not have {} bytes",
            self.view.name(),
            self.ty(),
            size_of::<T>()
        );
        self.cast()
    }

    fn cast<T: bytemuck::Pod>(self) -> Result<&'a mut [T]> {
        let name = self.view.name();
        let bytes = self.into_bytes();
        if bytes.is_empty() {
            return Ok(&mut []);
        }
        bytemuck::try_cast_slice_mut(bytes).map_err(|e| invalid!("'{name}': {e}"))
    }
}

/// A table filled by `prepare` and read by `eval`, in the host's persistent memory.
#[repr(C)]
pub struct Table<T> {
    pub(crate) index: u32,
    pub(crate) of: PhantomData<fn() -> T>,
}

/// Data that one `eval` keeps for the next, in the host's persistent memory. `prepare` initializes it.
#[repr(C)]
pub struct State<T> {
    pub(crate) index: u32,
    pub(crate) of: PhantomData<fn() -> T>,
}

/// A temporary buffer of `eval`, not kept between calls.
#[repr(C)]
pub struct Scratch<T> {
    pub(crate) index: u32,
    pub(crate) of: PhantomData<fn() -> T>,
}

/// The number of elements of a shape; 0 if a dimension is negative, `usize::MAX` on overflow.
pub fn element_count(shape: &[i32]) -> usize {
    shape.iter().try_fold(1usize, |n, &d| n.checked_mul(d.max(0) as usize)).unwrap_or(usize::MAX)
}
