//! Methods of the structs that cross the boundary: headers, borrowed text and arrays.

use crate::frozen::{
    ArBytes, ArDelegateV1, ArHeader, ArHostV1, ArOpV1, ArPlannerV1, ArPluginV1, ArStr, ArTable, ArTensorV1,
};
use crate::numbers::TENSOR_CONSTANT;

impl ArHeader {
    /// The header of a struct `T`.
    pub const fn of<T>() -> Self {
        ArHeader { struct_size: size_of::<T>() as u32, major: 1, minor: 0 }
    }
}

impl ArStr {
    /// Borrows static text.
    pub const fn new(text: &'static str) -> Self {
        Self::borrowed(text)
    }

    /// Borrows `text`, which the caller must keep alive as long as the receiver may read it.
    pub const fn borrowed(text: &str) -> Self {
        ArStr { data: text.as_ptr(), length: text.len() }
    }

    /// The text; empty if it is not UTF-8.
    ///
    /// # Safety
    /// `data` must be null or point to `length` bytes that are valid for `'a`.
    pub unsafe fn as_str<'a>(self) -> &'a str {
        // SAFETY: the caller meets the same requirements of `as_bytes`.
        let bytes = unsafe { self.as_bytes() };
        match core::str::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => core::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or(""),
        }
    }

    /// The bytes of the text.
    ///
    /// # Safety
    /// `data` must be null or point to `length` bytes that are valid for `'a`.
    pub unsafe fn as_bytes<'a>(self) -> &'a [u8] {
        // SAFETY: the caller guarantees that `data` is null or points to `length` bytes that are valid for `'a`.
        unsafe { slice(self.data, self.length) }
    }
}

impl ArBytes {
    /// An empty slice.
    pub const EMPTY: ArBytes = ArBytes { data: core::ptr::null(), length: 0 };

    /// Borrows `bytes`, which the caller must keep alive as long as the receiver may read them.
    pub const fn borrowed(bytes: &[u8]) -> Self {
        ArBytes { data: bytes.as_ptr(), length: bytes.len() }
    }

    /// The bytes as a slice.
    ///
    /// # Safety
    /// `data` must be null or point to `length` bytes that are valid for `'a`.
    pub unsafe fn as_slice<'a>(self) -> &'a [u8] {
        // SAFETY: the caller guarantees that `data` is null or points to `length` bytes that are valid for `'a`.
        unsafe { slice(self.data, self.length) }
    }
}

impl ArTensorV1 {
    /// An absent tensor, without dimensions and data.
    pub const NONE: ArTensorV1 = ArTensorV1 {
        element_type: 0,
        rank: 0,
        dims: core::ptr::null(),
        data: core::ptr::null_mut(),
        bytes: 0,
        quantization: core::ptr::null(),
        flags: 0,
        memory_kind: 0,
        handle: 0,
        name: ArStr::new(""),
    };

    /// The tensor without its data, unless it is constant: data that others may write must not become a slice.
    pub fn described(mut self) -> Self {
        if self.flags & TENSOR_CONSTANT == 0 {
            self.data = core::ptr::null_mut();
        }
        self
    }
}

impl ArTable {
    /// An absent table.
    pub const NONE: ArTable = ArTable { buffer: ArBytes::EMPTY, position: 0, tag: 0 };
}

/// The elements as a slice; empty if the pointer is null.
///
/// # Safety
/// `data` must be null, or aligned and point to `count` initialized elements that are not written during `'a`.
pub unsafe fn slice<'a, T>(data: *const T, count: usize) -> &'a [T] {
    if data.is_null() || count == 0 {
        return &[];
    }
    // SAFETY: `data` is not null, checked above; the caller guarantees alignment, initialized elements, and no writes
    // during `'a`.
    unsafe { core::slice::from_raw_parts(data, count) }
}

/// Element `index` of an array of structs with this stride in bytes.
///
/// # Safety
/// The array must have more than `index` elements, `stride` bytes from each other, that are valid for `'a`.
pub(crate) unsafe fn strided<'a, T>(base: *const T, stride: usize, index: usize) -> &'a T {
    // SAFETY: the caller guarantees that the array has an element at offset `index * stride`.
    unsafe { &*base.cast::<u8>().add(index * stride).cast::<T>() }
}

// SAFETY (all of these): the structs are tables of function pointers and of static data, which are not written after
// construction, and the ABI requires their functions to be callable from any thread.
macro_rules! shared { ($($name:ident)*) => {$(
    // SAFETY: see the comment before the macro.
    unsafe impl Send for $name {}
    // SAFETY: see the comment before the macro.
    unsafe impl Sync for $name {}
)*} }
shared!(ArStr ArHostV1 ArOpV1 ArPlannerV1 ArDelegateV1 ArPluginV1);
