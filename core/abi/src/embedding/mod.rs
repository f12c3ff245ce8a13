//! Embedding: the state of a prepared node becomes part of a program for another machine, which runs the node without
//! preparing it.

pub(crate) mod raw;

use core::ffi::c_void;

use crate::host::check;
use crate::plain::{Image, Plain, PointerWidth};
use crate::raw::{ArPutStateFn, ArStr};
use crate::{Result, unsupported};

/// The largest state that can be embedded, in bytes.
const MAX_STATE: usize = 1024;

/// How the states of an op are embedded: [`Op::EMBED`](crate::Op::EMBED).
pub struct Embed<T> {
    // Without `std`, nothing calls it.
    #[cfg_attr(not(feature = "std"), allow(dead_code))]
    put: fn(&T, &mut EmbedContext) -> Result<()>,
    pub(crate) signature: u32,
}

impl<T: Plain> Embed<T> {
    /// The state as it is, for the op's own `eval`.
    pub const PLAIN: Self = Self::with(|op, cx| cx.put("", op));

    /// `put` passes the state of a prepared node to the context.
    pub const fn with(put: fn(&T, &mut EmbedContext) -> Result<()>) -> Self {
        Embed { put, signature: T::SIGNATURE }
    }
}

impl<T> Embed<T> {
    /// Passes the state of a prepared node to the context.
    #[cfg(feature = "std")]
    pub(crate) fn put(&self, op: &T, cx: &mut EmbedContext) -> Result<()> {
        (self.put)(op, cx)
    }
}

/// Receives the state of a node.
pub struct EmbedContext {
    width: PointerWidth,
    context: *mut c_void,
    put: ArPutStateFn,
}

impl EmbedContext {
    /// Wraps the host's function.
    ///
    /// # Safety
    /// `put` must accept `context` as long as the value exists.
    #[cfg(feature = "std")]
    pub(crate) unsafe fn new(width: PointerWidth, context: *mut c_void, put: ArPutStateFn) -> Self {
        EmbedContext { width, context, put }
    }

    /// Embeds a state with the C function `kernel`, or with the op's `eval` if the name is empty. Called once.
    ///
    /// # Errors
    /// The state is too large, or a number does not fit the machine.
    pub fn put<S: Plain>(&mut self, kernel: &str, state: &S) -> Result<()> {
        let layout = S::LAYOUTS[self.width as usize];
        let mut bytes = [0; MAX_STATE];
        let size = layout.size;
        let bytes = bytes
            .get_mut(..size)
            .ok_or_else(|| unsupported!("its state has {size} bytes; at most {MAX_STATE} can be embedded"))?;
        state.write(&mut Image::new(bytes, self.width))?;
        let data = bytes.as_ptr().cast();
        // SAFETY: name and bytes are readable during the call, and `new` requires that `put` accepts `context`.
        check(unsafe {
            (self.put)(self.context, ArStr::borrowed(kernel), data, size as u64, layout.align as u64)
        })
    }
}
