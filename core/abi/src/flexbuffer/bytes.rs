//! Reads numbers in a flexbuffer with bounds checks.

use crate::{Result, ensure, invalid};

/// The size of a number in bytes: 1, 2, 4 or 8.
#[derive(Clone, Copy)]
pub(super) struct Width(pub u8);

impl Width {
    pub(super) fn new(bytes: u64) -> Result<Self> {
        ensure!(matches!(bytes, 1 | 2 | 4 | 8), "custom options: numbers of {bytes} bytes");
        Ok(Width(bytes as u8))
    }

    pub(super) fn bytes(self) -> usize {
        usize::from(self.0)
    }
}

/// The `width` bytes at `at`, little-endian, extended with zeros.
pub(super) fn unsigned(buffer: &[u8], at: usize, width: Width) -> Result<u64> {
    let bytes = buffer.get(at..).and_then(|rest| rest.get(..width.bytes())).ok_or_else(truncated)?;
    Ok(bytes.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte)))
}

pub(super) fn signed(buffer: &[u8], at: usize, width: Width) -> Result<i64> {
    let unused = 64 - 8 * u32::from(width.0);
    Ok((unsigned(buffer, at, width)? << unused) as i64 >> unused)
}

pub(super) fn float(buffer: &[u8], at: usize, width: Width) -> Result<f64> {
    let bits = unsigned(buffer, at, width)?;
    match width.0 {
        2 => Ok(half::f16::from_bits(bits as u16).to_f64()),
        4 => Ok(f64::from(f32::from_bits(bits as u32))),
        8 => Ok(f64::from_bits(bits)),
        bytes => Err(invalid!("custom options: a float of {bytes} byte")),
    }
}

/// The target of the offset at `at`.
pub(super) fn back(buffer: &[u8], at: usize, width: Width) -> Result<usize> {
    let distance = usize::try_from(unsigned(buffer, at, width)?).map_err(|_| truncated())?;
    at.checked_sub(distance).ok_or_else(truncated)
}

/// The length that precedes `at`.
pub(super) fn length_before(buffer: &[u8], at: usize, width: Width) -> Result<usize> {
    let position = at.checked_sub(width.bytes()).ok_or_else(truncated)?;
    usize::try_from(unsigned(buffer, position, width)?).map_err(|_| truncated())
}

pub(super) fn in_bounds(buffer: &[u8], at: usize, count: usize, bytes: usize) -> Result<()> {
    let end = count.checked_mul(bytes).and_then(|size| size.checked_add(at));
    ensure!(
        end.is_some_and(|end| end <= buffer.len()),
        "custom options of {} bytes end inside a vector of {count} values",
        buffer.len()
    );
    Ok(())
}

/// The bytes from `at` up to the next zero byte.
pub(super) fn terminated(buffer: &[u8], at: usize) -> Result<&[u8]> {
    let rest = buffer.get(at..).ok_or_else(truncated)?;
    let length = rest.iter().position(|&byte| byte == 0).ok_or_else(truncated)?;
    rest.get(..length).ok_or_else(truncated)
}

/// The error of bytes that are not there.
pub(super) fn truncated() -> crate::Error {
    invalid!("custom options end inside a value, or an offset points out of them")
}
