//! Finds the class of each pixel, prints the share of each class, and colours the picture.
//!
//! ```sh
//! cargo run --release --example segment                            # writes segments.png
//! cargo run --release --example segment -- MODEL PICTURE OUTPUT
//! ```

use std::env;
use std::error::Error;

use arenite::answers::{Answer, Readings, draw};
use arenite::pictures::Picture;
use arenite::{Interpreter, Model};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let mut next = |default: &str| arguments.next().unwrap_or_else(|| default.to_owned());
    let model = next("examples/scenes/segment.tflite");
    let picture = next("examples/scenes/samples/shapes0.png");
    let output = next("segments.png");

    let model = Model::from_file(model)?;
    let mut interpreter = Interpreter::builder(&model).build()?;
    interpreter.allocate()?;

    let picture = Picture::from_file(picture)?;
    picture.write_to(interpreter.input_mut(0)?)?;
    interpreter.invoke()?;

    let found = Readings::of(&interpreter, &[])?;
    for reading in &found.readings {
        if let Answer::Segmentation(segmentation) = &reading.answer {
            for part in &segmentation.shares {
                println!("{:5.1} %  {}", 100.0 * part.share, part.label);
            }
        }
    }
    if let Some(drawn) = draw(&found.readings, Some(&picture.to_rgb())) {
        drawn.save(&output)?;
        println!("drawn into {output}");
    }
    Ok(())
}
