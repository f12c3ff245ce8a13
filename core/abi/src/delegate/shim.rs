//! The functions behind a delegate's vtable: they turn raw pointers into the author's types.

use core::ffi::c_void;

use super::{Claims, CompileContext, Delegate, DelegateKernel, PartitionView, PlanNotes};
use crate::devices::{DeviceNotes, DeviceObject, FactNotes};
use crate::graph::GraphView;
use crate::op::{EvalContext, NodeView, PrepareContext};
use crate::raw::*;
use crate::shim::{destroy_box, into_raw, status};
use crate::{OptionPairs, Status, unsupported};

/// The registration of the planner `T`.
pub const fn registration<T: Delegate>() -> ArDelegateV1 {
    ArDelegateV1 {
        header: ArHeader::of::<ArDelegateV1>(),
        name: ArStr::new(T::NAME),
        create: create::<T>,
        claim: claim::<T>,
        compile: compile::<T>,
        prepare: prepare_kernel::<T>,
        invoke: invoke::<T>,
        destroy_kernel: destroy_kernel::<T>,
        destroy: destroy::<T>,
        query: Some(query::<T>),
    }
}

unsafe extern "C" fn create<T: Delegate>(
    options: *const ArPair,
    option_count: usize,
    delegate: *mut *mut c_void,
) -> ArStatus {
    status(&mut || {
        // SAFETY: the ABI requires the pairs to be valid during the call.
        let options = unsafe { OptionPairs::from_raw(options, option_count) };
        let value = T::create(&options)?;
        // SAFETY: the ABI requires the result to be writable. `destroy` frees the box.
        unsafe { *delegate = into_raw(value) };
        Ok(())
    })
}

unsafe extern "C" fn claim<T: Delegate>(
    delegate: *mut c_void,
    graph: *const ArGraphV1,
    claims: *const ArClaimsV1,
) -> ArStatus {
    status(&mut || {
        // SAFETY: the ABI requires the structs to be valid during the call, and `delegate` to come from `create`.
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
        // SAFETY: the ABI requires the structs to be valid during the call, and `delegate` to come from `create`.
        let (delegate, graph, mut claims) = unsafe {
            let claims = Claims::from_raw(&*claims, subgraphs.as_ref());
            (&*delegate.cast::<T>(), GraphView::from_raw(&*graph), claims)
        };
        delegate.claim(&graph, &mut claims)
    })
}

unsafe extern "C" fn claim_with_host<T: Delegate>(
    delegate: *mut c_void,
    graph: *const ArGraphV1,
    host: *const ArClaimHostV1,
) -> ArStatus {
    status(&mut || {
        // SAFETY: the ABI requires the structs to be valid during the call, and `delegate` to come from `create`.
        let (delegate, graph, mut claims) =
            unsafe { (&*delegate.cast::<T>(), GraphView::from_raw(&*graph), Claims::with_host(&*host)) };
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
        // SAFETY: the ABI requires the structs to be valid during the call, and `delegate` to come from `create`.
        let (delegate, partition, cx) = unsafe {
            (&*delegate.cast::<T>(), PartitionView::from_raw(&*partition), CompileContext::from_raw(&*host))
        };
        let value = delegate.compile_with(&partition, &cx)?;
        // SAFETY: the ABI requires the result to be writable. `destroy_kernel` frees the box.
        unsafe { *kernel = into_raw(value) };
        Ok(())
    })
}

unsafe extern "C" fn kernel_plan<T: Delegate>(kernel: *mut c_void, notes: *const ArPlanNotesV1) -> ArStatus {
    status(&mut || {
        // SAFETY: the ABI requires the struct to be valid, `kernel` to come from `compile`, and no other call to use
        // it.
        let (kernel, mut notes) = unsafe { (&*kernel.cast::<T::Kernel>(), PlanNotes::from_raw(&*notes)) };
        kernel.plan(&mut notes)
    })
}

unsafe extern "C" fn vouch<T: Delegate>(delegate: *mut c_void, node: *const ArNodeV1) -> u8 {
    let mut vouches = false;
    let status = status(&mut || {
        // SAFETY: the ABI requires the node to be valid, and `delegate` to come from `create`.
        let (delegate, node) = unsafe { (&*delegate.cast::<T>(), NodeView::from_raw(&*node)) };
        vouches = delegate.vouch(&node);
        Ok(())
    });
    u8::from(vouches && status == Status::Ok as ArStatus)
}

