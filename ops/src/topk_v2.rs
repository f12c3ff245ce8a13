//! TOPK_V2: the k largest elements of each row in descending order, and their indices; of equal elements the first one
//! comes first. f32, where NaN is smaller than every number; u8, i8, i16, i32, i64. Indices INT32 or INT16.
//! Defined by: tflite/kernels/topk_v2.cc.

use core::cmp::Ordering;

use arenite_abi::prelude::*;

use crate::kit::arguments::{Integers, expect_type};
use crate::kit::blocks::BLOCK;
use crate::kit::indexing::Dims;
use crate::kit::node;
use crate::kit::pace::Pace;

plain! {
    /// A prepared `TOPK_V2` node.
    pub struct TopKV2 {
        /// The shape of both outputs; `None` if k depends on data.
        output: Maybe<Dims>,
    }
}

impl Op for TopKV2 {
    const CODE: OpCode = OpCode::Builtin(op::TOPK_V2);
    const VERSIONS: RangeInclusive<i32> = 1..=3;
    const TYPES: ElementTypes = ElementTypes::of(&[F32, U8, I8, I16, I32, I64]);
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        node.expect(2..=2, 2..=2)?;
        let (x, k, y, indices) = (node.input(0)?, node.input(1)?, node.output(0)?, node.output(1)?);
        node::same_type(&x, &y)?;
        expect_type(&k, &[I32, I16])?;
        expect_type(&indices, &[I32, I16])?;
        ensure!(x.rank() >= 1, "input {x} is a scalar; it needs an axis");
        ensure!(k.len() == 1, "k {k} is {:?}; it must hold one number", k.shape);
        let output = match k.is_constant() {
            true => Some(output_dims(&x, &k, &indices)?),
            false => None,
        };
        for i in 0..2 {
            match &output {
                Some(dims) => cx.set_output_shape(i, dims.as_slice())?,
                None => cx.set_output_dynamic(i)?,
            }
        }
        Ok(TopKV2 { output: output.into() })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let x = cx.input(0)?;
        let (y, indices) = match self.output.get() {
            Some(_) => (cx.output(0)?, cx.output(1)?),
            None => {
                let dims = output_dims(&x, &cx.input(1)?, &cx.node().output(1)?)?;
                (cx.resize_output(0, dims.as_slice())?, cx.resize_output(1, dims.as_slice())?)
            }
        };
        match x.ty {
            F32 => top::<f32>(cx, &x, y, indices),
            U8 => top::<u8>(cx, &x, y, indices),
            I8 => top::<i8>(cx, &x, y, indices),
            I16 => top::<i16>(cx, &x, y, indices),
            I32 => top::<i32>(cx, &x, y, indices),
            _ => top::<i64>(cx, &x, y, indices),
        }
    }
}

/// The input's shape with k as the last size.
fn output_dims(x: &TensorView<'_>, k: &TensorView<'_>, indices: &TensorView<'_>) -> Result<Dims> {
    let (dims, k) = (node::dims(x)?, Integers::scalar(k)?.max(0) as i32);
    let (last, rows) = (x.rank() - 1, dims.product(0, x.rank() - 1));
    let size = x.shape[last];
    ensure!(k <= size, "k is {k}, the last axis of input {x} has {size} elements: {:?}", x.shape);
    ensure!(
        indices.ty == I32 || k == 0 || rows == 0 || size <= i16::MAX.into(),
        "the last axis of input {x} has {size} elements, too many for INT16 indices in {indices}"
    );
    let sizes = x.shape[..last].iter().copied().chain([k]);
    Dims::from_sizes(sizes).ok_or_else(|| invalid!("input {x} is {:?}: too large", x.shape))
}

fn top<T: Element + PartialOrd>(
    cx: &EvalContext<'_>,
    x: &TensorView<'_>,
    y: TensorViewMut<'_>,
    indices: TensorViewMut<'_>,
) -> Result<()> {
    match indices.ty() {
        I16 => top_at::<T, i16>(cx, x, y, indices),
        _ => top_at::<T, i32>(cx, x, y, indices),
    }
}

/// The type of a position in a row.
trait Position: Element {
    fn of(i: usize) -> Self;
    fn get(self) -> usize;
}

impl Position for i16 {
    fn of(i: usize) -> i16 {
        i as i16
    }

    fn get(self) -> usize {
        self as usize
    }
}

impl Position for i32 {
    fn of(i: usize) -> i32 {
        i as i32
    }

    fn get(self) -> usize {
        self as usize
    }
}

fn top_at<T: Element + PartialOrd, P: Position>(
    cx: &EvalContext<'_>,
    x: &TensorView<'_>,
    y: TensorViewMut<'_>,
    indices: TensorViewMut<'_>,
) -> Result<()> {
    let size = x.shape.last().map_or(0, |&size| size.max(0) as usize);
    let k = y.shape().last().map_or(0, |&k| k.max(0) as usize);
    if size == 0 || k == 0 {
        return Ok(());
    }
    let (x, y, indices) = (x.as_slice::<T>()?, y.into_slice::<T>()?, indices.into_slice::<P>()?);
    let mut pace = Pace::new(cx);
    let rows = x.chunks_exact(size).zip(y.chunks_exact_mut(k)).zip(indices.chunks_exact_mut(k));
    for ((row, values), heap) in rows {
        pace.ahead(size.saturating_mul(k.ilog2() as usize + 1))?;
        largest(row, heap);
        values.iter_mut().zip(heap).for_each(|(value, i)| *value = row[i.get()]);
    }
    Ok(())
}

