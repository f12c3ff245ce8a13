//! Tests the results and the errors of the ops.

use crate::kit::testing::tables::*;
use crate::segments::*;

mod segment_max {
    use super::*;

    #[test]
    fn values() {
        let of = ints(&[1, 1, 3]);
        gives::<SegmentMax>(&[], &[floats(&[1.0, 2.0, -4.0]), of.clone()], &[floats(&[0.0, 2.0, 0.0, -4.0])]);
        gives::<SegmentMax>(&[], &[ints(&[-3, -2, 4]), of], &[ints(&[0, -2, 0, 4])]);
        let lowest = [floats(&[f32::NEG_INFINITY, 1.0]), longs(&[0, 1])];
        gives::<SegmentMax>(&[], &lowest, &[floats(&[f32::NEG_INFINITY, 1.0])]);
        gives::<SegmentMax>(
            &[],
            &[Tensor::u8(&[2], &[200, 100]), ints(&[0, 0])],
            &[Tensor::u8(&[1], &[200])],
        );
        gives::<SegmentMax>(&[], &[floats(&[f32::NAN, 2.0]), ints(&[0, 0])], &[floats(&[2.0])]);
    }

    #[test]
    fn refusals() {
        refuses::<SegmentMax>(&[], &[ints(&[1, 2]), ints(&[1, 0])], &[I32], "segments do not ascend");
        let x = Tensor::complex64(&[1], &[Complex32 { re: 1.0, im: 1.0 }]);
        refuses::<SegmentMax>(&[], &[x, ints(&[0])], &[C64], "COMPLEX64 has no order");
    }
}

mod segment_mean {
    use super::*;

    #[test]
    fn values() {
        let of = ints(&[1, 1, 3]);
        gives::<SegmentMean>(
            &[],
            &[floats(&[1.0, 2.0, f32::NAN]), of.clone()],
            &[floats(&[0.0, 1.5, 0.0, f32::NAN])],
        );
        // Integer quotients are truncated.
        gives::<SegmentMean>(&[], &[ints(&[-1, -2, 9]), of], &[ints(&[0, -1, 0, 9])]);
        gives::<SegmentMean>(&[], &[doubles(&[]), longs(&[])], &[doubles(&[])]);
    }

    #[test]
    fn refusals() {
        refuses::<SegmentMean>(&[], &[floats(&[1.0, 2.0]), ints(&[1, 0])], &[F32], "segments do not ascend");
        let inputs = [texts(&["a"]), ints(&[0])];
        refuses::<SegmentMean>(
            &[],
            &inputs,
            &[ElementType::String],
            "STRING is not an element type of this op",
        );
    }
}

mod segment_min {
    use super::*;

    #[test]
    fn values() {
        let of = ints(&[1, 1, 3]);
        gives::<SegmentMin>(&[], &[floats(&[1.0, 2.0, -4.0]), of.clone()], &[floats(&[0.0, 1.0, 0.0, -4.0])]);
        gives::<SegmentMin>(&[], &[ints(&[3, 2, 4]), of], &[ints(&[0, 2, 0, 4])]);
        let highest = [floats(&[f32::INFINITY, 1.0]), longs(&[0, 1])];
        gives::<SegmentMin>(&[], &highest, &[floats(&[f32::INFINITY, 1.0])]);
        gives::<SegmentMin>(
            &[],
            &[Tensor::i8(&[2], &[-128, 100]), ints(&[0, 0])],
            &[Tensor::i8(&[1], &[-128])],
        );
        gives::<SegmentMin>(&[], &[floats(&[f32::NAN, 2.0]), ints(&[0, 0])], &[floats(&[2.0])]);
    }

    #[test]
    fn refusals() {
        refuses::<SegmentMin>(&[], &[ints(&[1, 2]), ints(&[1, 0])], &[I32], "segments do not ascend");
        let x = Tensor::complex64(&[1], &[Complex32 { re: 1.0, im: 1.0 }]);
        refuses::<SegmentMin>(&[], &[x, ints(&[0])], &[C64], "COMPLEX64 has no order");
    }
}

mod segment_prod {
    use super::*;

    #[test]
    fn values() {
        let of = ints(&[1, 1, 3]);
        gives::<SegmentProd>(
            &[],
            &[floats(&[1.5, 2.0, -4.0]), of.clone()],
            &[floats(&[1.0, 3.0, 1.0, -4.0])],
        );
        gives::<SegmentProd>(&[], &[ints(&[2, 3, 4]), of], &[ints(&[1, 6, 1, 4])]);
        let x = Tensor::complex64(&[2], &[Complex32 { re: 1.0, im: 1.0 }, Complex32 { re: 0.0, im: 2.0 }]);
        gives::<SegmentProd>(
            &[],
            &[x, ints(&[0, 0])],
            &[Tensor::complex64(&[1], &[Complex32 { re: -2.0, im: 2.0 }])],
        );
        gives::<SegmentProd>(&[], &[Tensor::f32(&[0, 2], &[]), ints(&[])], &[Tensor::f32(&[0, 2], &[])]);
    }

