//! The functions behind the vtables: they turn raw pointers into the author's types and catch what unwinds.

use core::ffi::c_void;

#[cfg(feature = "std")]
use crate::OptionPairs;
#[cfg(feature = "std")]
use crate::delegate::{Claims, CompileContext, Delegate, DelegateKernel, PartitionView, PlanNotes};
#[cfg(feature = "std")]
use crate::devices::{DeviceNotes, FactNotes};
#[cfg(feature = "std")]
use crate::graph::GraphView;
use crate::host;
use crate::op::{EvalContext, NodeView, Op, PrepareContext};
use crate::planner::{AssignmentMut, PlanRequest, Planner};
use crate::raw::*;
use crate::{Error, ObjectAssignment, ObjectRequest, Result, Status, unsupported};

/// A panic, caught: where std is, what it said.
pub(crate) struct Panicked(Error);

/// Runs `f`; a panic ends here. Without std nothing can be caught: a panic ends the program.
///
/// `f` is called by pointer, so that what catches is compiled once, not once per op and function.
pub(crate) fn catch(f: &mut dyn FnMut()) -> Result<(), Panicked> {
    #[cfg(feature = "std")]
    return std::panic::catch_unwind(core::panic::AssertUnwindSafe(f)).map_err(|payload| {
        let said = payload.downcast_ref::<&str>().copied();
        let said = said.or_else(|| payload.downcast_ref::<String>().map(|s| s.as_str()));
        let panicked = Panicked(Error::new(
            Status::Panicked,
            format_args!(
                "the plugin panicked ({}); this instance is not used again",
                said.unwrap_or("no text")
            ),
        ));
        // The payload's own drop may panic; it is small, so it is left.
        core::mem::forget(payload);
        panicked
    });
    #[cfg(not(feature = "std"))]
    {
        f();
        Ok(())
    }
}

/// Runs `f` and turns its result into a status, the message going to the host.
pub(crate) fn status(f: &mut dyn FnMut() -> Result<()>) -> ArStatus {
    let mut status = Status::Ok as ArStatus;
    let caught = catch(&mut || {
        if let Err(error) = f() {
            status = host::report(&error);
        }
    });
    match caught {
        Ok(()) => status,
        Err(Panicked(error)) => host::report(&error),
    }
}

