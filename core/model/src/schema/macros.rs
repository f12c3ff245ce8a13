//! `table!` declares one field of a flatbuffers table per line, with its accessor and its verification. `union!`
//! declares one tag per line.

/// Declares a flatbuffers table: `SLOT name: kind<type>`, where the kinds are
///
/// | kind | accessor returns |
/// |---|---|
/// | `scalar<i32>(0)` | the number, or the default in parentheses |
/// | `list<i32>` | `List<i32>`, empty when absent |
/// | `tables<Tensor>` | `Tables<Tensor>`, empty when absent |
/// | `table<Tensor>` | `Option<Tensor>` |
/// | `union<T>` | `Option<T>`; the tag is in `SLOT`, the table in `SLOT + 1` |
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

            /// Offset of this table in the file. Two tables are the same if and only if their offsets are equal.
            #[inline]
            pub fn position(&self) -> usize {
                self.0.at
            }

            /// The fields to verify.
            pub(super) const FIELDS: &'static [Field] =
                &[$(Field::new($slot, stringify!($field), is!($kind $($of)?)),)*];
        }

        impl<'a> Item<'a> for $name<'a> {
            const WIDTH: Width = Width::OFFSET;
            const SIZE: usize = size_of::<u32>();

            #[inline]
            fn read(file: &'a [u8], at: usize) -> Option<Self> {
                Table::read(file, at).map($name)
            }
        }

        impl core::fmt::Debug for $name<'_> {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                write!(f, concat!(stringify!($name), "(at byte {})"), self.position())
            }
        }
    };
}

/// Defines the accessor of one field of `table!`.
macro_rules! getter {
    ($(#[$doc:meta])* $slot:literal $field:ident scalar $of:ident $default:expr) => {
        $(#[$doc])*
        #[inline]
        pub fn $field(&self) -> $of {
            self.0.number::<$of>($slot, $default)
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

/// The kind of one field of `table!`.
macro_rules! is {
    (scalar $of:ident) => {
        FieldForm::Number(<$of as Item<'_>>::WIDTH)
    };
    (list $of:ident) => {
        FieldForm::Numbers(<$of as Item<'_>>::WIDTH)
    };
    (tables $of:ident) => {
        FieldForm::Tables(TableKind::$of)
    };
    (table $of:ident) => {
        FieldForm::Table(TableKind::$of)
    };
    (union $of:ident) => {
        FieldForm::Union(UnionKind::$of)
    };
    (text) => {
        FieldForm::Text
    };
    (bytes) => {
        FieldForm::Numbers(<u8 as Item<'_>>::WIDTH)
    };
}

/// Declares a union of known tables. Other tags are read as `Unknown`.
macro_rules! union {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $tag:literal $variant:ident($table:ident),)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub enum $name<'a> {
            $($(#[$variant_doc])* $variant($table<'a>),)*
            /// A table with a tag that this crate does not know.
            Unknown(RawTable<'a>),
        }

        impl<'a> $name<'a> {
            /// The table for each tag.
            pub(super) const VARIANTS: &'static [(u8, TableKind)] = &[$(($tag, TableKind::$table),)*];

            /// Wraps the table in the variant for `tag`.
            fn new(tag: u8, table: Table<'a>) -> Self {
                match tag {
                    $($tag => $name::$variant($table(table)),)*
                    _ => $name::Unknown(RawTable::new(tag, table)),
                }
            }
        }
    };
}

/// A constant of the table or union with this number.
macro_rules! kinds {
    ($number:ident, $constant:ident: $kind:ident:: $($name:ident,)*) => {
        match $number {
            $($kind::$name => $name::$constant,)*
        }
    };
}
