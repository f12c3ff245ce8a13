//! Pooling ops and their gradients.

use crate::family;
use crate::kit::kernel::FamilyNode;
use crate::kit::pool::{Kind, Member, Pool};

family! { FamilyNode<Pool>:
    /// AvgPool: the mean of each window. Reals.
    /// Defined by: tensorflow/core/kernels/avgpooling_op.cc.
    AvgPool "FlexAvgPool" = Member { axes: 2, kind: Kind::Average };

    /// AvgPool3D: the mean of each window over three axes. Reals.
    /// Defined by: tensorflow/core/kernels/pooling_ops_3d.cc.
    AvgPool3D "FlexAvgPool3D" = Member { axes: 3, kind: Kind::Average };

    /// AvgPool3DGrad: the gradient of AvgPool3D. Inputs: input shape, gradient. Reals.
    /// Defined by: tensorflow/core/kernels/pooling_ops_3d.cc.
    AvgPool3DGrad "FlexAvgPool3DGrad" = Member { axes: 3, kind: Kind::AverageGradient };

    /// AvgPoolGrad: the gradient of AvgPool. Inputs: input shape, gradient. Reals.
    /// Defined by: tensorflow/core/kernels/avgpooling_op.cc.
    AvgPoolGrad "FlexAvgPoolGrad" = Member { axes: 2, kind: Kind::AverageGradient };

    /// MaxPool: the largest element of each window. Reals.
    /// Defined by: tensorflow/core/kernels/maxpooling_op.cc.
    MaxPool "FlexMaxPool" = Member { axes: 2, kind: Kind::Maximum };

    /// MaxPool3D: the largest element of each window over three axes. Reals.
    /// Defined by: tensorflow/core/kernels/pooling_ops_3d.cc.
    MaxPool3D "FlexMaxPool3D" = Member { axes: 3, kind: Kind::Maximum };

    /// MaxPool3DGrad: the gradient of MaxPool3D. Inputs: input, maxima, gradient. Reals.
    /// Defined by: tensorflow/core/kernels/pooling_ops_3d.cc.
    MaxPool3DGrad "FlexMaxPool3DGrad" = Member { axes: 3, kind: Kind::MaximumGradient };

    /// MaxPoolGrad: the gradient of MaxPool. Inputs: input, maxima, gradient. Reals.
    /// Defined by: tensorflow/core/kernels/maxpooling_op.cc.
    MaxPoolGrad "FlexMaxPoolGrad" = Member { axes: 2, kind: Kind::MaximumGradient };
}
