//! Reads a plugin's descriptor and checks everything that can be checked before registration.

use std::collections::HashSet;
use std::ffi::c_void;

use arenite_abi::raw::{
    ArAssignV1, ArBindV1, ArBuffersV1, ArClaimV1, ArClaimWithHostV1, ArCompileV1, ArCreateV1, ArDelegateV1,
    ArDevicesV1, ArEmbedV1, ArFactsV1, ArKernelPlanV1, ArNoSharingV1, ArOpV1, ArPlanV1, ArPlannerV1,
    ArPluginV1, ArStr, ArVouchV1, BUILTIN_CUSTOM, BUILTIN_DELEGATE, INTERFACE_ASSIGN, INTERFACE_BIND,
    INTERFACE_BUFFERS, INTERFACE_CLAIM, INTERFACE_CLAIM_WITH_HOST, INTERFACE_COMPILE, INTERFACE_CREATE,
    INTERFACE_DEVICES, INTERFACE_EMBED, INTERFACE_FACTS, INTERFACE_KERNEL_PLAN, INTERFACE_NO_SHARING,
    INTERFACE_PLAN, INTERFACE_VOUCH, OP_USER_DATA,
};

use crate::plugins::foreign::{self, Foreign, Query, check_header, text};
use crate::plugins::op_key::OpKey;

/// The contents of a plugin's descriptor, after all checks.
pub(crate) struct Offer {
    pub id: String,
    pub version: String,
    pub description: String,
    pub ops: Vec<(OpKey, ArOpV1)>,
    pub planners: Vec<(String, ArPlannerV1)>,
    pub delegates: Vec<(String, ArDelegateV1)>,
}

/// A registration with a larger state is rejected as corrupt.
const MAX_STATE_BYTES: u64 = 1 << 30;
const MAX_NAME_BYTES: usize = 256;

/// The id in a descriptor.
///
/// # Safety
/// As [`read`].
pub(crate) unsafe fn id(descriptor: *const ArPluginV1) -> Result<String, String> {
    // SAFETY: the address came from the handshake.
    let descriptor = unsafe { foreign::read(descriptor, "the descriptor") }?;
    name(descriptor.id, "its id")
}

/// Reads a descriptor that the handshake gave.
///
/// # Safety
/// The address is null or a plugin's static descriptor: its texts and arrays are readable, as far as lengths are
/// plausible.
pub(crate) unsafe fn read(descriptor: *const ArPluginV1) -> Result<Offer, String> {
    // SAFETY: the address came from the handshake.
    let descriptor = unsafe { foreign::read(descriptor, "the descriptor") }?;
    let id = name(descriptor.id, "its id")?;
    // SAFETY: the handshake returned this descriptor, so it is a plugin's static descriptor, as `offer` requires.
    unsafe { offer(&id, &descriptor) }.map_err(|message| format!("plugin '{id}': {message}"))
}

/// # Safety
/// As [`read`].
unsafe fn offer(id: &str, descriptor: &ArPluginV1) -> Result<Offer, String> {
    // SAFETY: each array starts at its pointer and has that count and stride, as this function requires of the
    // descriptor.
    let (ops, planners, delegates) = unsafe {
        let (planners, delegates) = (descriptor.planners, descriptor.delegates);
        (
            foreign::read_all(descriptor.ops, descriptor.op_count, descriptor.op_stride, "op")?,
            foreign::read_all(planners, descriptor.planner_count, descriptor.planner_stride, "planner")?,
            foreign::read_all(delegates, descriptor.delegate_count, descriptor.delegate_stride, "delegate")?,
        )
    };
    let key = |op: ArOpV1| match check_op(&op)? {
        key if op.flags & OP_USER_DATA == 0 => Ok((key, op)),
        key => Err(format!("{key} wants user data, which only a program hands over")),
    };
    let ops = ops.into_iter().map(key).collect::<Result<Vec<_>, _>>()?;
    check_duplicates(&ops)?;
    let planners = planners
        .into_iter()
        .map(|planner: ArPlannerV1| {
            Ok((checked(planner.name, "planner", || check_planner(&planner))?, planner))
        })
        .collect::<Result<Vec<_>, String>>()?;
    let delegates = delegates
        .into_iter()
        .map(|delegate: ArDelegateV1| {
            Ok((checked(delegate.name, "delegate", || check_delegate(&delegate))?, delegate))
        })
        .collect::<Result<Vec<_>, String>>()?;
    unique(planners.iter().map(|(name, _)| name), "planner")?;
    unique(delegates.iter().map(|(name, _)| name), "delegate")?;
    Ok(Offer {
        id: id.to_owned(),
        version: text(descriptor.version),
        description: text(descriptor.description),
        ops,
        planners,
        delegates,
    })
}

/// The name of a planner or a delegate that passes the check.
fn checked(raw: ArStr, what: &str, check: impl FnOnce() -> Result<(), String>) -> Result<String, String> {
    let name = name(raw, &format!("a {what}'s name"))?;
    check().map_err(|message| format!("{what} '{name}': {message}"))?;
    Ok(name)
}

/// Checks the interfaces that a planner offers.
///
/// # Errors
/// One has a wrong header or a null function.
pub(crate) fn check_planner(planner: &ArPlannerV1) -> Result<(), String> {
    // SAFETY: each is the struct of its id.
    unsafe {
        check_interface::<ArPlanV1>(planner.query, INTERFACE_PLAN, "ArPlanV1")?;
        check_interface::<ArNoSharingV1>(planner.query, INTERFACE_NO_SHARING, "ArNoSharingV1")?;
        check_interface::<ArAssignV1>(planner.query, INTERFACE_ASSIGN, "ArAssignV1")
    }
}

