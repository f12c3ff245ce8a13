//! BATCH_MATMUL: `y[b] = x[b] × w[b]`. Either matrix may be stored transposed, and batch axes broadcast. f32; i8 to i8
//! or i32; i16; i16 × i8; f32 × i8, where the rows of x are quantized at run time (hybrid). The columns of w may have
//! separate scales. TFLite supports those only for hybrid products, and uses 0 for them elsewhere.
//! Defined by: tflite/kernels/batch_matmul.cc, tflite/kernels/internal/reference/batch_matmul.h.

use arenite_abi::prelude::*;
use arenite_abi::schema::BatchMatMulOptions;

use crate::kit::broadcast::Broadcast;
use crate::kit::channel_multipliers::{ChannelMultipliers, filter_scales};
use crate::kit::dot::{dot, dot_f32, dot_i64};
use crate::kit::hybrid::{QuantizedScratch, Symmetry};
use crate::kit::indexing::{Dims, MAX_RANK};
use crate::kit::node;
use crate::kit::pace::Pace;
use crate::kit::quantized::Quantized;

plain! {
    /// A prepared `BATCH_MATMUL` node.
    pub struct BatchMatMul {
        product: Product,
        kernel: Kernel,
    }
}

plain! {
    /// `[rows, depth] × [depth, columns]` for each batch. Both operands are read as rows of `depth` elements, w after
    /// transposing it.
    struct Product {
        rows: usize,
        columns: usize,
        depth: usize,
        /// The indices of the matrices of x and w.
        batches: Broadcast<2>,
        /// Whether x is stored as `[depth, rows]` and each matrix must be transposed before use.
        turn_x: bool,
        /// Whether w is stored as `[depth, columns]`.
        turn_w: bool,
    }
}

plain! {
    enum Kernel {
        Float(TransposeScratch<f32, f32>),
        Bytes { turned: TransposeScratch<i8, i8>, fixed: Fixed },
        /// i8 to i32: raw sums of products, without zero points.
        Sums(TransposeScratch<i8, i8>),
        Words { turned: TransposeScratch<i16, i16>, fixed: Fixed },
        WordsBytes { turned: TransposeScratch<i16, i8>, fixed: Fixed },
        /// Quantizes the rows of one matrix of x at a time.
        Hybrid { turned: TransposeScratch<f32, i8>, rows: QuantizedScratch },
    }
}

plain! {
    /// Scratch memory for one transposed matrix of each operand.
    struct TransposeScratch<X, W> {
        x: Scratch<X>,
        w: Scratch<W>,
    }
}

plain! {
    struct Fixed {
        x_zero: i32,
        w_zero: i32,
        y_zero: i32,
        multipliers: ChannelMultipliers,
    }
}

impl Op for BatchMatMul {
    const CODE: OpCode = OpCode::Builtin(op::BATCH_MATMUL);
    const VERSIONS: RangeInclusive<i32> = 1..=4;
    const TYPES: ElementTypes = ElementTypes::of(&[F32, I8, I16, I32]);
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let (x, w, y) = node.binary()?;
        let options = node.options()?;
        let product = Product::new(
            &x,
            &w,
            options.get(BatchMatMulOptions::ADJ_X)?,
            options.get(BatchMatMulOptions::ADJ_Y)?,
        )?;
        product.set_output_shape(cx)?;
        let kernel = match (x.ty, w.ty, y.ty) {
            (F32, F32, F32) => Kernel::Float(product.turned(cx)?),
            (I8, I8, I32) => Kernel::Sums(product.turned(cx)?),
            (I8, I8, I8) => {
                Kernel::Bytes { turned: product.turned(cx)?, fixed: Fixed::new(&product, [&x, &w, &y], cx)? }
            }
            (I16, I16, I16) => {
                Kernel::Words { turned: product.turned(cx)?, fixed: Fixed::new(&product, [&x, &w, &y], cx)? }
            }
            (I16, I8, I16) => Kernel::WordsBytes {
                turned: product.turned(cx)?,
                fixed: Fixed::new(&product, [&x, &w, &y], cx)?,
            },
            (F32, I8, F32) => {
                let symmetry = match options.get(BatchMatMulOptions::ASYMMETRIC_QUANTIZE_INPUTS)? {
                    true => Symmetry::Asymmetric,
                    false => Symmetry::Symmetric,
                };
                filter_scales(&w, product.columns, product.column_axis(&w))?;
                let rows = QuantizedScratch::prepare(cx, product.rows, product.depth, symmetry)?;
                Kernel::Hybrid { turned: product.turned(cx)?, rows }
            }
            (x, w, y) => return Err(unsupported!("no kernel for {x} × {w} to {y}")),
        };
        Ok(BatchMatMul { product, kernel })
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        let product = &self.product;
        match &self.kernel {
            Kernel::Float(turned) => product.eval(cx, turned, |x: &[f32], w: &[f32], _| dot_f32(x, w)),
            Kernel::Sums(turned) => product.eval(cx, turned, |x: &[i8], w: &[i8], _| dot(x, 0, w, 0)),
            Kernel::Bytes { turned, fixed } => {
                let multipliers = fixed.multipliers.read(cx)?;
                product.eval(cx, turned, |x: &[i8], w: &[i8], c| {
                    fixed.output::<i8>(multipliers.of(c).apply(dot(x, fixed.x_zero, w, fixed.w_zero)))
                })
            }
            Kernel::Words { turned, fixed } => product.eval_i64(cx, turned, fixed),
            Kernel::WordsBytes { turned, fixed } => product.eval_i64(cx, turned, fixed),
            Kernel::Hybrid { turned, rows } => product.eval_hybrid(cx, turned, rows),
        }
    }
}

