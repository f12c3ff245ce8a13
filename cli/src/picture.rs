//! Pictures as inputs: decoded, resized, and normalised to what the tensor's type and quantization ask for.

use std::path::{Path, PathBuf};

use arenite::{ElementType, Tensor};
use clap::Args;
use image::imageops::FilterType;
use image::{DynamicImage, ImageDecoder, ImageError, ImageReader, Rgb32FImage};

use crate::answer::{Failure, Result};
use crate::text;

/// The rule, as `--help` shows it.
pub const RULE: &str = "\
Pictures:
  A png, jpeg or bmp file goes into the first input of shape [1,H,W,C] with C of 1 (grey),
  3 (RGB) or 4 (RGBA). It is turned upright and resized with bilinear interpolation,
  antialiased when it shrinks. A pixel p in 0..=255 becomes
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

/// A decoded picture.
pub struct Picture<'a> {
    path: &'a Path,
    image: DynamicImage,
    mean: &'a [f32],
    std: &'a [f32],
}

/// What a picture must become.
struct Target {
    height: u32,
    width: u32,
    channels: usize,
}

/// How a pixel `p` in 0..=255 becomes a stored value.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Rule {
    /// `real = (p − mean) / std`, then quantized if the tensor is.
    Real { mean: f32, std: f32 },
    /// `stored = p`.
    Stored,
}

impl PictureOptions {
    /// Decodes the picture, if one is given.
    pub fn load(&self) -> Result<Option<Picture<'_>>> {
        let Some(path) = &self.image else { return Ok(None) };
        let image = decode(path).map_err(|error| match error {
            ImageError::Unsupported(_) => Failure::with(path.display(), "is no png, jpeg or bmp picture"),
            error => Failure::with(path.display(), error),
        })?;
        Ok(Some(Picture { path, image, mean: &self.mean, std: &self.std }))
    }
}

fn decode(path: &Path) -> image::ImageResult<DynamicImage> {
    let mut decoder = ImageReader::open(path)?.with_guessed_format()?.into_decoder()?;
    let orientation = decoder.orientation()?;
    let mut image = DynamicImage::from_decoder(decoder)?;
    image.apply_orientation(orientation);
    Ok(image)
}

impl Picture<'_> {
    pub fn path(&self) -> &Path {
        self.path
    }

    /// Whether `tensor` can hold a picture; if not, why.
    pub fn check(&self, tensor: &Tensor<'_>) -> Result<(), String> {
        let target = Target::of(tensor)?;
        let channels = target.channels;
        for (option, list) in [("--mean", self.mean), ("--std", self.std)] {
            if list.len() > 1 && list.len() != channels {
                return Err(format!("{option} has {} numbers, the picture {channels} channels", list.len()));
            }
        }
        self.rule(tensor, 0).map(|_| ())
    }

    /// The picture in the form of `tensor`.
    pub fn fill(&self, tensor: &Tensor<'_>) -> Result<Vec<u8>> {
        let fail = |message| Failure::with(self.path.display(), message);
        let target = Target::of(tensor).map_err(fail)?;
        let rules = (0..target.channels).map(|c| self.rule(tensor, c)).collect::<Result<Vec<_>, _>>();
        let rules = rules.map_err(fail)?;
        let quantization = match (tensor.scales, tensor.zero_points) {
            ([scale, ..], [zero_point, ..]) => Some((*scale, *zero_point as f32)),
            ([scale, ..], []) => Some((*scale, 0.0)),
            _ => None,
        };
        let mut bytes = Vec::with_capacity(tensor.byte_len());
        for (pixel, rule) in pixels(&self.image, &target).zip(rules.iter().cycle()) {
            let stored = match (rule, quantization) {
                (Rule::Stored, _) => pixel,
                (Rule::Real { mean, std }, None) => (pixel - mean) / std,
                (Rule::Real { mean, std }, Some((scale, zero_point))) => {
                    (((pixel - mean) / std) / scale).round() + zero_point
                }
            };
            push(&mut bytes, tensor.ty, stored);
        }
        Ok(bytes)
    }

    fn rule(&self, tensor: &Tensor<'_>, channel: usize) -> Result<Rule, String> {
        let of = |list: &[f32]| list.get(channel).or(list.first()).copied();
        match (of(self.mean), of(self.std)) {
            (Some(mean), Some(std)) => Ok(Rule::Real { mean, std }),
            _ => rule(tensor.ty, tensor.scales, tensor.zero_points),
        }
    }
}

