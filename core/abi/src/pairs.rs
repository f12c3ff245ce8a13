//! Options of planners and delegates: pairs of key and value, both as text.

use core::str::FromStr;

use crate::raw::{self, ArPair};
use crate::{Result, invalid};

/// Options from the configuration or the command line.
#[derive(Clone, Copy, Default)]
pub struct OptionPairs<'a> {
    pairs: &'a [ArPair],
}

impl<'a> OptionPairs<'a> {
    /// Wraps the host's pairs.
    ///
    /// # Safety
    /// The pairs and their texts must be valid for `'a`.
    pub(crate) unsafe fn from_raw(pairs: *const ArPair, count: usize) -> Self {
        // SAFETY: the caller guarantees that the array is valid for `'a`.
        OptionPairs { pairs: unsafe { raw::slice(pairs, count) } }
    }

    /// The pairs as an array of the ABI, and their number.
    pub(crate) fn as_raw(&self) -> (*const ArPair, usize) {
        (self.pairs.as_ptr(), self.pairs.len())
    }

    /// Keys and values, in their original order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&'a str, &'a str)> + use<'a> {
        // SAFETY: `from_raw` requires that the pairs and their texts are valid for `'a`.
        self.pairs.iter().map(|pair| unsafe { (pair.key.as_str(), pair.value.as_str()) })
    }

    /// The value of `key`; the last one if it occurs several times.
    pub fn get(&self, key: &str) -> Option<&'a str> {
        self.iter().filter(|(k, _)| *k == key).last().map(|(_, value)| value)
    }

    /// The value of `key` as a `T`, or `default`.
    ///
    /// # Errors
    /// The value is not a `T`. The message names the key and the value.
    pub fn parse<T: FromStr>(&self, key: &str, default: T) -> Result<T> {
        match self.get(key) {
            None => Ok(default),
            Some(text) => text
                .parse()
                .map_err(|_| invalid!("option {key} = '{text}' is not a {}", core::any::type_name::<T>())),
        }
    }

    /// Checks that all keys are among `known`.
    ///
    /// # Errors
    /// The first unknown key.
    pub fn expect_only(&self, known: &[&str]) -> Result<()> {
        match self.iter().find(|(key, _)| !known.contains(key)) {
            None => Ok(()),
            Some((key, _)) => Err(invalid!("unknown option '{key}'; known: {}", List(known))),
        }
    }
}

struct List<'a>(&'a [&'a str]);

impl core::fmt::Display for List<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        if self.0.is_empty() {
            return f.write_str("none");
        }
        for (i, name) in self.0.iter().enumerate() {
            write!(f, "{}{name}", if i == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}
