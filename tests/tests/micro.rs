//! The micro interpreter beside the large runtime: the same bytes, from one block of the size that was told.

use std::path::{Path, PathBuf};

use arenite::config::PlannerConfig;
use arenite::{Config, PlanLimits, Registry};
use arenite_micro::{Error, Interpreter, OfflinePlan, OpRegistration, Planner, Sizes, required_arena};
use arenite_model::tensor_type::FLOAT32;
use arenite_model::writer::{ModelBuilder, Operator, SubGraph, Tensor, bytes_of};

/// Bytes in front of an arena and behind it that nobody may write.
const GUARD: usize = 4096;
const GUARD_BYTE: u8 = 0xe5;

/// Memory whose bytes begin at a multiple of 16.
struct Aligned {
    words: Vec<u128>,
    bytes: usize,
}

impl Aligned {
    fn new(fill: u8, bytes: usize) -> Self {
        Aligned { words: vec![u128::from_le_bytes([fill; 16]); bytes.div_ceil(16) + 1], bytes }
    }

    fn of(contents: &[u8]) -> Self {
        let mut memory = Self::new(0, contents.len());
        memory.as_mut().copy_from_slice(contents);
        memory
    }

    fn as_mut(&mut self) -> &mut [u8] {
        // SAFETY: the words have at least so many bytes, and any bytes are words.
        unsafe { std::slice::from_raw_parts_mut(self.words.as_mut_ptr().cast(), self.bytes) }
    }

    fn as_slice(&self) -> &[u8] {
        // SAFETY: as above.
        unsafe { std::slice::from_raw_parts(self.words.as_ptr().cast(), self.bytes) }
    }
}

/// All reference ops.
fn ops() -> Vec<OpRegistration> {
    (0..).map_while(|i| arenite_ops::PLUGIN.op(i)).map(|(op, _)| *op).collect()
}

/// Where the models of the shared corpora are; nothing, and a word about it, where they are not.
fn folder() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared");
    let folder = std::env::var_os("ARENITE_SHARED").map_or(beside, PathBuf::from).join("models");
    if !folder.is_dir() {
        println!("skipped: {} is not there; ARENITE_SHARED says where", folder.display());
        return None;
    }
    Some(folder)
}

/// The models of the shared corpora that microcontrollers run.
fn models() -> Vec<(&'static str, Aligned)> {
    const NAMES: [&str; 15] = [
        "hello_world_f32",
        "hello_world_int8",
        "micro_speech_int8",
        "kws_f32",
        "kws_int8",
        "vww_96_f32",
        "vww_96_int8",
        "resnet8_f32",
        "resnet8_int8",
        "ad01_f32",
        "ad01_int8",
        "str_ww_int8",
        "keyword_scrambled",
        "mnist_lstm_f32",
        "mnist_lstm_int8",
    ];
    let Some(folder) = folder() else { return Vec::new() };
    let read = |name| std::fs::read(folder.join(name).join("model.tflite")).expect("the model can be read");
    NAMES.map(|name| (name, Aligned::of(&read(name)))).into()
}

/// Fills an input with bytes that look random; floats are between −1 and 1.
fn fill(bytes: &mut [u8], is_float: bool, mut state: u32) {
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state >> 8
    };
    match is_float {
        true => bytes
            .chunks_exact_mut(4)
            .for_each(|f| f.copy_from_slice(&(next() as f32 / (1 << 23) as f32 - 1.0).to_le_bytes())),
        false => bytes.iter_mut().for_each(|byte| *byte = next() as u8),
    }
}