/// Like [`check_planner`], for a delegate.
pub(crate) fn check_delegate(delegate: &ArDelegateV1) -> Result<(), String> {
    let query = delegate.query;
    // SAFETY: each is the struct of its id.
    unsafe {
        check_interface::<ArClaimV1>(query, INTERFACE_CLAIM, "ArClaimV1")?;
        check_interface::<ArClaimWithHostV1>(query, INTERFACE_CLAIM_WITH_HOST, "ArClaimWithHostV1")?;
        check_interface::<ArCompileV1>(query, INTERFACE_COMPILE, "ArCompileV1")?;
        check_interface::<ArKernelPlanV1>(query, INTERFACE_KERNEL_PLAN, "ArKernelPlanV1")?;
        check_interface::<ArVouchV1>(query, INTERFACE_VOUCH, "ArVouchV1")?;
        check_interface::<ArDevicesV1>(query, INTERFACE_DEVICES, "ArDevicesV1")?;
        check_interface::<ArFactsV1>(query, INTERFACE_FACTS, "ArFactsV1")?;
        check_interface::<ArBuffersV1>(query, INTERFACE_BUFFERS, "ArBuffersV1")?;
        check_interface::<ArBindV1>(query, INTERFACE_BIND, "ArBindV1")?;
        check_interface::<ArCreateV1>(query, INTERFACE_CREATE, "ArCreateV1")
    }
}

/// # Safety
/// `T` is the struct of that id.
unsafe fn check_interface<T: Foreign>(query: Query, id: u64, name: &str) -> Result<(), String> {
    let Some(query) = query else { return Ok(()) };
    // SAFETY: `query` answers with null or the struct of that id.
    let found = unsafe { query(id) }.cast::<T>();
    match found.is_null() {
        true => Ok(()),
        // SAFETY: not null, so it is the struct of that id, which the plugin never changes.
        false => unsafe { foreign::read(found, format_args!("interface {name}")) }.map(drop),
    }
}

/// The op that a registration serves.
pub(crate) fn check_op(op: &ArOpV1) -> Result<OpKey, String> {
    check_header::<ArOpV1>(&op.header, "an op")?;
    if op.builtin_code == BUILTIN_CUSTOM {
        name(op.custom_name, "a custom op's name")?;
    } else if op.builtin_code < 0 || op.builtin_code == BUILTIN_DELEGATE {
        return Err(format!("an op has builtin code {}", op.builtin_code));
    }
    let key = OpKey::of(op);
    if op.min_version < 1 || op.min_version > op.max_version {
        return Err(format!("{key} has versions {} to {}", op.min_version, op.max_version));
    }
    if !op.state_align.is_power_of_two() || op.state_align > 4096 || op.state_size > MAX_STATE_BYTES {
        return Err(format!("{key} wants {} bytes of state aligned to {}", op.state_size, op.state_align));
    }
    let word = size_of::<*mut c_void>() as u64;
    if op.flags & OP_USER_DATA != 0 && (op.state_size < word || op.state_align < word) {
        return Err(format!(
            "{key} has {} bytes of state aligned to {}, which has no room for its user data, {word} bytes aligned to {word}",
            op.state_size, op.state_align
        ));
    }
    // SAFETY: the struct of that id.
    let embeds = unsafe { check_interface::<ArEmbedV1>(op.query, INTERFACE_EMBED, "ArEmbedV1") };
    embeds.map_err(|error| format!("{key}: {error}"))?;
    Ok(key)
}

/// Two registrations of one plugin for the same op must not serve the same version and element type.
fn check_duplicates(ops: &[(OpKey, ArOpV1)]) -> Result<(), String> {
    let mut sorted: Vec<&(OpKey, ArOpV1)> = ops.iter().collect();
    sorted.sort_unstable_by_key(|(key, _)| key);
    for same in sorted.chunk_by(|(a, _), (b, _)| a == b) {
        for (i, (key, op)) in same.iter().enumerate() {
            if same[..i].iter().any(|(_, other)| clash(other, op)) {
                return Err(format!("{key} is registered twice for the same versions and element types"));
            }
        }
    }
    Ok(())
}

/// Whether some node could be served by both.
pub(crate) fn clash(a: &ArOpV1, b: &ArOpV1) -> bool {
    let types = a.element_types == 0 || b.element_types == 0 || a.element_types & b.element_types != 0;
    a.min_version <= b.max_version && b.min_version <= a.max_version && types
}

fn unique<'a>(names: impl Iterator<Item = &'a String>, what: &str) -> Result<(), String> {
    let mut seen = HashSet::new();
    for name in names {
        if !seen.insert(name) {
            return Err(format!("{what} '{name}' is registered twice"));
        }
    }
    Ok(())
}

pub(crate) fn name(raw: ArStr, what: &str) -> Result<String, String> {
    let name = text(raw);
    if name.is_empty() || name.len() > MAX_NAME_BYTES || name.chars().any(char::is_control) {
        return Err(format!("{what} is {name:?}; it must be printable, of 1 to {MAX_NAME_BYTES} bytes"));
    }
    Ok(name)
}
