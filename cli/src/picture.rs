//! Pictures as inputs.

use std::path::{Path, PathBuf};

use arenite::Tensor;
use arenite_pictures::{Normalization, Refused};
use clap::Args;

use crate::answer::{Failure, Result};

/// The rule, as `--help` shows it.
pub const RULE: &str = "\
Pictures:
  A png, jpeg or bmp file goes into the first input of shape [1,H,W,C] with C of 1 (grey),
  3 (RGB) or 4 (RGBA). It is turned upright and resized with bilinear interpolation,
  antialiased when it shrinks; a side of more than 4 times its target is first averaged
  down to that. Pictures above 64 megapixels or 256 MB decoded are refused.
  A pixel p in 0..=255 becomes
    floats                                  p / 127.5 - 1
    quantized, real range covers 0..255     p
    quantized, about -1..1                  p / 127.5 - 1   (UINT8: p is stored as it is)
    quantized, about 0..1                   p / 255         (UINT8: p is stored as it is)
    integers that are not quantized         p
  and quantized inputs store round(real / scale) + zero_point. With --mean and --std a pixel
  becomes (p - mean) / std instead.";

#[derive(Args)]
#[command(next_help_heading = "Inputs")]
pub struct PictureOptions {
    /// Fill an input from a png, jpeg or bmp file, see "Pictures" below
    #[arg(long, value_name = "FILE")]
    pub image: Option<PathBuf>,

    /// Mean of the pixels, one for all channels or one for each
    #[arg(long, value_name = "M[,M,M]", value_delimiter = ',', requires_all = ["std", "image"], allow_hyphen_values = true, value_parser = parse_mean)]
    pub mean: Vec<f32>,

    /// Standard deviation of the pixels, one for all channels or one for each
    #[arg(long, value_name = "S[,S,S]", value_delimiter = ',', requires_all = ["mean", "image"], value_parser = parse_std)]
    pub std: Vec<f32>,
}

fn parse_mean(text: &str) -> Result<f32, String> {
    let value = text.parse::<f32>().ok().filter(|m| m.is_finite());
    value.ok_or_else(|| "a number is needed".into())
}

fn parse_std(text: &str) -> Result<f32, String> {
    let value = text.parse::<f32>().ok().filter(|s| s.is_finite() && *s > 0.0);
    value.ok_or_else(|| "a number above 0 is needed".into())
}

/// A decoded picture, and what becomes of its pixels.
pub struct Picture<'a> {
    path: &'a Path,
    picture: arenite_pictures::Picture,
    normalization: Normalization<'a>,
}

impl PictureOptions {
    /// Decodes the picture, if one is given.
    pub fn load(&self) -> Result<Option<Picture<'_>>> {
        let Some(path) = &self.image else { return Ok(None) };
        let picture = arenite_pictures::Picture::from_file(path)
            .map_err(|refused| Failure::with(path.display(), advised(&refused)))?;
        Ok(Some(Picture { path, picture, normalization: Normalization { mean: &self.mean, std: &self.std } }))
    }
}

impl Picture<'_> {
    pub fn path(&self) -> &Path {
        self.path
    }

    /// Whether `tensor` can hold a picture; if not, why.
    pub fn check(&self, tensor: &Tensor<'_>) -> Result<(), String> {
        self.normalization.check(tensor).map_err(|refused| advised(&refused))
    }

    /// The picture in the form of `tensor`.
    pub fn fill(&self, tensor: &Tensor<'_>) -> Result<Vec<u8>> {
        let filled = self.picture.fill(tensor, self.normalization);
        filled.map_err(|refused| Failure::with(self.path.display(), advised(&refused)))
    }
}

/// What is wrong, and which option helps.
fn advised(refused: &Refused) -> String {
    match refused {
        Refused::Unclear(reason) => format!("{reason}; say with --mean and --std what it expects"),
        Refused::Open => "its height and width are open; choose them with --resize K=1xHxWxC".to_owned(),
        refused => refused.to_string(),
    }
}
