//! The structs of delegates.

use std::collections::BTreeMap;
use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::{Mutex, PoisonError};

use crate::guard::guard;
use crate::kernel::types::TfLiteContext;
use crate::types::*;

/// `TfLiteDelegate`, as far as all versions of TensorFlow Lite have it. Whether one has a builder behind that is known from
/// [`TfLiteOpaqueDelegateCreate`], since it is not there in older ones.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct TfLiteDelegate {
    pub data: *mut c_void,
    pub prepare: Option<unsafe extern "C" fn(*mut TfLiteContext, *mut TfLiteDelegate) -> TfLiteStatus>,
    pub copy_from_buffer_handle: *const c_void,
    pub copy_to_buffer_handle: *const c_void,
    pub free_buffer_handle: *const c_void,
    pub flags: i64,
}

/// `TfLiteOpaqueDelegateBuilder`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct TfLiteOpaqueDelegateBuilder {
    pub data: *mut c_void,
    pub prepare:
        Option<unsafe extern "C" fn(*mut TfLiteContext, *mut TfLiteDelegate, *mut c_void) -> TfLiteStatus>,
    pub copy_from_buffer_handle: *const c_void,
    pub copy_to_buffer_handle: *const c_void,
    pub free_buffer_handle: *const c_void,
    pub flags: i64,
}

/// What an opaque delegate's handle points to.
#[repr(C)]
struct Opaque {
    delegate: TfLiteDelegate,
    builder: *mut TfLiteOpaqueDelegateBuilder,
}

/// Opaque delegates that live, by address of the handle, and their builders.
static OPAQUE: Mutex<BTreeMap<usize, Known>> = Mutex::new(BTreeMap::new());

#[derive(Clone, Copy)]
struct Known(TfLiteOpaqueDelegateBuilder);

// SAFETY: pointers and functions of the program's, which it uses as it likes.
unsafe impl Send for Known {}

/// The builder of an opaque delegate of this library; none of any other delegate.
pub(crate) fn builder_of(delegate: *const TfLiteDelegate) -> Option<TfLiteOpaqueDelegateBuilder> {
    let known = OPAQUE.lock().unwrap_or_else(PoisonError::into_inner);
    known.get(&delegate.addr()).map(|known| known.0)
}

/// Calls a delegate's `Prepare`; an error where it has none.
///
/// # Safety
/// The delegate lives; the context is one in which delegates may look.
pub(crate) unsafe fn prepare(context: *mut TfLiteContext, delegate: *mut TfLiteDelegate) -> TfLiteStatus {
    // SAFETY: the caller's promise.
    unsafe {
        if let Some(builder) = builder_of(delegate) {
            return builder.prepare.map_or(kTfLiteError, |prepare| prepare(context, delegate, builder.data));
        }
        (*delegate).prepare.map_or(kTfLiteError, |prepare| prepare(context, delegate))
    }
}

/// An empty delegate. Callers that know more fields do not read them.
#[unsafe(no_mangle)]
pub extern "C" fn TfLiteDelegateCreate() -> TfLiteDelegate {
    TfLiteDelegate {
        data: ptr::null_mut(),
        prepare: None,
        copy_from_buffer_handle: ptr::null(),
        copy_to_buffer_handle: ptr::null(),
        free_buffer_handle: ptr::null(),
        flags: 0,
    }
}

/// A delegate by a builder, which is copied; null for null.
///
/// # Safety
/// `builder` is null or a builder.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteOpaqueDelegateCreate(
    builder: *const TfLiteOpaqueDelegateBuilder,
) -> *mut TfLiteDelegate {
    guard(ptr::null_mut(), || {
        // SAFETY: `builder` is null or points to a live value, as `# Safety` requires.
        let Some(builder) = (unsafe { builder.as_ref() }) else { return ptr::null_mut() };
        let copy = Box::into_raw(Box::new(*builder));
        let opaque = Box::into_raw(Box::new(Opaque { delegate: TfLiteDelegateCreate(), builder: copy }));
        let mut known = OPAQUE.lock().unwrap_or_else(PoisonError::into_inner);
        known.insert(opaque.addr(), Known(*builder));
        opaque.cast()
    })
}

/// Frees a delegate of [`TfLiteOpaqueDelegateCreate`]; nothing happens to another.
///
/// # Safety
/// `delegate` is null or a delegate that is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteOpaqueDelegateDelete(delegate: *mut TfLiteDelegate) {
    guard((), || {
        let known = OPAQUE.lock().unwrap_or_else(PoisonError::into_inner).remove(&delegate.addr());
        if known.is_some() {
            // SAFETY: made by `TfLiteOpaqueDelegateCreate`, as looked at, and freed once.
            unsafe {
                let opaque = Box::from_raw(delegate.cast::<Opaque>());
                drop(Box::from_raw(opaque.builder));
            }
        }
    });
}

/// The data of a delegate's builder, or the delegate's own.
///
/// # Safety
/// `delegate` is null or a delegate.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteOpaqueDelegateGetData(delegate: *const TfLiteDelegate) -> *mut c_void {
    if let Some(builder) = builder_of(delegate) {
        return builder.data;
    }
    // SAFETY: `delegate` is null or points to a live value, as `# Safety` requires.
    unsafe { delegate.as_ref() }.map_or(ptr::null_mut(), |delegate| delegate.data)
}

/// `TfLiteDelegateParams`, or `TfLiteOpaqueDelegateParams`, which has the builder's data behind the delegate: pointers alone.
pub(crate) struct Params(Vec<*mut c_void>);

impl Params {
    pub fn new(delegate: *mut TfLiteDelegate, nodes: &[i32], inputs: &[i32], outputs: &[i32]) -> Self {
        let mut words = vec![delegate.cast::<c_void>()];
        words.extend(builder_of(delegate).map(|builder| builder.data));
        words.extend([nodes, inputs, outputs].map(|list| crate::arrays::int_array(list).cast::<c_void>()));
        Params(words)
    }

    pub fn as_mut_ptr(&mut self) -> *mut c_void {
        self.0.as_mut_ptr().cast()
    }

    /// The words of the struct.
    pub fn words(&self) -> &[*mut c_void] {
        &self.0
    }
}

impl Drop for Params {
    fn drop(&mut self) {
        let lists = self.0.len() - 3;
        for &list in &self.0[lists..] {
            // SAFETY: arrays of this struct's own.
            unsafe { crate::arrays::TfLiteIntArrayFree(list.cast()) };
        }
    }
}

/// A count as C has it.
pub(crate) fn count(length: usize) -> c_int {
    c_int::try_from(length).unwrap_or(c_int::MAX)
}
