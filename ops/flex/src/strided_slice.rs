//! StridedSlice: the elements from `begin` to `end` with the given strides, modified by masks. Any type. Inputs:
//! tensor, begin, end, strides.
//! Defined by: tensorflow/core/kernels/strided_slice_op.cc.

use arenite_abi::prelude::*;
use arenite_ops::kit::indexing::Dims;

use crate::kit::elements::{pick, ravel, unravel};
use crate::kit::kernel::{Call, Inputs, Kernel, Node, shape_of};
use crate::kit::node_def::NodeDef;

/// The `FlexStridedSlice` op.
pub type StridedSlice = Node<Definition>;

/// Attributes, shape function and kernel of `FlexStridedSlice`.
pub struct Definition {
    begin: i64,
    end: i64,
    ellipsis: i64,
    new_axis: i64,
    shrink: i64,
}

impl Kernel for Definition {
    const NAME: &'static str = "FlexStridedSlice";

    fn new(node: &NodeView<'_>, def: &NodeDef<'_>) -> Result<Self> {
        node.expect(4..=4, 1..=1)?;
        Ok(Definition {
            begin: def.int("begin_mask", 0)?,
            end: def.int("end_mask", 0)?,
            ellipsis: def.int("ellipsis_mask", 0)?,
            new_axis: def.int("new_axis_mask", 0)?,
            shrink: def.int("shrink_axis_mask", 0)?,
        })
    }

    fn shape(&self, x: &Inputs<'_, '_>, _: usize) -> Result<Option<Dims>> {
        let Some(plan) = self.plan(x)? else { return Ok(None) };
        shape_of(plan.output.iter().copied()).map(Some)
    }

    fn eval(&self, call: &Call<'_, '_>) -> Result<()> {
        let Some(plan) = self.plan(&call.inputs())? else { return Err(invalid!("no slice")) };
        let (dims, slice) = (call.dims(0)?, shape_of(plan.axes.iter().map(|a| a.2))?);
        pick(call, 0, &[call.input(0)?], |k| {
            let mut at = unravel(k, &slice);
            for (at, &(first, step, _)) in at.iter_mut().zip(&plan.axes) {
                *at = (first + *at as i64 * step) as usize;
            }
            Some((0, ravel(&at, &dims)))
        })
    }
}

struct Plan {
    /// For each axis of the input: the first element, the step and the count.
    axes: Vec<(i64, i64, i64)>,
    output: Vec<i64>,
}

impl Definition {
    fn plan(&self, x: &Inputs<'_, '_>) -> Result<Option<Plan>> {
        let dims = x.dims(0)?;
        let (Some(begin), Some(end), Some(strides)) = (x.list(1)?, x.list(2)?, x.list(3)?) else {
            return Ok(None);
        };
        let count = begin.len();
        ensure!(
            count <= 32 && end.len() == count && strides.len() == count,
            "begin has {count} numbers, end {}, strides {}; they must agree, and be at most 32",
            end.len(),
            strides.len()
        );
        let has = |mask: i64, i: usize| mask >> i & 1 != 0;
        let named = (0..count).filter(|&i| !has(self.new_axis, i) && !has(self.ellipsis, i)).count();
        let spare = dims.rank().checked_sub(named);
        let spare = spare
            .ok_or_else(|| invalid!("{named} axes are sliced, but the input is {:?}", dims.as_slice()))?;
        let mut plan = Plan { axes: Vec::new(), output: Vec::new() };
        let mut ellipsis = false;
        for i in 0..count {
            if has(self.ellipsis, i) {
                ensure!(!ellipsis, "two ellipses; at most one is supported");
                ellipsis = true;
                plan.all(&dims, spare);
            } else if has(self.new_axis, i) {
                plan.output.push(1);
            } else {
                plan.slice(
                    &dims,
                    (begin[i], end[i], strides[i]),
                    [self.begin, self.end, self.shrink].map(|m| has(m, i)),
                )?;
            }
        }
        if !ellipsis {
            plan.all(&dims, spare);
        }
        Ok(Some(plan))
    }
}

impl Plan {
    fn all(&mut self, dims: &Dims, count: usize) {
        for _ in 0..count {
            let size = dims.size(self.axes.len()) as i64;
            self.axes.push((0, 1, size));
            self.output.push(size);
        }
    }

    fn slice(
        &mut self,
        dims: &Dims,
        (begin, end, step): (i64, i64, i64),
        [first, last, shrink]: [bool; 3],
    ) -> Result<()> {
        let axis = self.axes.len();
        let size = dims.size(axis) as i64;
        ensure!(step != 0, "the stride of axis {axis} is 0");
        let from_end = |i: i64| if i < 0 { i.saturating_add(size) } else { i };
        if shrink {
            let at = from_end(begin);
            ensure!(
                step > 0,
                "axis {axis} is reduced to one element with the stride {step}; it must be positive"
            );
            let inside = (0..size).contains(&at);
            ensure!(inside, "element {begin} is outside axis {axis} of {:?}", dims.as_slice());
            self.axes.push((at, 1, 1));
            return Ok(());
        }
        let (low, high) = if step > 0 { (0, size) } else { (-1, size - 1) };
        let begin =
            if first { if step > 0 { 0 } else { size - 1 } } else { from_end(begin).clamp(low, high) };
        let end = if last { if step > 0 { size } else { -1 } } else { from_end(end).clamp(low, high) };
        let span = if step > 0 { end - begin } else { begin - end };
        let count = if span <= 0 { 0 } else { ((span - 1) as u64 / step.unsigned_abs() + 1) as i64 };
        self.axes.push((begin.clamp(0, (size - 1).max(0)), step, count));
        self.output.push(count);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::kit::testing::tables::*;

    const X: [i32; 12] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11];

