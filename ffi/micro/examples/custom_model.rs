//! `custom_model FILE`: writes a model with the custom op Weigh, whose kernel is in tests/micro/weigh.c.

use arenite_model::tensor_type::FLOAT32;
use arenite_model::writer::{ModelBuilder, Operator, SubGraph, Tensor};

fn main() -> std::io::Result<()> {
    let mut model = ModelBuilder::new();
    let weigh = model.custom("Weigh", 1);
    let mut graph = SubGraph::new("main");
    let x = graph.input(Tensor::new("x", FLOAT32, &[1, 8]));
    let between = graph.tensor(Tensor::new("between", FLOAT32, &[1, 8]));
    let y = graph.output(Tensor::new("y", FLOAT32, &[1, 8]));
    graph.operator(Operator::new(weigh, &[x], &[between]));
    graph.operator(Operator::new(weigh, &[between], &[y]));
    model.subgraph(graph);
    let file = std::env::args_os().nth(1).ok_or_else(|| std::io::Error::other("custom_model FILE"))?;
    std::fs::write(file, model.finish())
}
