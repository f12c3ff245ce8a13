//! Op resolvers: functions of the program that look up the implementation of each op that a model uses.

use std::ffi::{CString, c_char, c_int, c_void};

use arenite::{Model, OpKey};

use crate::kernel::types::{LatestRegistration, TfLiteRegistration};
use crate::operator::{self, TfLiteOperator};
use crate::options::{RegisteredOp, Source, TfLiteInterpreterOptions, change};
use crate::types::CUSTOM;

type FindBuiltin<R> =
    Option<unsafe extern "C" fn(user_data: *mut c_void, op: c_int, version: c_int) -> *const R>;
type FindCustom<R> =
    Option<unsafe extern "C" fn(user_data: *mut c_void, name: *const c_char, version: c_int) -> *const R>;

/// A program's two look-up functions. `R` is the struct that they return.
struct Pair<R> {
    builtin: FindBuiltin<R>,
    custom: FindCustom<R>,
}

impl<R> Clone for Pair<R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R> Copy for Pair<R> {}

impl<R> Pair<R> {
    const NONE: Self = Pair { builtin: None, custom: None };

    fn is_none(&self) -> bool {
        self.builtin.is_none() && self.custom.is_none()
    }

    /// The implementation of `op`; null if the function is missing or does not know the op.
    ///
    /// # Safety
    /// The functions must follow TensorFlow Lite's rules for resolvers and accept `user_data`.
    unsafe fn find(&self, user_data: *mut c_void, op: &RequestedOp) -> *const R {
        // SAFETY: the functions accept `user_data`, as `# Safety` requires; the name is null-terminated.
        unsafe {
            match &op.name {
                Some(name) => {
                    self.custom.map_or(std::ptr::null(), |find| find(user_data, name.as_ptr(), op.version))
                }
                None => self.builtin.map_or(std::ptr::null(), |find| find(user_data, op.code, op.version)),
            }
        }
    }
}

/// A program's op resolver. Without functions, all registered ops are available.
#[derive(Clone, Copy)]
pub(crate) struct Resolver {
    operators: Pair<TfLiteOperator>,
    latest: Pair<LatestRegistration>,
    /// Look-up functions with the struct of earlier versions, which has fewer fields.
    plain: Pair<TfLiteRegistration>,
    user_data: *mut c_void,
}

impl Default for Resolver {
    fn default() -> Self {
        Resolver {
            operators: Pair::NONE,
            latest: Pair::NONE,
            plain: Pair::NONE,
            user_data: std::ptr::null_mut(),
        }
    }
}

/// The op of a model that a resolver has to find.
struct RequestedOp {
    code: c_int,
    name: Option<CString>,
    version: c_int,
}

impl Resolver {
    pub(crate) fn is_none(&self) -> bool {
        self.operators.is_none() && self.latest.is_none() && self.plain.is_none()
    }

    /// Looks up all ops of a model. Returns the ops that the resolver knows.
    pub(crate) fn find_all(&self, model: &Model) -> Vec<RegisteredOp> {
        let view = model.view();
        let mut found = Vec::new();
        for code in view.operator_codes().iter() {
            let (number, version) = (code.builtin_code(), code.version());
            let key =
                if number == CUSTOM { OpKey::Custom(code.name().to_owned()) } else { OpKey::Builtin(number) };
            let name = (number == CUSTOM).then(|| CString::new(code.name()).unwrap_or_default());
            if let Some(functions) = self.find(&RequestedOp { code: number, name, version }) {
                found.push(RegisteredOp { key, min_version: version, max_version: version, functions });
            }
        }
        found
    }

    fn find(&self, op: &RequestedOp) -> Option<Source> {
        // SAFETY: the functions that set a resolver require that it follows the interface's rules: each result is null
        // or valid during this call.
        unsafe {
            if let Some(operator) = operator::shared(self.operators.find(self.user_data, op)) {
                return Some(Source::Operator(operator));
            }
            if let Some(latest) = self.latest.find(self.user_data, op).as_ref() {
                let external = operator::shared(latest.registration_external);
                return Some(external.map_or(Source::Registration(latest.plain), Source::Operator));
            }
            self.plain.find(self.user_data, op).as_ref().map(|plain| Source::Registration(*plain))
        }
    }
}

