//! A delegate that vouches for a custom op that no plugin has.

use std::ffi::c_void;

use crate::contract_1_0::*;
use crate::fixture::*;

const VOUCH: u64 = 11;

#[repr(C)]
pub struct ArVouchV1 {
    pub header: ArHeader,
    pub vouch: unsafe extern "C" fn(delegate: *mut c_void, node: *const ArNodeV1) -> u8,
}

unsafe extern "C" fn vouch(_: *mut c_void, node: *const ArNodeV1) -> u8 {
    // SAFETY: the host passes structs that stay valid until this function returns.
    let name = unsafe { std::slice::from_raw_parts((*node).custom_name.data, (*node).custom_name.length) };
    (name == b"Vouch").into()
}

unsafe extern "C" fn query(id: u64) -> *const c_void {
    static VOUCHES: ArVouchV1 = ArVouchV1 { header: header::<ArVouchV1>(), vouch };
    if id == VOUCH { pointer(&VOUCHES) } else { std::ptr::null() }
}

pub const DELEGATE: ArDelegateV1 = ArDelegateV1 { query: Some(query), ..delegate("vouch") };
