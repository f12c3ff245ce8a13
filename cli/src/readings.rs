//! Answers read from the outputs, as text, as JSON and as a picture.

use std::fmt::{self, Display};
use std::path::{Path, PathBuf};

use arenite::{ElementType, Model};
use arenite_answers::{Answer, Clues, Detection, Metadata, Output, Pose, RankedClass, Reading, Share};
use arenite_common::file;
use clap::Args;
use serde::Serialize;

use crate::answer::{Failure, Result};
use crate::logging;
use crate::picture::Picture;
use crate::session::Session;
use crate::text::{self, DIM, HEAD, Visible};

/// The largest label file that is read, in bytes.
const MAX_BYTES: u64 = 16 << 20;
/// Classes, and classes of a segmentation, that are listed without `--top`.
const DEFAULT_TOP: usize = 5;
/// Classes that cover less of a picture are not listed.
const MIN_SHARE: f64 = 0.0005;
/// Key points below this score are marked as unsure.
const SURE: f32 = 0.2;

#[derive(Args, Clone, Default)]
#[command(next_help_heading = "Answers")]
pub(crate) struct ReadingOptions {
    /// Name the classes: line n of this file, counted from 0, names class n. Without it, the
    /// labels packed into the model are used
    #[arg(long, value_name = "FILE")]
    labels: Option<PathBuf>,

    /// Show this many of the best classes; ranks outputs of any model [default: 5]
    #[arg(long, value_name = "N")]
    top: Option<usize>,

    /// Drop detected objects with a score below this, from 0 to 1
    #[arg(long, value_name = "SCORE", default_value_t = 0.3, value_parser = parse_threshold)]
    threshold: f32,

    /// Draw boxes, segmentations, poses and masks onto the picture given with --image, into
    /// this png file; with --each into OUT-N.png for step N
    #[arg(long, value_name = "OUT.png")]
    draw: Option<PathBuf>,
}

fn parse_threshold(text: &str) -> Result<f32, String> {
    let value = text.parse::<f32>().ok().filter(|score| (0.0..=1.0).contains(score));
    value.ok_or_else(|| "a number from 0 to 1 is needed".into())
}

/// The model's metadata and the given labels.
pub(crate) struct Context {
    metadata: Metadata,
    detection_op: Option<[usize; 4]>,
    arg_max_classes: Vec<Option<usize>>,
    labels: Vec<String>,
}

/// The readings of one invocation.
#[derive(Default, Serialize)]
#[serde(transparent)]
pub(crate) struct ReadingReport {
    readings: Vec<ShownReading>,
    #[serde(skip)]
    pub failure: Option<Failure>,
    #[serde(skip)]
    drawn: Option<PathBuf>,
}

#[derive(Serialize)]
struct ShownReading {
    outputs: Vec<usize>,
    #[serde(flatten)]
    kind: Kind,
}

#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum Kind {
    Classes { probabilities: bool, top: Vec<RankedClass> },
    Detections { threshold: f32, detections: Vec<Detection> },
    Segmentation { width: u32, height: u32, shares: Vec<Share> },
    Poses { poses: Vec<Pose> },
    Map { width: u32, height: u32, min: f32, max: f32, covered: Option<f64> },
    Picture { width: u32, height: u32 },
}

impl ReadingOptions {
    /// Reads labels and metadata, before the model runs.
    pub(crate) fn context(&self, model: &Model, signature: Option<&str>) -> Result<Context> {
        let labels = self.labels.as_deref().map(read_labels).transpose()?.unwrap_or_default();
        Ok(Context { labels, ..Context::of(model, signature) })
    }

    /// The options of a step of `--each`, which draws into a file of its own.
    pub(crate) fn for_step(&self, step: usize) -> Self {
        let numbered = |path: &PathBuf| {
            let stem = path.file_stem().unwrap_or_default().to_string_lossy();
            let extension = path.extension().unwrap_or_default().to_string_lossy();
            path.with_file_name(format!("{stem}-{step}.{extension}"))
        };
        ReadingOptions { draw: self.draw.as_ref().map(numbered), ..self.clone() }
    }

