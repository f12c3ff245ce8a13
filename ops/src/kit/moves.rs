//! Copies of elements that are not interpreted: by size, whole or packed, with any strides.
//!
//! Everything that only moves elements (slices, transpositions, padding, tiles, ...) is reduced to runs: `length`
//! elements from a [`Run`] of one tensor to a [`Run`] of another. A [`Nest`] loops over the runs.

use arenite_abi::prelude::*;
use arenite_abi::tensor::{cells_of, word_cells};
use core::cell::Cell;

use super::indexing::Nest;
use super::pace::Pace;

/// The number of elements that are moved between two checks for cancellation.
const PIECE: usize = 1 << 20;

/// The size of an element, which determines where its bytes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    /// Two bits: four elements per byte, the first one in the lowest bits.
    Bits2,
    /// Four bits: two elements per byte, the first one in the lower half.
    Bits4,
    /// One byte.
    Bytes1,
    /// Two bytes.
    Bytes2,
    /// Four bytes.
    Bytes4,
    /// Eight bytes.
    Bytes8,
    /// Sixteen bytes.
    Bytes16,
}

/// The elements at `first`, `first + step`, `first + 2 × step`, ...
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// The index of the first element.
    pub first: usize,
    /// The distance from one element to the next; may be 0 or negative.
    pub step: isize,
}

impl Run {
    /// A run of neighboring elements.
    pub fn contiguous(first: usize) -> Run {
        Run { first, step: 1 }
    }

    /// Whether `length` elements of the run are within a tensor of `count` elements.
    fn lies_in(self, count: usize, length: usize) -> bool {
        let Some(steps) = length.checked_sub(1) else { return true };
        let last = isize::try_from(steps)
            .ok()
            .and_then(|steps| steps.checked_mul(self.step))
            .and_then(|distance| self.first.checked_add_signed(distance));
        self.first < count && last.is_some_and(|last| last < count)
    }

    /// The run without its first `k` elements; it must have more than `k`.
    fn from(self, k: usize) -> Run {
        Run { first: self.at(k), step: self.step }
    }

    fn at(self, k: usize) -> usize {
        self.first.wrapping_add_signed(self.step.wrapping_mul(k as isize))
    }
}

impl Width {
    /// The width of a type.
    ///
    /// # Errors
    /// [`Status::Unsupported`] for strings, resources and variants, whose size is not fixed.
    pub fn of(ty: ElementType) -> Result<Width> {
        Ok(match ty.bits() {
            2 => Width::Bits2,
            4 => Width::Bits4,
            8 => Width::Bytes1,
            16 => Width::Bytes2,
            32 => Width::Bytes4,
            64 => Width::Bytes8,
            128 => Width::Bytes16,
            _ => return Err(unsupported!("{ty} elements have no fixed size and cannot be moved")),
        })
    }

    /// The number of whole elements in this many bytes.
    fn count(self, bytes: usize) -> usize {
        match self {
            Width::Bits2 => bytes.saturating_mul(4),
            Width::Bits4 => bytes.saturating_mul(2),
            Width::Bytes1 => bytes,
            Width::Bytes2 => bytes / 2,
            Width::Bytes4 => bytes / 4,
            Width::Bytes8 => bytes / 8,
            Width::Bytes16 => bytes / 16,
        }
    }

    /// Sets `to[target[k]] = from[source[k]]` for `k` in `0..length`.
    ///
    /// # Errors
    /// A run leaves its tensor.
    pub fn copy_run(self, from: &[u8], source: Run, to: &mut [u8], target: Run, length: usize) -> Result<()> {
        self.move_run(from.into(), source, cells_of(to), target, length)
    }

