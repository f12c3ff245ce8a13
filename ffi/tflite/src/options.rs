//! What an interpreter is to be made with.

use std::ffi::{c_char, c_int, c_void};
use std::sync::Arc;

use arenite::OpKey;

use crate::guard::{free, guard, text};
use crate::kernel::Callbacks;
use crate::kernel::types::TfLiteRegistration;
use crate::operator::{self, TfLiteOperator};
use crate::report::Reporter;
use crate::resolver::Resolver;
use crate::types::*;

/// The schema's number of custom ops.
pub(crate) const CUSTOM: c_int = 32;

/// Options of interpreters. They may be deleted before these.
#[derive(Clone)]
pub struct TfLiteInterpreterOptions {
    pub(crate) threads: i32,
    pub(crate) reporter: Reporter,
    pub(crate) ops: Vec<Own>,
    pub(crate) resolver: Resolver,
    pub(crate) delegates: Vec<*mut c_void>,
    pub(crate) cancellation: bool,
    pub(crate) fallback: bool,
}

/// An op of the program's own.
#[derive(Clone)]
pub(crate) struct Own {
    pub key: OpKey,
    pub min_version: i32,
    pub max_version: i32,
    pub functions: Source,
}

impl Own {
    /// Whether it is the op of this number, or name if it is a custom one, and version.
    pub fn serves(&self, code: c_int, name: &str, version: i32) -> bool {
        let is_named = match &self.key {
            OpKey::Builtin(own) => *own == code,
            OpKey::Custom(own) => code == CUSTOM && own == name,
        };
        is_named && (self.min_version..=self.max_version).contains(&version)
    }
}

/// Where an op's functions come from: those of an operator are read when an interpreter is made.
#[derive(Clone)]
pub(crate) enum Source {
    Operator(Arc<TfLiteOperator>),
    Registration(TfLiteRegistration),
}

impl Source {
    pub fn callbacks(&self) -> Callbacks {
        match self {
            Source::Operator(operator) => Callbacks::of(Arc::clone(operator)),
            Source::Registration(functions) => Callbacks::Registration(*functions),
        }
    }
}

impl Default for TfLiteInterpreterOptions {
    fn default() -> Self {
        TfLiteInterpreterOptions {
            threads: -1,
            reporter: Reporter::DEFAULT,
            ops: Vec::new(),
            resolver: Resolver::default(),
            delegates: Vec::new(),
            cancellation: false,
            fallback: false,
        }
    }
}

impl TfLiteInterpreterOptions {
    /// One unless the program says otherwise.
    pub fn thread_count(&self) -> usize {
        usize::try_from(self.threads).map_or(1, |threads| threads.max(1))
    }

    pub fn add_op(&mut self, key: OpKey, versions: (i32, i32), functions: Source) {
        let (min_version, max_version) = (versions.0.max(1), versions.1);
        if min_version <= max_version {
            self.ops.push(Own { key, min_version, max_version, functions });
        }
    }
}

/// The key of an op by number and name; none where a custom op has no name.
///
/// # Safety
/// `name` is null or ends with a null byte.
pub(crate) unsafe fn key(code: c_int, name: *const c_char) -> Option<OpKey> {
    if code != CUSTOM {
        return Some(OpKey::Builtin(code));
    }
    // SAFETY: `name` is null or a string that ends with a null byte, as `# Safety` requires.
    let name = unsafe { text(name) }?;
    Some(OpKey::Custom(name.to_str().ok()?.to_owned()))
}

/// Changes options, unless they are null.
///
/// # Safety
/// `options` is null or options that nobody else uses meanwhile.
pub(crate) unsafe fn change(
    options: *mut TfLiteInterpreterOptions,
    body: impl FnOnce(&mut TfLiteInterpreterOptions),
) -> TfLiteStatus {
    guard(kTfLiteError, || {
        // SAFETY: `options` is null or points to a live value that nothing else uses, as `# Safety` requires.
        let Some(options) = (unsafe { options.as_mut() }) else { return kTfLiteError };
        body(options);
        kTfLiteOk
    })
}

/// New options.
#[unsafe(no_mangle)]
pub extern "C" fn TfLiteInterpreterOptionsCreate() -> *mut TfLiteInterpreterOptions {
    guard(std::ptr::null_mut(), || Box::into_raw(Box::default()))
}

/// A copy; null for null.
///
/// # Safety
/// `from` is null or options.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteInterpreterOptionsCopy(
    from: *const TfLiteInterpreterOptions,
) -> *mut TfLiteInterpreterOptions {
    guard(std::ptr::null_mut(), || {
        // SAFETY: `from` is null or points to a live value, as `# Safety` requires.
        let from = unsafe { from.as_ref() };
        from.map_or(std::ptr::null_mut(), |from| Box::into_raw(Box::new(from.clone())))
    })
}

/// Frees options.
///
/// # Safety
/// `options` is null or options that are not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteInterpreterOptionsDelete(options: *mut TfLiteInterpreterOptions) {
    // SAFETY: `options` is null or a handle that nothing uses any more, as `# Safety` requires.
    unsafe { free(options) };
}

/// Threads of an interpreter: 0 and −1 are one.
///
/// # Safety
/// `options` is null or options that nobody else uses meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteInterpreterOptionsSetNumThreads(
    options: *mut TfLiteInterpreterOptions,
    num_threads: i32,
) {
    // SAFETY: `options` is null or a live handle that no other thread uses, as `# Safety` requires.
    unsafe { change(options, |options| options.threads = num_threads) };
}

