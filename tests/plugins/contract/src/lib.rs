//! Plugins of earlier contracts. Each module is named after an addition to the contract, declares the structs of that
//! version, and has an op, a planner or a delegate that uses them. The crate does not depend on `arenite-abi`, so
//! changes there do not affect it. The files in `c/` are the same in C. CONTRIBUTING.md explains how to add one.
//!
//! Every SAFETY argument below relies on the contract: the runtime passes pointers that are valid for the call, arrays
//! have the lengths next to them, and `state` and `kernel` come from the same module.
#![allow(clippy::missing_safety_doc)]
#![allow(unreachable_pub)]

mod contract_1_0;
mod fixture;

mod s00_first;
mod s01_subgraphs;
mod s02_layout;
mod s03_profile;
mod s04_claim;
mod s05_compile;
mod s06_user_data;
mod s07_vouch;
mod s08_memory;
mod s09_objects;
mod s10_devices;
mod s11_sizes;
mod s12_op_schemas;
mod s13_no_sharing;
mod s14_claim_with_host;
mod s15_bind;
mod s16_embed;
mod s17_resource_memory;

use contract_1_0::{ArDelegateV1, ArHostV1, ArOpV1, ArPlannerV1, ArPluginV1};
use fixture::{HOST, Shared, header, text};

static OPS: Shared<[ArOpV1; 6]> = Shared([
    s00_first::OP,
    s01_subgraphs::OP,
    s02_layout::OP,
    s11_sizes::OP,
    s16_embed::OP,
    s17_resource_memory::OP,
]);
static PLANNERS: Shared<[ArPlannerV1; 3]> =
    Shared([s00_first::PLANNER, s09_objects::PLANNER, s13_no_sharing::PLANNER]);
static DELEGATES: Shared<[ArDelegateV1; 11]> = Shared([
    s00_first::DELEGATE,
    s03_profile::DELEGATE,
    s04_claim::DELEGATE,
    s05_compile::DELEGATE,
    s07_vouch::DELEGATE,
    s08_memory::DELEGATE,
    s09_objects::DELEGATE,
    s10_devices::DELEGATE,
    s12_op_schemas::DELEGATE,
    s14_claim_with_host::DELEGATE,
    s15_bind::DELEGATE,
]);
static PLUGIN: Shared<ArPluginV1> = Shared(plugin(&OPS.0, &PLANNERS.0, &DELEGATES.0));

static USER_OPS: Shared<[ArOpV1; 1]> = Shared([s06_user_data::OP]);
static USER_PLANNERS: Shared<[ArPlannerV1; 1]> = Shared([s06_user_data::PLANNER]);
static USER_DELEGATES: Shared<[ArDelegateV1; 1]> = Shared([s06_user_data::DELEGATE]);
static USER_DATA: Shared<ArPluginV1> = Shared(plugin(&USER_OPS.0, &USER_PLANNERS.0, &USER_DELEGATES.0));

const fn plugin(
    ops: &'static [ArOpV1],
    planners: &'static [ArPlannerV1],
    delegates: &'static [ArDelegateV1],
) -> ArPluginV1 {
    ArPluginV1 {
        header: header::<ArPluginV1>(),
        id: text("test.contract"),
        version: text("1"),
        description: text("Fixtures"),
        ops: ops.as_ptr(),
        op_count: ops.len(),
        op_stride: size_of::<ArOpV1>(),
        planners: planners.as_ptr(),
        planner_count: planners.len(),
        planner_stride: size_of::<ArPlannerV1>(),
        delegates: delegates.as_ptr(),
        delegate_count: delegates.len(),
        delegate_stride: size_of::<ArDelegateV1>(),
        query: None,
    }
}

/// The entry of contract 1.0.
///
/// # Safety
/// `host` is null or lives as long as the process; `version` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn arenite_plugin_v1(host: *const ArHostV1, version: *mut u32) -> *const ArPluginV1 {
    // SAFETY: `# Safety` requires of both pointers what `enter` requires.
    unsafe { enter(host, version, &PLUGIN.0) }
}

/// Like the entry, but for registrations with user data.
///
/// # Safety
/// Like [`arenite_plugin_v1`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn contract_user_data(host: *const ArHostV1, version: *mut u32) -> *const ArPluginV1 {
    // SAFETY: `# Safety` requires of both pointers what `enter` requires.
    unsafe { enter(host, version, &USER_DATA.0) }
}

unsafe fn enter(host: *const ArHostV1, version: *mut u32, plugin: &'static ArPluginV1) -> *const ArPluginV1 {
    // SAFETY: null or valid, as the contract says.
    let (Some(host), Some(version)) = (unsafe { host.as_ref() }, unsafe { version.as_mut() }) else {
        return std::ptr::null();
    };
    let speaks = std::mem::replace(version, 0x10000);
    if speaks < 0x10000 {
        return std::ptr::null();
    }
    let _ = HOST.set(Shared(host));
    plugin
}
