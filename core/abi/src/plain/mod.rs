//! Prepared states as plain data: their bytes on another machine, so that a program can contain a prepared model.
//!
//! [`plain!`](crate::plain!) defines a struct or an enum with a fixed layout and implements [`Plain`] for it. All
//! fields must be plain, too: numbers, arrays, `Table`, `State`, `Scratch`. Pointers are not.
//!
//! ```
//! arenite_abi::plain! {
//!     /// A prepared node.
//!     struct Layer {
//!         depth: usize,
//!         kernel: Kernel,
//!     }
//! }
//! arenite_abi::plain! {
//!     enum Kernel {
//!         Copy,
//!         Scale(f32),
//!         Clamp { min: i32, max: i32 },
//!     }
//! }
//! ```

mod values;

pub use values::Maybe;

use crate::handed_out::internal;
use crate::{Error, Result};

/// Size and alignment in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlainLayout {
    /// The size, a multiple of the alignment.
    pub size: usize,
    /// The alignment.
    pub align: usize,
}

/// The layouts of a type on machines with 32-bit and with 64-bit pointers.
pub type PlainLayouts = [PlainLayout; 2];

/// The size of a machine's pointers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PointerWidth {
    /// 32 bits.
    Bits32 = 0,
    /// 64 bits.
    Bits64 = 1,
}

impl PointerWidth {
    /// This machine's.
    pub const HERE: PointerWidth =
        if size_of::<usize>() == 4 { PointerWidth::Bits32 } else { PointerWidth::Bits64 };

    /// The width for pointers of this many bytes.
    pub fn of_bytes(bytes: u32) -> Option<PointerWidth> {
        match bytes {
            4 => Some(PointerWidth::Bits32),
            8 => Some(PointerWidth::Bits64),
            _ => None,
        }
    }
}

/// A type whose bytes on another little-endian machine are known. [`plain!`](crate::plain!) implements it.
pub trait Plain {
    /// The layouts.
    const LAYOUTS: PlainLayouts;
    /// A hash of the names and types of all fields.
    const SIGNATURE: u32;

    /// Writes the value to an image of [`LAYOUTS`](Self::LAYOUTS)' size that is filled with zeros.
    ///
    /// # Errors
    /// A number does not fit the machine's `usize`.
    fn write(&self, image: &mut Image<'_>) -> Result<()>;
}

/// The bytes of a value on another machine.
pub struct Image<'i> {
    bytes: &'i mut [u8],
    width: PointerWidth,
}

impl<'i> Image<'i> {
    /// An image of `bytes` zeros on a machine with such pointers.
    pub fn new(bytes: &'i mut [u8], width: PointerWidth) -> Self {
        Image { bytes, width }
    }

    /// Writes the fields of a struct, in order.
    pub fn fields(&mut self) -> Fields<'_, 'i> {
        Fields { image: self, end: 0 }
    }

    fn set(&mut self, bytes: &[u8]) -> Result<()> {
        let place = self.bytes.get_mut(..bytes.len());
        place.ok_or_else(too_short)?.copy_from_slice(bytes);
        Ok(())
    }
}

/// Writes the fields of a struct, each at the next multiple of its alignment.
pub struct Fields<'f, 'i> {
    image: &'f mut Image<'i>,
    end: usize,
}

impl Fields<'_, '_> {
    /// Writes the next field.
    ///
    /// # Errors
    /// As for [`Plain::write`].
    pub fn put<T: Plain>(&mut self, value: &T) -> Result<()> {
        let PlainLayout { size, align } = T::LAYOUTS[self.image.width as usize];
        let start = self.end.next_multiple_of(align);
        self.end = start + size;
        let bytes = self.image.bytes.get_mut(start..self.end);
        let bytes = bytes.ok_or_else(too_short)?;
        value.write(&mut Image { bytes, width: self.image.width })
    }
}

fn too_short() -> Error {
    internal(format_args!("an image is shorter than its value"))
}

const fn both(size: usize, align: usize) -> PlainLayouts {
    [PlainLayout { size, align }; 2]
}

/// The FNV-1a hash of a name.
pub const fn named(name: &str) -> u32 {
    let (bytes, mut hash, mut i) = (name.as_bytes(), 0x811c_9dc5, 0);
    while i < bytes.len() {
        hash = mix(hash, bytes[i] as u32);
        i += 1;
    }
    hash
}

