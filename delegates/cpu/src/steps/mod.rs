//! What runs: one kind of step one file.

pub mod bands;
pub mod cascade;
pub mod conv_f32;
pub mod conv_hybrid;
pub mod conv_u8;
pub mod convert_u8;
pub mod copy;
pub mod dwconv_f32;
pub mod dwconv_hybrid;
pub mod dwconv_u8;
pub mod epilogue;
pub mod flip;
pub mod fold_f32;
pub mod gather;
pub mod lines_u8;
pub mod lookup;
pub mod map_f32;
pub mod matmul_f32;
pub mod matmul_u8;
pub mod mean_u8;
pub mod moves;
pub mod norm_f32;
pub mod pair_u8;
pub mod patches_u8;
pub mod phases;
pub mod phases_u8;
pub mod planes_u8;
pub mod pointers;
pub mod pool_f32;
pub mod pool_u8;
pub mod resize;
pub mod rows_u8;
pub mod scan;
pub mod slide;
pub mod softmax_f32;
pub mod softmax_u8;
pub mod terms;
pub mod tiles;
pub mod together;
pub mod transpose_conv_f32;
pub mod transpose_conv_hybrid;
pub mod transpose_conv_u8;
pub mod typed_map;
pub mod winograd_f32;
pub mod winograd_u8;

/// Multiply-adds that are worth a thread's while: 0.4 microseconds, three times what it takes to hand work to a thread that is
/// awake.
pub const WORK: usize = 3 << 14;

/// Items per range such that a range is worth a thread's while, if one item costs that many multiply-adds. Does not depend on
/// the number of threads, so that ranges do not either.
pub fn grain(cost: usize) -> usize {
    (WORK / cost.max(1)).max(1)
}
