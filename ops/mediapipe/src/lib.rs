//! MediaPipe's operators that cut regions out of feature maps, as its face mesh with refined landmarks uses them:
//!
//! ```text
//! landmarks ─► Landmarks2TransformMatrix ─► matrix ─┬─► TransformTensorBilinear(features) ─► net of a region ─┐
//!                                                   └──────────── TransformLandmarks ◄─────── its landmarks ◄─┘
//! ```
//! A matrix maps the pixels of a region to pixels of the feature map.
//!
//! Its ops for pooling and unpooling with positions, and for transposed convolutions with a bias, are in arenite-ops,
//! because TensorFlow Lite has them, too.
#![cfg_attr(not(test), no_std)]
#![forbid(unsafe_code)]

use arenite_abi::{Plugin, plugin};

pub mod landmarks_to_transform_matrix;
mod matrix;
pub mod transform_landmarks;
pub mod transform_tensor_bilinear;

/// All operators of this crate.
pub static PLUGIN: Plugin = plugin! {
    id: "org.arenite.mediapipe",
    description: "MediaPipe operators: regions of feature maps",
    ops: [
        landmarks_to_transform_matrix::LandmarksToTransformMatrix,
        transform_landmarks::TransformLandmarks,
        transform_tensor_bilinear::TransformTensorBilinear,
    ],
};
