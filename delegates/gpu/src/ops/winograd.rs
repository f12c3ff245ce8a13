//! Convolutions of 3 × 3 taps and stride 1 with a quarter of the multiplications: Winograd's minimal filtering `F(4 ×
//! 4, 3 × 3)`, as `arenite_kernels::f32_winograd` explains it.
//!
//! ```text
//! x ─► winograd_transform ─► 36 products of matrices ─► winograd_inverse ─► y
//!      Bᵀ d B of 6 × 6       [tile][input channel]      Aᵀ p A, bias, epilogue
//!      pixels, step 4       × [input][output channel]  4 × 4 pixels
//! ```
//! Intermediate values have 32 bits in any precision, because the transforms cancel digits. Results differ from plain
//! convolutions by rounding, and an infinity turns all pixels of its tile into NaN.

use arenite_abi::prelude::*;
use arenite_layers::Window;
use arenite_layers::layer::Conv2d;

use super::batch_matmul;
use super::tiled::Product;
use crate::device::Definition;
use crate::kernels::{self, InputTiles, OutputTiles};
use crate::net::Node;
use crate::plan::builder::Builder;
use crate::plan::epilogue::Epilogue;
use crate::plan::fused_task::FusedTask;
use crate::plan::task::{Buffer, StoredValue, Task};
use crate::plan::winograd::{ImageTiles, TILE};
use crate::store::layout::Layout;
use crate::store::precision::Precision;

/// Pixels of a tile of the input along each side.
const INPUT_TILE: usize = TILE + 2;
/// The number of products: pixels of an input tile.
const PRODUCTS: usize = INPUT_TILE * INPUT_TILE;

/// Adds the tasks of a layer, whose result has the layout `to`.
pub(crate) fn build<'a>(
    layer: &Conv2d<'a>,
    from: StoredValue,
    definitions: Vec<Definition>,
    to: Layout,
    node: &Node<'a>,
    builder: &mut Builder<'_, 'a>,
) -> Result<()> {
    let window = &layer.window;
    let tiles = ImageTiles::of(window);
    let transformed = transform(window, from, definitions, &tiles, builder)?;
    let product = multiply(layer, transformed, node, builder)?;
    let bias = builder.bias(layer.bias, to)?;
    let numbers = OutputTiles {
        tiles: tiles.count(),
        tile_rows: tiles.rows,
        tile_columns: tiles.columns,
        out_rows: window.rows.output,
        out_columns: window.columns.output,
        slices: to.slices(),
        channels: to.channels,
    };
    let task = FusedTask {
        call: kernels::WinogradInverse { products: product.buffer, bias, numbers }.into(),
        definitions: Vec::new(),
        grid: [to.slices(), tiles.count(), 1],
        clamp: layer.clamp,
        functions: &layer.epilogue,
    };
    task.push(builder, to, node.outputs[0]).map(drop)
}

/// Adds the transform of the input's tiles, which gives 36 matrices, one below the other.
fn transform(
    window: &Window,
    from: StoredValue,
    definitions: Vec<Definition>,
    tiles: &ImageTiles,
    builder: &mut Builder<'_, '_>,
) -> Result<StoredValue> {
    let (count, slices) = (tiles.count(), from.layout.slices());
    let layout = Layout { rows: PRODUCTS * count, channels: from.layout.pitch() };
    let to = builder.record_in(Precision::F32, layout)?;
    let numbers = InputTiles {
        tiles: count,
        tile_rows: tiles.rows,
        tile_columns: tiles.columns,
        in_rows: window.rows.input,
        in_columns: window.columns.input,
        slices,
        rows_before: window.rows.before,
        columns_before: window.columns.before,
    };
    let call = kernels::WinogradTransform { from: from.buffer, numbers };
    builder.push(Task::new(call, to.buffer, definitions, [slices, count, 1])?);
    Ok(to)
}

/// Adds the products of the transformed input and the transformed weights.
fn multiply<'a>(
    layer: &Conv2d<'a>,
    from: StoredValue,
    node: &Node<'a>,
    builder: &mut Builder<'_, 'a>,
) -> Result<StoredValue> {
    let (rows, depth, width) = (from.layout.rows / PRODUCTS, from.layout.slices(), layer.filters.div_ceil(4));
    let weights = weights(layer, node, builder)?;
    let bias = builder.bias(None, Layout { rows, channels: layer.filters })?;
    let to = builder.record_in(Precision::F32, Layout { rows: from.layout.rows, channels: 4 * width })?;
    let product = Product {
        operands: [from.buffer, weights],
        strides: [depth, width, width],
        starts: (0..PRODUCTS).map(|i| [i * rows * depth, i * 4 * depth * width, i * rows * width]).collect(),
        sizes: [rows, depth, 4 * width],
        bias,
    };
    let FusedTask { call, definitions, grid, .. } = batch_matmul::of_slices(&product, builder)?;
    let task = Task::new(call, to.buffer, definitions, grid)?;
    builder.push_in(Precision::F32, Epilogue::default().append_to(task));
    Ok(to)
}

/// `G g Gᵀ` of all filters: `[pixel of a tile][input channel][output channel]`, padded with zeros.
fn weights<'a>(layer: &Conv2d<'a>, node: &Node<'a>, builder: &mut Builder<'_, 'a>) -> Result<Buffer> {
    let channels = layer.window.channels;
    let (depth, width) = (channels.next_multiple_of(4), layer.filters.next_multiple_of(4));
    builder.weights(Precision::F32, node, "winograd", &layer.weights, |weights| {
        let mut packed = vec![0.0; PRODUCTS * depth * width];
        for (filter, weights) in weights.chunks_exact(9 * channels).enumerate() {
            for channel in 0..channels {
                let taps = std::array::from_fn(|tap| f64::from(weights[tap * channels + channel]));
                for (i, value) in filter_of_tile(taps).into_iter().enumerate() {
                    packed[(i * depth + channel) * width + filter] = value as f32;
                }
            }
        }
        packed
    })
}

/// `G g Gᵀ` of one filter.
fn filter_of_tile(taps: [f64; 9]) -> [f64; PRODUCTS] {
    let column = |[a, b, c]: [f64; 3]| {
        let (even, far) = (a + c, a + 4.0 * c);
        [a / 4.0, -(even + b) / 6.0, (b - even) / 6.0, (far + 2.0 * b) / 24.0, (far - 2.0 * b) / 24.0, c]
    };
    let columns: [[f64; 6]; 3] = std::array::from_fn(|x| column([taps[x], taps[3 + x], taps[6 + x]]));
    let rows: [[f64; 6]; 6] = std::array::from_fn(|y| column(columns.map(|column| column[y])));
    std::array::from_fn(|i| rows[i / 6][i % 6])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A filter of one tap is the product of two columns of `G`.
    #[test]
    fn filters_are_transformed_along_both_axes() {
        let mut taps = [0.0; 9];
        taps[3] = 24.0;
        let found = filter_of_tile(taps);
        let (down, across) =
            ([0.0, -1.0 / 6.0, 1.0 / 6.0, 1.0 / 12.0, -1.0 / 12.0, 0.0], [6.0, -4.0, -4.0, 1.0, 1.0, 0.0]);
        for (i, value) in found.into_iter().enumerate() {
            assert!((value - down[i / 6] * across[i % 6]).abs() < 1e-12, "{i}: {found:?}");
        }
    }
}
