//! Tasks: kernels with their arguments, and the memory that they use.

use std::iter;

use arenite_abi::prelude::*;

use crate::device::{Definition, Kernel};
use crate::kernels::{Call, Number};
use crate::store::layout::Layout;
use crate::store::precision::Precision;
use crate::work_groups::Extent;

/// A buffer on the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Buffer {
    /// A record, which is placed in a shared object.
    Record(usize),
    /// A constant.
    Constant(usize),
}

/// The place of a value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StoredValue {
    /// Its buffer; it starts at offset 0.
    pub buffer: Buffer,
    /// Its layout.
    pub layout: Layout,
    /// Its precision.
    pub precision: Precision,
}

/// An argument of a kernel.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Argument {
    /// Memory.
    Buffer(Buffer),
    /// A number.
    Number(i32),
}

/// A kernel with its arguments.
pub(crate) struct Task {
    /// The kernel.
    pub kernel: Kernel,
    /// The arguments, in the order of the parameters.
    pub arguments: Vec<Argument>,
    /// Work-items.
    pub grid: Extent,
    /// An upper bound of the iterations of a work-item's loops.
    pub iterations: u64,
}

impl Task {
    /// The task of a kernel without an epilogue, which writes to `to`.
    ///
    /// # Errors
    /// If a number or the grid is too large for the device.
    pub(crate) fn new(
        call: impl Into<Call<Buffer>>,
        to: Buffer,
        definitions: Vec<Definition>,
        grid: [usize; 3],
    ) -> Result<Task> {
        let Call { kernel, buffers, numbers, iterations } = call.into();
        let mut arguments: Vec<Argument> = iter::once(to).chain(buffers).map(Argument::Buffer).collect();
        for number in numbers {
            arguments.push(Argument::Number(match number {
                Number::Count(n) => {
                    i32::try_from(n).map_err(|_| unsupported!("a kernel cannot count to {n}"))?
                }
                Number::Bits(bits) => bits as i32,
            }));
        }
        let mut extent = [1; 3];
        for (to, size) in extent.iter_mut().zip(grid) {
            *to = u32::try_from(size).map_err(|_| unsupported!("a grid of {size} is too large"))?;
        }
        let kernel = Kernel { name: kernel, definitions, epilogue: None };
        Ok(Task { kernel, arguments, grid: extent, iterations })
    }
}

/// A step on the device.
pub(crate) enum Item {
    /// A kernel runs.
    Task(Task),
    /// A record is filled with zeros.
    Clear(usize),
}

/// The items during which memory is live. Items count from 1; 0 precedes all items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Lifetime {
    /// The first item that uses it.
    pub first: usize,
    /// The last item that uses it.
    pub last: usize,
}

/// Memory that is live for a range of items.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Record {
    /// Its size in words.
    pub words: usize,
    /// When it is live.
    pub life: Lifetime,
}