impl Product {
    fn new(x: &TensorView<'_>, w: &TensorView<'_>, turn_x: bool, adjoint_w: bool) -> Result<Product> {
        let (x_dims, w_dims) = (node::dims(x)?, node::dims(w)?);
        for (tensor, dims) in [(x, &x_dims), (w, &w_dims)] {
            ensure!(dims.rank() >= 2, "input {tensor} is {:?}; it needs at least 2 axes", tensor.shape);
        }
        let disagree = || {
            invalid!(
                "input {x} is {:?}, input {w} is {:?}; with adjoints {turn_x} and {adjoint_w} they cannot be multiplied",
                x.shape,
                w.shape
            )
        };
        let ((rows, depth), (w_depth, columns)) = (matrix(&x_dims, turn_x), matrix(&w_dims, adjoint_w));
        let batches = Broadcast::new([&batch_dims(&x_dims), &batch_dims(&w_dims)]).ok_or_else(disagree)?;
        if depth != w_depth {
            return Err(disagree());
        }
        Ok(Product { rows, columns, depth, batches, turn_x, turn_w: !adjoint_w })
    }

    fn set_output_shape(&self, cx: &mut PrepareContext<'_>) -> Result<()> {
        let batches = self.batches.output();
        let rank = batches.rank();
        let mut sizes = [0; MAX_RANK];
        sizes[..rank].copy_from_slice(batches.as_slice());
        sizes[rank] = self.rows as i32;
        sizes[rank + 1] = self.columns as i32;
        cx.set_output_shape(0, &sizes[..rank + 2])
    }

    fn turned<X: Element, W: Element>(&self, cx: &mut PrepareContext<'_>) -> Result<TransposeScratch<X, W>> {
        Ok(TransposeScratch {
            x: cx.scratch(if self.turn_x { self.x_size() } else { 0 })?,
            w: cx.scratch(if self.turn_w { self.w_size() } else { 0 })?,
        })
    }

    /// The axis of w that enumerates its columns.
    fn column_axis(&self, w: &TensorView<'_>) -> usize {
        w.rank().saturating_sub(if self.turn_w { 1 } else { 2 })
    }

    /// The number of elements of one matrix of x. The product cannot overflow, because whole tensors were checked.
    fn x_size(&self) -> usize {
        self.rows * self.depth
    }

    fn w_size(&self) -> usize {
        self.columns * self.depth
    }

