//! Reductions, places of extremes, and softmax.

use arenite::ElementType::{F32, I8, I16, I32, I64, U8};
use arenite_abi::schema::{ArgMaxOptions, ArgMinOptions, ReducerOptions, SoftmaxOptions};

use super::shorts;
use super::{Entry, NONE, REAL, REAL_AND_BYTES, REALS, SHORT, SIGNED, TRUTH, UNSIGNED, WHOLE, entry};
use crate::differential::graph::{Form, Kind, Quant, Rule};
use crate::differential::net::Net;
use crate::options::Attributes;

/// Quantized numbers have 8 or 16 bits.
const REAL_AND_INTEGERS: &[Form] = &[REAL, SIGNED, UNSIGNED, SHORT];

pub const OPS: &[Entry] = &[
    entry("MEAN", REAL_AND_INTEGERS, &[WHOLE], reduce),
    entry("SUM", REAL_AND_INTEGERS, &[WHOLE], reduce),
    entry("REDUCE_MAX", REAL_AND_INTEGERS, &[WHOLE], reduce),
    entry("REDUCE_MIN", REAL_AND_INTEGERS, NONE, reduce),
    entry("REDUCE_PROD", REALS, &[WHOLE], reduce),
    entry("REDUCE_ANY", &[TRUTH], NONE, reduce),
    entry("REDUCE_ALL", &[TRUTH], NONE, reduce),
    entry("ARG_MAX", &[SIGNED, UNSIGNED, REAL, WHOLE], NONE, arg),
    entry("TOPK_V2", &[SIGNED, UNSIGNED, SHORT, REAL, WHOLE], NONE, top),
    entry("ARG_MIN", &[SIGNED, UNSIGNED, REAL, WHOLE], NONE, arg),
    entry("SOFTMAX", REAL_AND_BYTES, NONE, softmax),
    entry("LOG_SOFTMAX", REALS, &[SIGNED], softmax),
    entry("L2_NORMALIZATION", REALS, NONE, l2_normalization),
];

fn reduce(net: &mut Net, kind: Kind) -> Option<()> {
    let mut x = net.of_rank(kind.form.ty(), 1);
    if x.ty == I16 && x.quant.is_none() {
        let spec = (I16, x.shape, Some(shorts::quant(net)));
        x = net.given(spec);
    }
    let rank = x.shape.len() as i32;
    // Height and width, or any axes; occasionally one is repeated.
    let mut axes: Vec<i32> = match rank == 4 && net.random.chance(30) {
        true => vec![1, 2],
        false => (0..rank).filter(|_| net.random.chance(50)).collect(),
    };
    if net.random.chance(10) {
        axes.extend(axes.first().copied());
    }
    let keeps = net.random.chance(50);
    let folded = |i: usize| axes.contains(&(i as i32));
    let count: i32 = x.shape.iter().enumerate().filter(|(i, _)| folded(*i)).map(|(_, size)| size).product();
    let sizes = x.shape.iter().enumerate();
    let shape = sizes.filter(|(i, _)| keeps || !folded(*i)).map(|(i, &s)| if folded(i) { 1 } else { s });
    let shape: Vec<i32> = shape.collect();
    let named: Vec<i32> = axes.iter().map(|&a| if net.random.chance(25) { a - rank } else { a }).collect();
    let list = net.row(&named);
    let rule = match (x.ty, kind.op) {
        (F32, "MEAN" | "SUM") => Rule::Fold { count: count.max(1) as usize, mean: kind.op == "MEAN" },
        // Products are not bounded by their factors' errors; the delegate's have the same bits.
        (F32, "REDUCE_PROD") => Rule::Step,
        (F32, _) => Rule::Moves,
        _ => Rule::Integers,
    };
    let options = Attributes::of(|o| o.set(ReducerOptions::KEEP_DIMS, keeps));
    let quant = match x.ty {
        I8 | U8 if kind.op == "MEAN" && net.random.chance(70) => net.quant(x.ty),
        I8 | U8 | I16 if kind.op == "SUM" && net.random.chance(70) => {
            // Sums use much of the range.
            let Quant { scale, zero_point } = x.quant?;
            Some(Quant {
                scale: scale * (1.0 + net.random.real()) * (count.max(1) as f32).sqrt(),
                zero_point,
            })
        }
        I16 if kind.op == "MEAN" => Some(shorts::quant(net)),
        _ => x.quant,
    };
    net.node(kind, &[x.index, list.index], vec![(x.ty, shape, quant)], Some(options), rule);
    Some(())
}

fn arg(net: &mut Net, kind: Kind) -> Option<()> {
    let x = net.of_rank(kind.form.ty(), 1);
    let axis = net.random.below(x.shape.len());
    let mut shape = x.shape.clone();
    if shape.remove(axis) == 0 {
        return None;
    }
    let rank = x.shape.len() as i32;
    let named = if net.random.chance(30) { axis as i32 - rank } else { axis as i32 };
    let one = if net.random.chance(50) { net.list(&[], &[named]) } else { net.row(&[named]) };
    let ty = net.random.pick(&[I32, I64]);
    let options = match kind.op {
        "ARG_MAX" => Attributes::of(|o| o.set(ArgMaxOptions::OUTPUT_TYPE, ty as i8)),
        _ => Attributes::of(|o| o.set(ArgMinOptions::OUTPUT_TYPE, ty as i8)),
    };
    // Small differences in floats lead to other places.
    let rule = if x.ty == F32 { Rule::Step } else { Rule::Integers };
    net.node(kind, &[x.index, one.index], vec![(ty, shape, None)], Some(options), rule);
    Some(())
}

fn top(net: &mut Net, kind: Kind) -> Option<()> {
    let x = net.of_rank(kind.form.ty(), 1);
    let (&last, outer) = x.shape.split_last()?;
    let most = net.random.pick(&[last, last.min(5)]);
    let count = net.random.between(0, most);
    let k = net.list(&[], &[count]);
    let shape: Vec<i32> = outer.iter().copied().chain([count]).collect();
    let results = vec![x.like(shape.clone()), (I32, shape, None)];
    net.node(kind, &[x.index, k.index], results, None, Rule::Top);
    Some(())
}

fn l2_normalization(net: &mut Net, kind: Kind) -> Option<()> {
    let x = net.of_rank(kind.form.ty(), 1);
    let depth = x.shape.last().map_or(1, |&depth| depth.max(1));
    // A sum of squares has the relative error of its terms.
    let rule = Rule::Function { slope: f64::INFINITY, ulps: f64::from(depth) + 8.0, floor: 0.0 };
    net.node(kind, &[x.index], vec![(x.ty, x.shape, None)], None, rule);
    Some(())
}

fn softmax(net: &mut Net, kind: Kind) -> Option<()> {
    let x = net.of_rank(kind.form.ty(), 1);
    let beta = net.random.pick(&[1.0, 1.0, 0.5, 2.5]);
    let lowest = if x.ty == I8 { -128 } else { 0 };
    let (quant, rule, options) = match kind.op {
        "SOFTMAX" => (
            Quant { scale: 1.0 / 256.0, zero_point: lowest },
            Rule::Softmax { beta: beta.into() },
            Some(Attributes::of(|o| o.set(SoftmaxOptions::BETA, beta))),
        ),
        _ => (Quant { scale: 1.0 / 16.0, zero_point: lowest + 255 }, Rule::LogSoftmax, None),
    };
    let rule = if x.ty == F32 { rule } else { Rule::Integers };
    net.node(kind, &[x.index], vec![(x.ty, x.shape, x.quant.map(|_| quant))], options, rule);
    Some(())
}