    /// Like [`copy_run`](Self::copy_run), in ascending order of `k`, for tensors that may overlap. Contiguous elements
    /// that are already in place are not touched.
    ///
    /// # Errors
    /// A run leaves its tensor.
    pub fn move_run(
        self,
        from: ReadCells<'_, u8>,
        source: Run,
        to: &[Cell<u8>],
        target: Run,
        length: usize,
    ) -> Result<()> {
        let (n, m) = (self.count(from.len()), self.count(to.len()));
        ensure!(source.lies_in(n, length), "{length} elements from {source:?} exceed a tensor of {n}");
        ensure!(target.lies_in(m, length), "{length} elements from {target:?} exceed a tensor of {m}");
        if length == 0 {
            return Ok(());
        }
        match self {
            Width::Bits2 => copy_bits::<2>(from, source, to, target, length),
            Width::Bits4 => copy_bits::<4>(from, source, to, target, length),
            Width::Bytes1 => copy_bytes::<1>(from, source, to, target, length),
            Width::Bytes2 => copy_bytes::<2>(from, source, to, target, length),
            Width::Bytes4 => copy_bytes::<4>(from, source, to, target, length),
            Width::Bytes8 => copy_bytes::<8>(from, source, to, target, length),
            Width::Bytes16 => copy_bytes::<16>(from, source, to, target, length),
        }
        Ok(())
    }

    /// Clears the unused bits of the last byte of packed elements. Call it before `to` is written.
    pub fn clear_rest(self, to: &mut [u8]) {
        self.clear_rest_cells(cells_of(to));
    }

    /// Like [`clear_rest`](Self::clear_rest), for cells.
    pub fn clear_rest_cells(self, to: &[Cell<u8>]) {
        if let (Width::Bits2 | Width::Bits4, Some(last)) = (self, to.last()) {
            last.set(0);
        }
    }

    /// Sets `to[k] = from[nest[k]]` for the positions `k` of the nest, in order, which covers all elements of `to`. The
    /// tensors may overlap; see [`Nest::lead`].
    ///
    /// # Errors
    /// An index is outside a tensor, or the invocation is cancelled.
    pub fn gather(
        self,
        nest: &Nest<1>,
        from: ReadCells<'_, u8>,
        to: &[Cell<u8>],
        pace: &mut Pace<'_, '_>,
    ) -> Result<()> {
        self.clear_rest_cells(to);
        let [step] = nest.run_steps();
        nest.try_each_run(&mut |k, [first], length| {
            self.move_long_run(from, Run { first, step }, to, Run::contiguous(k), length, pace)
        })
    }

    /// Like [`move_run`](Self::move_run), in pieces between which `pace` checks for cancellation.
    ///
    /// # Errors
    /// A run leaves its tensor, or the invocation is cancelled.
    pub fn move_long_run(
        self,
        from: ReadCells<'_, u8>,
        source: Run,
        to: &[Cell<u8>],
        target: Run,
        length: usize,
        pace: &mut Pace<'_, '_>,
    ) -> Result<()> {
        let mut done = 0;
        while done < length {
            let some = (length - done).min(PIECE);
            pace.move_ahead(some)?;
            self.move_run(from, source.from(done), to, target.from(done), some)?;
            done += some;
        }
        Ok(())
    }

    /// Sets `to[nest[k]] = from[k]` for the positions `k` of the nest, in order.
    ///
    /// # Errors
    /// An index is outside a tensor.
    pub fn scatter(self, nest: &Nest<1>, from: &[u8], to: &mut [u8]) -> Result<()> {
        let [step] = nest.run_steps();
        nest.try_each_run(&mut |k, [first], length| {
            self.copy_run(from, Run::contiguous(k), to, Run { first, step }, length)
        })
    }

    /// Sets `to[b] = from[a]` for the positions `[a, b]` of the nest, in order.
    ///
    /// # Errors
    /// An index is outside a tensor.
    pub fn copy(self, nest: &Nest<2>, from: &[u8], to: &mut [u8]) -> Result<()> {
        let [from_step, to_step] = nest.run_steps();
        nest.try_each_run(&mut |_, [source, target], length| {
            let (source, target) =
                (Run { first: source, step: from_step }, Run { first: target, step: to_step });
            self.copy_run(from, source, to, target, length)
        })
    }

