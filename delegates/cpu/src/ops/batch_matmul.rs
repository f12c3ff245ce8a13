//! BATCH_MATMUL: f32, products of matrices that are both known at run time only; batches broadcast.

use arenite_abi::prelude::*;
use arenite_abi::schema::BatchMatMulOptions;

use super::{Build, Layer, Source, expect_elements};
use crate::kernels::turn::Turn;
use crate::net::Node;
use crate::program::Step;
use crate::steps::matmul_f32::{MatMulF32, Sizes, View};
use crate::steps::post::Post;

/// Products of matrices.
pub struct BatchMatmul<'a> {
    /// Of the matrices.
    pub sizes: Sizes,
    /// Per product, the matrices of the first and of the second input.
    pub batches: Vec<[usize; 2]>,
    /// Of both inputs and the output, whose matrices are the products.
    pub views: [View; 3],
    /// What is added to each row of a product.
    pub bias: Option<&'a [f32]>,
    /// What is done to results while they are in the cache.
    pub posts: Vec<Post>,
}

/// Lowers BATCH_MATMUL.
pub fn lower<'a>(x: &Source<'_, 'a>) -> Result<Node<'a>> {
    x.expect_f32(2)?;
    let ((a, _), (b, _), (output, _)) = (x.input(0)?, x.input(1)?, x.output(0)?);
    let (sizes, batches) = shape(x)?;
    let turned = x.node.options()?.get(BatchMatMulOptions::ADJ_X)?;
    let layer = BatchMatmul::new(sizes, turned, batches);
    Ok(Node::new(Layer::BatchMatmul(layer), vec![a, b], vec![output]))
}

/// The sizes of a BATCH_MATMUL's products, and per product the matrices of both inputs.
pub fn shape(x: &Source<'_, '_>) -> Result<(Sizes, Vec<[usize; 2]>)> {
    let ((_, a), (_, b), (_, y)) = (x.input(0)?, x.input(1)?, x.output(0)?);
    for value in [a, b, y] {
        expect_elements(value)?;
    }
    let options = x.node.options()?;
    let (turn_a, turn_b) = (options.get(BatchMatMulOptions::ADJ_X)?, options.get(BatchMatMulOptions::ADJ_Y)?);
    let (Some((a_batch, &[a0, a1])), Some((b_batch, &[b0, b1])), Some((batch, &[y_rows, columns]))) =
        (a.shape.split_last_chunk::<2>(), b.shape.split_last_chunk::<2>(), y.shape.split_last_chunk::<2>())
    else {
        return Err(unsupported!("matrices of shapes {:?} and {:?}", a.shape, b.shape));
    };
    let (rows, depth) = if turn_a { (a1, a0) } else { (a0, a1) };
    let (b_depth, b_columns) = if turn_b { (b1, b0) } else { (b0, b1) };
    ensure!(
        b_depth == depth && b_columns == columns && y_rows == rows,
        "matrices of shapes {:?} and {:?} do not give {:?}",
        a.shape,
        b.shape,
        y.shape
    );
    let batches = broadcast(a_batch, b_batch, batch)
        .ok_or_else(|| unsupported!("batches {a_batch:?} and {b_batch:?} do not give {batch:?}"))?;
    Ok((Sizes { rows, depth, columns, turned: turn_b }, batches))
}

/// For each index of `batch`, those of the operands.
fn broadcast(a: &[usize], b: &[usize], batch: &[usize]) -> Option<Vec<[usize; 2]>> {
    let mut list = vec![[0, 0]];
    let mut strides = [1, 1];
    for i in 0..batch.len() {
        let of = |shape: &[usize]| shape.len().checked_sub(i + 1).map_or(1, |i| shape[i]);
        let (size, sizes) = (batch[batch.len() - 1 - i], [of(a), of(b)]);
        if sizes.iter().any(|&s| s != size && s != 1) {
            return None;
        }
        let step = [0, 1].map(|o| if sizes[o] == size { strides[o] } else { 0 });
        let inner = std::mem::take(&mut list);
        for k in 0..size {
            list.extend(inner.iter().map(|at| [at[0] + k * step[0], at[1] + k * step[1]]));
        }
        strides = [strides[0] * sizes[0], strides[1] * sizes[1]];
    }
    (a.len() <= batch.len() && b.len() <= batch.len()).then_some(list)
}

impl BatchMatmul<'_> {
    /// Products of matrices that lie one after the other; whether the first ones are stored transposed.
    pub fn new(sizes: Sizes, turned: bool, batches: Vec<[usize; 2]>) -> Self {
        let Sizes { rows, depth, columns, .. } = sizes;
        let matrices = |i: usize| batches.iter().map(|batch| batch[i] + 1).max().unwrap_or(0);
        let view = |count: usize, rows: usize, columns: usize, turned: bool| match turned {
            true => View::whole(count, columns, rows).turned(),
            false => View::whole(count, rows, columns),
        };
        let views = [
            view(matrices(0), rows, depth, turned),
            view(matrices(1), depth, columns, sizes.turned),
            view(batches.len(), rows, columns, false),
        ];
        BatchMatmul { sizes, batches, views, bias: None, posts: Vec::new() }
    }

    /// The step.
    pub fn build(&self, node: &Node<'_>, build: &Build) -> Result<Box<dyn Step>> {
        Ok(Box::new(MatMulF32 {
            gemm: build.f32_gemm,
            map: build.f32_map,
            turn: Turn::words(build.isa),
            sizes: self.sizes,
            batches: self.batches.clone(),
            views: self.views.clone(),
            bias: self.bias.map_or(Vec::new(), <[f32]>::to_vec),
            posts: self.posts.clone(),
            inputs: [node.inputs[0], node.inputs[1]],
            output: node.outputs[0],
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::broadcast;

    #[test]
    fn batches_broadcast() {
        assert_eq!(broadcast(&[], &[], &[]), Some(vec![[0, 0]]));
        assert_eq!(broadcast(&[2], &[2], &[2]), Some(vec![[0, 0], [1, 1]]));
        assert_eq!(
            broadcast(&[2, 1], &[3], &[2, 3]),
            Some(vec![[0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [1, 2]])
        );
        assert_eq!(broadcast(&[2], &[3], &[3]), None);
        assert_eq!(broadcast(&[1, 2], &[2], &[2]), None);
    }
}
