//! `Detail`: a value that an error has only for its text. Without the feature `messages` errors have no text, and no
//! such values.

/// A value for the text of an error.
#[cfg(feature = "messages")]
pub type Detail<T> = T;

/// A value for the text of an error, which errors do not have without the feature `messages`.
#[cfg(not(feature = "messages"))]
pub type Detail<T> = Omitted<T>;

/// No value.
#[cfg(not(feature = "messages"))]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Omitted<T>(core::marker::PhantomData<T>);

/// A value for the text of an error.
#[cfg(feature = "messages")]
#[inline(always)]
pub fn detail<T>(value: T) -> Detail<T> {
    value
}

/// A value for the text of an error.
#[cfg(not(feature = "messages"))]
#[inline(always)]
pub fn detail<T>(_: T) -> Detail<T> {
    Omitted(core::marker::PhantomData)
}

#[cfg(not(feature = "messages"))]
impl<T> core::fmt::Display for Omitted<T> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("?")
    }
}
