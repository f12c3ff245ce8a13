//! Options of planners and delegates: `key = value`, both as text.

use core::str::FromStr;

use crate::raw::{self, ArPair};
use crate::{Result, invalid};

/// Options from the configuration or the command line.
#[derive(Clone, Copy, Default)]
pub struct OptionPairs<'a> {
    pairs: &'a [ArPair],
}

impl<'a> OptionPairs<'a> {
    /// # Safety
    /// The pairs and their texts are valid for `'a`.
    pub(crate) unsafe fn from_raw(pairs: *const ArPair, count: usize) -> Self {
        // SAFETY: the caller's promise.
        OptionPairs { pairs: unsafe { raw::slice(pairs, count) } }
    }

    /// The pairs as they cross, and their number.
    pub(crate) fn as_raw(&self) -> (*const ArPair, usize) {
        (self.pairs.as_ptr(), self.pairs.len())
    }

    /// Keys and values, in the order in which they were given.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&'a str, &'a str)> + use<'a> {
        // SAFETY: valid for `'a`, as promised to `from_raw`.
        self.pairs.iter().map(|pair| unsafe { (pair.key.as_str(), pair.value.as_str()) })
    }

    /// The value of `key`; the last one counts.
    pub fn get(&self, key: &str) -> Option<&'a str> {
        self.iter().filter(|(k, _)| *k == key).last().map(|(_, value)| value)
    }

    /// The value of `key` as a `T`, or `default`. An error names the key and the value.
    pub fn parse<T: FromStr>(&self, key: &str, default: T) -> Result<T> {
        match self.get(key) {
            None => Ok(default),
            Some(text) => text
                .parse()
                .map_err(|_| invalid!("option {key} = '{text}' is no {}", core::any::type_name::<T>())),
        }
    }

    /// An error if there is a key that is not among `known`.
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
