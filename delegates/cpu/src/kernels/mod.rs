#[macro_use]
pub mod family;
mod calls;
pub mod copies;
pub mod f32_dwconv;
pub mod f32_fold;
pub mod f32_gemm;
pub mod f32_map;
pub mod f32_norm;
pub mod f32_pool;
pub mod f32_softmax;
pub mod f32_winograd;
pub mod pixels;
pub mod transpose;
pub mod u8_fold;
pub mod u8_lines;
pub mod u8_map;
pub mod u8_pair;
pub mod u8_pool;
pub mod u8_real;
pub mod u8_winograd;
pub mod u8i8_dwconv;
pub mod u8i8_gemm;
pub mod widen;

#[cfg(test)]
pub(crate) mod random;
