//! Scattering updates by indices.

use crate::family;
use crate::kit::kernel::FamilyNode;
use crate::kit::scatter::{Kind, Member, Scatter};

family! { FamilyNode<Scatter>:
    /// ScatterNd: adds slices of updates to zeros at the given indices. Numbers, BOOL, STRING.
    /// Defined by: tensorflow/core/kernels/scatter_nd_op.cc.
    ScatterNd "FlexScatterNd" = Member { kind: Kind::Add, to_zeros: true };

    /// TensorScatterAdd: adds slices of updates at the given indices; strings are appended. Numbers, BOOL, STRING.
    /// Defined by: tensorflow/core/kernels/scatter_nd_op.cc.
    TensorScatterAdd "FlexTensorScatterAdd" = Member { kind: Kind::Add, to_zeros: false };

    /// TensorScatterMax: the maximum of the elements at the given indices and slices of updates. Reals, integers, BOOL.
    /// Defined by: tensorflow/core/kernels/scatter_nd_op.cc.
    TensorScatterMax "FlexTensorScatterMax" = Member { kind: Kind::Max, to_zeros: false };

    /// TensorScatterMin: the minimum of the elements at the given indices and slices of updates. Reals, integers, BOOL.
    /// Defined by: tensorflow/core/kernels/scatter_nd_op.cc.
    TensorScatterMin "FlexTensorScatterMin" = Member { kind: Kind::Min, to_zeros: false };

    /// TensorScatterSub: subtracts slices of updates at the given indices. Numbers, BOOL.
    /// Defined by: tensorflow/core/kernels/scatter_nd_op.cc.
    TensorScatterSub "FlexTensorScatterSub" = Member { kind: Kind::Sub, to_zeros: false };

    /// TensorScatterUpdate: replaces the elements at the given indices by slices of updates. Numbers, BOOL, STRING.
    /// Defined by: tensorflow/core/kernels/scatter_nd_op.cc.
    TensorScatterUpdate "FlexTensorScatterUpdate" = Member { kind: Kind::Update, to_zeros: false };
}