    /// Like [`fill`](Self::fill), in pieces between which `pace` checks for cancellation.
    ///
    /// # Errors
    /// The errors of [`fill`](Self::fill), or the invocation is cancelled.
    pub fn fill_long(self, value: &[u8], to: &mut [u8], pace: &mut Pace<'_, '_>) -> Result<()> {
        let bytes = value.len().max(1);
        to.chunks_mut(PIECE.saturating_mul(bytes)).try_for_each(|part| {
            pace.move_ahead(part.len() / bytes)?;
            self.fill(value, part)
        })
    }

    /// Sets all of `to` to one element, whose bytes are `value`.
    ///
    /// # Errors
    /// `value` does not have the size of an element, `to` is not a whole number of elements, or the type is packed.
    pub fn fill(self, value: &[u8], to: &mut [u8]) -> Result<()> {
        self.fill_cells(value, cells_of(to))
    }

    /// Like [`fill`](Self::fill), for cells.
    ///
    /// # Errors
    /// The errors of [`fill`](Self::fill).
    pub fn fill_cells(self, value: &[u8], to: &[Cell<u8>]) -> Result<()> {
        let bytes = value.len();
        ensure!(
            bytes > 0 && self.count(bytes) == 1 && to.len().is_multiple_of(bytes),
            "{bytes} bytes are not an element of {self:?} for a tensor of {} bytes",
            to.len()
        );
        match self {
            Width::Bytes1 => fill_words::<1>(value, to),
            Width::Bytes2 => fill_words::<2>(value, to),
            Width::Bytes4 => fill_words::<4>(value, to),
            Width::Bytes8 => fill_words::<8>(value, to),
            _ => fill_words::<16>(value, to),
        }
        Ok(())
    }
}

/// `S` must be the length of `value`; `fill_cells` checks that.
fn fill_words<const S: usize>(value: &[u8], to: &[Cell<u8>]) {
    if let Ok(value) = <[u8; S]>::try_from(value) {
        word_cells::<S>(to).iter().for_each(|element| element.set(value));
    }
}

/// Both runs must be within their tensors and not empty; `move_run` checks that.
fn copy_bytes<const S: usize>(
    from: ReadCells<'_, u8>,
    source: Run,
    to: &[Cell<u8>],
    target: Run,
    length: usize,
) {
    let (from, to) = (from.words::<S>(), word_cells::<S>(to));
    if source.step == 1 && target.step == 1 {
        from.range(source.first..source.first + length).copy_to(&to[target.first..][..length]);
        return;
    }
    for k in 0..length {
        to[target.at(k)].set(from.get(source.at(k)));
    }
}

/// Like `copy_bytes`, for elements of `BITS` bits. Neighboring elements in the same byte are preserved.
fn copy_bits<const BITS: usize>(
    from: ReadCells<'_, u8>,
    source: Run,
    to: &[Cell<u8>],
    target: Run,
    length: usize,
) {
    let (per_byte, mask) = (8 / BITS, (1u8 << BITS) - 1);
    for k in 0..length {
        let (i, j) = (source.at(k), target.at(k));
        let bits = from.get(i / per_byte) >> (i % per_byte * BITS) & mask;
        let (byte, shift) = (&to[j / per_byte], j % per_byte * BITS);
        byte.set(byte.get() & !(mask << shift) | bits << shift);
    }
}

#[cfg(test)]
mod tests {
    use super::super::indexing::Dims;
    use super::*;

    const FORWARD: Run = Run { first: 0, step: 1 };

    fn reversed(width: Width, from: &[u8], count: usize) -> Vec<u8> {
        let mut to = vec![0; from.len()];
        let back = Run { first: count - 1, step: -1 };
        width.copy_run(from, back, &mut to, FORWARD, count).unwrap();
        to
    }

