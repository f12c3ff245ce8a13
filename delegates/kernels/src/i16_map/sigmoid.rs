//! LOGISTIC and TANH of 16 bits for any scale of the input.

/// Points of a curve, each with the slope to the next one.
const POINTS: usize = 256;

/// LOGISTIC or TANH, as lines between points of the half with positive arguments. The argument is `x · multiplier /
/// 2^shift` in steps of 1/12288.
#[derive(Clone, Debug)]
pub struct Curve {
    multiplier: i32,
    shift: u32,
    /// The bits of an argument between two points.
    bits: u32,
    /// The value at each point and the slope after it.
    points: [[i32; 2]; POINTS],
    /// The result is `ends[0] + value` from zero on, and `ends[1] − value` below.
    ends: [i32; 2],
    /// The bits of values that results do not have.
    right: u32,
}

impl Curve {
    /// LOGISTIC, for an input of this scale.
    pub fn logistic(scale: f32) -> Curve {
        Curve::new(scale, 9, 0x7fff << 10, [1 << 9, (1 << 25) + (1 << 9) - 1], 10)
    }

    /// TANH, for an input of this scale.
    pub fn tanh(scale: f32) -> Curve {
        Curve::new(scale, 8, 0xffff << 8, [128 - (1 << 23), (1 << 23) + 128 - 1], 8)
    }

    /// `last` is the value beyond the last point but one.
    fn new(scale: f32, bits: u32, last: i32, ends: [i32; 2], right: u32) -> Curve {
        let (mut real, mut shift) = (f64::from(scale) * 4096.0 * 3.0, 0);
        while real <= f64::from(i16::MAX) / 2.0 && shift <= 30 {
            shift += 1;
            real *= 2.0;
        }
        let (multiplier, shift) = match real as i32 {
            0 => (3i32.wrapping_shl(shift), 0),
            multiplier => (multiplier, shift),
        };
        let points = std::array::from_fn(|i| match SIGMOID.get(i + 1) {
            Some(&next) => [i32::from(SIGMOID[i]) << bits, i32::from(next - SIGMOID[i])],
            None => [last, 0],
        });
        Curve { multiplier, shift, bits, points, ends, right }
    }

    /// The function of a number.
    #[inline(always)]
    pub(super) fn of(&self, x: i16) -> i16 {
        let round = ((1i64 << self.shift) >> 1) as i32;
        let x = i32::from(x).wrapping_mul(self.multiplier).wrapping_add(round) >> self.shift;
        let magnitude = x.unsigned_abs();
        let [value, slope] = self.points[(magnitude >> self.bits).min(POINTS as u32 - 1) as usize];
        let value = value + (magnitude & ((1 << self.bits) - 1)) as i32 * slope;
        let [up, down] = self.ends;
        let result = if x >= 0 { value + up } else { down - value };
        (result >> self.right) as i16
    }
}

/// Entry `i` is close to `logistic(i / 24)` in Q0.16. These are TensorFlow Lite's numbers, which no rounding of the
/// formula reproduces exactly. They never decrease.
#[rustfmt::skip]
const SIGMOID: [u16; POINTS] = [
    32768, 33451, 34133, 34813, 35493, 36169, 36843, 37513, 38180, 38841, 39498, 40149, 40794, 41432, 42064, 42688,
    43304, 43912, 44511, 45102, 45683, 46255, 46817, 47369, 47911, 48443, 48964, 49475, 49975, 50464, 50942, 51409,
    51865, 52311, 52745, 53169, 53581, 53983, 54374, 54755, 55125, 55485, 55834, 56174, 56503, 56823, 57133, 57433,
    57724, 58007, 58280, 58544, 58800, 59048, 59288, 59519, 59743, 59959, 60168, 60370, 60565, 60753, 60935, 61110,
    61279, 61441, 61599, 61750, 61896, 62036, 62172, 62302, 62428, 62549, 62666, 62778, 62886, 62990, 63090, 63186,
    63279, 63368, 63454, 63536, 63615, 63691, 63765, 63835, 63903, 63968, 64030, 64090, 64148, 64204, 64257, 64308,
    64357, 64405, 64450, 64494, 64536, 64576, 64614, 64652, 64687, 64721, 64754, 64786, 64816, 64845, 64873, 64900,
    64926, 64950, 64974, 64997, 65019, 65039, 65060, 65079, 65097, 65115, 65132, 65149, 65164, 65179, 65194, 65208,
    65221, 65234, 65246, 65258, 65269, 65280, 65291, 65301, 65310, 65319, 65328, 65337, 65345, 65352, 65360, 65367,
    65374, 65381, 65387, 65393, 65399, 65404, 65410, 65415, 65420, 65425, 65429, 65433, 65438, 65442, 65445, 65449,
    65453, 65456, 65459, 65462, 65465, 65468, 65471, 65474, 65476, 65479, 65481, 65483, 65485, 65488, 65489, 65491,
    65493, 65495, 65497, 65498, 65500, 65501, 65503, 65504, 65505, 65507, 65508, 65509, 65510, 65511, 65512, 65513,
    65514, 65515, 65516, 65517, 65517, 65518, 65519, 65520, 65520, 65521, 65522, 65522, 65523, 65523, 65524, 65524,
    65525, 65525, 65526, 65526, 65526, 65527, 65527, 65528, 65528, 65528, 65529, 65529, 65529, 65529, 65530, 65530,
    65530, 65530, 65531, 65531, 65531, 65531, 65531, 65532, 65532, 65532, 65532, 65532, 65532, 65533, 65533, 65533,
    65533, 65533, 65533, 65533, 65533, 65534, 65534, 65534, 65534, 65534, 65534, 65534, 65534, 65534, 65534, 65535,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        assert!(SIGMOID.windows(2).all(|pair| pair[0] <= pair[1]));
        for (i, &entry) in SIGMOID.iter().enumerate() {
            let exact = 65536.0 / (1.0 + (-(i as f64) / 24.0).exp());
            assert!((f64::from(entry) - exact).abs() < 1.2, "{i}: {entry}, {exact}");
        }
        assert_eq!(SIGMOID.iter().map(|&entry| u32::from(entry)).sum::<u32>(), 15_670_629);
    }
}
