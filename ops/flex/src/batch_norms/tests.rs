//! Tests the results and the errors of the ops.

use crate::batch_norms::{FusedBatchNorm, FusedBatchNormV2, FusedBatchNormV3};
use crate::kit::testing::cases::*;

/// Checks the results of every member for images of type `ty`; `more` are the outputs after the fifth.
fn normalizes<T: Op>(ty: ElementType, more: &[Tensor]) {
    let list = |x: &[f64]| of(F32, &[x.len() as i32], x);
    let norm = |attributes: &[_], given: [&[f64]; 2], y: &[f64], outputs: [&[f64]; 4]| {
        let x = of(ty, &[2, 1, 1, 2], &[1.0, 2.0, 3.0, 4.0]);
        let inputs = [x, list(&[2.0, 1.0]), list(&[0.0, 10.0]), list(given[0]), list(given[1])];
        let [a, b, c, d] = outputs.map(list);
        let y = of(ty, &[2, 1, 1, 2], y);
        gives::<T>(attributes, &inputs, &[&[y, a, b, c, d], more].concat());
    };
    let epsilon = ("epsilon", Float(0.0));
    // Channel 0 holds 1 and 3, channel 1 holds 2 and 4: their means are 2 and 3, both variances are 1, or 2 without
    // bias.
    let own = [-2.0, 9.0, 2.0, 11.0];
    norm(&[epsilon], [&[], &[]], &own, [&[2.0, 3.0], &[2.0, 2.0], &[2.0, 3.0], &[1.0, 1.0]]);
    // The old values and the new ones are averaged.
    let half = [epsilon, ("exponential_avg_factor", Float(0.5))];
    let mixed: [&[f64]; 4] = [&[3.0, 4.5], &[5.0, 1.0], &[2.0, 3.0], &[1.0, 1.0]];
    norm(&half, [&[4.0, 6.0], &[8.0, 0.0]], &own, mixed);
    // With given means and variances: the square roots of 3 + 1 and 0 + 1.
    let given = [("is_training", Flag(false)), ("epsilon", Float(1.0))];
    let same: [&[f64]; 4] = [&[1.0, 2.0], &[3.0, 0.0], &[1.0, 2.0], &[3.0, 0.0]];
    norm(&given, [&[1.0, 2.0], &[3.0, 0.0]], &[0.0, 10.0, 2.0, 12.0], same);
    // An empty batch.
    let (x, one, zero, nan) = (of(ty, &[0, 1, 1, 1], &[]), list(&[1.0]), list(&[0.0]), list(&[f64::NAN]));
    let outputs = [x.clone(), nan.clone(), nan, zero.clone(), zero];
    let inputs = [x, one.clone(), one.clone(), one.clone(), one];
    gives::<T>(&[], &inputs, &[&outputs, more].concat());
}

/// Checks the errors of an op with `outputs` outputs.
fn refuses_wrong_shapes<T: Op>(outputs: usize) {
    let refused = |attributes: &[_], x: &[i32], scale: &[i32], mean: &[i32], message: &str| {
        let zeros = |shape: &[i32]| of(F32, shape, &vec![0.0; shape.iter().product::<i32>() as usize]);
        let inputs = [zeros(x), zeros(scale), zeros(&[2]), zeros(mean), zeros(&[2])];
        refuses::<T>(attributes, &inputs, &vec![F32; outputs], message);
    };
    refused(&[], &[1, 1, 2], &[2], &[2], "'in0' is [1, 1, 2]; it must have 4 axes");
    refused(&[], &[1, 1, 1, 2], &[3], &[2], "input 1 has 3 elements for 2 channels; they must agree");
    refused(&[], &[1, 1, 1, 2], &[2, 1], &[2], "'in1' is [2, 1]; it must have 1 axes");
    let message = "input 3 has 0 elements for 2 channels; they must agree";
    refused(&[("is_training", Flag(false))], &[1, 1, 1, 2], &[2], &[0], message);
    refused(&[("exponential_avg_factor", Float(0.5))], &[1, 1, 1, 2], &[2], &[0], message);
    let inputs = vec![of(F64, &[1, 1, 1, 1], &[0.0]); 5];
    let mut types = vec![F32; outputs];
    types[0] = F64;
    refuses::<T>(&[], &inputs, &types, "input 'in0' is FLOAT64, which this op does not support");
}

mod fused_batch_norm {
    use super::*;

    #[test]
    fn values() {
        normalizes::<FusedBatchNorm>(F32, &[]);
    }

    #[test]
    fn refusals() {
        refuses_wrong_shapes::<FusedBatchNorm>(5);
    }
}

mod fused_batch_norm_v2 {
    use super::*;

    #[test]
    fn values() {
        for ty in [F16, BF16, F32] {
            normalizes::<FusedBatchNormV2>(ty, &[]);
        }
    }

    #[test]
    fn refusals() {
        refuses_wrong_shapes::<FusedBatchNormV2>(5);
    }
}

mod fused_batch_norm_v3 {
    use super::*;

    #[test]
    fn values() {
        let none = of(F32, &[0], &[]);
        for ty in [F16, BF16, F32] {
            normalizes::<FusedBatchNormV3>(ty, std::slice::from_ref(&none));
        }
        // Volumes.
        let x = of(F32, &[1, 1, 1, 2, 1], &[1.0, 3.0]);
        let (one, two) = (of(F32, &[1], &[1.0]), of(F32, &[1], &[2.0]));
        let inputs = [x, one.clone(), one.clone(), none.clone(), none.clone()];
        let attributes = [("epsilon", Float(0.0)), ("data_format", Text("NDHWC"))];
        let y = of(F32, &[1, 1, 1, 2, 1], &[0.0, 2.0]);
        gives::<FusedBatchNormV3>(&attributes, &inputs, &[y, two.clone(), two.clone(), two, one, none]);
    }

    #[test]
    fn refusals() {
        refuses_wrong_shapes::<FusedBatchNormV3>(6);
    }
}
