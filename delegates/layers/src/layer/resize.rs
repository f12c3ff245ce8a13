//! Resized images.

/// The two neighbours of a position along an axis, and the distance from the lower one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Neighbours {
    /// The lower neighbour.
    pub low: usize,
    /// The higher neighbour, or the lower one at the border.
    pub high: usize,
    /// 0 at the lower neighbour, 1 at the higher one.
    pub distance: f32,
}

/// How positions of input and output correspond.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Alignment {
    /// Corner pixels coincide.
    pub corners: bool,
    /// Pixel centres are at half positions.
    pub half_pixel: bool,
}

/// The interpolation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The mean of four neighbours, weighted by distance.
    Bilinear,
    /// The nearest neighbour.
    Nearest,
}

/// Resizes images.
pub struct Resize {
    /// The interpolation.
    pub kind: Kind,
    /// The alignment.
    pub alignment: Alignment,
}

impl Alignment {
    /// Input steps per output step.
    fn scale(self, input: usize, output: usize) -> f32 {
        match self.corners && output > 1 {
            true => (input - 1) as f32 / (output - 1) as f32,
            false => input as f32 / output as f32,
        }
    }

    /// The neighbours of a position of the output.
    pub fn between(self, input: usize, output: usize, position: usize) -> Neighbours {
        let scale = self.scale(input, output);
        let at = match self.half_pixel {
            true => (position as f32 + 0.5) * scale - 0.5,
            false => position as f32 * scale,
        };
        // Casts saturate at 0: before the first centre, both neighbours are the first pixel.
        let low = (at.floor() as usize).min(input - 1);
        let high = (at.ceil() as usize).min(input - 1);
        Neighbours { low, high, distance: at - low as f32 }
    }

    /// As [`between`](Self::between), with 10 binary digits, as the reference op computes for INT8.
    pub fn between_of_bytes(self, input: usize, output: usize, position: usize) -> Neighbours {
        const ONE: i64 = 1 << 10;
        let (mut from, mut to) = (input as i64, output as i64);
        if self.corners && output > 1 {
            (from, to) = (from - 1, to - 1);
        }
        let scale = (ONE * from + to / 2) / to;
        let at = match self.half_pixel {
            true => position as i64 * scale + scale / 2 - ONE / 2,
            false => position as i64 * scale,
        };
        let last = input - 1;
        let low = ((at / ONE).max(0) as usize).min(last);
        let high = (((at + ONE - 1) / ONE).max(0) as usize).min(last);
        Neighbours { low, high, distance: (at - ONE * low as i64) as f32 / ONE as f32 }
    }

    /// The nearest neighbour of a position of the output. For elements of one byte without alignment options, the scale
    /// has 16 binary digits and is rounded up.
    pub fn nearest(self, bytes: usize, input: usize, output: usize, position: usize) -> usize {
        if bytes == 1 && !self.corners && !self.half_pixel {
            let scale = ((input as u64) << 16) / output as u64 + 1;
            return ((position as u64 * scale) >> 16).min(input as u64 - 1) as usize;
        }
        let offset = if self.half_pixel { 0.5 } else { 0.0 };
        let at = (position as f32 + offset) * self.scale(input, output);
        let at = if self.corners { at.round() } else { at };
        (at as usize).min(input - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions() {
        let [corner, corners, half] = [(false, false), (true, false), (false, true)]
            .map(|(corners, half_pixel)| Alignment { corners, half_pixel });
        for (input, output, alignment, want) in [
            (2, 4, corner, &[0, 0, 1, 1][..]),
            (3, 4, corners, &[0, 1, 1, 2]),
            (3, 2, half, &[0, 2]),
            (5, 1, corners, &[0]),
        ] {
            for bytes in [1, 4] {
                let got: Vec<_> = (0..output).map(|at| alignment.nearest(bytes, input, output, at)).collect();
                assert_eq!(got, want, "{input} to {output}, {alignment:?}");
            }
        }
        let distances = |alignment: Alignment| -> Vec<_> {
            let places = (0..4).map(|at| alignment.between(2, 4, at));
            places.map(|b| (b.low, b.high, b.distance)).collect()
        };
        assert_eq!(distances(corner), [(0, 0, 0.0), (0, 1, 0.5), (1, 1, 0.0), (1, 1, 0.5)]);
        assert_eq!(distances(half), [(0, 0, -0.25), (0, 1, 0.25), (0, 1, 0.75), (1, 1, 0.25)]);
    }
}