    /// Number of classes to list in one line.
    pub(crate) fn in_line(&self) -> usize {
        self.top.unwrap_or(1)
    }

    /// Reads the outputs, and draws them if `--draw` is given.
    pub(crate) fn read(
        &self,
        session: &Session<'_>,
        context: &Context,
        picture: Option<&Picture<'_>>,
    ) -> Result<ReadingReport> {
        let outputs = readable(session)?;
        let clues = Clues {
            labels: &context.labels,
            detection_op: context.detection_op,
            arg_max_classes: context.arg_max_classes.clone(),
            input_size: input_size(session)?,
            threshold: self.threshold,
            top: self.top.unwrap_or(DEFAULT_TOP),
            ranks_anything: self.top.is_some(),
            ..Clues::new(&context.metadata)
        };
        let found = arenite_answers::read(&outputs, &clues);
        for note in &found.notes {
            logging::note(format_args!("{note}; the raw values are shown"));
        }
        self.compare_counts(&found.readings, context);
        let drawn = match &self.draw {
            Some(path) => draw(&found.readings, picture, path)?,
            None => false,
        };
        let failure = self.failure(&found.readings, session, drawn)?;
        let readings = found.readings.into_iter();
        let readings = readings.map(|reading| self.shown(reading)).collect();
        Ok(ReadingReport { readings, failure, drawn: self.draw.clone().filter(|_| drawn) })
    }

    fn compare_counts(&self, readings: &[Reading], context: &Context) {
        let Some(path) = &self.labels else { return };
        let names = context.labels.len();
        for reading in readings {
            let count = match &reading.answer {
                Answer::Classes(classes) => Some(classes.count),
                Answer::Segmentation(found) => found.count,
                _ => None,
            };
            if let Some(count) = count.filter(|&count| count != names) {
                let path = path.display();
                logging::note(format_args!(
                    "{path} has {names} labels, but the model has {count} classes; labels may not match"
                ));
            }
        }
    }

    /// The error for an option that needs an answer the outputs do not have.
    fn failure(&self, readings: &[Reading], session: &Session<'_>, drawn: bool) -> Result<Option<Failure>> {
        let named = readings.iter().any(|reading| {
            matches!(reading.answer, Answer::Classes(_) | Answer::Detections(_) | Answer::Segmentation(_))
        });
        let asked = match (&self.labels, self.top) {
            (Some(_), _) => Some("--labels"),
            (None, Some(_)) => Some("--top"),
            (None, None) => None,
        };
        if let (Some(option), false) = (asked, named) {
            let found = describe(session)?;
            return Ok(Some(Failure::new(format!(
                "no output has scores of classes, detected objects or a segmentation, as {option} needs: {found}"
            ))));
        }
        let undrawn = self.draw.as_ref().filter(|_| !drawn);
        undrawn
            .map(|path| {
                let (path, found) = (path.display(), describe(session)?);
                Ok(Failure::new(format!(
                    "{path} is not written: no output has boxes, a segmentation, a pose or a picture, as --draw needs: \
                     {found}"
                )))
            })
            .transpose()
    }

    fn shown(&self, reading: Reading) -> ShownReading {
        let kind = match reading.answer {
            Answer::Classes(classes) => {
                Kind::Classes { probabilities: classes.probabilities, top: classes.top }
            }
            Answer::Detections(detections) => Kind::Detections { threshold: self.threshold, detections },
            Answer::Segmentation(found) => {
                let listed = found.shares.into_iter().filter(|share| share.share >= MIN_SHARE);
                let shares = listed.take(self.top.unwrap_or(usize::MAX)).collect();
                Kind::Segmentation { width: found.width, height: found.height, shares }
            }
            Answer::Poses(poses) => Kind::Poses { poses },
            Answer::Map(map) => {
                let (min, max) = map.range;
                Kind::Map { width: map.width, height: map.height, min, max, covered: map.covered }
            }
            Answer::Painting(painting) => Kind::Picture { width: painting.width, height: painting.height },
        };
        ShownReading { outputs: reading.outputs, kind }
    }
}

