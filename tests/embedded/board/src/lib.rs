//! The models of `arenite-test-embedded`, for `tests/micro/rust.c`.
#![cfg_attr(target_os = "none", no_std)]

use arenite_test_embedded::{Value, run_all};

/// Runs all models and passes each output to `show`: the model's name, the index, and the bytes. Returns whether all
/// ran.
#[unsafe(no_mangle)]
extern "C" fn run_rust_models(show: extern "C" fn(*const u8, usize, usize, *const u8, usize)) -> bool {
    let mut pass = |Value { model, is_input, index, bytes }: &Value<'_>| {
        if !is_input {
            show(model.as_ptr(), model.len(), *index, bytes.as_ptr(), bytes.len());
        }
    };
    run_all(&mut pass).is_ok()
}

#[cfg(target_os = "none")]
#[panic_handler]
fn end(_: &core::panic::PanicInfo<'_>) -> ! {
    unsafe extern "C" {
        /// Ends the program of `tests/micro`.
        safe fn port_stop(status: i32) -> !;
    }
    port_stop(3)
}
