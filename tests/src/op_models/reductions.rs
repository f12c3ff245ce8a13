//! Ops that reduce, search, sort and count.

use arenite_abi::schema::{
    ArgMaxOptions, ArgMinOptions, BucketizeOptions, CumsumOptions, L2NormOptions,
    LocalResponseNormalizationOptions, LogSoftmaxOptions, Pool2DOptions, RangeOptions, ReducerOptions,
    SegmentSumOptions, TopKV2Options, UniqueOptions, WhereOptions, activation,
};
use arenite_model::tensor_type::{BOOL, FLOAT32, INT32, INT64};
use arenite_model::writer::{Tensor, bytes_of};

use super::{Kind, Models, OneOp, Sound, f32, i32, pool, rescaled, sound};
use crate::options::Fields;

/// Adds the models of these ops.
pub(super) fn add(models: &mut Models) {
    for kind in [Kind::Float, Kind::Quantized] {
        reducing(kind, models);
        searching(kind, models);
        normalizing(kind, models);
    }
    segments(models);
    counting(models);
}

fn bools(name: &str, shape: &[i32]) -> Tensor {
    Tensor::new(name, BOOL, shape)
}

fn i64(name: &str, shape: &[i32]) -> Tensor {
    Tensor::new(name, INT64, shape)
}

/// A model whose input `name` is constant, and one where it is fed.
fn both(
    op: &'static str,
    models: &mut Models,
    (name, shape, values): (&str, &[i32], &[i32]),
    one: impl Fn(Box<dyn Fn(OneOp) -> OneOp>) -> OneOp,
) {
    let (tensor, data) = (i32(name, shape), bytes_of(values));
    let (fed, bytes) = (tensor.clone(), data.clone());
    models.push(sound(op, one(Box::new(move |o| o.constant(tensor.clone(), bytes.clone()))).model()));
    let inputs = vec![(1, data)];
    models.push(Sound { op, model: one(Box::new(move |o| o.feed(fed.clone()))).model(), inputs });
}

fn reducing(kind: Kind, models: &mut Models) {
    let t = |name: &str, shape: &[i32]| kind.tensor(name, shape);
    for op in ["SUM", "REDUCE_PROD", "REDUCE_MAX", "REDUCE_MIN"] {
        both(op, models, ("axes", &[2], &[0, -1]), |axes| {
            let one = axes(OneOp::new(op).feed(t("x", &[2, 3, 4]))).output(t("y", &[1, 3, 1]));
            one.options(|o| o.set(ReducerOptions::KEEP_DIMS, true))
        });
    }
    if kind == Kind::Quantized {
        return;
    }
    for op in ["REDUCE_ANY", "REDUCE_ALL"] {
        both(op, models, ("axes", &[1], &[1]), |axes| {
            let one = axes(OneOp::new(op).feed(bools("x", &[2, 3]))).output(bools("y", &[2]));
            one.options(|o| o.set(ReducerOptions::KEEP_DIMS, false))
        });
    }
    both("CUMSUM", models, ("axis", &[], &[1]), |axis| {
        let one = axis(OneOp::new("CUMSUM").feed(t("x", &[2, 3]))).output(t("y", &[2, 3]));
        one.options(|o| o.set(CumsumOptions::EXCLUSIVE, true).set(CumsumOptions::REVERSE, true))
    });
}

fn searching(kind: Kind, models: &mut Models) {
    let t = |name: &str, shape: &[i32]| kind.tensor(name, shape);
    for op in ["ARG_MAX", "ARG_MIN"] {
        both(op, models, ("axis", &[1], &[-1]), |axis| {
            let one = axis(OneOp::new(op).feed(t("x", &[2, 5]))).output(i32("y", &[2]));
            match op {
                "ARG_MAX" => one.options(|o| o.set(ArgMaxOptions::OUTPUT_TYPE, INT32 as i8)),
                _ => one.options(|o| o.set(ArgMinOptions::OUTPUT_TYPE, INT32 as i8)),
            }
        });
    }
    both("TOPK_V2", models, ("k", &[], &[2]), |k| {
        let one = k(OneOp::new("TOPK_V2").feed(t("x", &[2, 5])));
        one.output(t("y", &[2, 2])).output(i32("at", &[2, 2])).options::<TopKV2Options>(|o| o)
    });
    let unique = OneOp::new("UNIQUE").feed(t("x", &[5])).output(t("y", &[1])).output(i32("at", &[5]));
    models.push(sound("UNIQUE", unique.options(|o| o.set(UniqueOptions::IDX_OUT_TYPE, INT32 as i8)).model()));
}