impl Context {
    /// The model's metadata, without labels.
    pub(crate) fn of(model: &Model, signature: Option<&str>) -> Self {
        let mut metadata = Metadata::of(model);
        let mut detection_op = arenite_answers::detection_op(model);
        let mut arg_max_classes = arenite_answers::arg_max_classes(model);
        if signature.is_some() {
            // These are in the order of the main subgraph's ports, which a signature may order otherwise.
            metadata.inputs.clear();
            metadata.outputs.clear();
            detection_op = None;
            arg_max_classes.clear();
        }
        Context { metadata, detection_op, arg_max_classes, labels: Vec::new() }
    }

    /// Samples per second of an input, from the model's metadata.
    pub(crate) fn sample_rate(&self, input: usize) -> Option<u32> {
        self.metadata.inputs.get(input)?.sample_rate
    }

    /// Mean and standard deviation that the model's metadata gives for an input of floats. Quantized inputs store
    /// pixels by their own scale.
    pub(crate) fn normalization(&self, input: usize, ty: ElementType) -> Option<(&[f32], &[f32])> {
        let metadata = self.metadata.inputs.get(input)?;
        let usable = ty == ElementType::F32 && !metadata.mean.is_empty();
        usable.then_some((&metadata.mean[..], &metadata.std[..]))
    }
}

impl ReadingReport {
    /// Whether a reading covers this output.
    pub(crate) fn covers(&self, output: usize) -> bool {
        self.readings.iter().any(|reading| reading.outputs.contains(&output))
    }

    /// The best `count` classes in one line, if that is all that was read.
    pub(crate) fn line(&self, count: usize) -> Option<String> {
        let [ShownReading { kind: Kind::Classes { probabilities, top }, .. }] = &self.readings[..] else {
            return None;
        };
        let entry = |ranked: &RankedClass| {
            let RankedClass { index, label, confidence } = ranked;
            let score = match probabilities {
                true => format!("{:>6.1} %", confidence * 100.0),
                false => format!("{confidence:>8.4}"),
            };
            format!("{score}  {HEAD}{}{HEAD:#}{}", Visible(label), number(*index, label))
        };
        Some(top.iter().take(count).map(entry).collect::<Vec<_>>().join("  "))
    }

    /// The best classes of the first ranking.
    pub(crate) fn top(&self) -> Option<&[RankedClass]> {
        self.readings.iter().find_map(|reading| match &reading.kind {
            Kind::Classes { top, .. } => Some(&top[..]),
            _ => None,
        })
    }
}

/// Reads a label file: line n, counted from 0, names class n.
pub(crate) fn read_labels(path: &Path) -> Result<Vec<String>> {
    let text = file::read_text(path, MAX_BYTES).map_err(|e| Failure::with(path.display(), e))?;
    Ok(text.trim_end().lines().map(|line| line.trim().to_owned()).collect())
}

/// The outputs that hold numbers.
fn readable<'s>(session: &'s Session<'_>) -> Result<Vec<Output<'s>>> {
    let mut outputs = Vec::new();
    for (i, name) in session.outputs().iter().enumerate() {
        let tensor = session.output(i)?;
        if !matches!(tensor.ty, ElementType::String | ElementType::Resource | ElementType::Variant) {
            outputs.push(Output::new(i, name, tensor)?);
        }
    }
    Ok(outputs)
}

/// Width and height of the first input that takes a picture.
fn input_size(session: &Session<'_>) -> Result<Option<(u32, u32)>> {
    for i in 0..session.inputs().len() {
        let tensor = session.input(i)?;
        if let &[1, height @ 1..=i32::MAX, width @ 1..=i32::MAX, 1 | 3 | 4] = tensor.shape {
            return Ok(Some((width as u32, height as u32)));
        }
    }
    Ok(None)
}

/// Type and shape of the outputs, for messages.
fn describe(session: &Session<'_>) -> Result<String> {
    let mut parts = Vec::new();
    for (i, name) in session.outputs().iter().enumerate() {
        let tensor = session.output(i)?;
        let name = text::shorten(name, 60);
        parts.push(format!("output {i} '{name}' is {} {}", tensor.ty, text::shape(tensor.shape)));
    }
    Ok(if parts.is_empty() { "the model has no outputs".to_owned() } else { parts.join(", ") })
}