    /// Computes `y[b, r, c] = f(row r of x, column c of w, c)`.
    fn eval<X: Element, W: Element, Y: Element>(
        &self,
        cx: &EvalContext<'_>,
        turned: &TransposeScratch<X, W>,
        f: impl Fn(&[X], &[W], usize) -> Y,
    ) -> Result<()> {
        let (x, w) = (cx.input_slice::<X>(0)?, cx.input_slice::<W>(1)?);
        let (x_turned, w_turned) = (cx.scratch(&turned.x)?, cx.scratch(&turned.w)?);
        let y = cx.output_slice::<Y>(0)?;
        let (mut pace, mut done) = (Pace::new(cx), Ok(()));
        self.batches.for_each2(|out, a, b| {
            if done.is_err() {
                return;
            }
            let x = operand(matrix_at(x, a, self.x_size()), self.turn_x.then_some(&mut *x_turned), self.rows);
            let w =
                operand(matrix_at(w, b, self.w_size()), self.turn_w.then_some(&mut *w_turned), self.columns);
            done =
                self.for_each_element(&mut pace, matrix_at_mut(y, out, self.rows * self.columns), |r, c| {
                    f(row(x, r, self.depth), row(w, c, self.depth), c)
                });
        });
        done
    }

    fn eval_i64<X: Quantized, W: Quantized>(
        &self,
        cx: &EvalContext<'_>,
        turned: &TransposeScratch<X, W>,
        fixed: &Fixed,
    ) -> Result<()> {
        let multipliers = fixed.multipliers.read(cx)?;
        self.eval(cx, turned, |x: &[X], w: &[W], c| {
            fixed.output::<i16>(multipliers.of(c).apply_i64(dot_i64(x, fixed.x_zero, w, fixed.w_zero)))
        })
    }

    fn eval_hybrid(
        &self,
        cx: &EvalContext<'_>,
        turned: &TransposeScratch<f32, i8>,
        rows: &QuantizedScratch,
    ) -> Result<()> {
        let (x, filter) = (cx.input_slice::<f32>(0)?, cx.input(1)?);
        let w = filter.as_slice::<i8>()?;
        let q = filter.quantization().ok_or_else(|| invalid!("input {filter} lost its scales"))?;
        let (x_turned, w_turned) = (cx.scratch(&turned.x)?, cx.scratch(&turned.w)?);
        let mut rows = rows.begin(cx)?;
        let y = cx.output_slice::<f32>(0)?;
        if self.depth == 0 {
            y.fill(0.0);
            return Ok(());
        }
        let (mut pace, mut done) = (Pace::new(cx), Ok(()));
        self.batches.for_each2(|out, a, b| {
            if done.is_err() {
                return;
            }
            let x = operand(matrix_at(x, a, self.x_size()), self.turn_x.then_some(&mut *x_turned), self.rows);
            let w =
                operand(matrix_at(w, b, self.w_size()), self.turn_w.then_some(&mut *w_turned), self.columns);
            rows.quantize(x);
            done =
                self.for_each_element(&mut pace, matrix_at_mut(y, out, self.rows * self.columns), |r, c| {
                    let x = rows.row(r);
                    let sum = dot(x.elements, x.zero_point, row(w, c, self.depth), 0);
                    sum as f32 * (x.scale * q.scale_of(c))
                });
        });
        done
    }

    fn for_each_element<Y>(
        &self,
        pace: &mut Pace<'_, '_>,
        y: &mut [Y],
        f: impl Fn(usize, usize) -> Y,
    ) -> Result<()> {
        for (r, y) in y.chunks_exact_mut(self.columns.max(1)).enumerate() {
            for (c, y) in y.iter_mut().enumerate() {
                pace.ahead(self.depth)?;
                *y = f(r, c);
            }
        }
        Ok(())
    }
}