fn normalizing(kind: Kind, models: &mut Models) {
    let t = |name: &str, shape: &[i32]| kind.tensor(name, shape);
    let norm = OneOp::new("L2_NORMALIZATION").feed(t("x", &[2, 3])).output(t("y", &[2, 3]));
    models.push(sound(
        "L2_NORMALIZATION",
        norm.options(|o| o.set(L2NormOptions::FUSED_ACTIVATION_FUNCTION, activation::NONE)).model(),
    ));
    let log = OneOp::new("LOG_SOFTMAX").feed(t("x", &[2, 3]));
    let log = log.output(rescaled(t("y", &[2, 3]), 1.0 / 16.0, 127));
    models.push(sound("LOG_SOFTMAX", log.options::<LogSoftmaxOptions>(|o| o).model()));
    if kind == Kind::Quantized {
        return;
    }
    let one = OneOp::new("L2_POOL_2D").feed(t("x", &[1, 4, 4, 2])).output(t("y", &[1, 2, 2, 2]));
    models.push(sound("L2_POOL_2D", one.options::<Pool2DOptions>(pool(2, 2)).model()));
    type Response = LocalResponseNormalizationOptions;
    let response = |o: Fields<_>| {
        o.set(Response::RADIUS, 1)
            .set(Response::BIAS, 1.0)
            .set(Response::ALPHA, 0.5)
            .set(Response::BETA, 0.75)
    };
    let one =
        OneOp::new("LOCAL_RESPONSE_NORMALIZATION").feed(t("x", &[1, 2, 2, 4])).output(t("y", &[1, 2, 2, 4]));
    models.push(sound(
        "LOCAL_RESPONSE_NORMALIZATION",
        one.options::<LocalResponseNormalizationOptions>(response).model(),
    ));
}

fn segments(models: &mut Models) {
    let op = "SEGMENT_SUM";
    both(op, models, ("ids", &[4], &[0, 0, 1, 2]), |ids| {
        ids(OneOp::new(op).feed(f32("x", &[4, 2])))
            .output(f32("y", &[3, 2]))
            .options::<SegmentSumOptions>(|o| o)
    });
    for op in
        ["UNSORTED_SEGMENT_PROD", "UNSORTED_SEGMENT_MAX", "UNSORTED_SEGMENT_MIN", "UNSORTED_SEGMENT_SUM"]
    {
        both(op, models, ("ids", &[4], &[2, 0, -1, 2]), |ids| {
            let one = ids(OneOp::new(op).feed(i32("x", &[4, 2])));
            one.constant(i32("count", &[]), bytes_of(&[3])).output(i32("y", &[3, 2])).defaults()
        });
    }
}

fn counting(models: &mut Models) {
    let found = OneOp::new("WHERE").feed(bools("x", &[2, 3])).output(i64("y", &[3, 2]));
    models.push(Sound {
        op: "WHERE",
        model: found.options::<WhereOptions>(|o| o).model(),
        inputs: vec![(0, vec![1, 0, 1, 0, 0, 1])],
    });
    let known = OneOp::new("WHERE").constant(bools("x", &[3]), vec![1, 0, 1]).output(i64("y", &[2, 1]));
    models.push(sound("WHERE", known.options::<WhereOptions>(|o| o).model()));
    let bucketize = OneOp::new("BUCKETIZE").feed(f32("x", &[2, 3])).output(i32("y", &[2, 3]));
    models.push(sound(
        "BUCKETIZE",
        bucketize.options(|o| o.set(BucketizeOptions::BOUNDARIES, &[-1.0, 0.0, 2.5])).model(),
    ));
    let range = |x: [f32; 3]| {
        ["start", "limit", "delta"].into_iter().zip(x).fold(OneOp::new("RANGE"), |one, (name, x)| {
            one.constant(Tensor::new(name, FLOAT32, &[]), bytes_of(&[x]))
        })
    };
    let known = range([1.0, 3.0, 0.5]).output(f32("y", &[4]));
    models.push(sound("RANGE", known.options::<RangeOptions>(|o| o).model()));
    let late = OneOp::new("RANGE").feed(i32("start", &[])).feed(i32("limit", &[])).feed(i32("delta", &[]));
    models.push(Sound {
        op: "RANGE",
        model: late.output(i32("y", &[4])).options::<RangeOptions>(|o| o).model(),
        inputs: vec![(0, bytes_of(&[3])), (1, bytes_of(&[-4])), (2, bytes_of(&[-2]))],
    });
}
