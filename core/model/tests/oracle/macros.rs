//! `table!` and `union!`, implemented with the crate `flatbuffers`.

macro_rules! table {
    ($(#[$doc:meta])* $name:ident {
        $($(#[$field_doc:meta])* $slot:literal $field:ident: $kind:ident $(<$of:ident>)? $(($default:expr))?,)*
    }) => {
        #[derive(Clone, Copy)]
        pub struct $name<'a>(Table<'a>);

        impl<'a> Follow<'a> for $name<'a> {
            type Inner = Self;
            unsafe fn follow(buffer: &'a [u8], position: usize) -> Self {
                // SAFETY: `compare` passes the position of a table that `verify_root` verified with this type.
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

        compare! { $name { $($slot $field $kind ($($of)?) ($($default)?))* } }
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
        verify_union($fields, $slot, $of::verify_variant)?
    };
    ($fields:ident, $slot:literal $field:ident text) => {
        $fields.visit_field::<ForwardsUOffset<&str>>(stringify!($field), slot($slot), false)?
    };
    ($fields:ident, $slot:literal $field:ident bytes) => {
        $fields.visit_field::<ForwardsUOffset<Vector<'_, u8>>>(stringify!($field), slot($slot), false)?
    };
}

/// For the root: accessors of numbers and texts, and functions that compare its lists. For any other table: a function
/// that compares all of it.
macro_rules! compare {
    (ModelTable { $($slot:literal $field:ident $kind:ident ($($of:ident)?) ($($default:expr)?))* }) => {
        impl<'a> ModelTable<'a> {
            $(root_field! { $slot $field $kind ($($of)?) ($($default)?) })*
        }
    };
    ($name:ident { $($slot:literal $field:ident $kind:ident ($($of:ident)?) ($($default:expr)?))* }) => {
        impl<'a> $name<'a> {
            #[allow(dead_code, reason = "buffers and metadata are compared by their contents")]
            pub fn same(&self, ours: &arenite_model::$name<'_>) {
                assert_eq!(self.0.loc(), ours.position());
                // SAFETY (all that follow): a table is only created at a position at which every field was verified
                // with this type.
                $(same_field! { self, ours, $slot $field $kind ($($of)?) ($($default)?) })*
            }
        }
    };
}

macro_rules! root_field {
    ($slot:literal $field:ident scalar ($of:ident) ($default:expr)) => {
        pub fn $field(&self) -> $of {
            // SAFETY: the field was verified with this type.
            unsafe { self.0.get::<$of>(slot($slot), None) }.unwrap_or($default)
        }
    };
    ($slot:literal $field:ident text () ()) => {
        pub fn $field(&self) -> Option<&'a str> {
            // SAFETY: the field was verified with this type.
            unsafe { self.0.get::<ForwardsUOffset<&'a str>>(slot($slot), None) }
        }
    };
    ($slot:literal $field:ident tables ($of:ident) ()) => {
        #[allow(dead_code, reason = "buffers and metadata are compared by their contents")]
        pub fn $field(&self, ours: arenite_model::Tables<'_, arenite_model::$of<'_>>) {
            same_field! { self, Some(ours), $slot $field tables ($of) () }
        }
    };
}

macro_rules! same_field {
    ($self:ident, $ours:ident, $slot:literal $field:ident scalar ($of:ident) ($default:expr)) => {
        // SAFETY: see `compare!`.
        let theirs = unsafe { $self.0.get::<$of>(slot($slot), None) }.unwrap_or($default);
        assert_eq!(theirs, $ours.$field(), stringify!($field));
    };
    ($self:ident, $ours:ident, $slot:literal $field:ident list ($of:ident) ()) => {
        // SAFETY: see `compare!`.
        let theirs = unsafe { $self.0.get::<ForwardsUOffset<Vector<'a, $of>>>(slot($slot), None) };
        let theirs: Vec<$of> = theirs.unwrap_or_default().iter().collect();
        assert_eq!(format!("{theirs:?}"), format!("{:?}", $ours.$field()), stringify!($field));
    };
    ($self:ident, $ours:ident, $slot:literal $field:ident tables ($of:ident) ()) => {
        same_field! { $self, Some($ours.$field()), $slot $field tables ($of) () }
    };
    ($self:ident, Some($list:expr), $slot:literal $field:ident tables ($of:ident) ()) => {
        // SAFETY: see `compare!`.
        let theirs = unsafe {
            $self.0.get::<ForwardsUOffset<Vector<'a, ForwardsUOffset<$of<'a>>>>>(slot($slot), None)
        };
        let (theirs, ours) = (theirs.unwrap_or_default(), $list);
        assert_eq!(theirs.len(), ours.len(), stringify!($field));
        theirs.iter().zip(ours).for_each(|(theirs, ours)| theirs.same(&ours));
    };
    ($self:ident, $ours:ident, $slot:literal $field:ident table ($of:ident) ()) => {
        // SAFETY: see `compare!`.
        let theirs = unsafe { $self.0.get::<ForwardsUOffset<$of<'a>>>(slot($slot), None) };
        assert_eq!(theirs.is_some(), $ours.$field().is_some(), stringify!($field));
        theirs.iter().zip($ours.$field()).for_each(|(theirs, ours)| theirs.same(&ours));
    };
    ($self:ident, $ours:ident, $slot:literal $field:ident union ($of:ident) ()) => {
        // SAFETY: see `compare!`; if the tag is present, the table was verified.
        let theirs = unsafe {
            let tag = $self.0.get::<u8>(slot($slot), None).filter(|&tag| tag != 0);
            tag.and_then(|tag| Some((tag, $self.0.get::<ForwardsUOffset<Table<'a>>>(slot($slot + 1), None)?)))
        };
        assert_eq!(theirs.is_some(), $ours.$field().is_some(), stringify!($field));
        theirs.iter().zip($ours.$field()).for_each(|(&(tag, table), ours)| $of::same(tag, table, &ours));
    };
    ($self:ident, $ours:ident, $slot:literal $field:ident text () ()) => {
        // SAFETY: see `compare!`.
        let theirs = unsafe { $self.0.get::<ForwardsUOffset<&'a str>>(slot($slot), None) };
        assert_eq!(theirs, $ours.$field(), stringify!($field));
    };
    ($self:ident, $ours:ident, $slot:literal $field:ident bytes () ()) => {
        // SAFETY: see `compare!`.
        let theirs = unsafe { $self.0.get::<ForwardsUOffset<Vector<'a, u8>>>(slot($slot), None) };
        assert_eq!(theirs.map(|v| v.bytes()), $ours.$field(), stringify!($field));
    };
}

macro_rules! union {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $tag:literal $variant:ident($table:ident),)* }) => {
        pub struct $name;

        impl $name {
            fn verify_variant(tag: u8, verifier: &mut Verifier<'_, '_>, position: usize) -> Verified {
                match tag {
                    $($tag => $table::run_verifier(verifier, position),)*
                    _ => RawTable::verify_variant(tag, verifier, position),
                }
            }

            fn same(tag: u8, table: Table<'_>, ours: &arenite_model::$name<'_>) {
                match (tag, ours) {
                    $(($tag, arenite_model::$name::$variant(ours)) => {
                        // SAFETY: the table was verified for this tag.
                        unsafe { $table::follow(table.buf(), table.loc()) }.same(ours)
                    })*
                    (tag, arenite_model::$name::Unknown(ours)) => RawTable::same(tag, table, ours),
                    (tag, ours) => panic!("{tag} is read as {ours:?}"),
                }
            }
        }
    };
}
