//! Ops that rearrange the elements of one input.

use arenite_abi::schema::{DepthToSpaceOptions, SpaceToDepthOptions, StridedSliceOptions};

use super::{ANY, Entry, NONE, elements, entry};
use crate::differential::graph::{Kind, Rule};
use crate::differential::net::Net;
use crate::options::Attributes;

pub const OPS: &[Entry] = &[
    entry("SLICE", ANY, NONE, slice),
    entry("STRIDED_SLICE", ANY, NONE, strided_slice),
    entry("REVERSE_V2", ANY, NONE, reverse),
    entry("TRANSPOSE", ANY, NONE, transpose),
    entry("TRANSPOSE", ANY, NONE, transpose),
    entry("TILE", ANY, NONE, tile),
    entry("BROADCAST_TO", ANY, NONE, broadcast_to),
    entry("DEPTH_TO_SPACE", ANY, NONE, depth_to_space),
    entry("SPACE_TO_DEPTH", ANY, NONE, space_to_depth),
    entry("SPACE_TO_BATCH_ND", ANY, NONE, space_to_batch),
    entry("BATCH_TO_SPACE_ND", ANY, NONE, batch_to_space),
];

fn slice(net: &mut Net, kind: Kind) -> Option<()> {
    let x = net.of_rank(kind.form.ty(), 1);
    let (mut begins, mut sizes, mut shape) = (Vec::new(), Vec::new(), Vec::new());
    for &size in &x.shape {
        let begin = net.random.between(0, (size - 1).max(0));
        let count = net.random.between(size.min(1), size - begin);
        let to_the_end = begin + count == size && net.random.chance(50);
        begins.push(begin);
        sizes.push(if to_the_end { -1 } else { count });
        shape.push(count);
    }
    let inputs = [x.index, net.row(&begins).index, net.row(&sizes).index];
    net.node(kind, &inputs, vec![x.like(shape)], None, Rule::Moves);
    Some(())
}

fn strided_slice(net: &mut Net, kind: Kind) -> Option<()> {
    let x = net.of_rank(kind.form.ty(), 1);
    let (mut lists, mut masks, mut shape) = ([const { Vec::new() }; 3], [0; 3], Vec::new());
    let named = net.random.between(1, x.shape.len() as i32) as usize;
    for (i, &size) in x.shape.iter().enumerate() {
        if i >= named {
            shape.push(size);
            continue;
        }
        let stride: i32 = net.random.pick(&[1, 1, 2, 3, -1, -2]);
        let [first, last] = [0; 2].map(|_: i32| net.random.between(0, (size - 1).max(0)));
        let (begin, end) = if stride > 0 { (first.min(last), first.max(last) + 1) } else { (first, -1) };
        let shrinks = net.random.chance(15) && size > 0;
        let whole = [net.random.chance(20), net.random.chance(20) || stride < 0];
        let start = if whole[0] && !shrinks { if stride > 0 { 0 } else { size - 1 } } else { begin };
        let stop = if whole[1] { if stride > 0 { size } else { -1 } } else { end };
        let count = ((stop - start) * stride.signum() + stride.abs() - 1).max(0) / stride.abs();
        let behind = net.random.chance(15) && begin > 0;
        for (list, number) in lists.iter_mut().zip([if behind { begin - size } else { begin }, end, stride]) {
            list.push(number);
        }
        masks[0] |= i32::from(whole[0] && !shrinks) << i;
        masks[1] |= i32::from(whole[1]) << i;
        masks[2] |= i32::from(shrinks) << i;
        shape.extend((!shrinks).then_some(count));
    }
    let mut inputs = vec![x.index];
    lists.iter().for_each(|list| inputs.push(net.row(list).index));
    let options = Attributes::of(|o| {
        o.set(StridedSliceOptions::BEGIN_MASK, masks[0])
            .set(StridedSliceOptions::END_MASK, masks[1])
            .set(StridedSliceOptions::SHRINK_AXIS_MASK, masks[2])
    });
    net.node(kind, &inputs, vec![x.like(shape)], Some(options), Rule::Moves);
    Some(())
}

fn reverse(net: &mut Net, kind: Kind) -> Option<()> {
    let x = net.of_rank(kind.form.ty(), 1);
    let axis = net.random.below(x.shape.len()) as i32;
    let list = net.row(&[axis]);
    net.node(kind, &[x.index, list.index], vec![x.like(x.shape.clone())], None, Rule::Moves);
    Some(())
}

fn transpose(net: &mut Net, kind: Kind) -> Option<()> {
    let x = net.of_rank(kind.form.ty(), 1);
    let mut order: Vec<i32> = (0..x.shape.len() as i32).collect();
    for i in (1..order.len()).rev() {
        order.swap(i, net.random.below(i + 1));
    }
    let list = net.row(&order);
    let shape = order.iter().map(|&axis| x.shape[axis as usize]).collect();
    net.node(kind, &[x.index, list.index], vec![x.like(shape)], None, Rule::Moves);
    Some(())
}

