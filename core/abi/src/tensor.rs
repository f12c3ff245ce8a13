//! Tensors as plugins see them: element types, quantization, and views that borrow the host's memory.

use core::cell::Cell;
use core::fmt;
use core::marker::PhantomData;
use core::ops::Range;

use crate::raw::{self, ArTensorV1};
use crate::{Result, ensure, invalid};

macro_rules! element_types {
    ($($(#[$doc:meta])* $variant:ident = $number:literal, $name:literal, $bits:literal;)*) => {
        /// The type of a tensor's elements, with the schema's numbers.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u32)]
        pub enum ElementType { $($(#[$doc])* $variant = $number,)* }

        impl ElementType {
            /// All types, by number.
            pub const ALL: &'static [ElementType] = &[$(ElementType::$variant,)*];

            /// The type with the schema's number `raw`.
            pub const fn from_raw(raw: u32) -> Option<Self> {
                match raw { $($number => Some(ElementType::$variant),)* _ => None }
            }

            /// The schema's name.
            pub const fn name(self) -> &'static str {
                match self { $(ElementType::$variant => $name,)* }
            }

            /// Bits of one element; 0 for strings and variants, whose size is not fixed.
            pub const fn bits(self) -> u32 {
                match self { $(ElementType::$variant => $bits,)* }
            }
        }
    };
}

element_types! {
    /// IEEE 754 binary32.
    F32 = 0, "FLOAT32", 32;
    /// IEEE 754 binary16.
    F16 = 1, "FLOAT16", 16;
    /// Signed 32-bit.
    I32 = 2, "INT32", 32;
    /// Unsigned 8-bit.
    U8 = 3, "UINT8", 8;
    /// Signed 64-bit.
    I64 = 4, "INT64", 64;
    /// TFLite's packed strings: count, offsets, bytes.
    String = 5, "STRING", 0;
    /// One byte, 0 or 1.
    Bool = 6, "BOOL", 8;
    /// Signed 16-bit.
    I16 = 7, "INT16", 16;
    /// Two `f32`.
    C64 = 8, "COMPLEX64", 64;
    /// Signed 8-bit.
    I8 = 9, "INT8", 8;
    /// IEEE 754 binary64.
    F64 = 10, "FLOAT64", 64;
    /// Two `f64`.
    C128 = 11, "COMPLEX128", 128;
    /// Unsigned 64-bit.
    U64 = 12, "UINT64", 64;
    /// The handle of a variable or a table, an `i32`.
    Resource = 13, "RESOURCE", 32;
    /// A value of a type that the tensor does not tell.
    Variant = 14, "VARIANT", 0;
    /// Unsigned 32-bit.
    U32 = 15, "UINT32", 32;
    /// Unsigned 16-bit.
    U16 = 16, "UINT16", 16;
    /// Signed 4-bit, two to a byte, the even element in the low half.
    I4 = 17, "INT4", 4;
    /// The upper half of an `f32`.
    BF16 = 18, "BFLOAT16", 16;
    /// Signed 2-bit, four to a byte, the first element in the lowest bits.
    I2 = 19, "INT2", 2;
    /// Unsigned 4-bit, two to a byte.
    U4 = 20, "UINT4", 4;
    /// 8-bit float, 4 bits of exponent.
    F8E4M3 = 21, "FLOAT8_E4M3FN", 8;
    /// 8-bit float, 5 bits of exponent.
    F8E5M2 = 22, "FLOAT8_E5M2", 8;
}

impl ElementType {
    /// Bytes of `count` elements, packed; `None` on overflow or if the size is not fixed.
    pub const fn bytes_of(self, count: usize) -> Option<usize> {
        let bits = self.bits() as usize;
        match (bits, bits >= 8) {
            (0, _) => None,
            (_, true) => count.checked_mul(bits / 8),
            (_, false) => Some(count.div_ceil(8 / bits)),
        }
    }

    /// Whether one element takes `bytes` bytes: false for packed types and those without a fixed size.
    pub const fn has_size(self, bytes: usize) -> bool {
        self.bits() as usize == bytes * 8
    }

    /// Integers that carry a scale: i4, i8, u8, i16, and i32 of a bias.
    pub const fn is_quantizable(self) -> bool {
        use ElementType::*;
        matches!(self, I2 | I4 | U4 | I8 | U8 | I16 | U16 | I32 | I64)
    }
}

impl fmt::Display for ElementType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A set of element types, for an op's registration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ElementTypes(u64);

impl ElementTypes {
    /// No restriction.
    pub const ANY: ElementTypes = ElementTypes(0);

    /// Exactly these.
    pub const fn of(types: &[ElementType]) -> Self {
        let (mut bits, mut i) = (0, 0);
        while i < types.len() {
            bits |= 1 << types[i] as u32;
            i += 1;
        }
        ElementTypes(bits)
    }

    /// From the number in an op's registration: bit `t` stands for the type `t`, 0 for any.
    pub const fn from_bits(bits: u64) -> Self {
        ElementTypes(bits)
    }

    /// The number for an op's registration.
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// Whether `ty` is in the set.
    pub const fn contains(self, ty: ElementType) -> bool {
        self.0 == 0 || self.0 & (1 << ty as u32) != 0
    }

    /// The members; all types for [`ElementTypes::ANY`].
    pub fn iter(self) -> impl Iterator<Item = ElementType> {
        ElementType::ALL.iter().copied().filter(move |&ty| self.contains(ty))
    }
}

/// One byte of a BOOL tensor. Zero is false, all else is true.
#[derive(Clone, Copy, Debug, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(transparent)]
pub struct Bool(pub u8);

/// A complex number of `f32`, real part first.
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct Complex32 {
    /// Real part.
    pub re: f32,
    /// Imaginary part.
    pub im: f32,
}

/// A complex number of `f64`, real part first.
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct Complex64 {
    /// Real part.
    pub re: f64,
    /// Imaginary part.
    pub im: f64,
}

mod sealed {
    pub trait Sealed {}
}

/// Rust types that stand for an element type. Any bit pattern is a value of each.
pub trait Element: bytemuck::Pod + sealed::Sealed {
    /// The element type.
    const TYPE: ElementType;
}

macro_rules! elements {
    ($($rust:ty => $ty:ident,)*) => {$(
        impl sealed::Sealed for $rust {}
        impl Element for $rust { const TYPE: ElementType = ElementType::$ty; }
    )*};
}

elements! {
    f32 => F32, f64 => F64, half::f16 => F16, half::bf16 => BF16,
    i8 => I8, u8 => U8, i16 => I16, u16 => U16, i32 => I32, u32 => U32, i64 => I64, u64 => U64,
    Bool => Bool, Complex32 => C64, Complex64 => C128,
}

/// `real = scale × (q − zero_point)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quantization<'a> {
    /// One per slice of [`dimension`](Self::dimension), or one for all. Never empty.
    pub scales: &'a [f32],
    /// As many as there are scales, or one for all. Never empty.
    pub zero_points: &'a [i64],
    /// The dimension that per-channel scales run along.
    pub dimension: usize,
    /// Elements along `dimension` that share a scale; 0 unless blockwise.
    pub block_size: usize,
}

impl Quantization<'_> {
    /// Whether scales differ along [`dimension`](Self::dimension).
    pub fn is_per_channel(&self) -> bool {
        self.scales.len() > 1
    }

    /// Scale of channel `c`.
    pub fn scale_of(&self, c: usize) -> f32 {
        self.scales[if self.scales.len() == 1 { 0 } else { c }]
    }
}

/// A tensor, borrowed from the host: in `prepare` its description, and its data if it is constant; in `eval` its data.
#[derive(Clone, Copy)]
pub struct TensorView<'a> {
    /// Element type.
    pub ty: ElementType,
    /// Dimensions, outermost first; a scalar has none.
    pub shape: &'a [i32],
    /// The tensor's name in the model.
    pub name: &'a str,
    /// A copy: the host may change its own while the view lives (`resize_output`).
    raw: ArTensorV1,
}

impl<'a> TensorView<'a> {
    /// # Safety
    /// Everything that the struct points to is valid for `'a`; nobody writes to its data while a slice of it is borrowed.
    pub(crate) unsafe fn from_raw(raw: ArTensorV1) -> Result<Self> {
        let ty = ElementType::from_raw(raw.element_type)
            .ok_or_else(|| invalid!("element type {} is unknown", raw.element_type))?;
        // SAFETY: `dims` has `rank` elements and `name` is valid, by the caller's promise.
        let (shape, name) = unsafe { (raw::slice(raw.dims, raw.rank as usize), raw.name.as_str()) };
        Ok(TensorView { ty, shape, name, raw })
    }

    /// Number of dimensions.
    pub fn rank(&self) -> usize {
        self.shape.len()
    }

    /// Number of elements; 1 for a scalar.
    pub fn len(&self) -> usize {
        element_count(self.shape)
    }

    /// Whether a dimension is zero.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes of data.
    pub fn byte_len(&self) -> usize {
        self.raw.bytes as usize
    }

    /// Whether the value never changes and can be read in `prepare`.
    pub fn is_constant(&self) -> bool {
        self.raw.flags & raw::TENSOR_CONSTANT != 0
    }

    /// Whether the tensor is state that `eval` may write although it is an input.
    pub fn is_variable(&self) -> bool {
        self.raw.flags & raw::TENSOR_VARIABLE != 0
    }

    /// Whether the shape is unknown until the tensor's producer has run.
    pub fn is_dynamic(&self) -> bool {
        self.raw.flags & raw::TENSOR_DYNAMIC != 0
    }

    /// How integers stand for reals, if they do.
    pub fn quantization(&self) -> Option<Quantization<'a>> {
        // SAFETY: null or valid for `'a`, by the promise given to `from_raw`.
        let q = unsafe { self.raw.quantization.as_ref() }?;
        // SAFETY: the arrays have the counts that stand beside them.
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

    /// The one scale and zero point of a per-tensor quantized tensor; an error names what is there instead.
    pub fn scale_and_zero_point(&self) -> Result<(f32, i32)> {
        let q = self.quantization().ok_or_else(|| {
            invalid!("'{}' is {} without quantization; it needs a scale and a zero point", self.name, self.ty)
        })?;
        ensure!(
            q.scales.len() == 1,
            "'{}' has {} scales; one for the whole tensor is needed",
            self.name,
            q.scales.len()
        );
        let zero_point = i32::try_from(q.zero_points[0])
            .map_err(|_| invalid!("'{}' has zero point {}", self.name, q.zero_points[0]))?;
        Ok((q.scales[0], zero_point))
    }

    /// The data as bytes. Empty in `prepare` unless the tensor is constant.
    pub fn bytes(&self) -> &'a [u8] {
        // SAFETY: data has `bytes` bytes that are valid for `'a`, by the promise given to `from_raw`.
        unsafe { raw::slice(self.raw.data.cast::<u8>(), self.raw.bytes as usize) }
    }

    /// The data as elements. An error if `T` is not the tensor's type.
    pub fn as_slice<T: Element>(&self) -> Result<&'a [T]> {
        ensure!(T::TYPE == self.ty, "'{}' is {}, not {}", self.name, self.ty, T::TYPE);
        cast(self.bytes(), self.name)
    }

    /// The data as words of `T`'s size, whatever they stand for: for ops that only move elements.
    pub fn as_words<T: bytemuck::Pod>(&self) -> Result<&'a [T]> {
        ensure!(
            self.ty.has_size(size_of::<T>()),
            "'{}' is {}, whose elements do not have {} bytes",
            self.name,
            self.ty,
            size_of::<T>()
        );
        cast(self.bytes(), self.name)
    }

    /// In `prepare`: the elements if the tensor is constant, else `None`.
    pub fn constant<T: Element>(&self) -> Result<Option<&'a [T]>> {
        if self.is_constant() { self.as_slice().map(Some) } else { Ok(None) }
    }

    pub(crate) fn as_raw(&self) -> &ArTensorV1 {
        &self.raw
    }

    /// Where the data lies, for delegates that know what they do.
    pub fn as_ptr(&self) -> *const u8 {
        self.raw.data.cast()
    }
}