/// The outputs of so many invocations in a row.
fn large(model: &[u8], invocations: u32) -> Vec<Vec<u8>> {
    let model = arenite::Model::from_bytes(model.to_vec()).expect("a sound model");
    let mut interpreter = arenite_tests::reference_ops(&model).build().expect("an interpreter");
    interpreter.allocate().expect("it has memory");
    let mut outputs = Vec::new();
    for invocation in 0..invocations {
        for i in 0..interpreter.input_count() {
            let input = interpreter.input_mut(i).expect("an input");
            let is_float = input.tensor().ty == arenite::ElementType::F32;
            fill(input.into_bytes().expect("host memory"), is_float, invocation);
        }
        interpreter.invoke().expect("it runs");
        outputs.extend(
            (0..interpreter.output_count()).map(|i| {
                interpreter.output(i).and_then(|output| output.bytes()).expect("an output").to_vec()
            }),
        );
    }
    outputs
}

fn invoke(interpreter: &mut Interpreter<'_>, invocation: u32) -> Vec<Vec<u8>> {
    for i in 0..interpreter.input_count() {
        let is_float = interpreter.input_info(i).expect("an input").ty == arenite::ElementType::F32;
        fill(interpreter.input(i).expect("an input"), is_float, invocation);
    }
    interpreter.invoke().expect("it runs");
    (0..interpreter.output_count()).map(|i| interpreter.output(i).expect("an output").to_vec()).collect()
}

/// A block with guards around it.
struct Guarded {
    memory: Aligned,
    offset: usize,
    bytes: usize,
}

impl Guarded {
    /// `misaligned` bytes behind a multiple of 16.
    fn new(bytes: usize, misaligned: usize) -> Self {
        let memory = Aligned::new(GUARD_BYTE, bytes + misaligned + 2 * GUARD);
        Guarded { memory, offset: GUARD + misaligned, bytes }
    }

    fn block(&mut self) -> &mut [u8] {
        &mut self.memory.as_mut()[self.offset..][..self.bytes]
    }

    #[track_caller]
    fn check(&self) {
        let (before, rest) = self.memory.as_slice().split_at(self.offset);
        let after = &rest[self.bytes..];
        assert!(before.iter().chain(after).all(|&byte| byte == GUARD_BYTE), "bytes outside were written");
    }
}

#[test]
fn the_same_bytes_as_the_large_runtime() {
    let ops = ops();
    for (name, model) in models() {
        let model = model.as_slice();
        let sizes =
            required_arena(model, &ops, Planner::Greedy).unwrap_or_else(|error| panic!("{name}: {error}"));
        println!("{name}: {sizes}");
        let mut arena = Guarded::new(sizes.arena, 0);
        let mut interpreter = Interpreter::new(model, &ops, arena.block()).expect("as much as was told");
        assert_eq!(interpreter.sizes(), sizes, "{name}");
        let outputs: Vec<_> = (0..3).flat_map(|invocation| invoke(&mut interpreter, invocation)).collect();
        assert!(outputs == large(model, 3), "{name}: other bytes");
        interpreter.reset();
        assert!(
            invoke(&mut interpreter, 0)[..] == outputs[..outputs.len() / 3],
            "{name}: other bytes after a reset"
        );
        drop(interpreter);
        arena.check();
    }
}

#[test]
fn one_byte_less_is_refused_with_both_numbers() {
    let ops = ops();
    for (name, model) in models() {
        let needed =
            required_arena(model.as_slice(), &ops, Planner::Greedy).expect("it can be made ready").arena;
        for misaligned in [0, 1, 15] {
            let lost = (16 - misaligned) % 16;
            let mut arena = Guarded::new(needed + lost, misaligned);
            assert!(Interpreter::new(model.as_slice(), &ops, arena.block()).is_ok(), "{name}, {misaligned}");
            arena.check();
            let mut arena = Guarded::new(needed + lost - 1, misaligned);
            match Interpreter::new(model.as_slice(), &ops, arena.block()).err() {
                Some(Error::Arena { given, needed: told }) => {
                    assert_eq!((given, told), (needed + lost - 1, needed + lost), "{name}, {misaligned}");
                }
                other => panic!("{name}: {other:?}"),
            }
            arena.check();
        }
    }
}

