//! Written models are read back; sources; scratch space.

use arenite_model::tensor_type::{FLOAT32, INT8, INT32};
use arenite_model::writer::{Buffer, ModelBuilder, Operator, SubGraph, Tensor, bytes_of};
use arenite_model::{Model, ModelBuffer, ModelError};
use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::sync::Arc;

/// Tag of `StablehloSliceOptions` in the second union, and slot of its start indices.
const SLICE_OPTIONS: u8 = 3;
const START_INDICES: u16 = 0;

fn model() -> ModelBuilder {
    let mut model = ModelBuilder::new();
    model.description = Some("two constants".into());
    let (conv, mine) = (model.builtin("STABLEHLO_ADD", 2), model.custom("Mine", 3));
    let inside = model.buffer(bytes_of(&[1.0f32, 2.0]));
    let outside = model.external_buffer(bytes_of(&[3i32, 4, 5]));
    let mut graph = SubGraph::new("main");
    let x = graph.input(Tensor::new("x", INT8, &[1, 2]).quantized(0.5, -3).shape_signature(&[-1, 2]));
    let a = graph.tensor(Tensor::new("a", FLOAT32, &[2]).buffer(inside));
    let b = graph.tensor(Tensor::new("b", INT32, &[3]).buffer(outside));
    let t = graph.tensor(Tensor::new("t", INT8, &[1, 2]));
    let y = graph.output(Tensor::new("y", INT8, &[1, 2]));
    graph.operator(
        Operator::new(conv, &[x, a], &[t])
            .options_2(SLICE_OPTIONS, |options| options.i64s(START_INDICES, &[7])),
    );
    let mut custom = Operator::new(mine, &[t, b, -1], &[y]).intermediates(&[-1, 3]);
    custom.custom_options = Buffer::External(vec![9; 5]);
    custom.mutating_variable_inputs = vec![false, true, false];
    graph.operator(custom);
    model.subgraph(graph);
    model.signature("serving_default", 0, &[("in", x)], &[("out", y)]);
    model.metadata("notes", *b"hello");
    model
}

#[test]
fn written_models_are_read_back() {
    let bytes = model().finish();
    let model = Model::new(&bytes).expect("the model is valid");
    assert_eq!((model.version(), model.description()), (3, Some("two constants")));
    assert_eq!(model.metadata("notes"), Some(&b"hello"[..]));
    assert_eq!(model.metadata("none"), None);
    let graph = model.subgraph(0).expect("subgraph 0 exists");
    assert_eq!((graph.name(), model.subgraphs().len()), (Some("main"), 1));
    assert_eq!(graph.inputs().iter().collect::<Vec<_>>(), [0]);

    let [x, a, b] = [0, 1, 2].map(|index| graph.tensors().get(index).expect("there are five"));
    assert_eq!((x.name(), x.element_type(), x.byte_size()), (Some("x"), INT8, Some(2)));
    assert_eq!(x.shape_signature().iter().collect::<Vec<_>>(), [-1, 2]);
    let quantization = x.quantization().expect("x is quantized");
    assert_eq!((quantization.scale().get(0), quantization.zero_point().get(0)), (Some(0.5), Some(-3)));
    assert_eq!((quantization.scale().get(1), model.constant(&x)), (None, None));
    assert_eq!(model.constant(&a), Some(&bytes_of(&[1.0f32, 2.0])[..]));
    assert_eq!(model.constant(&b), Some(&bytes_of(&[3i32, 4, 5])[..]));
    for index in 1..3 {
        let offset = model.buffer(index).as_ptr() as usize - bytes.as_ptr() as usize;
        assert_eq!(offset % 16, 0, "buffer {index} lies at {offset}");
    }
    assert_eq!(model.buffer(99), b"");

    let [first, second] = [0, 1].map(|index| graph.operators().get(index).expect("two operators exist"));
    let [one, two] = [first, second].map(|op| model.operator_code(&op).expect("the index is valid"));
    assert_eq!((one.builtin_code(), one.name(), one.version()), (163, "STABLEHLO_ADD", 2));
    assert_eq!((two.builtin_code(), two.name(), two.version()), (32, "Mine", 3));
    let options = first.any_builtin_options().expect("the options were written");
    assert_eq!((options.tag, first.builtin_options().is_none()), (SLICE_OPTIONS, true));
    assert_eq!((second.custom_options(), second.mutates_input(1)), (&[9u8; 5][..], true));
    assert_eq!(second.intermediates().iter().collect::<Vec<_>>(), [-1, 3]);

    let signature = model.signature("serving_default").expect("the signature was written");
    assert_eq!(
        (signature.input("in"), signature.output("out"), signature.input("out")),
        (Some(0), Some(4), None)
    );
    assert!(model.signature("other").is_none());
}

