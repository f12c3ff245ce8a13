//! Fills a model's inputs: from NumPy files, text, a picture, or seeded random numbers.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use arenite::ElementType;
use clap::Args;
use serde::Serialize;

use crate::answer::{Failure, Result};
use crate::logging;
use crate::npy;
use crate::options::Choice;
use crate::picture::Picture;
use crate::random::Random;
use crate::resize::split;
pub(crate) use crate::resize::{Resize, resize};
use crate::session::Session;
use crate::sound_input::{self, Port, Span, Track};
use crate::text;
use arenite_common::file;
use arenite_common::values::{element_count, quantized};

#[derive(Args)]
#[command(next_help_heading = "Inputs")]
pub(crate) struct InputOptions {
    /// Fill an input, given by position or name, from a NumPy file of its type and shape, or from
    /// one of the forms under "Inputs" in `arenite run --help` (repeatable)
    #[arg(long, value_name = "K|NAME=VALUE")]
    pub input: Vec<Binding>,

    /// Give an input another shape (repeatable)
    #[arg(long, value_name = "K|NAME=1x2x3")]
    pub resize: Vec<Resize>,

    /// Compute an input's features from sound: 'micro', or a model that turns a frame of samples
    /// into features, see "Sound" below
    #[arg(long, value_name = "NAME[:stride=N]")]
    pub frontend: Option<Choice>,

    /// Seed for the random numbers that fill all other inputs
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
}

/// Where an input gets its value.
#[derive(Clone, Debug)]
pub(crate) struct Binding {
    pub port: String,
    pub value: InputValue,
}

#[derive(Clone, Debug)]
pub(crate) enum InputValue {
    Npy(PathBuf),
    /// The bytes of the tensor.
    Raw(PathBuf),
    Sound(PathBuf),
    Text(String),
    Zeros,
    /// Real numbers: one per element, or one for all.
    Numbers(Vec<f32>),
}

/// The forms of `--input`, as `--help` shows them.
pub(crate) const RULE: &str = "\
Inputs:
  --input K=VALUE, where K is an input's position or name and VALUE is
    FILE.npy      a NumPy array of the input's type and shape
    FILE.wav      sound: mixed to one channel, resampled to the rate in the model's metadata
                  (16 kHz without it), cut or padded with silence to the input's length; see Sound
    raw:FILE      the tensor's bytes, little-endian
    1.57          a real number for every element; 1,2,3: one per element. Quantized inputs
                  store round(number / scale) + zero_point
    zeros         the real number 0 for every element
    text:LINES    strings, one per line
  Inputs that are not given are random, or zero beside --image.";

impl FromStr for Binding {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (port, value) = split(text, "FILE.npy")?;
        let numbers = || value.split(',').map(|number| number.trim().parse::<f32>().ok()).collect();
        let value = match value.split_once(':') {
            Some(("text", text)) => InputValue::Text(text.to_owned()),
            Some(("raw", path)) => InputValue::Raw(path.into()),
            _ if value == "zeros" => InputValue::Zeros,
            _ if value.to_lowercase().ends_with(".wav") => InputValue::Sound(value.into()),
            _ => match numbers() {
                Some(numbers) => InputValue::Numbers(numbers),
                None => InputValue::Npy(value.into()),
            },
        };
        Ok(Binding { port, value })
    }
}

/// An input and the source of its value.
#[derive(Serialize)]
pub(crate) struct InputReport {
    pub index: usize,
    pub name: String,
    #[serde(rename = "type")]
    pub ty: &'static str,
    pub shape: Vec<i32>,
    /// The file, or `random, seed N`.
    pub source: String,
}

/// Where values of inputs come from.
pub(crate) struct Sources<'a> {
    pub options: &'a InputOptions,
    /// Samples per second of an input, from the model's metadata.
    pub sample_rate: &'a dyn Fn(usize) -> Option<u32>,
}

/// Fills all inputs of an allocated session.
pub(crate) fn fill(
    session: &mut Session<'_>,
    options: &InputOptions,
    picture: Option<&Picture<'_>>,
    sample_rate: &dyn Fn(usize) -> Option<u32>,
) -> Result<Vec<InputReport>> {
    let bindings = bindings(session, options)?;
    let pictured = picture
        .map(|picture| {
            let free = bindings.iter().enumerate().filter(|(_, binding)| binding.is_none()).map(|(i, _)| i);
            find_picture_input(session, free, picture)
        })
        .transpose()?;
    let sources = Sources { options, sample_rate };
    let mut random = Random(options.seed);
    let mut reports = Vec::new();
    for (i, binding) in bindings.into_iter().enumerate() {
        let source = match (binding, picture) {
            (Some(binding), _) => fill_from(session, i, binding, &sources)?,
            (None, Some(picture)) if pictured == Some(i) => fill_picture(session, i, picture)?,
            _ => fill_unbound(session, i, picture.is_some(), options.seed, &mut random)?,
        };
        reports.push(InputReport::new(session, i, source)?);
    }
    Ok(reports)
}

