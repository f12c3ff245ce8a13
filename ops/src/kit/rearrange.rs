//! Ops whose output is elements of one input in another order: slices, transpositions, reversals, repetitions.
//!
//! An op computes a [`Rearrangement`] from its arguments, in `prepare` if they are constant, otherwise in `eval`.
//! [`Prepared`] does the rest, for elements of any size and for strings.

use arenite_abi::prelude::*;
use arenite_abi::tensor::cells_of;

use super::indexing::{Dims, MAX_RANK, Nest};
use super::moves::Width;
use super::pace::Pace;
use super::strings::{self, Strings};

/// How the output of an op with [`Prepared::declare`] may lie.
pub const SHARING: Sharing = Sharing::AnyOf(&[Sharing::View, Sharing::PartOfInput, Sharing::Behind]);
/// How the outputs of an op with [`Prepared::declare_part`] may lie.
pub const SHARING_OF_PARTS: Sharing = Sharing::AnyOf(&[Sharing::View, Sharing::PartOfInput]);

/// `output[k] = input[nest[k]]`, `k` counting row-major.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rearrangement {
    output: Dims,
    nest: Nest<1>,
}

impl Rearrangement {
    /// The loops of `nest` fill a tensor of shape `output`.
    pub fn new(output: Dims, nest: Nest<1>) -> Result<Rearrangement> {
        let (count, size) = (nest.len(), output.flat_size());
        ensure!(count == size, "{count} elements for an output of {size}");
        Ok(Rearrangement { output, nest })
    }

    /// `sizes[axis]` elements along each axis, from `begins[axis]` on, one every `steps[axis]` elements. The output has
    /// the shape `output`, whose axes of size 1 may be more or fewer.
    ///
    /// The caller has checked that the slice lies in the input; the data are not read out of bounds in any case.
    pub fn slice(
        input: &Dims,
        begins: &[i64; MAX_RANK],
        steps: &[i64; MAX_RANK],
        sizes: &Dims,
        output: Dims,
    ) -> Result<Rearrangement> {
        let strides = input.strides();
        let mut start = 0isize;
        let mut element_steps = [0isize; MAX_RANK];
        for axis in 0..input.rank() {
            start = start.wrapping_add((begins[axis] as isize).wrapping_mul(strides[axis]));
            element_steps[axis] = (steps[axis] as isize).wrapping_mul(strides[axis]);
        }
        Rearrangement::new(output, Nest::new(sizes, [element_steps]).starting_at([start]))
    }

    /// Elements `begin..begin + size` along one axis, in the shape `output`.
    pub fn part(input: &Dims, axis: usize, begin: usize, size: i32, output: Dims) -> Result<Rearrangement> {
        let mut begins = [0; MAX_RANK];
        if let Some(at) = begins.get_mut(axis) {
            *at = begin as i64;
        }
        let sizes = with_size(input, axis, size)?;
        Rearrangement::slice(input, &begins, &[1; MAX_RANK], &sizes, output)
    }

    /// Shape of the output.
    pub fn output(&self) -> Dims {
        self.output
    }

    /// Whether the output is a part of the input `x`, or all of it: then it may lie there. True too where it is empty.
    fn allow_part(
        &self,
        cx: &mut PrepareContext<'_>,
        [input, output]: [usize; 2],
        x: &TensorView<'_>,
    ) -> Result<bool> {
        let (bytes, count) = (x.ty.bits() as usize / 8, self.nest.len());
        let Some(first) = self.nest.contiguous() else { return Ok(count == 0) };
        match first.checked_add(count) {
            _ if bytes == 0 => {}
            Some(end) if end > x.len() => {}
            _ if count == x.len() => cx.allow_view(output, input)?,
            Some(_) => cx.allow_part_of_input(output, input, first * bytes)?,
            None => {}
        }
        Ok(true)
    }

