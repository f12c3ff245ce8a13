//! The largest elements of each row, and their places.

use arenite_abi::prelude::*;
use arenite_layers::Id;
use bytemuck::Pod;

use crate::memory::{Source, Target};
use crate::step::{Grain, Run, Step};

/// The largest k.
pub(crate) const MOST: usize = 64;
/// Elements that are compared with the least of the largest ones together.
const BLOCK: usize = 64;

/// The type of the elements.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Elements {
    /// Bytes that this number makes unsigned, by exclusive or.
    Bytes(u8),
    /// `i16`.
    Shorts,
    /// `i32`.
    Wholes,
    /// `f32`, where NaN is smaller than every number.
    Reals,
}

/// Searches rows.
pub(crate) struct Top {
    /// What is compared.
    pub elements: Elements,
    /// How many rows.
    pub rows: usize,
    /// Elements of a row.
    pub row: usize,
    /// The k of TOPK_V2: at most [`MOST`], and at most `row`.
    pub count: usize,
    /// Read.
    pub input: Id,
    /// The elements, in descending order, and their places.
    pub outputs: [Id; 2],
}

/// Finds the places of the largest elements of a row, in descending order; of equal elements the first one comes first.
/// Larger elements have larger keys.
fn search<T: Pod>(row: Source<'_, T>, places: &mut [i32], key: impl Fn(T) -> i32) {
    let (mut keys, mut found) = ([0; MOST], 0);
    let mut block = [T::zeroed(); BLOCK];
    for first in (0..row.len()).step_by(BLOCK) {
        let n = BLOCK.min(row.len() - first);
        let block = &mut block[..n];
        Target::of(block).copy_from(row.part(first, n));
        if found == places.len() {
            let least = keys[found - 1];
            if !block.iter().fold(false, |any, &x| any | (key(x) > least)) {
                continue;
            }
        }
        for (i, &x) in block.iter().enumerate() {
            let key = key(x);
            if found == places.len() && key <= keys[found - 1] {
                continue;
            }
            found = places.len().min(found + 1);
            let mut at = found - 1;
            while at > 0 && keys[at - 1] < key {
                (keys[at], places[at]) = (keys[at - 1], places[at - 1]);
                at -= 1;
            }
            (keys[at], places[at]) = (key, (first + i) as i32);
        }
    }
}

/// A number with the order of floats: NaN comes first, and zeros are equal.
fn key_of_real(x: f32) -> i32 {
    let bits = (x + 0.0).to_bits() as i32;
    if x.is_nan() { i32::MIN } else { bits ^ ((bits >> 31) as u32 >> 1) as i32 }
}

impl Top {
    fn search_all<T: Pod + Send + Sync>(&self, cx: &Run<'_>, key: impl Fn(T) -> i32 + Sync) -> Result<()> {
        let x = cx.input::<T>(self.input);
        let (values, places) = (cx.output::<T>(self.outputs[0]), cx.output::<i32>(self.outputs[1]));
        let (values, places) = (values.share(), places.share());
        cx.parallel_for(self.rows, Grain::of_cost(self.row), |rows| {
            for r in rows {
                let (row, mut found) = (x.part(r * self.row, self.row), [0; MOST]);
                let found = &mut found[..self.count];
                search(row, found, &key);
                // SAFETY: each row has its own results, and is one thread's.
                let (mut values, mut places) = unsafe {
                    (values.part(r * self.count, self.count), places.part(r * self.count, self.count))
                };
                for (i, &place) in found.iter().enumerate() {
                    values.set(i, row.get(place as usize));
                    places.set(i, place);
                }
            }
        })
    }
}

impl Step for Top {
    fn name(&self) -> &'static str {
        "TOPK_V2"
    }

    fn run(&self, cx: &Run<'_>) -> Result<()> {
        match self.elements {
            Elements::Bytes(flip) => self.search_all::<u8>(cx, |x| (x ^ flip).into()),
            Elements::Shorts => self.search_all::<i16>(cx, i32::from),
            Elements::Wholes => self.search_all::<i32>(cx, |x| x),
            Elements::Reals => self.search_all::<f32>(cx, key_of_real),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn keys_have_the_order_of_floats() {
        let numbers = [f32::NAN, f32::NEG_INFINITY, -2.0, -1e-45, 0.0, 1e-45, 1.5, f32::INFINITY];
        assert!(numbers.windows(2).all(|pair| key_of_real(pair[0]) < key_of_real(pair[1])));
        assert_eq!(key_of_real(0.0), key_of_real(-0.0));
        assert_eq!(key_of_real(f32::NAN), key_of_real(-f32::NAN));
    }

    proptest! {
        #[test]
        fn places_are_those_of_a_stable_sort(row in prop::collection::vec(-40..40i32, 1..400), count in 1..=MOST) {
            let count = count.min(row.len());
            let mut want: Vec<i32> = (0..row.len() as i32).collect();
            want.sort_by_key(|&i| -row[i as usize]);
            let mut got = vec![0; count];
            search(Source::of(&row), &mut got, |x| x);
            prop_assert_eq!(&got, &want[..count]);
        }
    }
}
