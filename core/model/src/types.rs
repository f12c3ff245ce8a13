//! Numbers, names and sizes of the schema's element types.
//! Defined by: tflite/converter/schema/schema.fbs (enum TensorType).

/// The values of `Tensor::element_type`.
pub mod tensor_type {
    macro_rules! numbers {
        ($($name:ident = $number:literal: $bits:expr,)*) => {
            $(#[doc = concat!("`", stringify!($name), "`")] pub const $name: i32 = $number;)*

            /// The schema's name of a type number.
            pub fn name(number: i32) -> Option<&'static str> {
                match number {
                    $($number => Some(stringify!($name)),)*
                    _ => None,
                }
            }

            /// Bits per element of a constant; 0 if the size depends on the contents. `None` for a number that is not
            /// in the schema.
            pub fn bits(number: i32) -> Option<u32> {
                match number {
                    $($number => Some($bits),)*
                    _ => None,
                }
            }
        };
    }

    numbers! {
        FLOAT32 = 0: 32,
        FLOAT16 = 1: 16,
        INT32 = 2: 32,
        UINT8 = 3: 8,
        INT64 = 4: 64,
        STRING = 5: 0,
        BOOL = 6: 8,
        INT16 = 7: 16,
        COMPLEX64 = 8: 64,
        INT8 = 9: 8,
        FLOAT64 = 10: 64,
        COMPLEX128 = 11: 128,
        UINT64 = 12: 64,
        RESOURCE = 13: 0,
        VARIANT = 14: 0,
        UINT32 = 15: 32,
        UINT16 = 16: 16,
        INT4 = 17: 4,
        BFLOAT16 = 18: 16,
        INT2 = 19: 2,
        UINT4 = 20: 4,
        FLOAT8_E4M3FN = 21: 8,
        FLOAT8_E5M2 = 22: 8,
    }

    /// The smallest and largest stored value of a quantizable integer type.
    pub fn quantized_range(number: i32) -> Option<(i64, i64)> {
        Some(match number {
            INT2 => (-2, 1),
            INT4 => (-8, 7),
            UINT4 => (0, 15),
            INT8 => (-128, 127),
            UINT8 => (0, 255),
            INT16 => (-32768, 32767),
            UINT16 => (0, 65535),
            INT32 => (i64::from(i32::MIN), i64::from(i32::MAX)),
            UINT32 => (0, i64::from(u32::MAX)),
            INT64 => (i64::MIN, i64::MAX),
            _ => return None,
        })
    }
}

/// The bytes of `elements` elements of `bits` bits each, packed without gaps; `None` on overflow. `bits` is a power of
/// two, or 0.
pub(crate) fn packed_bytes(elements: usize, bits: u32) -> Option<usize> {
    let bits = bits as usize;
    let bytes = match bits {
        1..8 => elements.div_ceil(8 / bits),
        _ => elements.checked_mul(bits / 8)?,
    };
    Some(bytes).filter(|&bytes| isize::try_from(bytes).is_ok())
}
