//! Outputs as numbers: what `run` prints of them, and the files it writes.

use std::fmt::{self, Display};
use std::path::{Path, PathBuf};

use arenite::{ElementType, Tensor};
use clap::Args;
use serde::Serialize;

use crate::answer::{Failure, Result};
use crate::npy;
use crate::session::Session;
use crate::text::{self, HEAD};
use arenite_common::extent::{Extent, extent};
use arenite_common::values::{Number, Scale, element, element_count};

#[derive(Args)]
#[command(next_help_heading = "What to run and to show")]
pub(crate) struct OutputOptions {
    /// Run the signature with this key, and use its input and output names
    #[arg(long, value_name = "KEY")]
    pub signature: Option<String>,

    /// How many values of each output to show
    #[arg(long, value_name = "N", default_value_t = 8)]
    pub values: usize,

    /// Write output K to DIR/out_K.npy, with --signature to DIR/NAME.npy; to a .json file if it
    /// holds strings. With --each the first dimension counts the steps
    #[arg(long, value_name = "DIR")]
    pub output_dir: Option<PathBuf>,
}

/// An output, and the range and first values of its elements.
#[derive(Serialize)]
pub(crate) struct OutputReport {
    pub index: usize,
    pub name: String,
    #[serde(rename = "type")]
    ty: &'static str,
    shape: Vec<i32>,
    scale: Option<f32>,
    zero_point: Option<i64>,
    /// Number of elements.
    count: usize,
    /// Smallest and largest stored value, ignoring NaN.
    min: Option<Number>,
    max: Option<Number>,
    nan: usize,
    /// The first stored values.
    values: Vec<Number>,
    /// The same values as real numbers, if the tensor is quantized.
    #[serde(skip_serializing_if = "Option::is_none")]
    real_values: Option<Vec<f32>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    strings: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<PathBuf>,
}

impl OutputReport {
    /// Describes output `index`, with its first `shown` values.
    pub(crate) fn of(session: &Session<'_>, index: usize, shown: usize) -> Result<Self> {
        let tensor = session.output(index)?;
        let strings = match tensor.ty {
            ElementType::String => Some(strings(&tensor)?),
            _ => None,
        };
        let bytes = if has_values(tensor.ty) { tensor.bytes()? } else { &[] };
        let count = element_count(tensor.shape);
        let values: Vec<Number> = (0..count.min(shown)).map_while(|i| element(tensor.ty, bytes, i)).collect();
        let real = |scale: Scale<'_>| {
            let reals = values.iter().enumerate().map(|(i, v)| v.real().map(|stored| scale.real(i, stored)));
            reals.flatten().map(|value| value as f32).collect::<Vec<f32>>()
        };
        let Extent { min, max, nan } = extent(tensor.ty, bytes, count);
        let is_quantized = tensor.ty.is_quantizable();
        Ok(OutputReport {
            index,
            name: session.outputs().get(index).cloned().unwrap_or_default(),
            ty: tensor.ty.name(),
            shape: tensor.shape.to_vec(),
            scale: tensor.scales.first().copied(),
            zero_point: tensor.zero_points.first().copied().filter(|_| !tensor.scales.is_empty()),
            count,
            min,
            max,
            nan,
            real_values: Scale::of(&tensor).filter(|_| is_quantized).map(real),
            values,
            strings: strings.map(|all| all.into_iter().take(shown).collect()),
            file: None,
        })
    }

    /// The report in one line, without its name and type.
    pub(crate) fn write_line(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "output {}", self.index)?;
        if let (Some(min), Some(max)) = (&self.min, &self.max) {
            write!(f, "  min {min}  max {max}")?;
        }
        let rest = if self.count > self.values.len() { " …" } else { "" };
        match self.real_values.as_ref().filter(|reals| !reals.is_empty()) {
            Some(reals) => write!(f, "  real  {}{rest}", text::join(&numbers(reals), " "))?,
            None if self.values.is_empty() => {}
            None => write!(f, "  values  {}{rest}", text::join(&self.values, " "))?,
        }
        for string in self.strings.iter().flatten() {
            write!(f, "  {string:?}")?;
        }
        writeln!(f)
    }
}

fn numbers(reals: &[f32]) -> Vec<Number> {
    reals.iter().map(|&real| Number::Float(real)).collect()
}

fn has_values(ty: ElementType) -> bool {
    !matches!(ty, ElementType::String | ElementType::Resource | ElementType::Variant)
}

fn strings(tensor: &Tensor<'_>) -> Result<Vec<String>> {
    Ok(tensor.strings()?.into_iter().map(|s| String::from_utf8_lossy(s).into_owned()).collect())
}

/// Outputs collected for files: of one invocation, or of one after another.
pub(crate) struct OutputCollection {
    options: Option<PathBuf>,
    /// Whether the files have the signature's names.
    by_name: bool,
    /// Whether the first dimension counts the steps.
    stacked: bool,
    outputs: Vec<Collection>,
}

#[derive(Default)]
struct Collection {
    ty: Option<ElementType>,
    shape: Vec<i32>,
    bytes: Vec<u8>,
    strings: Vec<Vec<String>>,
    steps: usize,
}

impl OutputCollection {
    /// Starts to collect what `--output-dir` asks for.
    pub(crate) fn new(options: &OutputOptions, stacked: bool) -> Self {
        let (dir, by_name) = (options.output_dir.clone(), options.signature.is_some());
        OutputCollection { options: dir, by_name, stacked, outputs: Vec::new() }
    }

