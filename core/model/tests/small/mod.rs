//! Small models to spoil.

use arenite_model::tensor_type::{FLOAT32, INT8, STRING};
use arenite_model::writer::{Level, ModelBuilder, Operator, Sparsity, SubGraph, Tensor, bytes_of_strings};

/// Has most tables of the schema.
pub fn rich() -> Vec<u8> {
    let mut model = ModelBuilder::new();
    model.description = Some("rich".into());
    let custom = model.custom("Mine", 1);
    let words = model.buffer(bytes_of_strings(&["a", "bc"]));
    let outside = model.external_buffer([1u8; 40]);
    let stored = model.buffer([1u8; 2]);
    let mut graph = SubGraph::new("main");
    let x = graph.input(Tensor::new("x", INT8, &[2, 2]).per_channel(&[0.5, 0.25], &[0, 1], 0));
    let s = graph.tensor(Tensor::new("s", STRING, &[2]).buffer(words));
    let w = graph.tensor(Tensor::new("w", FLOAT32, &[10]).buffer(outside));
    let p = graph.tensor(Tensor::new("p", INT8, &[2, 2]).buffer(stored).sparse(Sparsity {
        traversal_order: vec![0, 1],
        block_map: vec![],
        levels: vec![Level::Dense(2), Level::Sparse { segments: vec![0, 1, 2], indices: vec![1, 0] }],
    }));
    let y = graph.output(Tensor::new("y", INT8, &[2, 2]).blockwise(w, -1, 2, 0));
    let options = Operator::new(custom, &[x, s, w, p, -1], &[y]).custom_options([3u8; 9]);
    graph.operator(options.options(1, |o| o.i32(0, 4).i32s(1, &[1, 2]).text(2, "t")));
    model.subgraph(graph);
    model.signature("key", 0, &[("x", x)], &[("y", y)]);
    model.metadata("name", [5u8; 5]);
    model.finish()
}

/// A file of `entries` offsets that all lead to the same subgraph of as many offsets to the same operator.
pub fn shared_tables(entries: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut put = |words: &[u32]| {
        let position = bytes.len() as u32;
        words.iter().for_each(|word| bytes.extend_from_slice(&word.to_le_bytes()));
        position
    };
    let halves = |low: u32, high: u32| low | high << 16;
    // header: root at 32; vtable of the model (subgraphs in slot 2) at 8; of a subgraph (operators in slot 3) at 20
    put(&[32, u32::from_le_bytes(*b"TFL3"), halves(10, 8), 0, halves(4, 0)]);
    put(&[halves(12, 8), 0, halves(0, 4)]);
    // model: its vtable 24 bytes back, then the offset to the list of subgraphs
    put(&[24, 4, entries]);
    let list = 40u32;
    let subgraph = list + 4 + 4 * entries;
    for index in 0..entries {
        put(&[subgraph - (list + 4 + 4 * index)]);
    }
    put(&[subgraph - 20, 4, entries]);
    let list = subgraph + 8;
    let operator = list + 4 + 4 * entries;
    for index in 0..entries {
        put(&[operator - (list + 4 + 4 * index)]);
    }
    // operator: a table with an empty vtable behind it
    put(&[(-4i32) as u32, halves(4, 4)]);
    bytes
}

/// Numbers that look random, the same each time.
pub fn random() -> impl FnMut() -> u64 {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    }
}
