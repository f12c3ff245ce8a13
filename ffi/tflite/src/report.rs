//! Error reporters: calls the program's reporter, which takes a format and a `va_list`, and implements the variadic
//! functions with which kernels report errors. Rust cannot define either, so both go through `c/report.c`.

use std::ffi::{CStr, c_char, c_void};
use std::fmt::Display;
use std::io::Write;

use crate::guard::c_string;
use crate::types::TfLiteErrorReporter;

unsafe extern "C" {
    fn arenite_tflite_call_reporter(
        reporter: unsafe extern "C" fn(*mut c_void, *const c_char, *mut c_void),
        user_data: *mut c_void,
        format: *const c_char,
        ...
    );
    pub(crate) fn arenite_tflite_report(context: *mut c_void, format: *const c_char, ...);
    fn arenite_tflite_report_va(context: *mut c_void, format: *const c_char, arguments: *mut c_void);
}

/// The error reporter of an interpreter or a model: a function of the program, or by default the standard error stream.
#[derive(Clone, Copy)]
pub(crate) struct Reporter {
    function: TfLiteErrorReporter,
    user_data: *mut c_void,
}

// SAFETY: the program owns the function and the pointer, and `TfLiteInterpreterOptionsSetErrorReporter` requires that
// both are usable on any thread that uses the interpreter.
unsafe impl Send for Reporter {}
// SAFETY: see `Send`; `report` only reads the two fields.
unsafe impl Sync for Reporter {}

impl Reporter {
    /// The standard error stream.
    pub(crate) const DEFAULT: Reporter = Reporter { function: None, user_data: std::ptr::null_mut() };

    pub(crate) fn new(function: TfLiteErrorReporter, user_data: *mut c_void) -> Self {
        Reporter { function, user_data }
    }

    pub(crate) fn report(&self, message: impl Display) {
        let text = c_string(&message.to_string());
        self.tell(&text);
    }

    pub(crate) fn tell(&self, text: &CStr) {
        let Some(function) = self.function else {
            // If standard error is closed too, the message is lost.
            let _ = writeln!(std::io::stderr(), "ERROR: {}", text.to_string_lossy());
            return;
        };
        // SAFETY: the program registered the function together with the pointer; `%s` consumes the one argument, which
        // is null-terminated.
        unsafe { arenite_tflite_call_reporter(function, self.user_data, c"%s".as_ptr(), text.as_ptr()) };
    }
}

/// `TfLiteOpaqueContextReportError`. Jumps to `arenite_tflite_report` so that all variadic arguments stay in place.
///
/// # Safety
/// `context` must be null or a context that this library passed to a kernel whose call has not returned. `format` must
/// be null or a `printf` format that matches the other arguments.
#[unsafe(no_mangle)]
#[unsafe(naked)]
pub(crate) unsafe extern "C" fn TfLiteOpaqueContextReportError(context: *mut c_void, format: *const c_char) {
    #[cfg(target_arch = "x86_64")]
    std::arch::naked_asm!("jmp {}", sym arenite_tflite_report);
    #[cfg(target_arch = "aarch64")]
    std::arch::naked_asm!("b {}", sym arenite_tflite_report);
}

/// `TfLiteOpaqueContextReportErrorVa`. The calling conventions of x86-64 and aarch64 pass a `va_list` as a pointer.
///
/// # Safety
/// `context` must be null or a context that this library passed to a kernel whose call has not returned. `format` must
/// be null or a `printf` format, and `arguments` a `va_list` that matches it.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TfLiteOpaqueContextReportErrorVa(
    context: *mut c_void,
    format: *const c_char,
    arguments: *mut c_void,
) {
    // SAFETY: context, format and arguments are valid, as `# Safety` requires; the C function checks for null.
    unsafe { arenite_tflite_report_va(context, format, arguments) };
}
