//! STABLEHLO_SCATTER: updates windows of the input that start at given index vectors. The only op of a subgraph
//! combines an element with its update. Updates outside the input are skipped. Supports in-place operation.
//!
//! Defined by: tflite/kernels/stablehlo_scatter.cc, tflite/kernels/tensor_slice_util.cc.
//!
//! ```text
//! u: a position in the updates. Its axes `update_window_dims` are a position in the window, which has size 1 along
//!    `inserted_window_dims`; its other axes are a position in the indices, without their axis `index_vector_dim`
//! start[scatter_dims_to_operand_dims[k]] = indices[…, k, …], 0 along other axes
//! y[start + position in the window] = f(y[…], updates[u])
//! ```

use core::ops::{Add, Mul};

use arenite_abi::options::OptionVector;
use arenite_abi::prelude::*;
use arenite_abi::schema::StablehloScatterOptions as Fields;
use half::f16;

use crate::kit::arguments::expect_type;
use crate::kit::indexing::{Axes, Dims, MAX_RANK};
use crate::kit::node;
use crate::kit::pace::Pace;

plain! {
    /// A prepared `STABLEHLO_SCATTER` node.
    pub struct StablehloScatter {
        function: Function,
        input: Dims,
        updates: Dims,
        /// The meaning of a step along each axis of the updates.
        steps: [Step; MAX_RANK],
        /// The axis of the input that each element of an index vector belongs to.
        map: [usize; MAX_RANK],
        mapped: usize,
        /// The distance between the elements of an index vector.
        vector_step: usize,
    }
}

plain! {
    #[derive(Clone, Copy)]
    enum Step {
        /// Moves by one element along this axis of the input.
        Window(usize),
        /// Moves by this many elements of the indices.
        Indices(usize),
    }
}

plain! {
    /// How an element and its update are combined.
    #[derive(Clone, Copy)]
    enum Function {
        Update,
        Add,
        Multiply,
        Maximum,
        Minimum,
    }
}

const TYPES: [ElementType; 12] = [ElementType::Bool, F16, F32, F64, I8, I16, I32, I64, U8, U16, U32, U64];

impl Op for StablehloScatter {
    const CODE: OpCode = OpCode::Builtin(op::STABLEHLO_SCATTER);
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);
    const SHARING: Sharing = Sharing::InPlace;

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        node.expect(3..=3, 1..=1)?;
        let (x, indices, updates, y) = (node.input(0)?, node.input(1)?, node.input(2)?, node.output(0)?);
        expect_type(&x, &TYPES)?;
        expect_type(&indices, &[I32, I64])?;
        node::same_type(&x, &updates)?;
        node::same_type(&x, &y)?;
        let options = node.options()?;
        let function = function(&cx.model()?, options.get(Fields::UPDATE_COMPUTATION_SUBGRAPH_INDEX)?)?;
        cx.set_output_shape(0, x.shape)?;
        cx.allow_in_place(0, 0)?;
        StablehloScatter::new(&options, [&x, &indices, &updates], function)
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        match cx.node().output(0)?.ty {
            F16 => self.by_type(cx, f16::add, f16::mul),
            F32 => self.by_type(cx, f32::add, f32::mul),
            F64 => self.by_type(cx, f64::add, f64::mul),
            I8 => self.by_type(cx, i8::wrapping_add, i8::wrapping_mul),
            I16 => self.by_type(cx, i16::wrapping_add, i16::wrapping_mul),
            I32 => self.by_type(cx, i32::wrapping_add, i32::wrapping_mul),
            I64 => self.by_type(cx, i64::wrapping_add, i64::wrapping_mul),
            U8 => self.by_type(cx, u8::wrapping_add, u8::wrapping_mul),
            U16 => self.by_type(cx, u16::wrapping_add, u16::wrapping_mul),
            U32 => self.by_type(cx, u32::wrapping_add, u32::wrapping_mul),
            U64 => self.by_type(cx, u64::wrapping_add, u64::wrapping_mul),
            _ => self.truths(cx),
        }
    }
}

