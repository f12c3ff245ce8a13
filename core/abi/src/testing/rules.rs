//! Tests the rules of `host_side`: ops that make invalid requests, and the messages that users of any host see.

use core::ffi::c_void;

use super::{OpOf, OpTest, Spec, Subgraph, Tensor};
use crate::prelude::*;
use crate::raw::{ArEvalV1, ArNodeV1, ArOpV1, ArStatus};
use crate::schema::StablehloCustomCallOptions;

type Step = fn(&mut PrepareContext<'_>) -> Result<()>;

/// Calls of an op in `prepare` with outputs 0 (i32), 1 (strings) and 2 (absent) and one input, and the resulting
/// errors.
#[rustfmt::skip]
const IN_PREPARE: &[(Step, Status, &str)] = &[
    (|cx| cx.set_output_shape(0, &[1; 9]), Status::Invalid, "output 0 would have rank 9, the highest is 8"),
    (|cx| cx.set_output_shape(0, &[2, -3]), Status::Invalid,
        "output 0 would have shape [2, -3]; a dimension is negative"),
    (|cx| cx.set_output_shape(0, &[1 << 30]), Status::OutOfMemory,
        "output 0 of shape [1073741824] needs 4294967296 bytes, the quota is 2147483648; raise `bytes` in [quota] if that is right"),
    (|cx| cx.set_output_shape(0, &[i32::MAX; 3]), Status::Invalid,
        "output 0 of shape [2147483647, 2147483647, 2147483647] has more bytes than can be counted"),
    (|cx| cx.set_output_shape(0, &[2]).and_then(|()| cx.set_output_shape(0, &[3])), Status::Invalid,
        "output 0 already has shape [2] and cannot get [3]; set the shape only once"),
    (|cx| cx.set_output_shape(1, &[2]), Status::Invalid,
        "output 1 is STRING, whose size depends on its contents; it must be set dynamic"),
    (|cx| cx.set_output_shape(2, &[2]), Status::Invalid, "output 2 is absent, this op needs it"),
    (|cx| cx.set_output_dynamic(3), Status::Invalid, "output 3 does not exist; the node has 3"),
    (|cx| cx.set_output_constant(0, &[1i32]), Status::Invalid, "set the shape of output 0 before its value"),
    (|cx| cx.set_output_shape(0, &[2]).and_then(|()| cx.set_output_constant(0, &[1i32])), Status::Invalid,
        "output 0 has 8 bytes, but its value has 4"),
    (|cx| cx.set_output_shape(0, &[1]).and_then(|()| cx.set_output_constant(0, &[1i32]))
        .and_then(|()| cx.set_output_dynamic(0)), Status::Invalid,
        "output 0 is constant or a variable and cannot be dynamic"),
    (|cx| cx.allow_in_place(0, 1), Status::Invalid,
        "output 0 cannot share memory with input 1, which does not exist"),
    (|cx| cx.scratch_aligned::<u8>(1, 128).map(drop), Status::Invalid,
        "it requests alignment 128; only powers of two up to 64 are allowed"),
    (|cx| cx.scratch::<u8>(usize::MAX).map(drop), Status::Invalid,
        "it requests 18446744073709551615 bytes, which is too much"),
    (|cx| cx.scratch::<u8>((1 << 31) + 1).map(drop), Status::OutOfMemory,
        "it needs 2147483649 bytes of scratch, the quota is 2147483648"),
    (|cx| cx.model()?.invoke(0), Status::Invalid, "prepare runs a subgraph; that is for eval"),
    (|cx| cx.model()?.forward(0, 0), Status::Invalid, "prepare forwards values; that is for eval"),
    (|cx| cx.model()?.assign_resource_slice(0, &[1i32]), Status::Invalid,
        "prepare assigns a resource; that is for eval"),
    (|cx| cx.constants().release(0), Status::Invalid, "tensor 0 is not constant and cannot be released"),
    (|cx| cx.set_output_shape(0, &[2]), Status::Internal,
        "`prepare` set no shape for output 1; this is a bug in the plugin"),
];

type Resize = fn(&EvalContext<'_>) -> Result<()>;

/// Calls of an op in `eval` with dynamic outputs 0 (i32) and 1 (strings), and output 3, which is not dynamic.
#[rustfmt::skip]
const IN_EVAL: &[(Resize, Status, &str)] = &[
    (|cx| cx.resize_output(0, &[-1]).map(drop), Status::Invalid,
        "output 0 would have shape [-1]; a dimension is negative"),
    (|cx| cx.resize_output(3, &[1]).map(drop), Status::Invalid,
        "output 3 is resized, but `prepare` did not declare it dynamic"),
    (|cx| cx.resize_output(2, &[1]).map(drop), Status::Invalid, "the node has no output 2"),
    (|cx| cx.resize_string_output(1, &[1], (1 << 31) + 1).map(drop), Status::OutOfMemory,
        "output 1 needs 2147483649 bytes, the quota is 2147483648"),
];

/// Makes the call in row `API_VERSION` of the first table followed by the second.
struct Breaks(usize);

impl Op for Breaks {
    const CODE: OpCode = OpCode::Custom("Breaks");
    const VERSIONS: RangeInclusive<i32> = 1..=1;

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let row = node.options()?.get(StablehloCustomCallOptions::API_VERSION)? as usize;
        if let Some((step, ..)) = IN_PREPARE.get(row) {
            step(cx)?;
            return Ok(Breaks(0));
        }
        cx.set_output_dynamic(0)?;
        cx.set_output_dynamic(1)?;
        cx.set_output_shape(3, &[1])?;
        Ok(Breaks(row - IN_PREPARE.len()))
    }

    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()> {
        IN_EVAL[self.0].0(cx)
    }
}

/// A node for row `row`.
fn node(op: &'static ArOpV1, row: usize) -> OpTest<Breaks> {
    let one = || Tensor::i32(&[1], &[1]);
    let test = OpTest::of(op, "Breaks").input(one()).output(Spec::i32()).output(Spec::string());
    let test = test.absent_output().options(|o| o.set(StablehloCustomCallOptions::API_VERSION, row as i32));
    let test = test.subgraph(Subgraph::new(&[one()], <[Tensor]>::to_vec)).resource(b"r", one());
    if row < IN_PREPARE.len() { test } else { test.output(Spec::i32()) }
}

#[test]
fn the_host_rejects_invalid_requests() {
    let in_prepare = IN_PREPARE.iter().map(|&(_, status, message)| (status, message));
    let in_eval = IN_EVAL.iter().map(|&(_, status, message)| (status, message));
    for (row, (status, message)) in in_prepare.chain(in_eval).enumerate() {
        let error = node(OpOf::<Breaks>::OP, row).run().expect_err(message);
        assert_eq!((error.status(), error.message()), (status, message), "row {row}");
    }
}

/// A C op can resize an output twice; in Rust the output would be borrowed.
unsafe extern "C" fn resize_twice(eval: *const ArEvalV1, _: *const ArNodeV1, _: *mut c_void) -> ArStatus {
    // SAFETY: the struct is valid during the call.
    let eval = unsafe { &*eval };
    // SAFETY: the functions accept this context; the shape has one dimension.
    let resize = |n: i32| unsafe { (eval.resize_output)(eval.context, 0, &n, 1, 0) };
    assert_eq!(resize(1), Status::Ok as ArStatus);
    resize(2)
}

#[test]
fn an_output_can_be_resized_only_once() {
    const OP: ArOpV1 = ArOpV1 { eval: resize_twice, ..crate::op::registration::<Breaks>().into_raw() };
    let error = node(&OP, IN_PREPARE.len()).run().expect_err("the second shape is accepted");
    let message = "output 0 already has shape [1] and cannot be resized to [2]; resize it only once";
    assert_eq!((error.status(), error.message()), (Status::Invalid, message));
}
