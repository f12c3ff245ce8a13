//! `table!`: one line per field of a flatbuffers table gives its accessor and its verification.

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
        pub struct $name<'a>(Table<'a>);

        impl<'a> $name<'a> {
            $(getter! { $(#[$field_doc])* $slot $field $kind $($of)? $($default)? })*

            /// Offset of this table in the file; two tables are the same exactly if theirs are equal.
            #[inline]
            pub fn position(&self) -> usize {
                self.0.loc()
            }
        }

        impl<'a> Follow<'a> for $name<'a> {
            type Inner = Self;
            #[inline]
            unsafe fn follow(buffer: &'a [u8], position: usize) -> Self {
                // SAFETY: the caller promises a verified table of this type at `position`.
                $name(unsafe { Table::new(buffer, position) })
            }
        }

        impl Verifiable for $name<'_> {
            fn run_verifier(verifier: &mut Verifier<'_, '_>, position: usize) -> Verified {
                let fields = verifier.visit_table(position)?;
                $(let fields = verify_field!(fields, $slot $field $kind $($of)?);)*
                fields.finish();
                Ok(())
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
            // SAFETY: a table is only made at a position whose every field was verified with this type.
            unsafe { self.0.get::<$of>(slot($slot), None) }.unwrap_or($default)
        }
    };
    ($(#[$doc:meta])* $slot:literal $field:ident list $of:ident) => {
        $(#[$doc])*
        #[inline]
        pub fn $field(&self) -> List<'a, $of> {
            // SAFETY: a table is only made at a position whose every field was verified with this type.
            List::new(unsafe { self.0.get::<ForwardsUOffset<Vector<'a, $of>>>(slot($slot), None) })
        }
    };
    ($(#[$doc:meta])* $slot:literal $field:ident tables $of:ident) => {
        $(#[$doc])*
        #[inline]
        pub fn $field(&self) -> Tables<'a, $of<'a>> {
            // SAFETY: a table is only made at a position whose every field was verified with this type.
            List::new(unsafe {
                self.0.get::<ForwardsUOffset<Vector<'a, ForwardsUOffset<$of<'a>>>>>(slot($slot), None)
            })
        }
    };
    ($(#[$doc:meta])* $slot:literal $field:ident table $of:ident) => {
        $(#[$doc])*
        #[inline]
        pub fn $field(&self) -> Option<$of<'a>> {
            // SAFETY: a table is only made at a position whose every field was verified with this type.
            unsafe { self.0.get::<ForwardsUOffset<$of<'a>>>(slot($slot), None) }
        }
    };
    ($(#[$doc:meta])* $slot:literal $field:ident union $of:ident) => {
        $(#[$doc])*
        #[inline]
        pub fn $field(&self) -> Option<$of<'a>> {
            // SAFETY: a table is only made at a position whose every field was verified with this type;
            // the union's table was verified for exactly this tag.
            unsafe {
                let tag = self.0.get::<u8>(slot($slot), None).filter(|&tag| tag != 0)?;
                let table = self.0.get::<ForwardsUOffset<Table<'a>>>(slot($slot + 1), None)?;
                Some($of::follow_variant(tag, table))
            }
        }
    };
    ($(#[$doc:meta])* $slot:literal $field:ident text) => {
        $(#[$doc])*
        #[inline]
        pub fn $field(&self) -> Option<&'a str> {
            // SAFETY: a table is only made at a position whose every field was verified with this type,
            // text for being UTF-8.
            unsafe { self.0.get::<ForwardsUOffset<&'a str>>(slot($slot), None) }
        }
    };
    ($(#[$doc:meta])* $slot:literal $field:ident bytes) => {
        $(#[$doc])*
        #[inline]
        pub fn $field(&self) -> Option<&'a [u8]> {
            // SAFETY: a table is only made at a position whose every field was verified with this type.
            unsafe { self.0.get::<ForwardsUOffset<Vector<'a, u8>>>(slot($slot), None) }.map(|v| v.bytes())
        }
    };
}

/// Verifies one field of `table!`; gives back the table's verifier.
macro_rules! verify_field {
    ($fields:ident, $slot:literal $field:ident scalar $of:ident) => {
        $fields.visit_field::<$of>(stringify!($field), slot($slot), false)?
    };
    ($fields:ident, $slot:literal $field:ident list $of:ident) => {
        $fields.visit_field::<ForwardsUOffset<Vector<'_, $of>>>(stringify!($field), slot($slot), false)?
    };
    ($fields:ident, $slot:literal $field:ident tables $of:ident) => {
        $fields.visit_field::<ForwardsUOffset<Vector<'_, ForwardsUOffset<$of<'_>>>>>(
            stringify!($field),
            slot($slot),
            false,
        )?
    };
    ($fields:ident, $slot:literal $field:ident table $of:ident) => {
        $fields.visit_field::<ForwardsUOffset<$of<'_>>>(stringify!($field), slot($slot), false)?
    };
    ($fields:ident, $slot:literal $field:ident union $of:ident) => {
        verify_union::<$of<'_>>($fields, $slot)?
    };
    ($fields:ident, $slot:literal $field:ident text) => {
        $fields.visit_field::<ForwardsUOffset<&str>>(stringify!($field), slot($slot), false)?
    };
    ($fields:ident, $slot:literal $field:ident bytes) => {
        $fields.visit_field::<ForwardsUOffset<Vector<'_, u8>>>(stringify!($field), slot($slot), false)?
    };
}