    #[test]
    fn refusals() {
        refuses::<SegmentProd>(&[], &[floats(&[1.0, 2.0]), ints(&[1, 0])], &[F32], "segments do not ascend");
    }
}

mod segment_sum {
    use super::*;

    #[test]
    fn values() {
        let of = ints(&[0, 0, 2]);
        gives::<SegmentSum>(&[], &[floats(&[1.5, 2.0, -4.0]), of.clone()], &[floats(&[3.5, 0.0, -4.0])]);
        gives::<SegmentSum>(
            &[],
            &[Tensor::i32(&[3, 2], &[1, 2, 3, 4, 5, 6]), of],
            &[Tensor::i32(&[3, 2], &[4, 6, 0, 0, 5, 6])],
        );
        gives::<SegmentSum>(
            &[],
            &[Tensor::u8(&[2], &[200, 100]), longs(&[1, 1])],
            &[Tensor::u8(&[2], &[0, 44])],
        );
        gives::<SegmentSum>(
            &[],
            &[floats(&[f32::INFINITY, f32::NAN]), ints(&[0, 1])],
            &[floats(&[f32::INFINITY, f32::NAN])],
        );
        gives::<SegmentSum>(&[], &[Tensor::f64(&[0, 2], &[]), ints(&[])], &[Tensor::f64(&[0, 2], &[])]);
    }

    #[test]
    fn refusals() {
        let refused = |data: Tensor, of: Tensor, message: &str| {
            refuses::<SegmentSum>(&[], &[data, of], &[I32], message)
        };
        refused(ints(&[1, 2]), ints(&[1, 0]), "segments do not ascend");
        refused(ints(&[1, 2]), ints(&[-1, 0]), "segment -1 is not in 0..1");
        refused(ints(&[1, 2]), ints(&[0]), "segments are [1], the data [2]; the first axes must agree");
        refused(int(1), int(0), "segments are [], the data []; the first axes must agree");
        refused(
            Tensor::i32(&[1, 1], &[1]),
            Tensor::i32(&[1, 1], &[0]),
            "segments are [1, 1], the data [1, 1]; the first axes must agree",
        );
        refused(ints(&[1]), floats(&[0.0]), "'in1' is FLOAT32; integers are needed");
    }
}

mod unsorted_segment_max {
    use super::*;

    #[test]
    fn values() {
        let of = [ints(&[2, -1, 2]), int(3)];
        let largest =
            |x: Tensor, y: Tensor| gives::<UnsortedSegmentMax>(&[], &[&[x][..], &of].concat(), &[y]);
        // An empty segment gives the lowest number of the type, even where infinities compete.
        largest(ints(&[1, 9, 3]), ints(&[i32::MIN, i32::MIN, 3]));
        largest(floats(&[1.0, f32::NAN, 3.0]), floats(&[f32::MIN, f32::MIN, 3.0]));
        largest(floats(&[f32::NEG_INFINITY; 3]), floats(&[f32::MIN; 3]));
        largest(doubles(&[1.0, 9.0, 3.0]), doubles(&[f64::MIN, f64::MIN, 3.0]));
        largest(Tensor::u8(&[3], &[1, 9, 3]), Tensor::u8(&[3], &[0, 0, 3]));
        let of = [ints(&[0]), int(2)];
        let one = |x: Tensor, y: Tensor| gives::<UnsortedSegmentMax>(&[], &[&[x][..], &of].concat(), &[y]);
        let (f, b) = (half::f16::from_f32, half::bf16::from_f32);
        one(Tensor::f16(&[1], &[f(1.0)]), Tensor::f16(&[2], &[f(1.0), half::f16::MIN]));
        one(Tensor::bf16(&[1], &[b(1.0)]), Tensor::bf16(&[2], &[b(1.0), half::bf16::MIN]));
        one(floats(&[f32::NAN]), floats(&[f32::NAN, f32::MIN]));
    }

    #[test]
    fn refusals() {
        let inputs = [ints(&[1]), ints(&[4]), int(4)];
        refuses::<UnsortedSegmentMax>(&[], &inputs, &[I32], "segment 4 is not in 0..4");
        let x = Tensor::complex64(&[1], &[Complex32 { re: 1.0, im: 1.0 }]);
        refuses::<UnsortedSegmentMax>(&[], &[x, ints(&[0]), int(1)], &[C64], "COMPLEX64 has no order");
    }
}

mod unsorted_segment_min {
    use super::*;

