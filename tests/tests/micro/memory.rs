//! Arena use: exactly the reported size, nothing outside the arena, nothing from the heap, and no growth on later runs.

use arenite_micro::{
    Category, Error, Interpreter, LoadedModel, OpRegistration, Ops, Planner, SharedArena, required_arena,
};
use arenite_tests::micro::{Aligned, FUZZ_ARENA, Fuzzed, fuzz, ops};
use arenite_tests::mutants::Random;
use arenite_tests::op_models::control;

use crate::support::{Pages, allocations, fill, fill_inputs, invoke, large, models};

/// Small models that together need states, subgraphs and resources.
fn small() -> Vec<(&'static str, Aligned)> {
    let mut list: Vec<_> = models().into_iter().filter(|(name, _)| name.contains("int8")).collect();
    list.push(("a loop", Aligned::of(&control::counting_loop(1).finish())));
    list.push(("a variable", Aligned::of(&control::variable(true).finish())));
    list
}

#[test]
fn an_arena_that_is_one_byte_too_small_is_refused_with_both_sizes() {
    let ops = ops();
    for (name, model) in models().into_iter().chain(small()) {
        let needed = required_arena(model.as_slice(), &ops, Planner::Greedy)
            .expect("the interpreter becomes ready")
            .arena;
        for misaligned in [0, 1, 15] {
            let lost = (16 - misaligned) % 16;
            let mut memory = Aligned::new(0, needed + 32);
            let block = &mut memory.bytes_mut()[misaligned..];
            assert!(Interpreter::new(model.as_slice(), &ops, &mut block[..needed + lost]).is_ok(), "{name}");
            match Interpreter::new(model.as_slice(), &ops, &mut block[..needed + lost - 1]).err() {
                Some(Error::Arena { given, needed: told }) => {
                    assert_eq!((given, told), (needed + lost - 1, needed + lost), "{name}, {misaligned}");
                }
                other => panic!("{name}: {other:?}"),
            }
        }
    }
}

/// The block is between two inaccessible pages. It touches one of them, then the other.
#[test]
fn the_interpreter_stays_within_arenas_of_any_size_and_alignment() {
    let (ops, mut random) = (ops(), Random(7));
    for (name, model) in small() {
        let model = model.as_slice();
        let needed =
            required_arena(model, &ops, Planner::Greedy).expect("the interpreter becomes ready").arena;
        let wanted = Interpreter::new(model, &ops, Aligned::new(0, needed).bytes_mut())
            .map(|mut interpreter| invoke(&mut interpreter, 0))
            .expect("it is ready");
        for round in 0..24 {
            let bytes = random.below(needed + needed / 4 + 64);
            let mut pages = Pages::new(bytes);
            for block in [Pages::block, Pages::low_block] {
                let block = block(&mut pages);
                let enough = bytes.saturating_sub(block.as_ptr().align_offset(16)) >= needed;
                let made = Interpreter::new(model, &ops, block);
                assert_eq!(made.is_ok(), enough, "{name}, round {round}, {bytes} of {needed} bytes");
                if let Ok(mut interpreter) = made {
                    assert!(invoke(&mut interpreter, 0) == wanted, "{name}: other bytes");
                }
            }
        }
    }
}

/// The arena and the model are surrounded by bytes that must not change.
#[test]
fn ten_thousand_invocations() {
    const MARGIN: usize = 64;
    let ops = ops();
    for (name, model) in small().into_iter().filter(|(name, _)| name.contains(' ') || name.contains("hello"))
    {
        let before = model.as_slice().to_vec();
        let sizes =
            required_arena(model.as_slice(), &ops, Planner::Greedy).expect("the interpreter becomes ready");
        let mut memory = Aligned::new(0xe5, sizes.arena + 2 * MARGIN);
        let arena = &mut memory.bytes_mut()[MARGIN..][..sizes.arena];
        let mut interpreter = Interpreter::new(model.as_slice(), &ops, arena).expect("it is ready");
        let first = invoke(&mut interpreter, 7);
        let taken = allocations();
        for invocation in 0..10_000 {
            fill_inputs(&mut interpreter, 7);
            interpreter.invoke().expect("it runs");
            let outputs = (0..).zip(&first).map(|(i, first)| interpreter.output(i).is_ok_and(|o| o == first));
            // The variable has another value each time.
            assert!(name == "a variable" || outputs.into_iter().all(|same| same), "{name}, {invocation}");
        }
        assert_eq!(allocations(), taken, "{name}: the heap was used");
        assert_eq!(interpreter.sizes(), sizes, "{name}");
        drop(interpreter);
        let edges = memory.as_slice()[..MARGIN].iter().chain(&memory.as_slice()[MARGIN + sizes.arena..]);
        assert!(edges.clone().all(|&byte| byte == 0xe5), "{name}: bytes outside the arena were written");
        assert!(model.as_slice() == before, "{name}: the model was modified");
    }
    assert!(allocations() > 0, "the allocation counter does not count");
}

/// Initializing the same block again for the same model uses as much memory and gives the same results.
#[test]
fn initializing_twice_uses_no_more_memory() {
    let ops = ops();
    for (name, model) in small() {
        let sizes =
            required_arena(model.as_slice(), &ops, Planner::Greedy).expect("the interpreter becomes ready");
        let mut arena = Aligned::new(0x5a, sizes.arena);
        let mut once = || {
            let mut interpreter =
                Interpreter::new(model.as_slice(), &ops, arena.bytes_mut()).expect("it has enough");
            (interpreter.recording(), invoke(&mut interpreter, 3))
        };
        let first = once();
        assert!(first == once(), "{name}: the second run gives another result");
        assert_eq!(first.0.sizes(), sizes, "{name}");
    }
}