    #[test]
    fn runs_by_width() {
        let bytes: [u8; 32] = core::array::from_fn(|i| i as u8);
        assert_eq!(reversed(Width::Bytes1, &bytes[..3], 3), [2, 1, 0]);
        assert_eq!(reversed(Width::Bytes2, &bytes[..4], 2), [2, 3, 0, 1]);
        assert_eq!(reversed(Width::Bytes4, &bytes[..8], 2), [4, 5, 6, 7, 0, 1, 2, 3]);
        assert_eq!(reversed(Width::Bytes8, &bytes[..16], 2)[..3], [8, 9, 10]);
        assert_eq!(reversed(Width::Bytes16, &bytes, 2)[15..18], [31, 0, 1]);
        // 1, 2, 3 as 4-bit elements, then as the 2-bit elements 1, 2, 3, 0, 1.
        assert_eq!(reversed(Width::Bits4, &[0x21, 0x03], 3), [0x23, 0x01]);
        assert_eq!(reversed(Width::Bits2, &[0b00_11_10_01, 0b01], 5), [0b10_11_00_01, 0b01]);
    }

    #[test]
    fn packed_elements_preserve_their_neighbors() {
        let mut to = [0xff, 0xff];
        Width::Bits4.copy_run(&[0x42], FORWARD, &mut to, Run::contiguous(1), 2).unwrap();
        assert_eq!(to, [0x2f, 0xf4]);
    }

    #[test]
    fn runs_outside_the_tensor_are_rejected() {
        let mut to = [0; 4];
        for (source, target, length) in [
            (Run::contiguous(0), Run::contiguous(0), 5),
            (Run::contiguous(2), Run::contiguous(0), 3),
            (Run::contiguous(0), Run::contiguous(4), 1),
            (Run { first: 1, step: -1 }, Run::contiguous(0), 3),
            (Run { first: 0, step: isize::MAX }, Run::contiguous(0), 3),
            (Run { first: usize::MAX, step: 1 }, Run::contiguous(0), 1),
        ] {
            assert!(Width::Bytes1.copy_run(&[0; 4], source, &mut to, target, length).is_err(), "{source:?}");
        }
        assert!(Width::Bytes1.copy_run(&[], Run::contiguous(9), &mut [], Run::contiguous(9), 0).is_ok());
    }

    #[test]
    fn nests() {
        let columns = Dims::new(&[3, 2]).unwrap();
        let transposed = Nest::new(&columns, [[1, 3, 0, 0, 0, 0, 0, 0]]);
        let mut to = [0; 6];
        Width::Bytes1
            .gather(&transposed, (&[1, 2, 3, 4, 5, 6][..]).into(), cells_of(&mut to), &mut Pace::unasked())
            .unwrap();
        assert_eq!(to, [1, 4, 2, 5, 3, 6]);
        Width::Bytes1.scatter(&transposed, &to.clone(), &mut to).unwrap();
        assert_eq!(to, [1, 2, 3, 4, 5, 6]);
        assert!(
            Width::Bytes2
                .gather(&transposed, (&[0; 6][..]).into(), cells_of(&mut to), &mut Pace::unasked())
                .is_err()
        );
        let reversed_rows = Nest::new(&columns, [[2, 1, 0, 0, 0, 0, 0, 0], [-2, 1, 0, 0, 0, 0, 0, 0]]);
        let mut turned = [0; 6];
        Width::Bytes1.copy(&reversed_rows.starting_at([0, 4]), &to, &mut turned).unwrap();
        assert_eq!(turned, [5, 6, 3, 4, 1, 2]);
        assert!(Width::Bytes1.copy(&reversed_rows.starting_at([0, 9]), &to, &mut turned).is_err());
        Width::Bytes2.fill(&[7, 8], &mut to).unwrap();
        assert_eq!(to, [7, 8, 7, 8, 7, 8]);
        assert!(Width::Bytes2.fill(&[7], &mut to).is_err());
        assert!(Width::Bytes4.fill(&[7; 4], &mut to).is_err());
    }

    #[test]
    fn types_without_a_size_are_rejected() {
        for ty in ElementType::ALL {
            let fixed = !matches!(ty, ElementType::String | ElementType::Variant);
            assert_eq!(Width::of(*ty).is_ok(), fixed, "{ty}");
        }
        assert_eq!(Width::of(ElementType::Variant).unwrap_err().status(), Status::Unsupported);
    }
}
