//! Element types.

use core::fmt;

macro_rules! element_types {
    ($($(#[$doc:meta])* $variant:ident = $number:literal, $name:literal, $bits:literal;)*) => {
        /// The type of a tensor's elements, with the schema's numbers.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u32)]
        pub enum ElementType { $($(#[$doc])* $variant = $number,)* }

        impl ElementType {
            /// All types, by number.
            pub const ALL: &'static [ElementType] = &[$(ElementType::$variant,)*];

            /// The type with the schema's number `raw`.
            pub const fn from_raw(raw: u32) -> Option<Self> {
                match raw { $($number => Some(ElementType::$variant),)* _ => None }
            }

            /// The schema's name.
            pub const fn name(self) -> &'static str {
                match self { $(ElementType::$variant => $name,)* }
            }

            /// Bits of one element; 0 for strings and variants, whose size is not fixed.
            pub const fn bits(self) -> u32 {
                match self { $(ElementType::$variant => $bits,)* }
            }
        }
    };
}

element_types! {
    /// IEEE 754 binary32.
    F32 = 0, "FLOAT32", 32;
    /// IEEE 754 binary16.
    F16 = 1, "FLOAT16", 16;
    /// Signed 32-bit.
    I32 = 2, "INT32", 32;
    /// Unsigned 8-bit.
    U8 = 3, "UINT8", 8;
    /// Signed 64-bit.
    I64 = 4, "INT64", 64;
    /// TFLite's packed strings: count, offsets, bytes.
    String = 5, "STRING", 0;
    /// One byte, 0 or 1.
    Bool = 6, "BOOL", 8;
    /// Signed 16-bit.
    I16 = 7, "INT16", 16;
    /// Two `f32`.
    C64 = 8, "COMPLEX64", 64;
    /// Signed 8-bit.
    I8 = 9, "INT8", 8;
    /// IEEE 754 binary64.
    F64 = 10, "FLOAT64", 64;
    /// Two `f64`.
    C128 = 11, "COMPLEX128", 128;
    /// Unsigned 64-bit.
    U64 = 12, "UINT64", 64;
    /// The handle of a variable or a table, an `i32`.
    Resource = 13, "RESOURCE", 32;
    /// A value of a type that the tensor does not tell.
    Variant = 14, "VARIANT", 0;
    /// Unsigned 32-bit.
    U32 = 15, "UINT32", 32;
    /// Unsigned 16-bit.
    U16 = 16, "UINT16", 16;
    /// Signed 4-bit, two to a byte, the even element in the low half.
    I4 = 17, "INT4", 4;
    /// The upper half of an `f32`.
    BF16 = 18, "BFLOAT16", 16;
    /// Signed 2-bit, four to a byte, the first element in the lowest bits.
    I2 = 19, "INT2", 2;
    /// Unsigned 4-bit, two to a byte.
    U4 = 20, "UINT4", 4;
    /// 8-bit float, 4 bits of exponent.
    F8E4M3 = 21, "FLOAT8_E4M3FN", 8;
    /// 8-bit float, 5 bits of exponent.
    F8E5M2 = 22, "FLOAT8_E5M2", 8;
}

impl ElementType {
    /// Bytes of `count` elements, packed; `None` on overflow or if the size is not fixed.
    pub const fn bytes_of(self, count: usize) -> Option<usize> {
        let bits = self.bits() as usize;
        match (bits, bits >= 8) {
            (0, _) => None,
            (_, true) => count.checked_mul(bits / 8),
            (_, false) => Some(count.div_ceil(8 / bits)),
        }
    }

    /// Whether one element takes `bytes` bytes: false for packed types and those without a fixed size.
    pub const fn has_size(self, bytes: usize) -> bool {
        self.bits() as usize == bytes * 8
    }

    /// Integers that carry a scale: i4, i8, u8, i16, and i32 of a bias.
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
    /// No restriction.
    pub const ANY: ElementTypes = ElementTypes(0);

    /// Exactly these.
    pub const fn of(types: &[ElementType]) -> Self {
        let (mut bits, mut i) = (0, 0);
        while i < types.len() {
            bits |= 1 << types[i] as u32;
            i += 1;
        }
        ElementTypes(bits)
    }

    /// From the number in an op's registration: bit `t` stands for the type `t`, 0 for any.
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

    /// The members; all types for [`ElementTypes::ANY`].
    pub fn iter(self) -> impl Iterator<Item = ElementType> {
        ElementType::ALL.iter().copied().filter(move |&ty| self.contains(ty))
    }
}

/// One byte of a BOOL tensor. Zero is false, all else is true.
#[derive(Clone, Copy, Debug, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(transparent)]
pub struct Bool(pub u8);

/// A complex number of `f32`, real part first.
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct Complex32 {
    /// Real part.
    pub re: f32,
    /// Imaginary part.
    pub im: f32,
}

/// A complex number of `f64`, real part first.
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct Complex64 {
    /// Real part.
    pub re: f64,
    /// Imaginary part.
    pub im: f64,
}

mod sealed {
    pub trait Sealed {}
}

/// Rust types that stand for an element type. Any bit pattern is a value of each.
pub trait Element: bytemuck::Pod + sealed::Sealed {
    /// The element type.
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
