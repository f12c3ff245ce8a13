//! Where a tile of neighbouring results finds the pixels under its windows.

/// Pixels of an NHWC tensor, by rows and columns of taps.
#[derive(Clone, Copy)]
pub struct Pixels {
    /// `[rows][columns]` pointers to first channels; of kernels that find pixels by pointers.
    pub pointers: *const *const f32,
    /// The first channel of the first pixel; of kernels with even steps, as are the next two.
    pub base: *const f32,
    /// Values from one row of taps to the next.
    pub row: usize,
    /// Values from one column to the next.
    pub column: usize,
    /// Rows of taps.
    pub rows: usize,
}

impl Pixels {
    /// The pixels from `channels` further on, for kernels with even steps.
    pub fn offset(self, channels: usize) -> Pixels {
        Pixels { base: self.base.wrapping_add(channels), ..self }
    }
}
