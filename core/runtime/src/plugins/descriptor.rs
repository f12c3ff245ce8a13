//! Reads a plugin's descriptor, checking all that can be checked before anything is registered.

use std::collections::HashSet;
use std::ffi::c_void;

use arenite_abi::raw::{
    ArDelegateV1, ArHeader, ArOpV1, ArPlannerV1, ArPluginV1, ArStr, BUILTIN_CUSTOM, BUILTIN_DELEGATE,
    OP_USER_DATA,
};

use crate::plugins::registry::{OpKey, key_of};

/// What a plugin offers, read and checked.
pub(crate) struct Offer {
    pub id: String,
    pub version: String,
    pub description: String,
    pub ops: Vec<(OpKey, &'static ArOpV1)>,
    pub planners: Vec<(String, &'static ArPlannerV1)>,
    pub delegates: Vec<(String, &'static ArDelegateV1)>,
}

/// More registrations than this are taken for a corrupt descriptor.
const MAX_REGISTRATIONS: usize = 65_536;
/// A state larger than this is taken for a corrupt registration.
const MAX_STATE_BYTES: u64 = 1 << 30;
const MAX_NAME_BYTES: usize = 256;

/// Reads a descriptor that the handshake gave.
pub(crate) fn read(descriptor: &'static ArPluginV1) -> Result<Offer, String> {
    check_header::<ArPluginV1>(&descriptor.header, "the descriptor")?;
    let id = name(descriptor.id, "its id")?;
    let ops = array(descriptor.ops, descriptor.op_count, descriptor.op_stride, "ops")?;
    let planners =
        array(descriptor.planners, descriptor.planner_count, descriptor.planner_stride, "planners")?;
    let delegates =
        array(descriptor.delegates, descriptor.delegate_count, descriptor.delegate_stride, "delegates")?;
    let key = |op: &'static ArOpV1| match check_op(op)? {
        key if op.flags & OP_USER_DATA == 0 => Ok((key, op)),
        key => Err(format!("{key} wants user data, which only a program hands over")),
    };
    let ops = ops.into_iter().map(key).collect::<Result<Vec<_>, _>>()?;
    check_duplicates(&ops)?;
    let planners = planners
        .into_iter()
        .map(|p: &'static ArPlannerV1| {
            check_header::<ArPlannerV1>(&p.header, "a planner")?;
            Ok((name(p.name, "a planner's name")?, p))
        })
        .collect::<Result<Vec<_>, String>>()?;
    let delegates = delegates
        .into_iter()
        .map(|d: &'static ArDelegateV1| {
            check_header::<ArDelegateV1>(&d.header, "a delegate")?;
            Ok((name(d.name, "a delegate's name")?, d))
        })
        .collect::<Result<Vec<_>, String>>()?;
    unique(planners.iter().map(|(name, _)| name), "planner")?;
    unique(delegates.iter().map(|(name, _)| name), "delegate")?;
    Ok(Offer {
        id,
        version: text(descriptor.version),
        description: text(descriptor.description),
        ops,
        planners,
        delegates,
    })
}

/// The op that a registration serves.
pub(crate) fn check_op(op: &ArOpV1) -> Result<OpKey, String> {
    check_header::<ArOpV1>(&op.header, "an op")?;
    if op.builtin_code == BUILTIN_CUSTOM {
        name(op.custom_name, "a custom op's name")?;
    } else if op.builtin_code < 0 || op.builtin_code == BUILTIN_DELEGATE {
        return Err(format!("an op has builtin code {}", op.builtin_code));
    }
    let key = key_of(op);
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
    Ok(key)
}

/// Two registrations of one plugin for the same op must not serve the same version and element type.
fn check_duplicates(ops: &[(OpKey, &'static ArOpV1)]) -> Result<(), String> {
    let mut by_key: std::collections::HashMap<&OpKey, Vec<&ArOpV1>> = Default::default();
    for (key, op) in ops {
        let others = by_key.entry(key).or_default();
        if others.iter().any(|other| clash(other, op)) {
            return Err(format!("{key} is registered twice for the same versions and element types"));
        }
        others.push(op);
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

pub(crate) fn check_header<T>(header: &ArHeader, what: &str) -> Result<(), String> {
    if header.major != 1 || (header.struct_size as usize) < size_of::<T>() {
        return Err(format!(
            "{what} has {} bytes in version {}.{}, this host needs {} in version 1.x",
            header.struct_size,
            header.major,
            header.minor,
            size_of::<T>()
        ));
    }
    Ok(())
}

fn array<T>(base: *const T, count: usize, stride: usize, what: &str) -> Result<Vec<&'static T>, String> {
    if count == 0 {
        return Ok(Vec::new());
    }
    if count > MAX_REGISTRATIONS
        || base.is_null()
        || stride < size_of::<T>()
        || !stride.is_multiple_of(align_of::<T>())
    {
        return Err(format!("{count} {what} of {stride} bytes at {base:p}"));
    }
    if !base.is_aligned() {
        return Err(format!("{what} at {base:p} are not aligned"));
    }
    // SAFETY: the descriptor says that so many structs lie here, for the life of the process; pointer, stride and
    // count are plausible. A plugin is trusted code: a lie here is a defect that no check can catch.
    Ok((0..count).map(|i| unsafe { &*base.cast::<u8>().add(i * stride).cast::<T>() }).collect())
}

pub(crate) fn name(raw: ArStr, what: &str) -> Result<String, String> {
    let name = text(raw);
    if name.is_empty() || name.len() > MAX_NAME_BYTES || name.chars().any(char::is_control) {
        return Err(format!("{what} is {name:?}; it must be printable, of 1 to {MAX_NAME_BYTES} bytes"));
    }
    Ok(name)
}

fn text(raw: ArStr) -> String {
    if raw.length > 1 << 20 {
        return String::new();
    }
    // SAFETY: the plugin's static text, by the contract.
    unsafe { raw.as_str() }.to_owned()
}