impl fmt::Debug for TensorView<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "'{}' {}{:?}", self.name, self.ty, self.shape)
    }
}

/// A tensor that `eval` writes.
pub struct TensorViewMut<'a> {
    view: TensorView<'a>,
}

impl<'a> TensorViewMut<'a> {
    /// # Safety
    /// As for [`TensorView::from_raw`], and nobody else reads or writes the data during `'a`.
    pub(crate) unsafe fn from_raw(raw: ArTensorV1) -> Result<Self> {
        // SAFETY: forwarded to the caller.
        let view = unsafe { TensorView::from_raw(raw)? };
        ensure!(!view.is_constant(), "'{}' is constant and an output", view.name);
        Ok(TensorViewMut { view })
    }

    /// Element type.
    pub fn ty(&self) -> ElementType {
        self.view.ty
    }

    /// Dimensions.
    pub fn shape(&self) -> &'a [i32] {
        self.view.shape
    }

    /// The tensor's description.
    pub fn spec(&self) -> TensorView<'_> {
        self.view
    }

    /// The data as bytes.
    pub fn into_bytes(self) -> &'a mut [u8] {
        let (data, bytes) = (self.view.raw.data.cast::<u8>(), self.view.raw.bytes as usize);
        if data.is_null() || bytes == 0 {
            return &mut [];
        }
        // SAFETY: valid and exclusive for `'a`, by the promise given to `from_raw`; `self` is consumed.
        unsafe { core::slice::from_raw_parts_mut(data, bytes) }
    }

    /// The data as elements. An error if `T` is not the tensor's type.
    pub fn into_slice<T: Element>(self) -> Result<&'a mut [T]> {
        ensure!(T::TYPE == self.ty(), "'{}' is {}, not {}", self.view.name, self.ty(), T::TYPE);
        self.cast()
    }

    /// The data as words of `T`'s size, whatever they stand for.
    pub fn into_words<T: bytemuck::Pod>(self) -> Result<&'a mut [T]> {
        ensure!(
            self.ty().has_size(size_of::<T>()),
            "'{}' is {}, whose elements do not have {} bytes",
            self.view.name,
            self.ty(),
            size_of::<T>()
        );
        self.cast()
    }

    fn cast<T: bytemuck::Pod>(self) -> Result<&'a mut [T]> {
        let name = self.view.name;
        let bytes = self.into_bytes();
        if bytes.is_empty() {
            return Ok(&mut []);
        }
        bytemuck::try_cast_slice_mut(bytes).map_err(|e| invalid!("'{name}': {e}"))
    }
}

