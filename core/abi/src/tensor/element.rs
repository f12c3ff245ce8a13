//! The element types of tensors.

use core::fmt;

macro_rules! element_types {
    ($($(#[$doc:meta])* $variant:ident = $number:literal, $name:literal, $bits:literal;)*) => {
        /// The type of a tensor's elements, with the schema's numbers.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u32)]
        pub enum ElementType { $($(#[$doc])* $variant = $number,)* }

        impl ElementType {
            /// All types, sorted by number.
            pub const ALL: &'static [ElementType] = &[$(ElementType::$variant,)*];

            /// The type with the schema's number `raw`.
            pub const fn from_raw(raw: u32) -> Option<Self> {
                match raw { $($number => Some(ElementType::$variant),)* _ => None }
            }

            /// The name in the schema.
            pub const fn name(self) -> &'static str {
                match self { $(ElementType::$variant => $name,)* }
            }

            /// Bits per element; 0 for strings and variants, whose size is not fixed.
            pub const fn bits(self) -> u32 {
                match self { $(ElementType::$variant => $bits,)* }
            }
        }
    };
}

element_types! {
    /// A float in IEEE 754 binary32.
    F32 = 0, "FLOAT32", 32;
    /// A float in IEEE 754 binary16.
    F16 = 1, "FLOAT16", 16;
    /// A signed 32-bit integer.
    I32 = 2, "INT32", 32;
    /// An unsigned 8-bit integer.
    U8 = 3, "UINT8", 8;
    /// A signed 64-bit integer.
    I64 = 4, "INT64", 64;
    /// Strings in TFLite's packed format: count, offsets, bytes.
    String = 5, "STRING", 0;
    /// A truth value: one byte, 0 or 1.
    Bool = 6, "BOOL", 8;
    /// A signed 16-bit integer.
    I16 = 7, "INT16", 16;
    /// A complex number of two `f32`.
    C64 = 8, "COMPLEX64", 64;
    /// A signed 8-bit integer.
    I8 = 9, "INT8", 8;
    /// A float in IEEE 754 binary64.
    F64 = 10, "FLOAT64", 64;
    /// A complex number of two `f64`.
    C128 = 11, "COMPLEX128", 128;
    /// An unsigned 64-bit integer.
    U64 = 12, "UINT64", 64;
    /// The handle of a variable or a table, stored as an `i32`.
    Resource = 13, "RESOURCE", 32;
    /// A value whose type is not part of the tensor's type.
    Variant = 14, "VARIANT", 0;
    /// An unsigned 32-bit integer.
    U32 = 15, "UINT32", 32;
    /// An unsigned 16-bit integer.
    U16 = 16, "UINT16", 16;
    /// A signed 4-bit integer, two per byte, with the even element in the low half.
    I4 = 17, "INT4", 4;
    /// The upper half of an `f32`.
    BF16 = 18, "BFLOAT16", 16;
    /// A signed 2-bit integer, four per byte, with the first element in the lowest bits.
    I2 = 19, "INT2", 2;
    /// An unsigned 4-bit integer, two per byte.
    U4 = 20, "UINT4", 4;
    /// An 8-bit float with 4 exponent bits.
    F8E4M3 = 21, "FLOAT8_E4M3FN", 8;
    /// An 8-bit float with 5 exponent bits.
    F8E5M2 = 22, "FLOAT8_E5M2", 8;
}

impl ElementType {
    /// The size of `count` packed elements in bytes; `None` on overflow or if the size is not fixed.
    pub const fn bytes_of(self, count: usize) -> Option<usize> {
        let bits = self.bits() as usize;
        match (bits, bits >= 8) {
            (0, _) => None,
            (_, true) => count.checked_mul(bits / 8),
            (_, false) => Some(count.div_ceil(8 / bits)),
        }
    }

    /// Whether one element has exactly `bytes` bytes; false for packed types and those without a fixed size.
    pub const fn has_size(self, bytes: usize) -> bool {
        self.bits() as usize == bytes * 8
    }

    /// Whether the type is an integer that may be quantized: i4, i8, u8, i16, or i32 for a bias.
    pub const fn is_quantizable(self) -> bool {
        use ElementType::*;
        matches!(self, I2 | I4 | U4 | I8 | U8 | I16 | U16 | I32 | I64)
    }
}

impl fmt::Display for ElementType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A set of element types, for an op's registration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ElementTypes(u64);

impl ElementTypes {
    /// All types, without restriction.
    pub const ANY: ElementTypes = ElementTypes(0);

    /// Exactly these types.
    pub const fn of(types: &[ElementType]) -> Self {
        let (mut bits, mut i) = (0, 0);
        while i < types.len() {
            bits |= 1 << types[i] as u32;
            i += 1;
        }
        ElementTypes(bits)
    }

    /// Reads the set from the number in an op's registration: bit `t` is set for type `t`, and 0 means any type.
    pub const fn from_bits(bits: u64) -> Self {
        ElementTypes(bits)
    }

    /// The number for an op's registration.
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// Whether `ty` is in the set.
    pub const fn contains(self, ty: ElementType) -> bool {
        self.0 == 0 || self.0 & (1 << ty as u32) != 0
    }

    /// Iterates over the members; over all types for [`ElementTypes::ANY`].
    pub fn iter(self) -> impl Iterator<Item = ElementType> {
        ElementType::ALL.iter().copied().filter(move |&ty| self.contains(ty))
    }
}

/// One byte of a BOOL tensor. Zero is false, other values are true.
#[derive(Clone, Copy, Debug, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(transparent)]
pub struct Bool(pub u8);

/// A complex number of `f32`, real part first.
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct Complex32 {
    /// The real part.
    pub re: f32,
    /// The imaginary part.
    pub im: f32,
}

/// A complex number of `f64`, real part first.
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct Complex64 {
    /// The real part.
    pub re: f64,
    /// The imaginary part.
    pub im: f64,
}

mod sealed {
    pub trait Sealed {}
}

/// A Rust type for an element type. Any bit pattern must be a valid value.
pub trait Element: bytemuck::Pod + sealed::Sealed {
    /// The element type of this Rust type.
    const TYPE: ElementType;
}

macro_rules! elements {
    ($($rust:ty => $ty:ident,)*) => {$(
        impl sealed::Sealed for $rust {}
        impl Element for $rust { const TYPE: ElementType = ElementType::$ty; }
    )*};
}

elements! {
    f32 => F32, f64 => F64, half::f16 => F16, half::bf16 => BF16,
    i8 => I8, u8 => U8, i16 => I16, u16 => U16, i32 => I32, u32 => U32, i64 => I64, u64 => U64,
    Bool => Bool, Complex32 => C64, Complex64 => C128,
}
