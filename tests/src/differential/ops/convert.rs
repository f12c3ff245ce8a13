//! Conversions between element types.

use arenite::ElementType::{Bool, F16, F32, I8, I16, I32, I64, U8};
use arenite_abi::schema::CastOptions;

use super::{Entry, NONE, entry};
use crate::differential::graph::Form::{self, To};
use crate::differential::graph::{Kind, Rule};
use crate::differential::net::Net;
use crate::options::Attributes;

const CASTS: &[Form] = &[
    To(I32, F32),
    To(I64, F32),
    To(U8, F32),
    To(U8, I32),
    To(I8, F32),
    To(I8, I32),
    To(I8, I64),
    To(I16, F32),
    To(I16, I32),
    To(Bool, F32),
    To(Bool, I32),
    To(Bool, I64),
    To(F32, I32),
    To(F32, I64),
    To(I32, I64),
    To(I64, I32),
    To(F32, Bool),
    To(I32, Bool),
    To(I64, Bool),
];

pub const OPS: &[Entry] = &[
    entry("CAST", CASTS, &[To(F32, U8), To(F32, F16), To(U8, I8), To(I16, I64)], cast),
    // Its own entry: few graphs prefer halves.
    entry("CAST", &[To(F16, F32)], NONE, cast),
    entry(
        "QUANTIZE",
        &[To(F32, I8), To(F32, U8), To(I8, I8), To(I8, U8), To(U8, I8), To(U8, U8)],
        NONE,
        convert,
    ),
    entry("DEQUANTIZE", &[To(I8, F32), To(U8, F32), To(F16, F32)], NONE, convert),
    entry("SHAPE", NONE, &[To(F32, I32)], shape),
];

fn ends(kind: Kind) -> Option<(arenite::ElementType, arenite::ElementType)> {
    match kind.form {
        To(from, to) => Some((from, to)),
        _ => None,
    }
}

fn cast(net: &mut Net, kind: Kind) -> Option<()> {
    let (from, to) = ends(kind)?;
    let x = net.any(from);
    let types = Attributes::of(|o| {
        o.set(CastOptions::IN_DATA_TYPE, from as i8).set(CastOptions::OUT_DATA_TYPE, to as i8)
    });
    let rule = if from == F32 { Rule::Step } else { Rule::Integers };
    net.node(kind, &[x.index], vec![(to, x.shape, None)], Some(types), rule);
    Some(())
}

fn convert(net: &mut Net, kind: Kind) -> Option<()> {
    let (from, to) = ends(kind)?;
    let x = net.any(from);
    let rule = match (from, to) {
        (F32, _) => Rule::Quantize,
        (I8 | U8, F32) => Rule::Dequantize,
        (_, F32) => Rule::Moves,
        _ => Rule::Integers,
    };
    let quant = net.quant(to);
    net.node(kind, &[x.index], vec![(to, x.shape, quant)], None, rule);
    Some(())
}

fn shape(net: &mut Net, kind: Kind) -> Option<()> {
    let x = net.any(F32);
    let rank = vec![x.shape.len() as i32];
    let options = Attributes::of(|o| o.set(arenite_abi::schema::ShapeOptions::OUT_TYPE, I32 as i8));
    net.node(kind, &[x.index], vec![(I32, rank, None)], Some(options), Rule::Step);
    // The inputs must be values, not just shapes.
    net.keep(&x);
    Some(())
}
