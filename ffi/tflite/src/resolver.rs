//! Op resolvers: functions of the program that are asked for each op of a model.

use std::ffi::{CString, c_char, c_int, c_void};

use arenite::{Model, OpKey};

use crate::kernel::types::{LatestRegistration, TfLiteRegistration};
use crate::operator::{self, TfLiteOperator};
use crate::options::{CUSTOM, Own, Source, TfLiteInterpreterOptions, change};

type FindBuiltin<R> =
    Option<unsafe extern "C" fn(user_data: *mut c_void, op: c_int, version: c_int) -> *const R>;
type FindCustom<R> =
    Option<unsafe extern "C" fn(user_data: *mut c_void, name: *const c_char, version: c_int) -> *const R>;

/// A pair of functions of a program, of one kind of struct.
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

    /// # Safety
    /// The functions keep the interface's rules.
    unsafe fn find(&self, user_data: *mut c_void, op: &Wanted) -> *const R {
        // SAFETY: the program's own functions with its own pointer; the name ends with a null byte.
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

/// What a program says of its resolver. Where it says nothing, all ops that are there serve.
#[derive(Clone, Copy)]
pub(crate) struct Resolver {
    operators: Pair<TfLiteOperator>,
    latest: Pair<LatestRegistration>,
    /// Of versions whose structs end earlier.
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

/// An op that a model names.
struct Wanted {
    code: c_int,
    name: Option<CString>,
    version: c_int,
}

impl Resolver {
    pub fn is_none(&self) -> bool {
        self.operators.is_none() && self.latest.is_none() && self.plain.is_none()
    }

    /// The ops of a model that the program's functions have.
    pub fn find_all(&self, model: &Model) -> Vec<Own> {
        let view = model.view();
        let mut found = Vec::new();
        for code in view.operator_codes().iter() {
            let (number, version) = (code.builtin_code(), code.version());
            let key =
                if number == CUSTOM { OpKey::Custom(code.name().to_owned()) } else { OpKey::Builtin(number) };
            let name = (number == CUSTOM).then(|| CString::new(code.name()).unwrap_or_default());
            if let Some(functions) = self.find(&Wanted { code: number, name, version }) {
                found.push(Own { key, min_version: version, max_version: version, functions });
            }
        }
        found
    }

    fn find(&self, op: &Wanted) -> Option<Source> {
        // SAFETY: the functions were given as keeping the interface's rules: what they return is null or lives for this call.
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

/// # Safety
/// `options` is null or options that nobody else uses meanwhile.
unsafe fn set(options: *mut TfLiteInterpreterOptions, resolver: Resolver) {
    // SAFETY: `options` is null or a live handle that no other thread uses, as `# Safety` requires.
    unsafe { change(options, |options| options.resolver = resolver) };
}

/// Operators come from these functions, and from nowhere else.
///
/// # Safety
/// `options` is null or options that nobody else uses meanwhile; the functions may be called with `user_data` when an interpreter is made.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteInterpreterOptionsSetOpResolverExternal(
    options: *mut TfLiteInterpreterOptions,
    builtin: FindBuiltin<TfLiteOperator>,
    custom: FindCustom<TfLiteOperator>,
    user_data: *mut c_void,
) {
    let resolver = Resolver { operators: Pair { builtin, custom }, user_data, ..Resolver::default() };
    // SAFETY: the caller's promise.
    unsafe { set(options, resolver) };
}

/// As [`TfLiteInterpreterOptionsSetOpResolverExternal`]; what the first two do not have, the others are asked for.
///
/// # Safety
/// As there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn TfLiteInterpreterOptionsSetOpResolverExternalWithFallback(
    options: *mut TfLiteInterpreterOptions,
    builtin_external: FindBuiltin<TfLiteOperator>,
    custom_external: FindCustom<TfLiteOperator>,
    builtin: FindBuiltin<LatestRegistration>,
    custom: FindCustom<LatestRegistration>,
    user_data: *mut c_void,
) {
    let operators = Pair { builtin: builtin_external, custom: custom_external };
    let resolver = Resolver { operators, latest: Pair { builtin, custom }, user_data, ..Resolver::default() };
    // SAFETY: the caller's promise.
    unsafe { set(options, resolver) };
}

macro_rules! plain_resolvers {
    ($($(#[doc = $doc:literal])* $name:ident;)*) => {$(
        $(#[doc = $doc])*
        ///
        /// # Safety
        /// As [`TfLiteInterpreterOptionsSetOpResolverExternal`].
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            options: *mut TfLiteInterpreterOptions,
            builtin: FindBuiltin<TfLiteRegistration>,
            custom: FindCustom<TfLiteRegistration>,
            user_data: *mut c_void,
        ) {
            let resolver = Resolver { plain: Pair { builtin, custom }, user_data, ..Resolver::default() };
            // SAFETY: the caller's promise.
            unsafe { set(options, resolver) };
        }
    )*};
}
plain_resolvers! {
    /// Registrations come from these functions, and from nowhere else. Programs compiled with any version call this one, so what is read of a
    /// struct is what all versions have.
    TfLiteInterpreterOptionsSetOpResolver;
    /// As `TfLiteInterpreterOptionsSetOpResolver`.
    TfLiteInterpreterOptionsSetOpResolverV3;
    /// As `TfLiteInterpreterOptionsSetOpResolver`.
    TfLiteInterpreterOptionsSetOpResolverV2;
    /// As `TfLiteInterpreterOptionsSetOpResolver`.
    TfLiteInterpreterOptionsSetOpResolverV1;
}