#[test]
fn verification_without_a_heap_reports_the_scratch_it_needs() {
    let bytes = model().finish();
    let error = Model::new_in(&bytes, &mut [0; 4]).expect_err("five tensors");
    assert_eq!(error, ModelError::ScratchTooSmall { given: 4, needed: 5 });
    Model::new_in(&bytes, &mut [0; 5]).expect("one entry per tensor");
}

#[test]
fn all_sources_give_the_same_model() {
    let bytes = model().finish();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("model.tflite");
    std::fs::write(&file, &bytes).expect("a temporary file");
    let fixed: &'static [u8] = Box::leak(bytes.clone().into_boxed_slice());
    let owner: Arc<dyn AsRef<[u8]> + Send + Sync> = Arc::new(bytes.clone());
    let buffers = [
        ModelBuffer::from_file(&file),
        ModelBuffer::from_file_part(&File::open(&file).expect("cannot open the file"), 0, bytes.len() as u64),
        // SAFETY: no other process or thread knows the temporary file, so it does not change.
        unsafe { ModelBuffer::map_file(&file) },
        ModelBuffer::from_bytes(bytes.clone()),
        ModelBuffer::from_static(fixed),
        ModelBuffer::from_owner(owner.clone()),
    ];
    for buffer in buffers {
        let buffer = buffer.expect("the model is valid").clone();
        let moved = std::thread::spawn(move || {
            assert_eq!(buffer.model().description(), Some("two constants"));
            buffer.bytes().to_vec()
        });
        assert_eq!(moved.join().expect("the thread does not panic"), bytes);
    }
    assert_eq!(Arc::strong_count(&owner), 1, "the owner was released");
}

/// After a file was read, rewriting or truncating it has no effect on the model.
#[test]
fn changes_to_a_file_after_it_was_read_have_no_effect() {
    let mut large = model();
    large.buffers.push(Buffer::Inline(vec![5; 17 << 20]));
    for bytes in [model().finish(), large.finish()] {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("model.tflite");
        std::fs::write(&path, &bytes).expect("a temporary file");
        let file = File::options().read(true).write(true).open(&path).expect("cannot open the file");
        let buffers =
            [ModelBuffer::from_file(&path), ModelBuffer::from_file_part(&file, 0, bytes.len() as u64)];
        let buffers = buffers.map(|buffer| buffer.expect("the model is valid"));
        std::fs::write(&path, vec![0xff; bytes.len()]).expect("cannot write the file");
        assert!(buffers.iter().all(|buffer| buffer.bytes() == bytes));
        file.set_len(0).expect("cannot truncate the file");
        assert!(buffers.iter().all(|buffer| buffer.bytes() == bytes));
        assert!(buffers.iter().all(|buffer| buffer.model().description() == Some("two constants")));
    }
}

