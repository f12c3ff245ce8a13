//! Memory that the caller owns and lends to tensors.

use std::any::Any;

use arenite::model_file::tensor_type::{INT32, INT64, STRING};
use arenite::model_file::writer::Tensor;
use arenite::{AlignedBytes, Interpreter, LentMemory, Model, Quota};
use arenite_tests::op_models::control::counting_loop;
use arenite_tests::reference_ops;

use crate::models::{allocated, dynamic_chain, f32s, list, message, model, negation, node, output};
use crate::plugin;

fn bytes(count: usize) -> Box<dyn LentMemory> {
    Box::new(AlignedBytes::zeroed(count).unwrap())
}

fn of(values: &[f32]) -> Box<dyn LentMemory> {
    let mut memory = bytes(4 * values.len());
    let data: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
    address_and(&mut memory).copy_from_slice(&data);
    memory
}

fn address_and(memory: &mut Box<dyn LentMemory>) -> &mut [u8] {
    (**memory).as_mut()
}

fn address(memory: &mut Box<dyn LentMemory>) -> i64 {
    address_and(memory).as_ptr().addr() as i64
}

fn floats(memory: Box<dyn LentMemory>) -> Vec<f32> {
    let memory = (memory as Box<dyn Any>).downcast::<AlignedBytes>().expect("the message was set");
    let floats = (*memory).as_ref().chunks_exact(4).map(|b| f32::from_le_bytes(b.try_into().unwrap()));
    floats.collect()
}

/// `y` holds the addresses of x, v and y.
fn addresses() -> Interpreter {
    let model = model(|m, g| {
        let (x, v) = (g.input(f32s("x", &[4])), g.tensor(f32s("v", &[4]).variable()));
        let y = g.output(Tensor::new("y", INT64, &[3]));
        node(m, g, "Address", &[x, v], y);
    });
    reference_ops(&model).registry(plugin::registry()).build().unwrap()
}

fn seen(interpreter: &mut Interpreter) -> Vec<i64> {
    interpreter.input_mut(0).unwrap().copy_from_slice(&[0.0f32; 4]).unwrap();
    interpreter.invoke().unwrap();
    interpreter.output(0).unwrap().as_slice::<i64>().unwrap().to_vec()
}

#[test]
fn kernels_see_lent_memory() {
    let mut interpreter = addresses();
    let mut lent = [16, 16, 24].map(bytes);
    let want = lent.each_mut().map(address);
    for (t, memory) in lent.into_iter().enumerate() {
        assert!(interpreter.lend(0, t, memory).unwrap().is_none());
    }
    interpreter.allocate().unwrap();
    assert_eq!(seen(&mut interpreter), want);
    assert_eq!((interpreter.memory_use().arena, interpreter.memory_use().persistent), (0, 0));
    assert!(interpreter.memory_plan()[0].records.is_empty());

    // Another, larger block for the same tensor: nothing is planned again.
    let mut other = bytes(100);
    let there = address(&mut other);
    let mut before = interpreter.lend(0, 0, other).unwrap().expect("the memory from before");
    assert_eq!(address(&mut before), want[0]);
    assert_eq!(seen(&mut interpreter), [there, want[1], want[2]]);

    let mut back = interpreter.take_back(0, 2).unwrap().expect("it was lent");
    assert_eq!(address(&mut back), want[2]);
    assert_eq!(
        address_and(&mut back)[16..],
        want[2].to_le_bytes(),
        "the block does not hold the last result"
    );
    assert!(interpreter.take_back(0, 2).unwrap().is_none());
    assert!(message(interpreter.invoke()).contains("call allocate()"));
    assert!(message(interpreter.output(0).unwrap().bytes()).contains("call allocate()"));
    interpreter.allocate().unwrap();
    let now = seen(&mut interpreter);
    assert_eq!(now[..2], [there, want[1]]);
    assert_ne!(now[2], want[2]);
    assert_eq!(interpreter.memory_use().arena, 24);
}

/// A buffer that starts 4 bytes past an aligned address.
struct Skewed(AlignedBytes);

impl AsMut<[u8]> for Skewed {
    fn as_mut(&mut self) -> &mut [u8] {
        &mut self.0.as_mut()[4..]
    }
}

