//! NON_MAX_SUPPRESSION_V5: the best boxes, the scores of those that overlap a better one lowered: [`NonMaxSuppression`].
//! Defined by: tflite/kernels/non_max_suppression.cc.

use crate::kit::non_max_suppression::NonMaxSuppression;

/// The op.
pub type NonMaxSuppressionV5 = NonMaxSuppression<121>;