#[test]
fn arenas_of_any_size_and_alignment_are_kept() {
    let ops = ops();
    for (name, model) in models().into_iter().filter(|(name, _)| name.ends_with("int8")) {
        let Sizes { arena: needed, .. } =
            required_arena(model.as_slice(), &ops, Planner::Greedy).expect("it can be made ready");
        for step in 0..24 {
            let mut arena = Guarded::new(needed * step / 20 + step, step % 16);
            let done = Interpreter::new(model.as_slice(), &ops, arena.block());
            assert_eq!(
                done.is_ok(),
                step > 20 || needed * step / 20 + step >= needed + (16 - step % 16) % 16,
                "{name}"
            );
            drop(done);
            arena.check();
        }
    }
}

/// What is linear keeps everything, and gives the same answers.
#[test]
fn tensors_one_after_the_other() {
    let ops = ops();
    for (name, model) in models().into_iter().filter(|(name, _)| name.starts_with("hello")) {
        let sizes = required_arena(model.as_slice(), &ops, Planner::Linear).expect("it can be made ready");
        let mut arena = Aligned::new(0, sizes.arena);
        let loaded = arenite_micro::Loaded::new(model.as_slice(), &ops, arena.as_mut()).expect("it loads");
        let mut interpreter =
            loaded.prepare().and_then(|model| model.plan(Planner::Linear)).expect("it is ready");
        assert!(invoke(&mut interpreter, 0) == large(model.as_slice(), 1), "{name}");
    }
}

#[test]
fn ten_thousand_invocations() {
    let ops = ops();
    for (name, model) in models().into_iter().filter(|(name, _)| name.starts_with("hello")) {
        let sizes = required_arena(model.as_slice(), &ops, Planner::Greedy).expect("it can be made ready");
        let mut arena = Guarded::new(sizes.arena, 0);
        let mut interpreter = Interpreter::new(model.as_slice(), &ops, arena.block()).expect("it is ready");
        let first = invoke(&mut interpreter, 7);
        for invocation in 0..10_000 {
            assert_eq!(invoke(&mut interpreter, 7), first, "{name}, invocation {invocation}");
        }
        assert_eq!(interpreter.sizes(), sizes, "{name}");
        drop(interpreter);
        arena.check();
    }
}

/// Models without stored answers: the large runtime's answer, or a refusal where it refuses.
#[test]
fn what_the_large_runtime_says() {
    let Some(folder) = folder() else { return };
    let ops = ops();
    for name in ["person_detect.tflite", "keyword_scrambled_8bit.tflite"] {
        let model = Aligned::of(&std::fs::read(folder.join(name)).expect("the model can be read"));
        let ready = arenite::Model::from_bytes(model.as_slice().to_vec())
            .and_then(|model| arenite_tests::reference_ops(&model).build())
            .and_then(|mut interpreter| interpreter.allocate());
        let sizes = required_arena(model.as_slice(), &ops, Planner::Greedy);
        match (ready, sizes) {
            (Ok(()), Ok(sizes)) => {
                let mut arena = Aligned::new(0, sizes.arena);
                let mut interpreter =
                    Interpreter::new(model.as_slice(), &ops, arena.as_mut()).expect("it is ready");
                assert!(invoke(&mut interpreter, 0) == large(model.as_slice(), 1), "{name}: other bytes");
                println!("{name}: {sizes}");
            }
            (Err(large), Err(micro)) => println!("{name}: {large}; {micro}"),
            (large, micro) => panic!("{name}: {large:?}; {micro:?}"),
        }
    }
}

