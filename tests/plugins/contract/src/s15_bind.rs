//! A delegate that binds memory of the program to tensors. Its device is the host, its objects are addresses.

use std::ffi::c_void;

use crate::contract_1_0::*;
use crate::fixture::*;

const MEMORY_DEVICE: u32 = 1;
const BIND: u64 = 24;

#[repr(C)]
pub struct ArBindV1 {
    pub header: ArHeader,
    pub object: unsafe extern "C" fn(delegate: *mut c_void, name: ArStr, object: *mut u64) -> ArStatus,
    pub bind: unsafe extern "C" fn(
        delegate: *mut c_void,
        object: u64,
        offset: u64,
        bytes: u64,
        handle: *mut u64,
    ) -> ArStatus,
    pub unbind: unsafe extern "C" fn(delegate: *mut c_void, handle: u64),
    pub read:
        unsafe extern "C" fn(delegate: *mut c_void, handle: u64, data: *mut c_void, bytes: u64) -> ArStatus,
    pub write:
        unsafe extern "C" fn(delegate: *mut c_void, handle: u64, data: *const c_void, bytes: u64) -> ArStatus,
    pub copy: unsafe extern "C" fn(delegate: *mut c_void, kept: u64, handle: u64, bytes: u64) -> ArStatus,
}

unsafe extern "C" fn object(delegate: *mut c_void, name: ArStr, object: *mut u64) -> ArStatus {
    if name.length != 5 {
        return fail("the known object is 'bound'");
    }
    // SAFETY: `create` made the delegate, a number; the result is writable.
    unsafe { *object = *delegate.cast::<u64>() };
    OK
}

unsafe extern "C" fn bind(
    delegate: *mut c_void,
    object: u64,
    offset: u64,
    bytes: u64,
    handle: *mut u64,
) -> ArStatus {
    if bytes < 16 {
        return fail("a tensor has 16 bytes");
    }
    // SAFETY: `create` made the delegate, a number; the result is writable.
    unsafe {
        *delegate.cast::<u64>() += 1;
        *handle = object + offset;
    }
    OK
}

unsafe extern "C" fn unbind(delegate: *mut c_void, _: u64) {
    // SAFETY: `create` made the delegate, a number.
    unsafe { *delegate.cast::<u64>() -= 1 };
}

unsafe extern "C" fn read(_: *mut c_void, handle: u64, data: *mut c_void, bytes: u64) -> ArStatus {
    // SAFETY: the handle is the address of bytes of the program; `data` has `bytes`.
    unsafe { data.cast::<u8>().copy_from(handle as usize as *const u8, bytes as usize) };
    OK
}

unsafe extern "C" fn write(_: *mut c_void, handle: u64, data: *const c_void, bytes: u64) -> ArStatus {
    // SAFETY: the handle is the address of bytes of the program; `data` has `bytes`.
    unsafe { (handle as usize as *mut u8).copy_from(data.cast(), bytes as usize) };
    OK
}

unsafe extern "C" fn copy(_: *mut c_void, _: u64, _: u64, _: u64) -> ArStatus {
    fail("no kernel keeps a value")
}

unsafe extern "C" fn invoke_bound(
    made: *mut c_void,
    eval: *const ArEvalV1,
    partition: *const ArPartitionV1,
    node: *const ArNodeV1,
) -> ArStatus {
    // SAFETY: the host passes structs that stay valid until this function returns; a handle is the address of four
    // floats of the program.
    unsafe {
        let x = input(&*node, 0);
        if x.memory_kind != MEMORY_DEVICE {
            return invoke(made, eval, partition, node);
        }
        let (x, c) = (x.handle as usize as *const f32, &kernel(made).c);
        fill(output(&*node, 0), |i| *x.add(i) + c[i]);
    }
    OK
}

unsafe extern "C" fn query(id: u64) -> *const c_void {
    static BINDS: ArBindV1 =
        ArBindV1 { header: header::<ArBindV1>(), object, bind, unbind, read, write, copy };
    if id == BIND { pointer(&BINDS) } else { std::ptr::null() }
}

pub const DELEGATE: ArDelegateV1 =
    ArDelegateV1 { invoke: invoke_bound, query: Some(query), ..delegate("bind") };
