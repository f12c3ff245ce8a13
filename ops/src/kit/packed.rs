//! Elements of 2 and 4 bits; the first one is in the lowest bits of a byte.
//!
//! Defined by: tflite/kernels/internal/portable_tensor_utils.cc (`UnpackPackedIntToInt8`, `PackInt8IntoDenseInt`).

use arenite_abi::prelude::*;

use super::activation::Limits;

/// The range of I2, I4 or U4, or `None` for types that are not packed.
pub fn limits(ty: ElementType) -> Option<Limits<i32>> {
    match ty {
        I2 => Some(Limits { min: -2, max: 1 }),
        I4 => Some(Limits { min: -8, max: 7 }),
        U4 => Some(Limits { min: 0, max: 15 }),
        _ => None,
    }
}

/// Returns element `i`; 0 past the end.
#[inline]
pub fn read(ty: ElementType, bytes: &[u8], i: usize) -> i32 {
    match ty {
        I2 => sign_extended::<2>(raw::<2>(bytes, i)),
        U4 => raw::<4>(bytes, i).into(),
        _ => sign_extended::<4>(raw::<4>(bytes, i)),
    }
}

/// Unpacks elements of I2 or I4, starting at element `first`; 0 past the end.
pub fn unpack(ty: ElementType, bytes: &[u8], first: usize, to: &mut [i8]) {
    for (i, q) in (first..).zip(to) {
        *q = read(ty, bytes, i) as i8;
    }
}

/// Writes `count` elements, `value(i)` each, which must be within [`limits`]. Unused bits of the last byte become 0.
pub fn write(ty: ElementType, bytes: &mut [u8], count: usize, mut value: impl FnMut(usize) -> i32) {
    bytes.fill(0);
    for i in 0..count {
        match ty {
            I2 => set_raw::<2>(bytes, i, value(i) as u8),
            _ => set_raw::<4>(bytes, i, value(i) as u8),
        }
    }
}

/// The raw bits of element `i`, in the low bits of the result; 0 past the end. `BITS` is 2 or 4.
#[inline]
pub fn raw<const BITS: usize>(bytes: &[u8], i: usize) -> u8 {
    let byte = bytes.get(i / (8 / BITS)).copied().unwrap_or(0);
    byte >> (i % (8 / BITS) * BITS) & mask::<BITS>()
}

/// Sets element `i` to the lowest `BITS` bits of `raw`, and preserves its neighbors. Does nothing past the end.
#[inline]
pub fn set_raw<const BITS: usize>(bytes: &mut [u8], i: usize, raw: u8) {
    let shift = i % (8 / BITS) * BITS;
    if let Some(byte) = bytes.get_mut(i / (8 / BITS)) {
        *byte = *byte & !(mask::<BITS>() << shift) | (raw & mask::<BITS>()) << shift;
    }
}

/// Shifts the sign bit to the top of the byte, so that the shift back extends it.
fn sign_extended<const BITS: usize>(raw: u8) -> i32 {
    i32::from((raw << (8 - BITS)) as i8 >> (8 - BITS))
}

const fn mask<const BITS: usize>() -> u8 {
    (1 << BITS) - 1
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

    #[test]
    fn unpacked_from_any_element() {
        let mut four = [0; 5];
        unpack(I4, &[0x8f, 0x71], 0, &mut four);
        assert_eq!(four, [-1, -8, 1, 7, 0]);
        let mut odd = [0; 2];
        unpack(I4, &[0x8f, 0x71], 1, &mut odd);
        assert_eq!(odd, [-8, 1]);
        let mut two = [0; 5];
        unpack(I2, &[0b10_11_01_00, 0b01], 0, &mut two);
        assert_eq!(two, [0, 1, -1, -2, 1]);
    }
}
