//! Concatenation, splitting, padding, lookups, reshapes.

use arenite::ElementType::{self, F32, I2, I4, I8, I32, I64};
use arenite_abi::schema::{
    ConcatenationOptions, GatherOptions, MirrorPadOptions, PackOptions, ReshapeOptions, SplitOptions,
    SplitVOptions, SqueezeOptions, UnpackOptions,
};

use super::{ANY, Entry, LONG, NONE, REAL, SHORT, SIGNED, TRUTH, UNSIGNED, WHOLE, elements, entry};
use crate::differential::graph::Form::Hybrid;
use crate::differential::graph::{Feed, Form, Kind, Rule};
use crate::differential::net::{Net, Value};
use crate::options::Attributes;

/// The types that the reference ops can pad.
const PADDED: &[Form] = &[REAL, SIGNED, UNSIGNED, SHORT, WHOLE, LONG];

pub const OPS: &[Entry] = &[
    entry("CONCATENATION", ANY, NONE, concatenation),
    entry("PACK", ANY, NONE, pack),
    entry("UNPACK", ANY, NONE, unpack),
    entry("SPLIT", ANY, NONE, split),
    entry("SPLIT_V", ANY, NONE, split),
    entry("PAD", PADDED, NONE, pad),
    entry("PADV2", PADDED, NONE, pad),
    entry("MIRROR_PAD", ANY, NONE, pad),
    entry("GATHER", ANY, NONE, gather),
    entry("GATHER_ND", ANY, NONE, gather_nd),
    entry("SCATTER_ND", &[REAL, WHOLE, LONG], &[SIGNED, TRUTH], scatter_nd),
    entry("EMBEDDING_LOOKUP", &[REAL, SIGNED, Hybrid(I8), Hybrid(I4), Hybrid(I2)], &[WHOLE], embedding),
    entry("RESHAPE", ANY, NONE, reshape),
    entry("SQUEEZE", ANY, NONE, squeeze),
    entry("EXPAND_DIMS", ANY, NONE, expand),
];

/// An axis for this rank, counted from the front or from the back.
fn axis(net: &mut Net, rank: usize) -> (usize, i32) {
    let axis = net.random.below(rank);
    let named = if net.random.chance(25) { axis as i32 - rank as i32 } else { axis as i32 };
    (axis, named)
}

fn concatenation(net: &mut Net, kind: Kind) -> Option<()> {
    let first = net.of_rank(kind.form.ty(), 1);
    let (axis, named) = axis(net, first.shape.len());
    let mut parts = vec![first.clone()];
    let beside = |shape: &[i32]| {
        let other = |(i, (a, b)): (usize, (&i32, &i32))| i == axis || a == b;
        shape.len() == first.shape.len() && shape.iter().zip(&first.shape).enumerate().all(other)
    };
    for _ in 0..net.random.below(3) {
        let other = |net: &mut Net| {
            let mut shape = first.shape.clone();
            shape[axis] = net.random.between(0, 5);
            shape
        };
        let part = match first.quant {
            // Quantized tensors must have one quantization, so the same tensor is used again.
            Some(_) if net.random.chance(80) => first.clone(),
            _ => net.fitting(first.ty, beside, other),
        };
        parts.push(part);
    }
    let mut shape = first.shape.clone();
    shape[axis] = parts.iter().map(|part| part.shape[axis]).sum();
    let inputs: Vec<i32> = parts.iter().map(|part| part.index).collect();
    let fused = if net.random.chance(3) { 1 } else { 0 };
    let options = Attributes::of(|o| {
        o.set(ConcatenationOptions::AXIS, named).set(ConcatenationOptions::FUSED_ACTIVATION_FUNCTION, fused)
    });
    net.node(kind, &inputs, vec![first.like(shape)], Some(options), Rule::Moves);
    Some(())
}

fn pack(net: &mut Net, kind: Kind) -> Option<()> {
    let first = net.any(kind.form.ty());
    let rank = first.shape.len() + 1;
    let (axis, named) = axis(net, rank);
    let count = net.random.between(1, 3);
    let mut inputs = vec![first.index];
    for _ in 1..count {
        let same = net.random.chance(50) || first.quant.is_some();
        let other = |net: &mut Net| net.fitting(first.ty, |s| s == first.shape, |_| first.shape.clone());
        inputs.push(if same { first.index } else { other(net).index });
    }
    let mut shape = first.shape.clone();
    shape.insert(axis, count);
    let options = Attributes::of(|o| o.set(PackOptions::VALUES_COUNT, count).set(PackOptions::AXIS, named));
    net.node(kind, &inputs, vec![first.like(shape)], Some(options), Rule::Moves);
    Some(())
}

