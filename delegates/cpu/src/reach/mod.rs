//! How steps reach their data, and what several of them share.

pub(crate) mod epilogue;
pub(crate) mod panels;
pub(crate) mod patches_u8;
pub(crate) mod phases;
pub(crate) mod phases_u8;
pub(crate) mod planes_u8;
pub(crate) mod pointers;
pub(crate) mod rows_u8;
pub(crate) mod slide;
pub(crate) mod terms;
pub(crate) mod tiles;
pub(crate) mod together;
pub(crate) mod weights_u8;