#[test]
fn errors_for_other_files_contain_their_names() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let refused = |name: &str| {
        let path = folder.path().join(name);
        let error = ModelBuffer::from_file(&path).expect_err("not a model").to_string();
        error.replace(&folder.path().display().to_string(), "DIR")
    };
    std::fs::write(folder.path().join("empty"), []).expect("a temporary file");
    std::fs::write(folder.path().join("text"), "just some text").expect("a temporary file");
    assert_eq!(refused(""), "DIR/: is a directory, not a model file");
    assert_eq!(refused("empty"), "DIR/empty: is empty");
    assert!(refused("absent").starts_with("DIR/absent: "));
    assert_eq!(refused("text"), "not a .tflite model: file identifier is \" som\", not \"TFL3\"");
}

#[cfg(unix)]
#[test]
fn a_file_rewritten_with_its_old_times_has_another_origin() {
    let mut file = tempfile::NamedTempFile::new().expect("a temporary file");
    file.write_all(&model().finish()).expect("cannot write the file");
    let before = ModelBuffer::from_file(file.path()).expect("the model is valid").origin();
    assert_eq!(ModelBuffer::from_file(file.path()).expect("the model is valid").origin(), before);
    let time = file
        .as_file()
        .metadata()
        .and_then(|about| about.modified())
        .expect("cannot read the modification time");
    // File systems update their clocks every few milliseconds.
    std::thread::sleep(std::time::Duration::from_millis(30));
    std::fs::write(file.path(), model().finish()).expect("cannot write the file");
    file.as_file().set_modified(time).expect("cannot set the modification time");
    let after = ModelBuffer::from_file(file.path()).expect("the model is valid").origin();
    assert_eq!(after[..3], before[..3]);
    assert_ne!(after, before);
}

#[test]
fn a_model_can_be_a_part_of_another_file() {
    let bytes = model().finish();
    let mut archive = tempfile::tempfile().expect("a temporary file");
    for part in [&[7; 4099][..], &bytes, &[8; 100]] {
        archive.write_all(part).expect("cannot write the file");
    }
    let (at, length) = (4099, bytes.len() as u64);
    let buffer = ModelBuffer::from_file_part(&archive, at, length).expect("the model is valid");
    assert_eq!(buffer.bytes(), bytes);
    assert_eq!(buffer.model().description(), Some("two constants"));
    let other =
        ModelBuffer::from_file_part(&archive, at, length + 1).expect("the part is longer than the model");
    assert_ne!(buffer.origin(), other.origin());
    let refused = |offset, length| {
        ModelBuffer::from_file_part(&archive, offset, length).expect_err("no model").to_string()
    };
    let end = at + length + 100;
    assert_eq!(
        refused(at, length + 101),
        format!("the {} bytes at offset 4099 of the file: exceed the file of {end} bytes", length + 101)
    );
    assert!(refused(u64::MAX, 2).contains("exceed the file"), "{}", refused(u64::MAX, 2));
    assert_eq!(refused(at, 0), "the 0 bytes at offset 4099 of the file: cannot be read into memory");
    assert!(refused(0, length).contains("not a .tflite model"));
    let closed = archive;
    drop(closed);
    assert_eq!(buffer.model().description(), Some("two constants"));
}

/// The data comes after 2 GiB of zeros. The file is sparse, and only its ends are read.
#[test]
fn data_beyond_two_gibibytes_is_reached() {
    const FAR: u64 = (1 << 31) + 4096;
    let mut model = model();
    model.buffers[2] = Buffer::Range { offset: FAR, size: 12 };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("large.tflite");
    let mut file = File::create(&path).expect("a temporary file");
    file.write_all(&model.finish()).expect("cannot write the file");
    file.seek(SeekFrom::Start(FAR)).expect("cannot extend the file");
    file.write_all(&bytes_of(&[3i32, 4, 5])).expect("cannot write the file");
    // SAFETY: no other process or thread knows the temporary file, so it does not change.
    let buffer = unsafe { ModelBuffer::map_file(&path) }.expect("the model is valid");
    let model = buffer.model();
    let b = model.subgraph(0).and_then(|graph| graph.tensors().get(2)).expect("tensor b");
    assert_eq!(model.constant(&b), Some(&bytes_of(&[3i32, 4, 5])[..]));
}