fn unpack(net: &mut Net, kind: Kind) -> Option<()> {
    let x = net.of_rank(kind.form.ty(), 1);
    let (axis, named) = axis(net, x.shape.len());
    let count = Some(x.shape[axis]).filter(|count| (1..=6).contains(count))?;
    let mut shape = x.shape.clone();
    shape.remove(axis);
    let options = Attributes::of(|o| o.set(UnpackOptions::NUM, count).set(UnpackOptions::AXIS, named));
    let results = (0..count).map(|_| x.like(shape.clone())).collect();
    net.node(kind, &[x.index], results, Some(options), Rule::Moves);
    Some(())
}

fn split(net: &mut Net, kind: Kind) -> Option<()> {
    let x = net.of_rank(kind.form.ty(), 1);
    let (axis, named) = axis(net, x.shape.len());
    let (size, part) = (x.shape[axis], |size: i32| {
        let mut shape = x.shape.clone();
        shape[axis] = size;
        x.like(shape)
    });
    if kind.op == "SPLIT" {
        let counts: Vec<i32> = (1..=4).filter(|count| size > 0 && size % count == 0).collect();
        let count = if counts.is_empty() { return None } else { net.random.pick(&counts) };
        let at = net.list(&[], &[named]);
        let options = Attributes::of(|o| o.set(SplitOptions::NUM_SPLITS, count));
        let results = (0..count).map(|_| part(size / count)).collect();
        net.node(kind, &[at.index, x.index], results, Some(options), Rule::Moves);
        return Some(());
    }
    let first = net.random.between(0, size);
    let mut sizes = [first, size - first];
    let results = sizes.iter().map(|&size| part(size)).collect();
    if net.random.chance(20) {
        sizes[1] = -1;
    }
    let (sizes, at) = (net.row(&sizes), net.list(&[], &[named]));
    let options = Attributes::of(|o| o.set(SplitVOptions::NUM_SPLITS, 2));
    net.node(kind, &[x.index, sizes.index, at.index], results, Some(options), Rule::Moves);
    Some(())
}

/// PAD, PADV2, MIRROR_PAD, along all axes or along rows and columns.
pub fn pad(net: &mut Net, kind: Kind) -> Option<()> {
    let x = net.of_rank(kind.form.ty(), 1);
    let mirror = kind.op == "MIRROR_PAD";
    let mode = net.random.below(2) as i8;
    let mut list = Vec::new();
    let mut shape = x.shape.clone();
    let image = shape.len() == 4 && net.random.chance(50);
    for (i, size) in shape.iter_mut().enumerate() {
        let most = if image && (i == 0 || i == 3) {
            0
        } else if mirror {
            (*size - i32::from(mode == 0)).clamp(0, 2)
        } else {
            2
        };
        let pair = [net.random.between(0, most), net.random.between(0, most)];
        *size += pair[0] + pair[1];
        list.extend(pair);
    }
    if elements(&shape) > 3000 {
        return None;
    }
    let list = net.list(&[x.shape.len() as i32, 2], &list);
    let mut inputs = vec![x.index, list.index];
    if kind.op == "PADV2" {
        let data = net.elements(x.ty, 1);
        inputs.push(net.constant((x.ty, Vec::new(), x.quant), data).index);
    }
    let options = mirror.then(|| Attributes::of(|o| o.set(MirrorPadOptions::MODE, mode)));
    net.node(kind, &inputs, vec![x.like(shape)], options, Rule::Moves);
    Some(())
}

/// Indices into `count` slices.
fn indices(net: &mut Net, shape: &[i32], count: i32) -> Value {
    let ty = net.random.pick(&[I32, I32, I64]);
    net.fed(ty, shape, Feed::Below(count.into()))
}

fn gather(net: &mut Net, kind: Kind) -> Option<()> {
    let x = net.of_rank(kind.form.ty(), 1);
    let (axis, named) = axis(net, x.shape.len());
    let batch = if net.random.chance(25) { net.random.below(axis + 1) } else { 0 };
    let rank = net.random.below(3);
    let mut coords = x.shape[..batch].to_vec();
    coords.extend((0..rank).map(|_| net.random.between(1, 4)));
    let mut shape = x.shape[..axis].to_vec();
    shape.extend(&coords[batch..]);
    shape.extend(&x.shape[axis + 1..]);
    if elements(&shape) > 3000 {
        return None;
    }
    let at = indices(net, &coords, x.shape[axis]);
    let options =
        Attributes::of(|o| o.set(GatherOptions::AXIS, named).set(GatherOptions::BATCH_DIMS, batch as i32));
    net.node(kind, &[x.index, at.index], vec![x.like(shape)], Some(options), Rule::Moves);
    Some(())
}

/// By one index per row, or by several, which the delegate leaves.
fn gather_nd(net: &mut Net, kind: Kind) -> Option<()> {
    let x = net.of_rank(kind.form.ty(), 1);
    let depth = if net.random.chance(85) { 1 } else { net.random.between(0, x.shape.len() as i32) };
    let rank = net.random.below(3);
    let mut coords: Vec<i32> = (0..rank).map(|_| net.random.between(1, 4)).collect();
    let mut shape = coords.clone();
    shape.extend(&x.shape[depth as usize..]);
    if elements(&shape) > 3000 {
        return None;
    }
    coords.push(depth);
    let least = x.shape[..depth as usize].iter().copied().min().unwrap_or(1);
    let at = indices(net, &coords, least);
    net.node(kind, &[x.index, at.index], vec![x.like(shape)], None, Rule::Moves);
    Some(())
}

