//! RFFT2D: the Fourier transform of the last two axes of a real tensor, as a half spectrum. f32 to COMPLEX64.
//!
//! Defined by: tflite/kernels/rfft2d.cc.
//!
//! ```text
//! x [..., H, W] cropped or padded with zeros to lengths h, w: powers of two     y [..., h, w / 2 + 1]
//! y[k, l] = Σ x[m, n] × e^(−2πi (km / h + ln / w))
//! ```
//! Computed in f64 and rounded once. If the lengths are not constant, no scratch memory can be planned, so it is
//! computed in f32 in the output.

use arenite_abi::prelude::*;

use crate::kit::arguments::{Integers, expect_type, expect_vector};
use crate::kit::indexing::Dims;
use crate::kit::node;
use crate::kit::pace::Pace;
use crate::kit::radix2::{Layout, Real, split_real, transform};

plain! {
    /// A prepared `RFFT2D` node: scratch memory for one output slice as `[real, imaginary]`, if its size is known.
    pub struct Rfft2d {
        slice: Maybe<Scratch<f64>>,
    }
}

impl Op for Rfft2d {
    const CODE: OpCode = OpCode::Builtin(op::RFFT2D);
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const TYPES: ElementTypes = ElementTypes::of(&[F32, I32, C64]);
    const OUTPUT_TYPE: OutputType = OutputType::Fixed(C64);
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let (x, lengths, y) = node.binary()?;
        expect_type(&x, &[F32])?;
        expect_type(&lengths, &[I32])?;
        expect_type(&y, &[C64])?;
        ensure!(
            expect_vector(&lengths)? == 2,
            "lengths {lengths} are {:?}; there must be two",
            lengths.shape
        );
        ensure!(x.rank() >= 2, "input {x} is {:?}; it must have at least 2 dimensions", x.shape);
        if !lengths.is_constant() {
            cx.set_output_dynamic(0)?;
            return Ok(Rfft2d { slice: Maybe::Absent });
        }
        let shape = Shape::new(&x, &lengths)?;
        cx.set_output_shape(0, shape.output.as_slice())?;
        Ok(Rfft2d { slice: Maybe::Present(cx.scratch(2 * shape.slice())?) })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let x = cx.input(0)?;
        let shape = Shape::new(&x, &cx.input(1)?)?;
        let y = match self.slice.as_ref() {
            Some(_) => cx.output(0)?,
            None => cx.resize_output(0, shape.output.as_slice())?,
        };
        let (x, y) = (x.as_slice::<f32>()?, y.into_words::<[f32; 2]>()?);
        if y.is_empty() {
            return Ok(());
        }
        let mut pace = Pace::new(cx);
        let work = match self.slice.as_ref() {
            Some(slice) => cx.scratch(slice)?.as_chunks_mut().0,
            None => &mut [],
        };
        let (inputs, outputs) = (shape.input[0] * shape.input[1], shape.slice());
        for (i, y) in y.chunks_exact_mut(outputs).enumerate() {
            let x = &x[i * inputs..][..inputs];
            if self.slice.as_ref().is_none() {
                shape.transform(x, y, &mut pace)?;
                continue;
            }
            shape.transform(x, work, &mut pace)?;
            y.iter_mut().zip(&*work).for_each(|(y, &[re, im])| *y = [re as f32, im as f32]);
        }
        Ok(())
    }
}

/// The heights and widths of input and output.
struct Shape {
    input: [usize; 2],
    lengths: [usize; 2],
    output: Dims,
}

impl Shape {
    fn new(x: &TensorView<'_>, lengths: &TensorView<'_>) -> Result<Shape> {
        let list = Integers::of(lengths)?;
        let &[h, w] = &*list else {
            return Err(invalid!("lengths {lengths} are {:?}; there must be two", lengths.shape));
        };
        let served = |&n: &i64| n > 0 && n.count_ones() == 1;
        ensure!(list.iter().all(served), "lengths {lengths} are [{h}, {w}]; they must be powers of two");
        let dims = node::dims(x)?;
        let rank = dims.rank();
        let outer = x.shape[..rank - 2].iter().copied();
        let output = Dims::from_sizes(outer.chain([h as i32, (w / 2 + 1) as i32]))
            .ok_or_else(|| invalid!("input {x} is {:?}: too large for lengths [{h}, {w}]", x.shape))?;
        Ok(Shape {
            input: [dims.size(rank - 2), dims.size(rank - 1)],
            lengths: [h as usize, w as usize],
            output,
        })
    }

    /// The number of complex numbers in a slice of the output.
    fn slice(&self) -> usize {
        self.lengths[0] * (self.lengths[1] / 2 + 1)
    }

