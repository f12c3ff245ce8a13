//! Reductions per segment.

use crate::family;
use crate::kit::kernel::FamilyNode;
use crate::kit::segment::{Kind, Member, Segment};

family! { FamilyNode<Segment>:
    /// SegmentMax: the largest elements among the slices of each segment. Numbers. Inputs: data, segments.
    /// Defined by: tensorflow/core/kernels/segment_reduction_ops_impl.h.
    SegmentMax "FlexSegmentMax" = Member { kind: Kind::Max, sorted: true };

    /// SegmentMean: the mean of the slices of each segment. Numbers. Inputs: data, segments.
    /// Defined by: tensorflow/core/kernels/segment_reduction_ops_impl.h.
    SegmentMean "FlexSegmentMean" = Member { kind: Kind::Mean, sorted: true };

    /// SegmentMin: the smallest elements among the slices of each segment. Numbers. Inputs: data, segments.
    /// Defined by: tensorflow/core/kernels/segment_reduction_ops_impl.h.
    SegmentMin "FlexSegmentMin" = Member { kind: Kind::Min, sorted: true };

    /// SegmentProd: the product of the slices of each segment. Numbers. Inputs: data, segments.
    /// Defined by: tensorflow/core/kernels/segment_reduction_ops_impl.h.
    SegmentProd "FlexSegmentProd" = Member { kind: Kind::Prod, sorted: true };

    /// SegmentSum: the sum of the slices of each segment. Numbers. Inputs: data, segments.
    /// Defined by: tensorflow/core/kernels/segment_reduction_ops_impl.h.
    SegmentSum "FlexSegmentSum" = Member { kind: Kind::Sum, sorted: true };

    /// UnsortedSegmentMax: the largest elements among the slices of each segment. Numbers. Inputs: data, segments,
    /// number of segments.
    /// Defined by: tensorflow/core/kernels/segment_reduction_ops_impl.h.
    UnsortedSegmentMax "FlexUnsortedSegmentMax" = Member { kind: Kind::Max, sorted: false };

    /// UnsortedSegmentMin: the smallest elements among the slices of each segment. Numbers. Inputs: data, segments,
    /// number of segments.
    /// Defined by: tensorflow/core/kernels/segment_reduction_ops_impl.h.
    UnsortedSegmentMin "FlexUnsortedSegmentMin" = Member { kind: Kind::Min, sorted: false };

    /// UnsortedSegmentProd: the product of the slices of each segment. Numbers. Inputs: data, segments, number of
    /// segments.
    /// Defined by: tensorflow/core/kernels/segment_reduction_ops_impl.h.
    UnsortedSegmentProd "FlexUnsortedSegmentProd" = Member { kind: Kind::Prod, sorted: false };

    /// UnsortedSegmentSum: the sum of the slices of each segment. Numbers. Inputs: data, segments, number of segments.
    /// Defined by: tensorflow/core/kernels/segment_reduction_ops_impl.h.
    UnsortedSegmentSum "FlexUnsortedSegmentSum" = Member { kind: Kind::Sum, sorted: false };
}
