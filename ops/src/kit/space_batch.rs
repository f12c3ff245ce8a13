//! SPACE_TO_BATCH_ND and BATCH_TO_SPACE_ND: distribute the pixels of images over a batch of smaller images, and back.
//!
//! ```text
//! images [n, height, width, channels]     batch [block height × block width × n, rows, columns, channels]
//! ```
//! With one coordinate each for height and width, `batch[(v × block width + u) × n + b, i, j] = images[b, i × block
//! height + v − top, j × block width + u − left]`. Images of rank 3 have no width.
//!
//! Defined by: tflite/kernels/{space_to_batch_nd,batch_to_space_nd}.cc and kernels/internal/reference.

use core::marker::PhantomData;

use arenite_abi::prelude::*;

use super::arguments::{Integers, expect_type, expect_vector};
use super::indexing::{Dims, MAX_RANK, Nest};
use super::moves::Width;
use super::node;

/// The parameters of one member of the family, which its op file provides.
pub trait Member: Send + Sync + 'static {
    /// The code of the op.
    const CODE: OpCode;
    /// Whether the op turns images into a batch, or a batch into images.
    const DEALS_OUT: bool;

    /// The byte that fills elements of the padding.
    ///
    /// # Errors
    /// The type is not supported.
    fn filling(x: &TensorView<'_>, y: &TensorView<'_>) -> Result<u8>;

    /// The sizes of the output for an input with `sizes`: images, height, width, channels.
    ///
    /// # Errors
    /// A block size, padding or crop does not fit the input.
    fn sizes(x: &TensorView<'_>, sizes: [i64; 4], arguments: &Arguments) -> Result<[i64; 4]>;
}

plain! {
    /// A prepared node of the family. Inputs: the tensor, the block sizes, and pairs of paddings or crops.
    pub struct SpaceBatch<marker M> {
        /// The loops; `None` if they depend on data.
        plan: Maybe<Plan>,
        filling: u8,
        member: PhantomData<M>,
    }
}

plain! {
    #[derive(Clone, Copy)]
    struct Plan {
        output: Dims,
        blocks: Blocks,
    }
}

impl<M: Member> Op for SpaceBatch<M> {
    const CODE: OpCode = M::CODE;
    const VERSIONS: RangeInclusive<i32> = 1..=4;
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

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
        Ok(SpaceBatch { plan: plan.into(), filling, member: PhantomData })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let x = cx.input(0)?;
        let (plan, y) = match self.plan.get() {
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
        let output = output.ok_or_else(|| invalid!("the output {sizes:?} of {x} is too large"))?;
        let (images, batch) = if M::DEALS_OUT { (&dims, &output) } else { (&output, &dims) };
        Ok(Plan { output, blocks: Blocks::new(images, batch, &arguments) })
    }
}

plain! {
    /// The geometry along height and width; a missing width is 1.
    #[derive(Clone, Copy, Debug)]
    struct Blocks {
        /// Images, height, width, channels.
        images: [usize; 4],
        /// The rows and columns of the small images.
        grid: [usize; 2],
        block: [usize; 2],
        /// The position of the first row and column: padding before the images, or the part of the batch that is
        /// cropped.
        before: [isize; 2],
    }
}

/// The block sizes and the pairs of paddings or crops.
#[derive(Clone, Copy, Debug)]
pub struct Arguments {
    /// One block size for each axis between the first and the last.
    block: [i64; 2],
    /// The padding or crop before and after each of these axes.
    edges: [[i64; 2]; 2],
}

impl Arguments {
    /// The block size and the paddings or crops of each spatial axis: height and width.
    pub fn axes(&self) -> impl Iterator<Item = (usize, i64, [i64; 2])> {
        self.block
            .into_iter()
            .zip(self.edges)
            .enumerate()
            .map(|(axis, (size, edges))| (axis + 1, size, edges))
    }

    /// Checks input `x` and its two lists as far as possible without data.
    fn check(
        x: &TensorView<'_>,
        block: &TensorView<'_>,
        edges: &TensorView<'_>,
        y: &TensorView<'_>,
    ) -> Result<()> {
        node::same_type(x, y)?;
        ensure!(matches!(x.rank(), 3 | 4), "input {x} is {:?}; it must have 3 or 4 dimensions", x.shape);
        if matches!(x.ty, I8 | U8 | I16) {
            node::same_quantization(x, y)?;
        }
        if x.ty == I16 {
            node::no_zero_point(x)?;
        }
        let axes = x.rank() - 2;
        expect_type(block, &[I32])?;
        let count = expect_vector(block)?;
        ensure!(
            count == axes,
            "{block} has {count} numbers, {x} has {axes} spatial axes; there must be one number per axis"
        );
        expect_type(edges, &[I32])?;
        ensure!(
            edges.shape == [axes as i32, 2],
            "{edges} is {:?}; it must be [{axes}, 2] for {x}",
            edges.shape
        );
        Ok(())
    }

    /// Reads the values once they are known.
    fn read(block: &TensorView<'_>, edges: &TensorView<'_>) -> Result<Arguments> {
        let mut arguments = Arguments { block: [1; 2], edges: [[0; 2]; 2] };
        for (axis, &size) in Integers::of(block)?.iter().take(2).enumerate() {
            ensure!(size > 0, "block size {size} of {block} must be positive");
            arguments.block[axis] = size;
        }
        for (to, pair) in arguments.edges.iter_mut().zip(Integers::of(edges)?.chunks_exact(2)) {
            to.copy_from_slice(pair);
        }
        Ok(arguments)
    }
}

/// The sizes of a shape of rank 3 or 4 as four sizes.
fn four(dims: &Dims) -> [usize; 4] {
    match dims.rank() {
        3 => [dims.size(0), dims.size(1), 1, dims.size(2)],
        _ => [dims.size(0), dims.size(1), dims.size(2), dims.size(3)],
    }
}

/// Four sizes as a shape with the rank of `like`.
fn shape([images, height, width, channels]: [i64; 4], like: &Dims) -> Option<Dims> {
    let size = |size| i32::try_from(size).ok();
    match like.rank() {
        3 => Dims::new(&[size(images)?, size(height)?, size(channels)?]),
        _ => Dims::new(&[size(images)?, size(height)?, size(width)?, size(channels)?]),
    }
}

impl Blocks {
    /// The blocks for both shapes.
    fn new(images: &Dims, batch: &Dims, arguments: &Arguments) -> Blocks {
        let [_, rows, columns, _] = four(batch);
        Blocks {
            images: four(images),
            grid: [rows, columns],
            block: arguments.block.map(|size| size as usize),
            before: arguments.edges.map(|[before, _]| before as isize),
        }
    }

    /// Copies the pixels of the images to the batch.
    fn deal_out(&self, width: Width, images: &[u8], batch: &mut [u8]) -> Result<()> {
        self.for_each(|[image, small], loops, [at, small_at]| {
            let nest = Nest::new(&loops, [image, small]).starting_at([at, small_at]);
            width.copy(&nest, images, batch)
        })
    }

    /// Copies the pixels of the batch to the images.
    fn collect(&self, width: Width, batch: &[u8], images: &mut [u8]) -> Result<()> {
        self.for_each(|[image, small], loops, [at, small_at]| {
            let nest = Nest::new(&loops, [small, image]).starting_at([small_at, at]);
            width.copy(&nest, batch, images)
        })
    }

    /// Calls `f(steps in images and batch, loops, first elements)` for every position in a block. Does nothing for
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

    /// The first coordinate in the small images that is inside the images, its coordinate there, and the number of
    /// coordinates that are inside.
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
