//! Pixels of images dealt out to a batch of smaller images, and back.
//!
//! ```text
//! images [n, height, width, channels]     batch [block height × block width × n, rows, columns, channels]
//! ```
//! With one coordinate for height and width each,
//! `batch[(v × block width + u) × n + b, i, j] = images[b, i × block height + v − top, j × block width + u − left]`.
//! Images of rank 3 have no width.
//!
//! Defined by: tflite/kernels/{space_to_batch_nd,batch_to_space_nd}.cc and kernels/internal/reference.

use core::marker::PhantomData;

use arenite_abi::prelude::*;

use super::arguments::{Integers, expect_type, expect_vector};
use super::indexing::{Dims, MAX_RANK, Nest};
use super::moves::Width;
use super::node;

/// A member of the family: what its op file says of it.
pub trait Member: Send + Sync + 'static {
    /// The op.
    const CODE: OpCode;
    /// Whether images become a batch, or a batch images.
    const DEALS_OUT: bool;

    /// The byte that elements consist of which come from nowhere. An error for types that are not served.
    fn filling(x: &TensorView<'_>, y: &TensorView<'_>) -> Result<u8>;

    /// Sizes of the output for `sizes` of the input: images, height, width, channels.
    fn sizes(x: &TensorView<'_>, sizes: [i64; 4], arguments: &Arguments) -> Result<[i64; 4]>;
}

/// Prepared node of a member. Inputs: the tensor, the block sizes, and pairs of paddings or crops.
pub struct SpaceBatch<M> {
    /// Known in `prepare` unless it depends on data.
    plan: Option<Plan>,
    filling: u8,
    member: PhantomData<M>,
}

#[derive(Clone, Copy)]
struct Plan {
    output: Dims,
    blocks: Blocks,
}

impl<M: Member> Op for SpaceBatch<M> {
    const CODE: OpCode = M::CODE;
    const VERSIONS: RangeInclusive<i32> = 1..=4;

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        node.expect(3..=3, 1..=1)?;
        let (x, block, edges, y) = (node.input(0)?, node.input(1)?, node.input(2)?, node.output(0)?);
        Arguments::check(&x, &block, &edges, &y)?;
        Width::of(x.ty)?;
        let filling = M::filling(&x, &y)?;
        let known = block.is_constant() && edges.is_constant();
        let plan = if known { Some(Plan::new::<M>(&x, &block, &edges)?) } else { None };
        match &plan {
            Some(plan) => cx.set_output_shape(0, plan.output.as_slice())?,
            None => cx.set_output_dynamic(0)?,
        }
        Ok(SpaceBatch { plan, filling, member: PhantomData })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let x = cx.input(0)?;
        let (plan, y) = match self.plan {
            Some(plan) => (plan, cx.output(0)?),
            None => {
                let plan = Plan::new::<M>(&x, &cx.input(1)?, &cx.input(2)?)?;
                (plan, cx.resize_output(0, plan.output.as_slice())?)
            }
        };
        let (width, to) = (Width::of(x.ty)?, y.into_bytes());
        to.fill(self.filling);
        match M::DEALS_OUT {
            true => plan.blocks.deal_out(width, x.bytes(), to),
            false => plan.blocks.collect(width, x.bytes(), to),
        }
    }
}

impl Plan {
    fn new<M: Member>(x: &TensorView<'_>, block: &TensorView<'_>, edges: &TensorView<'_>) -> Result<Plan> {
        let (dims, arguments) = (node::dims(x)?, Arguments::read(block, edges)?);
        let sizes = M::sizes(x, four(&dims).map(|size| size as i64), &arguments)?;
        let output = shape(sizes, &dims);
        let output = output.ok_or_else(|| invalid!("the output {sizes:?} of '{}' is too large", x.name))?;
        let (images, batch) = if M::DEALS_OUT { (&dims, &output) } else { (&output, &dims) };
        Ok(Plan { output, blocks: Blocks::new(images, batch, &arguments) })
    }
}

/// The geometry: of height and width, or of height and a width of 1.
#[derive(Clone, Copy, Debug)]
struct Blocks {
    /// Images, height, width, channels.
    images: [usize; 4],
    /// Rows and columns of the small images.
    grid: [usize; 2],
    block: [usize; 2],
    /// What lies before the first row and column: padding of the images, or crops of what the batch holds.
    before: [isize; 2],
}

/// Block sizes and pairs of paddings or crops.
#[derive(Clone, Copy, Debug)]
pub struct Arguments {
    /// One for each axis between the first and the last.
    block: [i64; 2],
    /// Before and after each such axis.
    edges: [[i64; 2]; 2],
}

impl Arguments {
    /// Block size, and paddings or crops, of each axis of space: height and width.
    pub fn axes(&self) -> impl Iterator<Item = (usize, i64, [i64; 2])> {
        self.block
            .into_iter()
            .zip(self.edges)
            .enumerate()
            .map(|(axis, (size, edges))| (axis + 1, size, edges))
    }

