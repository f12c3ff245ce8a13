//! Tests the results and the errors of the ops.

mod scatter_nd {
    use crate::kit::testing::tables::*;

    const IGNORE: [(&str, Attribute<'_>); 1] = [("bad_indices_policy", Text("IGNORE"))];

    #[test]
    fn values() {
        each_type(|x| {
            let inputs = [Tensor::i32(&[2, 1], &[2, 0]), x(&[2, 2], &[1, 2, 3, 4]), ints(&[3, 2])];
            gives::<crate::scatters::ScatterNd>(&[], &inputs, &[x(&[3, 2], &[3, 4, 0, 0, 1, 2])]);
        });
        // Updates of the same element are added; strings are concatenated.
        let twice = Tensor::i64(&[2, 2], &[0, 1, 0, 1]);
        let inputs = [twice.clone(), floats(&[1.5, 2.0]), longs(&[1, 2])];
        gives::<crate::scatters::ScatterNd>(&[], &inputs, &[Tensor::f32(&[1, 2], &[0.0, 3.5])]);
        let inputs = [twice, texts(&["c", "d"]), longs(&[1, 2])];
        gives::<crate::scatters::ScatterNd>(&[], &inputs, &[Tensor::strings(&[1, 2], &["", "cd"])]);
        let inputs = [Tensor::i32(&[2, 1], &[0, 5]), ints(&[1, 2]), ints(&[2])];
        gives::<crate::scatters::ScatterNd>(&IGNORE, &inputs, &[ints(&[1, 0])]);
        let inputs = [Tensor::i32(&[0, 1], &[]), ints(&[]), ints(&[2])];
        gives::<crate::scatters::ScatterNd>(&[], &inputs, &[ints(&[0, 0])]);
    }

    #[test]
    fn refusals() {
        let refused = |indices: Tensor, updates: Tensor, shape: &[i32], message: &str| {
            refuses::<crate::scatters::ScatterNd>(&[], &[indices, updates, ints(shape)], &[I32], message);
        };
        refused(Tensor::i32(&[1, 1], &[3]), ints(&[1]), &[3], "index [3] is out of bounds for [3]");
        refused(Tensor::i32(&[1, 1], &[-1]), ints(&[1]), &[3], "index [-1] is out of bounds for [3]");
        let message = "updates are [2], which do not match indices [1, 1] into [3]";
        refused(Tensor::i32(&[1, 1], &[0]), ints(&[1, 2]), &[3], message);
        let message = "indices are [1, 2], the output is [3], which has fewer axes than an index";
        refused(Tensor::i32(&[1, 2], &[0, 0]), ints(&[1]), &[3], message);
        let message = "indices [1, 1] refer to slices of [3, 0], which has no elements";
        refused(Tensor::i32(&[1, 1], &[0]), Tensor::i32(&[1, 0], &[]), &[3, 0], message);
        refused(int(0), int(5), &[2], "'in0' is a scalar; lists of indices are needed");
        refused(ints(&[1]), int(5), &[2], "'in1' is a scalar; a list of updates is needed");
        let message = "indices [2, 0] are empty vectors; an index needs at least one number";
        refused(Tensor::i32(&[2, 0], &[]), Tensor::i32(&[2, 2], &[0; 4]), &[2], message);
        refused(
            Tensor::i32(&[1, 1], &[0]),
            floats(&[1.0]),
            &[3],
            "'in1' is FLOAT32, output is INT32; they must agree",
        );
    }
}

mod tensor_scatter_add {
    use crate::kit::testing::tables::*;

    #[test]
    fn values() {
        let twice = Tensor::i32(&[2, 1], &[1, 1]);
        let add = |x: Tensor, by: Tensor, y: Tensor| {
            gives::<crate::scatters::TensorScatterAdd>(&[], &[x, twice.clone(), by], &[y]);
        };
        add(ints(&[1, 2, 3]), ints(&[10, 20]), ints(&[1, 32, 3]));
        add(floats(&[1.0, 2.0]), floats(&[0.5, f32::NAN]), floats(&[1.0, f32::NAN]));
        add(Tensor::u8(&[2], &[1, 200]), Tensor::u8(&[2], &[50, 50]), Tensor::u8(&[2], &[1, 44]));
        add(texts(&["a", "b"]), texts(&["c", "d"]), texts(&["a", "bcd"]));
        let inputs =
            [Tensor::f64(&[2, 2], &[1.0, 2.0, 3.0, 4.0]), Tensor::i64(&[1, 2], &[1, 0]), doubles(&[5.0])];
        gives::<crate::scatters::TensorScatterAdd>(
            &[],
            &inputs,
            &[Tensor::f64(&[2, 2], &[1.0, 2.0, 8.0, 4.0])],
        );
    }

    #[test]
    fn refusals() {
        let inputs = [ints(&[0; 3]), Tensor::i32(&[1, 1], &[3]), ints(&[1])];
        refuses::<crate::scatters::TensorScatterAdd>(
            &[],
            &inputs,
            &[I32],
            "index [3] is out of bounds for [3]",
        );
        let inputs = [ints(&[0; 3]), Tensor::i32(&[1, 1], &[0]), ints(&[1, 1])];
        let message = "updates are [2], which do not match indices [1, 1] into [3]";
        refuses::<crate::scatters::TensorScatterAdd>(&[], &inputs, &[I32], message);
        let inputs = [ints(&[]), Tensor::i32(&[1, 1], &[0]), ints(&[1])];
        let message = "indices [1, 1] refer to slices of [0], which has no elements";
        refuses::<crate::scatters::TensorScatterAdd>(&[], &inputs, &[I32], message);
    }
}

mod tensor_scatter_max {
    use crate::kit::testing::tables::*;

    #[test]
    fn values() {
        let at = Tensor::i32(&[3, 1], &[0, 1, 1]);
        let largest = |x: Tensor, by: Tensor, y: Tensor| {
            gives::<crate::scatters::TensorScatterMax>(&[], &[x, at.clone(), by], &[y]);
        };
        largest(ints(&[1, 2, 3]), ints(&[0, 5, 4]), ints(&[1, 5, 3]));
        largest(floats(&[1.0, f32::NAN]), floats(&[f32::NAN, 5.0, 6.0]), floats(&[1.0, f32::NAN]));
        largest(Tensor::i8(&[2], &[-1, -2]), Tensor::i8(&[3], &[-3, -1, 7]), Tensor::i8(&[2], &[-1, 7]));
        let inputs =
            [Tensor::i32(&[2, 2], &[1, 2, 3, 4]), Tensor::i64(&[1, 1], &[1]), Tensor::i32(&[1, 2], &[0, 9])];
        gives::<crate::scatters::TensorScatterMax>(&[], &inputs, &[Tensor::i32(&[2, 2], &[1, 2, 3, 9])]);
    }

    #[test]
    fn refusals() {
        let inputs = [ints(&[0; 3]), Tensor::i32(&[1, 1], &[3]), ints(&[1])];
        refuses::<crate::scatters::TensorScatterMax>(
            &[],
            &inputs,
            &[I32],
            "index [3] is out of bounds for [3]",
        );
        let x = Tensor::complex64(&[1], &[Complex32 { re: 1.0, im: 1.0 }]);
        let inputs = [x.clone(), Tensor::i32(&[1, 1], &[0]), x];
        refuses::<crate::scatters::TensorScatterMax>(
            &[],
            &inputs,
            &[C64],
            "'in2' is COMPLEX64, which has no order",
        );
    }
}

mod tensor_scatter_min {
    use crate::kit::testing::tables::*;

    #[test]
    fn values() {
        let at = Tensor::i32(&[3, 1], &[0, 1, 1]);
        let smallest = |x: Tensor, by: Tensor, y: Tensor| {
            gives::<crate::scatters::TensorScatterMin>(&[], &[x, at.clone(), by], &[y]);
        };
        smallest(ints(&[1, 2, 3]), ints(&[0, 5, -4]), ints(&[0, -4, 3]));
        smallest(floats(&[1.0, f32::NAN]), floats(&[f32::NAN, 5.0, 6.0]), floats(&[1.0, f32::NAN]));
        smallest(Tensor::u8(&[2], &[1, 200]), Tensor::u8(&[3], &[3, 150, 7]), Tensor::u8(&[2], &[1, 7]));
        let inputs = [longs(&[5, 6]), Tensor::i64(&[0, 1], &[]), longs(&[])];
        gives::<crate::scatters::TensorScatterMin>(&[], &inputs, &[longs(&[5, 6])]);
    }

    #[test]
    fn refusals() {
        let inputs = [ints(&[0; 3]), Tensor::i32(&[1, 1], &[3]), ints(&[1])];
        refuses::<crate::scatters::TensorScatterMin>(
            &[],
            &inputs,
            &[I32],
            "index [3] is out of bounds for [3]",
        );
        refuses::<crate::scatters::TensorScatterMin>(
            &[],
            &inputs[..2],
            &[I32],
            "it has 2 inputs, this op takes 3 to 3",
        );
    }
}

mod tensor_scatter_sub {
    use crate::kit::testing::tables::*;

    #[test]
    fn values() {
        let twice = Tensor::i32(&[2, 1], &[1, 1]);
        let subtract = |x: Tensor, by: Tensor, y: Tensor| {
            gives::<crate::scatters::TensorScatterSub>(&[], &[x, twice.clone(), by], &[y]);
        };
        subtract(ints(&[1, 2, 3]), ints(&[10, 20]), ints(&[1, -28, 3]));
        subtract(floats(&[1.0, 2.0]), floats(&[0.5, 0.25]), floats(&[1.0, 1.25]));
        subtract(Tensor::u8(&[2], &[1, 9]), Tensor::u8(&[2], &[5, 5]), Tensor::u8(&[2], &[1, 255]));
        let inputs =
            [Tensor::i32(&[2, 2], &[1, 2, 3, 4]), Tensor::i64(&[1, 1], &[1]), Tensor::i32(&[1, 2], &[1, 1])];
        gives::<crate::scatters::TensorScatterSub>(&[], &inputs, &[Tensor::i32(&[2, 2], &[1, 2, 2, 3])]);
    }

    #[test]
    fn refusals() {
        let inputs = [ints(&[0; 3]), Tensor::i32(&[1, 1], &[-1]), ints(&[1])];
        refuses::<crate::scatters::TensorScatterSub>(
            &[],
            &inputs,
            &[I32],
            "index [-1] is out of bounds for [3]",
        );
        let inputs = [texts(&["a"]), Tensor::i32(&[1, 1], &[0]), texts(&["a"])];
        refuses::<crate::scatters::TensorScatterSub>(
            &[],
            &inputs,
            &[ElementType::String],
            "'in2' is STRING, which can be neither subtracted nor ordered",
        );
    }
}

mod tensor_scatter_update {
    use crate::kit::testing::tables::*;

    #[test]
    fn values() {
        each_type(|x| {
            let data = x(&[2, 2], &[1, 2, 3, 4]);
            let inputs = [data.clone(), Tensor::i32(&[1, 1], &[1]), x(&[1, 2], &[5, 6])];
            gives::<crate::scatters::TensorScatterUpdate>(&[], &inputs, &[x(&[2, 2], &[1, 2, 5, 6])]);
            // The last update wins.
            let inputs = [data, Tensor::i64(&[2, 2], &[0, 1, 0, 1]), x(&[2], &[5, 7])];
            gives::<crate::scatters::TensorScatterUpdate>(&[], &inputs, &[x(&[2, 2], &[1, 7, 3, 4])]);
        });
        let inputs = [ints(&[]), Tensor::i32(&[0, 1], &[]), ints(&[])];
        gives::<crate::scatters::TensorScatterUpdate>(&[], &inputs, &[ints(&[])]);
        let inputs = [ints(&[1, 2]), Tensor::i32(&[2, 1], &[9, 0]), ints(&[5, 6])];
        gives::<crate::scatters::TensorScatterUpdate>(
            &[("bad_indices_policy", Text("IGNORE"))],
            &inputs,
            &[ints(&[6, 2])],
        );
    }

    #[test]
    fn refusals() {
        let inputs = [ints(&[0; 3]), Tensor::i32(&[1, 1], &[3]), ints(&[1])];
        refuses::<crate::scatters::TensorScatterUpdate>(
            &[],
            &inputs,
            &[I32],
            "index [3] is out of bounds for [3]",
        );
        let inputs = [int(7), Tensor::i32(&[1, 0], &[]), ints(&[1])];
        let message = "indices [1, 0] are empty vectors; an index needs at least one number";
        refuses::<crate::scatters::TensorScatterUpdate>(&[], &inputs, &[I32], message);
        let inputs = [ints(&[1]), Tensor::i32(&[1, 1], &[0]), floats(&[1.0])];
        refuses::<crate::scatters::TensorScatterUpdate>(
            &[],
            &inputs,
            &[I32],
            "'in2' is FLOAT32, output is INT32; they must agree",
        );
    }
}
