//! Pictures as inputs.

use std::path::{Path, PathBuf};

use arenite::{ElementType, Tensor};
use arenite_pictures::{Normalization, PictureError};
use clap::Args;

use crate::answer::{Failure, Result};

/// The conversion rule, as `--help` shows it.
pub(crate) fn rule() -> String {
    let rule = arenite_pictures::RULE.replace('\n', "\n  ");
    format!(
        "Pictures:\n  --image fills the first input that can hold a picture; other inputs that are not given are zeros.\n  \
         {rule}"
    )
}

#[derive(Args)]
#[command(next_help_heading = "Inputs")]
pub(crate) struct PictureOptions {
    /// Fill an input from a png, jpeg or bmp file, see "Pictures" in `arenite run --help` (repeatable with --each)
    #[arg(long, value_name = "FILE")]
    pub image: Vec<PathBuf>,

    /// Mean of the pixels: one value for all channels, or one per channel
    #[arg(long, value_name = "M[,M,M]", value_delimiter = ',', requires_all = ["std", "image"], allow_hyphen_values = true, value_parser = parse_mean)]
    pub mean: Vec<f32>,

    /// Standard deviation of the pixels: one value for all channels, or one per channel
    #[arg(long, value_name = "S[,S,S]", value_delimiter = ',', requires_all = ["mean", "image"], value_parser = parse_std)]
    pub std: Vec<f32>,
}

fn parse_mean(text: &str) -> Result<f32, String> {
    let value = text.parse::<f32>().ok().filter(|m| m.is_finite());
    value.ok_or_else(|| "expected a number".into())
}

fn parse_std(text: &str) -> Result<f32, String> {
    let value = text.parse::<f32>().ok().filter(|s| s.is_finite() && *s > 0.0);
    value.ok_or_else(|| "expected a number above 0".into())
}

/// A decoded picture and the normalization of the command line.
pub(crate) struct DecodedPicture<'a> {
    path: &'a Path,
    picture: arenite_pictures::Picture,
    normalization: Normalization<'a>,
}

/// Mean and standard deviation that the model's metadata gives for an input, by its position and type.
type FromMetadata<'a> = dyn Fn(usize, ElementType) -> Option<(&'a [f32], &'a [f32])> + 'a;

/// A decoded picture and how its pixels are normalized.
#[derive(Clone, Copy)]
pub(crate) struct Picture<'a> {
    decoded: &'a DecodedPicture<'a>,
    metadata: &'a FromMetadata<'a>,
}

impl PictureOptions {
    /// Decodes the picture, if one was given.
    pub(crate) fn load(&self) -> Result<Option<DecodedPicture<'_>>> {
        match self.image.len() {
            0 => Ok(None),
            1 => self.load_step(0),
            count => Err(Failure::new(format!(
                "--image is given {count} times, but the model runs once; add --each to run it on each picture"
            ))),
        }
    }

    /// Decodes the picture of a step of `--each`; the last one serves all later steps.
    pub(crate) fn load_step(&self, step: usize) -> Result<Option<DecodedPicture<'_>>> {
        let Some(path) = self.image.get(step).or(self.image.last()) else { return Ok(None) };
        let picture = arenite_pictures::Picture::from_file(path)
            .map_err(|refused| Failure::with(path.display(), advised(&refused)))?;
        Ok(Some(DecodedPicture {
            path,
            picture,
            normalization: Normalization { mean: &self.mean, std: &self.std },
        }))
    }
}

impl<'a> DecodedPicture<'a> {
    /// Normalizes the picture by the command line, or else by the model's metadata.
    pub(crate) fn with(&'a self, metadata: &'a FromMetadata<'a>) -> Picture<'a> {
        Picture { decoded: self, metadata }
    }
}

impl Picture<'_> {
    pub(crate) fn path(&self) -> &Path {
        self.decoded.path
    }

    /// The pixels, upright.
    pub(crate) fn rgb(self) -> image::RgbImage {
        self.decoded.picture.to_rgb()
    }

    /// Checks that input `i`, which is `tensor`, can hold a picture; if it cannot, says why.
    pub(crate) fn check(&self, i: usize, tensor: &Tensor<'_>) -> Result<(), String> {
        self.normalization(i, tensor).check(tensor).map_err(|refused| advised(&refused))
    }

    /// Converts the picture to the type and shape of input `i`, which is `tensor`.
    pub(crate) fn fill(&self, i: usize, tensor: &Tensor<'_>) -> Result<Vec<u8>> {
        let filled = self.decoded.picture.fill(tensor, self.normalization(i, tensor));
        filled.map_err(|refused| Failure::with(self.path().display(), advised(&refused)))
    }

    fn normalization(&self, i: usize, tensor: &Tensor<'_>) -> Normalization<'_> {
        let given = self.decoded.normalization;
        match (self.metadata)(i, tensor.ty) {
            Some((mean, std)) if given.mean.is_empty() => Normalization { mean, std },
            _ => given,
        }
    }
}

/// The reason, and the option that helps.
fn advised(refused: &PictureError) -> String {
    match refused {
        PictureError::Unclear(reason) => format!("{reason}; give the expected range with --mean and --std"),
        PictureError::Open => {
            "its height and width are not fixed; choose them with --resize K=1xHxWxC".to_owned()
        }
        refused => refused.to_string(),
    }
}
