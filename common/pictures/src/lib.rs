//! Decodes pictures, resizes them, and normalizes them to the type and quantization of a model's input.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod error;
mod target;

use std::io::{BufReader, Cursor, Seek};
use std::path::Path;

use arenite::{ElementType, Tensor, TensorMut};
use arenite_common::file;
use arenite_common::shape;
use arenite_common::values::{Scale, set_element};
use image::imageops::FilterType;
use image::{
    DynamicImage, GrayImage, ImageDecoder, ImageError, ImageReader, Limits, Rgb32FImage, RgbImage, RgbaImage,
};

pub use error::PictureError;
use target::{Target, row_shape};

/// The conversion rule, as text for people.
pub const RULE: &str = "\
A png, jpeg or bmp file fills a tensor of shape [1,H,W,C] or [H,W,C], where C is 1 (grey),
3 (RGB) or 4 (RGBA), or of shape [1,H,W] (grey) with sides of at least 8. It is rotated
upright and resized with antialiased bilinear interpolation; a side more than 4 times its
target is first averaged down to that. The limits are 64 megapixels and 256 MB decoded.
A pixel p in 0..=255 becomes
  floats                                  p / 127.5 - 1
  quantized, real range covers 0..255     p
  quantized, about -1..1                  p / 127.5 - 1   (UINT8: stored as p)
  quantized, about 0..1                   p / 255         (UINT8: stored as p)
  integers that are not quantized         p
and quantized tensors store round(real / scale) + zero_point. With mean and std a pixel
becomes (p - mean) / std instead.";

/// Largest number of pixels of a picture that is decoded.
const MAX_PIXELS: u64 = 64_000_000;
/// Largest number of bytes for the decoded pixels, and for the decoder's own allocations.
const MAX_BYTES: u64 = 256 << 20;
/// A side more than this many times longer than its target is averaged down to that length before interpolation.
const MAX_RATIO: u32 = 4;

/// A decoded picture.
pub struct Picture {
    image: DynamicImage,
}

/// Mean and standard deviation of the pixels: one value for all channels, or one per channel. If both are empty,
/// [`RULE`] decides.
#[derive(Clone, Copy, Default)]
pub struct Normalization<'a> {
    /// Same length as `std`, or empty.
    pub mean: &'a [f32],
    /// Same length as `mean`, or empty.
    pub std: &'a [f32],
}

/// How a pixel `p` in 0..=255 is converted to a stored value.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Rule {
    /// `real = (p − mean) / std`, then quantized if the tensor is.
    Real { mean: f32, std: f32 },
    /// `stored = p`.
    Stored,
}

impl From<ImageError> for PictureError {
    fn from(error: ImageError) -> Self {
        PictureError::Picture(match error {
            ImageError::Unsupported(_) => "is not a png, jpeg or bmp picture".to_owned(),
            ImageError::Limits(error) => format!("needs more than {MAX_BYTES} bytes to decode: {error}"),
            error => error.to_string(),
        })
    }
}

impl Picture {
    /// Decodes a png, jpeg or bmp file.
    ///
    /// # Errors
    /// The file cannot be read, has another format, is damaged, or declares more than 64 megapixels or 256 MB of
    /// pixels.
    pub fn from_file(path: impl AsRef<Path>) -> Result<Self, PictureError> {
        let file = file::open(path.as_ref()).map_err(ImageError::from)?;
        // The decoders seek, which is impossible in a pipe.
        let seekable = file.metadata().is_ok_and(|kind| kind.is_file());
        match seekable {
            true => Self::decode(ImageReader::new(BufReader::new(file))),
            false => Self::from_bytes(&file::read_all(file, MAX_BYTES).map_err(ImageError::from)?),
        }
    }

    /// Decodes the bytes of a png, jpeg or bmp file.
    ///
    /// # Errors
    /// As for [`from_file`](Self::from_file).
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, PictureError> {
        Self::decode(ImageReader::new(Cursor::new(bytes)))
    }

