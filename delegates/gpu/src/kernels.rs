//! The kernels. Each is declared once: its buffers and numbers in order, its epilogue, its loops, and how work-groups
//! are chosen.
//!
//! ```text
//! declaration ─┬─► PARAMETERS of ops/X.cl               `Declaration::opencl`
//!              ├─► bindings and numbers of ops/X.wgsl   `Declaration::wgsl`
//!              ├─► a struct that the host fills         `X<B>`, whose fields are the arguments
//!              └─► iterations of a work-item's loops    `Call::iterations`
//! ```
//! A missing or swapped argument does not compile on the host. `build/spirv.rs` includes this file, so it names nothing
//! of the crate.

use std::fmt;
use std::fmt::Write as _;

/// How the size of work-groups is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A convolution, whose work-items of a column share weights. Its grid has the axes of [`Kind::Slices`].
    Convolution,
    /// Work-items for slices × columns × rows, or slices × rows.
    Slices,
    /// A kernel that is written for work-groups of one size, `work_groups::TILES`.
    Tiles,
    /// Anything else.
    Other,
}

/// How a kernel accesses a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Writes slices.
    Results,
    /// Writes slices of 32-bit floats, whatever the precision.
    WideResults,
    /// Writes single elements.
    ResultElements,
    /// Writes single elements, or slices where `SLICES` is set, as bits.
    Copies,
    /// Reads slices through a pointer.
    Slices,
    /// Reads slices, which may be the pixels of an image.
    Source,
    /// Reads slices, which may be the pixels of an image, and wide where `WIDE` is set.
    Input,
    /// Reads single elements.
    Elements,
    /// Reads single elements, or slices where `SLICES` is set, as bits.
    Originals,
    /// Reads slices of 32-bit floats, whatever the precision.
    WideSlices,
    /// Reads whole numbers.
    Integers,
    /// Reads 32-bit floats, whatever the precision.
    Floats,
}

impl Access {
    /// The type of the parameter in OpenCL C, with what separates it from the name.
    const fn opencl(self) -> &'static str {
        match self {
            Access::Results | Access::ResultElements => "__global REAL *",
            Access::WideResults => "__global float4 *",
            Access::Copies => "__global ELEMENT *",
            Access::Slices | Access::Elements => "__global const REAL *",
            Access::Source => "SOURCE ",
            Access::Input => "INPUT ",
            Access::Originals => "__global const ELEMENT *",
            Access::WideSlices => "__global const float4 *",
            Access::Integers => "__global const int *",
            Access::Floats => "__global const float *",
        }
    }

    /// The access mode and the type of an element in WGSL.
    const fn wgsl(self) -> [&'static str; 2] {
        match self {
            Access::Results => ["read_write", "Slice"],
            Access::WideResults => ["read_write", "vec4<f32>"],
            Access::ResultElements | Access::Copies => ["read_write", "Target"],
            Access::Slices | Access::Source => ["read", "Slice"],
            Access::Input => ["read", "Input"],
            Access::Elements | Access::Originals => ["read", "Word"],
            Access::WideSlices => ["read", "vec4<f32>"],
            Access::Integers => ["read", "i32"],
            Access::Floats => ["read", "f32"],
        }
    }
}

/// A number that a kernel is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Number {
    /// A count or a distance.
    Count(usize),
    /// The bits of a float or an element.
    Bits(u32),
}

impl From<usize> for Number {
    fn from(count: usize) -> Number {
        Number::Count(count)
    }
}

impl From<u32> for Number {
    fn from(bits: u32) -> Number {
        Number::Bits(bits)
    }
}

