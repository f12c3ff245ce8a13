//! Structs for devices, facts of kernels, and tensors kept on a device. Part of [`raw`](crate::raw) and subject to its
//! rules.
#![allow(missing_docs)] // as there

use core::ffi::c_void;

#[cfg(feature = "std")]
use abi_stable::StableAbi;

use crate::raw::{ArHeader, ArPair, ArStatus, ArStr};

/// A device that a delegate can run on.
#[repr(C)]
#[derive(Clone, Copy)]
#[cfg_attr(feature = "std", derive(StableAbi))]
pub struct ArDeviceV1 {
    pub header: ArHeader,
    pub name: ArStr,
    /// Vendor and version of the driver.
    pub driver: ArStr,
    /// `gpu`, `cpu`, or another kind.
    pub kind: ArStr,
    /// Bytes of its memory; 0 if unknown.
    pub memory: u64,
    /// Further properties, as keys and values.
    pub limits: *const ArPair,
    pub limit_count: usize,
}

/// Receives a delegate's devices. The function takes `context`.
#[repr(C)]
#[derive(Clone, Copy)]
#[cfg_attr(feature = "std", derive(StableAbi))]
pub struct ArDeviceNotesV1 {
    pub header: ArHeader,
    pub context: *mut c_void,
    pub note: unsafe extern "C" fn(context: *mut c_void, device: *const ArDeviceV1),
}

/// The devices of a delegate, returned by `query` of [`ArDelegateV1`](crate::raw::ArDelegateV1) (id
/// [`INTERFACE_DEVICES`](crate::raw::INTERFACE_DEVICES)).
#[repr(C)]
#[derive(Clone, Copy)]
#[cfg_attr(feature = "std", derive(StableAbi))]
pub struct ArDevicesV1 {
    pub header: ArHeader,
    /// Lists them in the order in which options number them; `Unavailable` if there is no driver.
    pub list: unsafe extern "C" fn(notes: *const ArDeviceNotesV1) -> ArStatus,
}

/// Receives facts of a kernel. The functions take `context`.
#[repr(C)]
#[derive(Clone, Copy)]
#[cfg_attr(feature = "std", derive(StableAbi))]
pub struct ArFactNotesV1 {
    pub header: ArHeader,
    pub context: *mut c_void,
    /// `unit`, such as `bytes`; empty for counts.
    pub number: unsafe extern "C" fn(context: *mut c_void, key: ArStr, value: u64, unit: ArStr),
    pub text: unsafe extern "C" fn(context: *mut c_void, key: ArStr, value: ArStr),
}

/// The facts of a prepared kernel, returned by `query` of [`ArDelegateV1`](crate::raw::ArDelegateV1) (id
/// [`INTERFACE_FACTS`](crate::raw::INTERFACE_FACTS)).
#[repr(C)]
#[derive(Clone, Copy)]
#[cfg_attr(feature = "std", derive(StableAbi))]
pub struct ArFactsV1 {
    pub header: ArHeader,
    pub tell: unsafe extern "C" fn(kernel: *mut c_void, notes: *const ArFactNotesV1) -> ArStatus,
}

/// A delegate whose kernels may keep outputs on their device, returned by `query` of
/// [`ArDelegateV1`](crate::raw::ArDelegateV1) (id [`INTERFACE_BUFFERS`](crate::raw::INTERFACE_BUFFERS)).
///
/// A value kept by [`ArKeepV1`] does not change until its kernel is invoked again, prepared or destroyed. Until then,
/// partitions of the same delegate find the handle in the entry of their input, with `MEMORY_DEVICE`, and must not read
/// its `data`.
#[repr(C)]
#[derive(Clone, Copy)]
#[cfg_attr(feature = "std", derive(StableAbi))]
pub struct ArBuffersV1 {
    pub header: ArHeader,
    /// Copies the value kept under `handle` to host memory, which has the size of the tensor.
    pub read:
        unsafe extern "C" fn(kernel: *mut c_void, handle: u64, data: *mut c_void, bytes: u64) -> ArStatus,
}

/// A delegate whose device memory a program can share, returned by `query` of
/// [`ArDelegateV1`](crate::raw::ArDelegateV1) (id [`INTERFACE_BIND`](crate::raw::INTERFACE_BIND)). All functions take
/// the delegate from `create`; no other call uses it or its kernels at the same time.
///
/// A program creates memory with the API of the device, such as a `cl_mem`, on the objects that `object` names. Bound
/// memory contains a tensor's elements in their order, without padding, in the tensor's type.
#[repr(C)]
#[derive(Clone, Copy)]
#[cfg_attr(feature = "std", derive(StableAbi))]
pub struct ArBindV1 {
    pub header: ArHeader,
    /// An object of the API with this name, such as the `context`; `Unsupported` with the known names.
    pub object: unsafe extern "C" fn(delegate: *mut c_void, name: ArStr, object: *mut u64) -> ArStatus,
    /// Binds `bytes` bytes at `offset` of an object that lives until `unbind`. Partitions of the delegate find `handle`
    /// in the entry of an input, with `MEMORY_DEVICE`, as they find values that were kept. An error names the sizes, or
    /// says that the object belongs to another device.
    pub bind: unsafe extern "C" fn(
        delegate: *mut c_void,
        object: u64,
        offset: u64,
        bytes: u64,
        handle: *mut u64,
    ) -> ArStatus,
    pub unbind: unsafe extern "C" fn(delegate: *mut c_void, handle: u64),
    /// Copies from the start of bound memory to host memory.
    pub read:
        unsafe extern "C" fn(delegate: *mut c_void, handle: u64, data: *mut c_void, bytes: u64) -> ArStatus,
    /// Copies host memory to the start of bound memory.
    pub write:
        unsafe extern "C" fn(delegate: *mut c_void, handle: u64, data: *const c_void, bytes: u64) -> ArStatus,
    /// Copies a value of `bytes` bytes that a kernel keeps under `kept` to bound memory. `Unsupported` if the device
    /// stores it in another type: the host then reads and writes.
    pub copy: unsafe extern "C" fn(delegate: *mut c_void, kept: u64, handle: u64, bytes: u64) -> ArStatus,
}

/// Lets a kernel keep an output on its device, returned by `query` of [`ArEvalV1`](crate::raw::ArEvalV1) (id
/// [`INTERFACE_KEEP`](crate::raw::INTERFACE_KEEP)); null if the host needs all outputs. The function takes that
/// struct's `context`.
#[repr(C)]
#[derive(Clone, Copy)]
#[cfg_attr(feature = "std", derive(StableAbi))]
pub struct ArKeepV1 {
    pub header: ArHeader,
    /// The kernel keeps the value of output `output` under `handle`, and does not write the output's `data`.
    pub keep: unsafe extern "C" fn(context: *mut c_void, output: u32, handle: u64) -> ArStatus,
}