/// Elements that are read one at a time, or copied, and may lie where an output is written.
#[derive(Clone, Copy)]
pub struct ReadCells<'a, T> {
    data: *const T,
    len: usize,
    of: PhantomData<&'a [Cell<T>]>,
}

impl<'a, T: Element> ReadCells<'a, T> {
    /// # Safety
    /// The data is valid for `'a`; during it, it is written through cells only.
    pub(crate) unsafe fn from_raw(raw: ArTensorV1) -> Result<Self> {
        // SAFETY: forwarded to the caller. Only reads are offered, so that memory which cannot be written is not.
        Ok(unsafe { cells::<T>(raw)? }.into())
    }
}

impl<'a> ReadCells<'a, u8> {
    /// # Safety
    /// As for [`from_raw`](Self::from_raw).
    pub(crate) unsafe fn bytes_of(raw: ArTensorV1) -> Self {
        // SAFETY: as in `from_raw`.
        unsafe { byte_cells(raw) }.into()
    }

    /// The bytes as words of `S`, without a rest that is shorter.
    #[inline]
    pub fn words<const S: usize>(&self) -> ReadCells<'a, [u8; S]> {
        ReadCells { data: self.data.cast(), len: self.len / S, of: PhantomData }
    }
}

impl<'a, T: Copy> ReadCells<'a, T> {
    /// Number of elements.
    #[allow(clippy::len_without_is_empty)]
    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Element `i`. Panics past the end.
    #[inline]
    pub fn get(&self, i: usize) -> T {
        assert!(i < self.len, "element {i} of {}", self.len);
        // SAFETY: in range. What it was made of is borrowed for `'a`, on this thread, and written through cells only.
        unsafe { self.data.add(i).read() }
    }