impl Target {
    fn of(tensor: &Tensor<'_>) -> Result<Target, String> {
        use ElementType::*;
        if !matches!(tensor.ty, F32 | F64 | F16 | BF16 | I8 | U8 | I16 | U16 | I32 | U32 | I64 | U64) {
            return Err(format!("{} holds no pixels", tensor.ty));
        }
        let dims = match tensor.shape {
            [1, dims @ ..] if dims.len() == 3 => dims,
            dims => dims,
        };
        let (&[height, width, channels @ (1 | 3 | 4)], true) = (dims, tensor.shape.len() >= 3) else {
            return Err(format!("shape {} is not [1,H,W,C] with C of 1, 3 or 4", text::shape(tensor.shape)));
        };
        let open = tensor.shape_signature.len() == tensor.shape.len()
            && tensor.shape_signature.iter().rev().skip(1).take(2).any(|&d| d == -1);
        if open && height == 1 && width == 1 {
            return Err("its height and width are open; choose them with --resize K=1xHxWxC".into());
        }
        match (u32::try_from(height), u32::try_from(width)) {
            (Ok(height @ 1..), Ok(width @ 1..)) => Ok(Target { height, width, channels: channels as usize }),
            _ => Err(format!("shape {} has no pixels", text::shape(tensor.shape))),
        }
    }
}

/// The real range that counts as "about -1..1" or "about 0..1" may miss each end by this much.
const ABOUT: f32 = 0.1;

/// See [`RULE`].
fn rule(ty: ElementType, scales: &[f32], zero_points: &[i64]) -> Result<Rule, String> {
    use ElementType::*;
    const CENTERED: Rule = Rule::Real { mean: 127.5, std: 127.5 };
    let (low, high) = match ty {
        F32 | F64 | F16 | BF16 => return Ok(CENTERED),
        I8 => (-128.0, 127.0),
        U8 => (0.0, 255.0),
        I16 => (-32768.0, 32767.0),
        U16 => (0.0, 65535.0),
        _ => (i32::MIN as f32, i32::MAX as f32),
    };
    let zero_point = zero_points.first().copied().unwrap_or(0) as f32;
    let &[scale] = scales else {
        return match scales {
            [] if ty != I8 => Ok(Rule::Stored),
            [] => Err("INT8 without quantization; say with --mean and --std what it expects".into()),
            _ => Err("it has a scale per channel".into()),
        };
    };
    let (low, high) = (scale * (low - zero_point), scale * (high - zero_point));
    let near = |a: f32, b: f32| (a - b).abs() <= ABOUT;
    if low <= 0.5 && high >= 254.5 {
        Ok(Rule::Real { mean: 0.0, std: 1.0 })
    } else if near(high, 1.0) && (near(low, -1.0) || near(low, 0.0)) {
        Ok(match ty {
            U8 => Rule::Stored,
            _ if near(low, 0.0) => Rule::Real { mean: 0.0, std: 255.0 },
            _ => CENTERED,
        })
    } else {
        Err(format!("its real range is {low}..{high}; say with --mean and --std what it expects"))
    }
}

/// Pixels in 0..=255, row by row, channels innermost.
fn pixels(image: &DynamicImage, target: &Target) -> impl Iterator<Item = f32> {
    // Resizing is done in f32, so that nothing is rounded before the tensor's own type rounds it.
    let resized = |image: DynamicImage| image.resize_exact(target.width, target.height, FilterType::Triangle);
    let values = match target.channels {
        1 => {
            let grey = image.to_luma32f();
            let rgb = DynamicImage::ImageRgb32F(spread(&grey));
            resized(rgb).into_rgb32f().into_raw().into_iter().step_by(3).collect::<Vec<f32>>()
        }
        3 => resized(image.to_rgb32f().into()).into_rgb32f().into_raw(),
        _ => resized(image.to_rgba32f().into()).into_rgba32f().into_raw(),
    };
    values.into_iter().map(|value| (value * 255.0).clamp(0.0, 255.0))
}