#[test]
fn memory_that_cannot_be_lent_is_refused() {
    let model = model(|m, g| {
        let (x, y) = (g.input(f32s("x", &[2, 2])), g.output(f32s("y", &[2, 2])));
        let a = g.tensor(f32s("a", &[2, 2]));
        let one = list(m, g, "one", &[1]);
        let _ = (g.input(Tensor::new("s", STRING, &[1])), one);
        node(m, g, "NEG", &[x], a);
        node(m, g, "NEG", &[a], y);
    });
    let mut interpreter = reference_ops(&model).build().unwrap();
    let mut refused = |subgraph, t, memory| message(interpreter.lend(subgraph, t, memory).map(drop));
    let short = refused(0, 0, bytes(15));
    assert_eq!(
        short,
        "tensor 'x': it needs 16 bytes, the memory lent to it has 15: lend more, or take it back"
    );
    let skewed = refused(0, 0, Box::new(Skewed(AlignedBytes::zeroed(20).unwrap())));
    assert!(
        skewed.starts_with("tensor 'x': the memory lent to it begins at address 0x")
            && skewed.contains("4, which is no multiple of 64"),
        "{skewed}"
    );
    assert!(refused(0, 2, bytes(16)).starts_with("tensor 'a': memory can be lent to inputs, outputs and"));
    assert!(refused(0, 3, bytes(16)).starts_with("tensor 'one': it is constant"));
    assert!(refused(0, 4, bytes(16)).starts_with("tensor 's': its size does not follow from its shape"));
    assert_eq!(refused(0, 9, bytes(16)), "tensor 9 does not exist; subgraph 0 has 5");
    assert!(refused(7, 0, bytes(16)).contains("subgraph 7 does not exist"), "{}", refused(7, 0, bytes(16)));
    assert!(message(interpreter.take_back(0, 9).map(drop)).contains("tensor 9 does not exist"));

    // The output's size is checked when its shape is final.
    interpreter.lend(0, 1, bytes(8)).unwrap();
    let error = message(interpreter.allocate());
    assert!(error.starts_with("tensor 'y': it needs 16 bytes, the memory lent to it has 8"), "{error}");
    interpreter.lend(0, 1, bytes(16)).unwrap();
    interpreter.allocate().unwrap();
    let short = message(interpreter.lend(0, 1, bytes(8)).map(drop));
    assert!(short.starts_with("tensor 'y': it needs 16 bytes, the memory lent to it has 8"), "{short}");
}

#[test]
fn a_resize_beyond_the_lent_memory_is_an_error() {
    let mut interpreter = allocated(&negation(&[2]));
    for t in [0, 1] {
        interpreter.lend(0, t, bytes(8)).unwrap();
    }
    let error = message(interpreter.resize_input(0, &[3]));
    assert_eq!(
        error,
        "tensor 'x': it needs 12 bytes, the memory lent to it has 8: lend more, or take it back"
    );
    // The same with the output.
    interpreter.allocate().unwrap();
    interpreter.lend(0, 0, of(&[1.0, -2.0, 3.0])).unwrap();
    interpreter.resize_input(0, &[3]).unwrap();
    let error = message(interpreter.allocate());
    assert!(error.starts_with("tensor 'y': it needs 12 bytes, the memory lent to it has 8"), "{error}");
    interpreter.lend(0, 1, bytes(12)).unwrap();
    interpreter.allocate().unwrap();
    interpreter.invoke().unwrap();
    assert_eq!(floats(interpreter.take_back(0, 1).unwrap().unwrap()), [-1.0, 2.0, -3.0]);
    // The shape changes back and forth, with another loan in between. The first plan must not be used again.
    interpreter.allocate().unwrap();
    interpreter.resize_input(0, &[2]).unwrap();
    interpreter.lend(0, 1, bytes(8)).unwrap();
    interpreter.resize_input(0, &[3]).unwrap();
    assert!(message(interpreter.invoke()).contains("call allocate()"));
}

#[test]
fn dynamic_and_constant_results_are_written_to_lent_memory() {
    let reshape = model(|m, g| {
        let (x, shape) = (g.input(f32s("x", &[6])), g.input(Tensor::new("shape", INT32, &[2])));
        let (y, n) = (g.output(f32s("y", &[1, 1])), g.output(Tensor::new("n", INT32, &[1])));
        node(m, g, "RESHAPE", &[x, shape], y);
        node(m, g, "SHAPE", &[x], n);
    });
    let mut interpreter = reference_ops(&reshape).build().unwrap();
    interpreter.allocate().unwrap();
    let values = [1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0];
    let run = |interpreter: &mut Interpreter| {
        interpreter.input_mut(0)?.copy_from_slice(&values)?;
        interpreter.input_mut(1)?.copy_from_slice(&[3, 2])?;
        interpreter.invoke()
    };
    interpreter.lend(0, 2, bytes(20)).unwrap();
    interpreter.lend(0, 3, bytes(4)).unwrap();
    let error = message(run(&mut interpreter));
    assert!(error.contains("output 0 needs 24 bytes, the memory lent to it has 20"), "{error}");
    interpreter.lend(0, 2, bytes(32)).unwrap();
    run(&mut interpreter).unwrap();
    assert_eq!(output(&interpreter, 0), (vec![3, 2], values.to_vec()));
    assert_eq!(floats(interpreter.take_back(0, 2).unwrap().unwrap())[..6], values);
    let mut n = interpreter.take_back(0, 3).unwrap().unwrap();
    assert_eq!(address_and(&mut n), 6i32.to_le_bytes());
    run(&mut interpreter).unwrap();
    assert_eq!(output(&interpreter, 0), (vec![3, 2], values.to_vec()));
}

