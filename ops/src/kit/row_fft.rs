//! Fourier transforms of the rows of the last axis: [`RowFft`] implements SignalRfft and SignalIrfft.
//!
//! Defined by: tflite-micro's signal/micro/kernels/{rfft,irfft}.cc.

use core::marker::PhantomData;

use arenite_abi::prelude::*;

use super::custom_options::CustomOptions;
use super::fft::{Direction, RealFft, Sample};
use super::pace::Pace;
use super::signal::{Shape, check_type, expect, last_axis};

/// The parameters of one member of the family, which its op file provides.
pub trait Member: Send + Sync + 'static {
    /// The name of the op.
    const NAME: &'static str;
    /// Forward from samples, or inverse from spectra.
    const DIRECTION: Direction;

    /// Checks that rows of `x` with `row` numbers match transforms of `length` samples.
    ///
    /// # Errors
    /// They do not match.
    fn check(x: &TensorView<'_>, row: usize, length: i32) -> Result<()>;
}

plain! {
    /// A prepared node of the family.
    pub struct RowFft<marker M> {
        rows: TypedTransform,
        member: PhantomData<M>,
    }
}

plain! {
    enum TypedTransform {
        Float(RowTransform<f32>),
        Short(RowTransform<i16>),
        Long(RowTransform<i32>),
    }
}

plain! {
    /// The transform for one element type.
    struct RowTransform<T> {
        fft: RealFft<T>,
        /// The number of elements in a row of the input.
        row: usize,
        /// Scratch memory for a row of samples, padded with zeros.
        filled: Scratch<T>,
    }
}

impl<M: Member> Op for RowFft<M> {
    const CODE: OpCode = OpCode::Custom(M::NAME);
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const TYPES: ElementTypes = ElementTypes::of(&[F32, I16, I32]);
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let (x, y) = node.unary()?;
        let length = CustomOptions::of(node).i32("fft_length")?;
        check_type(node, &x)?;
        expect(&y, x.ty)?;
        let (row, others) = last_axis(&x)?;
        M::check(&x, row, length)?;
        let rows = match x.ty {
            F32 => TypedTransform::Float(RowTransform::new(cx, M::DIRECTION, length, row)?),
            I16 => TypedTransform::Short(RowTransform::new(cx, M::DIRECTION, length, row)?),
            I32 => TypedTransform::Long(RowTransform::new(cx, M::DIRECTION, length, row)?),
            ty => return Err(Error::unsupported(M::NAME, ty)),
        };
        let numbers = if M::DIRECTION == Direction::Forward { length + 2 } else { length };
        cx.set_output_shape(0, Shape::new(others, &[numbers])?.as_slice())?;
        Ok(RowFft { rows, member: PhantomData })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        match (&self.rows, M::DIRECTION) {
            (TypedTransform::Float(rows), Direction::Forward) => rows.forward(cx),
            (TypedTransform::Short(rows), Direction::Forward) => rows.forward(cx),
            (TypedTransform::Long(rows), Direction::Forward) => rows.forward(cx),
            // The float transform returns the samples multiplied by their number.
            (TypedTransform::Float(rows), Direction::Inverse) => {
                let count = rows.fft.length() as f32;
                rows.inverse(cx, |y| y / count)
            }
            (TypedTransform::Short(rows), Direction::Inverse) => rows.inverse(cx, |y| y),
            (TypedTransform::Long(rows), Direction::Inverse) => rows.inverse(cx, |y| y),
        }
    }
}

impl<T: Sample> RowTransform<T> {
    fn new(cx: &mut PrepareContext<'_>, direction: Direction, length: i32, row: usize) -> Result<Self> {
        let fft = RealFft::prepare(cx, length, direction)?;
        let filled = cx.scratch(if direction == Direction::Forward { fft.length() } else { 0 })?;
        Ok(RowTransform { fft, row, filled })
    }

    fn forward(&self, cx: &EvalContext<'_>) -> Result<()> {
        let (mut fft, filled) = (self.fft.begin(cx)?, cx.scratch(&self.filled)?);
        filled.fill(T::ZERO);
        self.for_each(cx, self.fft.length() + 2, |x, y| {
            filled[..x.len()].copy_from_slice(x);
            fft.forward(filled, y);
        })
    }

    fn inverse(&self, cx: &EvalContext<'_>, finish: impl Fn(T) -> T) -> Result<()> {
        let mut fft = self.fft.begin(cx)?;
        self.for_each(cx, self.fft.length(), |x, y| {
            fft.inverse(x, y);
            y.iter_mut().for_each(|y| *y = finish(*y));
        })
    }

    /// Calls `f(input row, output row)` for each row; an output row has `numbers` elements.
    fn for_each(
        &self,
        cx: &EvalContext<'_>,
        numbers: usize,
        mut f: impl FnMut(&[T], &mut [T]),
    ) -> Result<()> {
        let (x, y) = (cx.input_slice::<T>(0)?, cx.output_slice::<T>(0)?);
        let mut pace = Pace::new(cx);
        for (x, y) in x.chunks_exact(self.row).zip(y.chunks_exact_mut(numbers)) {
            pace.ahead(self.fft.work())?;
            f(x, y);
        }
        Ok(())
    }
}
