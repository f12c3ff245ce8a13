//! Ops as they cross: of a plugin that is loaded, or of one that was written in C.

use core::marker::PhantomData;
use std::format;
use std::string::String;
use std::sync::Arc;

use super::OpTest;
use super::calls::HOST;
use crate::object::UserData;
use crate::raw::{ArHostV1, ArOpV1, BUILTIN_CUSTOM, OP_USER_DATA};

/// What the functions of such an op tell errors with, and have loops run by, in a test.
pub fn host() -> &'static ArHostV1 {
    &HOST
}

impl OpTest<ArOpV1> {
    /// As [`new`](OpTest::new), of a registration as it crosses, which is copied with its name. The pointer stands in the first word
    /// of the node's state before `prepare`, if the op has [`OP_USER_DATA`].
    ///
    /// # Errors
    /// User data without that flag, or without room for it.
    ///
    /// # Safety
    /// The registration keeps the contract: its name is readable now, its functions as long as the test is used.
    pub unsafe fn registered_as(op: &ArOpV1, user_data: Option<UserData>) -> Result<Self, String> {
        let takes_it = op.flags & OP_USER_DATA != 0;
        if !takes_it && user_data.as_ref().is_some_and(|data| !data.pointer().is_null()) {
            return Err("it comes with user data and has no OP_USER_DATA".into());
        }
        if takes_it && op.state_size < size_of::<usize>() as u64 {
            let size = op.state_size;
            return Err(format!("its state of {size} bytes has no room for its user data"));
        }
        // SAFETY: by the caller.
        let name = if op.builtin_code == BUILTIN_CUSTOM { unsafe { op.custom_name.as_str() } } else { "" };
        let OpTest { op, mut node, demanded, .. } = OpTest::<ArOpV1>::of(op, name);
        node.user_data = user_data.filter(|_| takes_it).map(Arc::new);
        Ok(OpTest { op, node, demanded, of: PhantomData })
    }
}