/// A grey picture with three equal channels: `DynamicImage` has no single one of f32.
fn spread(grey: &image::ImageBuffer<image::Luma<f32>, Vec<f32>>) -> Rgb32FImage {
    Rgb32FImage::from_fn(grey.width(), grey.height(), |x, y| image::Rgb([grey.get_pixel(x, y).0[0]; 3]))
}

/// Appends `value` in the tensor's type; what does not fit is clamped.
fn push(bytes: &mut Vec<u8>, ty: ElementType, value: f32) {
    use ElementType::*;
    // `as` saturates.
    let whole = value.round();
    match ty {
        F32 => bytes.extend(value.to_le_bytes()),
        F64 => bytes.extend(f64::from(value).to_le_bytes()),
        F16 => bytes.extend(half::f16::from_f32(value).to_le_bytes()),
        BF16 => bytes.extend(half::bf16::from_f32(value).to_le_bytes()),
        I8 => bytes.extend((whole as i8).to_le_bytes()),
        U8 => bytes.push(whole as u8),
        I16 => bytes.extend((whole as i16).to_le_bytes()),
        U16 => bytes.extend((whole as u16).to_le_bytes()),
        I32 => bytes.extend((whole as i32).to_le_bytes()),
        U32 => bytes.extend((whole as u32).to_le_bytes()),
        I64 => bytes.extend((whole as i64).to_le_bytes()),
        _ => bytes.extend((whole as u64).to_le_bytes()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rule_follows_type_and_range() {
        let centered = Rule::Real { mean: 127.5, std: 127.5 };
        assert_eq!(rule(ElementType::F32, &[], &[]), Ok(centered));
        assert_eq!(rule(ElementType::U8, &[], &[]), Ok(Rule::Stored));
        assert_eq!(rule(ElementType::U8, &[1.0 / 128.0], &[128]), Ok(Rule::Stored));
        assert_eq!(rule(ElementType::I8, &[1.0 / 127.5], &[-1]), Ok(centered));
        assert_eq!(rule(ElementType::I8, &[1.0], &[-128]), Ok(Rule::Real { mean: 0.0, std: 1.0 }));
        assert_eq!(rule(ElementType::I8, &[1.0 / 255.0], &[-128]), Ok(Rule::Real { mean: 0.0, std: 255.0 }));
    }

    #[test]
    fn what_the_rule_cannot_tell_is_asked_for() {
        let message = rule(ElementType::U8, &[0.02], &[100]).unwrap_err();
        assert_eq!(message, "its real range is -2..3.1; say with --mean and --std what it expects");
        assert!(rule(ElementType::I8, &[], &[]).unwrap_err().starts_with("INT8 without quantization"));
    }

    #[test]
    fn values_are_rounded_and_clamped() {
        let mut bytes = Vec::new();
        [-129.0, -0.5, 0.5, 300.0].into_iter().for_each(|value| push(&mut bytes, ElementType::I8, value));
        assert_eq!(bytes, [-128i8, -1, 1, 127].map(|v| v as u8));
    }

    #[test]
    fn a_picture_of_the_right_size_keeps_its_pixels() {
        let image = image::RgbImage::from_fn(3, 2, |x, y| image::Rgb([x as u8 * 100, y as u8 * 200, 7]));
        let target = Target { height: 2, width: 3, channels: 3 };
        let raw: Vec<f32> = image.as_raw().iter().map(|&p| f32::from(p)).collect();
        let got: Vec<f32> = pixels(&image.into(), &target).collect();
        assert!(raw.iter().zip(&got).all(|(a, b)| (a - b).abs() < 1e-3), "{got:?}");
        assert_eq!(raw.len(), got.len());
    }
}