    /// Creates a picture from 8-bit pixels, row by row, with 1 (grey), 3 (RGB) or 4 (RGBA) channels.
    ///
    /// # Errors
    /// The number of channels is not supported, or `pixels` does not have `width` × `height` × `channels` bytes.
    pub fn from_pixels(
        pixels: &[u8],
        width: u32,
        height: u32,
        channels: usize,
    ) -> Result<Self, PictureError> {
        let bytes = pixels.to_vec();
        let image = match channels {
            1 => GrayImage::from_raw(width, height, bytes).map(DynamicImage::from),
            3 => RgbImage::from_raw(width, height, bytes).map(DynamicImage::from),
            4 => RgbaImage::from_raw(width, height, bytes).map(DynamicImage::from),
            _ => {
                return Err(PictureError::Picture(format!(
                    "a picture of {channels} channels; only 1, 3 and 4 are supported"
                )));
            }
        };
        let is_whole = u64::from(width) * u64::from(height) * channels as u64 == pixels.len() as u64;
        image.filter(|_| is_whole && !pixels.is_empty()).map(|image| Picture { image }).ok_or_else(|| {
            let given = pixels.len();
            PictureError::Picture(format!(
                "{given} bytes do not match {width} x {height} pixels of {channels} channels"
            ))
        })
    }

    fn decode<R: std::io::BufRead + Seek>(reader: ImageReader<R>) -> Result<Self, PictureError> {
        let mut reader = reader.with_guessed_format().map_err(ImageError::from)?;
        let mut limits = Limits::no_limits();
        limits.max_alloc = Some(MAX_BYTES);
        reader.limits(limits);
        let mut decoder = reader.into_decoder()?;
        let (width, height) = decoder.dimensions();
        check_size(width, height, decoder.total_bytes())?;
        let orientation = decoder.orientation()?;
        let mut image = DynamicImage::from_decoder(decoder)?;
        image.apply_orientation(orientation);
        Ok(Picture { image })
    }

    /// The pixels, upright, without transparency.
    pub fn to_rgb(&self) -> RgbImage {
        self.image.to_rgb8()
    }

    /// Width and height in pixels, after rotation to upright.
    pub fn size(&self) -> (u32, u32) {
        (self.image.width(), self.image.height())
    }

    /// Writes the picture into `tensor`, converted by [`RULE`].
    ///
    /// # Errors
    /// The tensor cannot hold the picture.
    pub fn write_to(&self, tensor: TensorMut<'_>) -> Result<(), PictureError> {
        let bytes = self.fill(tensor.tensor(), Normalization::default())?;
        tensor.copy_from_bytes(&bytes).map_err(|error| PictureError::Tensor(error.to_string()))
    }

    /// Converts the picture to the type and shape of `tensor`.
    ///
    /// # Errors
    /// The tensor cannot hold the picture.
    pub fn fill(
        &self,
        tensor: &Tensor<'_>,
        normalization: Normalization<'_>,
    ) -> Result<Vec<u8>, PictureError> {
        self.convert(tensor, &Target::of(tensor, tensor.shape)?, normalization, tensor.byte_len())
    }

    /// Converts the picture to the type of `tensor` and to the shape of one picture of it, which is returned as well:
    /// dimension 0 of a tensor `[N,H,W,C]` or `[N,H,W]` is 1.
    ///
    /// # Errors
    /// The tensor cannot hold a picture.
    pub fn row(
        &self,
        tensor: &Tensor<'_>,
        normalization: Normalization<'_>,
    ) -> Result<(Vec<u8>, Vec<i32>), PictureError> {
        let form = row_shape(tensor.shape);
        normalization.check_shape(tensor, &form)?;
        let target = Target::of(tensor, &form)?;
        let pixels = u64::from(target.height) * u64::from(target.width);
        let count = usize::try_from(pixels).ok().filter(|_| pixels <= MAX_PIXELS);
        let Some(bytes) = count.and_then(|count| tensor.ty.bytes_of(count * target.channels)) else {
            let message = format!("shape {} has more than {MAX_PIXELS} pixels", shape(&form));
            return Err(PictureError::Tensor(message));
        };
        Ok((self.convert(tensor, &target, normalization, bytes)?, form))
    }