#[test]
fn a_result_after_a_dynamic_shape_is_written_to_lent_memory() {
    let mut interpreter = allocated(&dynamic_chain(2, &[2]));
    interpreter.lend(0, 5, bytes(16)).unwrap();
    interpreter.allocate().unwrap();
    let run = |interpreter: &mut Interpreter, shape: [i32; 2]| {
        interpreter.input_mut(0)?.copy_from_slice(&[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0])?;
        interpreter.input_mut(1)?.copy_from_slice(&shape)?;
        interpreter.input_mut(2)?.copy_from_slice(&[10.0f32, 20.0])?;
        interpreter.invoke()
    };
    let error = message(run(&mut interpreter, [3, 2]));
    assert!(error.starts_with("tensor 'y': it needs 24 bytes, the memory lent to it has 16"), "{error}");
    interpreter.lend(0, 5, bytes(24)).unwrap();
    run(&mut interpreter, [3, 2]).unwrap();
    let want = [-11.0, -22.0, -13.0, -24.0, -15.0, -26.0];
    assert_eq!(output(&interpreter, 0).1, want);
    assert_eq!(floats(interpreter.take_back(0, 5).unwrap().unwrap()), want);
}

#[test]
fn lent_variables_keep_their_values() {
    let model = model(|m, g| {
        let (x, v) = (g.input(f32s("x", &[2])), g.tensor(f32s("v", &[2]).variable()));
        let (y, w) = (g.output(f32s("y", &[2])), g.tensor(f32s("w", &[2]).variable()));
        let z = g.output(f32s("z", &[2]));
        node(m, g, "Accumulate", &[x, v], y);
        node(m, g, "Accumulate", &[x, w], z);
    });
    let mut interpreter = reference_ops(&model).registry(plugin::registry()).build().unwrap();
    let run = |interpreter: &mut Interpreter| {
        interpreter.input_mut(0).unwrap().copy_from_slice(&[1.0f32, 1.0]).unwrap();
        interpreter.invoke().unwrap();
        (output(interpreter, 0).1, output(interpreter, 1).1)
    };
    interpreter.allocate().unwrap();
    assert_eq!(run(&mut interpreter), (vec![1.0, 1.0], vec![1.0, 1.0]));
    interpreter.lend(0, 1, of(&[10.0, 20.0])).unwrap();
    interpreter.allocate().unwrap();
    assert_eq!(
        run(&mut interpreter),
        (vec![11.0, 21.0], vec![2.0, 2.0]),
        "the other variable lost its value"
    );
    interpreter.resize_input(0, &[2]).unwrap();
    let back = interpreter.take_back(0, 1).unwrap().unwrap();
    interpreter.allocate().unwrap();
    assert_eq!(run(&mut interpreter), (vec![1.0, 1.0], vec![3.0, 3.0]));
    interpreter.lend(0, 1, back).unwrap();
    interpreter.allocate().unwrap();
    assert_eq!(run(&mut interpreter).0, [12.0, 22.0]);
    interpreter.reset_variables();
    assert_eq!(run(&mut interpreter), (vec![1.0, 1.0], vec![1.0, 1.0]));
    assert_eq!(floats(interpreter.take_back(0, 1).unwrap().unwrap()), [1.0, 1.0]);
}

#[test]
fn lent_memory_does_not_count_against_the_quota() {
    let quota = Quota { bytes: 64, ..Quota::default() };
    let mut interpreter = reference_ops(&negation(&[16])).quota(quota).build().unwrap();
    assert!(message(interpreter.allocate()).contains("quota"));
    interpreter.lend(0, 0, bytes(64)).unwrap();
    interpreter.allocate().unwrap();
    interpreter.invoke().unwrap();
    assert_eq!(interpreter.memory_use().arena, 64);
}

