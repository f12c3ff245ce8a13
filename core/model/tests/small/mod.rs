//! A small model for tests to corrupt.

use arenite_model::tensor_type::{FLOAT32, INT8, STRING};
use arenite_model::writer::{Level, ModelBuilder, Operator, Sparsity, SubGraph, Tensor, bytes_of_strings};

/// Contains most tables of the schema.
pub(crate) fn rich() -> Vec<u8> {
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
