//! One answer per pixel: segmentations, masks, depth, pictures.

use arenite::ElementType;
use serde::Serialize;

use crate::classes::label;
use crate::clues::{Clues, Output};

/// The class of each pixel.
#[derive(Clone, Debug, PartialEq)]
pub struct Segmentation {
    /// Pixels per row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// The class of each pixel, row by row.
    pub classes: Vec<u16>,
    /// The number of classes that the model distinguishes, if known.
    pub count: Option<usize>,
    /// The classes that occur, most frequent first.
    pub shares: Vec<Share>,
}

/// How much of the picture belongs to a class.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Share {
    /// Number of the class.
    pub class: usize,
    /// Its name.
    pub label: String,
    /// Share of the pixels, 0 to 1.
    pub share: f64,
}

/// One number per pixel: a mask, a depth, a heat map.
#[derive(Clone, Debug, PartialEq)]
pub struct Map {
    /// Pixels per row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// The values, row by row.
    pub values: Vec<f32>,
    /// Smallest and largest finite value.
    pub range: (f32, f32),
    /// Share of the pixels above 0.5, if all values are within 0..1.
    pub covered: Option<f64>,
}

/// A picture that the model made.
#[derive(Clone, Debug, PartialEq)]
pub struct Painting {
    /// Pixels per row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Red, green and blue of each pixel, row by row.
    pub rgb: Vec<u8>,
}

/// Smaller grids are feature maps, not answers about pixels.
const MIN_SIDE: u32 = 8;
/// Most classes of a segmentation.
const MAX_CLASSES: usize = 256;
/// A grid whose sides are less than this part of the input's is a feature map.
const MIN_PART: u32 = 4;

/// Height, width and channels of an output with one answer per pixel.
fn grid(output: &Output<'_>, clues: &Clues<'_>) -> Option<(u32, u32, usize)> {
    let (height, width, channels) = match *output.tensor.shape {
        [1, h, w, c] => (h, w, c),
        [1, h, w] | [h, w] => (h, w, 1),
        _ => return None,
    };
    let side = |side: i32| u32::try_from(side).ok().filter(|&side| side >= MIN_SIDE);
    let (height, width) = (side(height)?, side(width)?);
    let (input_width, input_height) = clues.input_size?;
    let is_fine = height >= input_height / MIN_PART && width >= input_width / MIN_PART;
    is_fine.then_some((height, width, usize::try_from(channels).ok()?))
}

/// A map of class numbers, or of scores per class.
pub(crate) fn segmentation(output: &Output<'_>, clues: &Clues<'_>) -> Option<Segmentation> {
    let (height, width, channels) = grid(output, clues)?;
    let own = clues.metadata.outputs.get(output.index);
    let own = own.map(|own| if channels == 1 { &own.value_labels } else { &own.axis_labels });
    let labels = if clues.labels.is_empty() { own.map_or(&[][..], Vec::as_slice) } else { clues.labels };
    let (classes, count) = match channels {
        1 => (numbers(output)?, clues.arg_max_classes.get(output.index).copied().flatten()),
        2..=MAX_CLASSES => (best_classes(output, channels, labels)?, Some(channels)),
        _ => return None,
    };
    let mut counts = vec![0u64; usize::from(classes.iter().copied().max()?) + 1];
    for &class in &classes {
        if let Some(count) = counts.get_mut(usize::from(class)) {
            *count += 1;
        }
    }
    let total = classes.len() as f64;
    let share = |(class, &count): (usize, &u64)| Share {
        class,
        label: label(labels, class),
        share: count as f64 / total,
    };
    let mut shares: Vec<Share> = counts.iter().enumerate().filter(|(_, n)| **n > 0).map(share).collect();
    shares.sort_by(|a, b| b.share.total_cmp(&a.share));
    Some(Segmentation { width, height, classes, count, shares })
}

/// Class numbers as the model gives them: integers without a scale.
fn numbers(output: &Output<'_>) -> Option<Vec<u16>> {
    use ElementType::*;
    let is_whole = matches!(output.tensor.ty, U8 | I8 | I16 | U16 | I32 | U32 | I64 | U64);
    if !is_whole || !output.tensor.scales.is_empty() {
        return None;
    }
    let number = |value: f64| (0.0..MAX_CLASSES as f64).contains(&value).then_some(value as u16);
    output.reals().into_iter().map(number).collect()
}

/// The class with the highest score of each pixel. Three or four channels may be colours instead: then the scores must
/// be probabilities, or there must be as many labels.
fn best_classes(output: &Output<'_>, channels: usize, labels: &[String]) -> Option<Vec<u16>> {
    let scores = output.reals();
    let mut pixels = scores.chunks_exact(channels);
    let is_probability = |pixel: &[f64]| {
        pixel.iter().all(|&p| (-1e-3..=1.001).contains(&p)) && (pixel.iter().sum::<f64>() - 1.0).abs() < 0.05
    };
    let is_ambiguous = matches!(channels, 3 | 4) && labels.len() != channels;
    if is_ambiguous && !pixels.clone().all(is_probability) {
        return None;
    }
    let best = |pixel: &[f64]| {
        let best = pixel.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1))?;
        u16::try_from(best.0).ok()
    };
    pixels.by_ref().map(best).collect()
}

/// A map of one real number per pixel.
pub(crate) fn map(output: &Output<'_>, clues: &Clues<'_>) -> Option<Map> {
    let (height, width, 1) = grid(output, clues)? else { return None };
    let values: Vec<f32> = output.reals().into_iter().map(|v| v as f32).collect();
    let finite = || values.iter().copied().filter(|v| v.is_finite());
    let range = (finite().min_by(f32::total_cmp)?, finite().max_by(f32::total_cmp)?);
    let is_mask = range.0 >= 0.0 && range.1 <= 1.0;
    let above = values.iter().filter(|v| **v > 0.5).count() as f64 / values.len() as f64;
    Some(Map { width, height, range, covered: is_mask.then_some(above), values })
}

/// A picture of three channels in 0..1, -1..1 or 0..255.
pub(crate) fn painting(output: &Output<'_>, clues: &Clues<'_>) -> Option<Painting> {
    let (height, width, 3) = grid(output, clues)? else { return None };
    let values = output.reals();
    let low = values.iter().copied().min_by(f64::total_cmp)?;
    let high = values.iter().copied().max_by(f64::total_cmp)?;
    let (offset, factor) = match (low, high) {
        (-0.01.., ..=1.01) => (0.0, 255.0),
        (-1.01.., ..=1.01) => (1.0, 127.5),
        (-1.0.., ..=256.0) => (0.0, 1.0),
        _ => return None,
    };
    let rgb = values.into_iter().map(|v| ((v + offset) * factor).round().clamp(0.0, 255.0) as u8).collect();
    Some(Painting { width, height, rgb })
}
