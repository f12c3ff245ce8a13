//! Ops that run subgraphs or have state: control flow, variables, hash tables.

use arenite_abi::schema::{
    AddOptions, AssignVariableOptions, CallOnceOptions, CastOptions, HashtableFindOptions,
    HashtableImportOptions, HashtableOptions, HashtableSizeOptions, IfOptions, ReadVariableOptions,
    StableHLOCompositeOptions, StablehloCaseOptions, SubOptions, VarHandleOptions, WhileOptions,
};
use arenite_model::tensor_type::{BOOL, INT32, INT64, RESOURCE, STRING};
use arenite_model::writer::{ModelBuilder, Operator, SubGraph, Tensor, bytes_of, bytes_of_strings};

use super::{Models, Sound, f32, i32, sound};
use crate::options::WithOptions;

/// Adds the models of these ops.
pub(super) fn add(models: &mut Models) {
    models.push(choice("IF", Tensor::new("c", BOOL, &[]), vec![1]));
    models.push(choice("STABLEHLO_CASE", i32("c", &[]), bytes_of(&[1])));
    models.push(sound("WHILE", counting_loop(1)));
    models.push(sound("WHILE", counting_loop(3)));
    models.push(sound("STABLEHLO_COMPOSITE", composite()));
    models.push(sound("CALL_ONCE", variable(true)));
    models.push(sound("CALL_ONCE", hash_table()));
}

/// A graph `y = op(x, x)` or `y = op(x)` on vectors of two elements.
fn branch(model: &mut ModelBuilder, op: &str) -> SubGraph {
    let mut graph = SubGraph::new(op);
    let (x, y) = (graph.input(f32("x", &[2])), graph.output(f32("y", &[2])));
    let code = model.builtin(op, 1);
    let inputs = if op == "ADD" { vec![x, x] } else { vec![x] };
    graph.operator(Operator::new(code, &inputs, &[y]));
    graph
}

fn choice(op: &'static str, condition: Tensor, value: Vec<u8>) -> Sound {
    let mut model = ModelBuilder::new();
    let mut main = SubGraph::new("main");
    let code = model.builtin(op, 1);
    let (c, x, y) = (main.input(condition), main.input(f32("x", &[2])), main.output(f32("y", &[2])));
    let node = Operator::new(code, &[c, x], &[y]);
    main.operator(match op {
        "IF" => node.with_options(|o| {
            o.set(IfOptions::THEN_SUBGRAPH_INDEX, 1).set(IfOptions::ELSE_SUBGRAPH_INDEX, 2)
        }),
        _ => node.with_options(|o| o.set(StablehloCaseOptions::BRANCH_SUBGRAPH_INDICES, &[1, 2])),
    });
    model.subgraph(main);
    for op in ["ADD", "RELU"] {
        let graph = branch(&mut model, op);
        model.subgraph(graph);
    }
    Sound { op, model, inputs: vec![(0, value)] }
}

/// `while (i != 3) { i += step; x += x }`, starting at 0: endless unless `step` is 1 or 3.
pub fn counting_loop(step: i32) -> ModelBuilder {
    let mut model = ModelBuilder::new();
    let [add, sub, cast, repeat] = ["ADD", "SUB", "CAST", "WHILE"].map(|op| model.builtin(op, 1));
    let (three, one) = (model.buffer(bytes_of(&[3])), model.buffer(bytes_of(&[step])));
    let values = |graph: &mut SubGraph| [graph.input(i32("i", &[])), graph.input(f32("x", &[2]))];
    let mut main = SubGraph::new("main");
    let [i, x] = values(&mut main);
    let (n, y) = (main.output(i32("n", &[])), main.output(f32("y", &[2])));
    main.operator(Operator::new(repeat, &[i, x], &[n, y]).with_options(|o| {
        o.set(WhileOptions::COND_SUBGRAPH_INDEX, 1).set(WhileOptions::BODY_SUBGRAPH_INDEX, 2)
    }));
    let mut condition = SubGraph::new("condition");
    let [i, _] = values(&mut condition);
    let limit = condition.tensor(i32("limit", &[]).buffer(three));
    let rest = condition.tensor(i32("rest", &[]));
    let go_on = condition.output(Tensor::new("go on", BOOL, &[]));
    condition.operator(Operator::new(sub, &[limit, i], &[rest]).with_options::<SubOptions>(|o| o));
    condition.operator(Operator::new(cast, &[rest], &[go_on]).with_options(|o| {
        o.set(CastOptions::IN_DATA_TYPE, INT32 as i8).set(CastOptions::OUT_DATA_TYPE, BOOL as i8)
    }));
    let mut body = SubGraph::new("body");
    let [i, x] = values(&mut body);
    let one = body.tensor(i32("one", &[]).buffer(one));
    let (next, doubled) = (body.output(i32("next", &[])), body.output(f32("doubled", &[2])));
    body.operator(Operator::new(add, &[i, one], &[next]).with_options::<AddOptions>(|o| o));
    body.operator(Operator::new(add, &[x, x], &[doubled]).with_options::<AddOptions>(|o| o));
    for graph in [main, condition, body] {
        model.subgraph(graph);
    }
    model
}

