//! Ops whose output consists of elements of one input in another order: slices, transpositions, reversals, repetitions.
//!
//! An op computes a [`Rearrangement`] from its arguments, in `prepare` if they are constant, else in `eval`.
//! [`Prepared`] does the rest, for elements of any size and for strings.

use arenite_abi::prelude::*;
use arenite_abi::tensor::cells_of;

use super::indexing::{Dims, MAX_RANK, Nest};
use super::moves::Width;
use super::pace::Pace;
use super::strings::{self, Strings};

/// How the output of an op that uses [`Prepared::declare`] may share memory with its input.
pub const SHARING: Sharing = Sharing::AnyOf(&[Sharing::View, Sharing::PartOfInput, Sharing::Behind]);
/// How the outputs of an op that uses [`Prepared::declare_part`] may share memory with its inputs.
pub const SHARING_OF_PARTS: Sharing = Sharing::AnyOf(&[Sharing::View, Sharing::PartOfInput]);

plain! {
    /// The rearrangement `output[k] = input[nest[k]]`, where `k` counts in row-major order.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Rearrangement {
        output: Dims,
        nest: Nest<1>,
    }
}

impl Rearrangement {
    /// Creates a rearrangement whose output has the shape `output`.
    ///
    /// # Errors
    /// The number of positions of `nest` is not the number of elements of `output`.
    pub fn new(output: Dims, nest: Nest<1>) -> Result<Rearrangement> {
        let (count, size) = (nest.len(), output.flat_size());
        ensure!(count == size, "{count} elements for an output of {size}");
        Ok(Rearrangement { output, nest })
    }

    /// Selects `sizes[axis]` elements along each axis, starting at `begins[axis]`, with a stride of `steps[axis]`.
    /// `output` is the shape of the result; it may have more or fewer axes of size 1.
    ///
    /// The caller must check that the slice is inside the input; otherwise wrong elements are read, but never out of
    /// bounds.
    ///
    /// # Errors
    /// The sizes and `output` differ in their number of elements.
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

    /// Selects the elements `begin..begin + size` along one axis, in the shape `output`.
    ///
    /// # Errors
    /// The sizes and `output` differ in their number of elements.
    pub fn part(input: &Dims, axis: usize, begin: usize, size: i32, output: Dims) -> Result<Rearrangement> {
        let mut begins = [0; MAX_RANK];
        if let Some(at) = begins.get_mut(axis) {
            *at = begin as i64;
        }
        let sizes = with_size(input, axis, size)?;
        Rearrangement::slice(input, &begins, &[1; MAX_RANK], &sizes, output)
    }

    /// The shape of the output.
    pub fn output(&self) -> Dims {
        self.output
    }

    /// Whether the output is a contiguous part of the input `x`, or all of `x`, so that both may share memory. Also
    /// true for an empty output.
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

/// Returns `dims` with another size along one axis.
///
/// # Errors
/// The new shape is negative or too large.
pub fn with_size(dims: &Dims, axis: usize, size: i32) -> Result<Dims> {
    let sizes = dims.as_slice().iter().enumerate().map(|(i, &old)| if i == axis { size } else { old });
    Dims::from_sizes(sizes).ok_or_else(|| invalid!("{:?} with {size} along axis {axis}", dims.as_slice()))
}

plain! {
    /// The rearrangement of an input to one output, if `prepare` knows it.
    #[derive(Clone, Copy, Debug)]
    pub struct Prepared(Maybe<Rearrangement>);
}

impl Prepared {
    /// Declares output 0, the node's only one. Without a plan, and for strings, it is dynamic. `x` is input 0.
    ///
    /// # Errors
    /// Elements of the type cannot be moved, or the host refuses the shape.
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
        Ok(Prepared(plan.into()))
    }

    /// Declares one of several outputs, which is a rearrangement of input number `input`, that is `x`.
    ///
    /// # Errors
    /// Elements of the type cannot be moved, or the host refuses the shape.
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

    /// Recreates the result of `declare`, for an op that computes its plan again in `eval`.
    pub fn again(plan: Option<Rearrangement>) -> Prepared {
        Prepared(plan.into())
    }

    /// Writes output `output` from input `input`; `late` computes the plan if `prepare` had none.
    ///
    /// # Errors
    /// The error of `late`, or the invocation is cancelled.
    pub fn eval(
        &self,
        cx: &EvalContext<'_>,
        input: usize,
        output: usize,
        late: impl FnOnce() -> Result<Rearrangement>,
    ) -> Result<()> {
        let plan = self.0.get().map_or_else(late, Ok)?;
        let shape = plan.output.as_slice();
        let ty = cx.node().input(input)?.ty;
        if ty == ElementType::String {
            let visit = |f: &mut dyn FnMut(usize)| plan.nest.for_each(|_, [i]| f(i));
            return strings::select(cx, output, shape, &Strings::of(&cx.input(input)?)?, visit);
        }
        let to = match self.0.get() {
            Some(_) => cx.output_byte_cells(output)?,
            None => cells_of(cx.resize_output(output, shape)?.into_bytes()),
        };
        Width::of(ty)?.gather(&plan.nest, cx.input_byte_cells(input)?, to, &mut Pace::new(cx))
    }
}

/// Sets the shape of an output to which elements of type `ty` are moved. It is dynamic without a shape, and for
/// strings, because their size is known only in `eval`.
///
/// # Errors
/// Elements of the type cannot be moved, or the host refuses the shape.
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
