//! Calls the functions of the header as a C program would. A lock ensures that only one thread uses the library at a
//! time.

use std::ffi::CStr;
use std::mem::{MaybeUninit, offset_of};
use std::ptr::{null, null_mut};
use std::sync::Mutex;

use arenite_abi::raw::ArOpV1;
use arenite_micro::OpRegistration;
use arenite_model::tensor_type::FLOAT32;
use arenite_model::writer::{ModelBuilder, Operator, SubGraph, Tensor};

use crate::calls::*;
use crate::measure::*;
use crate::micro::ArMicro;
use crate::status::*;

mod ways;

static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

static ABS: OpRegistration = arenite_abi::op::registration::<arenite_ops::abs::Abs>();

/// Memory aligned to 16.
#[repr(C, align(16))]
struct Aligned([u8; 4096]);

/// The model `x ─► ABS ─► y` with four floats each, and its size in bytes.
fn model() -> (Box<Aligned>, usize) {
    let mut model = ModelBuilder::new();
    let abs = model.builtin("ABS", 1);
    let mut graph = SubGraph::new("main");
    let x = graph.input(Tensor::new("x", FLOAT32, &[4]));
    let y = graph.output(Tensor::new("y", FLOAT32, &[4]));
    graph.operator(Operator::new(abs, &[x], &[y]));
    model.subgraph(graph);
    let file = model.finish();
    let mut memory = Box::new(Aligned([0; 4096]));
    memory.0[..file.len()].copy_from_slice(&file);
    (memory, file.len())
}

/// An interpreter in static memory, which C initializes with zeros.
fn zeros() -> ArMicro {
    // SAFETY: `ArMicro` consists of integers, for which zeros are valid; the header defines them as an interpreter
    // without a model.
    unsafe { MaybeUninit::zeroed().assume_init() }
}

fn text() -> String {
    // SAFETY: `ar_micro_error` returns a static, null-terminated text.
    unsafe { CStr::from_ptr(ar_micro_error()) }.to_string_lossy().into_owned()
}

/// Checks that a call failed with this status and a message that contains `words`.
#[track_caller]
fn refused(status: ArMicroStatus, expected: ArMicroStatus, words: &str) {
    assert_eq!(status, expected, "{}", text());
    assert!(text().contains(words), "'{}' does not say '{words}'", text());
}

#[test]
fn a_model_runs() {
    let _one = ONE_AT_A_TIME.lock();
    let ((model, bytes), mut arena, mut micro) = (model(), Box::new(Aligned([0; 4096])), zeros());
    let ops = [&raw const ABS];
    // SAFETY: the model, the ops and the arena outlive the interpreter, which only this thread uses.
    unsafe {
        let arena = (&raw mut arena.0).cast();
        let init = |micro, bytes_of_arena| {
            ar_micro_init(micro, model.0.as_ptr().cast(), bytes, ops.as_ptr(), 1, arena, bytes_of_arena)
        };
        assert_eq!(init(&mut micro, 4096), OK, "{}", text());
        let mut sizes = MaybeUninit::<ArMicroSizes>::uninit();
        assert_eq!(ar_micro_sizes(&micro, sizes.as_mut_ptr()), OK);
        let needed = sizes.assume_init().arena;
        ar_micro_close(&mut micro);
        refused(init(&mut micro, needed - 1), ARENA, &format!("{} bytes; {needed} are needed", needed - 1));
        assert_eq!(ar_micro_needed(&micro), needed);
        assert_eq!(init(&mut micro, needed), OK, "{}", text());
        let mut tensor = MaybeUninit::<ArMicroTensor>::uninit();
        assert_eq!(ar_micro_input(&mut micro, 0, tensor.as_mut_ptr()), OK);
        let input = tensor.assume_init_ref();
        assert_eq!((input.rank, *input.dims, input.bytes), (1, 4, 16));
        input.data.cast::<[f32; 4]>().write([1.0, -2.0, -0.5, 4.0]);
        assert_eq!(ar_micro_invoke(&mut micro), OK);
        assert_eq!(ar_micro_output(&mut micro, 0, tensor.as_mut_ptr()), OK);
        assert_eq!(tensor.assume_init_ref().data.cast::<[f32; 4]>().read(), [1.0, 2.0, 0.5, 4.0]);
        refused(
            ar_micro_output(&mut micro, 1, tensor.as_mut_ptr()),
            INDEX,
            "index 1 is out of range; there are 1",
        );
        ar_micro_close(&mut micro);
    }
}

#[test]
fn calls_keep_to_the_phases() {
    let _one = ONE_AT_A_TIME.lock();
    let ((model, bytes), mut arena, mut micro) = (model(), Box::new(Aligned([0; 4096])), zeros());
    let ops = [&raw const ABS];
    let micro = &raw mut micro;
    // SAFETY: the model, the ops and the arena outlive the interpreter, which only this thread uses.
    unsafe {
        let mut load = || {
            let arena = (&raw mut arena.0).cast();
            ar_micro_load(micro, model.0.as_ptr().cast(), bytes, ops.as_ptr(), 1, arena, 4096)
        };
        refused(ar_micro_prepare(micro), PHASE, "empty: load comes first");
        refused(ar_micro_plan(micro, 0), PHASE, "empty");
        refused(ar_micro_invoke(micro), PHASE, "empty");
        assert_eq!(load(), OK);
        refused(load(), PHASE, "loaded: prepare comes next");
        refused(ar_micro_plan(micro, 0), PHASE, "loaded: prepare comes next");
        refused(ar_micro_reset(micro), PHASE, "loaded: prepare comes next");
        assert_eq!(ar_micro_prepare(micro), OK);
        refused(ar_micro_prepare(micro), PHASE, "prepared: plan comes next");
        refused(ar_micro_plan(micro, 2), ARGUMENT, "unknown planner 2");
        assert_eq!(ar_micro_plan(micro, 1), OK);
        refused(ar_micro_plan(micro, 0), PHASE, "ready to run");
        assert_eq!((ar_micro_input_count(micro), ar_micro_output_count(micro)), (1, 1));
        assert_eq!(ar_micro_reset(micro), OK);
        ar_micro_close(micro);
        ar_micro_close(micro);
        assert_eq!(ar_micro_input_count(micro), 0);
        refused(ar_micro_sizes(micro, null_mut()), PHASE, "empty");
    }
}

