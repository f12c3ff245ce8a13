//! Kernels of the CPU delegate survive a resize: they are prepared again for the new shapes, and give the same bits as
//! a kernel compiled for these shapes.

use std::sync::Arc;

use arenite::config::DelegateConfig;
use arenite::{ElementType, Interpreter, Model, Registry};
use arenite_tests as _;

mod counting;
mod networks;
mod tails;

use counting::{Work, registry, take_work};
use networks::FORMS;

/// An interpreter with one thread.
fn interpreter(
    model: &Model,
    registry: &Arc<Registry>,
    delegate: &str,
    options: &[(&str, &str)],
) -> Interpreter {
    let mut config = DelegateConfig::new(delegate);
    config.options.extend(options.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())));
    let builder = Interpreter::builder(model).registry(Arc::clone(registry)).delegate(config);
    builder.without_default_delegate().threads(1).build().expect("it can be built")
}

/// The output for pseudo-random inputs of these shapes.
fn run(interpreter: &mut Interpreter, shapes: &[&[i32]]) -> Vec<u8> {
    for (i, shape) in shapes.iter().enumerate() {
        interpreter.resize_input(i, shape).expect("any such size is fine");
    }
    interpreter.allocate().expect("it can be allocated");
    assert_eq!(interpreter.left_out(), []);
    for i in 0..shapes.len() {
        let input = interpreter.input_mut(i).expect("it has this input");
        let is_float = input.tensor().ty == ElementType::F32;
        let bytes = input.into_bytes().expect("the input has memory");
        let number = |k: usize| ((k * 37 + k / 7 * 11 + i) % 255) as u8;
        match is_float {
            true => bytes.as_chunks_mut::<4>().0.iter_mut().enumerate().for_each(|(k, x)| {
                *x = ((f32::from(number(k)) - 127.0) / 64.0).to_le_bytes();
            }),
            false => bytes.iter_mut().enumerate().for_each(|(k, x)| *x = number(k)),
        }
    }
    interpreter.invoke().expect("it runs");
    interpreter.output(0).and_then(|output| output.bytes().map(<[u8]>::to_vec)).expect("it has an output")
}

/// The work of resizing a kept kernel. The output is compared with a kernel that was compiled for the shapes.
fn resize(kept: &mut Interpreter, fresh: impl Fn() -> Interpreter, shapes: &[&[i32]]) -> Work {
    take_work();
    let got = run(kept, shapes);
    let work = take_work();
    assert!(got == run(&mut fresh(), shapes), "{shapes:?}: the bits differ from a fresh kernel's");
    assert!(got.iter().any(|byte| *byte != got[0]), "{shapes:?}: all bytes of the output are equal");
    work
}

const NOTHING: Work = Work { kernels: 0, bytes: 0 };

#[test]
fn another_batch_and_back_packs_nothing() {
    let registry = registry();
    for form in FORMS {
        let model = networks::mobilenet_v2(form);
        let mut kept = interpreter(&model, &registry, "counting", &[]);
        let fresh = || interpreter(&model, &registry, "cpu", &[]);
        let first = resize(&mut kept, fresh, &[&[1, 96, 96, 3]]);
        assert!(first.kernels == 1 && first.bytes > 100_000, "{form:?}: {first:?}");
        for batch in [4, 1, 1, 4, 2, 1] {
            assert_eq!(resize(&mut kept, fresh, &[&[batch, 96, 96, 3]]), NOTHING, "{form:?}, batch {batch}");
        }
    }
}

/// SplitMix64.
struct Random(u64);

impl Random {
    fn within(&mut self, range: std::ops::Range<i32>) -> i32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        range.start + ((z ^ (z >> 31)) % (range.end - range.start) as u64) as i32
    }
}

