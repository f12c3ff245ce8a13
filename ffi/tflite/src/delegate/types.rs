//! The C structs of delegates.

use std::collections::BTreeMap;
use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::{Mutex, PoisonError};

use crate::guard::guard;
use crate::kernel::types::TfLiteContext;
use crate::types::*;

/// `CopyFromBufferHandle` and `CopyToBufferHandle` of a `TfLiteDelegate`.
pub(crate) type CopyValue =
    unsafe extern "C" fn(*mut TfLiteContext, *mut TfLiteDelegate, c_int, *mut TfLiteTensor) -> TfLiteStatus;
/// `FreeBufferHandle` of a `TfLiteDelegate`.
pub(crate) type FreeHandle = unsafe extern "C" fn(*mut TfLiteContext, *mut TfLiteDelegate, *mut c_int);
/// `CopyFromBufferHandle` and `CopyToBufferHandle` of a builder.
pub(crate) type CopyValueWithData = unsafe extern "C" fn(
    *mut TfLiteContext,
    *mut TfLiteDelegate,
    *mut c_void,
    c_int,
    *mut TfLiteTensor,
) -> TfLiteStatus;
/// `FreeBufferHandle` of a builder.
pub(crate) type FreeHandleWithData =
    unsafe extern "C" fn(*mut TfLiteContext, *mut TfLiteDelegate, *mut c_void, *mut c_int);

/// `TfLiteDelegate` with the fields that all versions of TensorFlow Lite have. The field for the builder, which older
/// versions lack, is not read: [`OPAQUE`] lists the delegates that have a builder.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct TfLiteDelegate {
    pub data: *mut c_void,
    pub prepare: Option<unsafe extern "C" fn(*mut TfLiteContext, *mut TfLiteDelegate) -> TfLiteStatus>,
    pub copy_from_buffer_handle: Option<CopyValue>,
    pub copy_to_buffer_handle: Option<CopyValue>,
    pub free_buffer_handle: Option<FreeHandle>,
    pub flags: i64,
}

/// `TfLiteOpaqueDelegateBuilder`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct TfLiteOpaqueDelegateBuilder {
    pub data: *mut c_void,
    pub prepare:
        Option<unsafe extern "C" fn(*mut TfLiteContext, *mut TfLiteDelegate, *mut c_void) -> TfLiteStatus>,
    pub copy_from_buffer_handle: Option<CopyValueWithData>,
    pub copy_to_buffer_handle: Option<CopyValueWithData>,
    pub free_buffer_handle: Option<FreeHandleWithData>,
    pub flags: i64,
}

/// A delegate that was created from a builder. Its handle points to `delegate`.
#[repr(C)]
struct Opaque {
    delegate: TfLiteDelegate,
    builder: *mut TfLiteOpaqueDelegateBuilder,
}

/// The builders of all existing opaque delegates, by the address of the handle.
static OPAQUE: Mutex<BTreeMap<usize, BuilderEntry>> = Mutex::new(BTreeMap::new());

#[derive(Clone, Copy)]
struct BuilderEntry(TfLiteOpaqueDelegateBuilder);

// SAFETY: the pointers and functions belong to the program and are only passed back to it; TensorFlow Lite's interface
// requires that it makes them usable from any thread that uses the delegate.
unsafe impl Send for BuilderEntry {}

/// The builder of an opaque delegate of this library; `None` for any other delegate.
pub(crate) fn builder_of(delegate: *const TfLiteDelegate) -> Option<TfLiteOpaqueDelegateBuilder> {
    let known = OPAQUE.lock().unwrap_or_else(PoisonError::into_inner);
    known.get(&delegate.addr()).map(|known| known.0)
}

/// Calls a delegate's `Prepare`. Returns `kTfLiteError` if it is not set.
///
/// # Safety
/// `delegate` must point to a live delegate. `context` must come from a scene whose graph the delegate may inspect, see
/// [`looking`](super::graph::looking).
pub(crate) unsafe fn prepare(context: *mut TfLiteContext, delegate: *mut TfLiteDelegate) -> TfLiteStatus {
    // SAFETY: the delegate is live and may inspect the context's graph, as `# Safety` requires; the builder's data
    // belongs to its functions.
    unsafe {
        if let Some(builder) = builder_of(delegate) {
            return builder.prepare.map_or(kTfLiteError, |prepare| prepare(context, delegate, builder.data));
        }
        (*delegate).prepare.map_or(kTfLiteError, |prepare| prepare(context, delegate))
    }
}

