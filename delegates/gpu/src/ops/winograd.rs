//! Convolutions of 3 × 3 taps and stride 1 with a quarter of the multiplications: Winograd's minimal filtering `F(4 × 4, 3 × 3)`, as
//! `arenite_kernels::f32_winograd` explains it.
//!
//! ```text
//! x ─► winograd_transform ─► 36 products of matrices ─► winograd_inverse ─► y
//!      Bᵀ d B of 6 × 6       [tile][input channel]      Aᵀ p A, bias, epilogue
//!      pixels, 4 apart       × [input][output channel]  4 × 4 pixels
//! ```
//! What is between them has 32 bits, however floats are stored: the transforms cancel. Sums are not those of plain convolutions to the last
//! bit, and an infinity makes all pixels of its tile no numbers.

use arenite_abi::prelude::*;
use arenite_layers::Window;
use arenite_layers::ops::Conv2d;

use super::conv_2d::bias;
use super::tiled::Product;
use super::{WithEpilogue, batch_matmul, plain, push};
use crate::builder::{Argument, Buffer, Builder, Place, Task, grid, numbers};
use crate::device::{About, Definition, Kernel};
use crate::kernel_name::KernelName;
use crate::layout::Layout;
use crate::net::Node;
use crate::precision::Precision;
use crate::work_groups::Kind;
use crate::{Adreno, Vendor};

/// Pixels of a tile along each side, before and behind.
const TILE: [usize; 2] = [6, 4];
/// Products: pixels of a tile.
const PRODUCTS: usize = TILE[0] * TILE[0];

/// Which convolutions are computed so, of those that can: such as have this much at least.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Winograd {
    /// Slices of input channels, and of output channels.
    slices: [usize; 2],
    /// Tiles.
    tiles: usize,
}

impl Winograd {
    const NONE: Winograd = Winograd { slices: [usize::MAX; 2], tiles: usize::MAX };
    const ALL: Winograd = Winograd { slices: [0; 2], tiles: 0 };

    /// What the option `winograd` asks for; `about` is that of a device with such kernels.
    pub fn asked(option: Option<&str>, about: Option<&About>) -> Result<Winograd> {
        match (option.unwrap_or("auto"), about) {
            ("auto", Some(about)) => Ok(Winograd::worth_it(about.kind, about.limits.vendor)),
            ("auto" | "false", _) => Ok(Winograd::NONE),
            ("true", Some(_)) => Ok(Winograd::ALL),
            ("true", None) => Err(unsupported!("option winograd = 'true': the device has no kernels for it")),
            (other, _) => Err(invalid!("option winograd = '{other}' is not there; known: auto, false, true")),
        }
    }

    /// TensorFlow Lite's rule for GPUs: products have to be large enough to make up for the transforms. Processors need fewer tiles to be
    /// busy.
    fn worth_it(kind: &str, vendor: Vendor) -> Winograd {
        match vendor {
            _ if kind == "cpu" => Winograd { slices: [16; 2], tiles: 16 },
            Vendor::Adreno(Adreno(600..700)) => Winograd { slices: [32; 2], tiles: 128 },
            Vendor::Adreno(_) => Winograd { slices: [32; 2], tiles: 64 },
            Vendor::Amd => Winograd { slices: [16, 8], tiles: 32 },
            _ => Winograd { slices: [16; 2], tiles: 32 },
        }
    }

    /// Whether a convolution is computed so.
    pub fn takes(self, window: &Window, filters: usize) -> bool {
        let fits = [window.rows, window.columns].iter().all(|a| [a.taps, a.stride, a.dilation] == [3, 1, 1]);
        let slices = [window.channels, filters].map(|channels| channels.div_ceil(4));
        let is_large = (0..2).all(|side| slices[side] >= self.slices[side]);
        fits && is_large && Tiles::of(window).count() >= self.tiles
    }
}

/// Tiles of all images.
struct Tiles {
    images: usize,
    rows: usize,
    columns: usize,
}

impl Tiles {
    fn of(window: &Window) -> Self {
        let [rows, columns] = [window.rows, window.columns].map(|axis| axis.output.div_ceil(TILE[1]));
        Tiles { images: window.batches, rows, columns }
    }

    fn count(&self) -> usize {
        self.images * self.rows * self.columns
    }
}

/// The tasks of a layer, whose result lies so.
pub fn build<'a>(
    layer: &Conv2d<'a>,
    ((from, definitions), to): ((Place, Vec<Definition>), Layout),
    node: &Node<'a>,
    builder: &mut Builder<'_, 'a>,
) -> Result<()> {
    let window = &layer.window;
    let tiles = Tiles::of(window);
    let transformed = transform(window, (from, definitions), &tiles, builder)?;
    let product = multiply(layer, transformed, node, builder)?;
    let bias = bias(layer.bias, to, builder)?;
    let mut arguments = vec![Argument::Buffer(product.buffer), Argument::Buffer(bias)];
    arguments.extend(numbers(&[tiles.count(), tiles.rows, tiles.columns])?);
    arguments.extend(numbers(&[window.rows.output, window.columns.output, to.slices(), to.channels])?);
    let task = WithEpilogue {
        name: KernelName::WinogradInverse,
        definitions: Vec::new(),
        arguments,
        grid: [to.slices(), tiles.count(), 1],
        kind: Kind::Other,
        clamp: layer.clamp,
        functions: &layer.epilogue,
    };
    push(builder, task, to, node.outputs[0]).map(drop)
}