#[test]
fn any_resize_gives_the_bits_of_a_fresh_kernel() {
    let (registry, mut random) = (registry(), Random(1));
    for (form, isa) in FORMS.into_iter().flat_map(|form| ["scalar", "avx2", "amx"].map(|isa| (form, isa))) {
        for (model, channels) in [(networks::mobilenet_v2(form), 3), (networks::wide_windows(form), 16)] {
            let (options, name) = ([("isa", isa)], if isa == "amx" { "counting" } else { "counting-old" });
            let mut kept = interpreter(&model, &registry, name, &options);
            let fresh = || interpreter(&model, &registry, "cpu", &options);
            let first = resize(&mut kept, fresh, &[&[1, 32, 32, channels]]);
            assert!(first.kernels > 0, "{form:?}, {isa}");
            for _ in 0..5 {
                let shape = [random.within(1..4), random.within(5..45), random.within(5..45), channels];
                assert_eq!(resize(&mut kept, fresh, &[&shape]).kernels, 0, "{form:?}, {isa}, {shape:?}");
                if random.within(0..2) == 0 {
                    let more = [shape[0] + 1, shape[1], shape[2], channels];
                    assert_eq!(resize(&mut kept, fresh, &[&more]).kernels, 0, "{form:?}, {isa}, {more:?}");
                }
                assert_eq!(resize(&mut kept, fresh, &[&shape]), NOTHING, "{form:?}, {isa}, {shape:?}");
            }
        }
    }
}

#[test]
fn a_loop_with_another_batch_packs_nothing() {
    let registry = registry();
    for (form, isa) in FORMS[..3].iter().flat_map(|form| ["scalar", "avx2", "amx"].map(|isa| (*form, isa))) {
        let (model, options) = (networks::recurrent(form), [("isa", isa)]);
        let mut kept = interpreter(&model, &registry, "counting", &options);
        let fresh = || interpreter(&model, &registry, "cpu", &options);
        let shapes = |batch| [vec![7, batch, 5], vec![batch, 24]];
        let [x, h] = shapes(1);
        let first = resize(&mut kept, fresh, &[&x, &h]);
        assert!(first.kernels == 1 && first.bytes > 0, "{form:?}, {isa}: {first:?} {:?}", kept.refusals());
        for batch in [3, 1, 8, 2] {
            let [x, h] = shapes(batch);
            assert_eq!(resize(&mut kept, fresh, &[&x, &h]), NOTHING, "{form:?}, {isa}, batch {batch}");
        }
    }
}

#[test]
fn a_cache_file_holds_all_packed_weights_and_is_repaired() {
    let registry = registry();
    for form in FORMS {
        let (model, folder) = (networks::mobilenet_v2(form), tempfile::tempdir().expect("a folder"));
        let options = [("cache", folder.path().to_str().expect("the name is UTF-8"))];
        let start = || {
            let mut kept = interpreter(&model, &registry, "counting", &options);
            let fresh = || interpreter(&model, &registry, "cpu", &[]);
            let first = resize(&mut kept, fresh, &[&[1, 96, 96, 3]]);
            assert_eq!(resize(&mut kept, fresh, &[&[3, 96, 96, 3]]), NOTHING, "{form:?}");
            first.bytes
        };
        let all = start();
        assert!(all > 100_000, "{form:?}: {all}");
        assert_eq!(start(), 0, "{form:?}: the file is incomplete");

        let mut files = std::fs::read_dir(folder.path()).expect("the folder exists");
        let path = files.next().expect("a file").expect("its entry can be read").path();
        assert!(files.next().is_none(), "one partition, one file");
        let mut bytes = std::fs::read(&path).expect("it can be read");
        let last = bytes.len() - 1;
        let at = bytes[..last].iter().rposition(|byte| *byte != 0).expect("weights are not all zero");
        bytes[at] ^= 1;
        std::fs::write(&path, &bytes).expect("it can be written");
        let mended = start();
        assert!(0 < mended && mended < all / 4, "{form:?}: {mended} bytes of {all}");
        assert_eq!(start(), 0, "{form:?}: the file was not repaired");
    }
}
