//! Recognises the word in a second of sound, with one call of `Model::run`.
//!
//! ```sh
//! cargo run --release --example keyword
//! cargo run --release --example keyword -- MODEL CLIP.wav          # 16 kHz, one channel, 16 bits
//! ```

use std::env;
use std::error::Error;

use arenite::Model;
use arenite::answers::Metadata;
use hound::WavReader;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let mut next = |default: &str| arguments.next().unwrap_or_else(|| default.to_owned());
    let model = next("examples/words/words.tflite");
    let clip = next("examples/words/samples/yes.wav");

    let samples: Result<Vec<i16>, _> = WavReader::open(clip)?.into_samples().collect();
    let mut sound: Vec<f32> = samples?.into_iter().map(|sample| f32::from(sample) / 32768.0).collect();
    // One second; a shorter clip ends in silence.
    sound.resize(16_000, 0.0);

    let model = Model::from_file(model)?;
    let outputs = model.run([("sound", &sound)])?;
    let scores = &outputs[0].values;

    // The labels are in the model's metadata.
    let metadata = Metadata::of(&model);
    let labels = &metadata.outputs[0].axis_labels;
    let mut ranked: Vec<(&String, &f32)> = labels.iter().zip(scores).collect();
    ranked.sort_by(|a, b| b.1.total_cmp(a.1));
    for (label, score) in ranked.iter().take(3) {
        println!("{:5.1} %  {label}", 100.0 * **score);
    }
    Ok(())
}
