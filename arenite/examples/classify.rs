//! Classifies a picture and prints the three best classes.
//!
//! ```sh
//! cargo run --release --example classify
//! cargo run --release --example classify -- MODEL PICTURE LABELS
//! ```

use std::env;
use std::error::Error;
use std::fs;

use arenite::answers::{Answer, Readings};
use arenite::pictures::Picture;
use arenite::{Interpreter, Model};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let mut next = |default: &str| arguments.next().unwrap_or_else(|| default.to_owned());
    let model = next("examples/digits/digits_i8.tflite");
    let picture = next("examples/digits/samples/7.png");
    let labels = next("examples/digits/labels.txt");

    let model = Model::from_file(model)?;
    let mut interpreter = Interpreter::builder(&model).threads(2).build()?;
    interpreter.allocate()?;

    // Resized and quantized as the input needs it.
    Picture::from_file(picture)?.write_to(interpreter.input_mut(0)?)?;
    interpreter.invoke()?;

    let labels: Vec<String> = fs::read_to_string(labels)?.lines().map(str::to_owned).collect();
    for reading in Readings::of(&interpreter, &labels)?.readings {
        if let Answer::Classes(classes) = reading.answer {
            for best in classes.top.iter().take(3) {
                println!("{:5.1} %  {}", 100.0 * best.confidence, best.label);
            }
        }
    }
    Ok(())
}
