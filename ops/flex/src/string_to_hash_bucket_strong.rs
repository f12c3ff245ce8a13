//! StringToHashBucketStrong: the SipHash-2-4 of each string with the attribute `key`, modulo the attribute
//! `num_buckets`. STRING to I64.
//! Defined by: tensorflow/core/kernels/string_to_hash_bucket_op.h.

use arenite_abi::prelude::*;

use crate::kit::hash::sip;
use crate::kit::kernel::Node;
use crate::kit::node_def::NodeDef;
use crate::kit::text::{Measure, TextMeasure, buckets};

/// The `FlexStringToHashBucketStrong` op.
pub type StringToHashBucketStrong = Node<TextMeasure<Definition>>;

/// Attributes, shape function and kernel of `FlexStringToHashBucketStrong`.
pub struct Definition {
    buckets: u64,
    key: [u64; 2],
}

impl Measure for Definition {
    const NAME: &'static str = "FlexStringToHashBucketStrong";

    fn new(def: &NodeDef<'_>) -> Result<Self> {
        Ok(Definition { buckets: buckets(def)?, key: def.ints_of::<2>("key")?.map(|word| word as u64) })
    }

    fn measure(&self, text: &[u8]) -> Result<i64> {
        Ok((sip(self.key, text) % self.buckets) as i64)
    }
}