/// The function of a subgraph with a single op; without any op, the update replaces the element.
fn function(model: &ModelContext<'_>, subgraph: i32) -> Result<Function> {
    let body = model.subgraph(subgraph)?;
    ensure!(
        body.node_count() <= 1,
        "its computation, subgraph {subgraph}, has {} nodes; only one is supported",
        body.node_count()
    );
    let Some(node) = body.nodes().next() else { return Ok(Function::Update) };
    Ok(match node.builtin_code() {
        op::STABLEHLO_ADD => Function::Add,
        op::STABLEHLO_MULTIPLY => Function::Multiply,
        op::STABLEHLO_MAXIMUM => Function::Maximum,
        op::STABLEHLO_MINIMUM => Function::Minimum,
        code => return Err(unsupported!("no scattering with the op number {code} of subgraph {subgraph}")),
    })
}

impl StablehloScatter {
    fn new(
        options: &Options<'_, Fields>,
        [x, indices, updates]: [&TensorView<'_>; 3],
        function: Function,
    ) -> Result<Self> {
        let (input, at, from) = (node::dims(x)?, node::dims(indices)?, node::dims(updates)?);
        let vector: i64 = options.get(Fields::INDEX_VECTOR_DIM)?;
        let vector = usize::try_from(vector).ok().filter(|&axis| axis <= at.rank()).ok_or_else(|| {
            invalid!("index vectors along axis {vector}, indices {indices} are {:?}", indices.shape)
        })?;
        // If the axis is past the last one, index vectors have one element.
        let length = if vector < at.rank() { at.size(vector) } else { 1 };
        let (mut map, mut mapped) = ([0; MAX_RANK], 0);
        for axis in options.get(Fields::SCATTER_DIMS_TO_OPERAND_DIMS)?.iter() {
            let known = usize::try_from(axis).ok().filter(|&axis| axis < input.rank() && mapped < length);
            let known = known.ok_or_else(|| {
                invalid!(
                    "scatter_dims_to_operand_dims names axis {axis} for number {mapped} of an index vector; input {x} is {:?}, indices {indices} {:?}",
                    x.shape, indices.shape
                )
            })?;
            *map.get_mut(mapped).ok_or_else(|| invalid!("more than {MAX_RANK} axes are scattered"))? = known;
            mapped += 1;
        }
        let strides = at.strides();
        let mut scatter = StablehloScatter {
            function,
            input,
            updates: from,
            steps: [Step::Indices(0); MAX_RANK],
            map,
            mapped,
            vector_step: strides.get(vector).map_or(0, |&step| step as usize),
        };
        scatter.lay_out(options, &at, vector)?;
        Ok(scatter)
    }

    /// Sets the meaning of each axis of the updates.
    fn lay_out(&mut self, options: &Options<'_, Fields>, indices: &Dims, vector: usize) -> Result<()> {
        let window =
            axes(&options.get(Fields::UPDATE_WINDOW_DIMS)?, "update_window_dims", self.updates.rank())?;
        let inserted =
            axes(&options.get(Fields::INSERTED_WINDOW_DIMS)?, "inserted_window_dims", self.input.rank())?;
        let strides = indices.strides();
        let mut inner = (0..self.input.rank()).filter(|&axis| !inserted.contains(axis));
        let mut outer = (0..indices.rank()).filter(|&axis| axis != vector);
        for axis in 0..self.updates.rank() {
            let size = self.updates.size(axis);
            let step = match window.contains(axis) {
                true => inner.next().map(Step::Window),
                false => outer
                    .next()
                    .filter(|&i| size <= indices.size(i))
                    .map(|i| Step::Indices(strides[i] as usize)),
            };
            self.steps[axis] = step.ok_or_else(|| {
                invalid!(
                    "axis {axis} of the updates, of size {size}, has no counterpart: input {:?}, indices {:?}, updates {:?}",
                    self.input.as_slice(),
                    indices.as_slice(),
                    self.updates.as_slice()
                )
            })?;
        }
        ensure!(
            inner.next().is_none(),
            "update_window_dims and inserted_window_dims miss an axis of the input {:?}",
            self.input.as_slice()
        );
        Ok(())
    }

    fn by_type<T: Element + PartialOrd>(
        &self,
        cx: &EvalContext<'_>,
        add: fn(T, T) -> T,
        multiply: fn(T, T) -> T,
    ) -> Result<()> {
        match self.function {
            Function::Update => self.scatter::<T>(cx, |_, update| update),
            Function::Add => self.scatter(cx, add),
            Function::Multiply => self.scatter(cx, multiply),
            Function::Maximum => self.scatter::<T>(cx, |x, update| if x < update { update } else { x }),
            Function::Minimum => self.scatter::<T>(cx, |x, update| if update < x { update } else { x }),
        }
    }

    fn truths(&self, cx: &EvalContext<'_>) -> Result<()> {
        match self.function {
            Function::Update => self.scatter::<Bool>(cx, |_, update| update),
            Function::Add | Function::Maximum => {
                self.scatter::<Bool>(cx, |x, update| Bool((x.0 != 0 || update.0 != 0).into()))
            }
            Function::Multiply | Function::Minimum => {
                self.scatter::<Bool>(cx, |x, update| Bool((x.0 != 0 && update.0 != 0).into()))
            }
        }
    }

    fn scatter<T: Element>(&self, cx: &EvalContext<'_>, f: fn(T, T) -> T) -> Result<()> {
        let y = cx.output_cells::<T>(0)?;
        cx.input_cells::<T>(0)?.copy_to(y);
        let (indices, updates) = (cx.input(1)?, cx.input_slice::<T>(2)?);
        self.targets(cx, &indices, &mut |i, target| {
            if let Some(y) = y.get(target) {
                y.set(f(y.get(), updates[i]));
            }
        })
    }

    /// Calls `f(update, element)` for each update whose target is inside the input.
    fn targets(
        &self,
        cx: &EvalContext<'_>,
        indices: &TensorView<'_>,
        f: &mut dyn FnMut(usize, usize),
    ) -> Result<()> {
        let (short, long);
        let index: &dyn Fn(usize) -> Option<i64> = match indices.ty {
            I32 => {
                short = indices.as_slice::<i32>()?;
                &|i| short.get(i).map(|&index| index.into())
            }
            _ => {
                long = indices.as_slice::<i64>()?;
                &|i| long.get(i).copied()
            }
        };
        let mut pace = Pace::new(cx);
        for i in 0..self.updates.flat_size() {
            pace.ahead(MAX_RANK)?;
            if let Some(target) = self.target(i, index) {
                f(i, target);
            }
        }
        Ok(())
    }

    /// The element of the input that update number `i` changes, or `None` if it is outside the input.
    fn target(&self, i: usize, index: &dyn Fn(usize) -> Option<i64>) -> Option<usize> {
        let (mut at, mut rest, mut vector) = ([0i64; MAX_RANK], i, 0);
        for axis in (0..self.updates.rank()).rev() {
            let size = self.updates.size(axis);
            let position = rest % size;
            rest /= size;
            match self.steps[axis] {
                Step::Window(axis) => at[axis] = position as i64,
                Step::Indices(step) => vector += position * step,
            }
        }
        for (k, &axis) in self.map[..self.mapped].iter().enumerate() {
            at[axis] = at[axis].checked_add(index(vector + k * self.vector_step)?)?;
        }
        let mut element = 0;
        for (axis, &at) in at[..self.input.rank()].iter().enumerate() {
            let size = self.input.size(axis);
            element = element * size + usize::try_from(at).ok().filter(|&at| at < size)?;
        }
        Some(element)
    }
}

/// The axes that an option lists.
fn axes(list: &OptionVector<'_, i64>, name: &str, rank: usize) -> Result<Axes> {
    let (mut axes, mut count) = ([0; MAX_RANK], 0);
    for axis in list.iter() {
        let known = i32::try_from(axis).ok().filter(|&axis| (0..rank as i32).contains(&axis));
        let known = known.ok_or_else(|| invalid!("its {name} names axis {axis} of {rank}"))?;
        *axes.get_mut(count).ok_or_else(|| invalid!("its {name} has more than {MAX_RANK} axes"))? = known;
        count += 1;
    }
    Axes::new(&axes[..count], rank)
        .ok_or_else(|| invalid!("its {name} is {:?} of {rank} axes", &axes[..count]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Spec, Subgraph, Tensor};

    fn body(code: Option<i32>) -> Subgraph {
        let x = [Tensor::i32(&[], &[0]), Tensor::i32(&[], &[0])];
        let body = Subgraph::new(&x, |x| x[1..].to_vec());
        code.into_iter().fold(body, |body, code| body.node(code, &[0, 1], &[2]))
    }

    /// Updates the rows of a matrix: `updates[i]` goes to row `indices[i][0]`.
    fn rows(code: Option<i32>, indices: Tensor, updates: Tensor) -> OpTest<StablehloScatter> {
        let x = Tensor::i32(&[3, 2], &[1, 2, 3, 4, 5, 6]);
        let case = OpTest::new().input(x).input(indices).input(updates).output(Spec::i32());
        let options = |o: arenite_abi::testing::OptionsBuilder<Fields>| {
            o.set(Fields::UPDATE_WINDOW_DIMS, &[1])
                .set(Fields::INSERTED_WINDOW_DIMS, &[0])
                .set(Fields::SCATTER_DIMS_TO_OPERAND_DIMS, &[0])
                .set(Fields::INDEX_VECTOR_DIM, 1)
        };
        case.options(options).subgraph(body(code))
    }

    #[test]
    fn functions() {
        let indices = || Tensor::i32(&[3, 1], &[2, 0, 2]);
        let updates = || Tensor::i32(&[3, 2], &[10, -1, 7, 8, 1, 1]);
        for (code, want) in [
            (None, [7, 8, 3, 4, 1, 1]),
            (Some(op::STABLEHLO_ADD), [8, 10, 3, 4, 16, 6]),
            (Some(op::STABLEHLO_MULTIPLY), [7, 16, 3, 4, 50, -6]),
            (Some(op::STABLEHLO_MAXIMUM), [7, 8, 3, 4, 10, 6]),
            (Some(op::STABLEHLO_MINIMUM), [1, 2, 3, 4, 1, -1]),
        ] {
            let y = rows(code, indices(), updates()).in_place().run().unwrap();
            assert_eq!(y[0].as_i32(), want, "{code:?}");
        }
    }

    #[test]
    fn updates_outside_the_input_are_skipped() {
        let y = rows(None, Tensor::i64(&[2, 1], &[3, -1]), Tensor::i32(&[2, 2], &[9; 4])).run().unwrap();
        assert_eq!(y[0].as_i32(), [1, 2, 3, 4, 5, 6]);
    }

    #[test]
    fn single_elements() {
        let x = Tensor::bool(&[2, 2], &[false; 4]);
        let case = OpTest::<StablehloScatter>::new().input(x).input(Tensor::i32(&[2], &[0, 1]));
        let case = case.input(Tensor::bool(&[], &[true])).output(Spec::of(ElementType::Bool));
        let case = case.options(|o| {
            o.set(Fields::INSERTED_WINDOW_DIMS, &[0, 1]).set(Fields::SCATTER_DIMS_TO_OPERAND_DIMS, &[1, 0])
        });
        let y = case.subgraph(body(Some(op::STABLEHLO_ADD))).run().unwrap();
        assert_eq!(y[0].as_bool(), [false, false, true, false]);
    }

    #[test]
    fn refusals() {
        let message = |case: OpTest<StablehloScatter>| case.run().unwrap_err().message().to_owned();
        let (indices, updates) = (|| Tensor::i32(&[1, 1], &[0]), || Tensor::i32(&[1, 2], &[0; 2]));
        assert_eq!(
            message(rows(Some(3), indices(), updates())),
            "no scattering with the op number 3 of subgraph 0"
        );
        assert_eq!(
            message(rows(None, indices(), Tensor::i32(&[4, 2], &[0; 8]))),
            "axis 0 of the updates, of size 4, has no counterpart: input [3, 2], indices [1, 1], updates [4, 2]"
        );
        let none = rows(None, indices(), updates()).options(|o| o.set(Fields::UPDATE_WINDOW_DIMS, &[5]));
        assert_eq!(message(none), "its update_window_dims names axis 5 of 2");
        let none = rows(None, indices(), updates()).options(|o| o.set(Fields::INDEX_VECTOR_DIM, 4));
        assert_eq!(message(none), "index vectors along axis 4, indices 'in1' are [1, 1]");
    }
}
