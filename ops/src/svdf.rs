//! SVDF: a layer of rank-one filters with a memory. Filter `f` of unit `u` projects the input to one number, `m[f,
//! last] = Σ_d x[d] × features[f, d]`, which is appended to the numbers of earlier invocations; `y[u] = activation(Σ_f
//! Σ_t time[f, t] × m[f, t] + bias[u])`. f32; f32 × i8, u8, where inputs are quantized at run time (hybrid); i8 with
//! weights of i8 and i16 and a memory of i16.
//! Defined by: tflite/kernels/{svdf.cc,internal/reference/svdf.h}.

use core::cell::Cell;

use arenite_abi::prelude::*;
use arenite_abi::schema::SVDFOptions;

use crate::kit::activation::{Activation, Limits};
use crate::kit::bias::float_bias;
use crate::kit::dot::dot;
use crate::kit::hybrid::Symmetry;
use crate::kit::node;
use crate::kit::pace::Pace;
use crate::kit::recurrent::{self, Diagonal, Matrix, Vector, row};
use crate::kit::requantize::Multiplier;

plain! {
    /// A prepared `SVDF` node.
    pub struct Svdf {
        sizes: Sizes,
        kernel: Kernel,
    }
}

plain! {
    /// The sizes: inputs are `[batches, depth]`, weights `[filters, depth]` and `[filters, memory]`, outputs `[batches,
    /// units]`.
    #[derive(Clone, Copy)]
    struct Sizes {
        batches: usize,
        depth: usize,
        filters: usize,
        memory: usize,
        /// The number of filters of one unit.
        rank: usize,
    }
}

plain! {
    enum Kernel {
        Float { activation: Activation, symmetry: Symmetry, sums: Scratch<f32>, quantized: Scratch<i8> },
        Integer(Integer),
    }
}

plain! {
    struct Integer {
        /// The multiplier from sums of the first stage to the memory.
        to_memory: Multiplier,
        /// The multiplier from sums of the second stage to the output.
        to_output: Multiplier,
        input_zero_point: i32,
        output_zero_point: i32,
    }
}

const INPUT: usize = 0;
const FEATURES: usize = 1;
const TIME: usize = 2;
const BIAS: usize = 3;
const STATE: usize = 4;

impl Op for Svdf {
    const CODE: OpCode = OpCode::Builtin(op::SVDF);
    const VERSIONS: RangeInclusive<i32> = 1..=4;
    const TYPES: ElementTypes = ElementTypes::of(&[F32, I8, U8, I16, I32]);
    const EMBED: Option<Embed<Self>> = Some(Embed::with(|op, cx| cx.put(op.form(), op)));

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        node.expect(5..=5, 1..=1)?;
        let options = node.options()?;
        let sizes = Sizes::read(node, &options)?;
        let activation = node::activation(options.get(SVDFOptions::FUSED_ACTIVATION_FUNCTION)?)?;
        let (x, weights, y) = (node.input(INPUT)?, node.input(FEATURES)?, node.output(0)?);
        let types = match (x.ty, weights.ty, y.ty) {
            (F32, F32, F32) => [F32, F32, F32],
            (F32, I8 | U8, F32) => [weights.ty, F32, F32],
            (I8, I8, I8) => [I16, I32, I16],
            (x, w, y) => return Err(unsupported!("no kernel for input {x}, weights {w} and output {y}")),
        };
        sizes.check(node, types)?;
        cx.set_output_shape(0, &recurrent::shape([sizes.batches, sizes.filters / sizes.rank])?)?;
        let kernel = if x.ty == F32 {
            let hybrid = weights.ty != F32;
            Kernel::Float {
                activation,
                symmetry: recurrent::symmetry(options.get(SVDFOptions::ASYMMETRIC_QUANTIZE_INPUTS)?),
                sums: cx.scratch(sizes.filters)?,
                quantized: cx.scratch(if hybrid { sizes.depth } else { 0 })?,
            }
        } else {
            ensure!(
                activation == Activation::Relu,
                "its activation is {activation:?}; with input {} and output {} it must be Relu",
                x.ty,
                y.ty
            );
            Kernel::Integer(Integer::new(node)?)
        };
        Ok(Svdf { sizes, kernel })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        match &self.kernel {
            Kernel::Float { activation, symmetry, sums, quantized } => {
                self.sizes.eval_f32(cx, *activation, *symmetry, cx.scratch(sums)?, cx.scratch(quantized)?)
            }
            Kernel::Integer(integer) => integer.eval(&self.sizes, cx),
        }
    }

    fn form(&self) -> &'static str {
        match self.kernel {
            Kernel::Float { .. } => "",
            Kernel::Integer(_) => "ar_embed_svdf_i8",
        }
    }
}