    #[test]
    fn values() {
        let of = [ints(&[2, -1, 2]), int(3)];
        let smallest =
            |x: Tensor, y: Tensor| gives::<UnsortedSegmentMin>(&[], &[&[x][..], &of].concat(), &[y]);
        // An empty segment gives the highest number of the type, even where infinities compete.
        smallest(ints(&[1, 0, 3]), ints(&[i32::MAX, i32::MAX, 1]));
        smallest(floats(&[1.0, f32::NAN, 3.0]), floats(&[f32::MAX, f32::MAX, 1.0]));
        smallest(floats(&[f32::INFINITY; 3]), floats(&[f32::MAX; 3]));
        smallest(Tensor::i8(&[3], &[1, 0, 3]), Tensor::i8(&[3], &[127, 127, 1]));
        let of = [ints(&[0]), int(2)];
        let one = |x: Tensor, y: Tensor| gives::<UnsortedSegmentMin>(&[], &[&[x][..], &of].concat(), &[y]);
        let (f, b) = (half::f16::from_f32, half::bf16::from_f32);
        one(Tensor::f16(&[1], &[f(1.0)]), Tensor::f16(&[2], &[f(1.0), half::f16::MAX]));
        one(Tensor::bf16(&[1], &[b(1.0)]), Tensor::bf16(&[2], &[b(1.0), half::bf16::MAX]));
        one(longs(&[5]), longs(&[5, i64::MAX]));
    }

    #[test]
    fn refusals() {
        let inputs = [ints(&[1]), ints(&[4]), int(4)];
        refuses::<UnsortedSegmentMin>(&[], &inputs, &[I32], "segment 4 is not in 0..4");
        let inputs = [texts(&["a"]), ints(&[0]), int(1)];
        refuses::<UnsortedSegmentMin>(
            &[],
            &inputs,
            &[ElementType::String],
            "STRING is not an element type of this op",
        );
    }
}

mod unsorted_segment_prod {
    use super::*;

    #[test]
    fn values() {
        let of = [ints(&[2, -1, 2]), int(4)];
        let product =
            |x: Tensor, y: Tensor| gives::<UnsortedSegmentProd>(&[], &[&[x][..], &of].concat(), &[y]);
        product(ints(&[2, 5, 3]), ints(&[1, 1, 6, 1]));
        product(floats(&[1.5, f32::NAN, -2.0]), floats(&[1.0, 1.0, -3.0, 1.0]));
        let inputs = [Tensor::i32(&[2, 2], &[1, 2, 3, 4]), ints(&[1, 1]), long(2)];
        gives::<UnsortedSegmentProd>(&[], &inputs, &[Tensor::i32(&[2, 2], &[1, 1, 3, 8])]);
        gives::<UnsortedSegmentProd>(&[], &[doubles(&[]), ints(&[]), int(1)], &[doubles(&[1.0])]);
    }

    #[test]
    fn refusals() {
        let inputs = [ints(&[1]), ints(&[4]), int(4)];
        refuses::<UnsortedSegmentProd>(&[], &inputs, &[I32], "segment 4 is not in 0..4");
    }
}

mod unsorted_segment_sum {
    use super::*;

    #[test]
    fn values() {
        // Slices with a negative segment are dropped.
        let of = [ints(&[2, -1, 2]), int(4)];
        let sum = |x: Tensor, y: Tensor| gives::<UnsortedSegmentSum>(&[], &[&[x][..], &of].concat(), &[y]);
        sum(ints(&[1, 2, 3]), ints(&[0, 0, 4, 0]));
        sum(floats(&[1.5, f32::NAN, 3.0]), floats(&[0.0, 0.0, 4.5, 0.0]));
        sum(Tensor::u8(&[3], &[200, 1, 100]), Tensor::u8(&[4], &[0, 0, 44, 0]));
        let inputs = [Tensor::i32(&[2, 2], &[1, 2, 3, 4]), Tensor::i64(&[2, 2], &[0, 1, 1, 0]), int(2)];
        gives::<UnsortedSegmentSum>(&[], &inputs, &[ints(&[5, 5])]);
        let inputs = [Tensor::i32(&[2, 2], &[1, 2, 3, 4]), ints(&[1, 1]), long(2)];
        gives::<UnsortedSegmentSum>(&[], &inputs, &[Tensor::i32(&[2, 2], &[0, 0, 4, 6])]);
        gives::<UnsortedSegmentSum>(&[], &[int(5), int(1), int(2)], &[ints(&[0, 5])]);
        gives::<UnsortedSegmentSum>(&[], &[ints(&[1]), ints(&[-1]), int(0)], &[ints(&[])]);
    }

    #[test]
    fn refusals() {
        let refused = |of: Tensor, count: Tensor, message: &str| {
            refuses::<UnsortedSegmentSum>(&[], &[ints(&[1, 2]), of, count], &[I32], message);
        };
        refused(ints(&[0, 4]), int(4), "segment 4 is not in 0..4");
        let message =
            "[-1] is not a valid shape; sizes must not be negative, and at most 8 axes are supported";
        refused(ints(&[0, 0]), int(-1), message);
        let message = "segments are [2, 1], the data [2]; the first axes must agree";
        refused(Tensor::i32(&[2, 1], &[0, 0]), int(1), message);
        refused(ints(&[0, 0]), ints(&[1]), "'in2' is [1]; a scalar is needed");
        refused(floats(&[0.0, 0.0]), int(1), "'in1' is FLOAT32; integers are needed");
    }
}
