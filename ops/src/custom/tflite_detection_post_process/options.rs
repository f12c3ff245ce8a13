//! The options of a node.

use arenite_abi::prelude::*;

use crate::kit::custom_options::CustomOptions;

plain! {
    #[derive(Clone, Copy)]
    pub(super) struct DetectionOptions {
        pub(super) max_detections: usize,
        pub(super) max_classes_per_detection: usize,
        pub(super) detections_per_class: usize,
        pub(super) regular: bool,
        pub(super) score_threshold: f32,
        pub(super) overlap_threshold: f32,
        pub(super) classes: usize,
        /// The scales of y, x, height and width.
        pub(super) scales: [f32; 4],
    }
}

impl DetectionOptions {
    pub(super) fn read(node: &NodeView<'_>) -> Result<Self> {
        let options = CustomOptions::of(node);
        let count = |key: &str, value: i32, least: i32| {
            ensure!(value >= least, "option '{key}' is {value}; it must be at least {least}");
            Ok(value as usize)
        };
        let max_detections = count("max_detections", options.i32("max_detections")?, 0)?;
        let max_classes = options.i32("max_classes_per_detection")?;
        let per_class = options.i32_or("detections_per_class", 100)?;
        let regular = options.flag("use_regular_nms")?;
        Ok(DetectionOptions {
            max_detections,
            max_classes_per_detection: count("max_classes_per_detection", max_classes, i32::from(!regular))?,
            detections_per_class: count("detections_per_class", per_class, 0)?.min(max_detections),
            regular,
            score_threshold: options.f32_or("nms_score_threshold", 0.0)?,
            overlap_threshold: options.f32("nms_iou_threshold")?,
            classes: count("num_classes", options.i32("num_classes")?, 1)?,
            scales: [
                options.f32("y_scale")?,
                options.f32("x_scale")?,
                options.f32("h_scale")?,
                options.f32("w_scale")?,
            ],
        })
    }

    pub(super) fn check(&self) -> Result<()> {
        ensure!(
            self.overlap_threshold > 0.0 && self.overlap_threshold <= 1.0,
            "option 'nms_iou_threshold' is {}; it must be above 0 and at most 1",
            self.overlap_threshold
        );
        ensure!(
            !self.regular || self.detections_per_class > 0,
            "options 'detections_per_class' and 'max_detections' allow no detection of a class"
        );
        Ok(())
    }
}