/// Continues a hash.
pub const fn mix(hash: u32, value: u32) -> u32 {
    (hash ^ value).wrapping_mul(0x0100_0193).rotate_left(5)
}

/// The signature of a type whose parts have these signatures.
pub const fn signature(mut hash: u32, parts: &[u32]) -> u32 {
    let mut i = 0;
    while i < parts.len() {
        hash = mix(hash, parts[i]);
        i += 1;
    }
    hash
}

/// The layouts of a struct with these fields.
pub const fn record(fields: &[PlainLayouts]) -> PlainLayouts {
    joined(fields, false)
}

/// The layouts of an enum with these variants.
pub const fn variants(all: &[PlainLayouts]) -> PlainLayouts {
    joined(all, true)
}

/// The layouts of parts that follow one another, or that all begin at the start.
const fn joined(parts: &[PlainLayouts], overlap: bool) -> PlainLayouts {
    let mut layouts = both(0, 1);
    let mut w = 0;
    while w < 2 {
        let (mut i, mut end, mut most) = (0, 0usize, 1);
        while i < parts.len() {
            let PlainLayout { size, align } = parts[i][w];
            let part = if overlap { size } else { end.next_multiple_of(align) + size };
            end = if part > end { part } else { end };
            most = if align > most { align } else { most };
            i += 1;
        }
        layouts[w] = PlainLayout { size: end.next_multiple_of(most), align: most };
        w += 1;
    }
    layouts
}

/// Fails to compile unless `T` has the expected layout on this machine.
pub const fn check<T: Plain>() {
    let here = T::LAYOUTS[PointerWidth::HERE as usize];
    assert!(here.size == size_of::<T>() && here.align == align_of::<T>(), "not the layout of `Plain`");
}

/// The number of the variant `name`.
pub fn tag(names: &[&str], name: &str) -> u8 {
    names.iter().position(|other| *other == name).unwrap_or(0) as u8
}