    /// Transforms one slice into `z`.
    fn transform<R: Real>(&self, x: &[f32], z: &mut [[R; 2]], pace: &mut Pace<'_, '_>) -> Result<()> {
        let ([height, width], [h, w]) = (self.input, self.lengths);
        let at = |m: usize, n: usize| if m < height && n < width { x[m * width + n] } else { 0.0 };
        if w == 1 {
            narrow(|m| at(m, 0), z);
            return Ok(());
        }
        // Two neighbors form one complex number, so only half the width is transformed.
        let half = w / 2;
        for (m, row) in z.chunks_exact_mut(half + 1).enumerate() {
            for (n, z) in row.iter_mut().enumerate() {
                *z = [at(m, 2 * n), at(m, 2 * n + 1)].map(|x| R::from_f64(x.into()));
            }
        }
        let mut rest = |butterflies: usize| pace.ahead(butterflies.saturating_mul(16));
        transform(z, &Layout { length: half, step: 1, count: h, distance: half + 1 }, &mut rest)?;
        z.chunks_exact_mut(half + 1).for_each(|row| split_real(row, half));
        transform(z, &Layout { length: h, step: half + 1, count: half + 1, distance: 1 }, &mut rest)
    }
}

/// TFLite's result for a width of 1, which its transform does not support: sums of pairs.
fn narrow<R: Real>(x: impl Fn(usize) -> f32, z: &mut [[R; 2]]) {
    let h = z.len();
    let x = |m: usize| f64::from(x(m));
    for m in 0..=h / 2 {
        let (re, im) = match m {
            0 => (x(0), -x(0)),
            _ if m == h / 2 => (x(m), 0.0),
            _ => ((x(m) + x(h - m)) / 2.0, -(x(m) + x(h - m)) / 2.0),
        };
        z[(h - m) % h] = [re, -im].map(R::from_f64);
        z[m] = [re, im].map(R::from_f64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn both(x: &Tensor, lengths: &[i32; 2]) -> [Tensor; 2] {
        let node = || OpTest::<Rfft2d>::new().input(x.clone()).output(Spec::of(C64));
        let lengths = || Tensor::i32(&[2], lengths);
        [node().constant(lengths()), node().input(lengths())].map(|test| test.run().unwrap().remove(0))
    }

    fn expect(x: Tensor, lengths: [i32; 2], want: &[(f32, f32)]) {
        for y in both(&x, &lengths) {
            let got: Vec<(f32, f32)> = y.as_complex64().iter().map(|y| (y.re, y.im)).collect();
            let near =
                |(a, b): (&(f32, f32), &(f32, f32))| (a.0 - b.0).abs() < 1e-5 && (a.1 - b.1).abs() < 1e-5;
            assert!(got.len() == want.len() && got.iter().zip(want).all(near), "{lengths:?}: {got:?}");
        }
    }

    #[test]
    fn spectra() {
        let row = || Tensor::f32(&[1, 4], &[1.0, 2.0, 3.0, 5.0]);
        expect(row(), [1, 4], &[(11.0, 0.0), (-2.0, 3.0), (-3.0, 0.0)]);
        // A row that is cropped, and one that is padded.
        expect(row(), [1, 2], &[(3.0, 0.0), (-1.0, 0.0)]);
        expect(Tensor::f32(&[1, 3], &[1.0, 2.0, 3.0]), [1, 4], &[(6.0, 0.0), (-2.0, -2.0), (2.0, 0.0)]);
        // Rows (3, −1) and (7, −1), then columns.
        let square = Tensor::f32(&[2, 2], &[1.0, 2.0, 3.0, 4.0]);
        expect(square.clone(), [2, 2], &[(10.0, 0.0), (-2.0, 0.0), (-4.0, 0.0), (0.0, 0.0)]);
        let two = Tensor::f32(&[2, 1, 2], &[1.0, 2.0, 3.0, 4.0]);
        assert_eq!(both(&two, &[1, 2])[0].shape(), [2, 1, 2]);
        expect(two, [1, 2], &[(3.0, 0.0), (-1.0, 0.0), (7.0, 0.0), (-1.0, 0.0)]);
        assert_eq!(both(&Tensor::f32(&[0, 1, 2], &[]), &[1, 2])[0].shape(), [0, 1, 2]);
    }

    #[test]
    fn one_column() {
        // LiteRT gives the same for the first column of [[1, …], [5, …], [9, …]].
        let x = || Tensor::f32(&[3, 2], &[1.0, 0.0, 5.0, 0.0, 9.0, 0.0]);
        expect(x(), [1, 1], &[(1.0, -1.0)]);
        expect(x(), [2, 1], &[(1.0, -1.0), (5.0, 0.0)]);
        expect(x(), [4, 1], &[(1.0, -1.0), (2.5, -2.5), (9.0, 0.0), (2.5, 2.5)]);
    }
}
