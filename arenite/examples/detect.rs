//! Finds objects in a picture, prints their boxes, and draws them.
//!
//! ```sh
//! cargo run --release --example detect                             # writes boxes.png
//! cargo run --release --example detect -- MODEL PICTURE OUTPUT
//! ```

use std::env;
use std::error::Error;

use arenite::answers::{Answer, Readings, draw};
use arenite::pictures::Picture;
use arenite::{Interpreter, Model};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let mut next = |default: &str| arguments.next().unwrap_or_else(|| default.to_owned());
    let model = next("examples/scenes/detect.tflite");
    let picture = next("examples/scenes/samples/shapes0.png");
    let output = next("boxes.png");

    let model = Model::from_file(model)?;
    let mut interpreter = Interpreter::builder(&model).build()?;
    interpreter.allocate()?;

    let picture = Picture::from_file(picture)?;
    picture.write_to(interpreter.input_mut(0)?)?;
    interpreter.invoke()?;

    // The model names its classes itself, so there are no labels to give.
    let found = Readings::of(&interpreter, &[])?;
    for reading in &found.readings {
        let Answer::Detections(detections) = &reading.answer else { continue };
        let (width, height) = picture.size();
        for object in detections {
            let (x, y) = (object.bounds.left * width as f32, object.bounds.top * height as f32);
            let (right, bottom) = (object.bounds.right * width as f32, object.bounds.bottom * height as f32);
            let percent = 100.0 * object.score;
            println!(
                "{percent:5.1} %  {:10} from ({x:.0}, {y:.0}) to ({right:.0}, {bottom:.0})",
                object.label
            );
        }
    }
    if let Some(drawn) = draw(&found.readings, Some(&picture.to_rgb())) {
        drawn.save(&output)?;
        println!("drawn into {output}");
    }
    Ok(())
}
