//! `TfLiteInterpreterOptions`: the settings from which interpreters are created.

use std::ffi::{c_char, c_int, c_void};
use std::ops::RangeInclusive;
use std::sync::Arc;

use arenite::OpKey;

use crate::guard::{free, guard, text};
use crate::kernel::Callbacks;
use crate::kernel::types::TfLiteRegistration;
use crate::operator::{self, TfLiteOperator};
use crate::report::Reporter;
use crate::resolver::Resolver;
use crate::types::*;

/// Options for creating interpreters. They may be deleted while the interpreters still exist.
#[derive(Clone)]
pub(crate) struct TfLiteInterpreterOptions {
    pub(crate) threads: i32,
    pub(crate) reporter: Reporter,
    pub(crate) ops: Vec<RegisteredOp>,
    pub(crate) resolver: Resolver,
    pub(crate) delegates: Vec<*mut c_void>,
    pub(crate) cancellation: bool,
    pub(crate) fallback: bool,
}

/// An op that the program registered.
#[derive(Clone)]
pub(crate) struct RegisteredOp {
    pub key: OpKey,
    pub min_version: i32,
    pub max_version: i32,
    pub functions: Source,
}

impl RegisteredOp {
    /// Whether this is the op with builtin code `code` (for a custom op: with this name) and this version.
    pub(crate) fn serves(&self, code: c_int, name: &str, version: i32) -> bool {
        let is_named = match &self.key {
            OpKey::Builtin(own) => *own == code,
            OpKey::Custom(own) => code == CUSTOM && own == name,
        };
        is_named && (self.min_version..=self.max_version).contains(&version)
    }
}

/// An op's functions. An operator's functions are read when an interpreter is created.
#[derive(Clone)]
pub(crate) enum Source {
    Operator(Arc<TfLiteOperator>),
    Registration(TfLiteRegistration),
}

impl Source {
    pub(crate) fn callbacks(&self) -> Callbacks {
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
    /// The number of threads: 1 unless the program asks for more.
    pub(crate) fn thread_count(&self) -> usize {
        usize::try_from(self.threads).map_or(1, |threads| threads.max(1))
    }

    pub(crate) fn add_op(&mut self, key: OpKey, versions: RangeInclusive<i32>, functions: Source) {
        let (min_version, max_version) = ((*versions.start()).max(1), *versions.end());
        if min_version <= max_version {
            self.ops.push(RegisteredOp { key, min_version, max_version, functions });
        }
    }
}

/// The key of the op with this code, or with this name if it is the code of custom ops. `None` if a custom op has no
/// name or its name is not UTF-8.
///
/// # Safety
/// `name` must be null or point to a null-terminated string.
pub(crate) unsafe fn key(code: c_int, name: *const c_char) -> Option<OpKey> {
    if code != CUSTOM {
        return Some(OpKey::Builtin(code));
    }
    // SAFETY: `name` is null or a null-terminated string, as `# Safety` requires.
    let name = unsafe { text(name) }?;
    Some(OpKey::Custom(name.to_str().ok()?.to_owned()))
}

/// Runs `body` on `options`. Returns `kTfLiteError` if they are null or `body` panics.
///
/// # Safety
/// `options` must be null or point to live options that no other thread uses during the call.
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

/// Creates options with default values. Free them with `TfLiteInterpreterOptionsDelete`.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn TfLiteInterpreterOptionsCreate() -> *mut TfLiteInterpreterOptions {
    guard(std::ptr::null_mut(), || Box::into_raw(Box::default()))
}

/// A copy of the options; null for null.
///
/// # Safety
/// `from` must be null or point to live options that no other thread changes during the call.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TfLiteInterpreterOptionsCopy(
    from: *const TfLiteInterpreterOptions,
) -> *mut TfLiteInterpreterOptions {
    guard(std::ptr::null_mut(), || {
        // SAFETY: `from` is null or points to a live value, as `# Safety` requires.
        let from = unsafe { from.as_ref() };
        from.map_or(std::ptr::null_mut(), |from| Box::into_raw(Box::new(from.clone())))
    })
}

/// Frees the options. Does nothing for null.
///
/// # Safety
/// `options` must be null or point to options of this library that are not used afterwards.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TfLiteInterpreterOptionsDelete(options: *mut TfLiteInterpreterOptions) {
    // SAFETY: `options` is null or a handle that nothing uses any more, as `# Safety` requires.
    unsafe { free(options) };
}

/// Sets the number of threads of an interpreter. 0 and negative numbers mean one thread.
///
/// # Safety
/// `options` must be null or point to live options that no other thread uses during the call.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TfLiteInterpreterOptionsSetNumThreads(
    options: *mut TfLiteInterpreterOptions,
    num_threads: i32,
) {
    // SAFETY: `options` is null or a live handle that no other thread uses, as `# Safety` requires.
    unsafe { change(options, |options| options.threads = num_threads) };
}

