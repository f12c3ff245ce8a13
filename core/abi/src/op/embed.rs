//! The interface of ops whose states can be embedded, and how a host calls it.

use core::ffi::c_void;

use super::Op;
use crate::Result;
use crate::embedding::Embed;
#[cfg(feature = "std")]
use crate::embedding::EmbedContext;
use crate::host::check;
use crate::plain::{PointerWidth, mix};
use crate::raw::{ArEmbedV1, ArOpV1, ArStatus, ArStr, INTERFACE_EMBED};
#[cfg(feature = "std")]
use crate::raw::{ArHeader, ArPutStateFn};
use crate::shim::status;
#[cfg(feature = "std")]
use crate::unsupported;

/// The interface of the op `T`.
#[cfg(feature = "std")]
struct Interface<T>(T);

#[cfg(feature = "std")]
impl<T: Op> Interface<T> {
    const EMBED: ArEmbedV1 = ArEmbedV1 { header: ArHeader::of::<ArEmbedV1>(), embed: embed::<T> };

    /// A constant, so that ops which cannot be embedded need no code.
    const QUERY: Option<QueryFn> = match &T::EMBED {
        Some(_) => Some(query::<T>),
        None => None,
    };
}

type QueryFn = unsafe extern "C" fn(u64) -> *const c_void;

/// The `query` of the op `T`, if its states can be embedded, which needs `std`.
pub(super) const fn query_of<T: Op>() -> Option<QueryFn> {
    #[cfg(feature = "std")]
    return Interface::<T>::QUERY;
    #[cfg(not(feature = "std"))]
    None
}

#[cfg(feature = "std")]
unsafe extern "C" fn query<T: Op>(interface: u64) -> *const c_void {
    match interface {
        INTERFACE_EMBED => (&raw const *(const { &Interface::<T>::EMBED })).cast(),
        _ => core::ptr::null(),
    }
}

#[cfg(feature = "std")]
unsafe extern "C" fn embed<T: Op>(
    state: *const c_void,
    pointer_bytes: u32,
    context: *mut c_void,
    put: ArPutStateFn,
) -> ArStatus {
    status(&mut || {
        let width = PointerWidth::of_bytes(pointer_bytes)
            .ok_or_else(|| unsupported!("pointers of {pointer_bytes} bytes are not supported"))?;
        let Some(embed) = T::EMBED else { return Err(unsupported!("the op cannot be embedded")) };
        // SAFETY: the ABI requires `state` to be initialized by `prepare`.
        let op = unsafe { &*state.cast::<T>() };
        // SAFETY: the host's function accepts its context during the call.
        embed.put(op, &mut unsafe { EmbedContext::new(width, context, put) })
    })
}

/// Continues the hash of a list of ops with the state of `T`, unless it cannot be embedded. Programs that contain
/// states compare it with that of their kernels.
pub const fn state_signature<T: Op>(hash: u32) -> u32 {
    match &T::EMBED {
        Some(Embed { signature, .. }) => mix(hash, *signature),
        None => hash,
    }
}

/// A node's state on another machine.
pub struct EmbeddedState<'e> {
    /// The C name of the function that runs the node; empty for the op's `eval`.
    pub kernel: &'e str,
    /// The bytes.
    pub bytes: &'e [u8],
    /// Their alignment.
    pub alignment: usize,
}

/// Passes the state of a node to `take`, as a machine with such pointers stores it. Returns false if the op cannot be
/// embedded.
///
/// # Errors
/// The op refuses to embed this node, or `take` failed.
///
/// # Safety
/// `op` must follow the ABI's rules, and `state` must have been initialized by its `prepare`.
pub unsafe fn embed_state(
    op: &ArOpV1,
    state: *const c_void,
    width: PointerWidth,
    take: &mut dyn FnMut(EmbeddedState<'_>) -> Result<()>,
) -> Result<bool> {
    let Some(query) = op.query else { return Ok(false) };
    // SAFETY: the ABI requires `query` to accept any id, and to return null or the struct of the id, valid as long as
    // the process.
    let Some(interface) = (unsafe { query(INTERFACE_EMBED).cast::<ArEmbedV1>().as_ref() }) else {
        return Ok(false);
    };
    let pointer_bytes = match width {
        PointerWidth::Bits32 => 4,
        PointerWidth::Bits64 => 8,
    };
    let mut receiver = Receiver { take, count: 0 };
    // SAFETY: `state` is initialized, as `# Safety` requires, and `put_state` expects this context.
    let done = unsafe { (interface.embed)(state, pointer_bytes, (&raw mut receiver).cast(), put_state) };
    check(done)?;
    match receiver.count {
        1 => Ok(true),
        count => Err(crate::invalid!("it gave {count} states to embed; it must give one")),
    }
}

struct Receiver<'t> {
    take: &'t mut dyn FnMut(EmbeddedState<'_>) -> Result<()>,
    count: u32,
}

unsafe extern "C" fn put_state(
    context: *mut c_void,
    kernel: ArStr,
    state: *const c_void,
    bytes: u64,
    alignment: u64,
) -> ArStatus {
    status(&mut || {
        // SAFETY: `embed_state` passed a `Receiver`, which nothing else uses during the call.
        let receiver = unsafe { &mut *context.cast::<Receiver<'_>>() };
        receiver.count += 1;
        // SAFETY: the ABI requires that name and state are readable during the call.
        let (kernel, bytes) =
            unsafe { (kernel.as_str(), crate::raw::slice(state.cast::<u8>(), bytes as usize)) };
        (receiver.take)(EmbeddedState { kernel, bytes, alignment: alignment as usize })
    })
}
