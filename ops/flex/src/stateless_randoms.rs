//! Random numbers that depend only on their inputs.

use crate::family;
use crate::kit::kernel::FamilyNode;
use crate::kit::random::Distribution::{Normal, TruncatedNormal, Uniform};
use crate::kit::stateless::{Member, Stateless};

family! { FamilyNode<Stateless>:
    /// StatelessRandomNormal: standard normal numbers. F16, BF16, F32, F64. Inputs: shape, two seeds.
    /// Defined by: tensorflow/core/kernels/stateless_random_ops.cc.
    StatelessRandomNormal "FlexStatelessRandomNormal" = Member { draws: Normal, key: false };

    /// StatelessRandomNormalV2: standard normal numbers. F16, BF16, F32, F64. Inputs: shape, key, counter, algorithm.
    /// Defined by: tensorflow/core/kernels/stateless_random_ops_v2.cc.
    StatelessRandomNormalV2 "FlexStatelessRandomNormalV2" = Member { draws: Normal, key: true };

    /// StatelessRandomUniform: numbers in `0..1`. F16, BF16, F32, F64. Inputs: shape, two seeds.
    /// Defined by: tensorflow/core/kernels/stateless_random_ops.cc.
    StatelessRandomUniform "FlexStatelessRandomUniform" = Member { draws: Uniform, key: false };

    /// StatelessRandomUniformV2: numbers in `0..1`. F16, BF16, F32, F64. Inputs: shape, key, counter, algorithm.
    /// Defined by: tensorflow/core/kernels/stateless_random_ops_v2.cc.
    StatelessRandomUniformV2 "FlexStatelessRandomUniformV2" = Member { draws: Uniform, key: true };

    /// StatelessTruncatedNormal: standard normal numbers within two standard deviations. F16, BF16, F32, F64. Inputs:
    /// shape, two seeds.
    /// Defined by: tensorflow/core/kernels/stateless_random_ops.cc.
    StatelessTruncatedNormal "FlexStatelessTruncatedNormal" = Member { draws: TruncatedNormal, key: false };

    /// StatelessTruncatedNormalV2: standard normal numbers within two standard deviations. F16, BF16, F32, F64. Inputs:
    /// shape, key, counter, algorithm.
    /// Defined by: tensorflow/core/kernels/stateless_random_ops_v2.cc.
    StatelessTruncatedNormalV2 "FlexStatelessTruncatedNormalV2" = Member { draws: TruncatedNormal, key: true };
}
