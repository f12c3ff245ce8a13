//! The pixels in the windows of a tile of neighboring results.

/// Pixels of an NHWC tensor, by rows and columns of taps.
#[derive(Clone, Copy)]
pub struct Pixels {
    /// `[rows][columns]` pointers to first channels, for kernels that access pixels by pointer.
    pub pointers: *const *const f32,
    /// The first channel of the first pixel, for kernels with pixels at equal distances, like the next two fields.
    pub base: *const f32,
    /// The distance between rows of taps, in values.
    pub row: usize,
    /// The distance between columns, in values.
    pub column: usize,
    /// The number of rows of taps.
    pub rows: usize,
}

impl Pixels {
    /// The same pixels starting at channel `channels`, for kernels with pixels at equal distances.
    pub fn offset(self, channels: usize) -> Pixels {
        Pixels { base: self.base.wrapping_add(channels), ..self }
    }
}
