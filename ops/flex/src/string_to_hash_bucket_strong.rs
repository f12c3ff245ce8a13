//! StringToHashBucketStrong: the SipHash-2-4 of each string with the attribute `key`, modulo the attribute
//! `num_buckets`. STRING to I64.
//! Defined by: tensorflow/core/kernels/string_to_hash_bucket_op.h.

use arenite_abi::prelude::*;

use crate::kit::hash::sip;
use crate::kit::kernel::Node;
use crate::kit::node_def::NodeDef;
use crate::kit::text::{Measure, Measured, buckets};

/// The `FlexStringToHashBucketStrong` op.
pub type StringToHashBucketStrong = Node<Measured<Definition>>;

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

#[cfg(test)]
mod tests {
    use crate::kit::testing::tables::*;

    #[test]
    fn values() {
        let attributes = [("num_buckets", Int(1000)), ("key", Ints(&[1, 2]))];
        gives::<super::StringToHashBucketStrong>(
            &attributes,
            &[texts(&["", "a", "hello"])],
            &[longs(&[435, 646, 622])],
        );
        gives::<super::StringToHashBucketStrong>(&attributes, &[texts(&[])], &[longs(&[])]);
    }

    #[test]
    fn refusals() {
        let refused = |buckets: i64, key: &[i64], message: &str| {
            let attributes = [("num_buckets", Int(buckets)), ("key", Ints(key))];
            refuses::<super::StringToHashBucketStrong>(&attributes, &[text("a")], &[I64], message);
        };
        refused(10, &[1], "attribute 'key' is [1]; 2 numbers are needed");
        refused(-1, &[1, 2], "attribute 'num_buckets' is -1; it must be positive");
    }
}