unsafe extern "C" fn list_devices<T: Delegate>(notes: *const ArDeviceNotesV1) -> ArStatus {
    status(&mut || {
        let list = T::DEVICES.ok_or_else(|| unsupported!("'{}' has no devices", T::NAME))?;
        // SAFETY: the ABI requires the struct to be valid during the call.
        list(&mut unsafe { DeviceNotes::from_raw(&*notes) })
    })
}

unsafe extern "C" fn tell_facts<T: Delegate>(kernel: *mut c_void, notes: *const ArFactNotesV1) -> ArStatus {
    status(&mut || {
        // SAFETY: the ABI requires the struct to be valid, `kernel` to come from `compile`, and no other call to use
        // it.
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
        // SAFETY: the ABI requires `kernel` to come from `compile`, no other call to use it, and `data` to have `bytes`
        // initialized bytes that only this call accesses.
        let (kernel, data) = unsafe {
            (&mut *kernel.cast::<T::Kernel>(), core::slice::from_raw_parts_mut(data.cast::<u8>(), length))
        };
        kernel.read(handle, data)
    })
}

unsafe extern "C" fn object<T: Delegate>(delegate: *mut c_void, name: ArStr, object: *mut u64) -> ArStatus {
    status(&mut || {
        // SAFETY: the ABI requires `delegate` to come from `create`, the name to be readable and the result writable.
        unsafe { *object = (&*delegate.cast::<T>()).object(name.as_str())? };
        Ok(())
    })
}

unsafe extern "C" fn bind<T: Delegate>(
    delegate: *mut c_void,
    object: u64,
    offset: u64,
    bytes: u64,
    handle: *mut u64,
) -> ArStatus {
    status(&mut || {
        // SAFETY: the ABI requires `delegate` to come from `create`, the object to live until `unbind`, and the result
        // to be writable.
        unsafe {
            *handle = (&*delegate.cast::<T>()).bind(DeviceObject::from_raw(object), offset, bytes)?;
        }
        Ok(())
    })
}

unsafe extern "C" fn unbind<T: Delegate>(delegate: *mut c_void, handle: u64) {
    status(&mut || {
        // SAFETY: the ABI requires `delegate` to come from `create`.
        unsafe { &*delegate.cast::<T>() }.unbind(handle);
        Ok(())
    });
}

unsafe extern "C" fn read_bound<T: Delegate>(
    delegate: *mut c_void,
    handle: u64,
    data: *mut c_void,
    bytes: u64,
) -> ArStatus {
    status(&mut || {
        let length = usize::try_from(bytes).map_err(|_| unsupported!("{bytes} bytes are too many"))?;
        if data.is_null() || length == 0 {
            return Ok(());
        }
        // SAFETY: the ABI requires `delegate` to come from `create`, and `data` to have `bytes` initialized bytes that
        // only this call accesses.
        let (delegate, data) =
            unsafe { (&*delegate.cast::<T>(), core::slice::from_raw_parts_mut(data.cast::<u8>(), length)) };
        delegate.read_bound(handle, data)
    })
}

unsafe extern "C" fn write_bound<T: Delegate>(
    delegate: *mut c_void,
    handle: u64,
    data: *const c_void,
    bytes: u64,
) -> ArStatus {
    status(&mut || {
        let length = usize::try_from(bytes).map_err(|_| unsupported!("{bytes} bytes are too many"))?;
        if data.is_null() || length == 0 {
            return Ok(());
        }
        // SAFETY: the ABI requires `delegate` to come from `create`, and `data` to have `bytes` readable bytes.
        let (delegate, data) =
            unsafe { (&*delegate.cast::<T>(), core::slice::from_raw_parts(data.cast::<u8>(), length)) };
        delegate.write_bound(handle, data)
    })
}

unsafe extern "C" fn copy_bound<T: Delegate>(
    delegate: *mut c_void,
    kept: u64,
    handle: u64,
    bytes: u64,
) -> ArStatus {
    // SAFETY: the ABI requires `delegate` to come from `create`.
    status(&mut || unsafe { &*delegate.cast::<T>() }.copy_to_bound(kept, handle, bytes))
}

/// The interfaces of a delegate.
struct Interfaces<T>(core::marker::PhantomData<T>);