/// Replaces the resolver of `options`.
///
/// # Safety
/// `options` must be null or point to live options that no other thread uses during the call. The resolver's functions
/// must follow the interface's rules and must accept its `user_data` whenever an interpreter is created from the
/// options.
unsafe fn set(options: *mut TfLiteInterpreterOptions, resolver: Resolver) {
    // SAFETY: `options` is null or a live handle that no other thread uses, as `# Safety` requires.
    unsafe { change(options, |options| options.resolver = resolver) };
}

/// Sets the only source of ops: `builtin` and `custom` are called for each op of a model, and other ops are not
/// available.
///
/// # Safety
/// `options` must be null or point to live options that no other thread uses during the call. `builtin` and `custom`
/// must be null or functions that accept `user_data` whenever an interpreter is created from the options; they must
/// return null or a live operator.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TfLiteInterpreterOptionsSetOpResolverExternal(
    options: *mut TfLiteInterpreterOptions,
    builtin: FindBuiltin<TfLiteOperator>,
    custom: FindCustom<TfLiteOperator>,
    user_data: *mut c_void,
) {
    let resolver = Resolver { operators: Pair { builtin, custom }, user_data, ..Resolver::default() };
    // SAFETY: `options` and the functions meet the requirements of `set`, as `# Safety` demands.
    unsafe { set(options, resolver) };
}

/// Like [`TfLiteInterpreterOptionsSetOpResolverExternal`], with a second pair of functions that is called for ops that
/// the first pair does not know.
///
/// # Safety
/// `options` must be null or point to live options that no other thread uses during the call. The functions must be
/// null or accept `user_data` whenever an interpreter is created from the options. `builtin_external` and
/// `custom_external` must return null or a live operator, `builtin` and `custom` null or a registration that is valid
/// while the interpreter is created.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn TfLiteInterpreterOptionsSetOpResolverExternalWithFallback(
    options: *mut TfLiteInterpreterOptions,
    builtin_external: FindBuiltin<TfLiteOperator>,
    custom_external: FindCustom<TfLiteOperator>,
    builtin: FindBuiltin<LatestRegistration>,
    custom: FindCustom<LatestRegistration>,
    user_data: *mut c_void,
) {
    let operators = Pair { builtin: builtin_external, custom: custom_external };
    let resolver = Resolver { operators, latest: Pair { builtin, custom }, user_data, ..Resolver::default() };
    // SAFETY: `options` and the functions meet the requirements of `set`, as `# Safety` demands.
    unsafe { set(options, resolver) };
}

macro_rules! plain_resolvers {
    ($($(#[doc = $doc:literal])* $name:ident;)*) => {$(
        $(#[doc = $doc])*
        ///
        /// # Safety
        /// `options` must be null or point to live options that no other thread uses during the call. `builtin` and
        /// `custom` must be null or functions that accept `user_data` whenever an interpreter is created from the
        /// options; they must return null or a registration that is valid while the interpreter is created.
        #[unsafe(no_mangle)]
        pub(crate) unsafe extern "C" fn $name(
            options: *mut TfLiteInterpreterOptions,
            builtin: FindBuiltin<TfLiteRegistration>,
            custom: FindCustom<TfLiteRegistration>,
            user_data: *mut c_void,
        ) {
            let resolver = Resolver { plain: Pair { builtin, custom }, user_data, ..Resolver::default() };
            // SAFETY: `options` and the functions meet the requirements of `set`, as `# Safety` demands.
            unsafe { set(options, resolver) };
        }
    )*};
}
plain_resolvers! {
    /// Sets the only source of ops, as registrations. Programs compiled against any version call this function, so only
    /// the fields that all versions have are read.
    TfLiteInterpreterOptionsSetOpResolver;
    /// Like `TfLiteInterpreterOptionsSetOpResolver`, under the name that version 3 of the struct uses.
    TfLiteInterpreterOptionsSetOpResolverV3;
    /// Like `TfLiteInterpreterOptionsSetOpResolver`, under the name that version 2 of the struct uses.
    TfLiteInterpreterOptionsSetOpResolverV2;
    /// Like `TfLiteInterpreterOptionsSetOpResolver`, under the name that version 1 of the struct uses.
    TfLiteInterpreterOptionsSetOpResolverV1;
}
