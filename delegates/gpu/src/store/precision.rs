//! The precision of stored floats: 32 bits, as kernels compute, or 16.
//!
//! Memory is counted in words of 32 bits. A word has two halves, the first one in its lower bits. Numbers beyond the
//! largest half are stored as the largest half, never as infinity.

use arenite_abi::prelude::*;
use half::f16;
use half::slice::{HalfBitsSliceExt as _, HalfFloatSliceExt as _};

use crate::device::{Device, DeviceInfo};

/// The storage of a float.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// 32 bits.
    F32,
    /// 16 bits.
    F16,
}

impl Precision {
    /// Checks that the device has kernels for this precision.
    ///
    /// # Errors
    /// The device has no such kernels.
    pub fn expect_on<D: Device>(self, about: Option<&DeviceInfo>) -> Result<()> {
        if self == Precision::F32 || D::HAS_HALVES {
            return Ok(());
        }
        let device = about.map_or("the device", |about| &about.name);
        Err(unsupported!("option precision = 'f16': kernels of '{}' on {device} have f32 alone", D::NAME))
    }

    /// Bytes per float.
    pub fn bytes(self) -> usize {
        match self {
            Precision::F32 => 4,
            Precision::F16 => 2,
        }
    }

    /// The words that `floats` floats take.
    pub fn words(self, floats: usize) -> usize {
        (floats * self.bytes()).div_ceil(4)
    }

    /// Converts floats to their stored form, in `room` unless they are stored unchanged.
    pub fn store<'a>(self, floats: &'a [f32], room: &'a mut Vec<f32>) -> &'a [f32] {
        if self == Precision::F32 {
            return floats;
        }
        room.clear();
        room.resize(self.words(floats.len()), 0.0);
        let halves: &mut [f16] = bytemuck::cast_slice_mut::<f32, u16>(room).reinterpret_cast_mut();
        let halves = &mut halves[..floats.len()];
        halves.convert_from_f32_slice(floats);
        for half in halves.iter_mut().filter(|half| half.is_infinite()) {
            *half = f16::MAX.copysign(*half);
        }
        room
    }

    /// Reads stored floats; `read` copies their words.
    ///
    /// # Errors
    /// The errors of `read`.
    pub fn load(
        self,
        floats: &mut [f32],
        room: &mut Vec<f32>,
        read: impl FnOnce(&mut [f32]) -> Result<()>,
    ) -> Result<()> {
        if self == Precision::F32 {
            return read(floats);
        }
        room.resize(self.words(floats.len()), 0.0);
        read(room)?;
        let halves: &[f16] = bytemuck::cast_slice::<f32, u16>(room).reinterpret_cast();
        halves[..floats.len()].convert_to_f32_slice(floats);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_halves_share_a_word_and_are_never_infinite() {
        let floats = [1.0, -2.5, 7e4, f32::NEG_INFINITY, 1.0 / 3.0];
        let mut room = vec![9.0; 7];
        let words = Precision::F16.store(&floats, &mut room).to_vec();
        assert_eq!(words[0].to_bits(), 0xc100_3c00);
        let mut back = [0.0; 5];
        let copy = |to: &mut [f32]| {
            to.copy_from_slice(&words);
            Ok(())
        };
        Precision::F16.load(&mut back, &mut room, copy).expect("it is copied");
        assert_eq!(back, [1.0, -2.5, 65504.0, -65504.0, 0.33325195]);
        assert_eq!([Precision::F16.words(5), Precision::F32.words(5)], [3, 5]);
    }

    #[test]
    fn floats_are_stored_unchanged() {
        let (floats, mut room) = ([1.0, f32::INFINITY], Vec::new());
        assert_eq!(Precision::F32.store(&floats, &mut room), floats);
    }
}
