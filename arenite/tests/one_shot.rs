//! `Model::run`: real numbers in and out, by name, with errors that name the input.
#![forbid(unsafe_code)]
#![cfg(feature = "builtin")]

use arenite::{Interpreter, Model};

const DIGITS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/digits");

fn model(name: &str) -> Model {
    Model::from_file(format!("{DIGITS}/{name}")).expect("the model is in the tree")
}

/// Real numbers of a ramp, within the range of the 8-bit input, whose scale is 1 / 127.5.
fn pixels() -> Vec<f32> {
    (0..256).map(|i| (f32::from(i as u8) / 127.5 - 1.0).clamp(-1.0, 1.0)).collect()
}

#[test]
fn a_quantized_model_takes_and_gives_real_numbers() {
    let found = model("digits_i8.tflite").run([("image", pixels())]).expect("it runs");
    let scores = &found.get("probabilities").expect("the signature has this output").values;
    assert_eq!(found[0].shape, [1, 10]);
    assert!((scores.iter().sum::<f32>() - 1.0).abs() < 0.05, "{scores:?}");
    let exact = model("digits_f32.tflite").run([("image", pixels())]).expect("it runs");
    let worst = scores.iter().zip(&exact[0].values).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    assert!(worst < 0.1, "{worst}");
}

#[test]
fn errors_name_the_input() {
    let model = model("digits_i8.tflite");
    let refused = |inputs: &[(&str, Vec<f32>)]| {
        model.run(inputs.iter().map(|(name, values)| (name, values))).expect_err("it is wrong").to_string()
    };
    assert_eq!(refused(&[]), "input 'image' is missing; the model's inputs are: image");
    assert_eq!(refused(&[("imge", pixels())]), "unknown input 'imge'; did you mean 'image'? known: image");
    let short = refused(&[("image", vec![0.0; 64])]);
    assert_eq!(short, "tensor 'image': it has 256 elements, but 64 were given");
    assert_eq!(refused(&[("image", pixels()), ("image", pixels())]), "input 'image' is given twice");
}

#[test]
fn quantize_needs_memory() -> arenite::Result<()> {
    let mut interpreter = Interpreter::builder(&model("digits_i8.tflite")).build()?;
    let early = interpreter.input_mut(0)?.quantize(&pixels()).expect_err("it is not allocated").to_string();
    assert!(early.contains("call allocate()"), "{early}");
    interpreter.allocate()?;
    interpreter.input_mut(0)?.quantize(&pixels())?;
    let worst = interpreter
        .input(0)?
        .dequantize()?
        .iter()
        .zip(pixels())
        .map(|(a, b)| (a - b).abs())
        .fold(0.0, f32::max);
    assert!(worst < 0.51 / 127.5, "{worst}");
    Ok(())
}