fn tile(net: &mut Net, kind: Kind) -> Option<()> {
    let x = net.of_rank(kind.form.ty(), 1);
    let times: Vec<i32> = x.shape.iter().map(|_| net.random.pick(&[1, 1, 2, 3])).collect();
    let shape: Vec<i32> = x.shape.iter().zip(&times).map(|(size, times)| size * times).collect();
    if elements(&shape) > 3000 {
        return None;
    }
    let list = net.row(&times);
    net.node(kind, &[x.index, list.index], vec![x.like(shape)], None, Rule::Moves);
    Some(())
}

fn broadcast_to(net: &mut Net, kind: Kind) -> Option<()> {
    let x = net.any(kind.form.ty());
    let mut shape = x.shape.clone();
    for size in shape.iter_mut().filter(|size| **size == 1) {
        *size = net.random.between(1, 4);
    }
    if shape.len() < 5 && net.random.chance(40) {
        shape.insert(0, net.random.between(1, 3));
    }
    if elements(&shape) > 3000 {
        return None;
    }
    let list = net.row(&shape);
    net.node(kind, &[x.index, list.index], vec![x.like(shape)], None, Rule::Moves);
    Some(())
}

/// Images of the pool, or new ones whose channels form blocks.
fn depth_to_space(net: &mut Net, kind: Kind) -> Option<()> {
    let block = net.random.between(1, 3);
    let deep = |shape: &[i32]| shape.len() == 4 && shape[3] % (block * block) == 0;
    let x = net.fitting(kind.form.ty(), deep, |net| {
        let mut shape = net.shape(4);
        shape[3] = block * block * net.random.between(1, 4);
        shape
    });
    let shape = vec![x.shape[0], x.shape[1] * block, x.shape[2] * block, x.shape[3] / (block * block)];
    let options = Attributes::of(|o| o.set(DepthToSpaceOptions::BLOCK_SIZE, block));
    net.node(kind, &[x.index], vec![x.like(shape)], Some(options), Rule::Moves);
    Some(())
}

fn space_to_depth(net: &mut Net, kind: Kind) -> Option<()> {
    let block = net.random.between(1, 3);
    let wide = |shape: &[i32]| shape.len() == 4 && shape[1] % block == 0 && shape[2] % block == 0;
    let x = net.fitting(kind.form.ty(), wide, |net| {
        let (rows, columns) = (net.random.between(1, 3), net.random.between(1, 3));
        vec![net.random.between(1, 2), rows * block, columns * block, net.random.between(1, 9)]
    });
    let shape = vec![x.shape[0], x.shape[1] / block, x.shape[2] / block, x.shape[3] * block * block];
    let options = Attributes::of(|o| o.set(SpaceToDepthOptions::BLOCK_SIZE, block));
    net.node(kind, &[x.index], vec![x.like(shape)], Some(options), Rule::Moves);
    Some(())
}

/// Block sizes along height and width, and the padding: enough for whole blocks, and sometimes one more in front.
fn space_to_batch(net: &mut Net, kind: Kind) -> Option<()> {
    let x = net.images(kind.form.ty());
    let (mut blocks, mut pads, mut shape) = (Vec::new(), Vec::new(), x.shape.clone());
    for size in &mut shape[1..3] {
        let (block, before) = (net.random.between(1, 3), net.random.between(0, 1));
        let padded = (*size + before + block - 1) / block * block;
        pads.extend([before, padded - *size - before]);
        blocks.push(block);
        *size = padded / block;
    }
    shape[0] *= blocks.iter().product::<i32>();
    let inputs = [x.index, net.row(&blocks).index, net.list(&[2, 2], &pads).index];
    net.node(kind, &inputs, vec![x.like(shape)], None, Rule::Moves);
    Some(())
}

/// Images of the pool, or new ones whose number is a multiple of the block size; they are merged and cropped.
fn batch_to_space(net: &mut Net, kind: Kind) -> Option<()> {
    let blocks = [net.random.between(1, 3), net.random.between(1, 3)];
    let places = blocks[0] * blocks[1];
    let dealt = |shape: &[i32]| shape.len() == 4 && shape[0] % places == 0;
    let x = net.fitting(kind.form.ty(), dealt, |net| {
        let (rows, columns) = (net.random.between(1, 3), net.random.between(1, 3));
        vec![places * net.random.between(1, 2), rows, columns, net.random.between(1, 9)]
    });
    let (mut crops, mut shape) = (Vec::new(), x.shape.clone());
    shape[0] /= places;
    for (size, block) in shape[1..3].iter_mut().zip(blocks) {
        *size *= block;
        let before = net.random.between(0, (*size - 1).clamp(0, 2));
        let after = net.random.between(0, (*size - before - 1).clamp(0, 1));
        crops.extend([before, after]);
        *size -= before + after;
    }
    let inputs = [x.index, net.row(&blocks).index, net.list(&[2, 2], &crops).index];
    net.node(kind, &inputs, vec![x.like(shape)], None, Rule::Moves);
    Some(())
}
