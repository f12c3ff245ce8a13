//! What delegates tell of their devices, and kernels of themselves.

use std::ffi::c_void;

use arenite_abi::Status;
use arenite_abi::raw::{
    ArDeviceNotesV1, ArDeviceV1, ArDevicesV1, ArFactNotesV1, ArFactsV1, ArHeader, ArStr, INTERFACE_DEVICES,
    INTERFACE_FACTS, slice,
};

use crate::host;
use crate::plugins::registration::{Query, interface};

/// A device that a delegate runs on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceInfo {
    /// By which users choose it.
    pub name: String,
    /// Who wrote the driver, and its version.
    pub driver: String,
    /// `gpu`, `cpu`, or what else it is.
    pub kind: String,
    /// Bytes of its memory, if it tells.
    pub memory: Option<u64>,
    /// What else it tells about itself.
    pub limits: Vec<(String, String)>,
}

/// The devices of a delegate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DelegateDevices {
    /// The delegate.
    pub delegate: String,
    /// In the order in which options number them; or why there are none, such as no driver.
    pub devices: Result<Vec<DeviceInfo>, String>,
}

/// What a kernel tells of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// Of what.
    pub key: String,
    /// How much, or which.
    pub value: FactValue,
}

/// The value of a [`Fact`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FactValue {
    /// So many of a unit, such as `bytes` or `ns`, which is empty for things.
    Number(u64, String),
    /// A text.
    Text(String),
}

/// Most devices, limits of one, and facts that are listed.
const MOST: usize = 256;

/// The devices of a delegate; `None` if it has no such thing.
///
/// # Safety
/// `query` is a delegate's.
pub(crate) unsafe fn list(query: Query) -> Option<Result<Vec<DeviceInfo>, String>> {
    // SAFETY: `query` is a delegate's, which answers with null or with the struct of that id (`arenite_plugin.h`).
    let devices = unsafe { interface::<ArDevicesV1>(query, INTERFACE_DEVICES) }?;
    let mut found: Vec<DeviceInfo> = Vec::new();
    let notes = ArDeviceNotesV1 {
        header: ArHeader::of::<ArDeviceNotesV1>(),
        context: (&raw mut found).cast(),
        note: note_device,
    };
    host::clear_message();
    // SAFETY: the struct is valid for the call.
    let status = unsafe { (devices.list)(&notes) };
    Some(match status == Status::Ok as u32 {
        true => Ok(found),
        false => Err(host::take_message("it does not say why it has none")),
    })
}

unsafe extern "C" fn note_device(context: *mut c_void, device: *const ArDeviceV1) {
    // SAFETY: the context is the list of the call in progress; the device, its texts and pairs are readable for it.
    unsafe {
        let (found, device) = (&mut *context.cast::<Vec<DeviceInfo>>(), &*device);
        let text = |text: ArStr| text.as_str().to_owned();
        let limits = slice(device.limits, device.limit_count.min(MOST));
        if found.len() < MOST {
            found.push(DeviceInfo {
                name: text(device.name),
                driver: text(device.driver),
                kind: text(device.kind),
                memory: (device.memory > 0).then_some(device.memory),
                limits: limits.iter().map(|pair| (text(pair.key), text(pair.value))).collect(),
            });
        }
    }
}

/// What a kernel tells, and how the call ended; `None` if it tells nothing.
///
/// # Safety
/// `query` is that of the kernel's delegate; nobody else uses the kernel during the call.
pub(crate) unsafe fn facts(query: Query, kernel: *mut c_void) -> Option<(Vec<Fact>, Status)> {
    // SAFETY: `query` is a delegate's, which answers with null or with the struct of that id (`arenite_plugin.h`).
    let tells = unsafe { interface::<ArFactsV1>(query, INTERFACE_FACTS) }?;
    let mut found: Vec<Fact> = Vec::new();
    let notes = ArFactNotesV1 {
        header: ArHeader::of::<ArFactNotesV1>(),
        context: (&raw mut found).cast(),
        number: note_number,
        text: note_text,
    };
    // SAFETY: the struct is valid for the call; the rest is the caller's promise.
    let status = unsafe { (tells.tell)(kernel, &notes) };
    Some((found, Status::from_raw(status)))
}

unsafe extern "C" fn note_number(context: *mut c_void, key: ArStr, value: u64, unit: ArStr) {
    // SAFETY: the unit is readable for the call; the rest is that of this function.
    unsafe { note(context, key, FactValue::Number(value, unit.as_str().to_owned())) }
}

unsafe extern "C" fn note_text(context: *mut c_void, key: ArStr, value: ArStr) {
    // SAFETY: the value is readable for the call; the rest is that of this function.
    unsafe { note(context, key, FactValue::Text(value.as_str().to_owned())) }
}

/// # Safety
/// The context is the facts of the call in progress; the key is readable for it.
unsafe fn note(context: *mut c_void, key: ArStr, value: FactValue) {
    // SAFETY: `facts` passes `found` as the context and uses it again after the call only; `key` is readable for the call.
    unsafe {
        let found = &mut *context.cast::<Vec<Fact>>();
        if found.len() < MOST {
            found.push(Fact { key: key.as_str().to_owned(), value });
        }
    }
}
