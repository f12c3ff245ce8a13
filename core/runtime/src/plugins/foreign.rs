//! Structs from a plugin or a C program, checked through raw pointers and then copied.
//!
//! A Rust reference to a struct with a null function pointer, or to a struct shorter than its type, is undefined
//! behaviour even if it is never used. So [`read`] checks the header, then each function, and only then creates a
//! value.

use std::ffi::c_void;
use std::fmt::Display;
use std::mem::{MaybeUninit, offset_of};
use std::ptr::addr_of;

use arenite_abi::raw::{
    ArAssignV1, ArBindV1, ArBuffersV1, ArClaimV1, ArClaimWithHostV1, ArCompileV1, ArCreateV1, ArDelegateV1,
    ArDevicesV1, ArEmbedV1, ArFactsV1, ArHeader, ArKernelPlanV1, ArNoSharingV1, ArNodeV1, ArOpV1, ArPlanV1,
    ArPlannerV1, ArPluginBuildV1, ArPluginV1, ArPrepareV1, ArStatus, ArStr, ArVouchV1, BUILTIN_CUSTOM, slice,
};

/// With more registrations, or a larger stride, the descriptor is considered corrupt.
const MAX_REGISTRATIONS: usize = 65_536;
const MAX_STRIDE: usize = 65_536;

/// A struct of the contract that the other side passes, which starts with a header.
///
/// # Safety
/// The type is `#[repr(C)]`, starts with an [`ArHeader`], and `FUNCTIONS` has the offset of each function that is not
/// an `Option`. The other fields are valid for any bytes. `NAME` is the offset of an [`ArStr`].
pub(crate) unsafe trait Foreign: Copy + 'static {
    /// Name and offset of each function that the host calls without a check for null.
    const FUNCTIONS: &'static [(&'static str, usize)];
    /// Offset of its name.
    const NAME: Option<usize> = None;

    /// Fills in a function that may be absent, in a copy of the struct.
    ///
    /// # Safety
    /// `copy` is a readable and writable copy of the struct's bytes.
    unsafe fn fill_in(_copy: *mut Self) {}

    /// Its name in messages, from a copy whose functions may be null.
    fn called(copy: &MaybeUninit<Self>) -> Option<String> {
        // SAFETY: `NAME` is the offset of an `ArStr` in a copy of the struct; any bytes are a valid `ArStr`.
        let name = unsafe { copy.as_ptr().cast::<u8>().add(Self::NAME?).cast::<ArStr>().read() };
        Some(text(name)).filter(|name| !name.is_empty())
    }
}

macro_rules! foreign {
    ($($type:ident: $($function:ident)* $(, name: $name:ident)?;)*) => {$(
        // SAFETY: as `raw.rs` declares it; `query` is an `Option`, and tests count the functions.
        unsafe impl Foreign for $type {
            const FUNCTIONS: &'static [(&'static str, usize)] = &[$((stringify!($function), offset_of!($type, $function))),*];
            $(const NAME: Option<usize> = Some(offset_of!($type, $name));)?
        }
    )*};
}

foreign! {
    ArPluginV1: ;
    ArPluginBuildV1: ;
    ArPlannerV1: plan, name: name;
    ArDelegateV1: create claim compile prepare invoke destroy_kernel destroy, name: name;
    ArClaimV1: claim;
    ArClaimWithHostV1: claim;
    ArCompileV1: compile;
    ArKernelPlanV1: plan;
    ArPlanV1: plan;
    ArCreateV1: create;
    ArVouchV1: vouch;
    ArAssignV1: assign;
    ArNoSharingV1: ;
    ArDevicesV1: list;
    ArFactsV1: tell;
    ArBuffersV1: read;
    ArBindV1: object bind unbind read write copy;
    ArEmbedV1: embed;
}

// SAFETY: as `raw.rs` declares it; `prepare` is filled in, `drop` and `query` are optional.
unsafe impl Foreign for ArOpV1 {
    const FUNCTIONS: &'static [(&'static str, usize)] = &[("eval", offset_of!(ArOpV1, eval))];

    unsafe fn fill_in(copy: *mut Self) {
        // SAFETY: a field of the copy, read as a word and written as a function, as `raw.rs` declares it.
        unsafe {
            if addr_of!((*copy).prepare).cast::<usize>().read() == 0 {
                (&raw mut (*copy).prepare).write(keep_file_shapes);
            }
        }
    }

    fn called(copy: &MaybeUninit<Self>) -> Option<String> {
        let copy = copy.as_ptr();
        // SAFETY: a number and a text, in a copy of the struct's bytes, any of which are one.
        let (code, name) =
            unsafe { (addr_of!((*copy).builtin_code).read(), addr_of!((*copy).custom_name).read()) };
        match code {
            BUILTIN_CUSTOM => Some(text(name)).filter(|name| !name.is_empty()),
            code => arenite_model::builtin_operator_name(code).map(str::to_owned),
        }
    }
}

