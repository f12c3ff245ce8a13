//! Code that the ops of TensorFlow Lite Micro's signal library share: checks, and queues of samples that persist
//! between invocations.

use core::cell::Cell;
use core::ops::RangeInclusive;

use arenite_abi::prelude::*;

use super::custom_options::CustomOptions;

/// Checks the element type of `x`.
///
/// # Errors
/// `x` has another type.
pub fn expect(x: &TensorView<'_>, ty: ElementType) -> Result<()> {
    ensure!(x.ty == ty, "{x} is {}; it must be {ty}", x.ty);
    Ok(())
}

/// Checks that `x` is a vector of this type, and returns its length.
///
/// # Errors
/// It has another type or rank.
pub fn expect_list(x: &TensorView<'_>, ty: ElementType) -> Result<usize> {
    expect(x, ty)?;
    ensure!(x.rank() == 1, "{x} is {:?}; it must have one axis", x.shape);
    Ok(x.len())
}

/// The option `key`, an integer in `range`.
///
/// # Errors
/// The option is missing, has another type, or is out of range.
pub fn option_in(options: &CustomOptions<'_>, key: &str, range: RangeInclusive<i32>) -> Result<i32> {
    let value = options.i32(key)?;
    ensure!(
        range.contains(&value),
        "option '{key}' is {value}; it must be {} to {}",
        range.start(),
        range.end()
    );
    Ok(value)
}

/// Checks that the option T, one of the schema's type numbers, matches the type of `x` if it is present.
///
/// # Errors
/// They differ.
pub fn check_type(node: &NodeView<'_>, x: &TensorView<'_>) -> Result<()> {
    let stated = match CustomOptions::of(node).optional("T")? {
        Some(value) => value.as_i32()?,
        None => return Ok(()),
    };
    ensure!(
        stated == x.ty as i32,
        "option 'T' is {stated}, {x} is {}, number {}; they must agree",
        x.ty,
        x.ty as i32
    );
    Ok(())
}

/// The size of the last axis of `x`, and the other axes.
///
/// # Errors
/// `x` is a scalar, or its last axis is empty.
pub fn last_axis<'a>(x: &TensorView<'a>) -> Result<(usize, &'a [i32])> {
    match x.shape {
        [others @ .., last] if *last > 0 => Ok((*last as usize, others)),
        _ => Err(invalid!("{x} is {:?}; its last axis must hold samples", x.shape)),
    }
}

/// A shape made of `others` and additional axes.
#[derive(Clone, Copy)]
pub struct Shape {
    axes: [i32; 8],
    rank: usize,
}

impl Shape {
    /// The axes `others`, then `more`.
    ///
    /// # Errors
    /// There are too many axes.
    pub fn new(others: &[i32], more: &[i32]) -> Result<Shape> {
        let (mut axes, rank) = ([0; 8], others.len() + more.len());
        ensure!(rank <= axes.len(), "{rank} axes are too many");
        for (to, &from) in axes.iter_mut().zip(others.iter().chain(more)) {
            *to = from;
        }
        Ok(Shape { axes, rank })
    }

    /// The sizes of all axes.
    pub fn as_slice(&self) -> &[i32] {
        &self.axes[..self.rank]
    }
}

/// Buffered samples, the oldest first.
pub struct Queue<'a> {
    cells: &'a [Cell<i16>],
    count: usize,
}

impl<'a> Queue<'a> {
    /// A queue that holds the first `count` of `cells`.
    pub fn new(cells: &'a [Cell<i16>], count: usize) -> Self {
        Queue { cells, count: count.min(cells.len()) }
    }

    /// The number of buffered samples.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether the queue is empty.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Appends samples. Samples that do not fit are dropped.
    pub fn push(&mut self, samples: &[i16]) {
        for (cell, &sample) in self.cells[self.count..].iter().zip(samples) {
            cell.set(sample);
            self.count += 1;
        }
    }

    /// Writes the oldest samples to `to`.
    pub fn copy_to(&self, to: &mut [i16]) {
        to.iter_mut().zip(&self.cells[..self.count]).for_each(|(to, cell)| *to = cell.get());
    }

    /// Drops the oldest `count` samples.
    pub fn discard(&mut self, count: usize) {
        let count = count.min(self.count);
        for (to, from) in self.cells.iter().zip(&self.cells[count..self.count]) {
            to.set(from.get());
        }
        self.count -= count;
    }
}

/// The position of the most significant bit of `x`, counted from 1; 32 for 0.
pub fn most_significant_bit(x: u32) -> u32 {
    if x == 0 { 32 } else { 32 - x.leading_zeros() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queue() {
        let cells = [const { Cell::new(9) }; 4];
        let mut queue = Queue::new(&cells, 0);
        assert!(queue.is_empty());
        queue.push(&[1, 2, 3]);
        queue.discard(1);
        queue.push(&[4, 5, 6]);
        assert_eq!(queue.len(), 4);
        let mut samples = [0; 3];
        queue.copy_to(&mut samples);
        assert_eq!(samples, [2, 3, 4]);
        queue.discard(9);
        assert_eq!(queue.len(), 0);
    }
}
