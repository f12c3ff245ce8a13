//! Convolutions and their gradients.

use crate::family;
use crate::kit::conv::{Conv, Kind, Member};
use crate::kit::kernel::FamilyNode;

family! { FamilyNode<Conv>:
    /// Conv2D: a convolution of images; filter `[rows, columns, depth, channels]`. Numbers.
    /// Defined by: tensorflow/core/kernels/conv_ops.cc.
    Conv2D "FlexConv2D" = Member { kind: Kind::Forward, axes: 2, depthwise: false };

    /// Conv2DBackpropFilter: the gradient of the filter. Inputs: images, filter shape, gradient of the output. Numbers.
    /// Defined by: tensorflow/core/kernels/conv_grad_filter_ops.cc.
    Conv2DBackpropFilter "FlexConv2DBackpropFilter" = Member {
        kind: Kind::Filter,
        axes: 2,
        depthwise: false,
    };

    /// Conv2DBackpropInput: the gradient of the images. Inputs: image shape, filter, gradient of the output. Numbers.
    /// Defined by: tensorflow/core/kernels/conv_grad_input_ops.cc.
    Conv2DBackpropInput "FlexConv2DBackpropInput" = Member { kind: Kind::Images, axes: 2, depthwise: false };

    /// Conv3D: a convolution of volumes; filter `[planes, rows, columns, depth, channels]`. Numbers.
    /// Defined by: tensorflow/core/kernels/conv_ops_3d.cc.
    Conv3D "FlexConv3D" = Member { kind: Kind::Forward, axes: 3, depthwise: false };

    /// Conv3DBackpropFilterV2: the gradient of the filter. Inputs: volumes, filter shape, gradient of the output.
    /// Numbers.
    /// Defined by: tensorflow/core/kernels/conv_grad_ops_3d.cc.
    Conv3DBackpropFilterV2 "FlexConv3DBackpropFilterV2" = Member {
        kind: Kind::Filter,
        axes: 3,
        depthwise: false,
    };

    /// Conv3DBackpropInputV2: the gradient of the volumes. Inputs: volume shape, filter, gradient of the output.
    /// Numbers.
    /// Defined by: tensorflow/core/kernels/conv_grad_ops_3d.cc.
    Conv3DBackpropInputV2 "FlexConv3DBackpropInputV2" = Member {
        kind: Kind::Images,
        axes: 3,
        depthwise: false,
    };

    /// DepthwiseConv2dNative: convolves each channel with its own filters, `[rows, columns, depth, multiplier]`.
    /// Numbers.
    /// Defined by: tensorflow/core/kernels/depthwise_conv_op.cc.
    DepthwiseConv2dNative "FlexDepthwiseConv2dNative" = Member {
        kind: Kind::Forward,
        axes: 2,
        depthwise: true,
    };

    /// DepthwiseConv2dNativeBackpropFilter: the gradient of the filter. Inputs: images, filter shape, gradient of the
    /// output. Numbers.
    /// Defined by: tensorflow/core/kernels/depthwise_conv_grad_op.cc.
    DepthwiseConv2dNativeBackpropFilter "FlexDepthwiseConv2dNativeBackpropFilter" = Member {
        kind: Kind::Filter,
        axes: 2,
        depthwise: true,
    };

    /// DepthwiseConv2dNativeBackpropInput: the gradient of the images. Inputs: image shape, filter, gradient of the
    /// output. Numbers.
    /// Defined by: tensorflow/core/kernels/depthwise_conv_grad_op.cc.
    DepthwiseConv2dNativeBackpropInput "FlexDepthwiseConv2dNativeBackpropInput" = Member {
        kind: Kind::Images,
        axes: 2,
        depthwise: true,
    };
}