/// Damaged models end in an error or in an answer, and touch nothing outside of the arena. `ARENITE_MUTANTS` says how many.
#[test]
fn damaged_models() {
    let mutants = std::env::var("ARENITE_MUTANTS").ok().and_then(|count| count.parse().ok());
    let ops = ops();
    let (mut ran, mut refused) = (0, 0);
    for (name, mut model) in models().into_iter().filter(|(name, _)| name.starts_with("hello")) {
        let mut arena = Guarded::new(1 << 13, 0);
        let mut random = 0x9e37_79b9_7f4a_7c15u64;
        for _ in 0..mutants.unwrap_or(4000) / 2 {
            let mut before = Vec::new();
            for _ in 0..3 {
                random ^= random << 13;
                random ^= random >> 7;
                random ^= random << 17;
                let at = random as usize % model.bytes;
                before.push((at, model.as_slice()[at]));
                model.as_mut()[at] ^= 1 << (random >> 60 & 7);
            }
            match Interpreter::new(model.as_slice(), &ops, arena.block()) {
                Ok(mut interpreter) => {
                    ran += 1;
                    (0..interpreter.input_count())
                        .for_each(|i| _ = interpreter.input(i).map(|input| input.fill(1)));
                    // What an op refuses is an error, too.
                    _ = interpreter.invoke();
                }
                Err(error) => {
                    refused += 1;
                    assert!(!error.to_string().is_empty());
                }
            }
            for (at, byte) in before.into_iter().rev() {
                model.as_mut()[at] = byte;
            }
        }
        arena.check();
        println!("{name}: {ran} ran, {refused} refused so far");
    }
    assert!(folder().is_none() || ran > 0 && refused > 0);
}

#[test]
fn what_cannot_begin_says_why() {
    let ops = ops();
    let message = |model: &[u8], ops: &[OpRegistration], arena: &mut [u8]| {
        Interpreter::new(model, ops, arena).err().expect("an error").to_string()
    };
    let empty = Aligned::new(0, 16);
    assert_eq!(message(&empty.as_slice()[..0], &ops, &mut []), "not a .tflite model: only 0 bytes");
    assert!(message(&empty.as_slice()[1..], &ops, &mut []).ends_with("align it to 16 bytes"));
    assert_eq!(
        message(empty.as_slice(), &[ops[0], ops[0]], &mut []),
        "op 1 of the list: ABS of some of its versions is there already"
    );
    for (name, model) in models().into_iter().filter(|(name, _)| name.ends_with("world_int8")) {
        let missing = message(model.as_slice(), &[], &mut [0; 8192]);
        assert!(
            missing.starts_with("node 0: no op among those given serves FULLY_CONNECTED of version"),
            "{name}: {missing}"
        );
        assert_eq!(
            message(model.as_slice(), &ops, &mut []).split_once(',').map(|text| text.0),
            Some("the arena has 0 bytes")
        );
    }
}

/// `x ─► ABS ─► a ─► RELU ─► b ─► ABS ─► y`, 64 bytes each, with these numbers as its offline plan.
fn planned(plan: &[i32]) -> Aligned {
    let mut model = ModelBuilder::new();
    let (abs, relu) = (model.builtin("ABS", 1), model.builtin("RELU", 1));
    let mut graph = SubGraph::new("main");
    let x = graph.input(Tensor::new("x", FLOAT32, &[16]));
    let [a, b] = ["a", "b"].map(|name| graph.tensor(Tensor::new(name, FLOAT32, &[16])));
    let y = graph.output(Tensor::new("y", FLOAT32, &[16]));
    for (op, from, to) in [(abs, x, a), (relu, a, b), (abs, b, y)] {
        graph.operator(Operator::new(op, &[from], &[to]));
    }
    model.subgraph(graph);
    model.metadata("OfflineMemoryAllocation", bytes_of(plan));
    Aligned::of(&model.finish())
}

