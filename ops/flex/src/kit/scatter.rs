//! Scattering slices of updates to the positions that indices give.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;
use arenite_ops::kit::node;

use super::complex;
use super::kernel::{Call, Inputs, Program, integers};
use super::node_def::NodeDef;
use super::number::Number;
use crate::by_type;

/// How an update changes an element.
#[derive(Clone, Copy, PartialEq)]
pub enum Kind {
    /// The update replaces the element.
    Update,
    /// The update is added.
    Add,
    /// The update is subtracted.
    Sub,
    /// The larger of the two stays.
    Max,
    /// The smaller of the two stays.
    Min,
}

/// The parameters that distinguish the ops of this family.
pub struct Member {
    /// How an update changes an element.
    pub kind: Kind,
    /// Whether the updates go to zeros of a given shape (inputs `indices, updates, shape`) instead of to a tensor
    /// (inputs `tensor, indices, updates`).
    pub to_zeros: bool,
}

/// The handling of indices that are out of range.
#[derive(Clone, Copy, PartialEq)]
pub enum BadIndexPolicy {
    /// They are an error.
    Refused,
    /// They are skipped.
    Ignored,
}

impl BadIndexPolicy {
    /// Reads the attribute `bad_indices_policy`.
    ///
    /// # Errors
    /// The policy is unknown.
    pub fn new(def: &NodeDef<'_>) -> Result<BadIndexPolicy> {
        let known = ["", "DEFAULT", "ERROR", "IGNORE"];
        Ok(if def.choice("bad_indices_policy", &known)? == 3 {
            BadIndexPolicy::Ignored
        } else {
            BadIndexPolicy::Refused
        })
    }
}

/// A prepared node of the family.
pub struct Scatter {
    outside: BadIndexPolicy,
    of: &'static Member,
}

impl Program for Scatter {
    type Member = Member;

    fn new(node: &NodeView<'_>, def: &NodeDef<'_>, of: &'static Member) -> Result<Self> {
        node.expect(3..=3, 1..=1)?;
        let (updates, y) = (node.input(if of.to_zeros { 1 } else { 2 })?, node.output(0)?);
        node::same_type(&updates, &y)?;
        let indices = node.input(usize::from(!of.to_zeros))?;
        ensure!(indices.rank() > 0, "{indices} is a scalar; lists of indices are needed");
        ensure!(updates.rank() > 0, "{updates} is a scalar; a list of updates is needed");
        let order = matches!(of.kind, Kind::Max | Kind::Min);
        ensure!(!order || !matches!(y.ty, C64 | C128), "{updates} is {}, which has no order", updates.ty);
        ensure!(
            y.ty != ElementType::String || matches!(of.kind, Kind::Update | Kind::Add),
            "{updates} is STRING, which can be neither subtracted nor ordered"
        );
        Ok(Scatter { outside: BadIndexPolicy::new(def)?, of })
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        let [indices, updates] = [0, 1].map(|i| x.dims(i + usize::from(!self.of.to_zeros)));
        let output = if self.of.to_zeros { x.sizes(2)? } else { Some(x.dims(0)?) };
        let (indices, updates, Some(output)) = (indices?, updates?, output) else { return Ok(None) };
        ensure!(
            !indices.as_slice().ends_with(&[0]),
            "indices {:?} are empty vectors; an index needs at least one number",
            indices.as_slice()
        );
        let depth = depth(&indices, &output)?;
        let outer = indices.rank().saturating_sub(1);
        let wanted = indices.as_slice()[..outer].iter().chain(&output.as_slice()[depth..]);
        ensure!(
            updates.as_slice().iter().eq(wanted),
            "updates are {:?}, which do not match indices {:?} into {:?}",
            updates.as_slice(),
            indices.as_slice(),
            output.as_slice()
        );
        ensure!(
            output.flat_size() > 0 || indices.flat_size() == 0,
            "indices {:?} refer to slices of {:?}, which has no elements",
            indices.as_slice(),
            output.as_slice()
        );
        Ok(Some(output))
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let ty = call.cx.node().output(0)?.ty;
        if ty == ElementType::String {
            return self.texts(call);
        }
        by_type!(ty,
            float: T => self.run::<T>(call, |a, b| match self.of.kind {
                Kind::Update => b,
                Kind::Add => a + b,
                Kind::Sub => a - b,
                // A NaN in the element stays; a NaN in the update is ignored.
                Kind::Max => if a < b { b } else { a },
                Kind::Min => if b < a { b } else { a },
            }),
            int: T => self.run::<T>(call, |a, b| match self.of.kind {
                Kind::Update => b,
                Kind::Add => a.wrapping_add(b),
                Kind::Sub => a.wrapping_sub(b),
                Kind::Max => a.max(b),
                Kind::Min => a.min(b),
            }),
            complex: T => self.run::<T>(call, |a, b| match self.of.kind {
                Kind::Add => complex::add(a, b),
                Kind::Sub => complex::sub(a, b),
                _ => b,
            }),
            bool: T => self.run::<T>(call, |a, b| match self.of.kind {
                Kind::Add | Kind::Max => a || b,
                Kind::Min => a && b,
                _ => b,
            }),
        )
    }
}