/// The numbers of a kernel.
pub trait Numbers {
    /// Their names in order, in groups that kernels share.
    const NAMES: &'static [&'static [&'static str]];

    /// Their values in order.
    fn values(&self) -> Vec<Number>;

    /// Numbers that are all 1, to count loops in tests.
    fn ones() -> Self;
}

macro_rules! numbers {
    ($(
        $(#[$doc:meta])*
        $Numbers:ident $(: $base:ident $Base:ident)? { $($field:ident: $ty:ident),* $(,)? }
    )*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $Numbers { $(pub $base: $Base,)? $(pub $field: $ty,)* }

        impl Numbers for $Numbers {
            const NAMES: &'static [&'static [&'static str]] =
                &[$($Base::NAMES[0],)? &[$(stringify!($field)),*]];

            fn values(&self) -> Vec<Number> {
                let values: Vec<Number> = vec![$(Number::from(self.$field)),*];
                $(let values = [self.$base.values(), values].concat();)?
                values
            }

            fn ones() -> Self {
                $Numbers { $($base: $Base::ones(),)? $($field: 1),* }
            }
        }
    )*};
}

numbers! {
    /// The window of a convolution or a pool: sizes, taps, strides, dilations, and rows and columns of padding before
    /// the input.
    Window {
        batches: usize, in_rows: usize, in_columns: usize, in_slices: usize,
        out_rows: usize, out_columns: usize, out_slices: usize, channels: usize,
        tap_rows: usize, tap_columns: usize, row_stride: usize, column_stride: usize,
        row_dilation: usize, column_dilation: usize, rows_before: usize, columns_before: usize,
    }
    /// A window whose channels each have `multiplier` filters.
    MultipliedWindow: window Window { multiplier: usize }
    /// Matrices at any strides of rows and columns.
    Matrices {
        products: usize, rows: usize, depth: usize, columns: usize, slices: usize,
        a_row: usize, a_column: usize, b_row: usize, b_column: usize,
        to_row: usize, to_channels: usize, to_pitch: usize,
    }
    /// Matrices whose rows are whole slices; strides and depth count slices.
    SliceMatrices { rows: usize, depth: usize, columns: usize, slices: usize, a_row: usize, b_row: usize, to_row: usize }
    /// Such matrices, and their number.
    CountedMatrices: matrices SliceMatrices { products: usize }
    /// Rows of a tensor.
    Rows { rows: usize, slices: usize, channels: usize }
    /// Rows, and the factor of softmax.
    SoftmaxRows: rows Rows { beta_bits: u32 }
    /// Rows, and the number that is added to variances.
    NormalizedRows: rows Rows { epsilon_bits: u32 }
    /// A result with `rank` outer dimensions, and whether operands advance along its rows.
    Broadcast {
        rank: usize, a_moves: usize, b_moves: usize, rows: usize, slices: usize, channels: usize,
    }
    /// Slices that indices select.
    Selection {
        count: usize, outer: usize, axis: usize, coords: usize, inner: usize,
        from_channels: usize, from_pitch: usize, to_channels: usize, to_pitch: usize,
    }
    /// A box of `rank` dimensions.
    MovedBox {
        rank: usize, count: usize, from_first: usize, to_first: usize,
        from_channels: usize, from_pitch: usize, to_channels: usize, to_pitch: usize, fill_bits: u32,
    }
    /// Dimensions that are kept and folded; `lines` of `size` elements are folded to one of the `results`.
    Folding {
        kept: usize, folded: usize, lines: usize, size: usize,
        results: usize, channels: usize, pitch: usize, divisor_bits: u32,
    }
    /// Images before and after they are resized.
    Images {
        batches: usize, in_rows: usize, in_columns: usize, out_rows: usize, out_columns: usize, slices: usize,
    }
    /// The cells of an LSTM in all rows and in one, and the lengths of padded rows of results and gates.
    Cells { count: usize, cells: usize, pitch: usize, gates_pitch: usize }
    /// Tiles of a Winograd convolution, and its input.
    InputTiles {
        tiles: usize, tile_rows: usize, tile_columns: usize,
        in_rows: usize, in_columns: usize, slices: usize, rows_before: usize, columns_before: usize,
    }
    /// Tiles of a Winograd convolution, and its output.
    OutputTiles {
        tiles: usize, tile_rows: usize, tile_columns: usize,
        out_rows: usize, out_columns: usize, slices: usize, channels: usize,
    }
}

/// The declaration of a kernel.
pub struct Declaration {
    /// The name of its function, and of its files in `ops`.
    pub name: &'static str,
    /// How its work-groups are chosen.
    pub kind: Kind,
    /// Whether results go through an epilogue.
    pub has_epilogue: bool,
    /// Its buffers in order; the first one is written.
    pub buffers: &'static [(&'static str, Access)],
    /// Names of its numbers, in groups.
    pub numbers: &'static [&'static [&'static str]],
    /// Iterations of a work-item whose numbers are all 1.
    pub iterations_of_ones: fn() -> u64,
}

impl Declaration {
    /// Names of its numbers, in order.
    pub fn number_names(&self) -> impl Iterator<Item = &'static str> {
        self.numbers.iter().copied().flatten().copied()
    }

    /// The number of its parameters, without the epilogue's.
    pub fn parameter_count(&self) -> usize {
        self.buffers.len() + self.number_names().count()
    }

    /// The parameter list in OpenCL C, without the parameters of the epilogue.
    pub fn opencl(&self) -> String {
        let buffers = self.buffers.iter().map(|(name, access)| format!("{}{name}", access.opencl()));
        let numbers = self.number_names().map(|name| format!("int {name}"));
        buffers.chain(numbers).collect::<Vec<_>>().join(", ")
    }

