//! UNIQUE: the distinct elements of a list in the order of their first occurrence, and the index of each element among
//! them. f32, i8, u8, i16, i32, i64.
//! Defined by: tflite/kernels/unique.cc, whose ordered map finds a NaN at its first key: the smallest element so far.

use core::cmp::Ordering;

use arenite_abi::prelude::*;
use arenite_abi::schema::UniqueOptions;

use crate::kit::arguments::expect_vector;
use crate::kit::node;

/// A prepared `UNIQUE` node.
pub struct Unique {
    /// The positions, in the order of the elements.
    order: Scratch<i32>,
}

impl Op for Unique {
    const CODE: OpCode = OpCode::Builtin(op::UNIQUE);
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const TYPES: ElementTypes = ElementTypes::of(&[F32, I8, U8, I16, I32, I64]);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        node.expect(1..=1, 2..=2)?;
        let (x, y, indices) = (node.input(0)?, node.output(0)?, node.output(1)?);
        node::same_type(&x, &y)?;
        let asked = node.options()?.get(UniqueOptions::IDX_OUT_TYPE)?;
        let index_type = if i64::from(asked) == i64::from(I64 as u32) { I64 } else { I32 };
        ensure!(
            indices.ty == index_type,
            "its options ask for {index_type} indices, output {indices} is {}; they must agree",
            indices.ty
        );
        let count = expect_vector(&x)?;
        cx.set_output_dynamic(0)?;
        cx.set_output_shape(1, x.shape)?;
        Ok(Unique { order: cx.scratch(count)? })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        match cx.input(0)?.ty {
            F32 => self.find::<f32>(cx),
            I8 => self.find::<i8>(cx),
            U8 => self.find::<u8>(cx),
            I16 => self.find::<i16>(cx),
            I32 => self.find::<i32>(cx),
            _ => self.find::<i64>(cx),
        }
    }
}

impl Unique {
    fn find<T: Element + PartialOrd>(&self, cx: &EvalContext<'_>) -> Result<()> {
        let x = cx.input_slice::<T>(0)?;
        let order = cx.scratch(&self.order)?;
        for (i, at) in order.iter_mut().enumerate() {
            *at = i as i32;
        }
        order.sort_unstable_by(|&a, &b| compare(x[a as usize], x[b as usize]).then(a.cmp(&b)));
        let indices = cx.output(1)?;
        match indices.ty() {
            I32 => number(cx, x, order, indices.into_slice::<i32>()?),
            _ => number(cx, x, order, indices.into_slice::<i64>()?),
        }
    }
}

/// Numbers in ascending order, then NaN.
fn compare<T: PartialOrd>(a: T, b: T) -> Ordering {
    a.partial_cmp(&b).unwrap_or_else(|| is_nan(a).cmp(&is_nan(b)))
}

fn is_nan<T: PartialOrd>(x: T) -> bool {
    x.partial_cmp(&x).is_none()
}

/// The type of an element's index.
trait Index: Element {
    fn of(i: usize) -> Self;
    fn get(self) -> usize;
}

impl Index for i32 {
    fn of(i: usize) -> i32 {
        i as i32
    }

    fn get(self) -> usize {
        self as usize
    }
}

impl Index for i64 {
    fn of(i: usize) -> i64 {
        i as i64
    }

    fn get(self) -> usize {
        self as usize
    }
}

/// Writes the outputs, given the order of the elements.
fn number<T: Element + PartialOrd, I: Index>(
    cx: &EvalContext<'_>,
    x: &[T],
    order: &[i32],
    indices: &mut [I],
) -> Result<()> {
    // First determines, for each element, the position of the first element that equals it.
    let mut first = 0;
    for (k, &at) in order.iter().enumerate() {
        let at = at as usize;
        if k == 0 || compare(x[first], x[at]) != Ordering::Equal {
            first = at;
        }
        indices[at] = I::of(first);
    }
    let begins_with_nan = x.first().is_some_and(|&x| is_nan(x));
    let (mut count, mut smallest) = (0, 0);
    for i in 0..x.len() {
        let first = match indices[i].get() {
            _ if begins_with_nan => 0,
            _ if is_nan(x[i]) => smallest,
            first => first,
        };
        if first == i {
            indices[i] = I::of(count);
            count += 1;
        } else {
            indices[i] = indices[first];
        }
        if x[i] < x[smallest] {
            smallest = i;
        }
    }
    let y = cx.resize_output(0, &[count as i32])?.into_slice::<T>()?;
    let mut next = 0;
    for (&x, index) in x.iter().zip(indices) {
        if index.get() == next {
            y[next] = x;
            next += 1;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    /// The elements and the indices; checks that they are the same for both index types.
    fn run(x: Tensor) -> (Tensor, Vec<i32>) {
        let test = OpTest::<Unique>::new().output(Spec::of(x.ty())).input(x);
        let mut y = test.clone().output(Spec::i32()).run().unwrap();
        let long = test
            .options(|o| o.set(UniqueOptions::IDX_OUT_TYPE, I64 as i8))
            .output(Spec::i64())
            .run()
            .unwrap();
        assert_eq!(y[0], long[0]);
        let indices = y[1].as_i32();
        assert!(indices.iter().map(|&i| i64::from(i)).eq(long[1].as_i64()));
        (y.remove(0), indices)
    }

    #[test]
    fn every_type() {
        let (y, indices) = run(Tensor::i32(&[6], &[5, -1, 5, 7, -1, i32::MIN]));
        assert_eq!(
            (y.shape(), y.as_i32(), indices),
            (&[4][..], vec![5, -1, 7, i32::MIN], vec![0, 1, 0, 2, 1, 3])
        );
        assert_eq!(run(Tensor::i8(&[3], &[5, -1, 5]).quantized(0.5, 3)).1, [0, 1, 0]);
        assert_eq!(run(Tensor::u8(&[3], &[5, 255, 5])).0.as_u8(), [5, 255]);
        assert_eq!(run(Tensor::i16(&[2], &[300, 300])).0.as_i16(), [300]);
        assert_eq!(run(Tensor::i64(&[2], &[1 << 40, 0])).0.as_i64(), [1 << 40, 0]);
        let (y, indices) = run(Tensor::f32(&[4], &[0.0, -0.0, 1.5, 0.0]));
        assert_eq!((y.as_f32(), indices), (vec![0.0, 1.5], vec![0, 0, 1, 0]));
        let (y, indices) = run(Tensor::f32(&[0], &[]));
        assert_eq!((y.shape(), indices), (&[0][..], vec![]));
    }

    #[test]
    fn nan_is_the_smallest_so_far() {
        let nan = f32::NAN;
        let (y, indices) = run(Tensor::f32(&[7], &[2.0, nan, 1.0, nan, 3.0, 1.0, nan]));
        assert_eq!((y.as_f32(), indices), (vec![2.0, 1.0, 3.0], vec![0, 0, 1, 1, 2, 1, 1]));
        // After a leading NaN, all elements are found in the map.
        let (y, indices) = run(Tensor::f32(&[3], &[nan, 1.0, 2.0]));
        assert!(y.as_f32()[0].is_nan() && y.shape() == [1] && indices == [0; 3]);
    }
}