/// Some slices are updated several times, others never.
fn scatter_nd(net: &mut Net, kind: Kind) -> Option<()> {
    let updates = net.of_rank(kind.form.ty(), 1);
    let rank = updates.shape.len();
    let outer = net.random.between(1, rank as i32) as usize;
    let depth = net.random.between(1, 2);
    let (rows, slice) = updates.shape.split_at(outer);
    let mut shape: Vec<i32> = (0..depth).map(|_| net.random.between(1, 5)).collect();
    let least = shape.iter().copied().min()?;
    shape.extend(slice);
    if elements(&shape) > 3000 {
        return None;
    }
    let coords: Vec<i32> = rows.iter().copied().chain([depth]).collect();
    let at = net.fed(I32, &coords, Feed::Below(least.into()));
    let list = net.row(&shape);
    // Sums in the order of the updates have the same bits.
    let rule = if updates.ty == F32 { Rule::Step } else { Rule::Integers };
    let inputs = [at.index, updates.index, list.index];
    net.node(kind, &inputs, vec![updates.like(shape)], None, rule);
    Some(())
}

fn embedding(net: &mut Net, kind: Kind) -> Option<()> {
    let table = match kind.form {
        Hybrid(ty) => coarse_table(net, ty),
        _ => net.of_rank(kind.form.ty(), 2),
    };
    let count = net.random.between(1, 5);
    let at = net.fed(I32, &[count], Feed::Below(table.shape[0].into()));
    let mut shape = table.shape.clone();
    shape[0] = count;
    let (result, rule) = match kind.form {
        Hybrid(_) => ((F32, shape, None), Rule::Hybrid),
        _ => (table.like(shape), Rule::Moves),
    };
    net.node(kind, &[at.index, table.index], vec![result], None, rule);
    Some(())
}

/// A table of few bits, with one scale or one per row.
fn coarse_table(net: &mut Net, ty: ElementType) -> Value {
    let shape = net.shape(2);
    let data = net.elements(ty, shape.iter().product::<i32>() as usize);
    let rows = shape[0];
    let table = net.constant((ty, shape, None), data);
    let count = if net.random.chance(60) { rows.max(1) } else { 1 };
    let scales: Vec<f32> = (0..count).map(|_| 0.008 + 0.006 * net.random.real()).collect();
    net.set_scales(&table, &scales, 0, 0);
    table
}

fn reshape(net: &mut Net, kind: Kind) -> Option<()> {
    let x = net.any(kind.form.ty());
    let mut shape: Vec<i32> = Vec::new();
    let mut rest = x.len();
    for _ in 0..net.random.below(4) {
        let divisors: Vec<i32> = (1..=rest.max(1)).filter(|d| rest % d == 0).collect();
        let size = net.random.pick(&divisors);
        shape.push(size);
        rest /= size;
    }
    shape.push(rest);
    let mut named = shape.clone();
    if net.random.chance(30) && !shape.contains(&0) {
        let at = net.random.below(named.len());
        named[at] = -1;
    }
    let list = net.row(&named);
    let options = Attributes::of(|o| o.set(ReshapeOptions::NEW_SHAPE, &named));
    let inputs = if net.random.chance(20) { vec![x.index] } else { vec![x.index, list.index] };
    net.node(kind, &inputs, vec![x.like(shape)], Some(options), Rule::Moves);
    Some(())
}

fn squeeze(net: &mut Net, kind: Kind) -> Option<()> {
    let x = net.any(kind.form.ty());
    let ones: Vec<i32> = (0..x.shape.len() as i32).filter(|&i| x.shape[i as usize] == 1).collect();
    let named: Vec<i32> = ones.iter().copied().filter(|_| net.random.chance(60)).collect();
    let gone = if named.is_empty() { &ones } else { &named };
    let sizes = x.shape.iter().enumerate();
    let shape = sizes.filter(|(i, _)| !gone.contains(&(*i as i32))).map(|(_, &size)| size).collect();
    let options = Attributes::of(|o| o.set(SqueezeOptions::SQUEEZE_DIMS, &named));
    net.node(kind, &[x.index], vec![x.like(shape)], Some(options), Rule::Moves);
    Some(())
}

fn expand(net: &mut Net, kind: Kind) -> Option<()> {
    let x = net.any(kind.form.ty());
    let (axis, named) = axis(net, x.shape.len() + 1);
    let mut shape = x.shape.clone();
    shape.insert(axis, 1);
    let at = net.list(&[1], &[named]);
    net.node(kind, &[x.index, at.index], vec![x.like(shape)], None, Rule::Moves);
    Some(())
}
