//! A panic calls a function of the program that does not return.

use core::panic::PanicInfo;

unsafe extern "C" {
    /// Defined by the program: halts or restarts the machine. `file` is not null-terminated.
    safe fn arenite_micro_panic(file: *const u8, length: usize, line: u32) -> !;
}

/// Without `messages`, no place is passed, so the linker leaves out all places and the names of their files.
#[panic_handler]
fn end(info: &PanicInfo<'_>) -> ! {
    let place = info.location().filter(|_| cfg!(feature = "messages"));
    let (file, line) = place.map_or(("", 0), |place| (place.file(), place.line()));
    arenite_micro_panic(file.as_ptr(), file.len(), line)
}

/// Compilers call this instead of `memcmp` on targets whose C library has it. Programs without a C library need not
/// define it.
///
/// # Safety
/// The requirements of `memcmp`.
#[cfg(target_os = "linux")]
#[unsafe(no_mangle)]
unsafe extern "C" fn bcmp(a: *const core::ffi::c_void, b: *const core::ffi::c_void, bytes: usize) -> i32 {
    unsafe extern "C" {
        fn memcmp(a: *const core::ffi::c_void, b: *const core::ffi::c_void, bytes: usize) -> i32;
    }
    // SAFETY: `memcmp` has the same requirements as this function, and its caller meets them.
    unsafe { memcmp(a, b, bytes) }
}
