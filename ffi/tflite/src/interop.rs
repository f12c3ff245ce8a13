//! `async/interop/c/types.h`: holders of a pointer to a buffer or a synchronization object of the program.

use std::ffi::c_void;
use std::ptr;

use crate::guard::{free, guard};

/// `TfLiteBackendBuffer`, `TfLiteSynchronization`: a pointer of the program.
pub(crate) struct Holder {
    held: *mut c_void,
}

macro_rules! holders {
    ($($what:literal: $create:ident, $delete:ident, $set:ident, $get:ident;)*) => {$(
        #[doc = concat!("Creates a holder of ", $what, ", which is null at first.")]
        #[unsafe(no_mangle)]
        pub(crate) extern "C" fn $create() -> *mut Holder {
            guard(ptr::null_mut(), || Box::into_raw(Box::new(Holder { held: ptr::null_mut() })))
        }

        #[doc = concat!("Frees a holder, but not ", $what, ". Does nothing for null.")]
        ///
        /// # Safety
        /// `holder` must be null or a holder of this library that is not used afterwards.
        #[unsafe(no_mangle)]
        pub(crate) unsafe extern "C" fn $delete(holder: *mut Holder) {
            // SAFETY: `holder` is null or a handle that nothing uses any more, as `# Safety` requires.
            unsafe { free(holder) };
        }

        #[doc = concat!("Sets ", $what, ", which the program keeps.")]
        ///
        /// # Safety
        /// `holder` must be null or point to a live holder that no other thread uses.
        #[unsafe(no_mangle)]
        pub(crate) unsafe extern "C" fn $set(holder: *mut Holder, held: *mut c_void) {
            // SAFETY: `holder` is null or points to a live value that nothing else uses, as `# Safety` requires.
            if let Some(holder) = unsafe { holder.as_mut() } {
                holder.held = held;
            }
        }

        #[doc = concat!("Returns ", $what, "; null for null.")]
        ///
        /// # Safety
        /// `holder` must be null or point to a live holder.
        #[unsafe(no_mangle)]
        pub(crate) unsafe extern "C" fn $get(holder: *const Holder) -> *mut c_void {
            // SAFETY: `holder` is null or points to a live value, as `# Safety` requires.
            unsafe { holder.as_ref() }.map_or(ptr::null_mut(), |holder| holder.held)
        }
    )*};
}
holders! {
    "the buffer": TfLiteBackendBufferCreate, TfLiteBackendBufferDelete, TfLiteBackendBufferSetPtr,
        TfLiteBackendBufferGetPtr;
    "the synchronization object": TfLiteSynchronizationCreate, TfLiteSynchronizationDelete,
        TfLiteSynchronizationSetPtr, TfLiteSynchronizationGetPtr;
}