/// Adds a delegate of the program. Creating an interpreter fails if the delegate is null or its `Prepare` fails.
///
/// # Safety
/// `options` must be null or point to live options that no other thread uses during the call. `delegate` must be null
/// or a delegate that outlives all interpreters created with it.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TfLiteInterpreterOptionsAddDelegate(
    options: *mut TfLiteInterpreterOptions,
    delegate: *mut c_void,
) {
    // SAFETY: `options` is null or a live handle that no other thread uses, as `# Safety` requires.
    unsafe { change(options, |options| options.delegates.push(delegate)) };
}

/// Sets the function that receives the errors of interpreters; null means the standard error stream.
///
/// # Safety
/// `options` must be null or point to live options that no other thread uses during the call. `reporter` must accept
/// `user_data`, on any thread that uses such an interpreter, while one exists.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TfLiteInterpreterOptionsSetErrorReporter(
    options: *mut TfLiteInterpreterOptions,
    reporter: TfLiteErrorReporter,
    user_data: *mut c_void,
) {
    // SAFETY: `options` is null or a live handle that no other thread uses, as `# Safety` requires.
    unsafe { change(options, |options| options.reporter = Reporter::new(reporter, user_data)) };
}

/// Adds an op of the program. It replaces an existing op with the same builtin code or custom name and the same
/// version.
///
/// # Safety
/// `options` must be null or point to live options that no other thread uses during the call. `operator` must be null
/// or point to a live operator.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TfLiteInterpreterOptionsAddOperator(
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
    let versions = operator.version..=operator.version;
    // SAFETY: `options` is null or a live handle that no other thread uses, as `# Safety` requires.
    unsafe { change(options, |options| options.add_op(key, versions, Source::Operator(operator))) };
}

/// Enables or disables `TfLiteInterpreterCancel`.
///
/// # Safety
/// `options` must be null or point to live options that no other thread uses during the call.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TfLiteInterpreterOptionsEnableCancellation(
    options: *mut TfLiteInterpreterOptions,
    enable: bool,
) -> TfLiteStatus {
    // SAFETY: `options` is null or a live handle that no other thread uses, as `# Safety` requires.
    unsafe { change(options, |options| options.cancellation = enable) }
}

/// Sets whether an invocation that failed is repeated without delegates.
///
/// # Safety
/// `options` must be null or point to live options that no other thread uses during the call.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TfLiteInterpreterOptionsSetEnableDelegateFallback(
    options: *mut TfLiteInterpreterOptions,
    enable: bool,
) {
    // SAFETY: `options` is null or a live handle that no other thread uses, as `# Safety` requires.
    unsafe { change(options, |options| options.fallback = enable) };
}

/// Has no effect: NNAPI is not supported.
///
/// # Safety
/// `options` must be null or point to live options.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TfLiteInterpreterOptionsSetUseNNAPI(
    options: *mut TfLiteInterpreterOptions,
    enable: bool,
) {
    let _ = (options, enable);
}

/// Has no effect: no telemetry is collected, so the profiler's functions are never called.
///
/// # Safety
/// `options` must be null or point to live options.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TfLiteInterpreterOptionsSetTelemetryProfiler(
    options: *mut TfLiteInterpreterOptions,
    profiler: *mut c_void,
) {
    let _ = (options, profiler);
}

/// Adds an op of the program that replaces a builtin one. The registration is copied.
///
/// # Safety
/// `options` must be null or point to live options that no other thread uses during the call. `registration` must be
/// null or point to a registration whose functions follow TensorFlow Lite's rules for kernels.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TfLiteInterpreterOptionsAddBuiltinOp(
    options: *mut TfLiteInterpreterOptions,
    op: c_int,
    registration: *const TfLiteRegistration,
    min_version: i32,
    max_version: i32,
) {
    // SAFETY: `registration` is null or points to a live value, as `# Safety` requires.
    let Some(functions) = (unsafe { registration.as_ref() }) else { return };
    let (key, versions) = (OpKey::Builtin(op), min_version..=max_version);
    let functions = Source::Registration(*functions);
    // SAFETY: `options` is null or a live handle that no other thread uses, as `# Safety` requires.
    unsafe { change(options, |options| options.add_op(key, versions, functions)) };
}

/// Adds a custom op of the program. The registration is copied.
///
/// # Safety
/// `options` must be null or point to live options that no other thread uses during the call. `name` must be null or
/// point to a null-terminated string. `registration` must be null or point to a registration whose functions follow
/// TensorFlow Lite's rules for kernels.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TfLiteInterpreterOptionsAddCustomOp(
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
    unsafe { change(options, |options| options.add_op(key, min_version..=max_version, functions)) };
}