    /// The bindings and the numbers `n` in WGSL, where `from` is a keyword: the buffer is called `source`.
    pub fn wgsl(&self) -> String {
        let mut text = String::new();
        for (i, (name, access)) in self.buffers.iter().enumerate() {
            let ([mode, ty], name) = (access.wgsl(), if *name == "from" { "source" } else { name });
            let _ = writeln!(text, "@group(0) @binding({i}) var<storage, {mode}> {name}: array<{ty}>;");
        }
        let _ = writeln!(text, "struct Numbers {{");
        self.number_names().for_each(|name| _ = writeln!(text, "  {name}: i32,"));
        text + "}\nvar<immediate> n: Numbers;\n"
    }
}

/// A kernel with all of its arguments but the first, the buffer of results.
pub struct Call<B> {
    /// The kernel.
    pub kernel: KernelName,
    /// The buffers behind the first one.
    pub buffers: Vec<B>,
    /// All numbers.
    pub numbers: Vec<Number>,
    /// An upper bound of the iterations of a work-item's loops.
    pub iterations: u64,
}

macro_rules! kernels {
    ($(
        $(#[$doc:meta])*
        $Kernel:ident = $name:literal, $kind:ident, $has_epilogue:literal,
            (to: $to:ident $(, $buffer:ident: $access:ident)*), $Numbers:ident, $iterations:expr;
    )*) => {
        /// The kernels, by name. A match on it has no wildcard, so that it covers a new kernel or does not compile.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum KernelName {
            $($(#[$doc])* $Kernel,)*
        }

        impl KernelName {
            /// All kernels.
            pub const ALL: &[KernelName] = &[$(KernelName::$Kernel,)*];

            /// Its declaration.
            pub fn declaration(self) -> &'static Declaration {
                match self {
                    $(KernelName::$Kernel => {
                        const DECLARATION: Declaration = Declaration {
                            name: $name,
                            kind: Kind::$kind,
                            has_epilogue: $has_epilogue,
                            buffers: &[("to", Access::$to) $(, (stringify!($buffer), Access::$access))*],
                            numbers: $Numbers::NAMES,
                            iterations_of_ones: || $Kernel::<()>::ITERATIONS(&$Numbers::ones()),
                        };
                        &DECLARATION
                    })*
                }
            }
        }

        $(
            $(#[$doc])*
            pub struct $Kernel<B> { $(pub $buffer: B,)* pub numbers: $Numbers }

            impl<B> $Kernel<B> {
                /// An upper bound of the iterations of a work-item's loops.
                const ITERATIONS: fn(&$Numbers) -> u64 = $iterations;
            }

            impl<B> From<$Kernel<B>> for Call<B> {
                fn from(arguments: $Kernel<B>) -> Call<B> {
                    Call {
                        kernel: KernelName::$Kernel,
                        iterations: $Kernel::<B>::ITERATIONS(&arguments.numbers),
                        numbers: arguments.numbers.values(),
                        buffers: vec![$(arguments.$buffer),*],
                    }
                }
            }
        )*
    };
}

/// A loop of `times` iterations, each with `inner` iterations of loops inside; it compares once more than it iterates.
fn around(times: usize, inner: u64) -> u64 {
    (times as u64).saturating_mul(inner.saturating_add(1)).saturating_add(1)
}

kernels! {
    /// Products of matrices at any strides. A scattered result is written by elements: four rows of four.
    BatchMatmul = "batch_matmul", Slices, true,
        (to: ResultElements, a: Elements, b: Elements, starts: Integers, bias: WideSlices),
        Matrices, |n| around(n.depth, 0) + 4 * around(4, 0);
    /// A separate epilogue.
    Chain = "chain", Slices, true, (to: Results, from: Source), Rows, |_| 0;
    /// A convolution.
    Conv2d = "conv_2d", Convolution, true, (to: Results, from: Input, weights: Input, bias: WideSlices),
        Window, |n| around(n.tap_rows, around(n.tap_columns, around(n.in_slices, 0)));
    /// A depthwise convolution.
    DepthwiseConv2d = "depthwise_conv_2d", Slices, true,
        (to: Results, from: Input, weights: Input, bias: WideSlices),
        MultipliedWindow, |n| around(n.window.tap_rows, around(n.window.tap_columns, 0));
    /// A function of two tensors that broadcast.
    Elementwise = "elementwise", Slices, true, (to: Results, a: Slices, b: Slices, dims: Integers),
        Broadcast, |n| around(n.rank, 0) + around(4, 0);
    /// Slices that indices select.
    Gather = "gather", Other, false, (to: Copies, from: Originals, indices: Integers), Selection, |_| around(4, 0);
    /// Rows scaled to length 1.
    L2Norm = "l2_norm", Other, false, (to: Results, from: Slices), Rows, |n| 2 * around(n.slices, 0);
    /// Layer normalization.
    LayerNorm = "layer_norm", Other, false, (to: Results, from: Slices, gamma: Slices, beta: Slices),
        NormalizedRows, |n| 3 * around(n.rows.slices, 0);
    /// A step of an LSTM, behind its product.
    Lstm = "lstm", Other, false, (to: Results, state: Results, gates: Elements, before: Slices), Cells, |_| 0;
    /// A box of elements that move.
    Moves = "moves", Other, false, (to: Copies, from: Originals, dims: Integers),
        MovedBox, |n| around(n.rank, 0) + around(4, 0);
    /// A pool.
    Pool2d = "pool_2d", Slices, true, (to: Results, from: Input),
        Window, |n| around(n.tap_rows, around(n.tap_columns, 0));
    /// Products of matrices of whole slices.
    Product = "product", Slices, true, (to: Results, a: Input, b: Input, starts: Integers, bias: WideSlices),
        CountedMatrices, |n| around(n.matrices.depth, 0);
    /// A sum, a mean or an extreme.
    Reduce = "reduce", Other, false, (to: ResultElements, from: Elements, dims: Integers), Folding, |n| {
        let line = around(n.folded, 0) + around(n.size, 0);
        around(n.kept, 0).saturating_add(around(n.lines, line))
    };
    /// Images of another size.
    Resize = "resize", Slices, false,
        (to: Results, from: Source, lows: Integers, highs: Integers, distances: Floats), Images, |_| 0;
    /// Softmax, or its logarithm.
    Softmax = "softmax", Other, false, (to: Results, from: Slices), SoftmaxRows, |n| 3 * around(n.rows.slices, 0);
    /// Products of matrices through local memory. Per eight slices of depth: two loads of four, then eight products.
    Tiled = "tiled", Tiles, true, (to: Results, a: Input, b: Input, starts: Integers, bias: WideSlices),
        SliceMatrices, |n| around(n.depth.div_ceil(8), around(4, 0) + around(8, 0));
    /// The gradient of a convolution. `Window` describes the gradient's input and output; its dilations are 1.
    TransposeConv = "transpose_conv", Convolution, true,
        (to: Results, from: Input, weights: Input, bias: WideSlices),
        Window, |n| around(n.tap_rows, around(n.tap_columns, around(n.in_slices, 0)));
    /// Winograd's transform of products, along both axes of a tile.
    WinogradInverse = "winograd_inverse", Slices, true,
        (to: Results, products: WideSlices, bias: WideSlices), OutputTiles, |_| 2 * around(6, 2 * around(6, 0));
    /// Winograd's transform of an input, along both axes of a tile.
    WinogradTransform = "winograd_transform", Slices, false, (to: WideResults, from: Input),
        InputTiles, |_| 2 * around(6, 2 * around(6, 0));
}

impl fmt::Display for KernelName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.declaration().name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameter_lists_follow_the_declaration() {
        let pool = KernelName::Pool2d.declaration();
        assert!(pool.opencl().starts_with("__global REAL *to, INPUT from, int batches, int in_rows, "));
        let wgsl = [
            "@group(0) @binding(0) var<storage, read_write> to: array<Slice>;",
            "@group(0) @binding(1) var<storage, read> source: array<Input>;",
            "struct Numbers {",
            "  batches: i32,",
        ];
        assert!(pool.wgsl().starts_with(&wgsl.join("\n")));
        for declaration in KernelName::ALL.iter().map(|kernel| kernel.declaration()) {
            let parameters = declaration.opencl().split(", ").count();
            assert_eq!(parameters, declaration.parameter_count(), "{}", declaration.name);
        }
    }

    #[test]
    fn calls_have_the_declared_arguments() {
        let numbers = MultipliedWindow { window: Window { batches: 2, ..Window::ones() }, multiplier: 3 };
        let call = Call::from(DepthwiseConv2d { from: "x", weights: "w", bias: "b", numbers });
        assert_eq!((call.kernel, &call.buffers[..]), (KernelName::DepthwiseConv2d, &["x", "w", "b"][..]));
        let names: Vec<&str> = call.kernel.declaration().number_names().collect();
        assert_eq!(names.len(), call.numbers.len());
        assert_eq!((names[0], call.numbers[0]), ("batches", Number::Count(2)));
        assert_eq!((names[16], call.numbers[16]), ("multiplier", Number::Count(3)));
    }
}
