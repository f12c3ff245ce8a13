//! What goes into a model: NumPy files, texts, a picture, or seeded random numbers.

use std::path::PathBuf;
use std::str::FromStr;

use arenite::{ElementType, Tensor};
use clap::Args;
use serde::Serialize;

use crate::answer::{Failure, Result};
use crate::npy;
use crate::picture::Picture;
use crate::session::Session;
use crate::text;
use arenite_common::values::element_count;

#[derive(Args)]
#[command(next_help_heading = "Inputs")]
pub struct InputOptions {
    /// Fill an input, by position or name, from a NumPy file of its type and shape, or with
    /// K=text:… from lines of text (repeatable)
    #[arg(long, value_name = "K|NAME=FILE.npy")]
    pub input: Vec<Binding>,

    /// Give an input another shape (repeatable)
    #[arg(long, value_name = "K|NAME=1x2x3")]
    pub resize: Vec<Resize>,

    /// Seed of the random numbers in inputs that are not given
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
}

/// A value for an input.
#[derive(Clone, Debug)]
pub struct Binding {
    port: String,
    value: Value,
}

#[derive(Clone, Debug)]
enum Value {
    File(PathBuf),
    Text(String),
}

impl FromStr for Binding {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (port, value) = split(text, "FILE.npy")?;
        let value = match value.strip_prefix("text:") {
            Some(text) => Value::Text(text.to_owned()),
            None => Value::File(value.into()),
        };
        Ok(Binding { port, value })
    }
}

/// A shape for an input.
#[derive(Clone, Debug)]
pub struct Resize {
    port: String,
    shape: Vec<i32>,
}

impl FromStr for Resize {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (port, dims) = split(text, "1x2x3")?;
        let dim = |dim: &str| {
            let value = dim.parse::<i32>().ok().filter(|&d| d >= 0);
            value.ok_or_else(|| {
                format!(
                    "'{dim}' is no dimension from 0 to {}; write for instance {port}=1x224x224x3",
                    i32::MAX
                )
            })
        };
        let shape = dims.split('x').map(dim).collect::<Result<_, _>>()?;
        Ok(Resize { port, shape })
    }
}

fn split<'a>(text: &'a str, what: &str) -> Result<(String, &'a str), String> {
    match text.split_once('=') {
        Some((port, value)) if !port.is_empty() && !value.is_empty() => Ok((port.to_owned(), value)),
        _ => Err(format!("write K={what}, where K is the input's position or name")),
    }
}

/// An input and what it was filled with.
#[derive(Serialize)]
pub struct InputReport {
    pub index: usize,
    pub name: String,
    #[serde(rename = "type")]
    pub ty: &'static str,
    pub shape: Vec<i32>,
    /// The file, or `random, seed N`.
    pub source: String,
}

/// Gives inputs the shapes that were asked for. Allocation must follow.
pub fn resize(session: &mut Session<'_>, resizes: &[Resize]) -> Result<()> {
    for resize in resizes {
        let i = session.find_input(&resize.port)?;
        session.resize(i, &resize.shape)?;
    }
    Ok(())
}

/// Fills all inputs of an allocated session.
pub fn fill(
    session: &mut Session<'_>,
    options: &InputOptions,
    picture: Option<&Picture<'_>>,
) -> Result<Vec<InputReport>> {
    let mut bindings: Vec<Option<&Binding>> = vec![None; session.inputs().len()];
    for binding in &options.input {
        let i = session.find_input(&binding.port)?;
        if let Some(slot) = bindings.get_mut(i)
            && slot.replace(binding).is_some()
        {
            return Err(Failure::new(format!("{} is given twice", port(session, i)?)));
        }
    }
    let pictured = picture.map(|picture| find_picture_input(session, &bindings, picture)).transpose()?;
    let mut random = Random(options.seed);
    let mut reports = Vec::new();
    for (i, binding) in bindings.into_iter().enumerate() {
        let source = match (binding, picture) {
            (Some(binding), _) => fill_from(session, i, binding)?,
            (None, Some(picture)) if pictured == Some(i) => {
                let bytes = picture.fill(&session.input(i)?)?;
                session.input_mut(i)?.copy_from_bytes(&bytes)?;
                picture.path().display().to_string()
            }
            _ if session.input(i)?.is_constant() => "the model's constant".to_owned(),
            _ => {
                fill_randomly(session, i, &mut random)?;
                format!("random, seed {}", options.seed)
            }
        };
        let tensor = session.input(i)?;
        let (ty, shape) = (tensor.ty.name(), tensor.shape.to_vec());
        let name = session.inputs().get(i).cloned().unwrap_or_default();
        reports.push(InputReport { index: i, name, ty, shape, source });
    }
    Ok(reports)
}

