//! The data of inputs.

use arenite::ElementType;
use arenite::ElementType::{Bool, F16, F32, I16, I32, I64};
use arenite_model::writer::bytes_of;

use super::graph::Feed;
use super::random::Random;

/// The bytes of `count` elements.
pub(super) fn data(feed: &Feed, ty: ElementType, count: usize, random: &mut Random) -> Vec<u8> {
    match (feed, ty) {
        (_, F32) => bytes_of(&floats(feed, count, random)),
        (_, F16) => {
            let halves = floats(feed, count, random).into_iter().map(|x| half::f16::from_f32(x).to_bits());
            bytes_of(&halves.collect::<Vec<u16>>())
        }
        (_, I32) => bytes_of(&integers(feed, count, random).iter().map(|&x| x as i32).collect::<Vec<_>>()),
        (_, I64) => bytes_of(&integers(feed, count, random)),
        (_, I16) => bytes_of(&integers(feed, count, random).iter().map(|&x| x as i16).collect::<Vec<_>>()),
        (_, Bool) => (0..count).map(|_| random.below(2) as u8).collect(),
        _ => (0..ty.bytes_of(count).unwrap_or(0)).map(|_| random.bits() as u8).collect(),
    }
}

fn floats(feed: &Feed, count: usize, random: &mut Random) -> Vec<f32> {
    let scale = if let Feed::Real(scale) = feed { *scale } else { 1.0 };
    let mut list: Vec<f32> = match feed {
        Feed::Grid => (0..count).map(|_| random.between(-32, 32) as f32 / 8.0).collect(),
        _ => (0..count).map(|_| scale * random.real()).collect(),
    };
    let odd: &[f32] = match feed {
        Feed::Special => &[f32::INFINITY, f32::NEG_INFINITY, f32::NAN, -0.0, 0.0],
        Feed::Extreme => &[f32::MAX, f32::MIN, 1e-40, -1e-42, f32::MIN_POSITIVE, -0.0],
        _ => return list,
    };
    let most = if random.chance(50) { 1 } else { 1 + count / 8 };
    for _ in 0..most.min(count) {
        list[random.below(count)] = random.pick(odd);
    }
    list
}

fn integers(feed: &Feed, count: usize, random: &mut Random) -> Vec<i64> {
    match feed {
        Feed::Numbers(list) => (0..count).map(|i| list.get(i).copied().unwrap_or(1)).collect(),
        Feed::Below(limit) => {
            let outside = random.chance(4);
            let mut list: Vec<i64> =
                (0..count).map(|_| random.below((*limit).max(1) as usize) as i64).collect();
            if outside && count > 0 {
                list[random.below(count)] = random.pick(&[-1, *limit, i64::from(i32::MAX), -100]);
            }
            list
        }
        _ => (0..count)
            .map(|_| match random.below(20) {
                0 => random.bits() as i64,
                1 => 0,
                _ => random.between(-100, 100).into(),
            })
            .collect(),
    }
}
