//! Access of steps to their data: the pointers, patches, planes, tiles and panels that several steps share.

pub(crate) mod bordered;
pub(crate) mod dense;
pub(crate) mod dense_u8;
pub(crate) mod epilogue;
pub(crate) mod located;
pub(crate) mod panels;
pub(crate) mod patches_f32;
pub(crate) mod patches_u8;
pub(crate) mod phases;
pub(crate) mod phases_u8;
pub(crate) mod planes_u8;
pub(crate) mod pointers;
pub(crate) mod rows_u8;
pub(crate) mod sequences;
pub(crate) mod slide;
mod taps;
pub(crate) mod terms;
pub(crate) mod tiles;
pub(crate) mod together;
pub(crate) mod weights_u8;
