//! StringToHashBucketFast: FarmHash's fingerprint of each string, modulo the attribute `num_buckets`. STRING
//! to I64.
//! Defined by: tensorflow/core/kernels/string_to_hash_bucket_op.h.

use arenite_abi::prelude::*;

use crate::kit::hash::farm;
use crate::kit::kernel::Node;
use crate::kit::node_def::NodeDef;
use crate::kit::text::{Measure, TextMeasure, buckets};

/// The `FlexStringToHashBucketFast` op.
pub type StringToHashBucketFast = Node<TextMeasure<Definition>>;

/// Attributes, shape function and kernel of `FlexStringToHashBucketFast`.
pub struct Definition {
    buckets: u64,
}

impl Measure for Definition {
    const NAME: &'static str = "FlexStringToHashBucketFast";

    fn new(def: &NodeDef<'_>) -> Result<Self> {
        Ok(Definition { buckets: buckets(def)? })
    }

    fn measure(&self, text: &[u8]) -> Result<i64> {
        Ok((farm(text) % self.buckets) as i64)
    }
}