/// Whether there was something to draw.
fn draw(readings: &[Reading], picture: Option<&Picture<'_>>, path: &Path) -> Result<bool> {
    let picture = picture.copied().map(Picture::rgb);
    let Some(drawn) = arenite_answers::draw(readings, picture.as_ref()) else { return Ok(false) };
    drawn.save(path).map_err(|e| Failure::with(path.display(), e))?;
    Ok(true)
}

impl Display for ReadingReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.readings.iter().try_for_each(|reading| reading.kind.fmt(f))?;
        if let Some(path) = &self.drawn {
            writeln!(f, "{DIM}drawn into {}{DIM:#}", path.display())?;
        }
        Ok(())
    }
}

impl Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Kind::Classes { probabilities, top } => {
                top.iter().try_for_each(|ranked| show_ranked(f, ranked, *probabilities))
            }
            Kind::Detections { threshold, detections } if detections.is_empty() => {
                writeln!(f, "no object with a score of {threshold} or more; --threshold changes the limit")
            }
            Kind::Detections { detections, .. } => {
                detections.iter().try_for_each(|found| show_object(f, found))
            }
            Kind::Segmentation { shares, .. } => shares.iter().try_for_each(|share| {
                let Share { class, label, share } = share;
                row(f, share * 100.0, label)?;
                writeln!(f, "{}", number(*class, label))
            }),
            Kind::Poses { poses } if poses.is_empty() => writeln!(f, "no person"),
            Kind::Poses { poses } => poses.iter().enumerate().try_for_each(|(i, pose)| show_pose(f, i, pose)),
            Kind::Map { width, height, min, max, covered } => {
                write!(f, "{width} x {height} pixels from {min:.3} to {max:.3}")?;
                match covered {
                    Some(share) => writeln!(f, ", {:.1} % of them above 0.5", share * 100.0),
                    None => writeln!(f),
                }
            }
            Kind::Picture { width, height } => writeln!(f, "a picture of {width} x {height} pixels"),
        }
    }
}

/// A share or score in percent, and a name.
fn row(f: &mut fmt::Formatter<'_>, percent: f64, label: &str) -> fmt::Result {
    write!(f, "{:>8}  {HEAD}{}{HEAD:#}", format!("{percent:.1} %"), Visible(label))
}

fn show_ranked(f: &mut fmt::Formatter<'_>, ranked: &RankedClass, probabilities: bool) -> fmt::Result {
    let RankedClass { index, label, confidence } = ranked;
    match probabilities {
        true => row(f, confidence * 100.0, label)?,
        false => write!(f, "{confidence:>8.4}  {HEAD}{}{HEAD:#}", Visible(label))?,
    }
    writeln!(f, "{}", number(*index, label))
}

/// The number of a class, unless its label is nothing else.
fn number(class: usize, label: &str) -> String {
    if label == format!("class {class}") { String::new() } else { format!("  {DIM}(class {class}){DIM:#}") }
}

fn show_object(f: &mut fmt::Formatter<'_>, found: &Detection) -> fmt::Result {
    row(f, f64::from(found.score) * 100.0, &found.label)?;
    let bounds = found.bounds;
    let (left, right, top, bottom) = (bounds.left, bounds.right, bounds.top, bounds.bottom);
    writeln!(f, "  {DIM}x {left:.2}..{right:.2}  y {top:.2}..{bottom:.2}{DIM:#}")
}

fn show_pose(f: &mut fmt::Formatter<'_>, i: usize, pose: &Pose) -> fmt::Result {
    writeln!(f, "person {}, {:.1} %", i + 1, pose.score * 100.0)?;
    pose.keypoints.iter().try_for_each(|keypoint| {
        row(f, f64::from(keypoint.score) * 100.0, keypoint.name)?;
        let unsure = if keypoint.score < SURE { "  unsure" } else { "" };
        writeln!(f, "  {DIM}x {:.2}  y {:.2}{unsure}{DIM:#}", keypoint.x, keypoint.y)
    })
}
