//! Updates that go where indices say.

use crate::family;
use crate::kit::kernel::Framed;
use crate::kit::scatter::{Kind, Member, Scatter};

family! { Framed<Scatter>:
    /// ScatterNd: slices of updates in a tensor of zeros, added where indices say. Numbers, BOOL, STRING.
    /// Defined by: tensorflow/core/kernels/scatter_nd_op.cc.
    ScatterNd "FlexScatterNd" = Member { kind: Kind::Add, to_zeros: true };

    /// TensorScatterAdd: slices of updates are added, where indices say, strings appended. Numbers, BOOL, STRING.
    /// Defined by: tensorflow/core/kernels/scatter_nd_op.cc.
    TensorScatterAdd "FlexTensorScatterAdd" = Member { kind: Kind::Add, to_zeros: false };

    /// TensorScatterMax: slices of updates stay where they are larger, where indices say. Reals, integers, BOOL.
    /// Defined by: tensorflow/core/kernels/scatter_nd_op.cc.
    TensorScatterMax "FlexTensorScatterMax" = Member { kind: Kind::Max, to_zeros: false };

    /// TensorScatterMin: slices of updates stay where they are smaller, where indices say. Reals, integers, BOOL.
    /// Defined by: tensorflow/core/kernels/scatter_nd_op.cc.
    TensorScatterMin "FlexTensorScatterMin" = Member { kind: Kind::Min, to_zeros: false };

    /// TensorScatterSub: slices of updates are subtracted, where indices say. Numbers, BOOL.
    /// Defined by: tensorflow/core/kernels/scatter_nd_op.cc.
    TensorScatterSub "FlexTensorScatterSub" = Member { kind: Kind::Sub, to_zeros: false };

    /// TensorScatterUpdate: slices of updates replace elements, where indices say. Numbers, BOOL, STRING.
    /// Defined by: tensorflow/core/kernels/scatter_nd_op.cc.
    TensorScatterUpdate "FlexTensorScatterUpdate" = Member { kind: Kind::Update, to_zeros: false };
}

#[cfg(test)]
mod tests;