    fn sliced(masks: &[(&str, i64)], begin: &[i32], end: &[i32], strides: &[i32], want: &Tensor) {
        let masks: Vec<_> = masks.iter().map(|&(name, mask)| (name, Int(mask))).collect();
        let inputs = [Tensor::i32(&[3, 4], &X), ints(begin), ints(end), ints(strides)];
        gives::<super::StridedSlice>(&masks, &inputs, from_ref(want));
    }

    #[test]
    fn values() {
        each_type(|x| {
            let inputs = [x(&[2, 3], &[1, 2, 3, 4, 5, 6]), ints(&[0, 2]), ints(&[2, 0]), ints(&[1, -1])];
            gives::<super::StridedSlice>(&[], &inputs, &[x(&[2, 2], &[3, 2, 6, 5])]);
        });
        // Rows 1 and 2; indices may exceed the end, or count from it.
        let rows = Tensor::i32(&[2, 4], &X[4..]);
        sliced(&[], &[1], &[99], &[1], &rows);
        sliced(&[], &[-2], &[3], &[1], &rows);
        sliced(&[("end_mask", 1)], &[1], &[0], &[1], &rows);
        let reversed = Tensor::i32(&[2, 4], &[8, 9, 10, 11, 0, 1, 2, 3]);
        sliced(&[("begin_mask", 1), ("end_mask", 1)], &[0], &[0], &[-2], &reversed);
        sliced(&[], &[2], &[1], &[1], &Tensor::i32(&[0, 4], &[]));
        // A single row; `begin_mask` is ignored there.
        sliced(&[("shrink_axis_mask", 1)], &[-1], &[0], &[1], &ints(&X[8..]));
        sliced(&[("shrink_axis_mask", 1), ("begin_mask", 1)], &[2], &[0], &[1], &ints(&X[8..]));
        // `x[..., newaxis, 1:3]`
        let masks = [("ellipsis_mask", 1), ("new_axis_mask", 2)];
        let want = Tensor::i32(&[3, 1, 2], &[1, 2, 5, 6, 9, 10]);
        sliced(&masks, &[0, 0, 1], &[0, 0, 3], &[1, 1, 1], &want);
        // A new axis wins over a removed one, and an ellipsis over both.
        let masks = [("new_axis_mask", 1), ("shrink_axis_mask", 1)];
        sliced(&masks, &[0], &[1], &[1], &Tensor::i32(&[1, 3, 4], &X));
        sliced(&[("new_axis_mask", 1), ("ellipsis_mask", 1)], &[0], &[1], &[1], &Tensor::i32(&[3, 4], &X));
        sliced(&[], &[2], &[i32::MIN], &[-1], &Tensor::i32(&[3, 4], &[8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3]));
        sliced(&[], &[0], &[3], &[i32::MAX], &Tensor::i32(&[1, 4], &X[..4]));
        gives::<super::StridedSlice>(&[], &[int(5), ints(&[]), ints(&[]), ints(&[])], &[int(5)]);
        let new = [("new_axis_mask", Int(1))];
        gives::<super::StridedSlice>(&new, &[int(5), ints(&[0]), ints(&[0]), ints(&[1])], &[ints(&[5])]);
    }

    #[test]
    fn refusals() {
        let refused = |masks: &[(&str, Attribute<'_>)], [begin, end, strides]: [&[i32]; 3], message: &str| {
            let inputs = [Tensor::i32(&[3, 4], &X), ints(begin), ints(end), ints(strides)];
            refuses::<super::StridedSlice>(masks, &inputs, &[I32], message);
        };
        let shrink = [("shrink_axis_mask", Int(1))];
        refused(&[], [&[0], &[1], &[0]], "the stride of axis 0 is 0");
        refused(&shrink, [&[3], &[4], &[1]], "element 3 is outside axis 0 of [3, 4]");
        refused(&shrink, [&[-4], &[0], &[1]], "element -4 is outside axis 0 of [3, 4]");
        let message = "axis 0 is reduced to one element with the stride -1; it must be positive";
        refused(&shrink, [&[1], &[0], &[-1]], message);
        refused(&[], [&[0, 0, 0], &[1, 1, 1], &[1, 1, 1]], "3 axes are sliced, but the input is [3, 4]");
        let message = "begin has 1 numbers, end 2, strides 1; they must agree, and be at most 32";
        refused(&[], [&[0], &[1, 2], &[1]], message);
        let message = "two ellipses; at most one is supported";
        refused(&[("ellipsis_mask", Int(3))], [&[0, 0], &[0, 0], &[1, 1]], message);
        let inputs = [ints(&[1]), int(0), int(1), int(1)];
        refuses::<super::StridedSlice>(&[], &inputs, &[I32], "'in1' is []; a list is needed");
    }
}