#[test]
fn plans_that_stand_in_the_model() {
    let ops = ops();
    // The numbers, and the head: bytes up to the end of what lies last.
    let sound: [(&[i32], usize); 4] = [
        (&[0, 1, 4, -1, -1, -1, -1], 128),
        (&[0, 0, 4, 0, 64, 128, 192], 256),
        (&[0, 1, 4, 1024, -1, -1, 0], 1088),
        (&[0, 1, 4, 0, 64, 0, 64, 99], 128),
    ];
    for (plan, head) in sound {
        let model = planned(plan);
        let sizes = required_arena(model.as_slice(), &ops, Planner::Greedy).expect("it can be made ready");
        assert_eq!(sizes.head, head, "{plan:?}");
        let mut arena = Guarded::new(sizes.arena, 0);
        let mut interpreter = Interpreter::new(model.as_slice(), &ops, arena.block()).expect("it is ready");
        assert!(invoke(&mut interpreter, 0) == large(model.as_slice(), 1), "{plan:?}: other bytes");
        drop(interpreter);
        arena.check();
    }
    let wrong: [(&[i32], &str); 9] = [
        (&[], "0 bytes, at least 12 are needed"),
        (&[0, 1], "8 bytes, at least 12 are needed"),
        (&[1, 1, 4, -1, -1, -1, -1], "1 is its version, only 0 is known"),
        (&[0, 2, 4, -1, -1, -1, -1], "2 subgraphs, the model has fewer"),
        (&[0, 1, 5, -1, -1, -1, -1, -1], "5 offsets, the model has another number of tensors"),
        (&[0, 1, 4, -1, -1, -1], "4 offsets, it is cut short"),
        (&[0, 1, 4, -2, -1, -1, -1], "-2 is the offset of a tensor, it is -1 or a multiple of 16"),
        (&[0, 1, 4, 8, -1, -1, -1], "8 is the offset of a tensor, it is -1 or a multiple of 16"),
        (&[0, 1, 4, 0, 48, -1, -1], "1 is a tensor that lies over another one, and both live"),
    ];
    for (plan, message) in wrong {
        let model = planned(plan);
        let error = required_arena(model.as_slice(), &ops, Planner::Greedy).expect_err("a wrong plan");
        assert_eq!(error.to_string(), format!("OfflineMemoryAllocation: {message}"));
    }
    let far = planned(&[0, 1, 4, i32::MAX - 15, -1, -1, -1]);
    let mut arena = Guarded::new(4096, 0);
    let error = Interpreter::new(far.as_slice(), &ops, arena.block()).err().expect("a plan beyond the arena");
    assert!(matches!(error, Error::Arena { given: 4096, needed } if needed > i32::MAX as usize), "{error}");
}

/// A plan by `exact` in the model: both runtimes give the answers that they gave without it.
#[test]
fn plans_that_are_written_are_followed() {
    let ops = ops();
    let registry = Registry::discover(&Config::default()).expect("the planners that are linked");
    for (name, model) in models() {
        let view = arenite_model::Model::new(model.as_slice()).expect("a sound model");
        let offline = OfflinePlan::new(view);
        let exact = PlannerConfig::new("exact");
        let plan = registry.plan(&exact, offline.records(), &PlanLimits::default()).expect("there is a plan");
        let embedded = Aligned::of(&offline.embed(&plan.offsets).expect("it fits the format"));
        let before = required_arena(model.as_slice(), &ops, Planner::Greedy).expect("it can be made ready");
        let sizes = required_arena(embedded.as_slice(), &ops, Planner::Greedy).expect("it can be made ready");
        println!("{name}: head {}, planned ahead {} of {}", before.head, sizes.head, plan.total_bytes);
        let mut arena = Aligned::new(0, sizes.arena);
        let mut interpreter =
            Interpreter::new(embedded.as_slice(), &ops, arena.as_mut()).expect("it is ready");
        let answer = large(model.as_slice(), 1);
        assert!(invoke(&mut interpreter, 0) == answer, "{name}: other bytes");
        assert!(large(embedded.as_slice(), 1) == answer, "{name}: other bytes of the large runtime");
    }
}