    fn convert(
        &self,
        tensor: &Tensor<'_>,
        target: &Target,
        normalization: Normalization<'_>,
        byte_len: usize,
    ) -> Result<Vec<u8>, PictureError> {
        let rules = (0..target.channels).map(|c| normalization.rule(tensor, c));
        let rules = rules.collect::<Result<Vec<_>, _>>()?;
        let scale = Scale::of(tensor);
        let mut bytes = vec![0; byte_len];
        for (i, (pixel, rule)) in pixels(&self.image, target).zip(rules.iter().cycle()).enumerate() {
            let stored = match (rule, scale) {
                (Rule::Stored, _) => pixel,
                (Rule::Real { mean, std }, None) => (pixel - mean) / std,
                (Rule::Real { mean, std }, Some(scale)) => scale.stored(i, (pixel - mean) / std),
            };
            // Cannot fail: `Target::of` checked the type and the shape.
            let _ = set_element(tensor.ty, &mut bytes, i, f64::from(stored));
        }
        Ok(bytes)
    }
}

impl Normalization<'_> {
    /// Checks whether `tensor` can hold a picture.
    ///
    /// # Errors
    /// The reason why it cannot.
    pub fn check(&self, tensor: &Tensor<'_>) -> Result<(), PictureError> {
        self.check_shape(tensor, tensor.shape)
    }

    fn check_shape(&self, tensor: &Tensor<'_>, shape: &[i32]) -> Result<(), PictureError> {
        let channels = Target::of(tensor, shape)?.channels;
        if self.mean.is_empty() != self.std.is_empty() {
            return Err(PictureError::Tensor("mean and std must be given together".to_owned()));
        }
        for (name, list) in [("mean", self.mean), ("std", self.std)] {
            if list.len() > 1 && list.len() != channels {
                let count = list.len();
                return Err(PictureError::Tensor(format!(
                    "{name} has {count} numbers, but the picture has {channels} channels"
                )));
            }
        }
        (0..channels).try_for_each(|channel| self.rule(tensor, channel).map(|_| ()))
    }

    fn rule(&self, tensor: &Tensor<'_>, channel: usize) -> Result<Rule, PictureError> {
        let of = |list: &[f32]| list.get(channel).or(list.first()).copied();
        match (of(self.mean), of(self.std)) {
            (Some(mean), Some(std)) => Ok(Rule::Real { mean, std }),
            _ => rule(tensor.ty, tensor.scales, tensor.zero_points),
        }
    }
}

/// Tolerance at each end for a real range to count as "about -1..1" or "about 0..1".
const ABOUT: f32 = 0.1;

/// How pixels are converted for this type and quantization, as described in [`RULE`].
fn rule(ty: ElementType, scales: &[f32], zero_points: &[i64]) -> Result<Rule, PictureError> {
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
            [] => Err(PictureError::Unclear("INT8 without quantization".to_owned())),
            _ => Err(PictureError::Unclear("it has a scale per channel".to_owned())),
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
        Err(PictureError::Unclear(format!("its real range is {low}..{high}")))
    }
}

/// Checks the size that a file declares against the limits before anything of that size is allocated.
fn check_size(width: u32, height: u32, bytes: u64) -> Result<(), PictureError> {
    let pixels = u64::from(width) * u64::from(height);
    if pixels <= MAX_PIXELS && bytes <= MAX_BYTES {
        return Ok(());
    }
    Err(PictureError::Picture(format!(
        "declares {width} x {height} pixels of {bytes} bytes; the limits are {MAX_PIXELS} pixels and {MAX_BYTES} \
         bytes; shrink it first"
    )))
}

