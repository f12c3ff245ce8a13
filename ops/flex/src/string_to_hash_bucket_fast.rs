//! StringToHashBucketFast: FarmHash's fingerprint of each string, modulo the attribute `num_buckets`. STRING
//! to I64.
//! Defined by: tensorflow/core/kernels/string_to_hash_bucket_op.h.

use arenite_abi::prelude::*;

use crate::kit::hash::farm;
use crate::kit::kernel::Node;
use crate::kit::node_def::NodeDef;
use crate::kit::text::{Measure, Measured, buckets};

/// The `FlexStringToHashBucketFast` op.
pub type StringToHashBucketFast = Node<Measured<Definition>>;

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

#[cfg(test)]
mod tests {
    use crate::kit::testing::tables::*;

    #[test]
    fn values() {
        // One text for each of the length classes that FarmHash distinguishes.
        let x = ["", "a", "hello", "hello worlds", "hello world, this is", &"x".repeat(40), &"y".repeat(100)];
        let want = [263, 939, 296, 398, 195, 852, 355];
        gives::<super::StringToHashBucketFast>(&[("num_buckets", Int(1000))], &[texts(&x)], &[longs(&want)]);
        let want = [1_936_946_117_179_621_456, 3_694_432_073_954_588_132];
        gives::<super::StringToHashBucketFast>(
            &[("num_buckets", Int(i64::MAX))],
            &[texts(&["", "a"])],
            &[longs(&want)],
        );
        gives::<super::StringToHashBucketFast>(&[("num_buckets", Int(1))], &[text("a")], &[long(0)]);
    }

    #[test]
    fn refusals() {
        let message = "attribute 'num_buckets' is 0; it must be positive";
        refuses::<super::StringToHashBucketFast>(&[("num_buckets", Int(0))], &[text("a")], &[I64], message);
        let message = "'in0' is INT32, not STRING";
        refuses::<super::StringToHashBucketFast>(&[("num_buckets", Int(1))], &[int(1)], &[I64], message);
    }
}
