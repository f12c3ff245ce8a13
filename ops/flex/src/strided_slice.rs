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
                    AxisRange { begin: begin[i], end: end[i], step: strides[i] },
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

/// The elements of an axis that a slice names.
struct AxisRange {
    begin: i64,
    end: i64,
    step: i64,
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
        AxisRange { begin, end, step }: AxisRange,
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