fn over_two<'a>(
    model: &'a [u8],
    ops: &'a [OpRegistration],
    planned: &'a mut [u8],
    persistent: &'a mut [u8],
) -> arenite_micro::Result<Interpreter<'a>> {
    LoadedModel::over_two(model, Ops::List(ops), planned, persistent)?.prepare()?.plan(Planner::Greedy)
}

/// Two blocks of the reported sizes give the results of one block; one byte less in either is an error.
#[test]
fn two_arenas_work_like_one() {
    let ops = ops();
    for (name, model) in small() {
        let model = model.as_slice();
        let (mut big, mut other) = (Aligned::new(0, 1 << 20), Aligned::new(0, 1 << 20));
        let made = over_two(model, &ops, big.bytes_mut(), other.bytes_mut()).expect("the memory suffices");
        let recording = made.recording();
        assert!(recording.arena <= recording.planned + recording.persistent, "{name}: {recording}");
        let (mut front, mut back) = (Pages::new(recording.planned), Pages::new(recording.persistent));
        let mut interpreter =
            over_two(model, &ops, front.block(), back.block()).expect("as many bytes as reported");
        assert!(invoke(&mut interpreter, 0) == large(model, 1), "{name}: other bytes");
        drop(interpreter);
        let less = &mut front.block()[1..];
        let error = over_two(model, &ops, less, back.block()).err().expect("a byte less");
        assert!(matches!(error, Error::Arena { given, needed } if needed > given), "{name}: {error}");
        let less = &mut back.block()[1..];
        let error = over_two(model, &ops, front.block(), less).err().expect("a byte less");
        assert!(
            matches!(error, Error::PersistentArena { given, needed } if needed > given),
            "{name}: {error}"
        );
    }
}

/// Several models in turns: the head is as large as the largest model needs, the persistent parts add up.
#[test]
fn models_share_an_arena() {
    let ops = ops();
    let models = small();
    let alone = |model: &Aligned| {
        let mut arena = Aligned::new(0, 1 << 20);
        Interpreter::new(model.as_slice(), &ops, arena.bytes_mut()).expect("it is ready").recording()
    };
    let mut arena = Aligned::new(0, 1 << 20);
    let mut shared = SharedArena::<16>::new(arena.bytes_mut()).expect("the memory suffices");
    for (i, (_, model)) in models.iter().enumerate() {
        assert_eq!(shared.add(model.as_slice(), Ops::List(&ops), Planner::Greedy).ok(), Some(i));
        // A model that does not fit allocates nothing.
        let before = shared.recording().sizes();
        assert!(shared.add(&model.as_slice()[..64], Ops::List(&ops), Planner::Greedy).is_err());
        assert_eq!(shared.recording().sizes().tail(), before.tail());
    }
    let each: Vec<_> = models.iter().map(|(_, model)| alone(model)).collect();
    let together = shared.recording();
    assert_eq!(Some(together.head), each.iter().map(|recording| recording.head).max());
    for &category in Category::ALL.iter().filter(|&&category| category != Category::Subgraphs) {
        let sum: usize = each.iter().map(|recording| recording.of(category)).sum();
        // Alignment of lists takes up to 16 bytes more per model.
        let more = together.of(category).abs_diff(sum);
        assert!(more <= 16 * each.len(), "{}: {sum} alone, {}", category.name(), together.of(category));
    }
    for round in 0..3 {
        for (i, (name, model)) in models.iter().enumerate() {
            let mut turn = shared.turn(i).expect("it exists");
            for input in 0..turn.input_count() {
                let ty = turn.input_info(input).expect("an input").ty;
                fill(turn.input(input).expect("an input"), ty, round);
            }
            turn.invoke().expect("it runs");
            let wanted = large(model.as_slice(), round + 1);
            let wanted = &wanted[round as usize * turn.output_count()..];
            let same = (0..).zip(wanted).all(|(o, wanted)| turn.output(o).is_ok_and(|got| got == wanted));
            assert!(same, "{name}, round {round}: the bytes differ");
        }
    }
    assert!(matches!(shared.turn(99).err(), Some(Error::Index { index: 99, .. })));
}

/// The lines of the report add up to the arena's size, with each byte counted once.
#[test]
fn the_lines_of_the_report_add_up() {
    let ops = ops();
    for (name, model) in small() {
        let mut arena = Aligned::new(0, 1 << 20);
        let interpreter = Interpreter::new(model.as_slice(), &ops, arena.bytes_mut()).expect("it is ready");
        let (recording, sizes) = (interpreter.recording(), interpreter.sizes());
        println!("{name}\n{recording}");
        let tail: usize = Category::ALL.iter().map(|&category| recording.of(category)).sum();
        assert_eq!(tail, sizes.tail(), "{name}");
        assert_eq!((recording.head, recording.arena), (sizes.head, sizes.arena), "{name}");
        assert!(recording.of(Category::Tensors) > 0 && recording.of(Category::Nodes) > 0, "{name}");
        let keeps = name == "a variable";
        assert_eq!(recording.of(Category::Resources) > 0, keeps, "{name}");
    }
}

/// Damaged models give an error or a result, and touch nothing outside the arena. `cargo run --release -p arenite-tests
/// --bin micro_fuzz` runs a million.
#[test]
fn damaged_models() {
    let mut pages = Pages::new(FUZZ_ARENA);
    let Fuzzed { ran, refused } = fuzz(20_000, 0, pages.block());
    println!("{ran} ran, {refused} refused");
    assert!(ran > 1000 && refused > 1000);
}
