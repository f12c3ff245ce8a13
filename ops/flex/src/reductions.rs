//! Reductions along axes.

use crate::family;
use crate::kit::kernel::FamilyNode;
use crate::kit::reduce::{Kind, Member, Reduce};

family! { FamilyNode<Reduce>:
    /// All: whether all elements along axes are true. BOOL.
    /// Defined by: tensorflow/core/kernels/reduction_ops_all.cc.
    All "FlexAll" = Member { kind: Kind::All };

    /// Any: whether any element along axes is true. BOOL.
    /// Defined by: tensorflow/core/kernels/reduction_ops_any.cc.
    Any "FlexAny" = Member { kind: Kind::Any };

    /// EuclideanNorm: the square root of the sum of squares along axes. Reals, integers, complex numbers.
    /// Defined by: tensorflow/core/kernels/reduction_ops_euclidean.cc.
    EuclideanNorm "FlexEuclideanNorm" = Member { kind: Kind::Norm };

    /// Max: the largest element along axes. Reals, integers.
    /// Defined by: tensorflow/core/kernels/reduction_ops_max.cc.
    Max "FlexMax" = Member { kind: Kind::Max };

    /// Mean: the mean along axes. Reals, integers, complex numbers.
    /// Defined by: tensorflow/core/kernels/reduction_ops_mean.cc.
    Mean "FlexMean" = Member { kind: Kind::Mean };

    /// Min: the smallest element along axes. Reals, integers.
    /// Defined by: tensorflow/core/kernels/reduction_ops_min.cc.
    Min "FlexMin" = Member { kind: Kind::Min };

    /// Prod: the product along axes. Reals, integers, complex numbers.
    /// Defined by: tensorflow/core/kernels/reduction_ops_prod.cc.
    Prod "FlexProd" = Member { kind: Kind::Prod };

    /// Sum: the sum along axes. Reals, integers, complex numbers.
    /// Defined by: tensorflow/core/kernels/reduction_ops_sum.cc.
    Sum "FlexSum" = Member { kind: Kind::Sum };
}