#[test]
fn invalid_arguments_are_rejected() {
    let _one = ONE_AT_A_TIME.lock();
    let ((model, bytes), mut arena, mut micro) = (model(), Box::new(Aligned([0; 4096])), zeros());
    let (good, nothing) = ([&raw const ABS], [null()]);
    let at = model.0.as_ptr();
    let micro = &raw mut micro;
    // SAFETY: as in `a_model_runs`. Invalid pointers are null or misaligned, which the functions check before they use
    // them.
    unsafe {
        let block = (&raw mut arena.0).cast::<u8>();
        let load = |model: *const u8, bytes, ops, op_count, arena: *mut u8, arena_bytes| {
            ar_micro_load(micro, model.cast(), bytes, ops, op_count, arena.cast(), arena_bytes)
        };
        refused(load(null(), bytes, good.as_ptr(), 1, block, 4096), ARGUMENT, "the model is null");
        refused(load(at, usize::MAX, good.as_ptr(), 1, block, 4096), ARGUMENT, "the model");
        refused(load(at.add(1), bytes - 1, good.as_ptr(), 1, block, 4096), MODEL, "align it to 16");
        refused(load(at, 0, good.as_ptr(), 1, block, 4096), MODEL, "only 0 bytes");
        refused(load(at, bytes - 8, good.as_ptr(), 1, block, 4096), MODEL, "");
        refused(load(at, bytes, null(), 1, block, 4096), ARGUMENT, "the list of ops");
        refused(load(at, bytes, nothing.as_ptr(), 1, block, 4096), ARGUMENT, "the list of ops");
        refused(load(at, bytes, good.as_ptr(), usize::MAX, block, 4096), ARGUMENT, "the list of ops");
        refused(load(at, bytes, [good[0], good[0]].as_ptr(), 2, block, 4096), OPS, "ABS");
        refused(load(at, bytes, good.as_ptr(), 1, null_mut(), 4096), ARGUMENT, "the arena");
        refused(load(at, bytes, good.as_ptr(), 1, block, usize::MAX), ARGUMENT, "the arena");
        refused(load(at, bytes, good.as_ptr(), 1, null_mut(), 0), ARENA, "the arena has 0 bytes");
        refused(load(at, bytes, null(), 0, block, 4096), OK, "");
        refused(ar_micro_prepare(micro), MISSING_OP, "ABS");
        refused(ar_micro_prepare(null_mut()), ARGUMENT, "the interpreter");
        refused(ar_micro_invoke(null_mut()), ARGUMENT, "the interpreter");
        assert_eq!(ar_micro_input_count(null()), 0);
        ar_micro_close(null_mut());
    }
}

/// A C op with some words overwritten.
fn spoiled(spoil: impl FnOnce(&mut [usize])) -> Box<[usize]> {
    let words = size_of::<ArOpV1>() / size_of::<usize>();
    // SAFETY: the struct has `words` words, and any bytes are a valid `usize`.
    let mut op: Box<[usize]> = unsafe { std::slice::from_raw_parts((&raw const ABS).cast(), words) }.into();
    spoil(&mut op);
    op
}

#[test]
fn an_op_without_a_function_or_of_another_version_is_rejected() {
    let _one = ONE_AT_A_TIME.lock();
    let ((model, bytes), mut arena, mut micro) = (model(), Box::new(Aligned([0; 4096])), zeros());
    let at = |offset: usize| offset / size_of::<usize>();
    let no_eval = spoiled(|op| op[at(offset_of!(ArOpV1, eval))] = 0);
    let no_prepare = spoiled(|op| op[at(offset_of!(ArOpV1, prepare))] = 0);
    let all_zero = spoiled(|op| op.fill(0));
    let short = spoiled(|op| op[0] -= 8);
    let cases = [
        (&no_eval, "op 1 of the list (builtin code 101) has no function 'eval': set it; it is null"),
        (&no_prepare, "op 1 of the list (builtin code 101) has no function 'prepare': set it; it is null"),
        (&all_zero, "op 1 of the list has 0 bytes in version 0.0; this library needs 96 in version 1.x"),
        (&short, "op 1 of the list has 88 bytes in version 1.0; this library needs 96"),
    ];
    for (op, words) in cases {
        let ops = [&raw const ABS, op.as_ptr().cast()];
        // SAFETY: as in `a_model_runs`. The second op is readable, and its error is found before it is used.
        unsafe {
            let arena = (&raw mut arena.0).cast();
            let mut load = |count| {
                ar_micro_load(&mut micro, model.0.as_ptr().cast(), bytes, ops.as_ptr(), count, arena, 4096)
            };
            refused(load(2), ARGUMENT, words);
            // No layouts are written if an op is invalid.
            ar_micro_write_layouts(unwritten, ops.as_ptr(), 2);
        }
    }
}

unsafe extern "C" fn unwritten(_: *const u8, _: usize) {
    unreachable!("a layout was written");
}
