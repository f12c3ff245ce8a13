//! Quantized weights of a model, read as signed bytes.

use arenite_abi::prelude::*;
use arenite_layers::{Source, Value};

use super::terms::terms;
use crate::store::{Block, Store};

/// Constant weights of 8, 4 or 2 bits, read as signed bytes.
#[derive(Clone, Copy)]
pub(crate) struct Weights<'a> {
    ty: ElementType,
    bytes: &'a [u8],
    len: usize,
    /// Of the signed bytes.
    pub zero_point: i32,
}

impl<'a> Weights<'a> {
    /// The constant input 1, whose scales run along `axis` if there are several.
    pub(crate) fn read(x: &Source<'_, 'a>, axis: usize) -> Result<(Weights<'a>, Quantization<'a>)> {
        let (_, value) = x.input(1)?;
        let Some(constant) = &value.constant else {
            return Err(unsupported!("the weights {value} are not constant"));
        };
        let q = constant
            .quantization()
            .filter(|q| q.block_size == 0 && q.scales.iter().all(|s| *s > 0.0 && s.is_finite()))
            .ok_or_else(|| unsupported!("{value} has not one positive scale per channel"))?;
        ensure!(
            q.scales.len() == 1 || q.scales.len() == value.shape[axis] && q.dimension == axis,
            "{value} has {} scales along dimension {}",
            q.scales.len(),
            q.dimension
        );
        ensure!(
            value.ty.bytes_of(value.len()) == Some(constant.bytes().len()),
            "{value} has {} bytes",
            constant.bytes().len()
        );
        let zero_point = match (value.ty, q.scales.len()) {
            (U8, 1) => q.zero_points[0] - 128,
            (I8, 1) => q.zero_points[0],
            (I8 | I4 | I2, _) if q.zero_points.iter().all(|&z| z == 0) => 0,
            _ => {
                return Err(unsupported!("{value} is {} with a zero point for each channel", value.ty));
            }
        };
        if !(-128..=127).contains(&zero_point) {
            return Err(unsupported!("{value} has zero point {}", q.zero_points[0]));
        }
        Ok((Weights { zero_point: zero_point as i32, ..Weights::symmetric(value, constant.bytes()) }, q))
    }

    /// Bytes with zero point 0.
    #[cfg(test)]
    pub(crate) fn of(bytes: &'a [u8]) -> Weights<'a> {
        Weights { ty: I8, bytes, len: bytes.len(), zero_point: 0 }
    }

    fn symmetric(value: &Value<'_>, bytes: &'a [u8]) -> Weights<'a> {
        Weights { ty: value.ty, bytes, len: value.len(), zero_point: 0 }
    }

    /// The number of elements.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// All elements, if they are bytes, which become signed by flipping these bits.
    pub(crate) fn bytes(&self) -> Option<(&'a [u8], u8)> {
        match self.ty {
            I8 => Some((self.bytes, 0)),
            U8 => Some((self.bytes, 0x80)),
            _ => None,
        }
    }

    /// The constant input 1 of four or two bits without zero points, with scales for blocks of the last dimension;
    /// `None` if it has other scales.
    pub(crate) fn read_blocks(x: &Source<'_, 'a>) -> Result<Option<(Weights<'a>, Quantization<'a>)>> {
        let (_, value) = x.input(1)?;
        let Some(constant) = &value.constant else { return Ok(None) };
        let Some(q) = constant.quantization().filter(|q| q.block_size != 0) else { return Ok(None) };
        let blocks = value.len() / q.block_size;
        let is_whole = value.shape.last().is_some_and(|depth| depth.is_multiple_of(q.block_size));
        ensure!(
            matches!(value.ty, I4 | I2)
                && is_whole
                && blocks == q.scales.len()
                && q.zero_points.iter().all(|&z| z == 0),
            "{value} has {} scales for blocks of {}; only INT4 and INT2 without zero points are supported",
            q.scales.len(),
            q.block_size
        );
        ensure!(
            value.ty.bytes_of(value.len()) == Some(constant.bytes().len()),
            "{value} has {} bytes",
            constant.bytes().len()
        );
        Ok(Some((Weights::symmetric(value, constant.bytes()), q)))
    }

    /// All elements, several in a byte, if they have four or two bits.
    pub(crate) fn parts(&self) -> Option<&'a [u8]> {
        matches!(self.ty, I4 | I2).then_some(self.bytes)
    }

    /// How many signed bytes any element less the zero point is the sum of, at most.
    pub(crate) fn terms(&self) -> usize {
        let zero = self.zero_point as i16;
        terms(-128 - zero).max(terms(127 - zero))
    }

    /// Element `i`.
    pub(crate) fn at(&self, i: usize) -> i8 {
        match self.ty {
            I8 => self.bytes[i] as i8,
            I4 => (self.bytes[i / 2] << (4 - 4 * (i % 2)) as u32) as i8 >> 4,
            I2 => (self.bytes[i / 4] << (6 - 2 * (i % 4)) as u32) as i8 >> 6,
            _ => (self.bytes[i] ^ 0x80) as i8,
        }
    }

    /// The sum of each filter's weights, of which there are `lines`.
    pub(crate) fn sums(&self, store: &Store, filters: usize, lines: usize, name: &str) -> Result<Block<i32>> {
        store.block(&format!("sums {filters} × {lines} {name}"), filters, |sums: &mut [i32]| {
            for (j, sum) in sums.iter_mut().enumerate() {
                *sum = match self.bytes() {
                    Some((bytes, flip)) => {
                        wrapping_sum(bytes[j * lines..][..lines].iter().map(|&byte| (byte ^ flip) as i8))
                    }
                    None => wrapping_sum((j * lines..(j + 1) * lines).map(|i| self.at(i))),
                };
            }
        })
    }
}

/// The sum, modulo 2³²: as products are summed, which it is subtracted from.
pub(crate) fn wrapping_sum(weights: impl Iterator<Item = i8>) -> i32 {
    weights.fold(0, |sum, weight| sum.wrapping_add(weight.into()))
}
