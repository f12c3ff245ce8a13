//! Ops, planners and delegates that are values, with data of their own: what a program hands to the runtime in its own process.
//!
//! A type says what it is by constants ([`Op`](crate::Op), [`Planner`](crate::Planner), [`Delegate`]); a value by what it holds, so
//! that closures and other languages' functions can serve nodes. The runtime's registry takes them, and keeps each as long as
//! something may call it.

use core::ffi::c_void;
use core::marker::PhantomData;
use core::mem::MaybeUninit;

use crate::op::{EvalContext, NodeView, PrepareContext};
use crate::raw::*;
use crate::shim::{into_raw, query_delegate, status};
use crate::{
    AssignmentMut, Delegate, ElementTypes, OptionPairs, PlanRequest, Result, Sharing, delegate, unsupported,
};

/// An op that is a value. It serves any number of nodes, of several interpreters.
pub trait OpObject: Send + Sync + 'static {
    /// What `prepare` computed for one node.
    type Node: Send + Sync + 'static;

    /// As [`Op::prepare`](crate::Op::prepare).
    fn prepare(&self, node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self::Node>;

    /// As [`Op::eval`](crate::Op::eval), for a node that was prepared.
    fn eval(&self, node: &Self::Node, cx: &mut EvalContext<'_>) -> Result<()>;

    /// As [`Op::TYPES`](crate::Op::TYPES).
    fn types(&self) -> ElementTypes {
        ElementTypes::ANY
    }

    /// As [`Op::STATEFUL`](crate::Op::STATEFUL).
    fn is_stateful(&self) -> bool {
        false
    }

    /// As [`Op::SHARING`](crate::Op::SHARING).
    fn sharing(&self) -> Sharing {
        Sharing::None
    }
}

/// An op of two closures: `eval` gets what `prepare` gave for the node. It takes any element type, and its result depends on the
/// inputs alone.
pub fn closures<N, P, E>(prepare: P, eval: E) -> Closures<N, P, E>
where
    N: Send + Sync + 'static,
    P: Fn(&NodeView<'_>, &mut PrepareContext<'_>) -> Result<N> + Send + Sync + 'static,
    E: Fn(&N, &mut EvalContext<'_>) -> Result<()> + Send + Sync + 'static,
{
    Closures { prepare, eval, node: PhantomData }
}

/// See [`closures`].
pub struct Closures<N, P, E> {
    prepare: P,
    eval: E,
    node: PhantomData<fn() -> N>,
}

impl<N, P, E> OpObject for Closures<N, P, E>
where
    N: Send + Sync + 'static,
    P: Fn(&NodeView<'_>, &mut PrepareContext<'_>) -> Result<N> + Send + Sync + 'static,
    E: Fn(&N, &mut EvalContext<'_>) -> Result<()> + Send + Sync + 'static,
{
    type Node = N;

    fn prepare(&self, node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<N> {
        (self.prepare)(node, cx)
    }

    fn eval(&self, node: &N, cx: &mut EvalContext<'_>) -> Result<()> {
        (self.eval)(node, cx)
    }
}

/// The pointer that a registration comes with, freed when this is dropped.
pub struct UserData {
    pointer: *mut c_void,
    drop: Option<unsafe extern "C" fn(*mut c_void)>,
}

impl UserData {
    /// # Safety
    /// The functions that are given the pointer may use it, on any thread and on several at once, until `drop` is called with it:
    /// once, on any thread, when none of them is called any more.
    pub unsafe fn new(pointer: *mut c_void, drop: Option<unsafe extern "C" fn(*mut c_void)>) -> Self {
        UserData { pointer, drop }
    }

    /// The pointer.
    pub fn pointer(&self) -> *mut c_void {
        self.pointer
    }

    fn of<T: Send + Sync>(value: T) -> Self {
        UserData { pointer: into_raw(value), drop: Some(free::<T>) }
    }
}

impl Drop for UserData {
    fn drop(&mut self) {
        if let Some(drop) = self.drop {
            // SAFETY: as promised to `new`; whoever calls the functions holds this.
            unsafe { drop(self.pointer) };
        }
    }
}

// SAFETY: as promised to `new`; what `of` takes is both.
unsafe impl Send for UserData {}
// SAFETY: as above.
unsafe impl Sync for UserData {}

unsafe extern "C" fn free<T>(value: *mut c_void) {
    // SAFETY: `value` came from `into_raw` in `UserData::of`, and is not used again.
    unsafe { crate::shim::destroy_box::<T>(value) };
}

/// A registration as a host takes it. Its name is empty: the host fills in name, number and versions.
pub struct Object<R> {
    /// The registration.
    pub registration: R,
    /// What its functions are to be called with.
    pub user_data: UserData,
}

/// An op as it is handed over.
pub fn op<T: OpObject>(op: T) -> Object<ArOpV1> {
    let registration = ArOpV1 {
        header: ArHeader::of::<ArOpV1>(),
        builtin_code: BUILTIN_CUSTOM,
        min_version: 1,
        max_version: 1,
        flags: OP_USER_DATA | if op.is_stateful() { OP_STATEFUL } else { 0 } | op.sharing().flags(),
        custom_name: ArStr::new(""),
        element_types: op.types().bits(),
        state_size: size_of::<Instance<T>>() as u64,
        state_align: align_of::<Instance<T>>() as u64,
        prepare: prepare::<T>,
        eval: eval::<T>,
        drop: Some(drop_node::<T>),
        query: None,
    };
    Object { registration, user_data: UserData::of(op) }
}

/// The state of a node. The host writes the first word before `prepare` and leaves it.
#[repr(C)]
struct Instance<T: OpObject> {
    op: *const T,
    /// Written by `prepare`.
    node: MaybeUninit<T::Node>,
}

unsafe extern "C" fn prepare<T: OpObject>(
    prepare: *const ArPrepareV1,
    node: *const ArNodeV1,
    state: *mut c_void,
) -> ArStatus {
    status(&mut || {
        // SAFETY: the host's promise: both structs are valid for the call; the state is zeroed memory for an `Instance`, but for the
        // first word, which is the user data of this registration, a `T` that outlives the state.
        unsafe {
            let instance = &mut *state.cast::<Instance<T>>();
            let (node, mut cx) = (NodeView::from_raw(&*node), PrepareContext::from_raw(&*prepare));
            instance.node.write((*instance.op).prepare(&node, &mut cx)?);
        }
        Ok(())
    })
}

unsafe extern "C" fn eval<T: OpObject>(
    eval: *const ArEvalV1,
    node: *const ArNodeV1,
    state: *mut c_void,
) -> ArStatus {
    status(&mut || {
        // SAFETY: as for `prepare`, which went well before.
        unsafe {
            let instance = &*state.cast::<Instance<T>>();
            let mut cx = EvalContext::from_raw(&*eval, &*node);
            (*instance.op).eval(instance.node.assume_init_ref(), &mut cx)
        }
    })
}

unsafe extern "C" fn drop_node<T: OpObject>(state: *mut c_void) {
    // A panic is reported and leaks, as for an `Op`.
    status(&mut || {
        // SAFETY: as for `eval`; the state is not used again.
        unsafe { (*state.cast::<Instance<T>>()).node.assume_init_drop() };
        Ok(())
    });
}

/// A planner as it is handed over. It is pure: the same records give the same assignment.
pub fn planner<F>(plan: F) -> Object<ArPlannerV1>
where
    F: Fn(&PlanRequest<'_>, &mut AssignmentMut<'_>) -> Result<()> + Send + Sync + 'static,
{
    let registration = ArPlannerV1 {
        header: ArHeader::of::<ArPlannerV1>(),
        name: ArStr::new(""),
        plan: plan_without,
        query: Some(query_planner::<F>),
    };
    Object { registration, user_data: UserData::of(plan) }
}

unsafe extern "C" fn plan_without(_: *const ArPlanRequestV1, _: *mut ArAssignmentV1) -> ArStatus {
    status(&mut || Err(unsupported!("this host gives planners no user data")))
}

unsafe extern "C" fn query_planner<F>(interface: u64) -> *const c_void
where
    F: Fn(&PlanRequest<'_>, &mut AssignmentMut<'_>) -> Result<()> + 'static,
{
    match interface {
        INTERFACE_PLAN => {
            let plan: &'static ArPlanV1 =
                const { &ArPlanV1 { header: ArHeader::of::<ArPlanV1>(), plan: plan::<F> } };
            (&raw const *plan).cast()
        }
        _ => core::ptr::null(),
    }
}

unsafe extern "C" fn plan<F>(
    user_data: *mut c_void,
    request: *const ArPlanRequestV1,
    assignment: *mut ArAssignmentV1,
) -> ArStatus
where
    F: Fn(&PlanRequest<'_>, &mut AssignmentMut<'_>) -> Result<()>,
{
    status(&mut || {
        // SAFETY: the host's promise: both structs and their arrays are valid for the call, and the user data is this registration's.
        let (plan, request, mut assignment) = unsafe {
            let assignment = AssignmentMut::from_raw(&*request, &mut *assignment);
            (&*user_data.cast::<F>(), PlanRequest::from_raw(&*request)?, assignment)
        };
        plan(&request, &mut assignment)
    })
}

/// A delegate as it is handed over: `create` stands for [`Delegate::create`], and the name for [`Delegate::NAME`].
pub fn delegate<D, F>(create: F) -> Object<ArDelegateV1>
where
    D: Delegate,
    F: Fn(&OptionPairs<'_>) -> Result<D> + Send + Sync + 'static,
{
    let registration = ArDelegateV1 {
        name: ArStr::new(""),
        create: create_without,
        query: Some(query_created::<D, F>),
        ..delegate::registration::<D>()
    };
    Object { registration, user_data: UserData::of(create) }
}

unsafe extern "C" fn create_without(_: *const ArPair, _: usize, _: *mut *mut c_void) -> ArStatus {
    status(&mut || Err(unsupported!("this host gives delegates no user data")))
}

unsafe extern "C" fn query_created<D, F>(interface: u64) -> *const c_void
where
    D: Delegate,
    F: Fn(&OptionPairs<'_>) -> Result<D> + 'static,
{
    if interface == INTERFACE_CREATE {
        let create: &'static ArCreateV1 =
            const { &ArCreateV1 { header: ArHeader::of::<ArCreateV1>(), create: create::<D, F> } };
        return (&raw const *create).cast();
    }
    // SAFETY: a plain value.
    unsafe { query_delegate::<D>(interface) }
}

unsafe extern "C" fn create<D, F>(
    user_data: *mut c_void,
    options: *const ArPair,
    option_count: usize,
    delegate: *mut *mut c_void,
) -> ArStatus
where
    D: Delegate,
    F: Fn(&OptionPairs<'_>) -> Result<D>,
{
    status(&mut || {
        // SAFETY: the host's promise: the pairs are valid for the call, and the user data is this registration's.
        let (create, options) =
            unsafe { (&*user_data.cast::<F>(), OptionPairs::from_raw(options, option_count)) };
        let value = create(&options)?;
        // SAFETY: the result is writable. `destroy` takes the box back.
        unsafe { *delegate = into_raw(value) };
        Ok(())
    })
}
