//! Image resizing ops.

use crate::family;
use crate::kit::kernel::FamilyNode;
use crate::kit::resize::{self, Kind, Member};

family! { FamilyNode<resize::Resize>:
    /// ResizeArea: resizes images by averaging over areas. Reals and integers to F32.
    /// Defined by: tensorflow/core/kernels/image/resize_area_op.cc.
    ResizeArea "FlexResizeArea" = Member { kind: Kind::Area };

    /// ResizeBicubic: resizes images by cubic interpolation. Reals and integers to F32.
    /// Defined by: tensorflow/core/kernels/image/resize_bicubic_op.cc.
    ResizeBicubic "FlexResizeBicubic" = Member { kind: Kind::Bicubic };

    /// ResizeBilinear: resizes images by linear interpolation. Reals and integers to F32.
    /// Defined by: tensorflow/core/kernels/image/resize_bilinear_op.cc.
    ResizeBilinear "FlexResizeBilinear" = Member { kind: Kind::Bilinear };

    /// ResizeNearestNeighbor: resizes images by taking the nearest pixels. Reals and integers.
    /// Defined by: tensorflow/core/kernels/image/resize_nearest_neighbor_op.cc.
    ResizeNearestNeighbor "FlexResizeNearestNeighbor" = Member { kind: Kind::Nearest };
}