/// Defines a struct or an enum that is [`Plain`]: `repr(C)`, or `repr(u8)` for an enum. A variant has no fields, one
/// field without a name, or fields with names.
#[macro_export]
macro_rules! plain {
    (
        $(#[$meta:meta])* $vis:vis struct $name:ident $(<$($generic:ident),+>)? {
            $($(#[$note:meta])* $seen:vis $field:ident: $ty:ty),* $(,)?
        }
    ) => {
        $(#[$meta])*
        #[repr(C)]
        $vis struct $name $(<$($generic),+>)? { $($(#[$note])* $seen $field: $ty,)* }

        impl $(<$($generic: $crate::plain::Plain),+>)? $crate::plain::Plain for $name $(<$($generic),+>)? {
            const LAYOUTS: $crate::plain::PlainLayouts =
                $crate::plain::record(&[$(<$ty as $crate::plain::Plain>::LAYOUTS),*]);
            const SIGNATURE: u32 = $crate::plain::signature(
                $crate::plain::named(concat!(stringify!($name), $(" ", stringify!($field)),*)),
                &[$(<$ty as $crate::plain::Plain>::SIGNATURE),*],
            );

            fn write(&self, image: &mut $crate::plain::Image<'_>) -> $crate::Result<()> {
                let mut fields = image.fields();
                $(fields.put(&self.$field)?;)*
                Ok(())
            }
        }

        $crate::plain! { @check $name $(<$($generic),+>)? }
    };
    (
        $(#[$meta:meta])* $vis:vis struct $name:ident<const $count:ident: $kind:ident> {
            $($(#[$note:meta])* $seen:vis $field:ident: $ty:ty),* $(,)?
        }
    ) => {
        $(#[$meta])*
        #[repr(C)]
        $vis struct $name<const $count: $kind> { $($(#[$note])* $seen $field: $ty,)* }

        impl<const $count: $kind> $crate::plain::Plain for $name<$count> {
            const LAYOUTS: $crate::plain::PlainLayouts =
                $crate::plain::record(&[$(<$ty as $crate::plain::Plain>::LAYOUTS),*]);
            const SIGNATURE: u32 = $crate::plain::signature(
                $crate::plain::named(concat!(stringify!($name), $(" ", stringify!($field)),*)),
                &[$(<$ty as $crate::plain::Plain>::SIGNATURE),*],
            );

            fn write(&self, image: &mut $crate::plain::Image<'_>) -> $crate::Result<()> {
                let mut fields = image.fields();
                $(fields.put(&self.$field)?;)*
                Ok(())
            }
        }
    };
    (
        $(#[$meta:meta])* $vis:vis struct $name:ident<marker $marker:ident> {
            $($(#[$note:meta])* $seen:vis $field:ident: $ty:ty),* $(,)?
        }
    ) => {
        $(#[$meta])*
        #[repr(C)]
        $vis struct $name<$marker> { $($(#[$note])* $seen $field: $ty,)* }

        impl<$marker> $crate::plain::Plain for $name<$marker> {
            const LAYOUTS: $crate::plain::PlainLayouts =
                $crate::plain::record(&[$(<$ty as $crate::plain::Plain>::LAYOUTS),*]);
            const SIGNATURE: u32 = $crate::plain::signature(
                $crate::plain::named(concat!(stringify!($name), $(" ", stringify!($field)),*)),
                &[$(<$ty as $crate::plain::Plain>::SIGNATURE),*],
            );

            fn write(&self, image: &mut $crate::plain::Image<'_>) -> $crate::Result<()> {
                let mut fields = image.fields();
                $(fields.put(&self.$field)?;)*
                Ok(())
            }
        }
    };
    ($(#[$meta:meta])* $vis:vis struct $name:ident;) => {
        $(#[$meta])*
        #[repr(C)]
        $vis struct $name;

        impl $crate::plain::Plain for $name {
            const LAYOUTS: $crate::plain::PlainLayouts = $crate::plain::record(&[]);
            const SIGNATURE: u32 = $crate::plain::named(stringify!($name));

            fn write(&self, _: &mut $crate::plain::Image<'_>) -> $crate::Result<()> {
                Ok(())
            }
        }

        $crate::plain! { @check $name }
    };
    ($(#[$meta:meta])* $vis:vis struct $name:ident($seen:vis $ty:ty);) => {
        $(#[$meta])*
        #[repr(C)]
        $vis struct $name($seen $ty);

        impl $crate::plain::Plain for $name {
            const LAYOUTS: $crate::plain::PlainLayouts = <$ty as $crate::plain::Plain>::LAYOUTS;
            const SIGNATURE: u32 = $crate::plain::signature(
                $crate::plain::named(stringify!($name)),
                &[<$ty as $crate::plain::Plain>::SIGNATURE],
            );

            fn write(&self, image: &mut $crate::plain::Image<'_>) -> $crate::Result<()> {
                $crate::plain::Plain::write(&self.0, image)
            }
        }

        $crate::plain! { @check $name }
    };
    (
        $(#[$meta:meta])* $vis:vis enum $name:ident {
            $(
                $(#[$note:meta])* $variant:ident
                $(($only:ty))?
                $({ $($(#[$field_note:meta])* $field:ident: $ty:ty),* $(,)? })?
            ),* $(,)?
        }
    ) => {
        $(#[$meta])*
        #[repr(u8)]
        $vis enum $name {
            $($(#[$note])* $variant $(($only))? $({ $($(#[$field_note])* $field: $ty),* })?,)*
        }

        impl $crate::plain::Plain for $name {
            const LAYOUTS: $crate::plain::PlainLayouts = $crate::plain::variants(&[$(
                $crate::plain::record(&[
                    <u8 as $crate::plain::Plain>::LAYOUTS,
                    $(<$only as $crate::plain::Plain>::LAYOUTS,)?
                    $($(<$ty as $crate::plain::Plain>::LAYOUTS,)*)?
                ])
            ),*]);
            const SIGNATURE: u32 = $crate::plain::signature($crate::plain::named(stringify!($name)), &[$(
                $crate::plain::signature(
                    $crate::plain::named(concat!(stringify!($variant), $($(" ", stringify!($field)),*)?)),
                    &[
                        $(<$only as $crate::plain::Plain>::SIGNATURE,)?
                        $($(<$ty as $crate::plain::Plain>::SIGNATURE,)*)?
                    ],
                )
            ),*]);

            fn write(&self, image: &mut $crate::plain::Image<'_>) -> $crate::Result<()> {
                const NAMES: &[&str] = &[$(stringify!($variant)),*];
                let mut fields = image.fields();
                match self {
                    $(Self::$variant $(($crate::plain! { @bind only $only }))? $({ $($field),* })? => {
                        fields.put(&$crate::plain::tag(NAMES, stringify!($variant)))?;
                        $(fields.put::<$only>(only)?;)?
                        $($(fields.put::<$ty>($field)?;)*)?
                    })*
                }
                Ok(())
            }
        }

        $crate::plain! { @check $name }
    };
    (@bind $only:ident $ty:ty) => { $only };
    (@check $name:ident) => { const _: () = $crate::plain::check::<$name>(); };
    (@check $name:ident <$($generic:ident),+>) => {};
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tensor::Table;

    crate::plain! {
        struct Inner<T> {
            from: T,
            to: T,
        }
    }
    crate::plain! {
        struct Only(u16);
    }
    crate::plain! {
        enum Kernel {
            Copy,
            Scale(f32),
            Clamp { count: usize, limits: Inner<i16> },
        }
    }
    crate::plain! {
        struct Node {
            flag: bool,
            list: [Only; 3],
            depth: usize,
            table: Table<f64>,
            kernel: Kernel,
            end: u8,
        }
    }

    fn node(kernel: Kernel) -> Node {
        let table = Table { index: 7, of: core::marker::PhantomData };
        Node { flag: true, list: [Only(1), Only(0x302), Only(3)], depth: 0x0102_0304, table, kernel, end: 9 }
    }

    fn image(node: &Node, width: PointerWidth) -> Vec<u8> {
        let mut bytes = vec![0; Node::LAYOUTS[width as usize].size];
        node.write(&mut Image::new(&mut bytes, width)).unwrap();
        bytes
    }

    /// The bytes of fields that this machine stores, compared through references to the fields.
    #[test]
    fn the_image_for_this_machine_is_the_value() {
        let node = node(Kernel::Clamp { count: 5, limits: Inner { from: -1, to: 1 } });
        let bytes = image(&node, PointerWidth::HERE);
        let at = |field: *const u8| field.addr() - (&raw const node).addr();
        let number = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap()) as usize;
        assert_eq!(bytes[at((&raw const node.flag).cast())], 1);
        assert_eq!(bytes[at((&raw const node.list[1]).cast())..][..2], [2, 3]);
        assert_eq!(number(at((&raw const node.depth).cast())), node.depth);
        assert_eq!(bytes[at((&raw const node.table).cast())], 7);
        assert_eq!(bytes[at((&raw const node.end).cast())], 9);
        let Kernel::Clamp { count, limits } = &node.kernel else { unreachable!() };
        assert_eq!(bytes[at((&raw const node.kernel).cast())], 2);
        assert_eq!(number(at((&raw const *count).cast())), 5);
        assert_eq!(bytes[at((&raw const limits.from).cast())..][..4], [255, 255, 1, 0]);
    }

    #[test]
    fn a_machine_with_32_bits_has_shorter_numbers() {
        let layouts = Node::LAYOUTS.map(|layout| (layout.size, layout.align));
        assert_eq!(layouts, [(32, 4), (56, 8)]);
        let bytes = image(&node(Kernel::Scale(1.0)), PointerWidth::Bits32);
        let depth = [4, 3, 2, 1];
        let kernel = [1, 0, 0, 0, 0, 0, 0x80, 0x3f, 0, 0, 0, 0];
        let expected = [&[1, 0, 1, 0, 2, 3, 3, 0][..], &depth, &[7, 0, 0, 0], &kernel, &[9, 0, 0, 0]];
        assert_eq!(bytes, expected.concat());
        assert_eq!(image(&node(Kernel::Copy), PointerWidth::Bits32)[16..28], [0; 12]);
        let mut bytes = [0; 4];
        let error = (1usize << 32).write(&mut Image::new(&mut bytes, PointerWidth::Bits32)).unwrap_err();
        assert!(error.message().starts_with("4294967296 does not fit 32 bits"), "{error}");
    }
}
