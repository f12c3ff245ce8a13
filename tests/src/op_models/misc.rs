//! Ops of lookups, random numbers, boxes, texts, spectra and volumes.

use arenite_abi::schema::{
    Conv3DOptions, EmbeddingLookupSparseOptions, LSHProjectionOptions, RandomOptions, ReduceWindowOptions,
    SkipGramOptions, StablehloGatherOptions, StablehloRngBitGeneratorOptions, combiner, padding,
    reduce_window, rng_algorithm,
};
use arenite_model::tensor_type::{COMPLEX64, INT64, STRING, UINT8, UINT64};
use arenite_model::writer::{Tensor, bytes_of, bytes_of_strings};

use super::{Models, OneOp, Sound, f32, i8, i32, sound};

/// Adds the models of these ops.
pub(super) fn add(models: &mut Models) {
    random(models);
    lookups(models);
    boxes(models);
    windows(models);
}

fn random(models: &mut Models) {
    for op in ["RANDOM_UNIFORM", "RANDOM_STANDARD_NORMAL"] {
        let known = OneOp::new(op).constant(i32("shape", &[2]), bytes_of(&[2, 3])).output(f32("y", &[2, 3]));
        models.push(sound(
            op,
            known.options(|o| o.set(RandomOptions::SEED, 1).set(RandomOptions::SEED2, 2)).model(),
        ));
        let fed = OneOp::new(op).feed(i32("shape", &[2])).output(f32("y", &[2, 3]));
        let model = fed.options(|o| o.set(RandomOptions::SEED, 1).set(RandomOptions::SEED2, 2)).model();
        models.push(Sound { op, model, inputs: vec![(0, bytes_of(&[2, 3]))] });
    }
    let draw = OneOp::new("MULTINOMIAL").feed(f32("logits", &[2, 4])).feed(i32("samples", &[]));
    let draw = draw
        .output(Tensor::new("y", INT64, &[2, 5]))
        .options(|o| o.set(RandomOptions::SEED, 1).set(RandomOptions::SEED2, 2));
    models.push(Sound { op: "MULTINOMIAL", model: draw.model(), inputs: vec![(1, bytes_of(&[5]))] });
    let bits = OneOp::new("STABLEHLO_RNG_BIT_GENERATOR").feed(Tensor::new("state", UINT64, &[2]));
    let bits = bits.output(Tensor::new("next", UINT64, &[2])).output(i32("bits", &[3, 3]));
    models.push(sound(
        "STABLEHLO_RNG_BIT_GENERATOR",
        bits.options(|o| o.set(StablehloRngBitGeneratorOptions::ALGORITHM, rng_algorithm::THREEFRY)).model(),
    ));
}

fn lookups(models: &mut Models) {
    let embed = OneOp::new("EMBEDDING_LOOKUP").feed(i32("indices", &[3]));
    let embed = embed.constant(i8("table", &[4, 5]), vec![7; 20]).output(f32("y", &[3, 5]));
    models.push(sound("EMBEDDING_LOOKUP", embed.model()));
    let sparse = OneOp::new("EMBEDDING_LOOKUP_SPARSE").feed(i32("ids", &[3])).feed(i32("indices", &[3, 2]));
    let sparse = sparse.constant(i32("shape", &[2]), bytes_of(&[2, 2])).feed(f32("weights", &[3]));
    let sparse = sparse
        .feed(f32("table", &[4, 5]))
        .output(f32("y", &[2, 5]))
        .options(|o| o.set(EmbeddingLookupSparseOptions::COMBINER, combiner::MEAN));
    models.push(sound("EMBEDDING_LOOKUP_SPARSE", sparse.model()));
    let table = OneOp::new("HASHTABLE_LOOKUP").feed(i32("wanted", &[3])).feed(i32("keys", &[4]));
    let table =
        table.feed(f32("values", &[4, 2])).output(f32("y", &[3, 2])).output(Tensor::new("hits", UINT8, &[3]));
    models.push(sound("HASHTABLE_LOOKUP", table.model()));
    let lsh = OneOp::new("LSH_PROJECTION").feed(f32("seeds", &[3, 2])).feed(i32("items", &[5, 2]));
    let lsh = lsh
        .feed(f32("weights", &[5]))
        .output(i32("y", &[3]))
        .options(|o| o.set(LSHProjectionOptions::TYPE, 1));
    models.push(sound("LSH_PROJECTION", lsh.model()));
    let grams =
        OneOp::new("SKIP_GRAM").constant(Tensor::new("text", STRING, &[1]), bytes_of_strings(&["a b c"]));
    let grams = grams.output(Tensor::new("y", STRING, &[0]));
    models.push(sound(
        "SKIP_GRAM",
        grams
            .options(|o| {
                o.set(SkipGramOptions::NGRAM_SIZE, 2)
                    .set(SkipGramOptions::MAX_SKIP_SIZE, 1)
                    .set(SkipGramOptions::INCLUDE_ALL_NGRAMS, true)
            })
            .model(),
    ));
}