pub(crate) unsafe extern "C" fn prepare<T: Op>(
    prepare: *const ArPrepareV1,
    node: *const ArNodeV1,
    state: *mut c_void,
) -> ArStatus {
    status(&mut || {
        // SAFETY: the host's promise: both structs are valid for the call.
        let (node, mut cx) = unsafe { (NodeView::from_raw(&*node), PrepareContext::from_raw(&*prepare)) };
        let op = T::prepare(&node, &mut cx)?;
        // SAFETY: the host placed `state` by the size and alignment of `T` in the registration.
        unsafe { state.cast::<T>().write(op) };
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn eval<T: Op>(
    eval: *const ArEvalV1,
    node: *const ArNodeV1,
    state: *mut c_void,
) -> ArStatus {
    status(&mut || {
        // SAFETY: the host's promise: the structs are valid for the call and `state` was prepared.
        let (op, mut cx) = unsafe { (&*state.cast::<T>(), EvalContext::from_raw(&*eval, &*node)) };
        op.eval(&mut cx)
    })
}

pub(crate) unsafe extern "C" fn drop<T: Op>(state: *mut c_void) {
    // A panic in a destructor is reported like any other; what it leaves behind leaks.
    status(&mut || {
        // SAFETY: the host's promise: `state` was prepared and is not used again.
        unsafe { state.cast::<T>().drop_in_place() };
        Ok(())
    });
}

pub(crate) unsafe extern "C" fn plan<T: Planner>(
    request: *const ArPlanRequestV1,
    assignment: *mut ArAssignmentV1,
) -> ArStatus {
    status(&mut || {
        // SAFETY: the host's promise: both structs and their arrays are valid for the call.
        let (request, mut assignment) = unsafe {
            (PlanRequest::from_raw(&*request)?, AssignmentMut::from_raw(&*request, &mut *assignment))
        };
        T::plan(&request, &mut assignment)
    })
}

unsafe extern "C" fn assign<T: Planner>(
    request: *const ArObjectRequestV1,
    assignment: *mut ArObjectAssignmentV1,
) -> ArStatus {
    status(&mut || {
        let assign = T::ASSIGN.ok_or_else(|| unsupported!("'{}' hands out no shared objects", T::NAME))?;
        // SAFETY: the host's promise: both structs and their arrays are valid for the call.
        let (request, mut assignment) = unsafe {
            (ObjectRequest::from_raw(&*request)?, ObjectAssignment::from_raw(&*request, &mut *assignment)?)
        };
        assign(&request, &mut assignment)
    })
}

pub(crate) unsafe extern "C" fn query_planner<T: Planner>(interface: u64) -> *const c_void {
    let assign: &'static ArAssignV1 =
        const { &ArAssignV1 { header: ArHeader::of::<ArAssignV1>(), assign: assign::<T> } };
    match interface == INTERFACE_ASSIGN && T::ASSIGN.is_some() {
        true => (&raw const *assign).cast(),
        false => core::ptr::null(),
    }
}

#[cfg(feature = "std")]
pub(crate) use with_heap::*;

/// Delegates live on the heap, so they need std.
#[cfg(feature = "std")]
mod with_heap {
    use super::*;

    pub(crate) unsafe extern "C" fn create<T: Delegate>(
        options: *const ArPair,
        option_count: usize,
        delegate: *mut *mut c_void,
    ) -> ArStatus {
        status(&mut || {
            // SAFETY: the host's promise: the pairs are valid for the call.
            let options = unsafe { OptionPairs::from_raw(options, option_count) };
            let value = T::create(&options)?;
            // SAFETY: the result is writable. `destroy` takes the box back.
            unsafe { *delegate = into_raw(value) };
            Ok(())
        })
    }

    pub(crate) unsafe extern "C" fn claim<T: Delegate>(
        delegate: *mut c_void,
        graph: *const ArGraphV1,
        claims: *const ArClaimsV1,
    ) -> ArStatus {
        status(&mut || {
            // SAFETY: the host's promise: the structs are valid, and `delegate` came from `create`.
            let (delegate, graph, mut claims) = unsafe {
                (&*delegate.cast::<T>(), GraphView::from_raw(&*graph), Claims::from_raw(&*claims, None))
            };
            delegate.claim(&graph, &mut claims)
        })
    }

    unsafe extern "C" fn claim_with_subgraphs<T: Delegate>(
        delegate: *mut c_void,
        graph: *const ArGraphV1,
        subgraphs: *const ArDescribeV1,
        claims: *const ArClaimsV1,
    ) -> ArStatus {
        status(&mut || {
            // SAFETY: as for `claim`.
            let (delegate, graph, mut claims) = unsafe {
                let claims = Claims::from_raw(&*claims, subgraphs.as_ref());
                (&*delegate.cast::<T>(), GraphView::from_raw(&*graph), claims)
            };
            delegate.claim(&graph, &mut claims)
        })
    }

    unsafe extern "C" fn compile_with<T: Delegate>(
        delegate: *mut c_void,
        partition: *const ArPartitionV1,
        host: *const ArCompileHostV1,
        kernel: *mut *mut c_void,
    ) -> ArStatus {
        status(&mut || {
            // SAFETY: the host's promise: the structs are valid, and `delegate` came from `create`.
            let (delegate, partition, cx) = unsafe {
                (
                    &*delegate.cast::<T>(),
                    PartitionView::from_raw(&*partition),
                    CompileContext::from_raw(&*host),
                )
            };
            let value = delegate.compile_with(&partition, &cx)?;
            // SAFETY: the result is writable. `destroy_kernel` takes the box back.
            unsafe { *kernel = into_raw(value) };
            Ok(())
        })
    }

    unsafe extern "C" fn kernel_plan<T: Delegate>(
        kernel: *mut c_void,
        notes: *const ArPlanNotesV1,
    ) -> ArStatus {
        status(&mut || {
            // SAFETY: the host's promise: the struct is valid, `kernel` came from `compile`, and no other call uses it.
            let (kernel, mut notes) = unsafe { (&*kernel.cast::<T::Kernel>(), PlanNotes::from_raw(&*notes)) };
            kernel.plan(&mut notes)
        })
    }

    unsafe extern "C" fn vouch<T: Delegate>(delegate: *mut c_void, node: *const ArNodeV1) -> u8 {
        let mut vouches = false;
        let status = status(&mut || {
            // SAFETY: the host's promise: the node is valid, and `delegate` came from `create`.
            let (delegate, node) = unsafe { (&*delegate.cast::<T>(), NodeView::from_raw(&*node)) };
            vouches = delegate.vouch(&node);
            Ok(())
        });
        u8::from(vouches && status == Status::Ok as ArStatus)
    }

    unsafe extern "C" fn list_devices<T: Delegate>(notes: *const ArDeviceNotesV1) -> ArStatus {
        status(&mut || {
            let list = T::DEVICES.ok_or_else(|| unsupported!("'{}' has no devices", T::NAME))?;
            // SAFETY: the host's promise: the struct is valid for the call.
            list(&mut unsafe { DeviceNotes::from_raw(&*notes) })
        })
    }

    unsafe extern "C" fn tell_facts<T: Delegate>(
        kernel: *mut c_void,
        notes: *const ArFactNotesV1,
    ) -> ArStatus {
        status(&mut || {
            // SAFETY: as for `kernel_plan`.
            let (kernel, mut notes) = unsafe { (&*kernel.cast::<T::Kernel>(), FactNotes::from_raw(&*notes)) };
            kernel.facts(&mut notes)
        })
    }

    unsafe extern "C" fn read<T: Delegate>(
        kernel: *mut c_void,
        handle: u64,
        data: *mut c_void,
        bytes: u64,
    ) -> ArStatus {
        status(&mut || {
            let length = usize::try_from(bytes).map_err(|_| unsupported!("{bytes} bytes are too many"))?;
            if data.is_null() || length == 0 {
                return Ok(());
            }
            // SAFETY: the host's promise: `kernel` came from `compile`, no other call uses it, and so many bytes are initialised and
            // nobody else's during the call.
            let (kernel, data) = unsafe {
                (&mut *kernel.cast::<T::Kernel>(), core::slice::from_raw_parts_mut(data.cast::<u8>(), length))
            };
            kernel.read(handle, data)
        })
    }

    /// The interfaces of a delegate.
    struct Interfaces<T>(core::marker::PhantomData<T>);

    impl<T: Delegate> Interfaces<T> {
        const CLAIM: &'static ArClaimV1 =
            &ArClaimV1 { header: ArHeader::of::<ArClaimV1>(), claim: claim_with_subgraphs::<T> };
        const COMPILE: &'static ArCompileV1 =
            &ArCompileV1 { header: ArHeader::of::<ArCompileV1>(), compile: compile_with::<T> };
        const VOUCH: &'static ArVouchV1 =
            &ArVouchV1 { header: ArHeader::of::<ArVouchV1>(), vouch: vouch::<T> };
        const PLAN: &'static ArKernelPlanV1 =
            &ArKernelPlanV1 { header: ArHeader::of::<ArKernelPlanV1>(), plan: kernel_plan::<T> };
        const DEVICES: &'static ArDevicesV1 =
            &ArDevicesV1 { header: ArHeader::of::<ArDevicesV1>(), list: list_devices::<T> };
        const FACTS: &'static ArFactsV1 =
            &ArFactsV1 { header: ArHeader::of::<ArFactsV1>(), tell: tell_facts::<T> };
        const BUFFERS: &'static ArBuffersV1 =
            &ArBuffersV1 { header: ArHeader::of::<ArBuffersV1>(), read: read::<T> };
    }

    pub(crate) unsafe extern "C" fn query_delegate<T: Delegate>(interface: u64) -> *const c_void {
        match interface {
            INTERFACE_CLAIM => (&raw const *Interfaces::<T>::CLAIM).cast(),
            INTERFACE_COMPILE => (&raw const *Interfaces::<T>::COMPILE).cast(),
            INTERFACE_KERNEL_PLAN => (&raw const *Interfaces::<T>::PLAN).cast(),
            INTERFACE_VOUCH => (&raw const *Interfaces::<T>::VOUCH).cast(),
            INTERFACE_DEVICES if T::DEVICES.is_some() => (&raw const *Interfaces::<T>::DEVICES).cast(),
            INTERFACE_FACTS => (&raw const *Interfaces::<T>::FACTS).cast(),
            INTERFACE_BUFFERS if T::KEEPS_OUTPUTS => (&raw const *Interfaces::<T>::BUFFERS).cast(),
            _ => core::ptr::null(),
        }
    }

    pub(crate) unsafe extern "C" fn compile<T: Delegate>(
        delegate: *mut c_void,
        partition: *const ArPartitionV1,
        kernel: *mut *mut c_void,
    ) -> ArStatus {
        status(&mut || {
            // SAFETY: the host's promise: the structs are valid, and `delegate` came from `create`.
            let (delegate, partition) =
                unsafe { (&*delegate.cast::<T>(), PartitionView::from_raw(&*partition)) };
            let value = delegate.compile(&partition)?;
            // SAFETY: the result is writable. `destroy_kernel` takes the box back.
            unsafe { *kernel = into_raw(value) };
            Ok(())
        })
    }

    pub(crate) unsafe extern "C" fn prepare_kernel<T: Delegate>(
        kernel: *mut c_void,
        prepare: *const ArPrepareV1,
        partition: *const ArPartitionV1,
    ) -> ArStatus {
        status(&mut || {
            // SAFETY: the host's promise: the structs are valid, `kernel` came from `compile`, and the call is exclusive.
            let (kernel, partition, mut cx) = unsafe {
                (
                    &mut *kernel.cast::<T::Kernel>(),
                    PartitionView::from_raw(&*partition),
                    PrepareContext::from_raw(&*prepare),
                )
            };
            kernel.prepare(&partition, &mut cx)
        })
    }

    pub(crate) unsafe extern "C" fn invoke<T: Delegate>(
        kernel: *mut c_void,
        eval: *const ArEvalV1,
        partition: *const ArPartitionV1,
        node: *const ArNodeV1,
    ) -> ArStatus {
        status(&mut || {
            // SAFETY: as for `prepare_kernel`.
            let (kernel, partition, mut cx) = unsafe {
                (
                    &mut *kernel.cast::<T::Kernel>(),
                    PartitionView::from_raw(&*partition),
                    EvalContext::from_raw(&*eval, &*node),
                )
            };
            kernel.invoke(&partition, &mut cx)
        })
    }

    pub(crate) unsafe extern "C" fn destroy_kernel<T: Delegate>(kernel: *mut c_void) {
        // SAFETY: `kernel` came from `compile` and is not used again.
        unsafe { destroy_box::<T::Kernel>(kernel) };
    }

    pub(crate) unsafe extern "C" fn destroy<T: Delegate>(delegate: *mut c_void) {
        // SAFETY: `delegate` came from `create` and is not used again.
        unsafe { destroy_box::<T>(delegate) };
    }

    pub(crate) fn into_raw<T>(value: T) -> *mut c_void {
        Box::into_raw(Box::new(value)).cast()
    }

    /// # Safety
    /// `pointer` is null or came from [`into_raw`] of a `T`, and is not used again.
    pub(crate) unsafe fn destroy_box<T>(pointer: *mut c_void) {
        if !pointer.is_null() {
            status(&mut || {
                // SAFETY: the caller's promise.
                core::mem::drop(unsafe { Box::from_raw(pointer.cast::<T>()) });
                Ok(())
            });
        }
    }
}
