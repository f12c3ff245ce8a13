//! Rearranging elements of any type, strings included, without interpreting them.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::{Dims, MAX_RANK};
use arenite_ops::kit::strings::Strings;

use super::kernel::Call;

/// Sets element `k` of output `output` to element `i` of `sources[s]` if `at(k)` is `Some((s, i))`, else to zero or to
/// the empty string.
///
/// # Errors
/// A source has another type than the output, or `at` names an element that does not exist.
pub fn pick(
    call: &Call<'_, '_>,
    output: usize,
    sources: &[TensorView<'_>],
    mut at: impl FnMut(usize) -> Option<(usize, usize)>,
) -> Result<()> {
    pick_each(call, output, sources, &mut at)
}

type At<'f> = &'f mut dyn FnMut(usize) -> Option<(usize, usize)>;

fn pick_each(call: &Call<'_, '_>, output: usize, sources: &[TensorView<'_>], at: At<'_>) -> Result<()> {
    let ty = call.cx.node().output(output)?.ty;
    for source in sources {
        ensure!(source.ty == ty, "{source} is {}, the output is {ty}; they must agree", source.ty);
    }
    if ty == ElementType::String {
        return pick_strings(call, output, sources, at);
    }
    let width = (ty.bits() / 8) as usize;
    ensure!(width > 0, "{ty} is not an element type of this op");
    let data: Vec<&[u8]> = sources.iter().map(|source| source.bytes()).collect();
    let y = call.output(output)?.into_bytes();
    match width {
        1 => copy::<1>(y, &data, at),
        2 => copy::<2>(y, &data, at),
        4 => copy::<4>(y, &data, at),
        8 => copy::<8>(y, &data, at),
        _ => copy::<16>(y, &data, at),
    }
}

fn copy<const WIDTH: usize>(y: &mut [u8], data: &[&[u8]], at: At<'_>) -> Result<()> {
    for (k, y) in y.as_chunks_mut::<WIDTH>().0.iter_mut().enumerate() {
        *y = match at(k) {
            Some((s, i)) => {
                let source = data.get(s).map(|data| data.as_chunks::<WIDTH>().0);
                *source.and_then(|source| source.get(i)).ok_or_else(|| outside(s, i))?
            }
            None => [0; WIDTH],
        };
    }
    Ok(())
}

fn pick_strings(call: &Call<'_, '_>, output: usize, sources: &[TensorView<'_>], at: At<'_>) -> Result<()> {
    let data = sources.iter().map(Strings::of).collect::<Result<Vec<_>>>()?;
    let shape = call.output_dims(output)?;
    let texts = (0..call.string_count(&shape, 0)?).map(|k| match at(k) {
        Some((s, i)) => data.get(s).and_then(|data| data.get(i)).ok_or_else(|| outside(s, i)),
        None => Ok(&[][..]),
    });
    call.put_strings(output, &shape, &texts.collect::<Result<Vec<_>>>()?)
}

fn outside(s: usize, i: usize) -> Error {
    invalid!("element {i} of input {s} does not exist")
}

/// The coordinates of element `index`; zeros for axes beyond the rank.
pub fn unravel(mut index: usize, dims: &Dims) -> [usize; MAX_RANK] {
    let mut at = [0; MAX_RANK];
    for axis in (0..dims.rank()).rev() {
        let size = dims.size(axis).max(1);
        at[axis] = index % size;
        index /= size;
    }
    at
}

/// The index of the element at these coordinates.
pub fn ravel(at: &[usize], dims: &Dims) -> usize {
    (0..dims.rank())
        .fold(0, |index, axis| index * dims.size(axis) + at.get(axis).copied().unwrap_or_default())
}
