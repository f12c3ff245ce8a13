//! The kinds of values in a flexbuffer.

use crate::{Result, invalid};

macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident = $first:literal $(| $more:literal)*,)*) => {
        /// The kind of a value.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum FlexKind { $($(#[$doc])* $kind,)* }

        impl FlexKind {
            pub(super) fn from_raw(raw: u8) -> Result<Self> {
                match raw {
                    $($first $(| $more)* => Ok(FlexKind::$kind),)*
                    _ => Err(invalid!("custom options: value of unknown type {raw}")),
                }
            }
        }
    };
}

kinds! {
    /// Null.
    Null = 0,
    /// A signed integer.
    Int = 1 | 6,
    /// An unsigned integer.
    UInt = 2 | 7,
    /// A floating-point number of 2, 4 or 8 bytes.
    Float = 3 | 8,
    /// Text terminated by a zero byte.
    Key = 4,
    /// Text with a length.
    String = 5,
    /// Values with names.
    Map = 9,
    /// A list of values, with individual types or a single one.
    Vector = 10 | 11 | 12 | 13 | 14 | 15 | 16 | 17 | 18 | 19 | 20 | 21 | 22 | 23 | 24 | 36,
    /// A sequence of bytes.
    Blob = 25,
    /// A truth value.
    Bool = 26,
}
