//! Memory lent by raw pointer, and memory that overlaps it.

use std::sync::Arc;

use arenite_abi::prelude::*;
use arenite_runtime::model_file::tensor_type::INT32;
use arenite_runtime::model_file::writer::{ModelBuilder, Operator, SubGraph, Tensor};
use arenite_runtime::{AlignedBytes, Interpreter, Model, Registry};

struct Twice;

impl Op for Twice {
    const CODE: OpCode = OpCode::Custom("Twice");
    const VERSIONS: RangeInclusive<i32> = 1..=1;

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        cx.set_output_shape(0, node.input(0)?.shape)?;
        cx.allow_in_place(0, 0)?;
        Ok(Twice)
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let (x, y) = (cx.input_cells::<i32>(0)?, cx.output_cells::<i32>(0)?);
        y.iter().enumerate().for_each(|(i, y)| y.set(2 * x.get(i)));
        Ok(())
    }
}

/// Places all records at offset 0: there is only one tensor.
struct Zero;

impl Planner for Zero {
    const NAME: &'static str = "zero";

    fn plan(_: &PlanRequest<'_>, assignment: &mut AssignmentMut<'_>) -> Result<()> {
        assignment.offsets().fill(0);
        Ok(())
    }
}

static PLUGIN: Plugin = plugin! {
    id: "org.example.lending",
    description: "An op and a planner for this test",
    ops: [Twice],
    planners: [Zero],
};

/// `a = 2 x`, `y = 2 a`.
fn interpreter() -> Interpreter {
    let (mut model, mut graph) = (ModelBuilder::new(), SubGraph::new("main"));
    let vector = |name| Tensor::new(name, INT32, &[2]);
    let (x, a, y) = (graph.input(vector("x")), graph.tensor(vector("a")), graph.output(vector("y")));
    let code = model.custom("Twice", 1);
    graph.operator(Operator::new(code, &[x], &[a]));
    graph.operator(Operator::new(code, &[a], &[y]));
    model.subgraph(graph);
    let mut registry = Registry::new();
    registry.add_plugin(&PLUGIN).unwrap();
    let model = Model::from_bytes(model.finish()).unwrap();
    Interpreter::builder(&model).registry(Arc::new(registry)).planner("zero").build().unwrap()
}

#[test]
fn raw_memory_is_used_until_it_is_taken_back_and_lent_only_once() {
    let mut memory = AlignedBytes::zeroed(256).unwrap();
    let data = memory.as_mut().as_mut_ptr();
    let mut interpreter = interpreter();
    // SAFETY: the memory outlives the interpreter, and is accessed only through `data`, between calls.
    let mut lend = |t, at, bytes| unsafe { interpreter.lend_raw(0, t, data.add(at), bytes) };
    assert!(lend(0, 64, 8).unwrap().is_none());
    let overlap = lend(2, 64, 16).map(drop).unwrap_err().to_string();
    assert!(
        overlap.starts_with("tensor 'x': the memory at 0x") && overlap.contains("for tensor 2 of subgraph 0"),
        "{overlap}"
    );
    let overlap = lend(2, 0, 65).map(drop).unwrap_err().to_string();
    assert!(overlap.contains("overlaps it"), "{overlap}");
    lend(2, 128, 8).unwrap();
    lend(2, 0, 64).unwrap();
    // SAFETY: a null pointer is rejected before any access.
    let null = unsafe { interpreter.lend_raw(0, 0, std::ptr::null_mut(), 8) }.map(drop).unwrap_err();
    assert_eq!(null.to_string(), "the memory of 8 bytes lent to tensor 0 is null");
    interpreter.allocate().unwrap();
    for x in [3, -4] {
        // SAFETY: 8 aligned bytes at offset 64 are lent, and no call is in progress.
        unsafe { data.add(64).cast::<[i32; 2]>().write([x, x + 1]) };
        interpreter.invoke().unwrap();
        // SAFETY: 8 aligned bytes at offset 0 are lent, and no call is in progress.
        assert_eq!(unsafe { data.cast::<[i32; 2]>().read() }, [4 * x, 4 * (x + 1)]);
        assert_eq!(interpreter.input(0).unwrap().as_slice::<i32>().unwrap(), [x, x + 1], "not overwritten");
    }
    assert!(interpreter.take_back(0, 2).unwrap().is_none(), "the raw memory was handed back");
    interpreter.allocate().unwrap();
    interpreter.invoke().unwrap();
    assert_eq!(interpreter.output(0).unwrap().as_slice::<i32>().unwrap(), [-16, -12]);
    drop(interpreter);
    assert_eq!(memory.as_ref()[128..], [0; 128]);
}

#[test]
fn the_interpreters_own_memory_cannot_be_lent() {
    let mut interpreter = interpreter();
    for tensor in [0, 2] {
        interpreter.lend(0, tensor, Box::new(AlignedBytes::zeroed(8).unwrap())).unwrap();
    }
    interpreter.allocate().unwrap();
    interpreter.input_mut(0).unwrap().copy_from_slice(&[1, 2]).unwrap();
    interpreter.invoke().unwrap();
    let own = interpreter.tensor(1).unwrap().bytes().unwrap().as_ptr().cast_mut();
    for tensor in [0, 2] {
        // SAFETY: the interpreter's own memory is rejected before any access.
        let error = unsafe { interpreter.lend_raw(0, tensor, own, 8) }.map(drop).unwrap_err().to_string();
        assert!(error.contains("overlaps the interpreter's own"), "{error}");
    }
    interpreter.invoke().unwrap();
    assert_eq!(interpreter.output(0).unwrap().as_slice::<i32>().unwrap(), [4, 8]);
}
