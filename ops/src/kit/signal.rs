//! What the ops of TensorFlow Lite Micro's signal library share: checks, and queues of samples that outlive a call.

use core::cell::Cell;
use core::ops::RangeInclusive;

use arenite_abi::prelude::*;

use super::custom_options::CustomOptions;

/// Checks the element type of `x`.
pub fn expect(x: &TensorView<'_>, ty: ElementType) -> Result<()> {
    ensure!(x.ty == ty, "'{}' is {}; it must be {ty}", x.name, x.ty);
    Ok(())
}

/// Checks that `x` is a list of elements of this type; gives their number.
pub fn expect_list(x: &TensorView<'_>, ty: ElementType) -> Result<usize> {
    expect(x, ty)?;
    ensure!(x.rank() == 1, "'{}' is {:?}; it must have one axis", x.name, x.shape);
    Ok(x.len())
}

/// The option `key`, an integer in `range`.
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

/// The option T, a number of the schema's, if it is there, says the type of `x`.
pub fn check_type(node: &NodeView<'_>, x: &TensorView<'_>) -> Result<()> {
    let stated = match CustomOptions::of(node).optional("T")? {
        Some(value) => value.as_i32()?,
        None => return Ok(()),
    };
    ensure!(
        stated == x.ty as i32,
        "option 'T' is {stated}, '{}' is {}, number {}",
        x.name,
        x.ty,
        x.ty as i32
    );
    Ok(())
}

/// The last axis of `x`, and the others.
pub fn last_axis<'a>(x: &TensorView<'a>) -> Result<(usize, &'a [i32])> {
    match x.shape {
        [others @ .., last] if *last > 0 => Ok((*last as usize, others)),
        _ => Err(invalid!("'{}' is {:?}; its last axis must hold samples", x.name, x.shape)),
    }
}

/// A shape of `others` and more axes.
#[derive(Clone, Copy)]
pub struct Shape {
    axes: [i32; 8],
    rank: usize,
}

impl Shape {
    /// `others`, then `more`.
    pub fn new(others: &[i32], more: &[i32]) -> Result<Shape> {
        let (mut axes, rank) = ([0; 8], others.len() + more.len());
        ensure!(rank <= axes.len(), "{rank} axes are too many");
        for (to, &from) in axes.iter_mut().zip(others.iter().chain(more)) {
            *to = from;
        }
        Ok(Shape { axes, rank })
    }

    /// The sizes.
    pub fn as_slice(&self) -> &[i32] {
        &self.axes[..self.rank]
    }
}

/// Samples that wait, the oldest first.
pub struct Queue<'a> {
    cells: &'a [Cell<i16>],
    count: usize,
}

impl<'a> Queue<'a> {
    /// The first `count` of `cells`.
    pub fn new(cells: &'a [Cell<i16>], count: usize) -> Self {
        Queue { cells, count: count.min(cells.len()) }
    }

    /// How many wait.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether none waits.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// More samples. What does not fit is lost.
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

    /// Drops the `count` oldest.
    pub fn discard(&mut self, count: usize) {
        let count = count.min(self.count);
        for (to, from) in self.cells.iter().zip(&self.cells[count..self.count]) {
            to.set(from.get());
        }
        self.count -= count;
    }
}

/// Where the most significant bit of `x` is, from 1; that of nothing is 32.
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
