//! Registrations of one form of an op's `eval`: a program that names them links no other form.

use core::ffi::c_void;

use super::registration::{Registration, eval_by, prepare_by};
use super::{EvalContext, NodeView, Op, PrepareContext, registration};
use crate::raw::{ArEvalV1, ArNodeV1, ArPrepareV1, ArStatus};
use crate::{Result, unsupported};

/// A form of an op's `eval`, for the nodes whose [`Op::form`] has its name.
pub trait Form {
    /// The op.
    type Op: Op;
    /// The name that [`Op::form`] gives.
    const NAME: &'static str;

    /// Prepares a node of this form. Unlike [`Op::prepare`], it may refuse nodes of other forms, so that a program
    /// links no code that prepares them.
    ///
    /// # Errors
    /// As for [`Op::prepare`]; unsupported for a node of another form.
    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self::Op>;

    /// Runs a node of this form.
    ///
    /// # Errors
    /// As for [`Op::eval`].
    fn eval(op: &Self::Op, cx: &mut EvalContext<'_>) -> Result<()>;
}

/// The registration of an op for the nodes of one form. It refuses other nodes as unsupported.
pub const fn registration_of_form<F: Form>() -> Registration {
    registration::<F::Op>().with_functions(prepare::<F>, eval::<F>)
}

unsafe extern "C" fn prepare<F: Form>(
    prepare: *const ArPrepareV1,
    node: *const ArNodeV1,
    state: *mut c_void,
) -> ArStatus {
    // SAFETY: the requirements are the same, for the state of an `F::Op`.
    unsafe {
        prepare_by(prepare, node, state, F::prepare, |op| match op.form() == F::NAME {
            true => Ok(()),
            false => Err(unsupported!(
                "the program links only a part of this op that does not serve this node; run `arenite inspect MODEL \
                 --ops c` for this model and link the ops it lists"
            )),
        })
    }
}

unsafe extern "C" fn eval<F: Form>(
    eval: *const ArEvalV1,
    node: *const ArNodeV1,
    state: *mut c_void,
) -> ArStatus {
    // SAFETY: the requirements are the same, and `prepare` initialized the state of an `F::Op`.
    unsafe { eval_by(eval, node, state, F::eval) }
}