/// Fills an input that nothing is given for: with zeros, or with random numbers.
pub(crate) fn fill_unbound(
    session: &mut Session<'_>,
    i: usize,
    zeros: bool,
    seed: u64,
    random: &mut Random,
) -> Result<String> {
    if session.input(i)?.is_constant() {
        return Ok("the model's constant".to_owned());
    }
    if zeros && session.input(i)?.ty.bits() > 0 {
        return fill_zeros(session, i);
    }
    fill_randomly(session, i, random)?;
    Ok(format!("random, seed {seed}"))
}

/// Fills an input with a picture.
pub(crate) fn fill_picture(session: &mut Session<'_>, i: usize, picture: &Picture<'_>) -> Result<String> {
    let bytes = picture.fill(i, &session.input(i)?)?;
    session.input_mut(i)?.copy_from_bytes(&bytes)?;
    Ok(picture.path().display().to_string())
}

/// Notes the inputs that were filled with random numbers.
pub(crate) fn note_random(inputs: &[InputReport]) {
    for input in inputs.iter().filter(|input| input.source.starts_with("random")) {
        let InputReport { index, name, ty, shape, source } = input;
        let shape = text::shape(shape);
        logging::note(format_args!(
            "input {index} '{name}' ({ty} {shape}) is {source}; use --input or --image to fill it"
        ));
    }
}

impl InputReport {
    pub(crate) fn new(session: &Session<'_>, index: usize, source: String) -> Result<Self> {
        let tensor = session.input(index)?;
        let name = session.inputs().get(index).cloned().unwrap_or_default();
        Ok(InputReport { index, name, ty: tensor.ty.name(), shape: tensor.shape.to_vec(), source })
    }
}

/// The binding of each input, if it has one.
fn bindings<'o>(session: &Session<'_>, options: &'o InputOptions) -> Result<Vec<Option<&'o Binding>>> {
    let mut bindings: Vec<Option<&Binding>> = vec![None; session.inputs().len()];
    for binding in &options.input {
        let i = session.find_input(&binding.port)?;
        if let Some(slot) = bindings.get_mut(i)
            && slot.replace(binding).is_some()
        {
            return Err(Failure::new(format!("{} is given twice", port(session, i)?)));
        }
    }
    Ok(bindings)
}

/// `input 0 'image' (FLOAT32 [1,4])`, for messages.
pub(crate) fn port(session: &Session<'_>, i: usize) -> Result<String> {
    let name = session.inputs().get(i).map_or("", String::as_str);
    Ok(sound_input::title(i, name, &session.input(i)?))
}

/// The first of the free inputs, which have no `--input`, that can hold a picture.
pub(crate) fn find_picture_input(
    session: &Session<'_>,
    free: impl Iterator<Item = usize>,
    picture: &Picture<'_>,
) -> Result<usize> {
    let mut refusals = Vec::new();
    for i in free {
        match picture.check(i, &session.input(i)?) {
            Ok(()) => return Ok(i),
            Err(reason) => refusals.push(format!("{}: {reason}", port(session, i)?)),
        }
    }
    let path = picture.path().display();
    Err(Failure::new(match &refusals[..] {
        [] => format!("{path}: no input is left for the picture; --input fills all of them"),
        _ => format!("{path}: no input takes a picture; {}", refusals.join("; ")),
    }))
}

pub(crate) fn fill_from(
    session: &mut Session<'_>,
    i: usize,
    binding: &Binding,
    sources: &Sources<'_>,
) -> Result<String> {
    match &binding.value {
        InputValue::Npy(path) => {
            let bytes = npy::read(path, &session.input(i)?, i)?;
            session.input_mut(i)?.copy_from_bytes(&bytes)?;
            Ok(path.display().to_string())
        }
        InputValue::Raw(path) => fill_raw(session, i, path),
        InputValue::Sound(path) => fill_sound(session, i, path, sources),
        InputValue::Text(text) => {
            if session.input(i)?.ty != ElementType::String {
                let port = port(session, i)?;
                return Err(Failure::new(format!(
                    "{port} does not hold strings; give it a NumPy file, K=FILE.npy"
                )));
            }
            let strings: Vec<&[u8]> = text.lines().map(str::as_bytes).collect();
            session.set_strings(i, &strings)?;
            Ok("text".to_owned())
        }
        InputValue::Zeros => fill_zeros(session, i),
        InputValue::Numbers(numbers) => fill_with(session, i, numbers),
    }
}