fn boxes(models: &mut Models) {
    for (op, soft) in [("NON_MAX_SUPPRESSION_V4", false), ("NON_MAX_SUPPRESSION_V5", true)] {
        let one =
            OneOp::new(op).feed(f32("boxes", &[6, 4])).feed(f32("scores", &[6])).feed(i32("limit", &[]));
        let one = one
            .constant(f32("overlap", &[]), bytes_of(&[0.5f32]))
            .constant(f32("least", &[]), bytes_of(&[-1.0f32]));
        let one = match soft {
            false => one.output(i32("indices", &[3])).output(i32("count", &[])),
            true => one
                .constant(f32("sigma", &[]), bytes_of(&[0.5f32]))
                .output(i32("indices", &[3]))
                .output(f32("chosen", &[3]))
                .output(i32("count", &[])),
        };
        models.push(Sound { op, model: one.model(), inputs: vec![(2, bytes_of(&[3]))] });
    }
}

fn windows(models: &mut Models) {
    let one =
        |name: &str, values: &[i64]| (Tensor::new(name, INT64, &[values.len() as i32]), bytes_of(values));
    let reduce = OneOp::new("REDUCE_WINDOW").feed(f32("x", &[4, 5])).feed(f32("init", &[]));
    let lists = [one("sizes", &[2, 2]), one("strides", &[1, 2]), one("dilations", &[2, 1])];
    let reduce = lists.into_iter().fold(reduce, |node, (list, data)| node.constant(list, data));
    let reduce = reduce
        .output(f32("y", &[2, 2]))
        .options(|o| o.set(ReduceWindowOptions::REDUCE_FUNCTION, reduce_window::ADD));
    models.push(sound("REDUCE_WINDOW", reduce.model()));

    let gather = OneOp::new("STABLEHLO_GATHER").feed(f32("x", &[3, 4])).feed(i32("indices", &[2, 2]));
    let gather = gather.output(f32("y", &[2, 2])).options(|o| {
        o.set(StablehloGatherOptions::OFFSET_DIMS, &[1])
            .set(StablehloGatherOptions::COLLAPSED_SLICE_DIMS, &[1])
            .set(StablehloGatherOptions::START_INDEX_MAP, &[1, 0])
            .set(StablehloGatherOptions::INDEX_VECTOR_DIM, 1)
            .set(StablehloGatherOptions::SLICE_SIZES, &[2, 1])
    });
    models.push(sound("STABLEHLO_GATHER", gather.model()));

    for fed in [false, true] {
        let node = OneOp::new("RFFT2D").feed(f32("x", &[3, 4]));
        let lengths = i32("lengths", &[2]);
        let node = if fed { node.feed(lengths) } else { node.constant(lengths, bytes_of(&[4, 4])) };
        let model = node.output(Tensor::new("y", COMPLEX64, &[4, 3])).model();
        let inputs = if fed { vec![(1, bytes_of(&[4, 4]))] } else { vec![] };
        models.push(Sound { op: "RFFT2D", model, inputs });

        let node = OneOp::new("CONV_3D_TRANSPOSE");
        let shape = i32("shape", &[5]);
        let sizes = bytes_of(&[1, 2, 3, 3, 2]);
        let node = if fed { node.feed(shape) } else { node.constant(shape, sizes.clone()) };
        let node =
            node.constant(f32("w", &[2, 2, 2, 2, 3]), vec![0; 4 * 48]).feed(f32("x", &[1, 1, 2, 2, 3]));
        let node = node.constant(f32("b", &[2]), vec![0; 8]).output(f32("y", &[1, 2, 3, 3, 2]));
        let node = node.options(|o| {
            o.set(Conv3DOptions::PADDING, padding::VALID)
                .set(Conv3DOptions::STRIDE_D, 1)
                .set(Conv3DOptions::STRIDE_W, 1)
                .set(Conv3DOptions::STRIDE_H, 1)
        });
        let inputs = if fed { vec![(0, sizes)] } else { vec![] };
        models.push(Sound { op: "CONV_3D_TRANSPOSE", model: node.model(), inputs });
    }
    let conv = OneOp::new("CONV_3D").feed(f32("x", &[1, 2, 3, 3, 2]));
    let conv =
        conv.constant(f32("w", &[2, 2, 2, 2, 3]), vec![0; 4 * 48]).constant(f32("b", &[3]), vec![0; 12]);
    let conv = conv.output(f32("y", &[1, 1, 2, 2, 3])).options(|o| {
        o.set(Conv3DOptions::PADDING, padding::VALID)
            .set(Conv3DOptions::STRIDE_D, 1)
            .set(Conv3DOptions::STRIDE_W, 1)
            .set(Conv3DOptions::STRIDE_H, 1)
    });
    models.push(sound("CONV_3D", conv.model()));

    for op in ["RandomUniform", "RandomStandardNormal"] {
        let node =
            OneOp::custom(op).constant(i32("shape", &[2]), bytes_of(&[2, 3])).output(f32("y", &[2, 3]));
        models.push(sound(op, node.model()));
    }
}
