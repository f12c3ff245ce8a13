//! Images of another size.

use crate::family;
use crate::kit::kernel::Framed;
use crate::kit::resize::{self, Kind, Member};

family! { Framed<resize::Resize>:
    /// ResizeArea: images of another size, of means over areas. Reals and integers to F32.
    /// Defined by: tensorflow/core/kernels/image/resize_area_op.cc.
    ResizeArea "FlexResizeArea" = Member { kind: Kind::Area };

    /// ResizeBicubic: images of another size, by cubics through pixels. Reals and integers to F32.
    /// Defined by: tensorflow/core/kernels/image/resize_bicubic_op.cc.
    ResizeBicubic "FlexResizeBicubic" = Member { kind: Kind::Bicubic };

    /// ResizeBilinear: images of another size, by lines between pixels. Reals and integers to F32.
    /// Defined by: tensorflow/core/kernels/image/resize_bilinear_op.cc.
    ResizeBilinear "FlexResizeBilinear" = Member { kind: Kind::Bilinear };

    /// ResizeNearestNeighbor: images of another size, of the nearest pixels. Reals and integers.
    /// Defined by: tensorflow/core/kernels/image/resize_nearest_neighbor_op.cc.
    ResizeNearestNeighbor "FlexResizeNearestNeighbor" = Member { kind: Kind::Nearest };
}

#[cfg(test)]
mod tests;