/// Reads the struct at this address. The error names it as `what`.
///
/// # Safety
/// The address is null, or as many bytes are readable as the header there declares.
pub(crate) unsafe fn read<T: Foreign>(at: *const T, what: impl Display) -> Result<T, String> {
    if at.is_null() || !at.is_aligned() {
        return Err(format!("{what} is at {at:p}, which is null or not aligned to {}", align_of::<T>()));
    }
    // SAFETY: not null, aligned; a header has no invalid values.
    check_header::<T>(unsafe { &*at.cast::<ArHeader>() }, &what)?;
    // SAFETY: the struct is as large as its type, which `check_header` found; any bytes are a `MaybeUninit`.
    let mut copy = unsafe { at.cast::<MaybeUninit<T>>().read() };
    for (function, offset) in T::FUNCTIONS {
        // SAFETY: a field of the copy as large as a word; any word is a `usize`.
        if unsafe { copy.as_ptr().cast::<u8>().add(*offset).cast::<usize>().read() } == 0 {
            let name = T::called(&copy).map_or(String::new(), |name| format!(" ('{name}')"));
            return Err(format!(
                "{what}{name} has no function '{function}', which the host calls: set it; it is null"
            ));
        }
    }
    // SAFETY: all required functions are present and optional ones are filled in; any bytes are valid for the other
    // fields.
    unsafe {
        T::fill_in(copy.as_mut_ptr());
        Ok(copy.assume_init())
    }
}

/// Reads the structs of an array with [`read`].
///
/// # Safety
/// `count` structs at `base`, `stride` bytes from one to the next, are readable, as far as these numbers are plausible.
pub(crate) unsafe fn read_all<T: Foreign>(
    base: *const T,
    count: usize,
    stride: usize,
    what: &str,
) -> Result<Vec<T>, String> {
    if count == 0 {
        return Ok(Vec::new());
    }
    let wraps = base.addr().checked_add(count.saturating_mul(stride)).is_none();
    if count > MAX_REGISTRATIONS
        || wraps
        || base.is_null()
        || !(size_of::<T>()..=MAX_STRIDE).contains(&stride)
        || !stride.is_multiple_of(align_of::<T>())
    {
        return Err(format!(
            "it has {count} {what}s, {stride} bytes apart at {base:p}; at most {MAX_REGISTRATIONS} are read, {} to {MAX_STRIDE} \
             bytes apart, a multiple of {}, from an address that is not null and before the end of memory",
            size_of::<T>(),
            align_of::<T>()
        ));
    }
    // SAFETY: the plugin guarantees `count` structs at this address; the products are below 2³².
    (0..count)
        .map(|i| unsafe {
            read(base.cast::<u8>().wrapping_add(i * stride).cast::<T>(), format_args!("{what} {i}"))
        })
        .collect()
}

/// Compares a header with the host's version of the struct.
pub(crate) fn check_header<T>(header: &ArHeader, what: impl Display) -> Result<(), String> {
    if header.major != 1 || (header.struct_size as usize) < size_of::<T>() {
        return Err(format!(
            "{what} has {} bytes in version {}.{}, this host needs {} in version 1.x",
            header.struct_size,
            header.major,
            header.minor,
            size_of::<T>()
        ));
    }
    Ok(())
}

/// The default `prepare` of an op: outputs keep their shapes in the model file.
unsafe extern "C" fn keep_file_shapes(
    prepare: *const ArPrepareV1,
    node: *const ArNodeV1,
    _: *mut c_void,
) -> ArStatus {
    // SAFETY: the host calls it with structs that are valid for the call; outputs index its tensors or are −1.
    unsafe {
        let (prepare, node) = (&*prepare, &*node);
        let outputs = slice(node.outputs, node.output_count);
        for (output, t) in outputs.iter().enumerate() {
            let Ok(t) = usize::try_from(*t) else { continue };
            let tensor = &*node
                .tensors
                .cast::<u8>()
                .add(t * node.tensor_stride)
                .cast::<arenite_abi::raw::ArTensorV1>();
            let status = (prepare.set_output_shape)(prepare.context, output as u32, tensor.dims, tensor.rank);
            if status != 0 {
                return status;
            }
        }
        0
    }
}

pub(crate) fn text(raw: ArStr) -> String {
    if raw.length > 1 << 20 {
        return String::new();
    }
    // SAFETY: the plugin's static text, by the contract.
    unsafe { raw.as_str() }.to_owned()
}

/// The function that returns an interface for its id.
pub(crate) type Query = Option<unsafe extern "C" fn(interface: u64) -> *const c_void>;

/// The interface with this id. Its header and functions were checked when its owner was registered; if they are invalid
/// now, the result is `None`.
///
/// # Safety
/// `T` is the struct of that id.
pub(crate) unsafe fn interface<T: Foreign>(query: Query, id: u64) -> Option<T> {
    // SAFETY: `query` answers with null or a struct that lives as long as the process.
    unsafe {
        let found = query?(id).cast::<T>();
        if found.is_null() { None } else { read(found, "the interface").ok() }
    }
}

#[cfg(test)]
mod tests;