/// `y = decomposition(x)`, which is `x + x`.
pub fn composite() -> ModelBuilder {
    let mut model = ModelBuilder::new();
    let mut main = SubGraph::new("main");
    let code = model.builtin("STABLEHLO_COMPOSITE", 1);
    let (x, y) = (main.input(f32("x", &[2])), main.output(f32("y", &[2])));
    main.operator(Operator::new(code, &[x], &[y]).with_options(|o| {
        o.set(StableHLOCompositeOptions::NAME, "example.double")
            .set(StableHLOCompositeOptions::DECOMPOSITION_SUBGRAPH_INDEX, 1)
    }));
    model.subgraph(main);
    let graph = branch(&mut model, "ADD");
    model.subgraph(graph);
    model
}

/// A variable that is first `x`, and then doubles: `y` is its previous value. Without `initialised` it gets no initial
/// value.
pub fn variable(initialised: bool) -> ModelBuilder {
    let mut model = ModelBuilder::new();
    let ops = ["CALL_ONCE", "VAR_HANDLE", "READ_VARIABLE", "ASSIGN_VARIABLE", "ADD"];
    let [once, handle, read, assign, add] = ops.map(|op| model.builtin(op, 1));
    let first = model.buffer(bytes_of(&[1.0f32, -3.0]));
    let named = |graph: &mut SubGraph| {
        let v = graph.tensor(Tensor::new("v", RESOURCE, &[]));
        graph.operator(
            Operator::new(handle, &[], &[v]).with_options(|o| o.set(VarHandleOptions::SHARED_NAME, "v")),
        );
        v
    };
    let mut main = SubGraph::new("main");
    if initialised {
        main.operator(
            Operator::new(once, &[], &[]).with_options(|o| o.set(CallOnceOptions::INIT_SUBGRAPH_INDEX, 1)),
        );
    }
    let v = named(&mut main);
    let (y, doubled) = (main.output(f32("y", &[2])), main.tensor(f32("doubled", &[2])));
    main.operator(Operator::new(read, &[v], &[y]).with_options::<ReadVariableOptions>(|o| o));
    main.operator(Operator::new(add, &[y, y], &[doubled]).with_options::<AddOptions>(|o| o));
    main.operator(Operator::new(assign, &[v, doubled], &[]).with_options::<AssignVariableOptions>(|o| o));
    let mut start = SubGraph::new("start");
    let value = start.tensor(f32("x", &[2]).buffer(first));
    let v = named(&mut start);
    start.operator(Operator::new(assign, &[v, value], &[]).with_options::<AssignVariableOptions>(|o| o));
    model.subgraph(main);
    model.subgraph(start);
    model
}

/// A table from words to numbers: looks up the constant `key`, and returns the values and the table's size.
fn hash_table() -> ModelBuilder {
    let mut model = ModelBuilder::new();
    let ops = ["CALL_ONCE", "HASHTABLE", "HASHTABLE_IMPORT", "HASHTABLE_FIND", "HASHTABLE_SIZE"];
    let [once, table, import, find, size] = ops.map(|op| model.builtin(op, 1));
    let words = model.buffer(bytes_of_strings(&["one", "two"]));
    let numbers: Vec<u8> = [1i64, 2].iter().flat_map(|n| n.to_le_bytes()).collect();
    let numbers = model.buffer(numbers);
    let default = model.buffer((-1i64).to_le_bytes());
    let keys = model.buffer(bytes_of_strings(&["two", "three"]));
    let made = |graph: &mut SubGraph| {
        let t = graph.tensor(Tensor::new("t", RESOURCE, &[1]));
        graph.operator(Operator::new(table, &[], &[t]).with_options(|o| {
            o.set(HashtableOptions::TABLE_ID, 7)
                .set(HashtableOptions::KEY_DTYPE, STRING as i8)
                .set(HashtableOptions::VALUE_DTYPE, INT64 as i8)
        }));
        t
    };
    let mut main = SubGraph::new("main");
    main.operator(
        Operator::new(once, &[], &[]).with_options(|o| o.set(CallOnceOptions::INIT_SUBGRAPH_INDEX, 1)),
    );
    let t = made(&mut main);
    let key = main.tensor(Tensor::new("key", STRING, &[2]).buffer(keys));
    let default = main.tensor(Tensor::new("default", INT64, &[]).buffer(default));
    let (y, n) = (main.output(Tensor::new("y", INT64, &[2])), main.output(Tensor::new("n", INT64, &[1])));
    main.operator(Operator::new(find, &[t, key, default], &[y]).with_options::<HashtableFindOptions>(|o| o));
    main.operator(Operator::new(size, &[t], &[n]).with_options::<HashtableSizeOptions>(|o| o));
    let mut start = SubGraph::new("start");
    let t = made(&mut start);
    let keys = start.tensor(Tensor::new("keys", STRING, &[2]).buffer(words));
    let values = start.tensor(Tensor::new("values", INT64, &[2]).buffer(numbers));
    start.operator(
        Operator::new(import, &[t, keys, values], &[]).with_options::<HashtableImportOptions>(|o| o),
    );
    model.subgraph(main);
    model.subgraph(start);
    model
}