/// Adds a delegate of the program's own. It is used, when an interpreter is made, only where `ARENITE_TFLITE_UNSAFE_DELEGATES` is 1; else none
/// is made.
///
/// # Safety
/// `options` is null or options that nobody else uses meanwhile; the delegate outlives its interpreters.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteInterpreterOptionsAddDelegate(
    options: *mut TfLiteInterpreterOptions,
    delegate: *mut c_void,
) {
    // SAFETY: `options` is null or a live handle that no other thread uses, as `# Safety` requires.
    unsafe { change(options, |options| options.delegates.push(delegate)) };
}

/// Errors of interpreters go to `reporter`, null for the standard error stream.
///
/// # Safety
/// `options` is null or options that nobody else uses meanwhile; `reporter` may be called with `user_data` as long as an interpreter
/// lives.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteInterpreterOptionsSetErrorReporter(
    options: *mut TfLiteInterpreterOptions,
    reporter: TfLiteErrorReporter,
    user_data: *mut c_void,
) {
    // SAFETY: `options` is null or a live handle that no other thread uses, as `# Safety` requires.
    unsafe { change(options, |options| options.reporter = Reporter::new(reporter, user_data)) };
}

/// Adds an op of the program's own, in the place of one of the same name that is there.
///
/// # Safety
/// `options` is null or options that nobody else uses meanwhile; `operator` is null or an operator.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteInterpreterOptionsAddOperator(
    options: *mut TfLiteInterpreterOptions,
    operator: *mut TfLiteOperator,
) {
    // SAFETY: `operator` is null or a live handle, as `# Safety` requires.
    let Some(operator) = (unsafe { operator::shared(operator) }) else { return };
    let name = operator.custom_name.as_ref().and_then(|name| name.to_str().ok());
    let key = match name {
        Some(name) => OpKey::Custom(name.to_owned()),
        None if operator.builtin_code != CUSTOM => OpKey::Builtin(operator.builtin_code),
        None => return,
    };
    let versions = (operator.version, operator.version);
    // SAFETY: `options` is null or a live handle that no other thread uses, as `# Safety` requires.
    unsafe { change(options, |options| options.add_op(key, versions, Source::Operator(operator))) };
}

/// Lets `TfLiteInterpreterCancel` stop an invocation.
///
/// # Safety
/// `options` is null or options that nobody else uses meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteInterpreterOptionsEnableCancellation(
    options: *mut TfLiteInterpreterOptions,
    enable: bool,
) -> TfLiteStatus {
    // SAFETY: `options` is null or a live handle that no other thread uses, as `# Safety` requires.
    unsafe { change(options, |options| options.cancellation = enable) }
}

/// Lets an invocation that failed run again without delegates.
///
/// # Safety
/// `options` is null or options that nobody else uses meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteInterpreterOptionsSetEnableDelegateFallback(
    options: *mut TfLiteInterpreterOptions,
    enable: bool,
) {
    // SAFETY: `options` is null or a live handle that no other thread uses, as `# Safety` requires.
    unsafe { change(options, |options| options.fallback = enable) };
}

/// There is no NNAPI here, and without it nothing changes.
///
/// # Safety
/// `options` is null or options.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteInterpreterOptionsSetUseNNAPI(
    options: *mut TfLiteInterpreterOptions,
    enable: bool,
) {
    let _ = (options, enable);
}

/// No telemetry is collected: the functions are not called.
///
/// # Safety
/// `options` is null or options.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteInterpreterOptionsSetTelemetryProfiler(
    options: *mut TfLiteInterpreterOptions,
    profiler: *mut c_void,
) {
    let _ = (options, profiler);
}

/// Adds an op of the program's own in the place of a builtin one. The registration is copied.
///
/// # Safety
/// `options` is null or options that nobody else uses meanwhile; `registration` is null or a registration.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteInterpreterOptionsAddBuiltinOp(
    options: *mut TfLiteInterpreterOptions,
    op: c_int,
    registration: *const TfLiteRegistration,
    min_version: i32,
    max_version: i32,
) {
    // SAFETY: `registration` is null or points to a live value, as `# Safety` requires.
    let Some(functions) = (unsafe { registration.as_ref() }) else { return };
    let (key, versions) = (OpKey::Builtin(op), (min_version, max_version));
    let functions = Source::Registration(*functions);
    // SAFETY: `options` is null or a live handle that no other thread uses, as `# Safety` requires.
    unsafe { change(options, |options| options.add_op(key, versions, functions)) };
}

/// Adds a custom op of the program's own. The registration is copied.
///
/// # Safety
/// As [`TfLiteInterpreterOptionsAddBuiltinOp`]; `name` is null or ends with a null byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteInterpreterOptionsAddCustomOp(
    options: *mut TfLiteInterpreterOptions,
    name: *const c_char,
    registration: *const TfLiteRegistration,
    min_version: i32,
    max_version: i32,
) {
    // SAFETY: `registration` is null or points to a live value, as `# Safety` requires.
    let (functions, key) = unsafe { (registration.as_ref(), key(CUSTOM, name)) };
    let (Some(functions), Some(key)) = (functions, key) else { return };
    let functions = Source::Registration(*functions);
    // SAFETY: `options` is null or a live handle that no other thread uses, as `# Safety` requires.
    unsafe { change(options, |options| options.add_op(key, (min_version, max_version), functions)) };
}