    /// Adds the outputs of an invocation.
    pub(crate) fn add(&mut self, session: &Session<'_>) -> Result<()> {
        if self.options.is_none() {
            return Ok(());
        }
        self.outputs.resize_with(session.outputs().len(), Collection::default);
        for (index, collection) in self.outputs.iter_mut().enumerate() {
            let tensor = session.output(index)?;
            collection.add(&tensor).map_err(|shapes| {
                let name = session.outputs().get(index).map(String::as_str).unwrap_or_default();
                let name = text::shorten(name, 60);
                Failure::new(format!("output {index} '{name}': {shapes}, so --output-dir cannot stack them"))
            })?;
        }
        Ok(())
    }

    /// Writes the files, and returns the one of each output.
    pub(crate) fn write(&self, session: &Session<'_>) -> Result<Vec<PathBuf>> {
        let Some(dir) = &self.options else { return Ok(Vec::new()) };
        std::fs::create_dir_all(dir).map_err(|e| Failure::with(dir.display(), e))?;
        let stems = match self.by_name {
            true => file_stems(session.outputs()),
            false => (0..self.outputs.len()).map(|index| format!("out_{index}")).collect(),
        };
        let all = self.outputs.iter().zip(stems);
        all.map(|(collection, stem)| collection.write(dir, &stem, self.stacked)).collect()
    }
}

impl Collection {
    fn add(&mut self, tensor: &Tensor<'_>) -> Result<(), String> {
        if *self.ty.get_or_insert(tensor.ty) == ElementType::String {
            self.strings.push(strings(tensor).map_err(|failure| failure.to_string())?);
        } else {
            if self.steps > 0 && self.shape != tensor.shape {
                let (first, now) = (text::shape(&self.shape), text::shape(tensor.shape));
                return Err(format!("its shape is {first} in step 0, but {now} in step {}", self.steps));
            }
            self.shape = tensor.shape.to_vec();
            self.bytes.extend(npy::unpacked(tensor).map_err(|failure| failure.to_string())?);
        }
        self.steps += 1;
        Ok(())
    }

    fn write(&self, dir: &Path, stem: &str, stacked: bool) -> Result<PathBuf> {
        let ty = self.ty.unwrap_or(ElementType::F32);
        if ty != ElementType::String {
            let path = dir.join(format!("{stem}.npy"));
            let steps = stacked.then_some(self.steps as u64);
            let dims = self.shape.iter().map(|&d| u64::try_from(d).unwrap_or(0));
            npy::write(&path, ty, &steps.into_iter().chain(dims).collect::<Vec<_>>(), &self.bytes)?;
            return Ok(path);
        }
        let path = dir.join(format!("{stem}.json"));
        let text = match (stacked, self.strings.first()) {
            (false, Some(strings)) => serde_json::to_string(strings),
            _ => serde_json::to_string(&self.strings),
        };
        let text = text.map_err(|e| Failure::with(path.display(), e))?;
        std::fs::write(&path, text).map_err(|e| Failure::with(path.display(), e))?;
        Ok(path)
    }
}

/// The outputs' names as names of files: other characters than letters, digits, `.`, `-` and `_` become `_`. A name
/// that is then empty, too long, or equal to an earlier one gets the output's number.
fn file_stems(names: &[String]) -> Vec<String> {
    /// Longest name of a file, without its extension, in bytes.
    const MAX: usize = 100;
    let mut stems: Vec<String> = Vec::new();
    for (index, name) in names.iter().enumerate() {
        let safe = |c: char| if c.is_alphanumeric() || matches!(c, '.' | '-' | '_') { c } else { '_' };
        let stem: String = name.trim_start_matches('.').chars().map(safe).collect();
        let same = |known: &String| known.eq_ignore_ascii_case(&stem);
        let usable = !stem.is_empty() && stem.len() <= MAX && !stems.iter().any(same);
        stems.push(if usable { stem } else { format!("out_{index}") });
    }
    stems
}

impl Display for OutputReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = text::shorten(&self.name, 60);
        write!(f, "{HEAD}output {} '{name}'{HEAD:#}  {} {}", self.index, self.ty, text::shape(&self.shape))?;
        if let (Some(scale), Some(zero_point)) = (self.scale, self.zero_point) {
            write!(f, "  scale {scale} zero point {zero_point}")?;
        }
        writeln!(f)?;
        if let (Some(min), Some(max)) = (&self.min, &self.max) {
            write!(f, "  min {min}  max {max}")?;
            if self.nan > 0 {
                write!(f, "  not a number {}", self.nan)?;
            }
            writeln!(f)?;
        }
        let rest = if self.count > self.values.len() { " …" } else { "" };
        if !self.values.is_empty() {
            writeln!(f, "  values  {}{rest}", text::join(&self.values, " "))?;
        }
        if let Some(reals) = self.real_values.as_ref().filter(|r| !r.is_empty()) {
            writeln!(f, "  real    {}{rest}", text::join(&numbers(reals), " "))?;
        }
        for string in self.strings.iter().flatten() {
            writeln!(f, "  {string:?}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_have_safe_and_different_names() {
        let names = ["scores", "a/b:0", "a_b:0", "", "..", "SCORES", &"x".repeat(101)].map(str::to_owned);
        assert_eq!(file_stems(&names), ["scores", "a_b_0", "out_2", "out_3", "out_4", "out_5", "out_6"]);
    }
}
