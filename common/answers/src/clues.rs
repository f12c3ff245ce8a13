//! The outputs of an invocation, and facts that help to read them.

use arenite::Tensor;
use arenite_common::values::reals;

use crate::boxes::PixelSize;
use crate::metadata::Metadata;

/// An output of an invocation.
pub struct Output<'a> {
    pub(crate) index: usize,
    name: &'a str,
    pub(crate) tensor: Tensor<'a>,
    pub(crate) bytes: &'a [u8],
}

impl<'a> Output<'a> {
    /// Output `index` of the subgraph, with the name that people know it by.
    ///
    /// # Errors
    /// Returns an error if the tensor holds strings, a resource, or has no data yet.
    pub fn new(index: usize, name: &'a str, tensor: Tensor<'a>) -> arenite::Result<Self> {
        let bytes = tensor.bytes()?;
        Ok(Output { index, name, tensor, bytes })
    }

    /// The dequantized elements.
    pub(crate) fn reals(&self) -> Vec<f64> {
        reals(&self.tensor, self.bytes)
    }

    /// `output 0 'scores'`, for notes.
    pub(crate) fn title(&self) -> String {
        format!("output {} '{}'", self.index, arenite::text::Visible(self.name))
    }
}

/// Facts that help to read the outputs.
#[derive(Clone, Debug)]
pub struct Clues<'a> {
    /// Names of the classes that the caller gives; they replace the file's labels.
    pub labels: &'a [String],
    /// Metadata of the model.
    pub metadata: &'a Metadata,
    /// Outputs of the op `TFLite_Detection_PostProcess`: boxes, classes, scores, count; see
    /// [`detection_op`](crate::detection_op).
    pub detection_op: Option<[usize; 4]>,
    /// For each output, the number of classes if the op ARG_MAX writes it; see
    /// [`arg_max_classes`](crate::arg_max_classes).
    pub arg_max_classes: Vec<Option<usize>>,
    /// Width and height of the picture that the model takes.
    pub input_size: Option<(u32, u32)>,
    /// Detections below this score are dropped.
    pub threshold: f32,
    /// Number of best classes to list.
    pub top: usize,
    /// Whether scores are ranked even if they may be something else than scores of classes.
    pub ranks_anything: bool,
}

impl<'a> Clues<'a> {
    /// No labels, a threshold of 0.3, the five best classes.
    pub fn new(metadata: &'a Metadata) -> Self {
        Clues {
            labels: &[],
            metadata,
            detection_op: None,
            arg_max_classes: Vec::new(),
            input_size: None,
            threshold: 0.3,
            top: 5,
            ranks_anything: false,
        }
    }

    /// Width and height of the input in pixels; 1 × 1 if it takes no picture.
    pub(crate) fn size(&self) -> PixelSize {
        let pixels = |(width, height)| PixelSize { width: width as f32, height: height as f32 };
        self.input_size.map_or(PixelSize::UNIT, pixels)
    }
}