impl Fixed {
    fn new(product: &Product, [x, w, y]: [&TensorView<'_>; 3], cx: &mut PrepareContext<'_>) -> Result<Fixed> {
        let scales = filter_scales(w, product.columns, product.column_axis(w))?;
        let (x_zero, y_zero) = (node::quant(x)?.zero_point, node::quant(y)?.zero_point);
        let w_zero = scales.zero_points[0] as i32;
        ensure!(
            x.ty != I16 || (x_zero, w_zero, y_zero) == (0, 0, 0),
            "zero points of {x}, {w}, {y} are {x_zero}, {w_zero}, {y_zero}; for i16 they must be 0"
        );
        let multipliers = match scales.scales.len() {
            1 => ChannelMultipliers::per_tensor(cx, [x, w, y])?,
            _ => {
                ensure!(
                    scales.zero_points.iter().all(|&zero| zero == 0),
                    "{w} has a scale for each column and zero points {:?}; they must be 0",
                    scales.zero_points
                );
                ChannelMultipliers::per_channel(cx, [x, w, y], product.columns, product.column_axis(w))?
            }
        };
        Ok(Fixed { x_zero, w_zero, y_zero, multipliers })
    }

    fn output<Y: Quantized>(&self, scaled: i32) -> Y {
        Y::saturate(scaled.wrapping_add(self.y_zero))
    }
}

/// The last two sizes, swapped if the matrix is stored transposed.
fn matrix(dims: &Dims, transposed: bool) -> (usize, usize) {
    let (a, b) = (dims.size(dims.rank() - 2), dims.size(dims.rank() - 1));
    if transposed { (b, a) } else { (a, b) }
}

fn batch_dims(dims: &Dims) -> Dims {
    Dims::new(&dims.as_slice()[..dims.rank() - 2]).unwrap_or(Dims::SCALAR)
}

fn matrix_at<T>(data: &[T], index: usize, size: usize) -> &[T] {
    data.get(index * size..(index + 1) * size).unwrap_or(&[])
}

fn matrix_at_mut<T>(data: &mut [T], index: usize, size: usize) -> &mut [T] {
    data.get_mut(index * size..(index + 1) * size).unwrap_or(&mut [])
}

fn row<T>(data: &[T], index: usize, length: usize) -> &[T] {
    matrix_at(data, index, length)
}

/// The matrix with `rows` rows: `matrix` itself, or its transpose from `[length, rows]` if there is scratch memory for
/// that.
fn operand<'a, T: Copy>(matrix: &'a [T], turned: Option<&'a mut [T]>, rows: usize) -> &'a [T] {
    let Some(turned) = turned else { return matrix };
    let length = matrix.len() / rows.max(1);
    for (r, row) in turned.chunks_exact_mut(length.max(1)).enumerate() {
        for (to, from) in row.iter_mut().zip(matrix.iter().skip(r).step_by(rows.max(1))) {
            *to = *from;
        }
    }
    turned
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn test(x: Tensor, w: Tensor, y: Spec) -> OpTest<BatchMatMul> {
        OpTest::new().input(x).input(w).output(y)
    }

    fn adjoint(
        x: bool,
        w: bool,
    ) -> impl FnOnce(
        arenite_abi::testing::OptionsBuilder<BatchMatMulOptions>,
    ) -> arenite_abi::testing::OptionsBuilder<BatchMatMulOptions> {
        move |o| o.set(BatchMatMulOptions::ADJ_X, x).set(BatchMatMulOptions::ADJ_Y, w)
    }

    #[test]
    fn four_combinations_of_transposed_operands() {
        // [1 2 3; 4 5 6] × [1 0; 0 1; 2 2]
        let x = Tensor::f32(&[2, 3], &[1., 2., 3., 4., 5., 6.]);
        let x_turned = Tensor::f32(&[3, 2], &[1., 4., 2., 5., 3., 6.]);
        let w = Tensor::f32(&[3, 2], &[1., 0., 0., 1., 2., 2.]);
        let w_turned = Tensor::f32(&[2, 3], &[1., 0., 2., 0., 1., 2.]);
        for turn_x in [false, true] {
            for turn_w in [false, true] {
                let x = if turn_x { &x_turned } else { &x };
                let w = if turn_w { &w_turned } else { &w };
                let y =
                    test(x.clone(), w.clone(), Spec::f32()).options(adjoint(turn_x, turn_w)).run().unwrap();
                assert_eq!(y[0].shape(), [2, 2]);
                assert_eq!(y[0].as_f32(), [7., 8., 16., 17.], "{turn_x} {turn_w}");
            }
        }
    }

    #[test]
    fn batches_broadcast() {
        let x = Tensor::f32(&[2, 1, 1, 2], &[1., 2., 3., 4.]);
        let w = Tensor::f32(&[3, 2, 1], &[1., 0., 0., 1., 1., 1.]);
        let y = test(x, w, Spec::f32()).run().unwrap();
        assert_eq!(y[0].shape(), [2, 3, 1, 1]);
        assert_eq!(y[0].as_f32(), [1., 2., 3., 3., 4., 7.]);
    }

    #[test]
    fn quantized() {
        // Real values: (3 - 1) × 0.5 = 1 and (5 - 1) × 0.5 = 2 with 2 and -1 give 1 × 2 + 2 × -1 = 0; the zero point is
        // 4.
        let x = Tensor::i8(&[1, 2], &[3, 5]).quantized(0.5, 1);
        let w = Tensor::i8(&[2, 2], &[2, 3, -1, 7]).quantized(1.0, 0);
        let y = test(x.clone(), w.clone(), Spec::i8(0.5, 4)).run().unwrap();
        // Second column: 1 × 3 + 2 × 7 = 17 -> 34 + 4.
        assert_eq!(y[0].as_i8(), [4, 38]);
        // To i32: 3 × 2 + 5 × -1 and 3 × 3 + 5 × 7, without zero points.
        let y = test(x, w.clone(), Spec::i32()).run().unwrap();
        assert_eq!(y[0].as_i32(), [1, 44]);
        let x = Tensor::i16(&[1, 2], &[1000, -2000]).quantized(0.001, 0);
        let y = test(x.clone(), w, Spec::i16(0.001, 0)).run().unwrap();
        assert_eq!(y[0].as_i16(), [4000, -11000]);
        let w = Tensor::i16(&[2, 1], &[300, 100]).quantized(0.01, 0);
        let y = test(x, w, Spec::i16(0.001, 0)).run().unwrap();
        assert_eq!(y[0].as_i16(), [1000]);
    }

    #[test]
    fn per_column_scales() {
        let x = Tensor::i16(&[1, 2], &[100, 200]).quantized(1.0, 0);
        let w = Tensor::i8(&[2, 2], &[1, 2, 3, 4]).per_channel(&[1.0, 0.5], &[0, 0], 1);
        assert_eq!(test(x.clone(), w, Spec::i16(1.0, 0)).run().unwrap()[0].as_i16(), [700, 500]);
        let w = Tensor::i8(&[2, 2], &[1, 3, 2, 4]).per_channel(&[1.0, 0.5], &[0, 0], 0);
        let y = test(x.clone(), w.clone(), Spec::i16(1.0, 0)).options(adjoint(false, true)).run().unwrap();
        assert_eq!(y[0].as_i16(), [700, 500]);
        assert_eq!(
            test(x, w, Spec::i16(1.0, 0)).run().unwrap_err().message(),
            "filter 'in1' has scales along dimension 0; its output channels are dimension 1"
        );
    }

    #[test]
    fn hybrid() {
        let x = Tensor::f32(&[2, 2], &[127.0, -1.0, 0.0, 0.0]);
        let w = Tensor::i8(&[2, 2], &[1, 2, 3, 4]).per_channel(&[1.0, 0.5], &[0, 0], 1);
        let y = test(x.clone(), w.clone(), Spec::f32()).run().unwrap();
        assert_eq!(y[0].as_f32(), [124.0, 125.0, 0.0, 0.0]);
        // Asymmetric: the range [-1, 127] has the scale 128 / 255, so 127 is 253 steps and -1 is two.
        let y = test(x, w, Spec::f32())
            .options(|o| o.set(BatchMatMulOptions::ASYMMETRIC_QUANTIZE_INPUTS, true))
            .run()
            .unwrap();
        let step = 128.0 / 255.0;
        for (got, want) in y[0].as_f32().iter().zip([(253. - 6.) * step, (253. - 4.) * step, 0.0, 0.0]) {
            assert!((got - want).abs() < 1e-4, "{got} {want}");
        }
    }

    #[test]
    fn empty_sums_are_zero() {
        let x = Tensor::f32(&[1, 0], &[]);
        let y = test(x.clone(), Tensor::f32(&[0, 2], &[]), Spec::f32()).run().unwrap();
        assert_eq!(y[0].as_f32(), [0.0, 0.0]);
        let w = Tensor::i8(&[0, 2], &[]).quantized(1.0, 0);
        assert_eq!(test(x, w, Spec::f32()).run().unwrap()[0].as_f32(), [0.0, 0.0]);
    }
}