/// The number of axes that an index vector addresses.
fn depth(indices: &Dims, output: &Dims) -> Result<usize> {
    let depth = indices.as_slice().last().map_or(0, |&d| d as usize);
    ensure!(
        depth <= output.rank(),
        "indices are {:?}, the output is {:?}, which has fewer axes than an index",
        indices.as_slice(),
        output.as_slice()
    );
    Ok(depth)
}

impl Scatter {
    /// The start of each output slice that receives an update, and the number of elements per slice.
    fn slices(&self, call: &Call<'_, '_>) -> Result<(Vec<Option<usize>>, usize)> {
        let first = usize::from(!self.of.to_zeros);
        let (dims, indices) = (call.output_dims(0)?, call.dims(first)?);
        let depth = depth(&indices, &dims)?;
        let count = indices.product(0, indices.rank() - 1);
        let starts = starts(&integers(&call.input(first)?)?, count, depth, &dims, self.outside)?;
        Ok((starts, dims.product(depth, dims.rank())))
    }

    /// Replaces or appends to strings.
    fn texts(&self, call: &Call<'_, '_>) -> Result<()> {
        let (shape, (starts, slice)) = (call.output_dims(0)?, self.slices(call)?);
        let updates = call.strings(if self.of.to_zeros { 1 } else { 2 })?;
        let mut texts = match self.of.to_zeros {
            true => vec![Vec::new(); call.string_count(&shape, 0)?],
            false => call.strings(0)?.iter().map(<[u8]>::to_vec).collect(),
        };
        for (i, start) in starts.into_iter().enumerate() {
            let Some(start) = start else { continue };
            for (k, text) in texts[start..start + slice].iter_mut().enumerate() {
                if self.of.kind == Kind::Update {
                    text.clear();
                }
                text.extend(updates.get(i * slice + k).unwrap_or_default());
            }
        }
        call.put_strings(0, &shape, &texts)
    }

    fn run<T: Number>(
        &self,
        call: &Call<'_, '_>,
        combine: impl Fn(T::Wide, T::Wide) -> T::Wide,
    ) -> Result<()> {
        let first = usize::from(!self.of.to_zeros);
        let (starts, slice) = self.slices(call)?;
        let updates = call.slice::<T>(first + 1)?;
        let (tensor, y) =
            (if self.of.to_zeros { None } else { Some(call.slice::<T>(0)?) }, call.output_slice::<T>(0)?);
        match tensor {
            Some(tensor) => y.copy_from_slice(tensor),
            None => y.fill(T::zeroed()),
        }
        if slice == 0 {
            return Ok(());
        }
        for (start, updates) in starts.into_iter().zip(updates.chunks_exact(slice)) {
            let Some(start) = start else { continue };
            for (y, &update) in y[start..start + slice].iter_mut().zip(updates) {
                *y = T::narrow(combine(y.wide(), update.wide()));
            }
        }
        Ok(())
    }
}

/// The first element of each slice that `count` index vectors of length `depth` address; `None` for an index that is
/// skipped.
///
/// # Errors
/// An index is out of range and the policy does not allow it.
pub fn starts(
    indices: &[i64],
    count: usize,
    depth: usize,
    dims: &Dims,
    outside: BadIndexPolicy,
) -> Result<Vec<Option<usize>>> {
    let inner = dims.product(depth, dims.rank());
    let start = |index: &[i64]| {
        index.iter().enumerate().try_fold(0, |start, (axis, &i)| {
            let inside = usize::try_from(i).ok().filter(|&i| i < dims.size(axis));
            inside.map(|i| start * dims.size(axis) + i)
        })
    };
    (0..count)
        .map(|k| {
            let index = &indices[k * depth..][..depth];
            match start(index) {
                None if outside == BadIndexPolicy::Refused => {
                    Err(invalid!("index {index:?} is out of bounds for {:?}", &dims.as_slice()[..depth]))
                }
                start => Ok(start.map(|start| start * inner)),
            }
        })
        .collect()
}