impl Svdf {
    /// `eval` for i8 alone.
    ///
    /// # Errors
    /// As for `eval`, or the node has another form.
    pub fn eval_i8(&self, cx: &EvalContext<'_>) -> Result<()> {
        match &self.kernel {
            Kernel::Integer(integer) => integer.eval(&self.sizes, cx),
            Kernel::Float { .. } => Err(node::other_form()),
        }
    }
}

impl Sizes {
    fn read(node: &NodeView<'_>, options: &Options<'_, SVDFOptions>) -> Result<Sizes> {
        let (x, features, time) = (node.input(INPUT)?, node.input(FEATURES)?, node.input(TIME)?);
        for tensor in [&x, &features, &time] {
            ensure!(tensor.rank() == 2, "{tensor} is {:?}; it must have 2 axes", tensor.shape);
        }
        let [x, features, time] = [node::dims(&x)?, node::dims(&features)?, node::dims(&time)?];
        let filters = features.size(0);
        let rank: i32 = options.get(SVDFOptions::RANK)?;
        let rank = usize::try_from(rank).unwrap_or(0);
        ensure!(
            rank > 0 && filters % rank == 0,
            "its rank is {}; it must be positive and divide the number of filters, {filters}",
            options.get(SVDFOptions::RANK)?
        );
        Ok(Sizes { batches: x.size(0), depth: x.size(1), filters, memory: time.size(1), rank })
    }

    /// Checks all tensors except the input; `types` are the types of time weights, bias and state.
    fn check(&self, node: &NodeView<'_>, types: [ElementType; 3]) -> Result<()> {
        let features = node.input(FEATURES)?;
        recurrent::expect(&features, features.ty, &[self.filters, self.depth])?;
        recurrent::expect(&node.input(TIME)?, types[0], &[self.filters, self.memory])?;
        if let Some(bias) = node.optional_input(BIAS)? {
            recurrent::expect(&bias, types[1], &[self.filters / self.rank])?;
        }
        ensure!(self.memory > 0, "time weights '{}' have no time steps", node.input(TIME)?.name());
        let length =
            self.filters.checked_mul(self.memory).ok_or_else(|| invalid!("the memory is too large"))?;
        recurrent::expect_state(node, STATE, types[2], self.batches, length)
    }

    /// The number of multiply-adds for one batch.
    fn work(&self) -> usize {
        self.filters.saturating_mul(self.depth.saturating_add(self.memory)).max(1)
    }

    /// Drops the oldest number of each filter, and appends the new ones of a batch.
    fn remember<T: Copy>(&self, state: &[Cell<T>], batch: usize, mut new: impl FnMut(usize) -> T) {
        for filter in 0..self.filters {
            let memory = row(state, batch * self.filters + filter, self.memory);
            memory.windows(2).for_each(|pair| pair[0].set(pair[1].get()));
            if let Some(last) = memory.last() {
                last.set(new(filter));
            }
        }
    }

