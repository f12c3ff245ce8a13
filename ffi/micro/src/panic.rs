//! A panic ends in a function of the program, which does not return.

use core::panic::PanicInfo;

unsafe extern "C" {
    /// Of the program: halts, or restarts, the machine. `file` is not null-terminated.
    safe fn arenite_micro_panic(file: *const u8, length: usize, line: u32) -> !;
}

#[panic_handler]
fn end(info: &PanicInfo<'_>) -> ! {
    let (file, line) = info.location().map_or(("", 0), |place| (place.file(), place.line()));
    arenite_micro_panic(file.as_ptr(), file.len(), line)
}

/// Where the C library has it, the compiler takes it instead of `memcmp`; programs without one need not have it.
///
/// # Safety
/// As `memcmp`.
#[cfg(target_os = "linux")]
#[unsafe(no_mangle)]
unsafe extern "C" fn bcmp(a: *const core::ffi::c_void, b: *const core::ffi::c_void, bytes: usize) -> i32 {
    unsafe extern "C" {
        fn memcmp(a: *const core::ffi::c_void, b: *const core::ffi::c_void, bytes: usize) -> i32;
    }
    // SAFETY: the caller's promise.
    unsafe { memcmp(a, b, bytes) }
}
