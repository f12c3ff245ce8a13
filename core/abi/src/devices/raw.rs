//! The structs of devices, what kernels tell of themselves, and tensors that stay on a device; part of [`raw`](crate::raw), whose rules
//! they keep.
#![allow(missing_docs)] // as there

use core::ffi::c_void;

#[cfg(feature = "std")]
use abi_stable::StableAbi;

use crate::raw::{ArHeader, ArPair, ArStatus, ArStr};

/// A device that a delegate runs on.
#[repr(C)]
#[derive(Clone, Copy)]
#[cfg_attr(feature = "std", derive(StableAbi))]
pub struct ArDeviceV1 {
    pub header: ArHeader,
    pub name: ArStr,
    /// Who wrote the driver, and its version.
    pub driver: ArStr,
    /// `gpu`, `cpu`, or what else it is.
    pub kind: ArStr,
    /// Bytes of its memory; 0 if it does not tell.
    pub memory: u64,
    /// What else it tells about itself: keys and values.
    pub limits: *const ArPair,
    pub limit_count: usize,
}

/// Where a delegate lists its devices. The function takes `context`.
#[repr(C)]
#[derive(Clone, Copy)]
#[cfg_attr(feature = "std", derive(StableAbi))]
pub struct ArDeviceNotesV1 {
    pub header: ArHeader,
    pub context: *mut c_void,
    pub note: unsafe extern "C" fn(context: *mut c_void, device: *const ArDeviceV1),
}

/// The devices of a delegate, as `query` of [`ArDelegateV1`](crate::raw::ArDelegateV1) gives them (id
/// [`INTERFACE_DEVICES`](crate::raw::INTERFACE_DEVICES)).
#[repr(C)]
#[derive(Clone, Copy)]
#[cfg_attr(feature = "std", derive(StableAbi))]
pub struct ArDevicesV1 {
    pub header: ArHeader,
    /// Lists them in the order in which options number them; `Unavailable` where there is no driver.
    pub list: unsafe extern "C" fn(notes: *const ArDeviceNotesV1) -> ArStatus,
}

/// Where a kernel tells facts. The functions take `context`.
#[repr(C)]
#[derive(Clone, Copy)]
#[cfg_attr(feature = "std", derive(StableAbi))]
pub struct ArFactNotesV1 {
    pub header: ArHeader,
    pub context: *mut c_void,
    /// `unit`: what is counted, such as `bytes`; empty for things.
    pub number: unsafe extern "C" fn(context: *mut c_void, key: ArStr, value: u64, unit: ArStr),
    pub text: unsafe extern "C" fn(context: *mut c_void, key: ArStr, value: ArStr),
}

/// What a kernel that was prepared tells of itself, as `query` of [`ArDelegateV1`](crate::raw::ArDelegateV1) gives it (id
/// [`INTERFACE_FACTS`](crate::raw::INTERFACE_FACTS)).
#[repr(C)]
#[derive(Clone, Copy)]
#[cfg_attr(feature = "std", derive(StableAbi))]
pub struct ArFactsV1 {
    pub header: ArHeader,
    pub tell: unsafe extern "C" fn(kernel: *mut c_void, notes: *const ArFactNotesV1) -> ArStatus,
}

/// A delegate whose kernels may keep outputs on their device, as `query` of [`ArDelegateV1`](crate::raw::ArDelegateV1) gives it (id
/// [`INTERFACE_BUFFERS`](crate::raw::INTERFACE_BUFFERS)).
///
/// What `keep` of [`ArKeepV1`] named keeps its value until its kernel is invoked again, prepared or destroyed. Until then the partitions
/// of the same delegate find the handle in their input's entry, with `MEMORY_DEVICE`, and do not read its `data`.
#[repr(C)]
#[derive(Clone, Copy)]
#[cfg_attr(feature = "std", derive(StableAbi))]
pub struct ArBuffersV1 {
    pub header: ArHeader,
    /// Copies what the kernel keeps under `handle` to the host's memory, which has the size of the tensor.
    pub read:
        unsafe extern "C" fn(kernel: *mut c_void, handle: u64, data: *mut c_void, bytes: u64) -> ArStatus,
}

/// Where a kernel says that an output stays on its device, as `query` of [`ArEvalV1`](crate::raw::ArEvalV1) lends it (id
/// [`INTERFACE_KEEP`](crate::raw::INTERFACE_KEEP)); null where the host wants all outputs. The function takes that struct's `context`.
#[repr(C)]
#[derive(Clone, Copy)]
#[cfg_attr(feature = "std", derive(StableAbi))]
pub struct ArKeepV1 {
    pub header: ArHeader,
    /// The value of output `output` is what the kernel keeps under `handle`; `data` of the output is not written.
    pub keep: unsafe extern "C" fn(context: *mut c_void, output: u32, handle: u64) -> ArStatus,
}
