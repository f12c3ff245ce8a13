//! Draws readings onto the picture that the model was given.

use std::ops::RangeInclusive;

use font8x8::{BASIC_FONTS, UnicodeFonts};
use image::imageops::{FilterType, resize};
use image::{GrayImage, Rgb, RgbImage};

use crate::answer::{Answer, Reading};
use crate::boxes::Detection;
use crate::grids::{Map, Segmentation};
use crate::poses::{BONES, Pose};

/// Side of a picture that is drawn without one to begin with.
const BLANK_SIDE: u32 = 512;
/// Key points below this score are not drawn.
const MIN_KEYPOINT: f32 = 0.2;
const WHITE: Rgb<u8> = Rgb([255; 3]);
/// Height of a line of text, in widths of a line.
const LINE: i32 = 9;
const MOST_CHARACTERS: usize = 64;
/// The most classes of a segmentation that are named.
const MOST_NAMES: usize = 12;

/// Draws all readings that can be seen onto `picture`, or onto a black one: boxes with their names, segmentations in
/// colours, poses as skeletons, masks and depths as grey, pictures unchanged. `None` if there is nothing to see.
pub fn draw(readings: &[Reading], picture: Option<&RgbImage>) -> Option<RgbImage> {
    let seen = readings.iter().filter(|reading| !matches!(reading.answer, Answer::Classes(_)));
    let blank = || RgbImage::new(BLANK_SIDE, BLANK_SIDE);
    seen.fold(None, |drawn: Option<RgbImage>, reading| {
        let base = || drawn.clone().or_else(|| picture.cloned());
        Some(match &reading.answer {
            Answer::Classes(_) => return drawn,
            Answer::Detections(detections) => with_boxes(base().unwrap_or_else(blank), detections),
            Answer::Poses(poses) => with_poses(base().unwrap_or_else(blank), poses),
            Answer::Segmentation(segmentation) => with_classes(base(), segmentation),
            Answer::Map(map) => grey(map, picture),
            Answer::Painting(painting) => {
                let made = RgbImage::from_raw(painting.width, painting.height, painting.rgb.clone());
                made.or(drawn)?
            }
        })
    })
}

/// A colour for a class: hues differ by the golden angle, so that neighbouring numbers look different.
fn colour(class: usize) -> Rgb<u8> {
    let hue = (class as f32 * 0.618_034).fract() * 6.0;
    // Full saturation: each channel rises and falls over a third of the circle.
    let channel = |shift: f32| {
        let x = (hue + shift) % 6.0;
        let value = (2.0 - (x - 3.0).abs()).clamp(0.0, 1.0);
        (60.0 + 195.0 * value) as u8
    };
    Rgb([channel(3.0), channel(1.0), channel(5.0)])
}

fn with_boxes(mut picture: RgbImage, detections: &[Detection]) -> RgbImage {
    let (width, height) = (picture.width() as f32, picture.height() as f32);
    let thickness = thickness(&picture);
    // The best box is drawn last, on top.
    for detection in detections.iter().rev() {
        let colour = colour(detection.class);
        let bounds = detection.bounds;
        let (left, right) = (pixel(bounds.left, width), pixel(bounds.right, width));
        let (top, bottom) = (pixel(bounds.top, height), pixel(bounds.bottom, height));
        for k in 0..thickness {
            fill(&mut picture, left..=right, top + k..=top + k, colour);
            fill(&mut picture, left..=right, bottom - k..=bottom - k, colour);
            fill(&mut picture, left + k..=left + k, top..=bottom, colour);
            fill(&mut picture, right - k..=right - k, top..=bottom, colour);
        }
        let text = format!("{} {:.0} %", detection.label, detection.score * 100.0);
        write(&mut picture, left, top - LINE * thickness, &text, colour);
    }
    picture
}

fn with_poses(mut picture: RgbImage, poses: &[Pose]) -> RgbImage {
    let (width, height) = (picture.width() as f32, picture.height() as f32);
    let thickness = thickness(&picture);
    for (i, pose) in poses.iter().enumerate() {
        let colour = colour(i);
        let place = |k: usize| {
            let keypoint = pose.keypoints.get(k).filter(|keypoint| keypoint.score >= MIN_KEYPOINT)?;
            Some(Point { x: keypoint.x * width, y: keypoint.y * height })
        };
        for (from, to) in BONES {
            if let (Some(from), Some(to)) = (place(from), place(to)) {
                // A dark rim shows the line on any ground.
                line(&mut picture, from, to, 3 * thickness, Rgb([0; 3]));
                line(&mut picture, from, to, thickness, colour);
            }
        }
        for point in (0..pose.keypoints.len()).filter_map(place) {
            let (x, y) = (point.x as i32, point.y as i32);
            fill(&mut picture, x - thickness..=x + thickness, y - thickness..=y + thickness, WHITE);
        }
    }
    picture
}

