//! What the structs of the boundary do: headers, borrowed texts and arrays.

use crate::raw::{
    ArBytes, ArDelegateV1, ArHeader, ArHostV1, ArOpV1, ArPlannerV1, ArPluginV1, ArStr, ArTable, ArTensorV1,
    TENSOR_CONSTANT,
};

impl ArHeader {
    /// The header of a `T`.
    pub const fn of<T>() -> Self {
        ArHeader { struct_size: size_of::<T>() as u32, major: 1, minor: 0 }
    }
}

impl ArStr {
    /// Borrows text of the program.
    pub const fn new(text: &'static str) -> Self {
        Self::borrowed(text)
    }

    /// Borrows `text`; the caller keeps it alive for as long as the receiver may read it.
    pub const fn borrowed(text: &str) -> Self {
        ArStr { data: text.as_ptr(), length: text.len() }
    }

    /// # Safety
    /// `data` is null or points to `length` bytes that live for `'a`.
    pub unsafe fn as_str<'a>(self) -> &'a str {
        // SAFETY: `as_bytes` requires the same.
        let bytes = unsafe { self.as_bytes() };
        match core::str::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => core::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or(""),
        }
    }

    /// # Safety
    /// `data` is null or points to `length` bytes that live for `'a`.
    pub unsafe fn as_bytes<'a>(self) -> &'a [u8] {
        // SAFETY: null, or so many bytes that live for `'a`, as this function requires; any bits are a byte.
        unsafe { slice(self.data, self.length) }
    }
}

impl ArBytes {
    /// No bytes.
    pub const EMPTY: ArBytes = ArBytes { data: core::ptr::null(), length: 0 };

    /// Borrows `bytes`; the caller keeps them alive for as long as the receiver may read them.
    pub const fn borrowed(bytes: &[u8]) -> Self {
        ArBytes { data: bytes.as_ptr(), length: bytes.len() }
    }

    /// # Safety
    /// `data` is null or points to `length` bytes that live for `'a`.
    pub unsafe fn as_slice<'a>(self) -> &'a [u8] {
        // SAFETY: null, or so many bytes that live for `'a`, as this function requires; any bits are a byte.
        unsafe { slice(self.data, self.length) }
    }
}

impl ArTensorV1 {
    /// No tensor: without dimensions and data.
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

    /// The tensor without its data, unless that is constant: what others write must not be seen as a slice.
    pub fn described(mut self) -> Self {
        if self.flags & TENSOR_CONSTANT == 0 {
            self.data = core::ptr::null_mut();
        }
        self
    }
}

impl ArTable {
    /// No table.
    pub const NONE: ArTable = ArTable { buffer: ArBytes::EMPTY, position: 0, tag: 0 };
}

/// The slice, empty where the pointer is null.
///
/// # Safety
/// `data` is null, or points to `count` initialised elements, aligned, that nobody writes to during `'a`.
pub unsafe fn slice<'a, T>(data: *const T, count: usize) -> &'a [T] {
    if data.is_null() || count == 0 {
        return &[];
    }
    // SAFETY: not null, as checked; aligned, initialised and not written during `'a`, as this function requires.
    unsafe { core::slice::from_raw_parts(data, count) }
}

/// Element `index` of an array of structs with this stride.
///
/// # Safety
/// The array has more than `index` elements, `stride` apart, which live for `'a`.
pub(crate) unsafe fn strided<'a, T>(base: *const T, stride: usize, index: usize) -> &'a T {
    // SAFETY: the array has an element at `index · stride` bytes, as this function requires.
    unsafe { &*base.cast::<u8>().add(index * stride).cast::<T>() }
}

// SAFETY (all of these): the structs are plain tables of function pointers and borrowed static data; nothing in them
// is written after construction, and their functions are callable from any thread.
macro_rules! shared { ($($name:ident)*) => {$(
    // SAFETY: see above.
    unsafe impl Send for $name {}
    // SAFETY: see above.
    unsafe impl Sync for $name {}
)*} }
shared!(ArStr ArHostV1 ArOpV1 ArPlannerV1 ArDelegateV1 ArPluginV1);
