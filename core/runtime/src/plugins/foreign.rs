//! Structs that a plugin or a program in C points to, checked through raw pointers and copied.
//!
//! A Rust reference to a struct whose function is null, or to one shorter than its type, is undefined behaviour before anything is
//! called. So [`read`] looks at the header first, then at each function, and only then makes a value.

use std::ffi::c_void;
use std::mem::{MaybeUninit, offset_of};
use std::ptr::addr_of;

use arenite_abi::raw::{
    ArDelegateV1, ArHeader, ArNodeV1, ArOpV1, ArPlannerV1, ArPluginBuildV1, ArPluginV1, ArPrepareV1,
    ArStatus, slice,
};

/// More registrations than this, or farther apart, are taken for a corrupt descriptor.
const MAX_REGISTRATIONS: usize = 65_536;
const MAX_STRIDE: usize = 65_536;

/// A struct of the contract that crosses from the other side, with a header at its beginning.
///
/// # Safety
/// The type is `#[repr(C)]`, begins with an [`ArHeader`], and `FUNCTIONS` has the offset of each function that is not an `Option`.
/// Any bytes are a value of the other fields.
pub(crate) unsafe trait Foreign: Copy + 'static {
    /// Name and offset of each function that the host calls without asking whether there is one.
    const FUNCTIONS: &'static [(&'static str, usize)];

    /// Fills in a function that may be left out, at its place in a copy of the struct.
    ///
    /// # Safety
    /// `copy` is a readable and writable copy of the struct's bytes.
    unsafe fn fill_in(_copy: *mut Self) {}
}

macro_rules! functions {
    ($type:ty: $($name:ident)*) => { &[$((stringify!($name), offset_of!($type, $name))),*] };
}

// SAFETY: as `raw.rs` declares it; it has no function but an optional one.
unsafe impl Foreign for ArPluginV1 {
    const FUNCTIONS: &'static [(&'static str, usize)] = &[];
}

// SAFETY: as `build_info.rs` declares it; it has no function.
unsafe impl Foreign for ArPluginBuildV1 {
    const FUNCTIONS: &'static [(&'static str, usize)] = &[];
}

// SAFETY: as `raw.rs` declares it; `prepare` is filled in, `drop` and `query` are optional.
unsafe impl Foreign for ArOpV1 {
    const FUNCTIONS: &'static [(&'static str, usize)] = functions!(ArOpV1: eval);

    unsafe fn fill_in(copy: *mut Self) {
        // SAFETY: a field of the copy, read as a word and written as a function, as `raw.rs` declares it.
        unsafe {
            if addr_of!((*copy).prepare).cast::<usize>().read() == 0 {
                (&raw mut (*copy).prepare).write(keep_file_shapes);
            }
        }
    }
}

// SAFETY: as `raw.rs` declares it; `query` is optional.
unsafe impl Foreign for ArPlannerV1 {
    const FUNCTIONS: &'static [(&'static str, usize)] = functions!(ArPlannerV1: plan);
}

// SAFETY: as `raw.rs` declares it; `query` is optional.
unsafe impl Foreign for ArDelegateV1 {
    const FUNCTIONS: &'static [(&'static str, usize)] =
        functions!(ArDelegateV1: create claim compile prepare invoke destroy_kernel destroy);
}

/// The struct at this address, or what is wrong with it; `what` names it.
///
/// # Safety
/// The address is null, or as many bytes as the header there says are readable.
pub(crate) unsafe fn read<T: Foreign>(at: *const T, what: &str) -> Result<T, String> {
    if at.is_null() || !at.is_aligned() {
        return Err(format!("{what} is at {at:p}, which is null or not aligned to {}", align_of::<T>()));
    }
    // SAFETY: not null, aligned; a header has no invalid values.
    check_header::<T>(unsafe { &*at.cast::<ArHeader>() }, what)?;
    for (name, offset) in T::FUNCTIONS {
        // SAFETY: the struct is as large as its type, which `check_header` found; any word is a `usize`.
        if unsafe { at.cast::<u8>().add(*offset).cast::<usize>().read() } == 0 {
            return Err(format!("{what} has no function '{name}': it is null, but the host calls it"));
        }
    }
    let mut copy = MaybeUninit::<T>::uninit();
    // SAFETY: both are as large as the type; functions that must be there are, and one that may be left out is filled in.
    unsafe {
        copy.as_mut_ptr().copy_from_nonoverlapping(at, 1);
        T::fill_in(copy.as_mut_ptr());
        Ok(copy.assume_init())
    }
}

/// The structs of an array, each of which [`read`] checks.
///
/// # Safety
/// Bytes of `count` structs, each `stride` behind the last, are readable at `base`, as far as these numbers are plausible.
pub(crate) unsafe fn read_all<T: Foreign>(
    base: *const T,
    count: usize,
    stride: usize,
    what: &str,
) -> Result<Vec<T>, String> {
    if count == 0 {
        return Ok(Vec::new());
    }
    if count > MAX_REGISTRATIONS
        || base.is_null()
        || !(size_of::<T>()..=MAX_STRIDE).contains(&stride)
        || !stride.is_multiple_of(align_of::<T>())
    {
        return Err(format!(
            "it has {count} {what}s, {stride} bytes apart at {base:p}; at most {MAX_REGISTRATIONS} are read, {} to {MAX_STRIDE} \
             bytes apart",
            size_of::<T>()
        ));
    }
    // SAFETY: the plugin says that so many structs are here; the products are below 2³².
    (0..count)
        .map(|i| unsafe {
            read(base.cast::<u8>().wrapping_add(i * stride).cast::<T>(), &format!("{what} {i}"))
        })
        .collect()
}

/// Compares a header with what this host knows of the struct.
pub(crate) fn check_header<T>(header: &ArHeader, what: &str) -> Result<(), String> {
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

/// Whether an interface that `query` gave can be used: a header, and behind it functions alone, none of which is null.
///
/// # Safety
/// The address is null, or as many bytes as the header there says are readable.
pub(crate) unsafe fn is_complete<T>(at: *const c_void) -> bool {
    const WORD: usize = size_of::<usize>();
    let at = at.cast::<T>();
    if at.is_null() || !at.is_aligned() {
        return false;
    }
    let words = size_of::<ArHeader>().div_ceil(WORD)..size_of::<T>() / WORD;
    // SAFETY: not null, aligned; a header has no invalid values; the words are read once its size is known.
    unsafe {
        check_header::<T>(&*at.cast::<ArHeader>(), "the interface").is_ok()
            && words.into_iter().all(|i| at.cast::<usize>().add(i).read() != 0)
    }
}

/// `prepare` of an op that has none: outputs keep the shapes that the file gives them.
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
