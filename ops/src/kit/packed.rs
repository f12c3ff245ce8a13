//! Elements of 2 and 4 bits; the first one lies in the lowest bits of a byte.
//!
//! Defined by: tflite/kernels/internal/portable_tensor_utils.cc (`UnpackPackedIntToInt8`, `PackInt8IntoDenseInt`).

use arenite_abi::prelude::*;

use super::activation::Limits;

/// All values of I2, I4 or U4. `None` for types that are not packed.
pub fn limits(ty: ElementType) -> Option<Limits<i32>> {
    match ty {
        I2 => Some(Limits { min: -2, max: 1 }),
        I4 => Some(Limits { min: -8, max: 7 }),
        U4 => Some(Limits { min: 0, max: 15 }),
        _ => None,
    }
}

/// Element `i`; 0 past the end.
pub fn read(ty: ElementType, bytes: &[u8], i: usize) -> i32 {
    let (per_byte, bits) = layout(ty);
    let byte = u32::from(bytes.get(i / per_byte).copied().unwrap_or(0));
    let raw = (byte >> ((i % per_byte) as u32 * bits)) & ((1 << bits) - 1);
    match ty {
        U4 => raw as i32,
        // The sign bit moves to the top, so that the shift back extends it.
        _ => ((raw << (32 - bits)) as i32) >> (32 - bits),
    }
}

/// Writes `count` elements, `value(i)` each, which must lie within [`limits`]. Bits past the last one become 0.
pub fn write(ty: ElementType, bytes: &mut [u8], count: usize, mut value: impl FnMut(usize) -> i32) {
    let (per_byte, bits) = layout(ty);
    bytes.fill(0);
    for i in 0..count {
        if let Some(byte) = bytes.get_mut(i / per_byte) {
            let raw = value(i) as u32 & ((1 << bits) - 1);
            *byte |= (raw << ((i % per_byte) as u32 * bits)) as u8;
        }
    }
}

fn layout(ty: ElementType) -> (usize, u32) {
    if ty == I2 { (4, 2) } else { (2, 4) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_elements_round_trip() {
        for (ty, values, packed) in [
            (I4, [-8, 7, -1, 0, 3].as_slice(), [0x78, 0x0f, 0x03].as_slice()),
            (U4, &[15, 0, 7], &[0x0f, 0x07]),
            (I2, &[-2, 1, 0, -1, 1], &[0b1100_0110, 0b01]),
        ] {
            let mut bytes = vec![0xff; packed.len()];
            write(ty, &mut bytes, values.len(), |i| values[i]);
            assert_eq!(bytes, packed, "{ty}");
            let read: Vec<i32> = (0..values.len()).map(|i| read(ty, &bytes, i)).collect();
            assert_eq!(read, values, "{ty}");
        }
    }
}