/// `input 0 'image'`, for messages.
fn port(session: &Session<'_>, i: usize) -> Result<String> {
    let name = session.inputs().get(i).map_or("", String::as_str);
    let tensor = session.input(i)?;
    Ok(format!("input {i} '{}' ({} {})", text::Visible(name), tensor.ty, text::shape(tensor.shape)))
}

/// The first input that is not given otherwise and can hold a picture.
fn find_picture_input(
    session: &Session<'_>,
    bindings: &[Option<&Binding>],
    picture: &Picture<'_>,
) -> Result<usize> {
    let mut refusals = Vec::new();
    for (i, _) in bindings.iter().enumerate().filter(|(_, binding)| binding.is_none()) {
        match picture.check(&session.input(i)?) {
            Ok(()) => return Ok(i),
            Err(reason) => refusals.push(format!("{}: {reason}", port(session, i)?)),
        }
    }
    let path = picture.path().display();
    Err(Failure::new(match &refusals[..] {
        [] => format!("{path}: no input is left for the picture: --input gives them all"),
        _ => format!("{path}: no input takes a picture; {}", refusals.join("; ")),
    }))
}

fn fill_from(session: &mut Session<'_>, i: usize, binding: &Binding) -> Result<String> {
    match &binding.value {
        Value::File(path) => {
            let bytes = npy::read(path, &session.input(i)?, i)?;
            session.input_mut(i)?.copy_from_bytes(&bytes)?;
            Ok(path.display().to_string())
        }
        Value::Text(text) => {
            if session.input(i)?.ty != ElementType::String {
                let port = port(session, i)?;
                return Err(Failure::new(format!(
                    "{port} holds no strings; give it a NumPy file, K=FILE.npy"
                )));
            }
            let strings: Vec<&[u8]> = text.lines().map(str::as_bytes).collect();
            session.set_strings(i, &strings)?;
            Ok("text".to_owned())
        }
    }
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
            Err(Failure::new(format!("{} cannot be filled from here", port(session, i)?)))
        }
        _ => {
            let bytes = random.bytes(&tensor, count);
            Ok(session.input_mut(i)?.copy_from_bytes(&bytes)?)
        }
    }
}

/// SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014): the same numbers for the
/// same seed on every machine.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in [-1, 1).
    fn real(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1u64 << 23) as f32 - 1.0
    }

    /// Uniform in 0..100: small enough to be an index, mostly.
    fn small(&mut self) -> u8 {
        (self.next() % 100) as u8
    }

    /// Reals in [-1, 1), quantized integers over their whole range, other integers in 0..100.
    fn bytes(&mut self, tensor: &Tensor<'_>, count: usize) -> Vec<u8> {
        use ElementType::*;
        let whole = !tensor.scales.is_empty() || tensor.ty.bits() <= 8;
        match tensor.ty {
            F32 | C64 => {
                let parts = tensor.byte_len() / 4;
                (0..parts).flat_map(|_| self.real().to_le_bytes()).collect()
            }
            F64 | C128 => {
                let parts = tensor.byte_len() / 8;
                (0..parts).flat_map(|_| f64::from(self.real()).to_le_bytes()).collect()
            }
            F16 => (0..count).flat_map(|_| half::f16::from_f32(self.real()).to_le_bytes()).collect(),
            BF16 => (0..count).flat_map(|_| half::bf16::from_f32(self.real()).to_le_bytes()).collect(),
            // The bits of 0.0 up to 1.0.
            F8E4M3 | F8E5M2 => (0..count).map(|_| (self.next() % 0x38) as u8).collect(),
            Bool => (0..count).map(|_| (self.next() & 1) as u8).collect(),
            _ if whole => (0..tensor.byte_len()).map(|_| self.next() as u8).collect(),
            ty => {
                let width = ty.bits() as usize / 8;
                let wide = |value: u8| u64::from(value).to_le_bytes().into_iter().take(width);
                (0..count).flat_map(|_| wide(self.small())).collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_and_ports_are_read() {
        let resize: Resize = "image=1x224x224x3".parse().unwrap();
        assert_eq!((resize.port.as_str(), &resize.shape[..]), ("image", &[1, 224, 224, 3][..]));
        let message = "1=2xx3".parse::<Resize>().unwrap_err();
        assert_eq!(message, "'' is no dimension from 0 to 2147483647; write for instance 1=1x224x224x3");
        assert!("1=-2".parse::<Resize>().is_err());
        let message = "in.npy".parse::<Binding>().unwrap_err();
        assert_eq!(message, "write K=FILE.npy, where K is the input's position or name");
    }

    #[test]
    fn random_numbers_depend_on_the_seed_alone() {
        // The first outputs of the reference implementation for seed 1234567.
        let mut random = Random(1_234_567);
        assert_eq!(random.next(), 6_457_827_717_110_365_317);
        assert_eq!(random.next(), 3_203_168_211_198_807_973);
        let mut random = Random(0);
        assert!((0..1000).map(|_| random.real()).all(|x| (-1.0..1.0).contains(&x)));
    }
}
