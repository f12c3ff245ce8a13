//! Ops, planners and delegates as values with their own data, which a program registers with the runtime in its own
//! process.
//!
//! A type describes itself by constants ([`Op`](crate::Op), [`Planner`](crate::Planner), [`Delegate`]); a value by its
//! contents, so that closures and other languages' functions can implement ops. The runtime's registry owns the values,
//! and keeps each one as long as it may be called.

use core::ffi::c_void;
use core::marker::PhantomData;
use core::mem::MaybeUninit;

use crate::op::{EvalContext, NodeView, PrepareContext};
use crate::raw::*;
use crate::shim::{into_raw, status};
use crate::{
    AssignmentMut, Delegate, ElementTypes, OptionPairs, OutputType, PlanRequest, Result, Sharing, delegate,
    unsupported,
};

/// An op as a value. It runs any number of nodes, of several interpreters.
pub trait OpObject: Send + Sync + 'static {
    /// The data that `prepare` computes for one node.
    type Node: Send + Sync + 'static;

    /// Like [`Op::prepare`](crate::Op::prepare).
    ///
    /// # Errors
    /// As for [`Op::prepare`](crate::Op::prepare).
    fn prepare(&self, node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self::Node>;

    /// Like [`Op::eval`](crate::Op::eval), for a node that was prepared.
    ///
    /// # Errors
    /// As for [`Op::eval`](crate::Op::eval).
    fn eval(&self, node: &Self::Node, cx: &mut EvalContext<'_>) -> Result<()>;

    /// Like [`Op::TYPES`](crate::Op::TYPES).
    fn types(&self) -> ElementTypes {
        ElementTypes::ANY
    }

    /// Like [`Op::OUTPUT_TYPE`](crate::Op::OUTPUT_TYPE).
    fn output_type(&self) -> OutputType {
        OutputType::File
    }

    /// Like [`Op::STATEFUL`](crate::Op::STATEFUL).
    fn is_stateful(&self) -> bool {
        false
    }

    /// Like [`Op::SHARING`](crate::Op::SHARING).
    fn sharing(&self) -> Sharing {
        Sharing::None
    }
}

/// An op made from two closures; `eval` receives what `prepare` returned for the node. It accepts any element type, and
/// its result depends only on the inputs.
pub fn closures<N, P, E>(prepare: P, eval: E) -> Closures<N, P, E>
where
    N: Send + Sync + 'static,
    P: Fn(&NodeView<'_>, &mut PrepareContext<'_>) -> Result<N> + Send + Sync + 'static,
    E: Fn(&N, &mut EvalContext<'_>) -> Result<()> + Send + Sync + 'static,
{
    Closures { prepare, eval, node: PhantomData }
}

/// An op made by [`closures`].
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

/// The pointer of a registration, freed when this value is dropped.
pub struct UserData {
    pointer: *mut c_void,
    drop: Option<unsafe extern "C" fn(*mut c_void)>,
}

impl UserData {
    /// Takes ownership of a pointer and the function that frees it.
    ///
    /// # Safety
    /// The functions that receive the pointer may use it on any thread, and on several at the same time, until `drop`
    /// is called with it. `drop` is called once, on any thread, after the last of them returned.
    pub unsafe fn new(pointer: *mut c_void, drop: Option<unsafe extern "C" fn(*mut c_void)>) -> Self {
        UserData { pointer, drop }
    }

    /// The pointer that functions receive.
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
            // SAFETY: the caller of `new` allows this call, and code that calls the functions keeps this value alive.
            unsafe { drop(self.pointer) };
        }
    }
}

// SAFETY: the caller of `new` allows use on any thread; `of` takes a `Send + Sync` value.
unsafe impl Send for UserData {}
// SAFETY: the caller of `new` allows use on several threads at the same time; `of` takes a `Send + Sync` value.
unsafe impl Sync for UserData {}

unsafe extern "C" fn free<T>(value: *mut c_void) {
    // SAFETY: `value` came from `into_raw` in `UserData::of`, and is not used again.
    unsafe { crate::shim::destroy_box::<T>(value) };
}

/// A registration for a host. Its name is empty: the host fills in name, code and versions.
pub struct Object<R> {
    /// The functions and properties.
    pub registration: R,
    /// The pointer for its functions.
    pub user_data: UserData,
}

/// The registration of an op.
pub fn op<T: OpObject>(op: T) -> Object<ArOpV1> {
    let registration = ArOpV1 {
        header: ArHeader::of::<ArOpV1>(),
        builtin_code: BUILTIN_CUSTOM,
        min_version: 1,
        max_version: 1,
        flags: OP_USER_DATA
            | if op.is_stateful() { OP_STATEFUL } else { 0 }
            | op.sharing().flags()
            | op.output_type().flags(),
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

/// The state of a node. The host writes the first word before `prepare` and does not change it afterwards.
#[repr(C)]
struct Instance<T: OpObject> {
    op: *const T,
    /// Initialized by `prepare`.
    node: MaybeUninit<T::Node>,
}

unsafe extern "C" fn prepare<T: OpObject>(
    prepare: *const ArPrepareV1,
    node: *const ArNodeV1,
    state: *mut c_void,
) -> ArStatus {
    status(&mut || {
        // SAFETY: `host_side` requires both structs to be valid during the call. The state is zeroed memory for an
        // `Instance`, except for the first word: the user data of this registration, which points to a `T` that
        // outlives the state.
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
        // SAFETY: as for `prepare`, which succeeded before and so initialized `node`.
        unsafe {
            let instance = &*state.cast::<Instance<T>>();
            let mut cx = EvalContext::from_raw(&*eval, &*node);
            (*instance.op).eval(instance.node.assume_init_ref(), &mut cx)
        }
    })
}

unsafe extern "C" fn drop_node<T: OpObject>(state: *mut c_void) {
    // A panic is reported, and the rest leaks, as for an `Op`.
    status(&mut || {
        // SAFETY: as for `eval`; the host does not use the state again.
        unsafe { (*state.cast::<Instance<T>>()).node.assume_init_drop() };
        Ok(())
    });
}

/// The registration of a planner. It must be pure: the same records give the same assignment.
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
        // SAFETY: the ABI requires both structs and their arrays to be valid during the call, and the user data belongs
        // to this registration.
        let (plan, request, mut assignment) = unsafe {
            let assignment = AssignmentMut::from_raw(&*request, &mut *assignment);
            (&*user_data.cast::<F>(), PlanRequest::from_raw(&*request)?, assignment)
        };
        plan(&request, &mut assignment)
    })
}

/// The registration of a delegate. `create` replaces [`Delegate::create`], and the host's name replaces
/// [`Delegate::NAME`].
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
    // SAFETY: the id is a plain value.
    unsafe { delegate::shim::query::<D>(interface) }
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
        // SAFETY: the ABI requires the pairs to be valid during the call, and the user data is that of this
        // registration.
        let (create, options) =
            unsafe { (&*user_data.cast::<F>(), OptionPairs::from_raw(options, option_count)) };
        let value = create(&options)?;
        // SAFETY: the ABI requires the result to be writable. `destroy` frees the box.
        unsafe { *delegate = into_raw(value) };
        Ok(())
    })
}
