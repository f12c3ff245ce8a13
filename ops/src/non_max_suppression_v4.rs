//! NON_MAX_SUPPRESSION_V4: the best boxes, those that overlap a better one left out: [`NonMaxSuppression`].
//! Defined by: tflite/kernels/non_max_suppression.cc.

use crate::kit::non_max_suppression::NonMaxSuppression;

/// The op.
pub type NonMaxSuppressionV4 = NonMaxSuppression<120>;