/// An empty delegate. Callers whose struct has more fields must set those themselves.
#[unsafe(no_mangle)]
pub(super) extern "C" fn TfLiteDelegateCreate() -> TfLiteDelegate {
    TfLiteDelegate {
        data: ptr::null_mut(),
        prepare: None,
        copy_from_buffer_handle: None,
        copy_to_buffer_handle: None,
        free_buffer_handle: None,
        flags: 0,
    }
}

/// Creates a delegate from a builder, which is copied. Returns null for null. Free it with
/// `TfLiteOpaqueDelegateDelete`.
///
/// # Safety
/// `builder` must be null or point to a builder.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn TfLiteOpaqueDelegateCreate(
    builder: *const TfLiteOpaqueDelegateBuilder,
) -> *mut TfLiteDelegate {
    guard(ptr::null_mut(), || {
        // SAFETY: `builder` is null or points to a live value, as `# Safety` requires.
        let Some(builder) = (unsafe { builder.as_ref() }) else { return ptr::null_mut() };
        let copy = Box::into_raw(Box::new(*builder));
        let opaque = Box::into_raw(Box::new(Opaque { delegate: TfLiteDelegateCreate(), builder: copy }));
        let mut known = OPAQUE.lock().unwrap_or_else(PoisonError::into_inner);
        known.insert(opaque.addr(), BuilderEntry(*builder));
        opaque.cast()
    })
}

/// Frees a delegate of [`TfLiteOpaqueDelegateCreate`]. Does nothing for other delegates and for null.
///
/// # Safety
/// `delegate` must be null or a delegate that is not used afterwards.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn TfLiteOpaqueDelegateDelete(delegate: *mut TfLiteDelegate) {
    guard((), || {
        let known = OPAQUE.lock().unwrap_or_else(PoisonError::into_inner).remove(&delegate.addr());
        if known.is_some() {
            // SAFETY: `TfLiteOpaqueDelegateCreate` allocated both, since the delegate was in `OPAQUE`; removing it
            // there ensures that it is freed once.
            unsafe {
                let opaque = Box::from_raw(delegate.cast::<Opaque>());
                drop(Box::from_raw(opaque.builder));
            }
        }
    });
}

/// The data of a delegate's builder or, without a builder, of the delegate; null for null.
///
/// # Safety
/// `delegate` must be null or point to a live delegate.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn TfLiteOpaqueDelegateGetData(delegate: *const TfLiteDelegate) -> *mut c_void {
    if let Some(builder) = builder_of(delegate) {
        return builder.data;
    }
    // SAFETY: `delegate` is null or points to a live value, as `# Safety` requires.
    unsafe { delegate.as_ref() }.map_or(ptr::null_mut(), |delegate| delegate.data)
}

/// `TfLiteDelegateParams`, or `TfLiteOpaqueDelegateParams`, which has the builder's data after the delegate. Both
/// consist of pointers only.
pub(crate) struct Params(Vec<*mut c_void>);

impl Params {
    pub(super) fn new(delegate: *mut TfLiteDelegate, nodes: &[i32], inputs: &[i32], outputs: &[i32]) -> Self {
        let mut words = vec![delegate.cast::<c_void>()];
        words.extend(builder_of(delegate).map(|builder| builder.data));
        words.extend([nodes, inputs, outputs].map(|list| crate::arrays::int_array(list).cast::<c_void>()));
        Params(words)
    }

    pub(super) fn as_mut_ptr(&mut self) -> *mut c_void {
        self.0.as_mut_ptr().cast()
    }

    /// The members of the struct in order.
    pub(super) fn words(&self) -> &[*mut c_void] {
        &self.0
    }
}

impl Drop for Params {
    fn drop(&mut self) {
        let lists = self.0.len() - 3;
        for &list in &self.0[lists..] {
            // SAFETY: `new` created these arrays, and this struct owns them.
            unsafe { crate::arrays::TfLiteIntArrayFree(list.cast()) };
        }
    }
}

/// `length` as a C `int`, at most `INT_MAX`.
pub(crate) fn count(length: usize) -> c_int {
    c_int::try_from(length).unwrap_or(c_int::MAX)
}
