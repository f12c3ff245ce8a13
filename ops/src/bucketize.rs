//! BUCKETIZE: for each element, the number of boundaries that are not above it. Boundaries must ascend. f32, f64, i32,
//! i64 to i32.
//! Defined by: tflite/kernels/bucketize.cc.

use arenite_abi::prelude::*;
use arenite_abi::schema::BucketizeOptions;

use crate::kit::unary;

plain! {
    /// A prepared `BUCKETIZE` node.
    pub struct Bucketize {
        boundaries: Table<f32>,
    }
}

impl Op for Bucketize {
    const CODE: OpCode = OpCode::Builtin(op::BUCKETIZE);
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const TYPES: ElementTypes = ElementTypes::of(&[F32, F64, I32, I64]);
    const OUTPUT_TYPE: OutputType = OutputType::Fixed(I32);
    const SHARING: Sharing = Sharing::InPlace;
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let (_, y) = unary::prepare_types(node, cx)?;
        ensure!(y.ty == I32, "output {y} is {}; it must be INT32", y.ty);
        let boundaries = node.options()?.get(BucketizeOptions::BOUNDARIES)?;
        let mut pairs = boundaries.iter().zip(boundaries.iter().skip(1));
        if let Some((a, b)) = pairs.find(|(a, b)| b < a) {
            return Err(invalid!("its boundaries must ascend; {b} follows {a}"));
        }
        let mut values = boundaries.iter();
        Ok(Bucketize { boundaries: cx.table(boundaries.len(), |_| values.next().unwrap_or(0.0))? })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let boundaries = cx.table(&self.boundaries)?;
        match cx.node().input(0)?.ty {
            F32 => unary::map(cx, |x: f32| find_bucket(boundaries, |boundary| x < boundary)),
            F64 => unary::map(cx, |x: f64| find_bucket(boundaries, |boundary| x < boundary.into())),
            I32 => unary::map(cx, |x: i32| find_bucket(boundaries, |boundary| (x as f32) < boundary)),
            _ => unary::map(cx, |x: i64| find_bucket(boundaries, |boundary| (x as f32) < boundary)),
        }
    }
}

/// The index of the first boundary above the element. The bisection follows C++'s `upper_bound`, since the path of the
/// search affects the result if a boundary is NaN.
fn find_bucket(boundaries: &[f32], is_below: impl Fn(f32) -> bool) -> i32 {
    let (mut first, mut length) = (0, boundaries.len());
    while length > 0 {
        let half = length / 2;
        if is_below(boundaries[first + half]) {
            length = half;
        } else {
            first += half + 1;
            length -= half + 1;
        }
    }
    first as i32
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn run(x: Tensor, boundaries: &[f32]) -> Result<Vec<i32>> {
        let test = OpTest::<Bucketize>::new().input(x).output(Spec::i32());
        test.options(|o| o.set(BucketizeOptions::BOUNDARIES, boundaries)).run().map(|y| y[0].as_i32())
    }

    #[test]
    fn every_type() {
        let boundaries = [0.0, 10.0, 100.0];
        let x = Tensor::f32(&[2, 3], &[-5.0, 0.0, 9.9, 10.0, 1e9, f32::NAN]);
        assert_eq!(run(x, &boundaries).unwrap(), [0, 1, 1, 2, 3, 3]);
        assert_eq!(run(Tensor::of(&[2], &[-0.5f64, 99.999_999_999]), &boundaries).unwrap(), [0, 2]);
        assert_eq!(run(Tensor::i32(&[3], &[-1, 10, 100]), &boundaries).unwrap(), [0, 2, 3]);
        assert_eq!(run(Tensor::i64(&[2], &[1 << 40, i64::MIN]), &boundaries).unwrap(), [3, 0]);
        // As floats, 2^24 + 1 and 2^24 are equal.
        assert_eq!(run(Tensor::i32(&[1], &[16_777_217]), &[16_777_216.0, 16_777_218.0]).unwrap(), [1]);
        assert_eq!(run(Tensor::f32(&[2], &[1.0, 2.0]), &[]).unwrap(), [0, 0]);
        assert_eq!(run(Tensor::f32(&[], &[1.0]), &[1.0, 1.0]).unwrap(), [2]);
    }

    #[test]
    fn works_in_place() {
        let test = OpTest::<Bucketize>::new().input(Tensor::i32(&[2], &[1, 3])).output(Spec::i32());
        let y = test.options(|o| o.set(BucketizeOptions::BOUNDARIES, &[2.0])).in_place().run().unwrap();
        assert_eq!(y[0].as_i32(), [0, 1]);
    }
}