    fn eval_f32(
        &self,
        cx: &EvalContext<'_>,
        activation: Activation,
        symmetry: Symmetry,
        sums: &mut [f32],
        room: &mut [i8],
    ) -> Result<()> {
        let x = cx.input_slice::<f32>(INPUT)?;
        let features = Matrix::read(cx, FEATURES)?;
        let time = Diagonal::read(cx, TIME)?;
        let bias = float_bias(cx, BIAS)?;
        let state = cx.variable::<f32>(STATE)?;
        let y = cx.output_slice::<f32>(0)?;
        let units = self.filters / self.rank;
        let mut pace = Pace::new(cx);
        for batch in 0..self.batches {
            pace.ahead(self.work())?;
            sums.fill(0.0);
            let x = Vector::new(row(x, batch, self.depth), symmetry, room);
            features.accumulate(&x, sums);
            self.remember(state, batch, |filter| sums[filter]);
            for (unit, y) in y.iter_mut().skip(batch * units).take(units).enumerate() {
                *y = bias.get(unit).copied().unwrap_or(0.0);
                for filter in unit * self.rank..(unit + 1) * self.rank {
                    let memory = row(state, batch * self.filters + filter, self.memory);
                    *y += time.dot(filter * self.memory, memory.iter().map(Cell::get));
                }
            }
        }
        recurrent::activate(activation, y);
        Ok(())
    }
}

impl Integer {
    fn new(node: &NodeView<'_>) -> Result<Integer> {
        let meaning = |x: Result<TensorView<'_>>| x?.scale_and_zero_point();
        let (x, input_zero_point) = meaning(node.input(INPUT))?;
        let (y, output_zero_point) = meaning(node.output(0))?;
        let (features, _) = meaning(node.input(FEATURES))?;
        let (time, _) = meaning(node.input(TIME))?;
        let (state, _) = meaning(node.input(STATE))?;
        let multiplier = |a: f32, b: f32, c: f32| {
            Multiplier::from_scales(a * b / c, 1.0, 1.0)
                .ok_or_else(|| invalid!("scales {a} × {b} / {c} give no finite factor"))
        };
        Ok(Integer {
            to_memory: multiplier(x, features, state)?,
            to_output: multiplier(state, time, y)?,
            input_zero_point,
            output_zero_point,
        })
    }

    fn eval(&self, sizes: &Sizes, cx: &EvalContext<'_>) -> Result<()> {
        let x = cx.input_slice::<i8>(INPUT)?;
        let features = cx.input_slice::<i8>(FEATURES)?;
        let time = cx.input_slice::<i16>(TIME)?;
        let bias = cx.optional_slice::<i32>(BIAS)?.unwrap_or_default();
        let state = cx.variable::<i16>(STATE)?;
        let y = cx.output_slice::<i8>(0)?;
        let units = sizes.filters / sizes.rank;
        let mut pace = Pace::new(cx);
        for batch in 0..sizes.batches {
            pace.ahead(sizes.work())?;
            let x = row(x, batch, sizes.depth);
            sizes.remember(state, batch, |filter| {
                let sum = dot(x, self.input_zero_point, row(features, filter, sizes.depth), 0);
                self.to_memory.apply(sum).clamp(i16::MIN.into(), i16::MAX.into()) as i16
            });
            for (unit, y) in y.iter_mut().skip(batch * units).take(units).enumerate() {
                let mut sum = bias.get(unit).copied().unwrap_or(0);
                for filter in unit * sizes.rank..(unit + 1) * sizes.rank {
                    let memory = row(state, batch * sizes.filters + filter, sizes.memory);
                    let products = memory.iter().zip(row(time, filter, sizes.memory));
                    sum = products
                        .fold(sum, |sum, (m, &w)| sum.wrapping_add(i32::from(m.get()) * i32::from(w)));
                }
                let scaled = self.to_output.apply(sum).wrapping_add(self.output_zero_point);
                *y = Limits::I8.clamp(scaled) as i8;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