/// Pixels of class 0, the background in all common label sets, show the picture. Pixels of other classes are half
/// colour, half picture; the names of these classes are listed at the top.
fn with_classes(picture: Option<RgbImage>, segmentation: &Segmentation) -> RgbImage {
    let (columns, rows) = (segmentation.width, segmentation.height);
    let mut picture = picture.unwrap_or_else(|| RgbImage::new(columns, rows));
    let (width, height) = (u64::from(picture.width()), u64::from(picture.height()));
    for (x, y, pixel) in picture.enumerate_pixels_mut() {
        let column = u64::from(x) * u64::from(columns) / width;
        let row = u64::from(y) * u64::from(rows) / height;
        let at = usize::try_from(row * u64::from(columns) + column).unwrap_or(usize::MAX);
        let class = segmentation.classes.get(at).copied().unwrap_or(0);
        if class > 0 {
            let colour = colour(usize::from(class));
            *pixel = Rgb([0, 1, 2].map(|c| pixel.0[c] / 2 + colour.0[c] / 2));
        }
    }
    let step = LINE * thickness(&picture);
    let classes = segmentation.shares.iter().filter(|share| share.class > 0);
    for (i, share) in (0..).zip(classes.take(MOST_NAMES)) {
        write(&mut picture, 0, i * step, &share.label, colour(share.class));
    }
    picture
}

/// The smallest value black, the largest white; of a mask 0 black and 1 white. As large as `picture`.
fn grey(map: &Map, picture: Option<&RgbImage>) -> RgbImage {
    let (low, high) = if map.covered.is_some() { (0.0, 1.0) } else { map.range };
    let span = if high > low { high - low } else { 1.0 };
    let values = map.values.iter().map(|v| ((v - low) / span * 255.0).round().clamp(0.0, 255.0) as u8);
    let grey = GrayImage::from_raw(map.width, map.height, values.collect()).unwrap_or_default();
    let (width, height) = picture.map_or((map.width, map.height), RgbImage::dimensions);
    let grey = resize(&grey, width, height, FilterType::Triangle);
    RgbImage::from_fn(width, height, |x, y| Rgb([grey.get_pixel(x, y).0[0]; 3]))
}

/// Converts a fraction of a side to pixels. Models may give any number, so the result is limited to avoid overflow
/// later.
fn pixel(fraction: f32, side: f32) -> i32 {
    (fraction * side).clamp(-1e6, 1e6) as i32
}

/// Width of lines, which grows with the picture.
fn thickness(picture: &RgbImage) -> i32 {
    let side = picture.width().min(picture.height());
    i32::try_from(side / 240).unwrap_or(i32::MAX).clamp(1, 8)
}

/// A position in pixels.
#[derive(Clone, Copy)]
struct Point {
    x: f32,
    y: f32,
}

/// Fills a rectangle, clipped to the picture.
fn fill(picture: &mut RgbImage, columns: RangeInclusive<i32>, rows: RangeInclusive<i32>, colour: Rgb<u8>) {
    let (width, height) = (picture.width() as i32, picture.height() as i32);
    for y in (*rows.start()).max(0)..=(*rows.end()).min(height - 1) {
        for x in (*columns.start()).max(0)..=(*columns.end()).min(width - 1) {
            picture.put_pixel(x as u32, y as u32, colour);
        }
    }
}

/// A line whose middle goes from one point to the other.
fn line(picture: &mut RgbImage, from: Point, to: Point, thickness: i32, colour: Rgb<u8>) {
    let (dx, dy) = (to.x - from.x, to.y - from.y);
    let steps = dx.abs().max(dy.abs()).clamp(1.0, 65_536.0);
    for i in 0..=steps as u32 {
        let t = i as f32 / steps;
        let (x, y) = ((from.x + dx * t) as i32 - thickness / 2, (from.y + dy * t) as i32 - thickness / 2);
        fill(picture, x..=x + thickness - 1, y..=y + thickness - 1, colour);
    }
}

/// Writes a line of text, black on `colour`, with its upper left corner at this column and row, or further left and
/// down if it would leave the picture.
fn write(picture: &mut RgbImage, left: i32, top: i32, text: &str, colour: Rgb<u8>) {
    let (scale, top) = (thickness(picture), top.max(0));
    let ink = Rgb([0; 3]);
    let length = text.chars().take(MOST_CHARACTERS).count() as i32;
    let start = left.min(picture.width() as i32 - 8 * scale * length).max(0);
    for (i, character) in text.chars().take(MOST_CHARACTERS).enumerate() {
        let left = start + 8 * scale * i as i32;
        fill(picture, left..=left + 8 * scale - 1, top..=top + LINE * scale - 1, colour);
        let glyph = BASIC_FONTS.get(character).or_else(|| BASIC_FONTS.get('?')).unwrap_or_default();
        for (row, bits) in (0..).zip(glyph) {
            for column in (0..8).filter(|column| bits >> column & 1 == 1) {
                let (x, y) = (left + column * scale, top + (row + 1) * scale);
                fill(picture, x..=x + scale - 1, y..=y + scale - 1, ink);
            }
        }
    }
}