/// Also memory that is lent to a subgraph that a loop calls.
#[test]
fn bodies_of_loops_run_on_lent_memory() {
    let model = Model::from_bytes(counting_loop(1).finish()).unwrap();
    let mut interpreter = reference_ops(&model).build().unwrap();
    let y = |interpreter: &mut Interpreter| {
        interpreter.allocate().unwrap();
        interpreter.input_mut(1).unwrap().copy_from_slice(&[1.0f32, 2.0]).unwrap();
        interpreter.invoke().unwrap();
        output(interpreter, 1).1
    };
    for round in 0..2 {
        interpreter.lend(2, 1, bytes(8)).unwrap();
        interpreter.lend(2, 4, bytes(8)).unwrap();
        assert_eq!(y(&mut interpreter), [8.0, 16.0], "{round}");
        assert_eq!(floats(interpreter.take_back(2, 4).unwrap().unwrap()), [8.0, 16.0]);
        let x = floats(interpreter.take_back(2, 1).unwrap().unwrap());
        assert!(x == [4.0, 8.0] || x == [8.0, 16.0], "{x:?}");
    }
}

#[test]
fn released_memory_is_allocated_again_without_preparing() {
    let model = model(|m, g| {
        let (x, a, y) = (g.input(f32s("x", &[64])), g.tensor(f32s("a", &[64])), g.output(f32s("y", &[64])));
        node(m, g, "Count", &[x], a);
        node(m, g, "Count", &[a], y);
    });
    let mut interpreter = reference_ops(&model).registry(plugin::registry()).build().unwrap();
    interpreter.release_memory();
    interpreter.allocate().unwrap();
    let run = |interpreter: &mut Interpreter| {
        interpreter.input_mut(0).unwrap().copy_from_slice(&[0.0f32; 64]).unwrap();
        interpreter.invoke().unwrap();
        output(interpreter, 0).1[0]
    };
    assert_eq!(run(&mut interpreter), 202.0);
    let arena = interpreter.memory_use().arena;
    interpreter.release_memory();
    interpreter.release_memory();
    assert_eq!(interpreter.memory_use().arena, 0);
    assert_eq!(
        message(interpreter.invoke()),
        "the interpreter's memory was released: call allocate() to take it again"
    );
    assert!(message(interpreter.output(0).unwrap().bytes()).contains("call allocate()"));
    interpreter.allocate().unwrap();
    assert_eq!(interpreter.memory_use().arena, arena);
    assert_eq!(run(&mut interpreter), 204.0, "states of ops were not reset by preparing");
    // With a resize and a loan in between.
    interpreter.resize_input(0, &[32]).unwrap();
    interpreter.release_memory();
    interpreter.resize_input(0, &[64]).unwrap();
    assert!(message(interpreter.invoke()).contains("call allocate()"));
    interpreter.allocate().unwrap();
    assert_eq!(run(&mut interpreter), 202.0);
    interpreter.release_memory();
    interpreter.lend(0, 2, bytes(256)).unwrap();
    interpreter.allocate().unwrap();
    assert_eq!(run(&mut interpreter), 204.0);
}

#[test]
fn memory_of_dynamic_shapes_and_of_loops_is_released_too() {
    let mut interpreter = allocated(&dynamic_chain(2, &[2]));
    let run = |interpreter: &mut Interpreter| {
        interpreter.input_mut(0).unwrap().copy_from_slice(&[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0]).unwrap();
        interpreter.input_mut(1).unwrap().copy_from_slice(&[3, 2]).unwrap();
        interpreter.input_mut(2).unwrap().copy_from_slice(&[10.0f32, 20.0]).unwrap();
        interpreter.invoke().unwrap();
        output(interpreter, 0).1
    };
    let first = run(&mut interpreter);
    interpreter.release_memory();
    let held = interpreter.memory_use();
    assert_eq!((held.arena, held.dynamic), (0, 0));
    interpreter.allocate().unwrap();
    assert!(message(interpreter.tensor(3).unwrap().bytes()).contains("no memory"));
    assert_eq!(run(&mut interpreter), first);

    let model = Model::from_bytes(counting_loop(1).finish()).unwrap();
    let mut interpreter = reference_ops(&model).build().unwrap();
    let mut results = Vec::new();
    for _ in 0..2 {
        interpreter.allocate().unwrap();
        interpreter.input_mut(1).unwrap().copy_from_slice(&[1.0f32, 2.0]).unwrap();
        interpreter.invoke().unwrap();
        results.push((output(&interpreter, 1).1, interpreter.memory_use().arena));
        interpreter.release_memory();
        assert_eq!(interpreter.memory_use().arena, 0);
    }
    assert_eq!(results[0], results[1]);
}

/// A smaller plan needs less memory.
#[test]
fn the_arena_shrinks_with_a_resize() {
    let mut interpreter = allocated(&negation(&[4096]));
    let mut arena = |n: i32| {
        interpreter.resize_input(0, &[n]).unwrap();
        interpreter.allocate().unwrap();
        interpreter.memory_use().arena
    };
    let (large, small) = (arena(4096), arena(64));
    assert!(large >= 2 * 4 * 4096 && small <= large / 32, "{large}, {small}");
    assert_eq!(arena(4096), large);
}
