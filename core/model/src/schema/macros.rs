//! `table!`: one line per field of a flatbuffers table gives its accessor and its verification. `union!`: one line per tag.

/// Declares a flatbuffers table: `SLOT name: kind<type>`, where the kinds are
///
/// | kind | accessor returns |
/// |---|---|
/// | `scalar<i32>(0)` | the number, or the default in parentheses |
/// | `list<i32>` | `List<i32>`, empty when absent |
/// | `tables<Tensor>` | `Tables<Tensor>`, empty when absent |
/// | `table<Tensor>` | `Option<Tensor>` |
/// | `union<T>` | `Option<T>`; the tag lies in `SLOT`, the table in `SLOT + 1` |
/// | `text`, `bytes` | `Option<&str>`, `Option<&[u8]>` |
macro_rules! table {
    ($(#[$doc:meta])* $name:ident {
        $($(#[$field_doc:meta])* $slot:literal $field:ident: $kind:ident $(<$of:ident>)? $(($default:expr))?,)*
    }) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        pub struct $name<'a>(pub(super) Table<'a>);

        impl<'a> $name<'a> {
            $(getter! { $(#[$field_doc])* $slot $field $kind $($of)? $($default)? })*

            /// Offset of this table in the file; two tables are the same exactly if theirs are equal.
            #[inline]
            pub fn position(&self) -> usize {
                self.0.at
            }

            /// Verifies the table at `position`.
            pub(super) fn verify_at(verifier: &mut Verifier<'_>, position: usize) -> Verified {
                let table = verifier.open(position)?;
                $(verify_field!(verifier, table, $slot $field $kind $($of)?);)*
                verifier.close();
                Ok(())
            }
        }

        impl<'a> Item<'a> for $name<'a> {
            const SIZE: usize = Table::SIZE;
            const TYPE: &'static str = Table::TYPE;

            #[inline]
            fn read(file: &'a [u8], at: usize) -> Option<Self> {
                Table::read(file, at).map($name)
            }

            fn verify(verifier: &mut Verifier<'_>, at: usize) -> Verified {
                let position = verifier.follow(at)?;
                $name::verify_at(verifier, position)
            }

            fn verify_entries(verifier: &mut Verifier<'_>, start: usize, count: usize) -> Verified {
                verifier.entries(start, count, Self::verify)
            }
        }

        impl core::fmt::Debug for $name<'_> {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                write!(f, concat!(stringify!($name), "(at byte {})"), self.position())
            }
        }
    };
}

/// The accessor of one field of `table!`.
macro_rules! getter {
    ($(#[$doc:meta])* $slot:literal $field:ident scalar $of:ident $default:expr) => {
        $(#[$doc])*
        #[inline]
        pub fn $field(&self) -> $of {
            self.0.item::<$of>($slot).unwrap_or($default)
        }
    };
    ($(#[$doc:meta])* $slot:literal $field:ident list $of:ident) => {
        $(#[$doc])*
        #[inline]
        pub fn $field(&self) -> List<'a, $of> {
            self.0.list($slot)
        }
    };
    ($(#[$doc:meta])* $slot:literal $field:ident tables $of:ident) => {
        $(#[$doc])*
        #[inline]
        pub fn $field(&self) -> Tables<'a, $of<'a>> {
            self.0.list($slot)
        }
    };
    ($(#[$doc:meta])* $slot:literal $field:ident table $of:ident) => {
        $(#[$doc])*
        #[inline]
        pub fn $field(&self) -> Option<$of<'a>> {
            self.0.item($slot)
        }
    };
    ($(#[$doc:meta])* $slot:literal $field:ident union $of:ident) => {
        $(#[$doc])*
        #[inline]
        pub fn $field(&self) -> Option<$of<'a>> {
            let tag = self.0.item::<u8>($slot).filter(|&tag| tag != 0)?;
            Some($of::new(tag, self.0.table($slot + 1)?))
        }
    };
    ($(#[$doc:meta])* $slot:literal $field:ident text) => {
        $(#[$doc])*
        #[inline]
        pub fn $field(&self) -> Option<&'a str> {
            self.0.text($slot)
        }
    };
    ($(#[$doc:meta])* $slot:literal $field:ident bytes) => {
        $(#[$doc])*
        #[inline]
        pub fn $field(&self) -> Option<&'a [u8]> {
            self.0.bytes($slot)
        }
    };
}

/// Verifies one field of `table!`.
macro_rules! verify_field {
    ($verifier:ident, $table:ident, $slot:literal $field:ident scalar $of:ident) => {
        $verifier.field(&$table, $slot, stringify!($field), <$of as Item<'_>>::verify)?
    };
    ($verifier:ident, $table:ident, $slot:literal $field:ident list $of:ident) => {
        $verifier.field(&$table, $slot, stringify!($field), List::<$of>::verify)?
    };
    ($verifier:ident, $table:ident, $slot:literal $field:ident tables $of:ident) => {
        $verifier.field(&$table, $slot, stringify!($field), Tables::<$of<'_>>::verify)?
    };
    ($verifier:ident, $table:ident, $slot:literal $field:ident table $of:ident) => {
        $verifier.field(&$table, $slot, stringify!($field), <$of<'_> as Item<'_>>::verify)?
    };
    ($verifier:ident, $table:ident, $slot:literal $field:ident union $of:ident) => {
        $verifier.union(&$table, $slot, $of::verify_variant)?
    };
    ($verifier:ident, $table:ident, $slot:literal $field:ident text) => {
        $verifier.field(&$table, $slot, stringify!($field), Verifier::text)?
    };
    ($verifier:ident, $table:ident, $slot:literal $field:ident bytes) => {
        $verifier.field(&$table, $slot, stringify!($field), List::<u8>::verify)?
    };
}

/// Declares a union of known tables; tags beyond them read as `Unknown`.
macro_rules! union {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $tag:literal $variant:ident($table:ident),)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub enum $name<'a> {
            $($(#[$variant_doc])* $variant($table<'a>),)*
            /// A table that this crate does not know.
            Unknown(RawTable<'a>),
        }

        impl<'a> $name<'a> {
            /// Verifies the table at `position` as the one that `tag` stands for.
            fn verify_variant(tag: u8, verifier: &mut Verifier<'_>, position: usize) -> Verified {
                match tag {
                    $($tag => $table::verify_at(verifier, position),)*
                    _ => RawTable::verify_variant(tag, verifier, position),
                }
            }

            /// The table as the one that `tag` stands for.
            fn new(tag: u8, table: Table<'a>) -> Self {
                match tag {
                    $($tag => $name::$variant($table(table)),)*
                    _ => $name::Unknown(RawTable::new(tag, table)),
                }
            }
        }
    };
}
