//! What the host refuses, each by an op that asks for it: the rules of `host_side`, in the words that users of any host see.

use core::ffi::c_void;

use super::{OpOf, OpTest, Spec, Subgraph, Tensor};
use crate::prelude::*;
use crate::raw::{ArEvalV1, ArNodeV1, ArOpV1, ArStatus};
use crate::schema::StablehloCustomCallOptions;

type Step = fn(&mut PrepareContext<'_>) -> Result<()>;

/// What an op does in `prepare`, of outputs 0 (i32), 1 (strings) and 2 (absent) and of one input, and what it is told.
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
        "output 0 has shape [2] by an earlier call, it cannot get [3]; set it once"),
    (|cx| cx.set_output_shape(1, &[2]), Status::Invalid,
        "output 1 is STRING, whose size depends on its contents; it must be set dynamic"),
    (|cx| cx.set_output_shape(2, &[2]), Status::Invalid, "output 2 is not there, the node has 3"),
    (|cx| cx.set_output_dynamic(3), Status::Invalid, "output 3 is not there, the node has 3"),
    (|cx| cx.set_output_constant(0, &[1i32]), Status::Invalid, "output 0 gets a value before its shape"),
    (|cx| cx.set_output_shape(0, &[2]).and_then(|()| cx.set_output_constant(0, &[1i32])), Status::Invalid,
        "output 0 has 8 bytes, its value has 4"),
    (|cx| cx.set_output_shape(0, &[1]).and_then(|()| cx.set_output_constant(0, &[1i32]))
        .and_then(|()| cx.set_output_dynamic(0)), Status::Invalid,
        "output 0 is constant or a variable, it cannot be dynamic"),
    (|cx| cx.allow_in_place(0, 1), Status::Invalid,
        "output 0 cannot share memory with input 1, which is not there"),
    (|cx| cx.scratch_aligned::<u8>(1, 128).map(drop), Status::Invalid,
        "it asks for alignment 128; at most 64, a power of two"),
    (|cx| cx.scratch::<u8>(usize::MAX).map(drop), Status::Invalid,
        "it asks for 18446744073709551615 bytes"),
    (|cx| cx.scratch::<u8>((1 << 31) + 1).map(drop), Status::OutOfMemory,
        "it needs 2147483649 bytes of scratch, the quota is 2147483648"),
    (|cx| cx.model()?.invoke(0), Status::Invalid, "prepare runs a subgraph; that is for eval"),
    (|cx| cx.model()?.forward(0, 0), Status::Invalid, "prepare forwards values; that is for eval"),
    (|cx| cx.model()?.assign_resource_slice(0, &[1i32]), Status::Invalid,
        "prepare assigns a resource; that is for eval"),
    (|cx| cx.constants().release(0), Status::Invalid, "tensor 0 is no constant, it cannot be released"),
    (|cx| cx.set_output_shape(0, &[2]), Status::Internal,
        "its prepare set no shape for output 1; this is a defect of the plugin"),
];

type Resize = fn(&EvalContext<'_>) -> Result<()>;

/// What an op does in `eval`, of outputs 0 (i32) and 1 (strings), which are dynamic, and 3, which is not.
#[rustfmt::skip]
const IN_EVAL: &[(Resize, Status, &str)] = &[
    (|cx| cx.resize_output(0, &[-1]).map(drop), Status::Invalid,
        "output 0 would have shape [-1]; a dimension is negative"),
    (|cx| cx.resize_output(3, &[1]).map(drop), Status::Invalid,
        "output 3 is resized, but its prepare did not set it dynamic"),
    (|cx| cx.resize_output(2, &[1]).map(drop), Status::Invalid, "output 2 is not there"),
    (|cx| cx.resize_string_output(1, &[1], (1 << 31) + 1).map(drop), Status::OutOfMemory,
        "output 1 needs 2147483649 bytes, the quota is 2147483648"),
];

/// Does what row `API_VERSION` of the first table says, then of the second.
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
fn what_the_host_refuses() {
    let in_prepare = IN_PREPARE.iter().map(|&(_, status, message)| (status, message));
    let in_eval = IN_EVAL.iter().map(|&(_, status, message)| (status, message));
    for (row, (status, message)) in in_prepare.chain(in_eval).enumerate() {
        let error = node(OpOf::<Breaks>::OP, row).run().expect_err(message);
        assert_eq!((error.status(), error.message()), (status, message), "row {row}");
    }
}

/// An op in C may resize an output twice; in Rust it was handed out.
unsafe extern "C" fn resize_twice(eval: *const ArEvalV1, _: *const ArNodeV1, _: *mut c_void) -> ArStatus {
    // SAFETY: the struct is valid for the call.
    let eval = unsafe { &*eval };
    // SAFETY: the functions take this context; the shape has one dimension.
    let resize = |n: i32| unsafe { (eval.resize_output)(eval.context, 0, &n, 1, 0) };
    assert_eq!(resize(1), Status::Ok as ArStatus);
    resize(2)
}

#[test]
fn an_output_is_resized_once() {
    const OP: ArOpV1 = ArOpV1 { eval: resize_twice, ..crate::op::registration::<Breaks>().into_raw() };
    let error = node(&OP, IN_PREPARE.len()).run().expect_err("the second shape is taken");
    let message = "output 0 has shape [1] by an earlier call, it cannot get [2]; resize it once";
    assert_eq!((error.status(), error.message()), (Status::Invalid, message));
}
