//! Error reporters: functions of the program that take a format and a `va_list`, and functions that kernels call with any number of
//! arguments. `c/report.c` is what both go through.

use std::ffi::{CStr, CString, c_char, c_void};
use std::fmt::Display;
use std::io::Write;

use crate::guard::guard;
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

/// Where errors of an interpreter or of a model go: a function of the program, else the standard error stream.
#[derive(Clone, Copy)]
pub(crate) struct Reporter {
    function: TfLiteErrorReporter,
    user_data: *mut c_void,
}

// SAFETY: the program owns function and pointer, and keeps both usable on any thread that uses the interpreter.
unsafe impl Send for Reporter {}
// SAFETY: as above.
unsafe impl Sync for Reporter {}

impl Reporter {
    /// The standard error stream.
    pub const DEFAULT: Reporter = Reporter { function: None, user_data: std::ptr::null_mut() };

    pub fn new(function: TfLiteErrorReporter, user_data: *mut c_void) -> Self {
        Reporter { function, user_data }
    }

    pub fn report(&self, message: impl Display) {
        // A null in a message would end it.
        let text = CString::new(message.to_string().replace('\0', "\u{fffd}")).unwrap_or_default();
        self.tell(&text);
    }

    fn tell(&self, text: &CStr) {
        let Some(function) = self.function else {
            // Where even that is closed, nobody listens.
            let _ = writeln!(std::io::stderr(), "ERROR: {}", text.to_string_lossy());
            return;
        };
        // SAFETY: the program's own function with its own pointer; `%s` takes the one text that follows.
        unsafe { arenite_tflite_call_reporter(function, self.user_data, c"%s".as_ptr(), text.as_ptr()) };
    }
}

/// What a kernel reports, as text. `c/report.c` finds it in the scene.
///
/// # Safety
/// `context` is one that this library gave a kernel, in a call that is in progress; `text` ends with a null byte.
pub(crate) unsafe extern "C" fn tell(context: *mut c_void, text: *const c_char) {
    guard((), || {
        // SAFETY: `context` is null or the context of a running kernel, as `# Safety` requires.
        let (reporter, text) = unsafe { (crate::kernel::reporter_of(context), CStr::from_ptr(text)) };
        reporter.tell(text);
    });
}

/// `TfLiteOpaqueContextReportError`: any number of arguments go on as they came.
///
/// # Safety
/// `context` is one that this library gave a kernel, in a call that is in progress; arguments fit the format.
#[unsafe(no_mangle)]
#[unsafe(naked)]
pub unsafe extern "C" fn TfLiteOpaqueContextReportError(context: *mut c_void, format: *const c_char) {
    #[cfg(target_arch = "x86_64")]
    std::arch::naked_asm!("jmp {}", sym arenite_tflite_report);
    #[cfg(target_arch = "aarch64")]
    std::arch::naked_asm!("b {}", sym arenite_tflite_report);
}

/// `TfLiteOpaqueContextReportErrorVa`. A `va_list` is passed as a pointer by the calling conventions of x86-64 and aarch64.
///
/// # Safety
/// As [`TfLiteOpaqueContextReportError`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteOpaqueContextReportErrorVa(
    context: *mut c_void,
    format: *const c_char,
    arguments: *mut c_void,
) {
    // SAFETY: the caller's promise; null is looked for there.
    unsafe { arenite_tflite_report_va(context, format, arguments) };
}