fn fill_raw(session: &mut Session<'_>, i: usize, path: &Path) -> Result<String> {
    let wanted = session.input(i)?.byte_len();
    let bytes = file::open(path).and_then(|file| file::read_all(file, wanted as u64 + 1));
    let bytes = bytes.map_err(|e| Failure::with(path.display(), e))?;
    if bytes.len() != wanted {
        let (port, size) = (port(session, i)?, file_size(path, bytes.len()));
        return Err(Failure::with(path.display(), format_args!("{size}, but {port} has {wanted} bytes")));
    }
    session.input_mut(i)?.copy_from_bytes(&bytes)?;
    Ok(path.display().to_string())
}

fn fill_sound(session: &mut Session<'_>, i: usize, path: &Path, sources: &Sources<'_>) -> Result<String> {
    let track = sound_track(session, i, path, sources, Span::One)?;
    let bytes = track.bytes(&session.input(i)?, 0);
    store(session, i, bytes)?;
    Ok(path.display().to_string())
}

/// The sound of a file as values of an input.
pub(crate) fn sound_track(
    session: &Session<'_>,
    i: usize,
    path: &Path,
    sources: &Sources<'_>,
    span: Span,
) -> Result<Track> {
    let front_end = sources.options.frontend.as_ref();
    let (title, tensor) = (port(session, i)?, session.input(i)?);
    let rate = (sources.sample_rate)(i);
    Track::read(path, &Port { title, tensor, rate, front_end, registry: session.registry() }, span)
}

/// The size of a file that was read up to one byte too many.
fn file_size(path: &Path, read: usize) -> String {
    let known = std::fs::metadata(path).ok().map(|metadata| metadata.len());
    match known {
        Some(bytes) if bytes >= read as u64 => format!("the file has {bytes} bytes"),
        _ => format!("the file has {read} bytes or more"),
    }
}

/// Stores one real number per element, or one for all.
fn fill_with(session: &mut Session<'_>, i: usize, numbers: &[f32]) -> Result<String> {
    let count = element_count(session.input(i)?.shape);
    match numbers {
        [number] => store_numbers(session, i, &vec![*number; count])?,
        _ if numbers.len() == count => store_numbers(session, i, numbers)?,
        _ => {
            let (given, port) = (numbers.len(), port(session, i)?);
            return Err(Failure::new(format!("{port} has {count} elements, but {given} numbers are given")));
        }
    }
    Ok("numbers".to_owned())
}

/// Stores real zeros: the zero point of a quantized input, and zero bytes for types without real numbers, such as
/// complex ones.
fn fill_zeros(session: &mut Session<'_>, i: usize) -> Result<String> {
    let tensor = session.input(i)?;
    if tensor.ty.bits() == 0 {
        return Err(Failure::new(format!("{} cannot be filled with zeros", port(session, i)?)));
    }
    let zeros = vec![0.0; element_count(tensor.shape)];
    let bytes = quantized(&tensor, &zeros).unwrap_or_else(|| vec![0; tensor.byte_len()]);
    session.input_mut(i)?.copy_from_bytes(&bytes)?;
    Ok("zeros".to_owned())
}

/// Stores real numbers, quantized if the input is.
fn store_numbers(session: &mut Session<'_>, i: usize, numbers: &[f32]) -> Result<()> {
    let bytes = quantized(&session.input(i)?, numbers);
    store(session, i, bytes)
}

/// Stores the bytes of an input; `None` if its type cannot hold real numbers.
pub(crate) fn store(session: &mut Session<'_>, i: usize, bytes: Option<Vec<u8>>) -> Result<()> {
    let Some(bytes) = bytes else {
        return Err(Failure::new(format!("{} cannot be filled with numbers", port(session, i)?)));
    };
    Ok(session.input_mut(i)?.copy_from_bytes(&bytes)?)
}

fn fill_randomly(session: &mut Session<'_>, i: usize, random: &mut Random) -> Result<()> {
    let tensor = session.input(i)?;
    let (ty, count) = (tensor.ty, element_count(tensor.shape));
    match ty {
        ElementType::String => {
            let strings: Vec<String> = (0..count).map(|i| format!("text {i}")).collect();
            let strings: Vec<&[u8]> = strings.iter().map(|s| s.as_bytes()).collect();
            session.set_strings(i, &strings)
        }
        ElementType::Resource | ElementType::Variant => {
            Err(Failure::new(format!("{} cannot be filled from the command line", port(session, i)?)))
        }
        _ => {
            let bytes = random.bytes(&tensor, count);
            Ok(session.input_mut(i)?.copy_from_bytes(&bytes)?)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_needs_the_name_of_its_input() {
        let message = "in.npy".parse::<Binding>().unwrap_err();
        assert_eq!(message, "write K=FILE.npy, where K is the input's position or name");
    }
}