/// The kernel on tiles of the input: 36 matrices, one below the other.
fn transform(
    window: &Window,
    (from, definitions): (Place, Vec<Definition>),
    tiles: &Tiles,
    builder: &mut Builder<'_, '_>,
) -> Result<Place> {
    let (count, slices) = (tiles.count(), from.layout.slices());
    let layout = Layout { rows: PRODUCTS * count, channels: from.layout.pitch() };
    let to = builder.record_in(Precision::F32, layout)?;
    let mut arguments = [to.buffer, from.buffer].map(Argument::Buffer).to_vec();
    arguments.extend(numbers(&[count, tiles.rows, tiles.columns, window.rows.input, window.columns.input])?);
    arguments.extend(numbers(&[slices, window.rows.before, window.columns.before])?);
    builder.push(Task {
        kernel: plain(KernelName::WinogradTransform, definitions),
        arguments,
        grid: grid([slices, count, 1])?,
        kind: Kind::Other,
    });
    Ok(to)
}

/// The products of matrices with those of weights.
fn multiply<'a>(
    layer: &Conv2d<'a>,
    from: Place,
    node: &Node<'a>,
    builder: &mut Builder<'_, 'a>,
) -> Result<Place> {
    let (rows, depth, width) = (from.layout.rows / PRODUCTS, from.layout.slices(), layer.filters.div_ceil(4));
    let weights = weights(layer, node, builder)?;
    let bias = bias(None, Layout { rows, channels: layer.filters }, builder)?;
    let to = builder.record_in(Precision::F32, Layout { rows: from.layout.rows, channels: 4 * width })?;
    let product = Product {
        operands: [from.buffer, weights],
        strides: [depth, width, width],
        starts: (0..PRODUCTS).map(|i| [i * rows * depth, i * 4 * depth * width, i * rows * width]).collect(),
        sizes: [rows, depth, 4 * width],
        bias,
    };
    let WithEpilogue { name, definitions, mut arguments, grid: sizes, kind, .. } =
        batch_matmul::of_slices(&product, builder)?;
    arguments.insert(0, Argument::Buffer(to.buffer));
    let kernel = Kernel { epilogue: Some(Vec::new()), ..plain(name, definitions) };
    builder.push_in(Precision::F32, Task { kernel, arguments, grid: grid(sizes)?, kind });
    Ok(to)
}

/// `G g Gᵀ` of all filters: `[pixel of a tile][input channel][output channel]`, filled up with zeros.
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

/// `G g Gᵀ`.
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
    use arenite_layers::Axis;

    use super::*;

    fn window(size: usize, taps: usize, stride: usize, channels: usize) -> Window {
        let axis = Axis { input: size, taps, output: size / stride, stride, dilation: 1, before: 1 };
        Window { batches: 1, rows: axis, columns: axis, channels }
    }

    #[test]
    fn large_convolutions_are_taken() {
        for (size, filters, want) in [(16, 64, true), (12, 64, false), (16, 60, false)] {
            let takes = Winograd::worth_it("cpu", Vendor::Other).takes(&window(size, 3, 1, 64), filters);
            assert_eq!(takes, want, "a processor, {size} {filters}");
        }
        for (vendor, size, channels, filters, want) in [
            (Vendor::Other, 24, 64, 64, true),
            (Vendor::Other, 20, 64, 64, false),
            (Vendor::Other, 24, 60, 64, false),
            (Vendor::Amd, 24, 64, 32, true),
            (Vendor::Adreno(Adreno(540)), 32, 128, 128, true),
            (Vendor::Adreno(Adreno(640)), 32, 128, 128, false),
            (Vendor::Adreno(Adreno(640)), 48, 125, 125, true),
        ] {
            let takes = Winograd::worth_it("gpu", vendor).takes(&window(size, 3, 1, channels), filters);
            assert_eq!(takes, want, "{vendor:?} {size} {channels} {filters}");
        }
        assert!(
            Winograd::ALL.takes(&window(1, 3, 1, 1), 1) && !Winograd::NONE.takes(&window(99, 3, 1, 999), 999)
        );
        for (taps, stride) in [(1, 1), (5, 1), (3, 2)] {
            assert!(!Winograd::ALL.takes(&window(24, taps, stride, 64), 64), "{taps} {stride}");
        }
    }

    #[test]
    fn the_option_names_what_is_taken() {
        let message = |option| Winograd::asked(option, None).map_err(|error| error.message().to_owned());
        assert_eq!(message(None), Ok(Winograd::NONE));
        assert_eq!(message(Some("false")), Ok(Winograd::NONE));
        assert_eq!(
            message(Some("true")),
            Err("option winograd = 'true': the device has no kernels for it".to_owned())
        );
        assert_eq!(
            message(Some("2")),
            Err("option winograd = '2' is not there; known: auto, false, true".to_owned())
        );
    }

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