impl<T: Delegate> Interfaces<T> {
    const CLAIM: &'static ArClaimV1 =
        &ArClaimV1 { header: ArHeader::of::<ArClaimV1>(), claim: claim_with_subgraphs::<T> };
    const CLAIM_WITH_HOST: &'static ArClaimWithHostV1 =
        &ArClaimWithHostV1 { header: ArHeader::of::<ArClaimWithHostV1>(), claim: claim_with_host::<T> };
    const COMPILE: &'static ArCompileV1 =
        &ArCompileV1 { header: ArHeader::of::<ArCompileV1>(), compile: compile_with::<T> };
    const VOUCH: &'static ArVouchV1 = &ArVouchV1 { header: ArHeader::of::<ArVouchV1>(), vouch: vouch::<T> };
    const PLAN: &'static ArKernelPlanV1 =
        &ArKernelPlanV1 { header: ArHeader::of::<ArKernelPlanV1>(), plan: kernel_plan::<T> };
    const DEVICES: &'static ArDevicesV1 =
        &ArDevicesV1 { header: ArHeader::of::<ArDevicesV1>(), list: list_devices::<T> };
    const FACTS: &'static ArFactsV1 =
        &ArFactsV1 { header: ArHeader::of::<ArFactsV1>(), tell: tell_facts::<T> };
    const BUFFERS: &'static ArBuffersV1 =
        &ArBuffersV1 { header: ArHeader::of::<ArBuffersV1>(), read: read::<T> };
    const BIND: &'static ArBindV1 = &ArBindV1 {
        header: ArHeader::of::<ArBindV1>(),
        object: object::<T>,
        bind: bind::<T>,
        unbind: unbind::<T>,
        read: read_bound::<T>,
        write: write_bound::<T>,
        copy: copy_bound::<T>,
    };
}

pub(crate) unsafe extern "C" fn query<T: Delegate>(interface: u64) -> *const c_void {
    match interface {
        INTERFACE_CLAIM => (&raw const *Interfaces::<T>::CLAIM).cast(),
        INTERFACE_CLAIM_WITH_HOST => (&raw const *Interfaces::<T>::CLAIM_WITH_HOST).cast(),
        INTERFACE_COMPILE => (&raw const *Interfaces::<T>::COMPILE).cast(),
        INTERFACE_KERNEL_PLAN => (&raw const *Interfaces::<T>::PLAN).cast(),
        INTERFACE_VOUCH => (&raw const *Interfaces::<T>::VOUCH).cast(),
        INTERFACE_DEVICES if T::DEVICES.is_some() => (&raw const *Interfaces::<T>::DEVICES).cast(),
        INTERFACE_FACTS => (&raw const *Interfaces::<T>::FACTS).cast(),
        INTERFACE_BIND if T::BINDS => (&raw const *Interfaces::<T>::BIND).cast(),
        INTERFACE_BUFFERS if T::KEEPS_OUTPUTS => (&raw const *Interfaces::<T>::BUFFERS).cast(),
        _ => core::ptr::null(),
    }
}

unsafe extern "C" fn compile<T: Delegate>(
    delegate: *mut c_void,
    partition: *const ArPartitionV1,
    kernel: *mut *mut c_void,
) -> ArStatus {
    status(&mut || {
        // SAFETY: the ABI requires the structs to be valid during the call, and `delegate` to come from `create`.
        let (delegate, partition) = unsafe { (&*delegate.cast::<T>(), PartitionView::from_raw(&*partition)) };
        let value = delegate.compile(&partition)?;
        // SAFETY: the ABI requires the result to be writable. `destroy_kernel` frees the box.
        unsafe { *kernel = into_raw(value) };
        Ok(())
    })
}

unsafe extern "C" fn prepare_kernel<T: Delegate>(
    kernel: *mut c_void,
    prepare: *const ArPrepareV1,
    partition: *const ArPartitionV1,
) -> ArStatus {
    status(&mut || {
        // SAFETY: the ABI requires the structs to be valid, `kernel` to come from `compile`, and no other call to use
        // it.
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

unsafe extern "C" fn invoke<T: Delegate>(
    kernel: *mut c_void,
    eval: *const ArEvalV1,
    partition: *const ArPartitionV1,
    node: *const ArNodeV1,
) -> ArStatus {
    status(&mut || {
        // SAFETY: the ABI requires the structs to be valid, `kernel` to come from `compile`, and no other call to use
        // it.
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

unsafe extern "C" fn destroy_kernel<T: Delegate>(kernel: *mut c_void) {
    // SAFETY: the ABI requires `kernel` to come from `compile` and not to be used again.
    unsafe { destroy_box::<T::Kernel>(kernel) };
}

unsafe extern "C" fn destroy<T: Delegate>(delegate: *mut c_void) {
    // SAFETY: the ABI requires `delegate` to come from `create` and not to be used again.
    unsafe { destroy_box::<T>(delegate) };
}
