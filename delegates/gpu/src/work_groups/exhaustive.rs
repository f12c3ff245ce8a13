//! All sizes that are worth timing.

use std::collections::{BTreeSet, HashSet};

use super::bounds::{Bounds, Extent, volume};

/// The alignment of work-groups with a grid along an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alignment {
    /// They cover the grid exactly: the kernel does not check bounds.
    Precise,
    /// The last work-group may exceed the grid.
    None,
}

/// The least work-items of a candidate.
const LEAST: u128 = 32;
/// How far unaligned work-groups may exceed the grid.
const BEYOND: u64 = 5;

/// The sizes along an axis of `number` work-items. Precise: its divisors as 1, n, 2, n / 2, … Otherwise, the divisors
/// of `number` to `number + 5`, ascending.
pub fn possible_sizes(number: u32, alignment: Alignment) -> Vec<u32> {
    match alignment {
        Alignment::Precise => divisors(number),
        Alignment::None => divisors_near(number),
    }
}

fn divisors(number: u32) -> Vec<u32> {
    let mut found = Vec::new();
    for i in (1..=number.isqrt()).filter(|&i| number.is_multiple_of(i)) {
        found.push(i);
        if number / i != i {
            found.push(number / i);
        }
    }
    found
}

/// All divisors of `number..=number + 5`.
fn divisors_near(number: u32) -> Vec<u32> {
    let last = u64::from(number) + BEYOND;
    let mut found = BTreeSet::new();
    for i in 1..=last.isqrt() {
        let multiples = (u64::from(number).max(1).div_ceil(i)..=last / i).map(|d| [i, d]);
        found.extend(multiples.flatten().filter_map(|d| u32::try_from(d).ok()));
    }
    found.into_iter().collect()
}

/// The sizes within the bounds with at least `least` work-items: x outermost, z innermost.
pub fn generate(grid: Extent, least: u128, bounds: &Bounds, alignments: [Alignment; 3]) -> Vec<Extent> {
    let sizes = [0, 1, 2].map(|axis| {
        let mut sizes = possible_sizes(grid[axis], alignments[axis]);
        sizes.retain(|&size| size <= bounds.axes[axis]);
        sizes
    });
    let mut found = Vec::new();
    for &x in &sizes[0] {
        for &y in &sizes[1] {
            found.extend(sizes[2].iter().map(|&z| [x, y, z]));
        }
    }
    found.retain(|&size| volume(size) >= least && bounds.allow(size));
    found
}

/// The sizes that divide the grid, or else small sizes.
fn aligned(grid: Extent, bounds: &Bounds) -> Vec<Extent> {
    let found = generate(grid, LEAST, bounds, [Alignment::Precise; 3]);
    if found.is_empty() { corner_cases(grid, bounds) } else { found }
}

/// The sizes that divide the grid, or of these only whole waves, if any size has whole waves. Otherwise also whole
/// waves that exceed the grid, if they start at most as many lanes as the best size that divides it.
pub(super) fn search(grid: Extent, bounds: &Bounds, wave: u32) -> Vec<Extent> {
    let wave = u128::from(wave.max(1));
    let is_whole = |size: &Extent| volume(*size).is_multiple_of(wave);
    let mut sizes = aligned(grid, bounds);
    if sizes.iter().any(is_whole) {
        sizes.retain(is_whole);
        return sizes;
    }
    let lanes = |size: &Extent| {
        let groups = volume([0, 1, 2].map(|axis| grid[axis].div_ceil(size[axis])));
        groups.saturating_mul(volume(*size).next_multiple_of(wave))
    };
    let least = sizes.iter().map(lanes).min();
    let beyond = generate(grid, LEAST, bounds, [Alignment::None; 3]).into_iter();
    sizes.extend(beyond.filter(|size| is_whole(size) && least.is_none_or(|least| lanes(size) <= least)));
    sizes
}

/// Along each axis a quarter to all of the grid, then 1 to 4, if it divides the grid; each size once, including 1 × 1 ×
/// 1.
fn corner_cases(grid: Extent, bounds: &Bounds) -> Vec<Extent> {
    let parts = steps().map(|by| [0, 1, 2].map(|axis| grid[axis].div_ceil(by[axis])));
    let divides = |size: &Extent| grid.iter().zip(size).all(|(grid, &size)| grid.is_multiple_of(size));
    let mut known = HashSet::new();
    let fit = parts.chain(steps()).filter(|size| bounds.allow(*size) && divides(size));
    fit.filter(|&size| known.insert(size)).collect()
}

/// 1 to 4 along each axis, z innermost.
fn steps() -> impl Iterator<Item = Extent> {
    (1..=4).flat_map(|x| (1..=4).flat_map(move |y| (1..=4).map(move |z| [x, y, z])))
}