    /// Lets the output overwrite the input, whose elements are read in the output's order.
    fn allow_behind(
        &self,
        cx: &mut PrepareContext<'_>,
        [input, output]: [usize; 2],
        x: &TensorView<'_>,
    ) -> Result<()> {
        let lead = usize::try_from(self.nest.lead().max(0)).unwrap_or(usize::MAX);
        match x.ty.bits() as usize / 8 {
            bytes if bytes > 0 && lead < self.nest.len() => cx.allow_behind(output, input, lead * bytes),
            _ => Ok(()),
        }
    }
}

/// `dims` with another size of one axis.
pub fn with_size(dims: &Dims, axis: usize, size: i32) -> Result<Dims> {
    let sizes = dims.as_slice().iter().enumerate().map(|(i, &old)| if i == axis { size } else { old });
    Dims::from_sizes(sizes).ok_or_else(|| invalid!("{:?} with {size} along axis {axis}", dims.as_slice()))
}

/// What `prepare` knows about one output that is a rearrangement of an input.
#[derive(Clone, Copy, Debug)]
pub struct Prepared(Option<Rearrangement>);

impl Prepared {
    /// Gives output 0, the node's only one, its shape; without one, and for strings, it is dynamic. `x` is input 0.
    pub fn declare(
        plan: Option<Rearrangement>,
        cx: &mut PrepareContext<'_>,
        x: &TensorView<'_>,
    ) -> Result<Prepared> {
        declare_shape(plan.as_ref().map(|plan| plan.output.as_slice()), cx, 0, x.ty)?;
        if let Some(plan) = &plan
            && !plan.allow_part(cx, [0, 0], x)?
        {
            plan.allow_behind(cx, [0, 0], x)?;
        }
        Ok(Prepared(plan))
    }

    /// The same for one output of several, which is made of input `input`, that is `x`.
    pub fn declare_part(
        plan: Option<Rearrangement>,
        cx: &mut PrepareContext<'_>,
        [input, output]: [usize; 2],
        x: &TensorView<'_>,
    ) -> Result<()> {
        declare_shape(plan.as_ref().map(|plan| plan.output.as_slice()), cx, output, x.ty)?;
        if let Some(plan) = &plan {
            plan.allow_part(cx, [input, output], x)?;
        }
        Ok(())
    }

    /// As `declare` left it, for an op that computes the plan again in `eval`.
    pub fn again(plan: Option<Rearrangement>) -> Prepared {
        Prepared(plan)
    }

    /// Writes output `output` from input `input`; `late` gives the plan where `prepare` had none.
    pub fn eval(
        &self,
        cx: &EvalContext<'_>,
        input: usize,
        output: usize,
        late: impl FnOnce() -> Result<Rearrangement>,
    ) -> Result<()> {
        let plan = self.0.map_or_else(late, Ok)?;
        let shape = plan.output.as_slice();
        let ty = cx.node().input(input)?.ty;
        if ty == ElementType::String {
            let visit = |f: &mut dyn FnMut(usize)| plan.nest.for_each(|_, [i]| f(i));
            return strings::select(cx, output, shape, &Strings::of(&cx.input(input)?)?, visit);
        }
        let to = match self.0 {
            Some(_) => cx.output_byte_cells(output)?,
            None => cells_of(cx.resize_output(output, shape)?.into_bytes()),
        };
        Width::of(ty)?.gather(&plan.nest, cx.input_byte_cells(input)?, to, &mut Pace::new(cx))
    }
}

/// Gives an output that elements of type `ty` are moved to its shape. It is dynamic without a shape, and for strings,
/// whose bytes are known in `eval` only.
pub fn declare_shape(
    shape: Option<&[i32]>,
    cx: &mut PrepareContext<'_>,
    output: usize,
    ty: ElementType,
) -> Result<()> {
    if ty == ElementType::String {
        return cx.set_output_dynamic(output);
    }
    Width::of(ty)?;
    match shape {
        Some(shape) => cx.set_output_shape(output, shape),
        None => cx.set_output_dynamic(output),
    }
}
