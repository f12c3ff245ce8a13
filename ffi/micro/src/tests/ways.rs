//! Two blocks, several models, planners of the program, and profilers.

use super::*;
use crate::planner::*;
use crate::shared::*;

/// Loads a model with ABS; the arena is this one.
unsafe fn loaded(micro: *mut ArMicro, model: &(Box<Aligned>, usize), arena: &mut Aligned) -> ArMicroStatus {
    static OPS: Ops = Ops([&raw const ABS]);
    // SAFETY: the caller keeps the model and the arena until the interpreter is closed.
    unsafe {
        let arena = (&raw mut arena.0).cast();
        ar_micro_load(micro, model.0.0.as_ptr().cast(), model.1, OPS.0.as_ptr(), 1, arena, 4096)
    }
}

/// A static list of ops.
struct Ops([*const OpRegistration; 1]);

// SAFETY: nothing writes the ops.
unsafe impl Sync for Ops {}

/// Runs ABS on four floats and checks the results.
unsafe fn runs(micro: *mut ArMicro, values: [f32; 4]) {
    let mut tensor = MaybeUninit::<ArMicroTensor>::uninit();
    // SAFETY: the caller passes an interpreter of the model with ABS.
    unsafe {
        assert_eq!(ar_micro_input(micro, 0, tensor.as_mut_ptr()), OK, "{}", text());
        tensor.assume_init_ref().data.cast::<[f32; 4]>().write(values);
        assert_eq!(ar_micro_invoke(micro), OK, "{}", text());
        assert_eq!(ar_micro_output(micro, 0, tensor.as_mut_ptr()), OK);
        assert_eq!(tensor.assume_init_ref().data.cast::<[f32; 4]>().read(), values.map(f32::abs));
    }
}

#[test]
fn two_blocks_of_the_recorded_sizes_suffice() {
    let _one = ONE_AT_A_TIME.lock();
    let (model, mut front, mut back) = (model(), Box::new(Aligned([0; 4096])), Box::new(Aligned([0; 4096])));
    let (mut micro, ops) = (zeros(), [&raw const ABS]);
    // SAFETY: as in `a_model_runs`, for both blocks.
    unsafe {
        let (front, back) = ((&raw mut front.0).cast(), (&raw mut back.0).cast());
        let load = |micro: *mut ArMicro, planned, persistent| {
            let at = model.0.0.as_ptr().cast();
            match ar_micro_load_two(micro, at, model.1, ops.as_ptr(), 1, front, planned, back, persistent) {
                OK => match ar_micro_prepare(micro) {
                    OK => ar_micro_plan(micro, 0),
                    status => status,
                },
                status => status,
            }
        };
        assert_eq!(load(&mut micro, 4096, 4096), OK, "{}", text());
        let mut record = MaybeUninit::<ArMicroRecord>::uninit();
        assert_eq!(ar_micro_record(&micro, record.as_mut_ptr()), OK);
        let record = record.assume_init();
        ar_micro_close(&mut micro);
        assert!(
            record.planned >= 16 && record.tensors > 0 && record.persistent > record.tensors,
            "{record:?}"
        );
        refused(load(&mut micro, record.planned - 1, record.persistent), ARENA, "are needed");
        refused(load(&mut micro, record.planned, record.persistent - 1), ARENA, "the persistent arena");
        assert_eq!(ar_micro_needed(&micro), record.persistent);
        assert_eq!(load(&mut micro, record.planned, record.persistent), OK, "{}", text());
        runs(&mut micro, [1.0, -2.0, -0.5, 4.0]);
        refused(ar_micro_record(&micro, null_mut()), ARGUMENT, "the place for the record");
        ar_micro_close(&mut micro);
        refused(ar_micro_record(&micro, null_mut()), PHASE, "empty");
    }
}

#[test]
fn models_share_an_arena() {
    let _one = ONE_AT_A_TIME.lock();
    let (model, mut block) = (model(), Box::new(Aligned([0; 4096])));
    let (mut first, mut second, ops) = (zeros(), zeros(), [&raw const ABS]);
    // SAFETY: as in `a_model_runs`; the two models run in turns.
    unsafe {
        let mut arena = MaybeUninit::<ArMicroArena>::zeroed().assume_init();
        let at = model.0.0.as_ptr().cast();
        let add = |micro: *mut ArMicro, arena: *const ArMicroArena, bytes, planner| {
            ar_micro_add(micro, arena, at, bytes, ops.as_ptr(), 1, planner)
        };
        refused(add(&mut first, &arena, model.1, 0), PHASE, "the arena is not open");
        refused(add(&mut first, null(), model.1, 0), ARGUMENT, "the arena is null");
        let planned = (&raw mut block.0).cast();
        refused(ar_micro_arena_open(&mut arena, planned, 16, null_mut(), 0), ARENA, "16 bytes");
        assert_eq!(ar_micro_arena_open(&mut arena, planned, 4096, null_mut(), 0), OK, "{}", text());
        assert_eq!(add(&mut first, &arena, model.1, 0), OK, "{}", text());
        refused(add(&mut first, &arena, model.1, 0), PHASE, "ready to run");
        let mut sizes = MaybeUninit::<ArMicroSizes>::uninit();
        assert_eq!(ar_micro_sizes(&first, sizes.as_mut_ptr()), OK);
        let alone = sizes.assume_init_read().arena;
        refused(add(&mut second, &arena, 64, 0), MODEL, "");
        refused(add(&mut second, &arena, model.1, 2), ARGUMENT, "unknown planner 2");
        assert_eq!(add(&mut second, &arena, model.1, 1), OK, "{}", text());
        assert_eq!(ar_micro_sizes(&second, sizes.as_mut_ptr()), OK);
        assert!((alone + 1..2 * alone).contains(&sizes.assume_init().arena), "the models share no memory");
        assert_eq!((ar_micro_input_count(&second), ar_micro_output_count(&second)), (1, 1));
        for round in 0..3 {
            runs(&mut first, [round as f32, -1.0, -0.0, 2.5]);
            runs(&mut second, [-3.0, round as f32, -7.0, 0.5]);
        }
        ar_micro_close(&mut second);
        runs(&mut first, [-9.0; 4]);
        ar_micro_close(&mut first);
    }
}

