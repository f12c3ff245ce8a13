//! TensorFlow ops in the runtime: tensor lists pass from node to node, and ops without an implementation are all
//! listed.

use arenite::{Interpreter, Model, Registry};
use arenite_abi::ElementType::{self, F32};
use arenite_flex::kit::write::Attribute::Type;
use arenite_flex::kit::write::custom_options;
use arenite_model::writer::{ModelBuilder, Operator, SubGraph, Tensor, bytes_of};
use arenite_tests::op_models::{f32, i32};

use std::sync::Arc;

fn registry() -> Arc<Registry> {
    let mut registry = Registry::new();
    for plugin in arenite_tests::plugins() {
        registry.add_plugin(plugin).expect("the plugins are well formed");
    }
    Arc::new(registry)
}

/// A graph of Flex ops.
struct Graph {
    model: ModelBuilder,
    graph: SubGraph,
}

impl Graph {
    fn constant(&mut self, shape: &[i32], values: &[i32]) -> i32 {
        let buffer = self.model.buffer(bytes_of(values));
        self.graph.tensor(i32("constant", shape).buffer(buffer))
    }

    fn node(&mut self, op: &str, inputs: &[i32], outputs: &[i32]) {
        let code = self.model.custom(&format!("Flex{op}"), 1);
        let options = custom_options(op, &[("element_dtype", Type(F32))]);
        self.graph.operator(Operator::new(code, inputs, outputs).custom_options(options));
    }

    fn list(&mut self) -> i32 {
        self.graph.tensor(Tensor::new("list", ElementType::Variant as i32, &[]))
    }
}

#[test]
fn a_tensor_list_passes_through_a_graph() {
    let mut g = Graph { model: ModelBuilder::new(), graph: SubGraph::new("main") };
    let x = g.graph.input(f32("x", &[2, 3]));
    let shape = g.constant(&[1], &[3]);
    let (one, two) = (g.constant(&[], &[1]), g.constant(&[], &[2]));
    let lists: Vec<i32> = (0..5).map(|_| g.list()).collect();
    let row = g.graph.tensor(f32("row", &[3]));
    let last = g.graph.output(f32("last", &[3]));
    let all = g.graph.output(f32("all", &[4, 3]));
    let count = g.graph.output(i32("count", &[]));
    let absent = g.graph.output(f32("absent", &[3]));
    g.node("TensorListFromTensor", &[x, shape], &[lists[0]]);
    g.node("TensorListGetItem", &[lists[0], one, shape], &[row]);
    g.node("TensorListPushBack", &[lists[0], row], &[lists[1]]);
    g.node("TensorListPushBack", &[lists[1], row], &[lists[2]]);
    g.node("TensorListStack", &[lists[2], shape], &[all]);
    g.node("TensorListPopBack", &[lists[2], shape], &[lists[3], last]);
    g.node("TensorListLength", &[lists[3]], &[count]);
    g.node("TensorListReserve", &[shape, two], &[lists[4]]);
    g.node("TensorListGetItem", &[lists[4], one, shape], &[absent]);
    g.model.subgraph(g.graph);
    let model = Model::from_bytes(g.model.finish()).unwrap();
    let mut interpreter = Interpreter::builder(&model).registry(registry()).build().unwrap();
    interpreter.allocate().unwrap();
    let values: Vec<f32> = (1..=6).map(|i| i as f32).collect();
    interpreter.input_mut(0).unwrap().copy_from_bytes(&bytes_of(&values)).unwrap();
    for _ in 0..2 {
        interpreter.invoke().unwrap();
        let output = |i: usize| interpreter.output(i).unwrap().bytes().unwrap().to_vec();
        assert_eq!(output(0), bytes_of(&[4f32, 5.0, 6.0]));
        assert_eq!(output(1), bytes_of(&[1f32, 2.0, 3.0, 4.0, 5.0, 6.0, 4.0, 5.0, 6.0, 4.0, 5.0, 6.0]));
        assert_eq!(output(2), bytes_of(&[3]));
        assert_eq!(output(3), bytes_of(&[0f32; 3]));
    }
}

#[test]
fn all_unserved_ops_are_listed() {
    let mut g = Graph { model: ModelBuilder::new(), graph: SubGraph::new("main") };
    let x = g.graph.input(f32("x", &[3]));
    let between = g.graph.tensor(f32("between", &[3]));
    let y = g.graph.output(f32("y", &[3]));
    g.node("NoSuchOp", &[x], &[between]);
    g.node("NorThisOne", &[between], &[y]);
    g.model.subgraph(g.graph);
    let model = Model::from_bytes(g.model.finish()).unwrap();
    let built = Interpreter::builder(&model).registry(registry()).build();
    let error = built.and_then(|mut interpreter| interpreter.allocate()).unwrap_err().to_string();
    assert!(error.contains("FlexNoSuchOp") && error.contains("FlexNorThisOne"), "{error}");
}