/// Shrinks the picture so that no side is longer than [`MAX_RATIO`] times its target, by averaging boxes of 8-bit
/// pixels; `None` if it already fits. This bounds the memory for the interpolation, which works on floats, by the size
/// of the target.
fn averaged(image: &DynamicImage, target: &Target) -> Option<DynamicImage> {
    let (width, height) = (image.width(), image.height());
    let (most_wide, most_high) =
        (target.width.saturating_mul(MAX_RATIO), target.height.saturating_mul(MAX_RATIO));
    if width <= most_wide && height <= most_high {
        return None;
    }
    let (new_width, new_height) = (width.min(most_wide), height.min(most_high));
    Some(match image {
        DynamicImage::ImageLuma8(_)
        | DynamicImage::ImageLumaA8(_)
        | DynamicImage::ImageRgb8(_)
        | DynamicImage::ImageRgba8(_) => image.thumbnail_exact(new_width, new_height),
        // Sums of 16-bit pixels would overflow 32 bits.
        wide => DynamicImage::from(wide.to_rgba8()).thumbnail_exact(new_width, new_height),
    })
}

/// The pixels in 0..=255, row by row, with channels innermost.
fn pixels(image: &DynamicImage, target: &Target) -> impl Iterator<Item = f32> {
    let averaged = averaged(image, target);
    let image = averaged.as_ref().unwrap_or(image);
    // Resizes in f32, so that values are rounded only once, to the tensor's own type.
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

/// Copies a grey picture into three equal channels, because `DynamicImage` has no grey format in f32.
fn spread(grey: &image::ImageBuffer<image::Luma<f32>, Vec<f32>>) -> Rgb32FImage {
    Rgb32FImage::from_fn(grey.width(), grey.height(), |x, y| image::Rgb([grey.get_pixel(x, y).0[0]; 3]))
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
    fn ambiguous_ranges_need_mean_and_std() {
        let refused = rule(ElementType::U8, &[0.02], &[100]).unwrap_err();
        assert_eq!(refused, PictureError::Unclear("its real range is -2..3.1".to_owned()));
        let refused = rule(ElementType::I8, &[], &[]).unwrap_err();
        assert_eq!(refused.to_string(), "INT8 without quantization; give the expected range by mean and std");
    }

    #[test]
    fn a_picture_of_the_right_size_keeps_its_pixels() {
        let image = RgbImage::from_fn(3, 2, |x, y| image::Rgb([x as u8 * 100, y as u8 * 200, 7]));
        let target = Target { height: 2, width: 3, channels: 3 };
        let raw: Vec<f32> = image.as_raw().iter().map(|&p| f32::from(p)).collect();
        let got: Vec<f32> = pixels(&image.into(), &target).collect();
        assert!(raw.iter().zip(&got).all(|(a, b)| (a - b).abs() < 1e-3), "{got:?}");
        assert_eq!(raw.len(), got.len());
    }

    #[test]
    fn the_number_of_pixels_is_checked() {
        assert!(Picture::from_pixels(&[7; 12], 2, 2, 3).is_ok());
        for (count, width, channels, wanted) in [
            (11, 2, 3, "11 bytes do not match 2 x 2 pixels of 3 channels"),
            (13, 2, 3, "13 bytes do not match 2 x 2 pixels of 3 channels"),
            (0, 0, 1, "0 bytes do not match 0 x 2 pixels of 1 channels"),
            (8, 2, 2, "a picture of 2 channels; only 1, 3 and 4 are supported"),
        ] {
            let refused = Picture::from_pixels(&vec![7; count], width, 2, channels).err();
            assert_eq!(refused.map(|refused| refused.to_string()).as_deref(), Some(wanted));
        }
        assert!(Picture::from_bytes(b"not a picture").is_err());
    }

    /// A run-length coded BMP of 8 bits per pixel, with no data.
    fn bmp(width: u32, height: u32) -> Vec<u8> {
        let mut bytes = b"BM".to_vec();
        for number in [1080u32, 0, 1078, 40, width, height] {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend([1, 0, 8, 0]); // one plane, 8 bits
        for number in [1u32, 2, 0, 0, 256, 0] {
            bytes.extend(number.to_le_bytes()); // RLE8, its size, resolution, colours
        }
        bytes.resize(1078, 0);
        bytes.extend([0, 1]); // the end of the bitmap
        bytes
    }

    fn png(image: &DynamicImage) -> Vec<u8> {
        let mut bytes = Cursor::new(Vec::new());
        image.write_to(&mut bytes, image::ImageFormat::Png).unwrap();
        bytes.into_inner()
    }

    #[test]
    fn a_small_file_that_declares_a_huge_picture_is_rejected_before_decoding() {
        let refused = Picture::from_bytes(&bmp(30_000, 30_000)).err().unwrap().to_string();
        assert_eq!(
            refused,
            "declares 30000 x 30000 pixels of 2700000000 bytes; the limits are 64000000 pixels and 268435456 \
             bytes; shrink it first"
        );
        assert!(Picture::from_bytes(&bmp(3, 2)).is_ok());
        // The file has 16 KB and 16 million pixels. It is decoded and shrunk without a copy in floats.
        let line = png(&GrayImage::from_pixel(1 << 24, 1, [200].into()).into());
        assert!(line.len() < 1 << 17 && Picture::from_bytes(&line).is_ok(), "{} bytes", line.len());
        let refused = Picture::from_bytes(&bmp(8_192, 8_187)).err().unwrap().to_string();
        assert!(refused.starts_with("declares 8192 x 8187 pixels of 201203712 bytes"), "{refused}");
    }

    #[test]
    fn a_picture_of_any_shape_shrinks_in_the_memory_of_its_target() {
        for (width, height) in [(1 << 18, 1), (1, 1 << 18), (500, 500)] {
            let picture =
                Picture::from_bytes(&png(&GrayImage::from_pixel(width, height, [200].into()).into()))
                    .unwrap();
            let target = Target { height: 16, width: 16, channels: 1 };
            let shrunk = averaged(&picture.image, &target).expect("more than four times as large");
            assert!(shrunk.width() <= 64 && shrunk.height() <= 64);
            let got: Vec<f32> = pixels(&picture.image, &target).collect();
            assert!(got.len() == 256 && got.iter().all(|&p| (p - 200.0).abs() < 0.5), "{width} x {height}");
        }
    }

    #[test]
    fn a_row_is_one_picture_of_a_batch() {
        for (shape, row) in [
            (&[32, 16, 16, 3][..], &[1, 16, 16, 3][..]),
            (&[32, 16, 16], &[1, 16, 16]),
            (&[16, 16, 3], &[16, 16, 3]),
            (&[32, 16, 16, 2], &[1, 16, 16, 2]),
            (&[7], &[7]),
        ] {
            assert_eq!(row_shape(shape), row);
        }
    }

    #[test]
    fn averages_of_16_bit_pixels_do_not_overflow() {
        let image = image::ImageBuffer::from_pixel(1100, 960, image::Luma([0xffffu16]));
        let target = Target { height: 1, width: 1, channels: 3 };
        let got: Vec<f32> = pixels(&DynamicImage::ImageLuma16(image), &target).collect();
        assert!(got.iter().all(|&p| (p - 255.0).abs() < 0.5), "{got:?}");
    }

    #[test]
    fn averaging_first_changes_a_photograph_by_less_than_two_levels() {
        let wave =
            |x: u32, y: u32| (127.0 + 120.0 * ((x as f32) / 97.0).sin() * ((y as f32) / 61.0).cos()) as u8;
        let image = DynamicImage::from(RgbImage::from_fn(330, 260, |x, y| image::Rgb([wave(x, y); 3])));
        let target = Target { height: 24, width: 24, channels: 3 };
        let got: Vec<f32> = pixels(&image, &target).collect();
        let exact =
            DynamicImage::from(image.to_rgb32f()).resize_exact(24, 24, FilterType::Triangle).into_rgb32f();
        let worst = got.iter().zip(exact.as_raw()).map(|(a, b)| (a - b * 255.0).abs()).fold(0.0, f32::max);
        assert!(worst < 2.0, "{worst}");
    }
}