    /// All elements in order.
    #[inline]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = T> + Clone + use<'a, T> {
        let data = self.data;
        // SAFETY: as in `get`.
        (0..self.len).map(move |i| unsafe { data.add(i).read() })
    }

    /// The elements of `range`. Panics past the end.
    #[inline]
    pub fn range(&self, range: Range<usize>) -> ReadCells<'a, T> {
        assert!(range.start <= range.end && range.end <= self.len, "elements {range:?} of {}", self.len);
        // SAFETY: in range.
        ReadCells { data: unsafe { self.data.add(range.start) }, len: range.len(), of: PhantomData }
    }

    /// Pieces of `length` elements, without a rest that is shorter. Panics if `length` is 0.
    #[inline]
    pub fn chunks_exact(
        &self,
        length: usize,
    ) -> impl ExactSizeIterator<Item = ReadCells<'a, T>> + Clone + use<'a, T> {
        let all = *self;
        (0..self.len / length).map(move |i| all.range(i * length..(i + 1) * length))
    }

    /// Copies all elements to `target`. Panics if it has another length.
    #[inline]
    pub fn load(&self, target: &mut [T]) {
        assert_eq!(self.len, target.len(), "elements to load");
        // SAFETY: both have that many elements. The target is borrowed exclusively, so it is not where the cells are.
        unsafe { core::ptr::copy_nonoverlapping(self.data, target.as_mut_ptr(), target.len()) };
    }

    /// Copies all elements to `target`, which may overlap them: it has the elements that stood here before. Nothing moves if
    /// they lie there already. Panics if it has another length.
    #[inline]
    pub fn copy_to(&self, target: &[Cell<T>]) {
        assert_eq!(self.len, target.len(), "elements to copy");
        let to = target.as_ptr().cast::<T>().cast_mut();
        if self.data != to.cast_const() {
            // SAFETY: both have that many elements; `copy` allows overlap. A slice of cells may be written through, and all
            // that borrows this memory is cells, on this thread.
            unsafe { core::ptr::copy(self.data, to, target.len()) };
        }
    }
}