    /// Checks what is known without their data: input `x` and its two lists.
    fn check(
        x: &TensorView<'_>,
        block: &TensorView<'_>,
        edges: &TensorView<'_>,
        y: &TensorView<'_>,
    ) -> Result<()> {
        ensure!(x.ty == y.ty, "input '{}' is {}, output is {}", x.name, x.ty, y.ty);
        ensure!(
            matches!(x.rank(), 3 | 4),
            "input '{}' is {:?}; it must have 3 or 4 dimensions",
            x.name,
            x.shape
        );
        if matches!(x.ty, I8 | U8 | I16) {
            node::same_quantization(x, y)?;
        }
        if x.ty == I16 {
            node::no_zero_point(x)?;
        }
        let axes = x.rank() - 2;
        expect_type(block, &[I32])?;
        let count = expect_vector(block)?;
        ensure!(count == axes, "'{}' has {count} numbers, '{}' has {axes} axes of space", block.name, x.name);
        expect_type(edges, &[I32])?;
        ensure!(
            edges.shape == [axes as i32, 2],
            "'{}' is {:?}; it must be [{axes}, 2] for '{}'",
            edges.name,
            edges.shape,
            x.name
        );
        Ok(())
    }

    /// Their values, when they are known.
    fn read(block: &TensorView<'_>, edges: &TensorView<'_>) -> Result<Arguments> {
        let mut arguments = Arguments { block: [1; 2], edges: [[0; 2]; 2] };
        for (axis, &size) in Integers::of(block)?.iter().take(2).enumerate() {
            ensure!(size > 0, "block size {size} of '{}' must be positive", block.name);
            arguments.block[axis] = size;
        }
        for (to, pair) in arguments.edges.iter_mut().zip(Integers::of(edges)?.chunks_exact(2)) {
            to.copy_from_slice(pair);
        }
        Ok(arguments)
    }
}

/// Sizes of rank 3 or 4 as four.
fn four(dims: &Dims) -> [usize; 4] {
    match dims.rank() {
        3 => [dims.size(0), dims.size(1), 1, dims.size(2)],
        _ => [dims.size(0), dims.size(1), dims.size(2), dims.size(3)],
    }
}

/// Four sizes as a shape of the rank that `like` has.
fn shape([images, height, width, channels]: [i64; 4], like: &Dims) -> Option<Dims> {
    let size = |size| i32::try_from(size).ok();
    match like.rank() {
        3 => Dims::new(&[size(images)?, size(height)?, size(channels)?]),
        _ => Dims::new(&[size(images)?, size(height)?, size(width)?, size(channels)?]),
    }
}

impl Blocks {
    /// Both shapes, and their blocks.
    fn new(images: &Dims, batch: &Dims, arguments: &Arguments) -> Blocks {
        let [_, rows, columns, _] = four(batch);
        Blocks {
            images: four(images),
            grid: [rows, columns],
            block: arguments.block.map(|size| size as usize),
            before: arguments.edges.map(|[before, _]| before as isize),
        }
    }

    /// The batch gets what it holds of the images.
    fn deal_out(&self, width: Width, images: &[u8], batch: &mut [u8]) -> Result<()> {
        self.for_each(|[image, small], loops, [at, small_at]| {
            let nest = Nest::new(&loops, [image, small]).starting_at([at, small_at]);
            width.copy(&nest, images, batch)
        })
    }

    /// The images get what the batch holds of them.
    fn collect(&self, width: Width, batch: &[u8], images: &mut [u8]) -> Result<()> {
        self.for_each(|[image, small], loops, [at, small_at]| {
            let nest = Nest::new(&loops, [small, image]).starting_at([small_at, at]);
            width.copy(&nest, batch, images)
        })
    }

    /// Calls `f(steps in images and batch, loops, first elements)` for every place in a block. It takes nothing from
    /// empty tensors, whose blocks may have any size.
    fn for_each(
        &self,
        mut f: impl FnMut([[isize; MAX_RANK]; 2], Dims, [isize; 2]) -> Result<()>,
    ) -> Result<()> {
        let ([count, _, width, channels], [rows, columns]) = (self.images, self.grid);
        if self.images.contains(&0) || self.grid.contains(&0) {
            return Ok(());
        }
        let row = (width * channels) as isize;
        let small = rows * columns * channels;
        let image_steps = [
            self.images[1] as isize * row,
            self.block[0] as isize * row,
            (self.block[1] * channels) as isize,
            1,
        ];
        let small_steps = [small as isize, (columns * channels) as isize, channels as isize, 1];
        for place in 0..self.block[0] * self.block[1] {
            let shift = [place / self.block[1], place % self.block[1]];
            let [(i, y, used_rows), (j, x, used_columns)] =
                [self.along(0, shift[0]), self.along(1, shift[1])];
            let sizes = [count, used_rows, used_columns, channels].map(|size| size as i32);
            let loops = Dims::new(&sizes).ok_or_else(|| invalid!("{sizes:?} is too large"))?;
            let first = y as isize * row + (x * channels) as isize;
            let small_first = place * count * small + (i * columns + j) * channels;
            f([padded(image_steps), padded(small_steps)], loops, [first, small_first as isize])?;
        }
        Ok(())
    }

    /// First coordinate in the small images that lies in the images, its coordinate there, and the number of such.
    fn along(&self, axis: usize, shift: usize) -> (usize, usize, usize) {
        let (block, size) = (self.block[axis] as isize, self.images[1 + axis] as isize);
        let offset = shift as isize - self.before[axis];
        let first = (-offset).max(0).unsigned_abs().div_ceil(self.block[axis]);
        let end = if size > offset { ((size - offset) as usize).div_ceil(self.block[axis]) } else { 0 };
        let count = end.min(self.grid[axis]).saturating_sub(first);
        (first, (first as isize * block + offset).max(0) as usize, count)
    }
}

fn padded(steps: [isize; 4]) -> [isize; MAX_RANK] {
    let mut all = [0; MAX_RANK];
    all[..4].copy_from_slice(&steps);
    all
}
