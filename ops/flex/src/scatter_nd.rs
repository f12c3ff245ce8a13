//! ScatterNd: slices of updates in a tensor of zeros, added where indices say. Numbers, BOOL, STRING.
//! Defined by: tensorflow/core/kernels/scatter_nd_op.cc.

use crate::kit::kernel::Node;
use crate::kit::scatter::{Kind, Member, Scatter};

/// The op.
pub type ScatterNd = Node<Scatter<Definition>>;

/// What it computes.
pub struct Definition;

impl Member for Definition {
    const NAME: &'static str = "FlexScatterNd";
    const KIND: Kind = Kind::Add;
    const TO_ZEROS: bool = true;
}

#[cfg(test)]
mod tests {
    use crate::kit::testing::tables::*;

    const IGNORE: [(&str, Attribute<'_>); 1] = [("bad_indices_policy", Text("IGNORE"))];

    #[test]
    fn values() {
        each_type(|x| {
            let inputs = [Tensor::i32(&[2, 1], &[2, 0]), x(&[2, 2], &[1, 2, 3, 4]), ints(&[3, 2])];
            gives::<super::ScatterNd>(&[], &inputs, &[x(&[3, 2], &[3, 4, 0, 0, 1, 2])]);
        });
        // What goes to one place is added; strings are joined.
        let twice = Tensor::i64(&[2, 2], &[0, 1, 0, 1]);
        let inputs = [twice.clone(), floats(&[1.5, 2.0]), longs(&[1, 2])];
        gives::<super::ScatterNd>(&[], &inputs, &[Tensor::f32(&[1, 2], &[0.0, 3.5])]);
        let inputs = [twice, texts(&["c", "d"]), longs(&[1, 2])];
        gives::<super::ScatterNd>(&[], &inputs, &[Tensor::strings(&[1, 2], &["", "cd"])]);
        let inputs = [Tensor::i32(&[2, 1], &[0, 5]), ints(&[1, 2]), ints(&[2])];
        gives::<super::ScatterNd>(&IGNORE, &inputs, &[ints(&[1, 0])]);
        let inputs = [Tensor::i32(&[0, 1], &[]), ints(&[]), ints(&[2])];
        gives::<super::ScatterNd>(&[], &inputs, &[ints(&[0, 0])]);
    }

    #[test]
    fn refusals() {
        let refused = |indices: Tensor, updates: Tensor, shape: &[i32], message: &str| {
            refuses::<super::ScatterNd>(&[], &[indices, updates, ints(shape)], &[I32], message);
        };
        refused(Tensor::i32(&[1, 1], &[3]), ints(&[1]), &[3], "index [3] lies outside of [3]");
        refused(Tensor::i32(&[1, 1], &[-1]), ints(&[1]), &[3], "index [-1] lies outside of [3]");
        let message = "updates are [2], which does not go with indices [1, 1] into [3]";
        refused(Tensor::i32(&[1, 1], &[0]), ints(&[1, 2]), &[3], message);
        let message = "indices are [1, 2], the output is [3], which has fewer axes than an index";
        refused(Tensor::i32(&[1, 2], &[0, 0]), ints(&[1]), &[3], message);
        let message = "indices [1, 1] name slices of [3, 0], which has no elements";
        refused(Tensor::i32(&[1, 1], &[0]), Tensor::i32(&[1, 0], &[]), &[3, 0], message);
        refused(int(0), int(5), &[2], "'in0' is a scalar; lists of indices are needed");
        refused(ints(&[1]), int(5), &[2], "'in1' is a scalar; a list of updates is needed");
        let message = "indices [2, 0] name nothing; an index has one number at least";
        refused(Tensor::i32(&[2, 0], &[]), Tensor::i32(&[2, 2], &[0; 4]), &[2], message);
        refused(
            Tensor::i32(&[1, 1], &[0]),
            floats(&[1.0]),
            &[3],
            "'in1' is FLOAT32, output is INT32; they must agree",
        );
    }
}