impl<'a, T: Copy> From<&'a [T]> for ReadCells<'a, T> {
    #[inline]
    fn from(elements: &'a [T]) -> Self {
        ReadCells { data: elements.as_ptr(), len: elements.len(), of: PhantomData }
    }
}

impl<'a, T: Copy> From<&'a [Cell<T>]> for ReadCells<'a, T> {
    #[inline]
    fn from(cells: &'a [Cell<T>]) -> Self {
        ReadCells { data: cells.as_ptr().cast(), len: cells.len(), of: PhantomData }
    }
}

/// The cells of a slice.
#[inline]
pub fn cells_of<T>(elements: &mut [T]) -> &[Cell<T>] {
    Cell::from_mut(elements).as_slice_of_cells()
}

/// Cells of bytes as cells of words of `S`, without a rest that is shorter.
#[inline]
pub fn word_cells<const S: usize>(bytes: &[Cell<u8>]) -> &[Cell<[u8; S]>] {
    // SAFETY: a cell has the layout of what it holds: `S` cells of a byte are one of `S` bytes, of alignment 1.
    unsafe { core::slice::from_raw_parts(bytes.as_ptr().cast(), bytes.len() / S) }
}

/// # Safety
/// The data is valid for `'a`; during it, it is read and written through cells only.
pub(crate) unsafe fn cells<'a, T: Element>(raw: ArTensorV1) -> Result<&'a [Cell<T>]> {
    // SAFETY: the struct is valid; no slice of its data is made here.
    let view = unsafe { TensorView::from_raw(raw)? };
    ensure!(T::TYPE == view.ty, "'{}' is {}, not {}", view.name, view.ty, T::TYPE);
    let (data, bytes) = (raw.data, raw.bytes as usize);
    if data.is_null() || bytes == 0 {
        return Ok(&[]);
    }
    ensure!(
        data.cast::<T>().is_aligned() && bytes.is_multiple_of(size_of::<T>()),
        "'{}': {} bytes at {:p} are no {}",
        view.name,
        bytes,
        data,
        T::TYPE
    );
    // SAFETY: aligned and whole, as checked; valid by the caller's promise; `Cell<T>` has the layout of `T`, and any
    // bit pattern is a `T`.
    Ok(unsafe { core::slice::from_raw_parts(data.cast::<Cell<T>>(), bytes / size_of::<T>()) })
}

/// # Safety
/// The data is valid for `'a`; during it, it is read and written through cells only.
pub(crate) unsafe fn byte_cells<'a>(raw: ArTensorV1) -> &'a [Cell<u8>] {
    // SAFETY: the caller's promise; null has no bytes. `Cell<u8>` has the layout of `u8`.
    unsafe { raw::slice(raw.data.cast::<Cell<u8>>().cast_const(), raw.bytes as usize) }
}

/// A table that `prepare` filled and `eval` reads; it lives in the host's persistent memory.
pub struct Table<T> {
    pub(crate) index: u32,
    pub(crate) of: PhantomData<fn() -> T>,
}

/// What one `eval` leaves for the next, in the host's persistent memory; `prepare` begins it anew.
pub struct State<T> {
    pub(crate) index: u32,
    pub(crate) of: PhantomData<fn() -> T>,
}

/// A buffer that `eval` may use as it likes and that is not kept between calls.
pub struct Scratch<T> {
    pub(crate) index: u32,
    pub(crate) of: PhantomData<fn() -> T>,
}

/// Number of elements of this shape; 0 if a dimension is negative, `usize::MAX` on overflow.
pub fn element_count(shape: &[i32]) -> usize {
    shape.iter().try_fold(1usize, |n, &d| n.checked_mul(d.max(0) as usize)).unwrap_or(usize::MAX)
}

fn cast<'a, T: bytemuck::Pod>(bytes: &'a [u8], name: &str) -> Result<&'a [T]> {
    if bytes.is_empty() {
        return Ok(&[]);
    }
    bytemuck::try_cast_slice(bytes).map_err(|e| invalid!("'{name}': {e}"))
}
