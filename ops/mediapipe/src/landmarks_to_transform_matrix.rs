//! Landmarks2TransformMatrix: the matrix `[1, 4, 4]` that maps the pixels of a region to the box around some landmarks
//! `[1, n, 3]`, which is turned so that the line between two of them has a given angle. f32.
//!
//! ```text
//! r = angle − atan2(right − left)
//! box of R(r) × landmarks: size and center c          R(r) = rotation by r
//! matrix = shift(R(−r) c) × R(−r) × scale(factors × size / region) × shift(−region / 2)
//! ```
//! Defined by: mediapipe/util/tflite/operations/landmarks_to_transform_matrix.cc (version 2).

use arenite_abi::prelude::*;
use arenite_ops::kit::custom_options::CustomOptions;
use arenite_ops::kit::float;

/// A prepared `Landmarks2TransformMatrix` node.
pub struct LandmarksToTransformMatrix {
    left: usize,
    right: usize,
    angle: f32,
    /// Height and width of the region.
    region: [f32; 2],
    /// Factors along x and y.
    factors: [f32; 2],
    subset: Table<u32>,
}

impl Op for LandmarksToTransformMatrix {
    const CODE: OpCode = OpCode::Custom("Landmarks2TransformMatrix");
    const VERSIONS: RangeInclusive<i32> = 2..=2;
    const TYPES: ElementTypes = ElementTypes::of(&[F32]);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let (x, _) = node.unary()?;
        let &[1, count, 3] = x.shape else {
            return Err(invalid!("the landmarks {x} are {:?}; [1, n, 3] is needed", x.shape));
        };
        let options = CustomOptions::of(node);
        let landmark = |name: &str, i: i32| {
            let found = usize::try_from(i).ok().filter(|&i| i < count as usize);
            found.ok_or_else(|| invalid!("option '{name}' names landmark {i}; there are {count}"))
        };
        let positive = |name: &str, value: f32| {
            ensure!(value > 0.0, "option '{name}' is {value}; it must be positive");
            Ok(value)
        };
        let size = |name: &str| positive(name, options.i32(name)? as f32);
        let factor = |name: &str| positive(name, options.f32(name)?);
        let list = options.list("subset_idxs")?;
        ensure!(!list.is_empty(), "option 'subset_idxs' is empty; the box needs a landmark");
        let subset =
            cx.try_table(list.len(), |i| landmark("subset_idxs", list.get(i)?.as_i32()?).map(|i| i as u32))?;
        cx.set_output_shape(0, &[1, 4, 4])?;
        Ok(LandmarksToTransformMatrix {
            left: landmark("left_rotation_idx", options.i32("left_rotation_idx")?)?,
            right: landmark("right_rotation_idx", options.i32("right_rotation_idx")?)?,
            angle: options.f32("target_rotation_radians")?,
            region: [size("output_height")?, size("output_width")?],
            factors: [factor("scale_x")?, factor("scale_y")?],
            subset,
        })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let (landmarks, _) = cx.input(0)?.as_slice::<f32>()?.as_chunks::<3>();
        let [left, right] = [self.left, self.right].map(|i| landmarks[i]);
        let turn = self.angle - atan2(right[1] - left[1], right[0] - left[0]);
        let (cos, sin) = (float::cos(turn), float::sin(turn));
        let (mut low, mut high) = ([f32::INFINITY; 2], [f32::NEG_INFINITY; 2]);
        for &i in cx.table(&self.subset)? {
            let [x, y, _] = landmarks[i as usize];
            let turned = [cos * x + -sin * y, sin * x + cos * y];
            low = [low[0].min(turned[0]), low[1].min(turned[1])];
            high = [high[0].max(turned[0]), high[1].max(turned[1])];
        }
        let [x, y] = [0, 1].map(|i| (low[i] + high[i]) / 2.0);
        let [height, width] = self.region;
        let scale =
            [self.factors[0] * (high[0] - low[0]) / width, self.factors[1] * (high[1] - low[1]) / height];
        // The rotation by −turn has the same cosine and the opposite sine.
        let center = [cos * x + sin * y, -sin * x + cos * y];
        let linear = [[cos * scale[0], sin * scale[1]], [-sin * scale[0], cos * scale[1]]];
        let y = cx.output(0)?.into_slice::<f32>()?;
        y.fill(0.0);
        for (i, row) in linear.into_iter().enumerate() {
            let shift = row[0] * -(width / 2.0) + row[1] * -(height / 2.0) + center[i];
            y[4 * i..][..4].copy_from_slice(&[row[0], row[1], 0.0, shift]);
        }
        y[10] = 1.0;
        y[15] = 1.0;
        Ok(())
    }
}

fn atan2(y: f32, x: f32) -> f32 {
    libm::atan2(y.into(), x.into()) as f32
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::testing::{FlexBuilder, OpTest, Spec, Tensor};

    fn options(subset: &[i64]) -> FlexBuilder {
        let indices = FlexBuilder::default().int("left_rotation_idx", 0).int("right_rotation_idx", 1);
        let region = indices.int("output_height", 4).int("output_width", 8).ints("subset_idxs", subset);
        region.float("scale_x", 2.0).float("scale_y", 1.0).float("target_rotation_radians", 0.0)
    }

    fn run(x: Tensor, options: FlexBuilder) -> Result<Tensor> {
        let test = OpTest::<LandmarksToTransformMatrix>::new().version(2).custom_options(&options.finish());
        test.input(x).output(Spec::f32()).run().map(|mut y| y.remove(0))
    }

    #[test]
    fn boxes() {
        // A box of 4 × 2 around (3, 6), without a turn: 8 columns of 2 × 4 / 8, 4 rows of 2 / 4.
        let x = Tensor::f32(&[1, 3, 3], &[1., 5., 9., 5., 5., 9., 3., 7., 9.]);
        let y = run(x, options(&[0, 1, 2])).unwrap();
        assert_eq!(y.shape(), [1, 4, 4]);
        assert_eq!(y.as_f32(), [1., 0., 0., -1., 0., 0.5, 0., 5., 0., 0., 1., 0., 0., 0., 0., 1.]);
        // The right landmark is below the left one: a quarter turn, so the columns of the region run down.
        let x = Tensor::f32(&[1, 3, 3], &[5., 1., 9., 5., 5., 9., 3., 3., 9.]);
        let y = run(x, options(&[0, 1, 2])).unwrap().as_f32();
        let near = |a: f32, b: f32| (a - b).abs() < 1e-5;
        for (got, want) in y.iter().zip([0., -0.5, 0., 5., 1., 0., 0., -1.]) {
            assert!(near(*got, want), "{y:?}");
        }
    }

    #[test]
    fn refusals() {
        let x = || Tensor::f32(&[1, 2, 3], &[0.; 6]);
        let message = |options| run(x(), options).unwrap_err().message().to_owned();
        assert_eq!(message(options(&[0, 2])), "option 'subset_idxs' names landmark 2; there are 2");
        assert_eq!(message(options(&[])), "option 'subset_idxs' is empty; the box needs a landmark");
        assert_eq!(
            message(options(&[0]).without("left_rotation_idx").int("left_rotation_idx", -1)),
            "option 'left_rotation_idx' names landmark -1; there are 2"
        );
        assert_eq!(
            message(options(&[0]).without("scale_x").float("scale_x", 0.0)),
            "option 'scale_x' is 0; it must be positive"
        );
    }
}
