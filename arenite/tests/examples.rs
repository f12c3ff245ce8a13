//! The example programs run from the repository's root as printed in their heads, and print the right answers.
#![forbid(unsafe_code)]
#![cfg(all(feature = "answers", feature = "pictures", feature = "builtin"))]

use std::path::Path;
use std::process::Command;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// What an example prints. Cargo builds the examples with the tests of their package.
fn printed(name: &str, arguments: &[&str]) -> String {
    let test = std::env::current_exe().expect("the test has a path");
    let folder = test.ancestors().nth(2).expect("target/PROFILE/deps/TEST").join("examples");
    let program = folder.join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    assert!(program.exists(), "{} is missing: run `cargo build -p arenite --examples`", program.display());
    let output = Command::new(program).args(arguments).current_dir(ROOT).output().expect("it starts");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{name} failed: {errors}");
    String::from_utf8(output.stdout).expect("it prints text")
}

/// The first line's last word.
fn first_answer(printed: &str) -> Option<&str> {
    printed.lines().next()?.split_whitespace().last()
}

#[test]
fn classify_names_the_digit() {
    assert_eq!(first_answer(&printed("classify", &[])), Some("7"));
}

#[test]
fn detect_finds_and_draws_the_shapes() {
    let folder = tempfile::tempdir().expect("a folder");
    let (model, picture) = ("examples/scenes/detect.tflite", "examples/scenes/samples/shapes0.png");
    let drawing = folder.path().join("boxes.png");
    let text = printed("detect", &[model, picture, drawing.to_str().expect("a path in UTF-8")]);
    DETECTED.iter().for_each(|shape| assert!(text.contains(shape), "{text}"));
    assert!(is_picture(&drawing));
}

#[test]
fn segment_measures_and_draws_the_shapes() {
    let folder = tempfile::tempdir().expect("a folder");
    let (model, picture) = ("examples/scenes/segment.tflite", "examples/scenes/samples/shapes0.png");
    let drawing = folder.path().join("segments.png");
    let text = printed("segment", &[model, picture, drawing.to_str().expect("a path in UTF-8")]);
    assert_eq!(first_answer(&text), Some("background"), "{text}");
    DETECTED.iter().for_each(|shape| assert!(text.contains(shape), "{text}"));
    assert!(is_picture(&drawing));
}

/// The shapes of `shapes0.png`.
const DETECTED: [&str; 3] = ["circle", "square", "triangle"];

fn is_picture(path: &Path) -> bool {
    arenite::pictures::Picture::from_file(path).is_ok_and(|picture| picture.size() == (256, 256))
}

#[test]
fn keyword_recognises_the_word() {
    assert_eq!(first_answer(&printed("keyword", &[])), Some("yes"));
    let stop = ["examples/words/words.tflite", "examples/words/samples/stop.wav"];
    assert_eq!(first_answer(&printed("keyword", &stop)), Some("stop"));
}

#[test]
fn streaming_keeps_its_state_until_it_is_reset() {
    let text = printed("streaming", &[]);
    let lines: Vec<&str> = text.lines().collect();
    // 1 - 0.75^n after n samples.
    assert_eq!(lines[0], "[0.250, 0.438, 0.578, 0.684]");
    assert_eq!(lines[3], "[0.976, 0.982, 0.987, 0.990]");
    assert_eq!(lines[4], "[0.250, 0.438, 0.578, 0.684] after reset_variables");
}

#[test]
fn signatures_convert_both_ways() {
    let text = printed("signatures", &[]);
    assert!(
        text.contains("to_fahrenheit: celsius [-40, 0, 100] is fahrenheit [-40.0, 32.0, 212.0]"),
        "{text}"
    );
    assert!(text.contains("to_celsius: fahrenheit [-40, 0, 100] is celsius [-40.0, -17.8, 37.8]"), "{text}");
}

#[test]
fn own_op_computes() {
    assert_eq!(printed("own_op", &[]), "[-0.75, -0.5, 0.0, 0.5]\nthe op ran 1 time\n");
}

#[test]
fn plugin_folder_runs_the_op_of_the_template() {
    let text = printed("plugin_folder", &[]);
    assert!(
        text.contains("org.arenite.template") && text.ends_with("sines: [0.000, 0.479, 0.841]\n"),
        "{text}"
    );
}
