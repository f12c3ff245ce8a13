//! Readings of models whose outputs are their inputs, filled with what real models write.

use std::io::Write;

use arenite::{Interpreter, Model};
use arenite_model::tensor_type::{FLOAT32, INT64, UINT8};
use arenite_model::writer::{ModelBuilder, SubGraph, Tensor as Tensors, bytes_of};

use arenite_builtin as _;

use super::*;
use crate::boxes::PixelSize;
use crate::metadata::Corners;

/// Reads outputs with these types, shapes and bytes.
fn reading(outputs: &[(i32, &[i32], Vec<u8>)], change: impl FnOnce(&mut Clues<'_>)) -> Readings {
    let mut model = ModelBuilder::new();
    let mut graph = SubGraph::new("main");
    for (i, (ty, shape, _)) in outputs.iter().enumerate() {
        let port = graph.input(Tensors::new(&format!("port {i}"), *ty, shape));
        graph.outputs.push(port);
    }
    model.subgraph(graph);
    let model = Model::from_bytes(model.finish()).unwrap();
    let mut interpreter = Interpreter::builder(&model).build().unwrap();
    interpreter.allocate().unwrap();
    for (i, (_, _, bytes)) in outputs.iter().enumerate() {
        interpreter.input_mut(i).unwrap().copy_from_bytes(bytes).unwrap();
    }
    interpreter.invoke().unwrap();
    let output = |i: usize| Output::new(i, "port", interpreter.output(i).unwrap()).unwrap();
    let all: Vec<Output<'_>> = (0..outputs.len()).map(output).collect();
    let metadata = Metadata::default();
    let mut clues = Clues { input_size: Some((320, 320)), ..Clues::new(&metadata) };
    change(&mut clues);
    read(&all, &clues)
}

fn floats(shape: &'static [i32], values: &[f32]) -> (i32, &'static [i32], Vec<u8>) {
    (FLOAT32, shape, bytes_of(values))
}

fn texts(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

/// The detections of the only reading.
fn detections(found: &Readings) -> &[Detection] {
    match &found.readings[..] {
        [Reading { answer: Answer::Detections(detections), .. }] => detections,
        other => panic!("{other:?}, notes {:?}", found.notes),
    }
}

#[test]
fn the_outputs_of_a_detector_are_found_in_any_order() {
    let boxes = floats(&[1, 3, 4], &[0.1, 0.2, 0.5, 0.6, 0.0, 0.0, 1.0, 1.0, 9.0, 9.0, 9.0, 9.0]);
    let classes = floats(&[1, 3], &[1.0, 0.0, 7.0]);
    let scores = floats(&[1, 3], &[0.9, 0.4, 0.0]);
    let count = floats(&[1], &[2.0]);
    let labels = texts(&["cat", "dog"]);
    for order in [[0, 1, 2, 3], [2, 0, 3, 1], [3, 2, 1, 0]] {
        let all = [&boxes, &classes, &scores, &count];
        let outputs = order.map(|i| all[i].clone());
        let labels = labels.clone();
        let found = reading(&outputs, |clues| clues.labels = Box::leak(labels.into_boxed_slice()));
        let found = detections(&found);
        assert_eq!(found.iter().map(|d| d.label.as_str()).collect::<Vec<_>>(), ["dog", "cat"], "{order:?}");
        assert_eq!(found[0].bounds, Bounds { left: 0.2, top: 0.1, right: 0.6, bottom: 0.5 });
    }
}

#[test]
fn detections_below_the_threshold_are_dropped() {
    let outputs = [
        floats(&[1, 2, 4], &[0.1, 0.2, 0.5, 0.6, 0.0, 0.0, 1.0, 1.0]),
        floats(&[1, 2], &[1.0, 3.0]),
        floats(&[1, 2], &[0.9, 0.4]),
        floats(&[1], &[2.0]),
    ];
    let found = reading(&outputs, |clues| clues.threshold = 0.5);
    assert_eq!(detections(&found).len(), 1);
    assert_eq!(detections(&found)[0].label, "class 1", "without labels the class has its number");
}

#[test]
fn outputs_that_contradict_the_guess_get_a_note_instead_of_an_answer() {
    let boxes = floats(&[1, 2, 4], &[0.1, 0.2, 0.5, 0.6, 0.0, 0.0, 1.0, 1.0]);
    let column = floats(&[1, 2], &[0.5, 0.25]);
    let found = reading(&[boxes.clone(), column.clone(), column, floats(&[1], &[2.0])], |_| ());
    assert_eq!(found.readings, []);
    assert!(found.notes[0].contains("fit both classes and scores"), "{:?}", found.notes);

    let offsets = floats(&[1, 2, 4], &[30.0, -20.0, 5.0, 6.0, 1.0, 2.0, -9.0, 4.0]);
    let scores = floats(&[1, 2, 3], &[0.9, 0.0, 0.1, 0.2, 0.7, 0.1]);
    let found = reading(&[offsets, scores], |_| ());
    assert_eq!(found.readings, []);
    assert!(found.notes[0].contains("offsets to anchors"), "{:?}", found.notes);
}

#[test]
fn overlapping_boxes_of_one_class_are_one_object() {
    let boxes = floats(&[1, 3, 4], &[0.1, 0.1, 0.5, 0.5, 0.1, 0.1, 0.5, 0.52, 0.6, 0.6, 0.9, 0.9]);
    let scores = floats(&[1, 3, 2], &[0.9, 0.0, 0.8, 0.1, 0.0, 0.7]);
    let found = reading(&[boxes, scores], |_| ());
    let classes: Vec<usize> = detections(&found).iter().map(|detection| detection.class).collect();
    assert_eq!(classes, [0, 1]);
}

#[test]
fn yolo_outputs_are_read_in_both_layouts() {
    // Centre, width, height, two classes; twelve boxes, of which one counts.
    let mut rows = vec![[0.5, 0.5, 0.1, 0.1, 0.01, 0.02]; 13];
    rows[4] = [0.5, 0.4, 0.2, 0.4, 0.1, 0.8];
    let by_box: Vec<f32> = rows.iter().flatten().copied().collect();
    let by_field: Vec<f32> = (0..6).flat_map(|k| rows.iter().map(move |row| row[k])).collect();
    let labels: &'static [String] = Box::leak(texts(&["car", "bus"]).into_boxed_slice());
    for output in [floats(&[1, 13, 6], &by_box), floats(&[1, 6, 13], &by_field)] {
        let found = reading(std::slice::from_ref(&output), |clues| clues.labels = labels);
        let [only] = detections(&found) else { panic!("{found:?}") };
        assert_eq!((only.label.as_str(), only.score), ("bus", 0.8));
        let expected = [0.4, 0.2, 0.6, 0.6];
        let bounds = [only.bounds.left, only.bounds.top, only.bounds.right, only.bounds.bottom];
        assert!(bounds.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-6), "{bounds:?}");
    }
}

#[test]
fn formats_of_boxes() {
    let format = |corners, order, pixels| BoxFormat { order, pixels, corners };
    let size = PixelSize { width: 100.0, height: 50.0 };
    let expected = Bounds { left: 0.1, top: 0.2, right: 0.3, bottom: 0.6 };
    let close = |bounds: Bounds| {
        let edges = |b: &Bounds| [b.left, b.top, b.right, b.bottom];
        edges(&bounds).iter().zip(edges(&expected)).all(|(a, b)| (a - b).abs() < 1e-6)
    };
    let read = |row, format| Bounds::read(row, &format, size);
    assert!(close(read([0.1, 0.2, 0.3, 0.6], format(Corners::Boundaries, [0, 1, 2, 3], false))));
    assert!(close(read([0.2, 0.1, 0.6, 0.3], format(Corners::Boundaries, [1, 0, 3, 2], false))));
    assert!(close(read([10.0, 10.0, 20.0, 20.0], format(Corners::UpperLeft, [0, 1, 2, 3], true))));
    assert!(close(read([0.2, 0.4, 0.2, 0.4], format(Corners::Center, [0, 1, 2, 3], false))));
}

#[test]
fn a_map_of_class_numbers_is_a_segmentation() {
    let mut numbers = vec![0i64; 160 * 160];
    numbers[..40 * 160].fill(2);
    let outputs = [(INT64, &[1, 160, 160][..], bytes_of(&numbers))];
    let labels: &'static [String] = Box::leak(texts(&["background", "cat", "bird"]).into_boxed_slice());
    let found = reading(&outputs, |clues| clues.labels = labels);
    let [Reading { answer: Answer::Segmentation(segmentation), .. }] = &found.readings[..] else {
        panic!("{found:?}")
    };
    let shares: Vec<_> =
        segmentation.shares.iter().map(|share| (share.label.as_str(), share.share)).collect();
    assert_eq!(shares, [("background", 0.75), ("bird", 0.25)]);
}

#[test]
fn scores_per_pixel_are_a_segmentation_and_colours_are_a_picture() {
    let pixels = 80 * 80;
    let probabilities: Vec<f32> = (0..pixels).flat_map(|_| [0.1, 0.7, 0.2]).collect();
    let found = reading(&[floats(&[1, 80, 80, 3], &probabilities)], |_| ());
    assert!(
        matches!(&found.readings[..], [Reading { answer: Answer::Segmentation(s), .. }] if s.classes[0] == 1)
    );

    let colours: Vec<f32> = (0..pixels).flat_map(|_| [1.0, 0.5, 0.0]).collect();
    let found = reading(&[floats(&[1, 80, 80, 3], &colours)], |_| ());
    let [Reading { answer: Answer::Painting(painting), .. }] = &found.readings[..] else {
        panic!("{found:?}")
    };
    assert_eq!(painting.rgb[..3], [255, 128, 0]);
}

#[test]
fn feature_maps_and_other_numbers_have_no_reading() {
    let features = vec![0.3; 10 * 10 * 64];
    assert_eq!(reading(&[floats(&[1, 10, 10, 64], &features)], |_| ()), Readings::default());
    assert_eq!(reading(&[floats(&[1, 1], &[0.7])], |_| ()), Readings::default());
    assert_eq!(reading(&[floats(&[1, 3], &[0.7, 4.0, -2.0])], |_| ()), Readings::default());
}

#[test]
fn one_number_per_pixel_is_a_mask() {
    let mut values = vec![0.0; 128 * 128];
    values[..64 * 128].fill(0.9);
    let found = reading(&[floats(&[1, 128, 128, 1], &values)], |_| ());
    let [Reading { answer: Answer::Map(map), .. }] = &found.readings[..] else { panic!("{found:?}") };
    assert_eq!((map.covered, map.range), (Some(0.5), (0.0, 0.9)));
}

#[test]
fn seventeen_key_points_are_a_person() {
    let person: Vec<f32> = (0..17).flat_map(|k| [k as f32 / 17.0, 0.5, 0.8]).collect();
    let found = reading(&[floats(&[1, 1, 17, 3], &person)], |_| ());
    let [Reading { answer: Answer::Poses(poses), .. }] = &found.readings[..] else { panic!("{found:?}") };
    assert_eq!(poses[0].keypoints[1], Keypoint { name: "left eye", x: 0.5, y: 1.0 / 17.0, score: 0.8 });

    let other: Vec<f32> = (0..51).map(|k| k as f32).collect();
    assert_eq!(reading(&[floats(&[1, 1, 17, 3], &other)], |_| ()).readings, []);
}

#[test]
fn probabilities_are_ranked_without_labels_and_other_scores_on_demand() {
    let found = reading(&[floats(&[1, 3], &[0.1, 0.7, 0.2])], |_| ());
    let [Reading { answer: Answer::Classes(classes), .. }] = &found.readings[..] else { panic!("{found:?}") };
    assert_eq!((classes.top[0].index, classes.top[0].label.as_str()), (1, "class 1"));

    let found = reading(&[floats(&[1, 3], &[0.7, 4.0, -2.0])], |clues| clues.ranks_anything = true);
    assert!(matches!(&found.readings[..], [Reading { answer: Answer::Classes(c), .. }] if !c.probabilities));
}

/// Written by MediaPipe's metadata writer, with the labels in a zip archive after the model.
const WITH_METADATA: &[u8] = include_bytes!("digits_with_metadata.tflite");

#[test]
fn metadata_of_tensorflow_lite_is_read() {
    let metadata = Metadata::of(&Model::from_bytes(WITH_METADATA.to_vec()).unwrap());
    assert_eq!((&metadata.inputs[0].mean[..], &metadata.inputs[0].std[..]), (&[12.0][..], &[34.0][..]));
    assert_eq!(metadata.outputs[0].name, "score");
    assert_eq!(metadata.outputs[0].axis_labels[7], "seven");
}

/// Replaces each byte of the metadata and the archive in turn.
#[test]
fn damaged_metadata_reads_as_less_or_as_something_else() {
    let model = Model::from_bytes(WITH_METADATA.to_vec()).unwrap();
    let part = model.view().metadata("TFLITE_METADATA").unwrap();
    let start = part.as_ptr() as usize - model.view().bytes().as_ptr() as usize;
    let archive = WITH_METADATA.len() - 300..WITH_METADATA.len();
    for at in (start..start + part.len()).chain(archive) {
        for value in [0, 1, 0x7f, 0xff] {
            let mut bytes = WITH_METADATA.to_vec();
            bytes[at] = value;
            if let Ok(model) = Model::from_bytes(bytes) {
                let _ = Metadata::of(&model);
            }
        }
    }
}

#[test]
fn metadata_of_ultralytics_is_read() {
    let mut model = ModelBuilder::new();
    model.subgraph(SubGraph::new("main"));
    let mut file = std::io::Cursor::new(model.finish());
    file.set_position(file.get_ref().len() as u64);
    let mut archive = zip::ZipWriter::new(file);
    let stored = zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    archive.start_file("metadata.json", stored).unwrap();
    let json = br#"{"task": "detect", "imgsz": [640, 640], "names": {"0": "person", "1": "bicycle"}}"#;
    archive.write_all(json).unwrap();
    let bytes = archive.finish().unwrap().into_inner();
    let metadata = Metadata::of(&Model::from_bytes(bytes).unwrap());
    assert_eq!(metadata.yolo, Some(Yolo { task: "detect".to_owned(), names: texts(&["person", "bicycle"]) }));
}

#[test]
fn boxes_are_drawn_where_they_are() {
    let bounds = Bounds { left: 0.25, top: 0.5, right: 0.75, bottom: 0.9 };
    let found = Detection { class: 3, label: "cat".to_owned(), score: 0.9, bounds };
    let reading = Reading { outputs: vec![0], answer: Answer::Detections(vec![found]) };
    let black = image::RgbImage::new(200, 100);
    let drawn = draw(&[reading], Some(&black)).unwrap();
    let is_black = |x, y| drawn.get_pixel(x, y).0 == [0; 3];
    assert!(!is_black(50, 70) && !is_black(150, 70) && !is_black(100, 50) && !is_black(100, 90), "the edges");
    assert!(is_black(100, 70) && is_black(20, 70) && is_black(180, 95), "inside and outside");
    assert_eq!(draw(&[], Some(&black)), None, "there is nothing to draw");
}

/// The name of a box at the right edge is 10 characters of 8 pixels.
#[test]
fn names_stay_inside_the_picture() {
    let bounds = Bounds { left: 0.9, top: 0.5, right: 1.0, bottom: 0.9 };
    let found = Detection { class: 3, label: "triangle".to_owned(), score: 0.05, bounds };
    let reading = Reading { outputs: vec![0], answer: Answer::Detections(vec![found]) };
    let drawn = draw(&[reading], Some(&image::RgbImage::new(200, 100))).unwrap();
    let row: Vec<bool> = (0..200).map(|x| drawn.get_pixel(x, 41).0 != [0; 3]).collect();
    assert_eq!((row.iter().position(|&is_ground| is_ground), row[199]), (Some(200 - 8 * 12), true));
}

#[test]
fn boxes_far_outside_do_not_take_long() {
    let edges = [-1e30, f32::NAN, 1e30, f32::INFINITY, f32::NEG_INFINITY];
    for (left, top) in edges.into_iter().zip(edges.into_iter().cycle().skip(2)) {
        let bounds = Bounds { left, top, right: 1e30, bottom: f32::INFINITY };
        let found = Detection { class: usize::MAX, label: "x".repeat(100_000), score: f32::NAN, bounds };
        let reading = Reading { outputs: vec![0], answer: Answer::Detections(vec![found]) };
        assert!(draw(&[reading], Some(&image::RgbImage::new(300, 300))).is_some());
    }
}

#[test]
fn bytes_without_a_scale_are_class_numbers() {
    let outputs = [(UINT8, &[1, 160, 160, 1][..], vec![5; 160 * 160])];
    let found = reading(&outputs, |_| ());
    assert!(
        matches!(&found.readings[..], [Reading { answer: Answer::Segmentation(s), .. }] if s.shares.len() == 1)
    );
}

#[test]
fn the_class_numbers_of_a_detector_may_be_anything() {
    let outputs = [
        floats(&[1, 2, 4], &[0.0; 8]),
        floats(&[1, 2], &[f32::MAX, 0.0]),
        floats(&[1, 2], &[0.9, 0.8]),
        floats(&[1], &[2.0]),
    ];
    let labels: &'static [String] = Box::leak(texts(&["???", "cat"]).into_boxed_slice());
    let found = reading(&outputs, |clues| {
        clues.labels = labels;
        clues.detection_op = Some([0, 1, 2, 3]);
    });
    assert_eq!(detections(&found)[1].label, "cat", "the first label is the background");
}

#[test]
fn labels_of_another_number_name_nothing() {
    let names = texts(&["a", "b"]);
    let yolo = Some(Yolo { task: "classify".to_owned(), names });
    let metadata: &'static Metadata = Box::leak(Box::new(Metadata { yolo, ..Metadata::default() }));
    let found = reading(&[floats(&[1, 3], &[0.1, 0.7, 0.2])], |clues| clues.metadata = metadata);
    let [Reading { answer: Answer::Classes(classes), .. }] = &found.readings[..] else { panic!("{found:?}") };
    assert_eq!(classes.top[0].label, "class 1");
}
