//! Tests of registered ops, which come from a loaded plugin or are written in C.

use core::marker::PhantomData;
use std::format;
use std::string::String;
use std::sync::Arc;

use super::OpTest;
use super::calls::HOST;
use crate::object::UserData;
use crate::raw::{ArHostV1, ArOpV1, BUILTIN_CUSTOM, OP_USER_DATA};

/// The host for such an op in a test, which provides errors and loops.
pub fn host() -> &'static ArHostV1 {
    &HOST
}

impl OpTest<ArOpV1> {
    /// Like [`new`](OpTest::new), for a registration, which is copied with its name. If the op has [`OP_USER_DATA`],
    /// the pointer is stored in the first word of the node's state before `prepare`.
    ///
    /// # Errors
    /// There is user data without that flag, or without room for it.
    ///
    /// # Safety
    /// The registration must follow the ABI's rules: its name must be readable now, and its functions callable as long
    /// as the test is used.
    pub unsafe fn registered_as(op: &ArOpV1, user_data: Option<UserData>) -> Result<Self, String> {
        let takes_it = op.flags & OP_USER_DATA != 0;
        if !takes_it && user_data.as_ref().is_some_and(|data| !data.pointer().is_null()) {
            return Err("it comes with user data but without OP_USER_DATA".into());
        }
        if takes_it && op.state_size < size_of::<usize>() as u64 {
            let size = op.state_size;
            return Err(format!("its state of {size} bytes is too small for its user data"));
        }
        // SAFETY: the caller guarantees that the name is readable.
        let name = if op.builtin_code == BUILTIN_CUSTOM { unsafe { op.custom_name.as_str() } } else { "" };
        let OpTest { op, mut node, demanded, .. } = OpTest::<ArOpV1>::of(op, name);
        node.user_data = user_data.filter(|_| takes_it).map(Arc::new);
        Ok(OpTest { op, node, demanded, of: PhantomData })
    }
}