/// Places each buffer at a step times its index.
unsafe extern "C" fn spaced(
    step: *mut std::ffi::c_void,
    buffers: *mut ArMicroBuffers<'_>,
    count: usize,
) -> u32 {
    // SAFETY: the tests pass a number; the library passes its buffers.
    unsafe {
        let step = *step.cast::<usize>();
        let mut buffer = MaybeUninit::<ArMicroBuffer>::uninit();
        for i in 0..count {
            assert_eq!(ar_micro_buffer(buffers, i, buffer.as_mut_ptr()), OK);
            let ArMicroBuffer { bytes, first, last, offset } = buffer.assume_init_read();
            assert!(bytes == 16 && first <= last && offset == usize::MAX);
            if step != usize::MAX {
                assert_eq!(ar_micro_place(buffers, i, step * i), OK);
            }
        }
        refused(ar_micro_place(buffers, count, 0), INDEX, "there are 2 buffers");
        refused(ar_micro_buffer(buffers, 0, null_mut()), ARGUMENT, "the place for one");
        if step == 77 { 5 } else { 0 }
    }
}

#[test]
fn a_planner_of_the_program_is_checked() {
    let _one = ONE_AT_A_TIME.lock();
    let (model, mut arena, mut micro) = (model(), Box::new(Aligned([0; 4096])), zeros());
    let micro = &raw mut micro;
    for (step, status, words) in [
        (0usize, PLAN, "buffer 1 (16 bytes) the offset 0, where it overlaps buffer 0 (16 bytes at 0)"),
        (8, PLAN, "the offset 8; it must be a multiple of 16"),
        (77, PLAN, "the program's planner returned 5"),
        (usize::MAX, PLAN, "gave buffer 0 no offset"),
        (1 << 40, ARENA, "are needed"),
        (64, OK, ""),
    ] {
        // SAFETY: as in `a_model_runs`; `step` exists during the call.
        unsafe {
            assert_eq!(loaded(micro, &model, &mut arena), OK, "{}", text());
            refused(ar_micro_plan_with(micro, Some(spaced), null_mut()), PHASE, "prepare comes next");
            assert_eq!(ar_micro_prepare(micro), OK);
            refused(ar_micro_plan_with(micro, None, null_mut()), ARGUMENT, "the planner");
            let result = ar_micro_plan_with(micro, Some(spaced), (&raw const step).cast_mut().cast());
            assert_eq!(result, status, "step {step}: {}", text());
            assert!(status == OK || text().contains(words), "step {step}: {}", text());
            if status == OK {
                let mut sizes = MaybeUninit::<ArMicroSizes>::uninit();
                assert_eq!(ar_micro_sizes(micro, sizes.as_mut_ptr()), OK);
                runs(micro, [1.0, -2.0, -0.5, 4.0]);
            }
            ar_micro_close(micro);
        }
    }
}

/// Appends an event of the profiler.
unsafe extern "C" fn note(events: *mut std::ffi::c_void, subgraph: usize, node: usize, code: i32) {
    // SAFETY: the test passes a vector.
    unsafe { &mut *events.cast::<Vec<(usize, usize, i32)>>() }.push((subgraph, node, code));
}

#[test]
fn a_profiler_is_called_around_nodes() {
    let _one = ONE_AT_A_TIME.lock();
    let (model, mut arena, mut micro) = (model(), Box::new(Aligned([0; 4096])), zeros());
    let micro = &raw mut micro;
    let (mut begun, mut ended) = (Vec::<(usize, usize, i32)>::new(), Vec::<(usize, usize, i32)>::new());
    // SAFETY: as in `a_model_runs`; the profilers and the vectors exist until they are replaced.
    unsafe {
        let beginning = ArMicroProfiler { begin: Some(note), end: None, user: (&raw mut begun).cast() };
        let ending = ArMicroProfiler { begin: None, end: Some(note), user: (&raw mut ended).cast() };
        refused(ar_micro_set_profiler(micro, &beginning), PHASE, "empty");
        assert_eq!(loaded(micro, &model, &mut arena), OK);
        assert_eq!((ar_micro_prepare(micro), ar_micro_plan(micro, 1)), (OK, OK));
        assert_eq!(ar_micro_set_profiler(micro, &beginning), OK);
        runs(micro, [-1.0; 4]);
        assert_eq!(ar_micro_set_profiler(micro, &ending), OK);
        runs(micro, [-1.0; 4]);
        assert_eq!(ar_micro_set_profiler(micro, null()), OK);
        runs(micro, [-1.0; 4]);
        assert_eq!(ar_micro_limit_calls(micro, 1), OK);
        ar_micro_close(micro);
        refused(ar_micro_limit_calls(micro, 1), PHASE, "empty");
    }
    assert_eq!((begun, ended), (vec![(0, 0, 101)], vec![(0, 0, 101)]));
}
