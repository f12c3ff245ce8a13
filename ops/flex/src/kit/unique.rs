//! The distinct elements of a list in the order of their first occurrence, the position of each element among them, and
//! how often each occurs.

use core::hash::Hash;
use std::collections::HashMap;

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;
use arenite_ops::kit::node;
use arenite_ops::kit::strings::Strings;

use super::elements::unravel;
use super::kernel::{Call, Inputs, Program, axis_of, integers};
use super::node_def::NodeDef;
use super::number::{put_integers, reals};

/// The parameters that distinguish the ops of this family.
pub struct Member {
    /// Whether occurrences are counted.
    pub counts: bool,
    /// Whether input 1 names the axis along which slices are compared.
    pub axis: bool,
}

/// A prepared node of the family.
pub struct Unique(&'static Member);

impl Program for Unique {
    type Member = Member;

    fn new(node: &NodeView<'_>, _: &NodeDef<'_>, of: &'static Member) -> Result<Self> {
        let (inputs, outputs) = (1 + usize::from(of.axis), 2 + usize::from(of.counts));
        node.expect(inputs..=inputs, outputs..=outputs)?;
        let (x, y) = (node.input(0)?, node.output(0)?);
        node::same_type(&x, &y)?;
        let list = if of.axis { node.input(1)? } else { x };
        ensure!(list.rank() == 1, "{list} is {:?}; a list is needed", list.shape);
        Ok(Unique(of))
    }

    fn shape(&self, x: &Inputs<'_, '_>, output: usize) -> Result<Option<Dims>> {
        // The number of slices does not change. Without the axis it is known only for a list.
        let dims = x.dims(0)?;
        Ok(if output == 1 && dims.rank() == 1 { Some(dims) } else { None })
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let (x, dims) = (call.input(0)?, call.dims(0)?);
        let axes = if self.0.axis { integers(&call.input(1)?)? } else { Vec::new() };
        ensure!(axes.len() <= 1, "axes are {axes:?}; at most one is allowed");
        ensure!(
            !axes.is_empty() || dims.rank() == 1,
            "{x} is {:?}; without an axis a list is needed",
            x.shape
        );
        let axis = axis_of(axes.first().copied().unwrap_or(0), dims.rank())?;
        let found = find(&x, &dims, axis)?;
        let mut shape = dims.as_slice().to_vec();
        shape[axis] = found.first.len() as i32;
        self.write(call, &dims, axis, &found, &shape)
    }
}

struct DistinctSlices {
    /// The position of the first occurrence of each distinct slice.
    first: Vec<usize>,
    /// The index of each slice among the distinct ones.
    which: Vec<usize>,
    /// How often each distinct slice occurs.
    counts: Vec<i64>,
}

fn group<K: Hash + Eq>(keys: impl Iterator<Item = K>) -> DistinctSlices {
    let mut seen = HashMap::new();
    let mut found = DistinctSlices { first: Vec::new(), which: Vec::new(), counts: Vec::new() };
    for (i, key) in keys.enumerate() {
        let next = found.first.len();
        let which = *seen.entry(key).or_insert(next);
        if which == next {
            found.first.push(i);
            found.counts.push(0);
        }
        found.counts[which] += 1;
        found.which.push(which);
    }
    found
}

fn find(x: &TensorView<'_>, dims: &Dims, axis: usize) -> Result<DistinctSlices> {
    let (outer, size, inner) = dims.split_at(axis);
    // The indices of the elements of slice `i`.
    let slice = |i: usize| (0..outer).flat_map(move |o| (0..inner).map(move |k| (o * size + i) * inner + k));
    if x.ty == ElementType::String {
        let strings = Strings::of(x)?;
        let key = |i| slice(i).map(|k| strings.get(k).unwrap_or_default()).collect::<Vec<_>>();
        return Ok(group((0..size).map(key)));
    }
    let width = (x.ty.bits() / 8) as usize;
    ensure!(width > 0, "{x} is {}, whose elements cannot be compared", x.ty);
    let reals = if matches!(x.ty, F16 | BF16 | F32 | F64) { Some(reals(x)?) } else { None };
    Ok(group((0..size).map(|i| {
        let mut key = Vec::with_capacity(outer * inner * width);
        let mut nan = None;
        for k in slice(i) {
            match reals.as_ref().map(|reals| reals[k]) {
                // NaN does not equal itself; both zeros are equal.
                Some(real) if real.is_nan() => nan = Some(i),
                Some(0.0) => key.resize(key.len() + width, 0),
                _ => key.extend_from_slice(&x.bytes()[k * width..][..width]),
            }
        }
        (key, nan)
    })))
}

impl Unique {
    fn write(
        &self,
        call: &Call<'_, '_>,
        dims: &Dims,
        axis: usize,
        found: &DistinctSlices,
        shape: &[i32],
    ) -> Result<()> {
        let (x, output) = (call.input(0)?, Dims::new(shape).unwrap_or(*dims));
        let source = |k: usize| {
            let mut at = unravel(k, &output);
            at[axis] = found.first[at[axis]];
            super::elements::ravel(&at, dims)
        };
        if x.ty == ElementType::String {
            let strings = Strings::of(&x)?;
            let texts: Vec<&[u8]> =
                (0..output.flat_size()).map(|k| strings.get(source(k)).unwrap_or_default()).collect();
            call.put_strings(0, &output, &texts)?;
        } else {
            let width = (x.ty.bits() / 8) as usize;
            let y = call.cx.resize_output(0, shape)?.into_bytes();
            for (k, y) in y.chunks_exact_mut(width).enumerate() {
                y.copy_from_slice(&x.bytes()[source(k) * width..][..width]);
            }
        }
        let which = found.which.iter().map(|&i| i as i64);
        let known = dims.rank() == 1;
        let y =
            if known { call.output(1)? } else { call.cx.resize_output(1, &[found.which.len() as i32])? };
        put_integers(y, which)?;
        if self.0.counts {
            let y = call.cx.resize_output(2, &[found.counts.len() as i32])?;
            put_integers(y, found.counts.iter().copied())?;
        }
        Ok(())
    }
}
