//! Writes the models that `src/lib.rs` includes.

use arenite_embed::{Error, Model};

fn main() -> Result<(), Error> {
    for name in ["digits_f32", "digits_i8"] {
        Model::new(format!("../../examples/digits/{name}.tflite")).arena("crate::ARENA").write()?;
    }
    Model::new("../../examples/words/words.tflite").write()?;
    Model::new("../micro/control/loop.tflite").name("swaps").write()?;
    Model::new("../micro/control/random.tflite").name("draws").write()?;
    Model::new("../micro/control/variable.tflite").name("doubles").write()
}