/// Fills `heap` with the positions of the largest elements of `row`. The root of the heap is the last of them in the
/// output's order.
fn largest<T: PartialOrd, P: Position>(row: &[T], heap: &mut [P]) {
    let precedes = |a: P, b: P| precedes(row, a.get(), b.get());
    heap.iter_mut().enumerate().for_each(|(i, at)| *at = P::of(i));
    (0..heap.len() / 2).rev().for_each(|i| sink(heap, i, precedes));
    let is_nan = |x: &T| x.partial_cmp(x).is_none();
    for begin in (heap.len()..row.len()).step_by(BLOCK) {
        let block = &row[begin..row.len().min(begin + BLOCK)];
        // Of equal elements, the earlier one stays.
        let least = &row[heap[0].get()];
        let any = block.iter().fold(false, |any, x| any | (x > least) | (is_nan(least) & !is_nan(x)));
        for i in (begin..begin + block.len()).filter(|_| any) {
            if precedes(P::of(i), heap[0]) {
                heap[0] = P::of(i);
                sink(heap, 0, precedes);
            }
        }
    }
    for end in (1..heap.len()).rev() {
        heap.swap(0, end);
        sink(&mut heap[..end], 0, precedes);
    }
}

/// Whether element `a` comes before element `b`.
fn precedes<T: PartialOrd>(row: &[T], a: usize, b: usize) -> bool {
    let is_nan = |i: usize| row[i].partial_cmp(&row[i]).is_none();
    match row[a].partial_cmp(&row[b]) {
        Some(Ordering::Greater) => true,
        Some(Ordering::Less) => false,
        None if is_nan(a) != is_nan(b) => is_nan(b),
        _ => a < b,
    }
}

/// Moves an element down until no element below it belongs after it.
fn sink<P: Copy>(heap: &mut [P], mut at: usize, precedes: impl Fn(P, P) -> bool) {
    loop {
        let mut child = 2 * at + 1;
        if child >= heap.len() {
            return;
        }
        if child + 1 < heap.len() && precedes(heap[child], heap[child + 1]) {
            child += 1;
        }
        if !precedes(heap[at], heap[child]) {
            return;
        }
        heap.swap(at, child);
        at = child;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    /// The values and the indices; checks that they are the same for a constant and a late k and for both index types.
    fn run(x: Tensor, k: i32) -> Result<(Tensor, Vec<i32>)> {
        let test =
            |indices| OpTest::<TopKV2>::new().input(x.clone()).output(Spec::of(x.ty())).output(indices);
        let known = test(Spec::i32()).constant(Tensor::i32(&[], &[k])).run();
        crate::kit::assert_same(&known, &test(Spec::i32()).input(Tensor::i16(&[1], &[k as i16])).run());
        let short = test(Spec::of(I16)).constant(Tensor::i32(&[1], &[k])).run();
        let mut known = known?;
        let long = known.pop().unwrap();
        assert!(short?[1].as_i16().iter().map(|&i| i32::from(i)).eq(long.as_i32()));
        assert_eq!(known[0].shape(), long.shape());
        Ok((known.remove(0), long.as_i32()))
    }

    #[test]
    fn rows() {
        let x = Tensor::f32(&[2, 4], &[3., 1., 3., 2., -1., -2., -3., -4.]);
        for (k, shape, values, indices) in [
            (2, &[2, 2], &[3., 3., -1., -2.][..], &[0, 2, 0, 1][..]),
            (4, &[2, 4], &[3., 3., 2., 1., -1., -2., -3., -4.], &[0, 2, 3, 1, 0, 1, 2, 3]),
            (1, &[2, 1], &[3., -1.], &[0, 0]),
            (0, &[2, 0], &[], &[]),
            (-3, &[2, 0], &[], &[]),
        ] {
            let (y, at) = run(x.clone(), k).unwrap();
            assert_eq!((y.shape(), y.as_f32(), at), (&shape[..], values.to_vec(), indices.to_vec()));
        }
    }

    #[test]
    fn every_type() {
        assert_eq!(run(Tensor::u8(&[3], &[1, 255, 7]), 2).unwrap().0.as_u8(), [255, 7]);
        assert_eq!(
            run(Tensor::i8(&[3], &[1, -128, 7]).quantized(0.5, 1), 3).unwrap().0.as_i8(),
            [7, 1, -128]
        );
        assert_eq!(run(Tensor::i16(&[3], &[1, -300, 300]), 2).unwrap().0.as_i16(), [300, 1]);
        assert_eq!(run(Tensor::i32(&[3], &[1, i32::MIN, 7]), 1).unwrap().0.as_i32(), [7]);
        assert_eq!(run(Tensor::i64(&[2, 2], &[1, 1 << 40, 1, 1]), 1).unwrap().1, [1, 0]);
    }

    #[test]
    fn nan_comes_last() {
        let x = Tensor::f32(&[5], &[f32::NAN, 1.0, f32::NEG_INFINITY, f32::NAN, 2.0]);
        assert_eq!(run(x, 5).unwrap().1, [4, 1, 2, 0, 3]);
    }

    #[test]
    fn as_sorted() {
        let mut state = 7u32;
        let x: Vec<i32> = (0..200)
            .map(|_| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (state >> 26) as i32
            })
            .collect();
        let mut order: Vec<i32> = (0..200).collect();
        order.sort_by_key(|&i| -x[i as usize]);
        for k in [1, 2, 50, 199, 200] {
            assert_eq!(run(Tensor::i32(&[200], &x), k).unwrap().1, order[..k as usize]);
        }
    }
}
