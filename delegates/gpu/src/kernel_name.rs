//! The kernels, by name. Whatever depends on the kernel matches this enum without a wildcard, so that a new kernel compiles only once
//! every such place covers it.

use std::fmt;

macro_rules! kernel_names {
    ($($kernel:ident = $text:literal,)*) => {
        /// A kernel. Its text is `ops/NAME.cl` in OpenCL C and `ops/NAME.wgsl` in WGSL.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum KernelName {
            $(#[doc = concat!("`ops/", $text, ".*`.")] $kernel,)*
        }

        impl KernelName {
            /// All kernels.
            #[cfg(test)]
            pub const ALL: &[KernelName] = &[$(KernelName::$kernel,)*];

            /// The name of its files, and of its function in OpenCL C.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(KernelName::$kernel => $text,)*
                }
            }
        }
    };
}

kernel_names! {
    BatchMatmul = "batch_matmul",
    Chain = "chain",
    Conv2d = "conv_2d",
    DepthwiseConv2d = "depthwise_conv_2d",
    Elementwise = "elementwise",
    Gather = "gather",
    LayerNorm = "layer_norm",
    Lstm = "lstm",
    Moves = "moves",
    Pool2d = "pool_2d",
    Product = "product",
    Reduce = "reduce",
    Resize = "resize",
    Softmax = "softmax",
    Tiled = "tiled",
    TransposeConv = "transpose_conv",
    WinogradInverse = "winograd_inverse",
    WinogradTransform = "winograd_transform",
}

impl fmt::Display for KernelName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
